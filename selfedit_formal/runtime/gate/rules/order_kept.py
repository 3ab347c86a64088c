"""Refuses to reorder spans that stay, unless order means nothing to them."""

from __future__ import annotations

from selfedit_formal.runtime.gate.proposal import Proposal, out_of_place
from selfedit_formal.runtime.gate.rules import Concern, named
from selfedit_formal.runtime.gate.spans import PRECEDES

RECORD = "R2"
PROMISE = "properties/order_kept"


def refuse(proposal: Proposal) -> Concern | None:
    """Merging, reordering, or rewriting entries whose semantics depend on sequence must not be delegated to a
    relevance scorer, which has no ordering model."""
    if not proposal.moved:
        return None
    before, free = proposal.before, proposal.terms.order_free
    control = set(proposal.control)
    bound = [s for s in proposal.after if s in before and s not in control and before[s][1] not in free]
    wrong = set(out_of_place(bound, before))
    places = {s: p for p, s in enumerate(before) if s in proposal.after}
    now = {s: p for p, s in enumerate(proposal.after) if s in before}
    for one, other in proposal.pairs(PRECEDES):
        if one in places and other in places and (places[one] < places[other]) != (now[one] < now[other]):
            wrong |= {one, other}
    if not wrong:
        return None
    hit = tuple(s for s in proposal.after if s in wrong)
    return Concern(
        hit,
        f"{named(hit)} would stand in another order to other spans that stay",
        "leave the order as it is, or name the tags to which order means nothing",
    )
