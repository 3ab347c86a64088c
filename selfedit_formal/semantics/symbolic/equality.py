"""Whether a claim follows from which of its windows are the same, whatever windows they are."""

from __future__ import annotations

import z3

from selfedit_formal.core.budget import Work
from selfedit_formal.core.expression import And, Bool, Expression, Implies, Not, Or, SameWindow, WindowTerm
from selfedit_formal.core.property import Claim
from selfedit_formal.semantics.symbolic.solver import ask, fresh

STEPS = 5_000_000


def follows_from_equality(claim: Claim) -> bool:
    """Whether the claim holds whatever its windows are, because of which of them are the same."""
    windows: dict[WindowTerm, z3.ExprRef] = {}

    def read(item: Expression) -> z3.BoolRef | None:
        match item:
            case Bool(value):
                return z3.BoolVal(value)
            case SameWindow(left, right):
                sort = z3.DeclareSort("Window")
                a, b = (windows.setdefault(w, z3.Const(f"w{len(windows)}", sort)) for w in (left, right))
                return a == b
            case Not() | And() | Or() | Implies():
                parts = [read(i) for i in _operands(item)]
                if any(part is None for part in parts):
                    return None
                make = {Not: z3.Not, And: z3.And, Or: z3.Or, Implies: z3.Implies}[type(item)]
                made: z3.BoolRef = make(*parts)
                return made
            case _:
                return None

    with fresh():
        broken = read(And((claim.premise, claim.antecedent, Not(claim.consequent))))
        if claim.bound or broken is None:
            return False
        solver = z3.Solver()
        solver.add(broken)
        return bool(ask(solver, Work(STEPS)) == z3.unsat)


def _operands(item: Not | And | Or | Implies) -> tuple[Expression, ...]:
    match item:
        case Not(inner):
            return (inner,)
        case And(items) | Or(items):
            return items
        case Implies(left, right):
            return (left, right)
