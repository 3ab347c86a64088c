"""Refuses to change a span that overlaps the reasons for changing it."""

from __future__ import annotations

from selfedit_formal.runtime.gate.proposal import Proposal
from selfedit_formal.runtime.gate.rules import Concern, named
from selfedit_formal.runtime.gate.spans import OVERLAPS

RECORD = "R0"
PROMISE = "records/r0_reentrancy/overlap_kept"


def refuse(proposal: Proposal) -> Concern | None:
    """The candidate span overlaps the rationale span (edit plan references tokens it is about to delete)."""
    rationale = proposal.terms.rationale
    overlapped = {
        s for pair in proposal.pairs(OVERLAPS) if not rationale.isdisjoint(pair) for s in pair if s not in rationale
    }
    hit = tuple(s for s in proposal.changed if s in overlapped)
    if not hit:
        return None
    return Concern(
        hit,
        f"{named(hit)} overlaps the rationale of the plan",
        "keep the rationale outside the window, in the ledger, and plan again without it",
    )
