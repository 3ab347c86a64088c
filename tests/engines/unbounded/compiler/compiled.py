"""An obligation being compiled, and its terms where the element under the head is a span that is written out."""

from __future__ import annotations

from collections.abc import Mapping

import z3

from selfedit_formal.core.budget import Work
from selfedit_formal.core.expression import Expression
from selfedit_formal.core.policy import ParameterDeclaration, Policy, Statement
from selfedit_formal.core.property import Bound, Claim, Obligation
from selfedit_formal.core.window import NO_KEY, Span, Value, Window
from selfedit_formal.engines.unbounded.compiler.compilation import Compilation
from selfedit_formal.engines.unbounded.compiler.mode import Mode
from selfedit_formal.engines.unbounded.ir import Born, Stays
from tests.obligations import SCHEMA, W, about, keeps, pinned

SCAN, QUERY = Mode(scan=True), Mode(scan=False)
K = ParameterDeclaration("k", low=0)
N = ParameterDeclaration("n", high=9)


def subject(*body: Statement) -> Policy:
    """A policy with two parameters."""
    return Policy("P", SCHEMA, (K, N), body)


def kept(*body: Statement) -> Obligation:
    """`all W, k in W: k.pinned implies k in P(W)`."""
    return keeps(subject(*body), pinned("k", W))


def claimed(consequent: Expression, *body: Statement, bound: tuple[Bound, ...] = ()) -> Obligation:
    """Something else about such a policy."""
    return about(subject(*body), "any", Claim(("W",), bound, consequent=consequent))


def compiling(asked: Obligation, mode: Mode = SCAN, tracked: bool = False) -> Compilation:
    """Everything that the trace says, before anything is made of it."""
    return Compilation(asked, mode, tracked, Work())


def at(whole: Compilation, term: z3.ExprRef, span: Span, window: Window, parameters: Mapping[str, int]) -> int | bool:
    """The term's value where the span is under the head."""
    changes = [(whole.parameters[name], z3.IntVal(number)) for name, number in parameters.items()]
    for fact, constant in whole.elements.head.base.items():
        match fact:
            case Born(field):
                changes.append((constant, _value(whole, field, span[field])))
            case Stays():
                changes.append((constant, z3.BoolVal(span.id not in window.archived)))
            case _:
                pass
    found = z3.simplify(z3.substitute(term, *changes))
    if z3.is_bool(found):
        assert z3.is_true(found) or z3.is_false(found), found
        return bool(z3.is_true(found))
    return int(found.as_long())


def _value(whole: Compilation, field: str, value: Value) -> z3.ExprRef:
    kind = SCHEMA.field(field).kind
    if kind == "bool":
        return z3.BoolVal(value)
    if kind == "enum":
        return z3.IntVal(whole.trace.codes[str(value)])
    return z3.IntVal(value if kind == "int" else 0 if value == NO_KEY else 1)


def excludes(conditions: list[z3.BoolRef], *more: z3.BoolRef) -> bool:
    """Whether the conditions and these have no model."""
    solver = z3.Solver()
    solver.add(*conditions, *more)
    return bool(solver.check() == z3.unsat)
