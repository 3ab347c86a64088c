"""`self_scoring`: scores are not made from themselves."""

from __future__ import annotations

from selfedit_formal.gate import Refuse, Scoring, decide
from tests.runtime.gate.windows import DROP, SCORED, WINDOW, applied, asked, objection


def test_an_edit_whose_scorer_read_its_own_scores_is_refused() -> None:
    found = objection("self_scoring", DROP, asked(scoring=Scoring(SCORED, feeds_back=True)))
    assert (found.spans, found.what) == ((), "the scorer read its own scores in the call that made them")
    assert found.remedy == "score against the query alone"


def test_it_is_refused_though_it_changes_nothing() -> None:
    assert isinstance(decide(WINDOW, asked(scoring=Scoring({}, feeds_back=True)), output=WINDOW), Refuse)


def test_a_scorer_that_does_not_is_let_through() -> None:
    assert applied(DROP, asked(scoring=Scoring(SCORED))) == ["C", "R", "T", "S"]
