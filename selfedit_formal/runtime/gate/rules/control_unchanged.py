"""Refuses to prune or rewrite what binds the agent."""

from __future__ import annotations

from selfedit_formal.runtime.gate.proposal import Proposal
from selfedit_formal.runtime.gate.rules import Concern, named

RECORD = "R0"
PROMISE = "properties/control_unchanged"


def refuse(proposal: Proposal) -> Concern | None:
    """The candidate span is tagged `constraint` or `instruction`."""
    control = set(proposal.control)
    hit = tuple(s for s in proposal.changed if s in control)
    if not hit:
        return None
    return Concern(
        hit,
        f"{named(hit)} binds the agent: it may be moved, not pruned, rewritten or paraphrased",
        "leave it out of the plan; only the supervisor may change the control set",
    )
