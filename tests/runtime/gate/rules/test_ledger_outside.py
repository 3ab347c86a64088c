"""`ledger_outside`: the tombstones are not kept in what is edited."""

from __future__ import annotations

from selfedit_formal.gate import Apply, MemoryLedger, decide
from tests.runtime.gate.windows import DROP, WINDOW, InWindow, applied, asked, objection, objections


def test_tombstones_in_the_window_are_refused() -> None:
    found = objection("ledger_outside", DROP, asked(tombstones=InWindow()))
    assert (found.spans, found.what) == ((), "the tombstones are kept in the window itself")
    assert found.remedy == "keep them in a ledger outside the window"


def test_tombstones_outside_are_let_through() -> None:
    assert applied(DROP, asked(tombstones=MemoryLedger())) == ["C", "R", "T", "S"]


def test_a_ledger_in_the_window_is_for_another_rule_to_refuse() -> None:
    assert [o.rule for o in objections(DROP, asked(ledger=InWindow()))] == ["audited"]


def test_what_changes_nothing_lays_no_tombstone() -> None:
    assert isinstance(decide(WINDOW, asked(tombstones=InWindow()), output=WINDOW), Apply)
