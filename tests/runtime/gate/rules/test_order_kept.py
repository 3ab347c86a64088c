"""`order_kept`: spans that stay are not reordered, unless order means nothing to them."""

from __future__ import annotations

from dataclasses import replace

from selfedit_formal.gate import Delete, Move, Terms
from tests.runtime.gate.windows import DUMP, RULE, TRACE, WHY, applied, asked, objection

SPANS = (RULE, DUMP, WHY, TRACE)
BACK = [Move(("A",), "back")]


def free() -> Terms:
    """Terms on which order means nothing but to what binds the agent."""
    return asked(order_free=frozenset({"tool_output", "rationale"}))


def test_a_span_that_stays_does_not_move_past_another() -> None:
    found = objection("order_kept", BACK, asked(), SPANS)
    assert (found.spans, found.what) == (("A",), "`A` would stand in another order to other spans that stay")
    assert found.remedy == "leave the order as it is, or name the tags to which order means nothing"


def test_spans_to_which_order_means_nothing_may_move() -> None:
    assert applied(BACK, asked(order_free=frozenset({"tool_output"})), SPANS) == ["C", "R", "T", "A"]


def test_what_binds_the_agent_may_move() -> None:
    assert applied([Move(("C",), "back")], asked(), SPANS) == ["A", "R", "T", "C"]


def test_a_span_may_move_past_what_leaves() -> None:
    assert applied([Delete("R"), Delete("T"), *BACK], asked(), SPANS) == ["C", "A"]


def test_what_comes_before_something_else_does_so_afterwards_however_free_its_tag() -> None:
    before = replace(DUMP, links={"precedes": ("R",)})
    found = objection("order_kept", BACK, free(), (RULE, before, WHY, TRACE))
    assert found.spans == ("R", "A")
    assert applied([Move(("T",), "front")], free(), (RULE, before, WHY, TRACE)) == ["T", "C", "A", "R"]


def test_what_came_before_something_that_leaves_is_no_longer_bound() -> None:
    before = replace(DUMP, links={"precedes": ("R", "Z")})
    assert applied([Delete("R"), *BACK], free(), (RULE, before, WHY, TRACE)) == ["C", "T", "A"]
