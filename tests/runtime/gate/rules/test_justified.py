"""`justified`: no span stays of which all that justified it leaves."""

from __future__ import annotations

from dataclasses import replace

from selfedit_formal.gate import Delete, Merge, PlainSpan, Rewrite, content_key
from tests.runtime.gate.windows import DUMP, TRACE, WHY, WINDOW, applied, asked, objection


def test_a_span_does_not_stay_without_what_justified_it() -> None:
    found = objection("justified", [Delete("T")], asked())
    assert (found.spans, found.lost) == (("S",), ("T",))
    assert found.what == "`S` would stay without what justified it: `T`"
    assert found.remedy == "keep the snapshot; pin what justifies a span to it, and let both leave together"


def test_only_what_those_that_stay_are_in_want_of_is_named() -> None:
    window = tuple(replace(s, links={"justifies": ("R",)}) if s is DUMP else s for s in WINDOW)
    found = objection("justified", [Delete("A"), Delete("R"), Delete("T")], asked(), window)
    assert (found.spans, found.lost) == (("S",), ("T",))


def test_both_may_leave_together() -> None:
    assert applied([Delete("T"), Delete("S")], asked()) == ["C", "A", "R"]


def test_one_justification_of_several_is_enough() -> None:
    window = tuple(replace(s, links={"justifies": ("S",)}) if s is DUMP else s for s in WINDOW)
    assert applied([Delete("T")], asked(), window) == ["C", "A", "R", "S"]


def test_a_new_span_may_take_over() -> None:
    note = PlainSpan("M", "condensed", "summary", 9, {"justifies": ("S",)})
    assert applied([Merge(("T",), note)], asked()) == ["C", "A", "R", "M", "S"]


def test_what_nothing_justified_in_the_first_place_may_stay() -> None:
    assert applied([Delete("A")], asked()) == ["C", "R", "T", "S"]


def test_a_rewritten_span_justifies_what_it_points_at_now() -> None:
    assert applied([Rewrite("T", replace(TRACE, content="shorter"))], asked()) == [s.id for s in WINDOW]
    for forgetful in (replace(TRACE, content="shorter", links={}), replace(TRACE, links={})):
        found = objection("justified", [Rewrite("T", forgetful)], asked())
        assert (found.spans, found.lost) == (("S",), ("T",))


def test_a_span_that_says_nothing_any_more_justifies_nothing() -> None:
    found = objection("justified", [Rewrite("T", replace(TRACE, content=content_key("")))], asked())
    assert (found.spans, found.lost) == (("S",), ("T",))


def test_what_another_span_justifies_instead_may_lose_the_first() -> None:
    other = replace(WHY, links={"justifies": ("S",)})
    assert applied([Rewrite("R", other), Delete("T")], asked()) == ["C", "A", "R", "S"]
