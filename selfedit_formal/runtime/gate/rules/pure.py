"""Refuses a rewrite by a policy that answers the same window in two ways."""

from __future__ import annotations

from selfedit_formal.runtime.gate.proposal import Proposal
from selfedit_formal.runtime.gate.rules import Concern, named

RECORD = "R1"
PROMISE = "properties/pure"
FREEZES = True


def refuse(proposal: Proposal) -> Concern | None:
    """The rewrite policy must be a pure function of the window's content."""
    hit = proposal.disagreeing
    if not hit:
        return None
    return Concern(
        hit,
        f"two runs of the policy on the same output differ in {named(hit)}",
        "keep the snapshot, and have the policy decide from the window alone",
    )
