"""`recoverable`: nothing leaves of which nobody has a copy."""

from __future__ import annotations

from dataclasses import replace

from selfedit_formal.gate import Delete, Merge, PlainSpan
from tests.runtime.gate.windows import DROP, DUMP, WINDOW, applied, asked, objection


def test_what_could_not_be_had_back_does_not_leave() -> None:
    found = objection("recoverable", DROP, asked(recoverable={"trace"}))
    assert (found.spans, found.what) == (("A",), "`A` could not be had back")
    assert found.remedy == "store it outside the window first, and ask again"


def test_what_is_merged_leaves_too() -> None:
    plan = [Merge(("A", "R"), PlainSpan("M", "both", "summary", 9))]
    assert objection("recoverable", plan, asked(recoverable={"describe_pod"})).spans == ("R",)


def test_what_is_stored_elsewhere_may_leave() -> None:
    assert applied(DROP, asked(recoverable={"describe_pod"})) == ["C", "R", "T", "S"]


def test_what_another_span_still_says_may_leave() -> None:
    window = (*WINDOW, replace(DUMP, id="B"))
    assert applied(DROP, asked(recoverable=()), window) == ["C", "R", "T", "S", "B"]
    assert objection("recoverable", [*DROP, Delete("B")], asked(recoverable=()), window).spans == ("A", "B")


def test_where_nobody_knows_what_can_be_had_back_it_is_no_matter() -> None:
    assert applied(DROP, asked(recoverable=None)) == ["C", "R", "T", "S"]
