"""`authorised`: an editor that may not edit gets no edit through."""

from __future__ import annotations

from selfedit_formal.gate import Delete, Refuse, decide
from tests.runtime.gate.windows import DROP, WINDOW, applied, asked, objection, objections


def test_an_editor_that_may_not_edit_is_refused_and_sent_to_the_supervisor() -> None:
    found = objection("authorised", DROP, asked(authorised=False))
    assert (found.spans, found.what) == ((), "the editor is not authorised to edit this window")
    assert found.remedy == "give the plan to the supervisor"
    assert found.sentence.startswith("Editor is not authorized to mutate its own window")


def test_it_is_refused_even_what_changes_nothing() -> None:
    assert isinstance(decide(WINDOW, asked(authorised=False), output=WINDOW), Refuse)


def test_it_is_told_of_a_plan_that_does_not_fit_besides() -> None:
    found = objections([Delete("Z")], asked(authorised=False))
    assert [o.rule for o in found] == ["authorised", "plan_fits"]


def test_an_editor_that_may_edit_does() -> None:
    assert applied(DROP, asked(authorised=True)) == ["C", "R", "T", "S"]
