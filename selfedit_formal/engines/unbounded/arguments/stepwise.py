"""A promise that implies that what was reached is still reached, and speaks of one step only: whatever links to a span
that is kept is kept.

Along a way that ends in a kept span this goes back, step by step, to where the way begins.
"""

from __future__ import annotations

from dataclasses import replace

from selfedit_formal.core.expression import (
    And,
    Expression,
    Implies,
    Linked,
    Present,
    Reaches,
    SameSpan,
    Some,
    conjunction,
)
from selfedit_formal.core.property import Bound, Obligation
from selfedit_formal.core.traverse import bound, nodes, used
from selfedit_formal.core.window import COVERS


def stepwise(obligation: Obligation) -> Obligation | None:
    """The obligation that each step to a kept span is kept, and what its beginning is with it; None if the promise is
    not that the bound span is still reached, along a link of the input, from a span of that kind."""
    match obligation.claim.bound, obligation.claim.antecedent, obligation.claim.consequent:
        case (Bound(span, after),), Some(start, before, begun), Some(found, there, holds):
            reached, was = _reached(begun, start)
            still, kept = _reached(holds, found)
        case _:
            return None
    if reached is None or still is None or before is None or there != after or reached.link == COVERS:
        return None
    if len({span, start, found}) < (2 if start == found else 3) or not {span, start, found}.isdisjoint(
        obligation.spans
    ):
        return None
    if reached != Reaches(still.link, start, span, before) or still != Reaches(still.link, found, span, after):
        return None
    # Of a span in the middle of the way nothing is known but that it is there, and the windows are the same for each.
    if any(span in _spoken_of(part) for part in (was, kept, before, after)):
        return None
    if any(name in _spoken_of(part) for part in (before, after) for name in (start, found)):
        return None
    same = kept if found == start else Some(found, after, And((SameSpan(found, start), kept)))
    claim = replace(
        obligation.claim,
        bound=(Bound(span, after), Bound(start, before)),
        antecedent=And((Present(span, before), Linked(reached.link, start, span, before))),
        consequent=And((Present(start, after), Implies(was, same))),
    )
    return replace(obligation, claim=claim)


def _reached(item: Expression, start: str) -> tuple[Reaches | None, Expression]:
    """The part that says that the span is reached from the start, if there is one, and the rest."""
    parts = item.items if isinstance(item, And) else (item,)
    ways = [p for p in parts if isinstance(p, Reaches) and p.source == start]
    return (ways[0] if len(ways) == 1 else None), conjunction(tuple(p for p in parts if p not in ways))


def _spoken_of(part: object) -> set[str]:
    """The names of the spans in it."""
    return set().union(*(used(node) | bound(node) for node in nodes(part)))
