"""Refuses an edit whose tombstones would be in what is edited."""

from __future__ import annotations

from selfedit_formal.runtime.gate.proposal import Proposal
from selfedit_formal.runtime.gate.rules import Concern

RECORD = "R0"
PROMISE = "properties/ledger_outside"


def refuse(proposal: Proposal) -> Concern | None:
    """The editor cannot write a tombstone because the tombstone store is the window itself."""
    store = proposal.terms.tombstones
    if not proposal.changes or store is None or store.outside:
        return None
    return Concern((), "the tombstones are kept in the window itself", "keep them in a ledger outside the window")
