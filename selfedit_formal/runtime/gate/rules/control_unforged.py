"""Refuses an editor that puts in, or makes of another span, what is to bind it."""

from __future__ import annotations

from selfedit_formal.runtime.gate.proposal import Proposal
from selfedit_formal.runtime.gate.rules import Concern, named

RECORD = "R2"
PROMISE = ""


def refuse(proposal: Proposal) -> Concern | None:
    """The boundary is crossed when the pruner's input set intersects its own control set."""
    control = proposal.terms.control
    hit = tuple(
        s
        for s in (*proposal.added, *proposal.rewritten)
        if control.has(s, proposal.after[s]) and (s not in proposal.before or not control.has(s, proposal.before[s]))
    )
    if not hit:
        return None
    return Concern(
        hit,
        f"{named(hit)} would bind the agent, and the editor wrote it",
        "only the user or the supervisor adds to the control set",
    )
