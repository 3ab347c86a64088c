"""Refuses an edit for which what binds the agent was scored."""

from __future__ import annotations

from selfedit_formal.runtime.gate.proposal import Proposal
from selfedit_formal.runtime.gate.rules import Concern, named

RECORD = "R0"
PROMISE = "properties/control_unscored"


def refuse(proposal: Proposal) -> Concern | None:
    """Spans tagged as constraints, instructions, or user-stated invariants are excluded from rewrite and from
    relevance re-ranking. They may be *moved* but not *paraphrased* or *scored*."""
    scoring = proposal.terms.scoring
    hit = tuple(s for s in proposal.control if scoring is not None and s in scoring.scores)
    if not hit:
        return None
    return Concern(
        hit,
        f"{named(hit)} binds the agent and was scored",
        "take the control set out of what is scored, and plan again",
    )
