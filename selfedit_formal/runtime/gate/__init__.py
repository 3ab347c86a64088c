"""The refusal gate, for use at run time: an edit of a window is applied and recorded, or refused and escalated.

Needs neither the solver nor the parser. `spec/gate.md` has every rule.
"""

from __future__ import annotations

from selfedit_formal.runtime.gate.decision import Apply, Objection, Refuse, decide, examine, override
from selfedit_formal.runtime.gate.ledger import (
    Broken,
    Entry,
    Intact,
    Ledger,
    Overtaken,
    Receipt,
    Tombstone,
    Tombstones,
    Unwritten,
)
from selfedit_formal.runtime.gate.memory import MemoryLedger
from selfedit_formal.runtime.gate.plan import Delete, Edit, Merge, Move, Readmit, Rewrite
from selfedit_formal.runtime.gate.proposal import Control, Proposal, Scoring, Terms
from selfedit_formal.runtime.gate.rules import Rule, rules
from selfedit_formal.runtime.gate.spans import LiveSpan, PlainSpan, content_key, digest, spans_of
from selfedit_formal.runtime.gate.sqlite import SqliteLedger

__all__ = [
    "Apply",
    "Broken",
    "Control",
    "Delete",
    "Edit",
    "Entry",
    "Intact",
    "Ledger",
    "LiveSpan",
    "MemoryLedger",
    "Merge",
    "Move",
    "Objection",
    "Overtaken",
    "PlainSpan",
    "Proposal",
    "Readmit",
    "Receipt",
    "Refuse",
    "Rewrite",
    "Rule",
    "Scoring",
    "SqliteLedger",
    "Terms",
    "Tombstone",
    "Tombstones",
    "Unwritten",
    "content_key",
    "decide",
    "digest",
    "examine",
    "override",
    "rules",
    "spans_of",
]
