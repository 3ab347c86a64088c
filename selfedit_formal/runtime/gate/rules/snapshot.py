"""Refuses a policy that changes the spans it is shown, which no snapshot survives."""

from __future__ import annotations

from selfedit_formal.runtime.gate.proposal import Proposal
from selfedit_formal.runtime.gate.rules import Concern, named

RECORD = "R1"
PROMISE = ""


def refuse(proposal: Proposal) -> Concern | None:
    """Every rewrite is preceded by a content-addressed snapshot."""
    hit = proposal.altered
    if not hit:
        return None
    return Concern(
        hit,
        f"the policy changed {named(hit)} in place",
        "have the policy return new spans, and restore those of the window from where they came from",
    )
