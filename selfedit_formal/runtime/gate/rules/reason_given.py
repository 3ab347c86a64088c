"""Refuses an edit whose tombstones would not say why."""

from __future__ import annotations

from selfedit_formal.runtime.gate.ledger import is_reason
from selfedit_formal.runtime.gate.proposal import Proposal
from selfedit_formal.runtime.gate.rules import Concern

RECORD = "R0"
PROMISE = "properties/tombstoned"


def refuse(proposal: Proposal) -> Concern | None:
    """Every pruned span leaves a non-deletable tombstone (span id, hash, one-line reason, turn number) that survives
    in-window."""
    if not proposal.changes or is_reason(proposal.terms.reason):
        return None
    return Concern((), "the edit has no reason of one line", "say in one line why, and ask again")
