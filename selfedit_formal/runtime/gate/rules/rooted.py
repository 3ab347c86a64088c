"""Refuses to cut a span that stays off from the grounds it could be traced back to."""

from __future__ import annotations

from collections.abc import Mapping

from selfedit_formal.runtime.gate.proposal import Proposal
from selfedit_formal.runtime.gate.rules import Concern, named
from selfedit_formal.runtime.gate.spans import JUSTIFIES, Record

RECORD = "R1"
PROMISE = "properties/rooted"


def refuse(proposal: Proposal) -> Concern | None:
    """For every retained span, the window must contain a reachable justification span."""
    ground = proposal.terms.ground
    if ground is None:
        return None
    before, after = proposal.before, proposal.after
    reached = _reached(proposal.pairs(JUSTIFIES), before, ground)
    lost = reached & after.keys() - _reached(proposal.pairs_after(JUSTIFIES), after, ground)
    if not lost:
        return None
    hit = tuple(s for s in proposal.after if s in lost)
    return Concern(
        hit,
        f"{named(hit)} would stay, cut off from every ground",
        "keep the snapshot, and one chain of reasons from a ground to each span that stays",
    )


def _reached(
    pairs: tuple[tuple[str, str], ...], window: Mapping[str, Record], ground: frozenset[str]
) -> frozenset[str]:
    """The spans that a ground reaches along the pairs, in one step or more, inside the window."""
    following: dict[str, list[str]] = {}
    for source, target in pairs:
        if source in window and target in window:
            following.setdefault(source, []).append(target)
    reached: set[str] = set()
    ahead = [s for s in following if window[s][1] in ground]
    while ahead:
        for target in following.get(ahead.pop(), ()):
            if target not in reached:
                reached.add(target)
                ahead.append(target)
    return frozenset(reached)
