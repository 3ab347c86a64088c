"""`rooted`: a span that stays is not cut off from the grounds it could be traced back to."""

from __future__ import annotations

from selfedit_formal.gate import Delete, Merge, PlainSpan, Terms
from tests.runtime.gate.windows import RULE, applied, asked, objection, objections

CHAIN = (
    RULE,
    PlainSpan("G", "task", "task", 9, {"justifies": ("J",)}),
    PlainSpan("J", "finding", "note", 9, {"justifies": ("K",)}),
    PlainSpan("L", "rumour", "note", 9, {"justifies": ("K",)}),
    PlainSpan("K", "claim", "note", 9),
)


def from_tasks() -> Terms:
    """Terms of an edit after which what stays can be traced back to a task."""
    return asked(ground=frozenset({"task"}))


def test_a_span_is_not_cut_off_from_its_ground_though_something_else_justifies_it() -> None:
    (found,) = objections([Delete("J")], from_tasks(), CHAIN)
    assert (found.rule, found.spans) == ("rooted", ("K",))
    assert found.what == "`K` would stay, cut off from every ground"
    assert found.remedy == "keep the snapshot, and one chain of reasons from a ground to each span that stays"


def test_without_its_ground_all_of_a_chain_is_cut_off() -> None:
    assert objection("rooted", [Delete("G")], from_tasks(), CHAIN).spans == ("J", "K")


def test_what_leads_to_no_ground_may_leave() -> None:
    assert applied([Delete("L")], from_tasks(), CHAIN) == ["C", "G", "J", "K"]


def test_a_chain_may_leave_from_its_end() -> None:
    assert applied([Delete("J"), Delete("K")], from_tasks(), CHAIN) == ["C", "G", "L"]


def test_a_new_span_may_close_the_gap_if_a_ground_leads_to_it() -> None:
    note = PlainSpan("M", "condensed", "task", 9, {"justifies": ("K",)})
    assert applied([Merge(("J",), note)], from_tasks(), CHAIN) == ["C", "G", "M", "L", "K"]


def test_what_no_ground_ever_reached_is_no_matter() -> None:
    assert applied([Delete("G")], from_tasks(), (*CHAIN[:2], *CHAIN[3:])) == ["C", "L", "K"]


def test_where_nothing_is_to_be_traced_back_it_is_no_matter() -> None:
    assert applied([Delete("J")], asked(ground=None), CHAIN) == ["C", "G", "L", "K"]


def test_reasons_that_go_round_in_a_circle_are_followed_once() -> None:
    circle = PlainSpan("K", "claim", "note", 9, {"justifies": ("J",)})
    assert applied([Delete("L")], from_tasks(), (*CHAIN[:4], circle)) == ["C", "G", "J", "K"]
    assert objection("rooted", [Delete("G")], from_tasks(), (*CHAIN[:4], circle)).spans == ("J", "K")
