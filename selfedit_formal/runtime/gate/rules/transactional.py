"""Refuses to part candidates that were scored together."""

from __future__ import annotations

from selfedit_formal.runtime.gate.proposal import Proposal
from selfedit_formal.runtime.gate.rules import Concern, named

RECORD = "R2"
PROMISE = "properties/transactional"


def refuse(proposal: Proposal) -> Concern | None:
    """If the relevance score for any entry in `P` depends on the presence of another entry in `P` (co-scoring),
    eviction must be transactional."""
    scoring = proposal.terms.scoring
    if scoring is None or not scoring.depends:
        return None
    given, before = proposal.terms.candidates, proposal.before
    prunable = given if given is not None else {*scoring.scores, *proposal.changed}
    gone = set(proposal.lost)
    parted = {
        span
        for one, others in scoring.depends.items()
        if one in prunable and one in before
        for other in others
        if other in prunable and other in before and (one in gone) != (other in gone)
        for span in (one, other)
    }
    if not parted:
        return None
    hit = tuple(s for s in before if s in parted)
    return Concern(
        hit, f"of {named(hit)}, which were scored together, some leave and some stay", "keep all of them, or prune all"
    )
