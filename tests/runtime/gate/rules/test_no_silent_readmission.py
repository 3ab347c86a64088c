"""`no_silent_readmission`: what was pruned comes back after an override, and not without."""

from __future__ import annotations

from dataclasses import replace

from selfedit_formal.gate import PlainSpan, Readmit, Rewrite
from tests.runtime.gate.windows import DUMP, RULE, WHY, applied, asked, objection, objections, pruned

REST = (RULE, WHY)


def test_pruned_content_does_not_come_back_without_an_override() -> None:
    found = objection("no_silent_readmission", [Readmit(DUMP)], asked(ledger=pruned(DUMP)), REST)
    assert (found.spans, found.what) == (("A",), "`A` was pruned at turn 40 (stale) and would come back silently")
    assert found.remedy == "believe the tombstone, or have an override recorded for its content"


def test_it_is_the_content_that_was_pruned_not_the_id() -> None:
    plan = [Readmit(replace(DUMP, id="A2"))]
    assert objection("no_silent_readmission", plan, asked(ledger=pruned(DUMP)), REST).spans == ("A2",)
    assert applied([Readmit(replace(DUMP, content="news"))], asked(ledger=pruned(DUMP)), REST) == ["C", "R", "A"]


def test_rewriting_a_span_into_what_was_pruned_is_a_readmission() -> None:
    plan = [Rewrite("R", PlainSpan("R", "describe_pod", "rationale"))]
    assert [o.rule for o in objections(plan, asked(ledger=pruned(DUMP)), REST)] == ["no_silent_readmission"]


def test_after_an_override_it_comes_back() -> None:
    assert applied([Readmit(DUMP)], asked(ledger=pruned(DUMP, lifted=True)), REST) == ["C", "R", "A"]


def test_tombstones_beside_the_ledger_are_the_ones_that_count() -> None:
    terms = asked(ledger=pruned(DUMP), tombstones=pruned(WHY))
    assert applied([Readmit(DUMP)], terms, REST) == ["C", "R", "A"]
