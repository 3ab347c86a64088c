"""Refuses to leave a span behind without any of the spans that justified it."""

from __future__ import annotations

from selfedit_formal.runtime.gate.proposal import Proposal
from selfedit_formal.runtime.gate.rules import Concern, named
from selfedit_formal.runtime.gate.spans import JUSTIFIES

RECORD = "R1"
PROMISE = "properties/justified"


def refuse(proposal: Proposal) -> Concern | None:
    """For each retained span, confirm a justification span is present."""
    pairs, still = proposal.pairs(JUSTIFIES), proposal.pairs_after(JUSTIFIES)
    after, changed = proposal.after, set(proposal.changed)
    orphaned = {t for j, t in pairs if j in changed and t in after}
    if orphaned:
        orphaned -= {t for j, t in still if j in after}
    if not orphaned:
        return None
    hit = tuple(s for s in after if s in orphaned)
    lost = tuple(dict.fromkeys(j for j, t in pairs if j in changed and t in orphaned))
    return Concern(
        hit,
        f"{named(hit)} would stay without what justified it: {named(lost)}",
        "keep the snapshot; pin what justifies a span to it, and let both leave together",
        lost,
    )
