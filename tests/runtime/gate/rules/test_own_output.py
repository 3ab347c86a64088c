"""`own_output`: what the editor has just written is not scored by it, unless the ledger knows of it."""

from __future__ import annotations

from selfedit_formal.gate import Scoring
from tests.runtime.gate.windows import DROP, SCORED, SOURCE, applied, asked, objection, pruned

OWN = Scoring(SCORED, own=frozenset("S"))


def test_an_edit_by_scores_of_what_the_editor_itself_wrote_is_refused() -> None:
    found = objection("own_output", DROP, asked(scoring=OWN))
    assert (found.spans, found.what) == (("S",), "`S` was written by the editor, is in no ledger, and was scored")
    assert found.remedy == "make edits through the gate, so that they are recorded, or leave the span unscored"


def test_what_the_ledger_knows_of_may_be_scored() -> None:
    assert applied(DROP, asked(scoring=OWN, ledger=pruned(SOURCE))) == ["C", "R", "T", "S"]


def test_what_the_editor_wrote_and_did_not_score_is_no_matter() -> None:
    assert applied(DROP, asked(scoring=Scoring({"A": 0.1}, own=frozenset("S")))) == ["C", "R", "T", "S"]


def test_what_is_not_in_the_window_is_no_matter() -> None:
    assert applied(DROP, asked(scoring=Scoring({**SCORED, "Z": 0.2}, own=frozenset("Z")))) == ["C", "R", "T", "S"]


def test_an_edit_that_goes_by_no_scores_is_let_through() -> None:
    assert applied(DROP, asked(scoring=None)) == ["C", "R", "T", "S"]
