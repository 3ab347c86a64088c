"""Z3 on windows of every length up to a bound, from the empty one up: the first case found is a shortest one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from time import monotonic

import z3

from selfedit_formal.engines import Answer, Found, GaveUp, Limits, NoneFound
from selfedit_formal.property import Obligation
from selfedit_formal.semantics.symbolic import Encoding, encode
from selfedit_formal.semantics.symbolic.encoding import query

OUT_OF_TIME = "out of time"


@dataclass(frozen=True, slots=True)
class Bounded:
    """One query for each length (for each pair of lengths where a claim speaks of two windows, smallest sums first)."""

    name: str = "bounded"

    def solve(self, obligation: Obligation, limits: Limits) -> Answer:
        """The obligation's own `within` comes before the limits'; `limits.seconds` are for all lengths together."""
        within = limits.within if obligation.within is None else obligation.within
        end = None if limits.seconds is None else monotonic() + limits.seconds
        done = -1
        for sizes in lengths(obligation, within):
            free = sizes if obligation.fixed is None else sizes[1:]
            if max(free, default=0) > done + 1:
                done = max(free) - 1
            encoding = encode(obligation, sizes)
            found = _check(encoding, end)
            if isinstance(found, str):
                at = f"at {' + '.join(map(str, sizes))} span{'' if sizes == (1,) else 's'}"
                return GaveUp(f"{found} {at}", max(done, 0), query(encoding))
            if found is not None:
                return Found(encoding.decode(found), sum(sizes))
        return NoneFound(within, complete=obligation.fixed is not None and len(obligation.claim.inputs) == 1)


def lengths(obligation: Obligation, within: int) -> Iterator[tuple[int, ...]]:
    """The lengths of the claim's input windows, smallest sums first; a written-out window has its own."""
    fixed = () if obligation.fixed is None else (len(obligation.fixed.spans),)
    free = len(obligation.claim.inputs) - len(fixed)
    for sizes in sorted(product(range(within + 1), repeat=free), key=lambda sizes: (sum(sizes), sizes)):
        yield (*fixed, *sizes)


def _check(encoding: Encoding, end: float | None) -> z3.ModelRef | str | None:
    """A model; None if there is none; why there is no answer."""
    if any(truth is False for truth in encoding.truths):
        return None
    # Z3's plain core. What its default strategy does first (flattening sums and thresholds that were shared on purpose)
    # takes ten times as long as answering; it is asked where the plain core has no method, as for products.
    for solver in (z3.SimpleSolver(), z3.Solver()):
        left = None if end is None else end - monotonic()
        if left is not None and left <= 0:
            return OUT_OF_TIME
        if left is not None:
            solver.set("timeout", max(1, int(left * 1000)))
        solver.add(encoding.constraints)
        answer = solver.check()
        if answer == z3.sat:
            return solver.model()
        if answer == z3.unsat:
            return None
        reason = solver.reason_unknown()
        if reason in ("timeout", "canceled"):
            return OUT_OF_TIME
    return f"Z3 gave up ({reason})"
