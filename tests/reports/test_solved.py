"""Which parameters are safe, said to a person and to a machine from the same answer."""

from __future__ import annotations

import pytest

from selfedit_formal.core.verdict import Proved
from selfedit_formal.reports.layout import written
from selfedit_formal.reports.solved import document, lines
from selfedit_formal.verifying.solve_for import Solved, Unsolved
from tests.reports.examples import case, obligation

ASKED = obligation("trim_last: preserves(paired)")
BREAKS = case(ASKED, "orphan", {"cap": 2}, {"r": "R"})
PROOF = Proved("one query over the spans that matter")
NAMED = "trim_last: preserves(paired)"


def text(answer: Solved | Unsolved) -> str:
    return written(lines(ASKED, answer, 72), 72, colour=False)


def test_a_condition_is_told_with_its_proof_and_a_window_outside_of_it() -> None:
    answer = Solved("cap <= 1", (PROOF, PROOF), BREAKS)
    first, *rest = text(answer).splitlines()
    assert first == f"{NAMED}: holds if cap <= 1"
    told = " ".join(" ".join(rest).split())
    assert told.startswith(f"proved under it, for every window of every length ({PROOF.argument})")
    assert told.count(PROOF.argument) == 1  # two alternatives are proved in one way
    assert "outside of it, this window breaks the promise:" in told
    assert "R" in told
    assert document([(ASKED, answer)]) == {
        "schema": 1,
        "solved": [
            {
                "check": NAMED,
                "condition": "cap <= 1",
                "proved": True,
                "arguments": [PROOF.argument] * 2,
                "broken_outside_at": {"cap": 2},
            }
        ],
    }


def test_without_a_window_outside_a_weaker_condition_may_do() -> None:
    assert "no window was found that breaks it outside: a weaker one may do" in text(Solved("cap <= 1", (PROOF,), None))


def test_what_holds_for_all_parameters_needs_no_condition() -> None:
    told = text(Solved("", (PROOF,), None))
    assert told.startswith(f"{NAMED}: holds for all parameters\n")
    assert "weaker" not in told


@pytest.mark.parametrize(("names", "on"), [((), ""), (("cap",), " on `cap`"), (("cap", "n"), " on `cap`, `n`")])
def test_where_nothing_was_proved_no_condition_is_told(names: tuple[str, ...], on: str) -> None:
    answer = Unsolved("the work did not suffice", names)
    assert text(answer) == f"{NAMED}: no condition{on} was proved\n  the work did not suffice"
    assert document([(ASKED, answer)])["solved"] == [
        {
            "check": NAMED,
            "condition": None,
            "proved": False,
            "reason": "the work did not suffice",
            "broken_at": None,
        }
    ]


def test_the_numbers_at_which_it_breaks_are_told() -> None:
    answer = Unsolved("no value is safe", ("cap",), BREAKS)
    assert "it breaks at cap = 2:" in text(answer)
    assert "'broken_at': {'cap': 2}" in str(document([(ASKED, answer)]))
