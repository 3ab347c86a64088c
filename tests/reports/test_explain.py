from __future__ import annotations

from typing import get_args

import pytest

from selfedit_formal.core.verdict import Failed, Verdict
from selfedit_formal.reports.explain import everything, explain, nearest, summaries, topics


@pytest.mark.parametrize("verdict", [*get_args(Verdict), Failed])
def test_every_verdict_has_a_section(verdict: type) -> None:
    assert verdict.__name__.lower() in topics()["verdicts"]


def test_a_verdict_prints_its_section_alone() -> None:
    page = explain("Vacuous")
    assert page is not None
    assert page.startswith("vacuous\n\nThe promise holds for every window, which was proved")
    assert "unknown" not in page


def test_a_promise_prints_what_it_says_and_its_formula() -> None:
    page = explain("preserves")
    assert page is not None
    assert page.startswith("Closed in, closed out")
    assert "    property preserves(P: policy, I: predicate) = all W where I(W): I(P(W))" in page.splitlines()


def test_a_promise_of_policies_and_of_sessions_prints_both() -> None:
    assert explain("no_cycle") is not None
    page = (explain("no_silent_readmission") or "").splitlines()
    assert page[0] == "A span comes back only by an explicit override."
    second = page.index("Nothing that was evicted is in the window again unless an override brought it back.")
    assert page[second - 1] == ""
    assert "    property no_silent_readmission(S: session) = always W: no s in known(W): s.returned" in page[second:]


@pytest.mark.parametrize("promise", topics()["promises"])
def test_every_shipped_promise_has_a_page(promise: str) -> None:
    page = explain(promise)
    assert page is not None
    assert not page.startswith("\n")
    assert f"property {promise}(" in page


@pytest.mark.parametrize(
    ("topic", "begins", "says"),
    [
        ("evict", "evict, logged\n\nMoves spans", "Moves spans to the archive."),
        ("set", "set\n\nChanges fields", "`f <= e`"),
        ("let", "let, first, last\n\n", "Names something once, where it stands"),
        ("count", "count\n\nCounts spans", "count(turn after s)"),
        ("session", "session, start, each turn, turn\n\n", "apply drop_notes"),
        ("gate", "gate\n\nAsks promises of each pass", "After the last statement, each gate asks its promise"),
        ("expect", "check, assuming, within", "expect refuted"),
        ("within", "check, assuming, within", "The result has at most cap tokens."),
        ("assuming", "check, assuming, within", "`assuming` names predicates"),
        ("at once", "at once\n\nReads the conditions", "Without it the second statement"),
        ("redundant_calls", "redundant_calls: a signal", "> R2"),
        ("plan_fits", "plan_fits: a rule of the gate", "The plan names a span that is not there"),
        ("gate.md", "# What the gate refuses", "## The rules"),
        ("language", "# The language", "### evict"),
    ],
)
def test_a_topic_has_its_page(topic: str, begins: str, says: str) -> None:
    page = explain(topic)
    assert page is not None
    assert page.startswith(begins)
    assert says in page
    assert page.endswith("\n")
    assert not page.endswith("\n\n")


def test_a_name_of_two_kinds_prints_both() -> None:
    page = explain("idempotent") or ""
    assert "property idempotent(P: policy)" in page
    assert "\n\nidempotent: a rule of the gate at run time\n\n" in page


def test_an_example_with_documentation_in_it_is_printed_to_its_end() -> None:
    assert "check drop_notes: keeps(is_user)" in (explain("property") or "")


def test_everything_has_every_topic() -> None:
    printed = "\n".join(everything())
    for kind, titles in topics().items():
        for title in titles:
            said = (explain(title) or "").removeprefix(f"{title}\n\n").split("\n")[0]
            assert kind in ("signals", "rules") or said in printed, title
    assert printed.count("\n# What the gate refuses\n") <= 1


def test_every_topic_has_a_line() -> None:
    listed = list(summaries())
    assert [(kind, title) for kind, title, _ in listed] == [(k, t) for k, titles in topics().items() for t in titles]
    assert [title for _, title, says in listed if not says or "\n" in says] == []


def test_every_code_prints_its_page_in_either_case() -> None:
    for code in topics()["diagnostics"]:
        assert explain(code.lower()) == explain(code)


def test_what_is_not_there_has_no_page_but_a_nearest_name() -> None:
    assert explain("idempotnt") is None
    assert nearest("idempotnt")[0] == "idempotent"
    assert nearest("xyzzy") == ()
