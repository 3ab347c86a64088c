"""Short windows that break a claim, told apart by the rules that act in them."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import z3

from selfedit_formal.core.budget import MILLION, Work
from selfedit_formal.core.expression import Fires, Input, Pass, Refused, WindowTerm
from selfedit_formal.core.policy import LetSet, LetSpan, LetValue, statements
from selfedit_formal.core.property import Case, Obligation, Witness
from selfedit_formal.core.traverse import nodes
from selfedit_formal.semantics.symbolic import Encoding, encode
from selfedit_formal.semantics.symbolic.emit import emit
from selfedit_formal.semantics.symbolic.solver import ask, fresh

STEPS = 2 * MILLION
"""Solver steps for each question."""


def cases(obligation: Obligation, spans: int, most: int, end: float = inf) -> tuple[Case, ...]:
    """Cases with input windows of up to `spans` spans each that break the claim: up to `most`, in no two of which the
    same rules act in the same passes. The interpreter has not seen them. Raises `OutOfTime` at the end (monotonic).

    The first is found by the plain question, so that where there is none nothing else is asked.
    """
    sizes = (spans,) * len(obligation.claim.inputs)
    least = (0,) * len(obligation.claim.inputs)
    plain = encode(obligation, sizes, least)
    if any(truth is False for truth in plain.truths):
        return ()
    first = _case(plain, end)
    marks = acting(obligation)
    if first is None or most == 1 or not marks:
        return () if first is None else (first,)
    encoding = encode(replace(obligation, witnesses=tuple(Witness("", m) for m in marks)), sizes, least)
    terms = encoding.world.terms
    names = [terms.variable("bool", "acts", i) for i in range(len(marks))]
    meant = [terms.iff(name, encoding.truth(mark)) for name, mark in zip(names, marks, strict=True)]
    facts = terms.grounded([*encoding.truths, *encoding.world.facts, *encoding.world.lemmas(), *meant])
    found: list[Case] = []
    with fresh():
        emitted = emit(facts)
        acts = [emitted.variables[name] for name in names if name in emitted.variables]
        solver = z3.SimpleSolver()
        solver.add(list(emitted.constraints))
        while len(found) < most and ask(solver, Work(STEPS, end)) == z3.sat:
            model = solver.model()
            found.append(encoding.case(encoding.assignment(emitted, model)))
            solver.add(z3.Or([z3.Not(a) if z3.is_true(model.eval(a, model_completion=True)) else a for a in acts]))
    return tuple(found) or (first,)


def _case(encoding: Encoding, end: float) -> Case | None:
    """A case, if one is found. Z3's plain core is asked first, as in the bounded engine."""
    for plain in (True, False):
        with fresh():
            solver = z3.SimpleSolver() if plain else z3.Solver()
            emitted = emit(encoding.truths)
            solver.add(list(emitted.constraints))
            answer = ask(solver, Work(STEPS, end))
            if answer == z3.sat:
                return encoding.case(encoding.assignment(emitted, solver.model()))
            if answer == z3.unsat:
                return None
    return None


def acting(obligation: Obligation) -> tuple[Fires | Refused, ...]:
    """What tells cases apart: which statements act in which of the claim's passes, and which of these refuse."""
    found: list[Fires | Refused] = []
    for term in dict.fromkeys(n for n in nodes(obligation.claim) if isinstance(n, Pass) and _closed(n)):
        policy = obligation.policy(term.policy)
        acts = (s for s in statements(policy.body) if not isinstance(s, LetSet | LetSpan | LetValue))
        found += [Fires(term, s.site) for s in acts]
        if policy.gates:
            found.append(Refused(term))
    return tuple(found)


def _closed(term: WindowTerm) -> bool:
    """Whether the window depends on no span that a claim binds."""
    while isinstance(term, Pass):
        term = term.window
    return isinstance(term, Input)
