"""An invariant holds at the start, each step keeps it, and no end meets it: three conditions without a model."""

from __future__ import annotations

import pytest
import z3

from selfedit_formal.engines.unbounded.compiler import Scan, compile_scan
from selfedit_formal.engines.unbounded.invariant import conditions
from selfedit_formal.engines.unbounded.terms import FALSE, TRUE
from tests.engines.unbounded.proofs import LIGHTER, SCAN, proved


@pytest.fixture
def scan() -> Scan:
    return compile_scan(LIGHTER, SCAN)


def failing(scan: Scan, invariant: z3.BoolRef, everything: bool = False) -> set[str]:
    """The conditions that have a model."""
    found = set()
    for name, formulas in conditions(scan, invariant, everything).items():
        solver = z3.Solver()
        solver.add(formulas)
        found |= {name} if solver.check() == z3.sat else set()
    return found


def meant(scan: Scan) -> z3.BoolRef:
    """What proves it, in the scan's own constants."""
    text = proved(LIGHTER.name).texts["invariant"]
    return z3.And(z3.parse_smt2_string(text))


def test_what_always_holds_excludes_no_end_and_what_never_does_no_start(scan: Scan) -> None:
    assert failing(scan, TRUE) == {"safe"}
    assert failing(scan, FALSE) == {"init"}


def test_an_invariant_that_proves_leaves_no_model(scan: Scan) -> None:
    assert failing(scan, meant(scan)) == set()
    assert failing(scan, z3.And(meant(scan), scan.units), everything=True) == set()


def test_what_a_step_breaks_is_no_invariant(scan: Scan) -> None:
    numbers = [v for v in scan.state if v.sort() == z3.IntSort()]
    still = z3.And([v == 0 for v in numbers])
    assert "step" in failing(scan, still)
    assert "safe" not in failing(scan, still)


def test_a_step_is_asked_of_what_the_state_is_after_it(scan: Scan) -> None:
    told = conditions(scan, TRUE)["step"]
    assert len(told) == 3 + len(scan.state)
    assert len(conditions(scan, TRUE, everything=True)["step"]) == 3 + len(scan.next)
