"""Refuses a pruner that might have changed the control set, whatever it did change."""

from __future__ import annotations

from selfedit_formal.runtime.gate.proposal import Proposal
from selfedit_formal.runtime.gate.rules import Concern, named

RECORD = "R2"
PROMISE = "properties/control_disjoint"
FREEZES = True


def refuse(proposal: Proposal) -> Concern | None:
    """If `C ∩ P ≠ ∅`, the instance must refuse and escalate to an external orchestrator that holds `C` outside the
    mutable buffer."""
    prunable = set(proposal.changed) | (proposal.terms.candidates or set())
    hit = tuple(s for s in proposal.control if s in prunable)
    if not hit:
        return None
    return Concern(
        hit,
        f"the candidates and the control set meet in {named(hit)}",
        "take the control set out of the candidates, or hold it outside the window",
    )
