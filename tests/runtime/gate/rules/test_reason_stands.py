"""`reason_stands`: pruned content does not come back for a reason that is gone itself."""

from __future__ import annotations

import pytest

from selfedit_formal.gate import Entry, MemoryLedger, PlainSpan, Readmit
from tests.runtime.gate.windows import DUMP, RULE, WHY, applied, asked, objection

REST = (RULE, WHY)


@pytest.fixture
def ledger() -> MemoryLedger:
    """One in which the dump was merged into a note, that note pruned, and the dump asked for again."""
    made = MemoryLedger()
    made.append([Entry("merge", "A", DUMP.content, "condensed", 38, "M"), Entry("evict", "M", "both", "stale", 39)])
    made.append([Entry("override", "", DUMP.content, "asked for", 40)])
    return made


def test_nothing_comes_back_for_a_reason_that_was_pruned(ledger: MemoryLedger) -> None:
    found = objection("reason_stands", [Readmit(DUMP)], asked(ledger=ledger, rationale=frozenset("M")), REST)
    assert (found.spans, found.lost) == (("A",), ("M",))
    assert found.what == "`A` would come back for a reason that is gone: `M`"
    assert found.remedy == "give a reason that is in the window, or was never in it"


def test_it_comes_back_for_a_reason_that_stands(ledger: MemoryLedger) -> None:
    assert applied([Readmit(DUMP)], asked(ledger=ledger, rationale=frozenset("R")), REST) == ["C", "R", "A"]


def test_it_comes_back_for_a_reason_that_was_never_in_the_window(ledger: MemoryLedger) -> None:
    assert applied([Readmit(DUMP)], asked(ledger=ledger, rationale=frozenset("Z")), REST) == ["C", "R", "A"]


def test_what_is_new_may_come_in_for_a_reason_that_is_gone(ledger: MemoryLedger) -> None:
    news = PlainSpan("N", "news", "note")
    assert applied([Readmit(news)], asked(ledger=ledger, rationale=frozenset("M")), REST) == ["C", "R", "N"]


@pytest.mark.parametrize(
    "entry",
    [Entry("rewrite", "Z", "why", "shorter", 40, "because"), Entry("merge", "Y", "why", "condensed", 40, "Z")],
    ids=["it was rewritten", "it was made"],
)
def test_a_reason_of_which_the_ledger_does_not_say_that_it_left_stands(entry: Entry, ledger: MemoryLedger) -> None:
    ledger.append([entry])
    assert applied([Readmit(DUMP)], asked(ledger=ledger, rationale=frozenset("Z")), REST) == ["C", "R", "A"]
