"""The ledger in memory, beyond what both ledgers do (`test_ledger.py`): safe for threads, and told what was altered."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from selfedit_formal.gate import Broken, Entry, Intact, MemoryLedger, Overtaken, Receipt


def evict(span: str) -> Entry:
    return Entry("evict", span, span.lower(), "stale", 1)


def test_it_is_outside_of_every_window() -> None:
    assert MemoryLedger().outside


def test_an_altered_entry_is_noticed_at_its_position() -> None:
    ledger = MemoryLedger()
    ledger.append([evict("A"), evict("B")])
    ledger._entries[1] = evict("X")
    assert ledger.verify() == Broken(2, "the entry is not the one that was appended")


def test_an_entry_that_was_taken_out_is_noticed() -> None:
    ledger = MemoryLedger()
    ledger.append([evict("A"), evict("B")])
    del ledger._entries[0]
    assert ledger.verify() == Broken(1, "the entry is not the one that was appended")


def test_entries_are_those_of_the_moment_they_were_asked_for() -> None:
    ledger = MemoryLedger()
    ledger.append([evict("A")])
    seen = ledger.entries()
    ledger.append([evict("B")])
    assert [e.span for e in seen] == ["A"]


def test_a_position_that_no_ledger_has_was_never_acknowledged() -> None:
    assert MemoryLedger().verify(Receipt(-1, "")) == Broken(-1, "an acknowledged entry is missing")


def test_of_several_threads_that_append_at_once_each_is_acknowledged_or_told_that_it_was_overtaken() -> None:
    ledger = MemoryLedger()

    def append(number: int) -> Receipt:
        while True:
            head = ledger.head()
            try:
                return ledger.append([evict(f"A{number}"), evict(f"B{number}")], after=head)
            except Overtaken:
                continue

    with ThreadPoolExecutor(4) as threads:
        receipts = list(threads.map(append, range(100)))
    assert sorted(r.position for r in receipts) == list(range(2, 201, 2))
    assert ledger.verify(*receipts) == Intact(ledger.head())
