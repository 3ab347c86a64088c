"""`tombstones_stay`: a tombstone that stands in the window stays as it is."""

from __future__ import annotations

from dataclasses import replace

from selfedit_formal.gate import Delete, Move, PlainSpan, Rewrite
from tests.runtime.gate.windows import WINDOW, applied, asked, objection

STONE = PlainSpan("X", "describe_pod", "tombstone", 3)
SHOWN = (*WINDOW[:1], *WINDOW[2:], STONE)


def test_a_tombstone_is_neither_pruned_nor_rewritten() -> None:
    for edit in (Delete("X"), Rewrite("X", replace(STONE, content="nothing"))):
        found = objection("tombstones_stay", [edit], asked(), SHOWN)
        assert (found.spans, found.what, found.remedy) == (
            ("X",),
            "`X` is a tombstone",
            "leave tombstones out of the plan",
        )


def test_a_tombstone_does_not_lose_its_tag_and_then_leave() -> None:
    assert objection("tombstones_stay", [Rewrite("X", replace(STONE, tag="note"))], asked(), SHOWN).spans == ("X",)


def test_everything_else_may_leave() -> None:
    assert applied([Delete("T"), Delete("S")], asked(), SHOWN) == ["C", "R", "X"]


def test_a_tombstone_may_be_moved_where_order_means_nothing_to_it() -> None:
    free = asked(order_free=frozenset({"tombstone"}))
    assert applied([Move(("X",), "front")], free, SHOWN) == ["X", "C", "R", "T", "S"]
