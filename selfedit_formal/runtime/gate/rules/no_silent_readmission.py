"""Refuses to let pruned content back in without an override."""

from __future__ import annotations

from selfedit_formal.runtime.gate.proposal import Proposal
from selfedit_formal.runtime.gate.rules import Concern, named

RECORD = "R0"
PROMISE = "properties/no_silent_readmission"


def refuse(proposal: Proposal) -> Concern | None:
    """Re-admission of a tombstoned span requires an explicit override turn, not a silent retrieval."""
    standing = {c for c, t in proposal.pruned.items() if not t.lifted}
    hit = tuple(s for s in (*proposal.added, *proposal.rewritten) if proposal.after[s][0] in standing)
    if not hit:
        return None
    stone = proposal.pruned[proposal.after[hit[0]][0]]
    return Concern(
        hit,
        f"{named(hit)} was pruned at turn {stone.turn} ({stone.reason}) and would come back silently",
        "believe the tombstone, or have an override recorded for its content",
    )
