"""`keeps_rationale`: a plan does not drop or rewrite its own reasons."""

from __future__ import annotations

from dataclasses import replace

from selfedit_formal.gate import Delete, Move, Rewrite, Terms
from tests.runtime.gate.windows import DROP, WHY, applied, asked, objection


def argued() -> Terms:
    """Terms of an edit for which the rationale of the window argues."""
    return asked(rationale=frozenset("R"))


def test_a_plan_neither_drops_nor_rewrites_its_own_reasons() -> None:
    for edit in (Delete("R"), Rewrite("R", replace(WHY, content="because"))):
        found = objection("keeps_rationale", [*DROP, edit], argued())
        assert (found.spans, found.what) == (("R",), "the plan would prune its own rationale `R`")
        assert found.remedy == "leave the rationale in the window, or keep it in the ledger and plan again"


def test_a_plan_that_leaves_its_reasons_is_let_through() -> None:
    assert applied(DROP, argued()) == ["C", "R", "T", "S"]


def test_reasons_may_be_moved() -> None:
    free = asked(rationale=frozenset("R"), order_free=frozenset({"rationale"}))
    assert applied([Move(("R",), "front")], free) == ["R", "C", "A", "T", "S"]


def test_the_reasons_of_another_plan_may_leave() -> None:
    assert applied([Delete("R")], asked(rationale=frozenset("S"))) == ["C", "A", "T", "S"]


def test_reasons_that_are_not_in_the_window_are_safe() -> None:
    assert applied(DROP, asked(rationale=frozenset({"elsewhere"}))) == ["C", "R", "T", "S"]
