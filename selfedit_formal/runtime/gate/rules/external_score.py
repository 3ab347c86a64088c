"""Refuses to evict by relevance what has no score."""

from __future__ import annotations

from selfedit_formal.runtime.gate.proposal import Proposal
from selfedit_formal.runtime.gate.rules import Concern, named

RECORD = "R2"
PROMISE = "records/r2_control_set/by_relevance"


def refuse(proposal: Proposal) -> Concern | None:
    """No external score; co-scoring order is undefined."""
    scoring = proposal.terms.scoring
    hit = () if scoring is None else tuple(s for s in proposal.lost if scoring.scores.get(s) is None)
    if not hit:
        return None
    return Concern(hit, f"{named(hit)} leaves by relevance and has no score", "score it from outside, or keep it")
