"""Z3 within a budget, and from the same state every time."""

from __future__ import annotations

import pytest
import z3

from selfedit_formal.core.budget import OutOfTime, Work
from selfedit_formal.semantics.symbolic.solver import ask, fresh


def hard(solver: z3.Solver) -> z3.Solver:
    a, b, c = z3.Ints("a b c")
    solver.add(a**3 + b**3 + c**3 == 114, a > 1)
    return solver


@pytest.mark.parametrize("kind", [z3.Solver, z3.SimpleSolver])
def test_a_solver_does_no_more_than_it_may(kind: type[z3.Solver]) -> None:
    with fresh():
        work = Work(100_000)
        assert ask(hard(kind()), work) == z3.unknown
        assert work.left <= 0
        assert work.done < 110_000


def test_without_time_there_is_no_answer() -> None:
    with fresh(), pytest.raises(OutOfTime):
        ask(hard(z3.Solver()), Work(end=0.0))


def steps(clauses: int) -> float:
    """What a question takes."""
    x = z3.Ints(" ".join(f"x{i}" for i in range(12)))
    solver, work = z3.SimpleSolver(), Work()
    solver.add(z3.Distinct(*x), *(z3.And(v >= 0, v < 12) for v in x))
    solver.add(*(z3.Or(x[i % 12] + x[(5 * i + 1) % 12] > 9, x[(7 * i) % 12] < 4) for i in range(clauses)))
    ask(solver, work)
    return work.done


def test_the_same_question_takes_the_same_work_whatever_was_asked_before() -> None:
    with fresh():
        first = steps(20)
    with fresh():
        steps(7)
        with fresh():
            assert steps(20) == first
    with fresh():
        assert steps(20) == first
