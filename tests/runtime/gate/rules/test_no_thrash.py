"""`no_thrash`: what was pruned before and came back around the gate is not pruned again."""

from __future__ import annotations

from dataclasses import replace

from selfedit_formal.gate import Merge, PlainSpan
from tests.runtime.gate.windows import DROP, DUMP, RULE, applied, asked, objection, pruned


def test_content_that_was_pruned_before_is_not_pruned_again_without_an_override() -> None:
    found = objection("no_thrash", DROP, asked(ledger=pruned(DUMP)))
    assert (found.spans, found.what) == (("A",), "`A` was pruned at turn 40 (stale) and came back without an override")
    assert (
        found.remedy
        == "find out what brings it back; an override for its content, once recorded, lets the edit through"
    )


def test_it_is_not_merged_away_either() -> None:
    plan = [Merge(("A", "R"), PlainSpan("M", "both", "summary", 9))]
    assert objection("no_thrash", plan, asked(ledger=pruned(DUMP))).spans == ("A",)


def test_after_an_override_it_may_be_pruned() -> None:
    assert applied(DROP, asked(ledger=pruned(DUMP, lifted=True))) == ["C", "R", "T", "S"]


def test_it_is_the_content_that_was_pruned_not_the_id() -> None:
    other = replace(DUMP, content="news")
    assert applied(DROP, asked(ledger=pruned(DUMP)), (RULE, other)) == ["C"]
    assert objection("no_thrash", DROP, asked(ledger=pruned(replace(DUMP, id="A0")))).spans == ("A",)
