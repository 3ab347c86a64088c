"""Refuses an edit that nothing outside the window would record."""

from __future__ import annotations

from selfedit_formal.runtime.gate.proposal import Proposal
from selfedit_formal.runtime.gate.rules import Concern

RECORD = "R2"
PROMISE = "properties/audited"


def refuse(proposal: Proposal) -> Concern | None:
    """There is no external, append-only audit of evictions."""
    ledger = proposal.terms.ledger
    if not proposal.changes or (ledger is not None and ledger.outside):
        return None
    where = "there is no ledger" if ledger is None else "the ledger is kept in the window itself"
    return Concern(proposal.lost, where, "give the gate an append-only ledger outside the window")
