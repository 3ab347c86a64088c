"""`control_unscored`: no edit goes by scores among which is one of what binds the agent."""

from __future__ import annotations

import pytest

from selfedit_formal.gate import Scoring
from tests.runtime.gate.windows import DROP, SCORED, applied, asked, objection


@pytest.mark.parametrize("score", [0.0, 1.0, None])
def test_an_edit_for_which_a_constraint_was_scored_is_refused_whatever_the_score(score: float | None) -> None:
    found = objection("control_unscored", DROP, asked(scoring=Scoring({**SCORED, "C": score})))
    assert (found.spans, found.what) == (("C",), "`C` binds the agent and was scored")
    assert found.remedy == "take the control set out of what is scored, and plan again"


def test_scores_of_anything_else_are_let_through() -> None:
    assert applied(DROP, asked(scoring=Scoring(SCORED))) == ["C", "R", "T", "S"]


def test_an_edit_that_goes_by_no_scores_is_let_through() -> None:
    assert applied(DROP, asked(scoring=None)) == ["C", "R", "T", "S"]
