"""Refuses a plan that drops or rewrites its own reasons."""

from __future__ import annotations

from selfedit_formal.runtime.gate.proposal import Proposal
from selfedit_formal.runtime.gate.rules import Concern, named

RECORD = "R0"
PROMISE = "properties/keeps_rationale"


def refuse(proposal: Proposal) -> Concern | None:
    """The plan must not delete the reasoning that produced it."""
    hit = tuple(s for s in proposal.changed if s in proposal.terms.rationale)
    if not hit:
        return None
    return Concern(
        hit,
        f"the plan would prune its own rationale {named(hit)}",
        "leave the rationale in the window, or keep it in the ledger and plan again",
    )
