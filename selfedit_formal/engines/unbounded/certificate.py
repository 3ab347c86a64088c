"""What a proof for windows of every length leaves behind: conditions in SMT-LIB 2, each of which must be unsatisfiable.

A scan's certificate is its invariant: it holds at the start, each step keeps it, and it excludes a broken promise at the end. Checking that needs a
plain solver, neither Spacer nor the policy's file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import z3


@dataclass(frozen=True, slots=True)
class Certificate:
    """`conditions`: name → SMT-LIB 2 text that must be answered `unsat`. `invariant`: its clauses as text, none for a plain query."""

    argument: str
    conditions: Mapping[str, str]
    invariant: tuple[str, ...] = ()
    legend: Mapping[str, str] | None = None


def script(formulas: list[z3.BoolRef]) -> str:
    """The conjunction of the formulas as a self-contained SMT-LIB 2 script."""
    solver = z3.Solver()
    solver.add(formulas)
    lines = [x for x in solver.to_smt2().splitlines() if not x.startswith("; ") and "(set-info" not in x]
    return "\n".join(["(set-logic ALL)", *lines]) + "\n"


def recheck(certificate: Certificate, seconds: float = 10.0) -> str | None:
    """None if a fresh solver answers `unsat` to every condition, else what it answered to which."""
    if not certificate.conditions:
        return "the certificate is empty"
    for name, text in certificate.conditions.items():
        solver = z3.Solver()
        solver.set("timeout", max(1, int(seconds * 1000)))
        solver.add(z3.parse_smt2_string(text))
        answer = solver.check()
        if answer != z3.unsat:
            return f"{name}: {answer}"
    return None
