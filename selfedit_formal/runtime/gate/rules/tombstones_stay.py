"""Refuses to prune or rewrite a tombstone that stands in the window."""

from __future__ import annotations

from selfedit_formal.runtime.gate.proposal import Proposal
from selfedit_formal.runtime.gate.rules import Concern, named
from selfedit_formal.runtime.gate.spans import TOMBSTONE

RECORD = "R0"
PROMISE = "properties/tombstoned"


def refuse(proposal: Proposal) -> Concern | None:
    """Every pruned span leaves a non-deletable tombstone (span id, hash, one-line reason, turn number) that survives
    in-window."""
    hit = tuple(s for s in proposal.changed if proposal.before[s][1] == TOMBSTONE)
    if not hit:
        return None
    return Concern(hit, f"{named(hit)} is a tombstone", "leave tombstones out of the plan")
