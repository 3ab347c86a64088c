"""Refuses to destroy what nobody has a copy of."""

from __future__ import annotations

from selfedit_formal.runtime.gate.proposal import Proposal, still_said
from selfedit_formal.runtime.gate.rules import Concern, named

RECORD = "R2"
PROMISE = "properties/audited"


def refuse(proposal: Proposal) -> Concern | None:
    """If a pruned entry cannot be recovered from outside the buffer, the prune is irreversible and must be gated."""
    kept, before = proposal.terms.recoverable, proposal.before
    if kept is None:
        return None
    staying = still_said(proposal)
    hit = tuple(s for s in proposal.lost if before[s][0] not in staying and before[s][0] not in kept)
    if not hit:
        return None
    return Concern(hit, f"{named(hit)} could not be had back", "store it outside the window first, and ask again")
