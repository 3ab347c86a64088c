"""Refuses to merge or rewrite what means what it means by where it stands."""

from __future__ import annotations

from collections.abc import Iterable

from selfedit_formal.runtime.gate.proposal import Proposal
from selfedit_formal.runtime.gate.rules import Concern, named
from selfedit_formal.runtime.gate.spans import PRECEDES

RECORD = "R2"
PROMISE = "records/r2_control_set/sequence_survives"


def refuse(proposal: Proposal) -> Concern | None:
    """The merge preserved the text but destroyed the ordering, and a downstream invariant check that depended on
    ordering passed vacuously."""
    before = proposal.before
    touched = {*proposal.merged, *proposal.rewritten}
    if not touched:
        return None
    pairs = [pair for pair in proposal.pairs(PRECEDES) if pair[0] in before and pair[1] in before]
    wrong = {s for pair in pairs for s in pair if s in touched} | _astride(proposal)
    if not wrong:
        return None
    hit = tuple(s for s in before if s in wrong)
    return Concern(
        hit,
        f"the order of {named(hit)} to other spans would be lost",
        "leave apart what comes before and after something else; merge neighbours only",
    )


def _astride(proposal: Proposal) -> set[str]:
    """Merged spans that stood on the other side of a span that stays than what they went into stands."""
    if not proposal.merged:
        return set()
    control, free = set(proposal.control), proposal.terms.order_free
    bound = {s for s, r in proposal.before.items() if s in proposal.after and s not in control and r[1] not in free}
    stood = _bound_before(proposal.before, bound)
    stands = _bound_before(proposal.after, bound)
    return {s for s, into in proposal.merged.items() if stood[s] != stands[into]}


def _bound_before(window: Iterable[str], bound: set[str]) -> dict[str, int]:
    """For each span, how many of the bound ones stand before it."""
    numbers: dict[str, int] = {}
    number = 0
    for span in window:
        numbers[span] = number
        number += span in bound
    return numbers
