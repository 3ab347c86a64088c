"""The condition found is the one that holds, not a stronger one, and nothing is stated that is not proved."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from selfedit_formal.core.diagnostics import Disagreement
from selfedit_formal.core.property import Obligation
from selfedit_formal.core.traverse import nodes
from selfedit_formal.core.verdict import Failed, Proved, Result
from selfedit_formal.engines import Limits
from selfedit_formal.language.resolve import load_text
from selfedit_formal.reports.layout import plain
from selfedit_formal.reports.solved import document, lines
from selfedit_formal.semantics.interpreter import breaks
from selfedit_formal.verifying import solve_for as module
from selfedit_formal.verifying.solve_for import ANYTHING, Inequality, Solved, Unsolved, solve_for, written
from selfedit_formal.verifying.verify import verify

LIMITS = Limits(5, 120.0, None)
CHAT = """
window Chat {
  tag    : user | note
  tokens : int >= 1
}
property at_most(P: policy, n: int) = all W: count(t in P(W)) <= n
property stays(P: policy)           = all W: P(W) == W
"""
ENDS = """
policy ends(first: int >= 0, last: int >= 0, max: int >= 0) for Chat {
  when count(t: true) > max
  evict s where count(t: t before s) >= first and count(t: t after s) >= last
}
check ends: at_most(max)
"""
PILED = """
policy piled(max: int >= 0) for Chat {
  insert { tag = note, tokens = 1 } at front
}
check piled: at_most(max)
"""


def only(text: str) -> Obligation:
    (obligation,) = load_text(CHAT + text).obligations
    return obligation


def evicts(condition: str, parameters: str = "k: int >= 0, m: int >= 0") -> Obligation:
    return only(f"policy p({parameters}) for Chat {{ evict s where s.tag == user and {condition} }}\ncheck p: stays")


def test_the_weakest_condition_is_proved_under_and_refuted_outside() -> None:
    obligation = only(ENDS)
    found = solve_for(obligation, ("first", "last", "max"), LIMITS)
    assert isinstance(found, Solved)
    assert found.condition in ("first + last <= max", "last + first <= max")
    assert [type(p) for p in found.proofs] == [Proved]
    assert found.outside is not None
    assert breaks(obligation, found.outside)
    assert found.outside.parameters["first"] + found.outside.parameters["last"] > found.outside.parameters["max"]


@pytest.mark.parametrize(
    ("obligation", "names", "condition"),
    [
        (only(ENDS), ("first", "last"), "first + last <= 0"),
        (evicts("k > m"), ("m", "k"), "k <= m"),
        (evicts("k > m"), ("k",), "k <= 0"),
        (evicts("k > m", "k: int >= 0 <= 4, m: int >= 0"), ("m",), "4 <= m"),
        (evicts("k == 3"), ("k",), "k <= 2 or 4 <= k"),
        (evicts("k > m and k > 2"), ("k", "m"), "k <= m or k <= 2"),
        (evicts("(k < 2 or m > 1) and k < 7"), ("k", "m"), "(m <= 1 and 2 <= k) or 7 <= k"),
        (evicts("k > 4 and k < 3"), ("k",), ""),
    ],
    ids=lambda given: given if isinstance(given, str) else None,
)
def test_a_condition_speaks_of_what_was_asked_for_alone(
    obligation: Obligation, names: tuple[str, ...], condition: str
) -> None:
    found = solve_for(obligation, names, LIMITS)
    assert isinstance(found, Solved)
    assert found.condition == condition
    assert len(found.proofs) == condition.count(" or ") + 1


def test_the_answer_is_the_same_each_time() -> None:
    first, second = (solve_for(evicts("k > m and k > 2"), ("k", "m"), LIMITS) for _ in range(2))
    assert isinstance(first, Solved)
    assert isinstance(second, Solved)
    assert (first.condition, first.outside) == (second.condition, second.outside)


@pytest.mark.parametrize(
    ("obligation", "names", "at"),
    [
        (only(PILED), ("max",), {"max": 0}),
        (evicts("k >= m"), ("k",), {"k": 0}),
        (
            only("policy p(k: int) for Chat { when count(s) > 9\n evict s where k > k - 1 }\ncheck p: stays"),
            ("k",),
            {"k": 0},
        ),
    ],
    ids=["piled", "whatever the other", "behind a trigger"],
)
def test_where_no_value_is_safe_what_breaks_it_is_told(
    obligation: Obligation, names: tuple[str, ...], at: dict[str, int]
) -> None:
    found = solve_for(obligation, names, LIMITS)
    assert isinstance(found, Unsolved)
    assert found.broken is not None
    assert breaks(obligation, found.broken)
    assert {n: found.broken.parameters[n] for n in names} == at


def test_what_is_not_proved_is_not_stated() -> None:
    obligation = evicts("k > 2")
    found = solve_for(obligation, ("k",), replace(LIMITS, proof=0.0))
    assert isinstance(found, Unsolved)
    assert "no proof" in found.reason
    text = plain(lines(obligation, found, 80))
    assert "holds" not in text
    assert "no condition on `k` was proved" in text
    assert "it breaks at k = 3" in text
    told = json.loads(json.dumps(document([(obligation, found)])))["solved"][0]
    assert (told["condition"], told["proved"], told["broken_at"]["k"]) == (None, False, 3)


def test_each_alternative_is_proved_as_a_promise_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Obligation] = []

    def watched(obligation: Obligation, limits: Limits, **more: object) -> Result:
        asked.append(obligation)
        return verify(obligation, limits, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "verify", watched)
    found = solve_for(evicts("k == 3"), ("k",), LIMITS)
    assert isinstance(found, Solved)
    below, above = Inequality({("k",): 1}, -2).expression(), Inequality({("k",): -1}, 4).expression()
    assert [[e in nodes(a.claim.premise) for e in (below, above)] for a in asked if a.expect == "proved"][-2:] == [
        [True, False],
        [False, True],
    ]


def test_two_parts_that_disagree_are_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "verify", lambda asked, *_, **__: Result(asked, Failed("they differ"), 0.0, "bounded"))
    with pytest.raises(Disagreement, match="they differ"):
        solve_for(evicts("k > 2"), ("k",), LIMITS)


def test_text_and_json_say_the_same() -> None:
    obligation = evicts("k == 3")
    found = solve_for(obligation, ("k",), LIMITS)
    text = plain(lines(obligation, found, 200))
    assert "p: stays: holds if k <= 2 or 4 <= k" in text
    assert "with     k = 3" in text
    told = json.loads(json.dumps(document([(obligation, found)])))["solved"][0]
    assert (told["condition"], told["proved"], told["broken_outside_at"]) == (
        "k <= 2 or 4 <= k",
        True,
        {"k": 3, "m": 0},
    )
    assert all(argument in text for argument in told["arguments"])


def test_a_promise_about_a_session_is_not_taken_for_one_about_a_policy() -> None:
    text = """
window Log { tag : note   tokens : int >= 1 }
policy p(cap: int >= 1) for Log { evict s where s.tokens > cap }
session loop(cap: int >= 1) of Log { each turn { apply p(cap) } }
check loop: no_thrash
"""
    found = solve_for(only(text), ("cap",), Limits(2, 20.0, None))
    assert isinstance(found, Unsolved)
    assert "session" in found.reason


@pytest.mark.parametrize(
    ("coefficients", "constant", "text"),
    [
        ({("k", "most"): 1, ("size",): 1, ("trigger",): -1}, 1, "k * most + size < trigger"),
        ({("cap",): 1}, -10, "cap <= 10"),
        ({("cap",): -1}, 3, "3 <= cap"),
        ({("h",): 2, ("max",): -1}, 0, "2 * h <= max"),
    ],
)
def test_an_inequality_reads_as_a_person_writes_it(
    coefficients: dict[tuple[str, ...], int], constant: int, text: str
) -> None:
    assert str(Inequality(coefficients, constant)) == text


def test_a_condition_reads_as_a_person_writes_it() -> None:
    low, high = Inequality({("k",): -1}, 3), Inequality({("k",): 1}, -5)
    assert written(ANYTHING) == ""
    assert written(((low, high),)) == "3 <= k and k <= 5"
    assert written(((low, high), (high,))) == "(3 <= k and k <= 5) or k <= 5"
