"""`control_unchanged`: what binds the agent may be moved, and nothing else."""

from __future__ import annotations

from dataclasses import replace

from selfedit_formal.gate import Control, Delete, Move, Rewrite
from tests.runtime.gate.windows import RULE, WINDOW, applied, asked, objection


def test_a_constraint_is_neither_pruned_nor_paraphrased() -> None:
    for edit in (Delete("C"), Rewrite("C", replace(RULE, content="avoid_system_config"))):
        found = objection("control_unchanged", [edit], asked())
        assert found.spans == ("C",)
        assert found.what == "`C` binds the agent: it may be moved, not pruned, rewritten or paraphrased"


def test_a_constraint_may_be_moved() -> None:
    assert applied([Move(("C",), "back")], asked()) == ["A", "R", "T", "S", "C"]


def test_a_constraint_that_says_the_same_as_a_new_object_is_unchanged() -> None:
    assert applied([Rewrite("C", replace(RULE))], asked()) == [s.id for s in WINDOW]


def test_the_terms_say_what_else_binds_the_agent_and_what_does_not() -> None:
    assert objection("control_unchanged", [Delete("A")], asked(control=Control(ids=frozenset("A")))).spans == ("A",)
    elsewhere = Control(tags=frozenset(), outside=frozenset({"policy"}))
    assert applied([Delete("C")], asked(control=elsewhere)) == ["A", "R", "T", "S"]
