"""Z3 on windows of every length up to a bound, and then on shorter ones until the case found is a shortest one."""

from __future__ import annotations

from collections.abc import Iterator

import z3

from selfedit_formal._frozen import dataclass
from selfedit_formal.core.budget import MILLION, OutOfTime, Work, clock
from selfedit_formal.core.property import Case, Obligation
from selfedit_formal.engines import Answer, Found, GaveUp, Limits, NoneFound
from selfedit_formal.semantics.symbolic import Encoding, encode, query
from selfedit_formal.semantics.symbolic.emit import emit
from selfedit_formal.semantics.symbolic.solver import ask, fresh

ONE_BY_ONE = 3
"""Up to this length each has a query of its own: most cases are found here, in the least time."""

Sizes = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class BoundedRefuter:
    """A query for each of the first lengths, then one for each of a few ranges of lengths.

    Where a claim speaks of several windows, every query is about all lengths of each up to some length.
    """

    name: str = "bounded"

    def solve(self, obligation: Obligation, limits: Limits) -> Answer:
        """The obligation's own `within` comes before the limits'; `limits.search` and `limits.seconds` are for all
        queries together."""
        within = limits.within if obligation.within is None else obligation.within
        work = Work(limits.search * MILLION, clock(limits.seconds))
        done = 0
        for least, most in ranges(obligation, within):
            encoding = encode(obligation, most, least)
            try:
                case = _case(encoding, work)
                if isinstance(case, Case):
                    return _shortest(obligation, case, least, within, work)
            except OutOfTime:
                return GaveUp("out of time", done, overdue=True)
            if case is not None:
                spent = work.left <= 0
                what = f"{limits.search:g} million solver steps were not enough" if spent else case
                return GaveUp(f"{what} at {_lengths(least, most)}", done, query(encoding), spent=spent)
            done = max(most[obligation.fixed is not None :], default=within)
        return NoneFound(within, complete=obligation.fixed is not None and len(obligation.claim.inputs) == 1)


ENGINE = BoundedRefuter()
TURN = 1


def ranges(obligation: Obligation, within: int) -> Iterator[tuple[Sizes, Sizes]]:
    """The least and the greatest lengths of the input windows, query by query; a written-out window has its own."""
    fixed = () if obligation.fixed is None else (len(obligation.fixed.spans),)
    free = len(obligation.claim.inputs) - len(fixed)
    if free == 0:
        yield fixed, fixed
        return
    least = 0
    while least <= within:
        most = least if least <= ONE_BY_ONE and free == 1 else min(within, max(8, 4 * (least - 1)))
        # Several windows may be of different lengths, so each range starts with the empty window again.
        yield (*fixed, *((least if free == 1 else 0,) * free)), (*fixed, *((most,) * free))
        least = most + 1


def _lengths(least: Sizes, most: Sizes) -> str:
    shown = [f"{a}" if a == b else f"{a} to {b}" for a, b in zip(least, most, strict=True)]
    return f"{' and '.join(shown)} span{'' if most == (1,) else 's'}"


def _shortest(obligation: Obligation, case: Case, least: Sizes, within: int, work: Work) -> Found:
    """The case, or one with fewer spans. None has fewer than `least`, input by input, where there is but one input.
    Raises `OutOfTime`."""
    size = _size(case)
    if obligation.fixed is not None and len(least) == 1:
        return Found(case, size)
    while size > sum(least):
        fixed = 0 if obligation.fixed is None else least[0]
        most = tuple(
            low if obligation.fixed is not None and i == 0 else min(within, size - fixed - 1)
            for i, low in enumerate(least)
        )
        smaller = _case(encode(obligation, most, least), work, size - 1)
        if isinstance(smaller, str):
            return Found(case, size, shortest=False)
        if smaller is None:
            break
        case, size = smaller, _size(smaller)
    return Found(case, size)


def _size(case: Case) -> int:
    return sum(len(window.spans) for window in case.inputs.values())


def _case(encoding: Encoding, work: Work, most: int | None = None) -> Case | str | None:
    """A case (of at most so many spans in all); None if there is none; why there is no answer. Raises `OutOfTime`."""
    if any(truth is False for truth in encoding.truths):
        return None
    # Z3's plain core. What its default strategy does first (flattening sums and thresholds that were shared on purpose)
    # takes ten times as long as answering; it is asked where the plain core has no method, as for products.
    reason = ""
    for plain in (True, False):
        with fresh():
            solver = z3.SimpleSolver() if plain else z3.Solver()
            emitted = emit(encoding.truths)
            solver.add(list(emitted.constraints))
            if most is not None:
                solver.add(encoding.at_most(most))
            answer = ask(solver, work)
            if answer == z3.sat:
                return encoding.case(encoding.assignment(emitted, solver.model()))
            if answer == z3.unsat:
                return None
            reason = solver.reason_unknown()
            if work.left <= 0:
                break
    return f"Z3 gave up ({reason})"
