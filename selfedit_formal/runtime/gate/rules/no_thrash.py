"""Refuses to prune again what was pruned before and came back around the gate."""

from __future__ import annotations

from selfedit_formal.runtime.gate.proposal import Proposal
from selfedit_formal.runtime.gate.rules import Concern, named

RECORD = "R0"
PROMISE = "properties/no_thrash"


def refuse(proposal: Proposal) -> Concern | None:
    """A prior tombstone for the same content hash exists and no override is recorded."""
    standing = {c for c, t in proposal.pruned.items() if not t.lifted}
    hit = tuple(s for s in proposal.lost if proposal.before[s][0] in standing)
    if not hit:
        return None
    stone = proposal.pruned[proposal.before[hit[0]][0]]
    return Concern(
        hit,
        f"{named(hit)} was pruned at turn {stone.turn} ({stone.reason}) and came back without an override",
        "find out what brings it back; an override for its content, once recorded, lets the edit through",
    )
