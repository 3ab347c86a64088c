"""`sequence_survives`: what means what it means by where it stands is neither merged nor rewritten."""

from __future__ import annotations

from dataclasses import replace

from selfedit_formal.gate import Delete, Merge, PlainSpan, Rewrite
from tests.runtime.gate.windows import RULE, WINDOW, applied, asked, objection, objections

BEFORE = PlainSpan("P", "before", "note", 5, {"precedes": ("Q",)})
AFTER = PlainSpan("Q", "after", "note", 5)
ASIDE = PlainSpan("N", "aside", "note", 5)
SEQUENCE = (RULE, BEFORE, AFTER, ASIDE, PlainSpan("O", "aside_too", "note", 5))
BOTH = PlainSpan("M", "both", "summary", 4)


def test_what_comes_before_and_after_something_is_not_merged() -> None:
    found = objection("sequence_survives", [Merge(("P", "Q"), BOTH)], asked(), SEQUENCE)
    assert (found.spans, found.what) == (("P", "Q"), "the order of `P`, `Q` to other spans would be lost")
    assert found.remedy == "leave apart what comes before and after something else; merge neighbours only"


def test_neither_of_them_is_rewritten() -> None:
    for span in (BEFORE, AFTER):
        plan = [Rewrite(span.id, replace(span, content="shorter"))]
        (found,) = objections(plan, asked(), SEQUENCE)
        assert (found.rule, found.spans) == ("sequence_survives", (span.id,))


def test_neighbours_without_a_sequence_may_be_merged() -> None:
    assert applied([Merge(("N", "O"), BOTH)], asked(), SEQUENCE) == ["C", "P", "Q", "M"]


def test_nothing_is_merged_past_a_span_that_stays() -> None:
    window = (ASIDE, *WINDOW)
    assert objection("sequence_survives", [Merge(("N", "T"), BOTH)], asked(), window).spans == ("T",)
    assert applied([Merge(("T", "S"), BOTH)], asked(), window) == ["N", "C", "A", "R", "M"]


def test_spans_to_which_order_means_nothing_are_no_hindrance() -> None:
    free = asked(order_free=frozenset({"tool_output", "rationale"}))
    assert applied([Merge(("N", "T"), BOTH)], free, (ASIDE, *WINDOW[:-1])) == ["M", "C", "A", "R"]


def test_one_of_a_sequence_may_leave() -> None:
    assert applied([Delete("Q")], asked(), SEQUENCE) == ["C", "P", "N", "O"]


def test_what_came_before_something_that_is_not_in_the_window_may_be_rewritten() -> None:
    assert applied([Rewrite("P", replace(BEFORE, content="shorter"))], asked(), (RULE, BEFORE)) == ["C", "P"]
