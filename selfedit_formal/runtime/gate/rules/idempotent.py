"""Refuses a rewrite that the policy would not leave alone."""

from __future__ import annotations

from selfedit_formal.runtime.gate.proposal import Proposal
from selfedit_formal.runtime.gate.rules import Concern, named

RECORD = "R1"
PROMISE = "properties/idempotent"
FREEZES = True


def refuse(proposal: Proposal) -> Concern | None:
    """The policy is run twice on the candidate output; if the second run is not a no-op, the rewrite is rejected and
    the snapshot restored."""
    hit = next((changed for changed in proposal.trials if changed), ())
    if not hit:
        return None
    return Concern(
        hit,
        f"run again on its own output, the policy changes {named(hit)}",
        "keep the snapshot, and freeze the policy until it leaves its own output alone",
    )
