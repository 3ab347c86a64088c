"""`external_score`: what leaves by relevance has a score from somewhere."""

from __future__ import annotations

import pytest

from selfedit_formal.gate import Merge, PlainSpan, Scoring
from tests.runtime.gate.windows import DROP, SCORED, applied, asked, objection


@pytest.mark.parametrize("scores", [{**SCORED, "A": None}, {"T": 0.4}], ids=["none was given", "it was not scored"])
def test_a_span_without_a_score_does_not_leave_by_relevance(scores: dict[str, float | None]) -> None:
    found = objection("external_score", DROP, asked(scoring=Scoring(scores)))
    assert (found.spans, found.what) == (("A",), "`A` leaves by relevance and has no score")
    assert found.remedy == "score it from outside, or keep it"


def test_what_is_merged_leaves_too() -> None:
    plan = [Merge(("T", "S"), PlainSpan("M", "both", "summary", 9))]
    found = objection("external_score", plan, asked(scoring=Scoring({"A": 0.1, "T": 0.4})))
    assert found.spans == ("S",)


def test_a_score_of_nought_is_a_score() -> None:
    assert applied(DROP, asked(scoring=Scoring({"A": 0.0}))) == ["C", "R", "T", "S"]


def test_what_stays_needs_no_score() -> None:
    assert applied(DROP, asked(scoring=Scoring({"A": 0.1, "T": None}))) == ["C", "R", "T", "S"]


def test_an_edit_that_does_not_go_by_relevance_needs_no_scores() -> None:
    assert applied(DROP, asked(scoring=None)) == ["C", "R", "T", "S"]
