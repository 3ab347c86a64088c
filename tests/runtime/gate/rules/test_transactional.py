"""`transactional`: candidates that were scored together leave together or stay together."""

from __future__ import annotations

from selfedit_formal.gate import Delete, Scoring, Terms
from tests.runtime.gate.windows import DROP, SCORED, applied, asked, objection


def together(**how: object) -> Terms:
    """Terms of an edit for which the score of the rationale depends on the dump."""
    return asked(scoring=Scoring({**SCORED, "R": 0.1}, depends={"R": ("A",)}), **how)


def test_of_two_that_were_scored_together_one_does_not_leave_alone() -> None:
    for plan in (DROP, [Delete("R")]):
        found = objection("transactional", plan, together())
        assert found.spans == ("A", "R")
        assert found.what == "of `A`, `R`, which were scored together, some leave and some stay"
        assert found.remedy == "keep all of them, or prune all"


def test_both_may_leave_and_both_may_stay() -> None:
    assert applied([Delete("A"), Delete("R")], together()) == ["C", "T", "S"]
    assert applied([Delete("T"), Delete("S")], together()) == ["C", "A", "R"]


def test_what_is_no_candidate_was_never_to_leave() -> None:
    assert applied(DROP, together(candidates=frozenset("AS"))) == ["C", "R", "T", "S"]


def test_scores_that_depend_on_no_other_span_bind_nothing_together() -> None:
    assert applied(DROP, asked(scoring=Scoring({**SCORED, "R": 0.1}))) == ["C", "R", "T", "S"]


def test_an_edit_that_goes_by_no_scores_is_let_through() -> None:
    assert applied(DROP, asked(scoring=None)) == ["C", "R", "T", "S"]
