"""An invariant as a person reads it: no clause it does not need, implications, inequalities without negative terms, a
legend."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf

import z3

from selfedit_formal.core.budget import Work
from selfedit_formal.engines.unbounded.compiler import Scan
from selfedit_formal.engines.unbounded.terms import conjunction, constants, disjunction, implication, negation, primed
from selfedit_formal.semantics.symbolic.solver import ask

MINIMISE = 4_000_000
"""Solver steps for finding out which clauses are not needed, half of them at most for one clause."""


def clauses(invariant: z3.BoolRef) -> list[z3.BoolRef]:
    """Its conjuncts."""
    simple = z3.simplify(invariant)
    return list(simple.children()) if z3.is_and(simple) else [simple]


def minimise(scan: Scan, kept: list[z3.BoolRef], end: float = inf) -> list[z3.BoolRef]:
    """Without the clauses that the others do not need, longest first, as far as `MINIMISE` goes."""
    work = Work(MINIMISE, end)
    selected = [z3.Bool(f"keep {i}") for i in range(len(kept))]
    after = primed(scan.state)
    lost = [conjunction((s, negation(z3.substitute(c, after)))) for s, c in zip(selected, kept, strict=True)]
    steps = [scan.step, *(p == scan.next[v] for v, p in after), disjunction(lost)]
    solvers = []
    for formulas in ([scan.fin], steps):
        solver = z3.Solver()
        solver.add(*formulas, *(implication(s, c) for s, c in zip(selected, kept, strict=True)))
        solvers.append(solver)
    left = set(range(len(kept)))
    for i in sorted(left, key=lambda i: -len(kept[i].sexpr())):
        if work.left <= 0:
            break
        # Fewer clauses hold at the start all the more.
        asked = [s if n in left and n != i else negation(s) for n, s in enumerate(selected)]
        part = work.part(MINIMISE / 2)
        if all(ask(solver, part, *asked) == z3.unsat for solver in solvers):
            left.discard(i)
        work.took(part.done)
    return [kept[i] for i in sorted(left)]


def describe(scan: Scan, kept: list[z3.BoolRef]) -> tuple[tuple[str, ...], dict[str, str]]:
    """The clauses as text, and what the names in them stand for."""
    used = {n for c in kept for n in constants(c)}
    # A parameter is called what it is called, unless something else is.
    called = {v.decl().name(): name for name, v in scan.parameters.items() if name not in used}
    texts = tuple(_clause(c, called) for c in kept)
    return texts, {n: scan.legend[n] for n in sorted(used) if n in scan.legend and n not in called}


def _clause(clause: z3.BoolRef, called: Mapping[str, str]) -> str:
    items = list(clause.children()) if z3.is_or(clause) else [clause]
    premises = [i for i in items if z3.is_not(i) and z3.is_const(i.arg(0))]
    rest = [i for i in items if not any(i.eq(p) for p in premises)]
    conclusion = " or ".join(_literal(i, False, called) for i in rest) or "false"
    if not premises:
        return conclusion
    return " and ".join(p.arg(0).decl().name() for p in premises) + " -> " + conclusion


def _literal(item: z3.ExprRef, negated: bool, called: Mapping[str, str]) -> str:
    if z3.is_not(item):
        return _literal(item.arg(0), not negated, called)
    if item.num_args() == 2 and z3.is_int(item.arg(0)) and (z3.is_le(item) or z3.is_ge(item) or z3.is_eq(item)):
        terms: dict[str, int] = {}
        constant = _linear(item.arg(0), 1, terms, called) + _linear(item.arg(1), -1, terms, called)
        return _inequality("<=" if z3.is_le(item) else ">=" if z3.is_ge(item) else "==", terms, constant, negated)
    text = item.decl().name() if z3.is_const(item) else str(item).replace("\n", " ")
    return f"not {text}" if negated else text


def _linear(item: z3.ExprRef, factor: int, terms: dict[str, int], called: Mapping[str, str]) -> int:
    """Adds the item, times the factor, to the terms; returns the constant part."""
    if z3.is_int_value(item):
        return factor * int(item.as_long())
    if z3.is_add(item):
        return sum(_linear(a, factor, terms, called) for a in item.children())
    if z3.is_sub(item):
        first, *others = item.children()
        return _linear(first, factor, terms, called) + sum(_linear(a, -factor, terms, called) for a in others)
    if z3.is_mul(item) and item.num_args() == 2 and z3.is_int_value(item.arg(0)):
        return _linear(item.arg(1), factor * int(item.arg(0).as_long()), terms, called)
    name = item.decl().name() if z3.is_const(item) else str(item).replace("\n", " ")
    name = called.get(name, name)
    terms[name] = terms.get(name, 0) + factor
    return 0


def _inequality(operator: str, terms: dict[str, int], constant: int, negated: bool) -> str:
    """terms + constant `operator` 0, with positive factors on both sides."""
    if negated:
        operator, constant = {
            "<=": (">=", constant - 1),
            ">=": ("<=", constant + 1),
            "==": ("!=", constant),
        }[operator]
    # One way to write each: `<=` rather than `>=`, the first name of an equation on the left.
    if operator == ">=" or (operator in ("==", "!=") and terms and terms[min(terms)] < 0):
        operator, constant = {">=": "<="}.get(operator, operator), -constant
        terms = {n: -f for n, f in terms.items()}
    left = [(n, f) for n, f in sorted(terms.items()) if f > 0]
    right = [(n, -f) for n, f in sorted(terms.items()) if f < 0]
    if not left:
        left, right, constant = right, [], -constant
        operator = {"<=": ">="}.get(operator, operator)
    if operator == "<=" and constant == 1 and right:
        operator, constant = "<", 0
    text = " + ".join(n if f == 1 else f"{f} * {n}" for n, f in right)
    if constant and right:
        text += f" {'-' if constant > 0 else '+'} {abs(constant)}"
    elif not right:
        text = str(-constant)
    return f"{' + '.join(n if f == 1 else f'{f} * {n}' for n, f in left)} {operator} {text}"
