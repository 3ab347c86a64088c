"""`control_disjoint`: what governs the edits is not even among what they might have changed."""

from __future__ import annotations

from selfedit_formal.gate import Control, Delete
from tests.runtime.gate.windows import DROP, applied, asked, objection, objections


def test_a_pruner_that_might_have_changed_the_control_set_is_refused_and_frozen() -> None:
    found = objection("control_disjoint", DROP, asked(candidates=frozenset("AC")))
    assert (found.spans, found.what) == (("C",), "the candidates and the control set meet in `C`")
    assert found.freezes


def test_what_is_changed_was_a_candidate_whatever_the_terms_say() -> None:
    found = objections([Delete("C")], asked(candidates=frozenset("A")))
    assert [(o.rule, o.spans) for o in found] == [("control_disjoint", ("C",)), ("control_unchanged", ("C",))]


def test_a_span_is_in_the_control_set_by_its_id_too() -> None:
    terms = asked(candidates=frozenset("AS"), control=Control(ids=frozenset("S")))
    assert objection("control_disjoint", DROP, terms).spans == ("S",)


def test_candidates_apart_from_the_control_set_are_let_through() -> None:
    assert applied(DROP, asked(candidates=frozenset("ATS"))) == ["C", "R", "T", "S"]


def test_a_pruner_that_does_not_say_what_it_might_have_changed_is_judged_by_what_it_did() -> None:
    assert applied(DROP, asked(candidates=None)) == ["C", "R", "T", "S"]
