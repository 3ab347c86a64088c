"""`grounded`: somebody knows what governs the edits, in the window or outside."""

from __future__ import annotations

from selfedit_formal.gate import Apply, Control, decide
from tests.runtime.gate.windows import DROP, WINDOW, applied, asked, objection

NOTHING = Control(tags=frozenset())


def test_an_edit_that_nothing_is_known_to_govern_is_refused() -> None:
    found = objection("grounded", DROP, asked(control=NOTHING))
    assert (found.spans, found.what) == ((), "no control set is known, in the window or outside")
    assert found.remedy == "name the control set: its tags, its ids, or what is held outside the window"


def test_tags_that_no_span_of_the_window_has_ground_nothing() -> None:
    assert objection("grounded", DROP, asked(), WINDOW[1:]).spans == ()


def test_a_control_set_may_be_held_outside() -> None:
    outside = Control(tags=frozenset(), outside=frozenset({"policy"}))
    assert applied(DROP, asked(control=outside)) == ["C", "R", "T", "S"]


def test_one_span_that_binds_the_agent_is_enough() -> None:
    assert applied(DROP, asked(control=Control(tags=frozenset(), ids=frozenset("R")))) == ["C", "R", "T", "S"]


def test_what_changes_nothing_needs_no_ground() -> None:
    assert isinstance(decide(WINDOW, asked(control=NOTHING), output=WINDOW), Apply)
