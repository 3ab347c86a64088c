"""`audited`: an edit is recorded where no edit of the window reaches the record, or it is not made."""

from __future__ import annotations

from selfedit_formal.gate import Apply, MemoryLedger, PlainSpan, Readmit, decide
from tests.runtime.gate.windows import DROP, WINDOW, InWindow, applied, asked, objection, objections


def test_an_edit_without_a_ledger_is_refused() -> None:
    found = objection("audited", DROP, asked(ledger=None))
    assert (found.spans, found.what) == (("A",), "there is no ledger")
    assert found.remedy == "give the gate an append-only ledger outside the window"


def test_a_ledger_that_is_in_the_window_is_none() -> None:
    found = objection("audited", DROP, asked(ledger=InWindow()))
    assert (found.spans, found.what) == (("A",), "the ledger is kept in the window itself")


def test_what_comes_in_needs_a_record_as_much_as_what_leaves() -> None:
    (found,) = objections([Readmit(PlainSpan("N", "news", "note"))], asked(ledger=None))
    assert (found.rule, found.spans) == ("audited", ())


def test_an_edit_is_applied_if_there_is_a_ledger_outside() -> None:
    assert applied(DROP, asked(ledger=MemoryLedger())) == ["C", "R", "T", "S"]


def test_what_changes_nothing_needs_no_ledger() -> None:
    assert isinstance(decide(WINDOW, asked(ledger=InWindow()), output=WINDOW), Apply)
