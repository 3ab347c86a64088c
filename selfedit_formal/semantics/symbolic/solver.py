"""Z3 asked within a budget, and from the same state every time: what it answers depends on the question alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import ceil, inf
from time import monotonic

import z3

from selfedit_formal.core.budget import OutOfTime, Work

MOST = 4_000_000_000
"""Steps that Z3 can be limited to."""


@contextmanager
def fresh() -> Iterator[None]:
    """A main context of its own for what is done meanwhile.

    NOTE(fresh): Z3 numbers its terms, and uses a number again once its term is gone. Many of its choices hang on these
    numbers, so in a context that has been used it may find another model, or need ten times the steps.
    """
    before = z3.z3._main_ctx
    z3.z3._main_ctx = z3.Context()
    try:
        yield
    finally:
        z3.z3._main_ctx = before


def steps(asked: z3.Solver | z3.Fixedpoint) -> int:
    """The steps done so far in its context."""
    statistics = asked.statistics()
    return int(statistics.get_key_value("rlimit count")) if "rlimit count" in list(statistics.keys()) else 0


def limits(work: Work) -> dict[str, int]:
    """The parameters that keep Z3 within what is left, by work and, as a last resort, by the clock. Raises
    `OutOfTime`."""
    left = work.end - monotonic()
    if left <= 0:
        raise OutOfTime
    found = {"rlimit": 0 if work.left == inf else max(1, min(ceil(work.left), MOST))}
    return found if left == inf else found | {"timeout": ceil(left * 1000) + 1}


def ask(solver: z3.Solver, work: Work, *assumptions: z3.BoolRef) -> z3.CheckSatResult:
    """What the solver answers, its steps counted; unknown also where no more are left. Raises `OutOfTime`."""
    before = steps(solver)
    for name, value in limits(work).items():
        solver.set(name, value)
    answer = solver.check(*assumptions)
    work.took(steps(solver) - before)
    if answer == z3.unknown and monotonic() >= work.end:
        raise OutOfTime
    return answer
