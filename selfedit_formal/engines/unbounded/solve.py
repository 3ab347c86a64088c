"""From a compiled obligation to a certificate, or to nothing.

Only `unsat` counts, and only after a fresh solver has re-checked what it rests on.
"""

from __future__ import annotations

import z3

from selfedit_formal.core.budget import Work
from selfedit_formal.core.certificate import PRODUCTS, Certificate, Ground
from selfedit_formal.core.property import Obligation
from selfedit_formal.engines.unbounded.compiler import Mode, Query, Scan, compile_query, compile_scan
from selfedit_formal.engines.unbounded.invariant import conditions
from selfedit_formal.engines.unbounded.readable import clauses, describe, minimise
from selfedit_formal.engines.unbounded.recheck import checks, script
from selfedit_formal.engines.unbounded.terms import conjunction, constants, primed
from selfedit_formal.engines.unbounded.texts import method, of_query, of_scan, state
from selfedit_formal.semantics.symbolic.solver import ask, limits, steps

CORE_EACH = 1_000_000
"""Solver steps for each question about what a proof needs."""
CORE = 4_000_000
"""For all of them together."""


def prove_by_query(obligation: Obligation, mode: Mode, work: Work) -> tuple[Certificate | None, Query]:
    """A certificate if no assignment to the marks breaks the promise; and the query. Raises `Outside`, `Spent` and
    `OutOfTime`."""
    query = compile_query(obligation, mode, work=work)
    solver = z3.Solver()
    solver.add(query.formula)
    if ask(solver, work) != z3.unsat:
        return None, query
    tracked = compile_query(obligation, mode, tracked=True)
    needed, unneeded = _core([[tracked.formula]], tracked.tracks, work.end)
    texts = of_query(query)
    certificate = Certificate(method(mode), texts, texts, needed=needed, unneeded=unneeded)
    return (certificate if checks(certificate, work.end) else None), query


def prove_by_scan(obligation: Obligation, mode: Mode, work: Work) -> tuple[Certificate | None, Scan]:
    """A certificate if Spacer finds an invariant that passes the re-check; and the scan. Raises `Outside`, `Spent` and
    `OutOfTime`."""
    scan = compile_scan(obligation, mode, work=work)
    invariant = _spacer(scan, work)
    if invariant is None:
        return None, scan
    kept = minimise(scan, clauses(invariant), work.end)
    tracked = compile_scan(obligation, mode, tracked=True)
    proof = conjunction([*kept, scan.units])
    certificate = Certificate(
        method(mode, scan.products),
        {name: script(formulas) for name, formulas in conditions(scan, conjunction(kept)).items()}
        | (dict(PRODUCTS) if scan.products else {}),
        of_scan(scan) | {"invariant": script(kept)},
        state(scan),
        *describe(scan, kept),
        *_core(list(conditions(tracked, proof, everything=True).values()), tracked.tracks, work.end),
    )
    return (certificate if checks(certificate, work.end) else None), scan


def _core(
    cases: list[list[z3.BoolRef]], tracks: dict[Ground, z3.BoolRef], end: float
) -> tuple[tuple[Ground, ...], tuple[Ground, ...]]:
    """(what the proof needs, what it does not): a smallest set of tracks with which every case stays unsatisfiable.

    Both empty if the tracked form is too hard to answer at once: then nothing is said. What `CORE` did not
    suffice to leave out counts as needed.
    """
    solvers = []
    for formulas in cases:
        solver = z3.Solver()
        solver.add(formulas)
        solvers.append(solver)

    def enough(grounds: list[Ground]) -> bool:
        for solver in solvers:
            part = work.part(CORE_EACH)
            answer = ask(solver, part, *(tracks[g] for g in grounds))
            work.took(part.done)
            if answer != z3.unsat:
                return False
        return True

    needed, work = list(tracks), Work(CORE, end)
    if not enough(needed):
        return (), ()
    for ground in tracks:
        if work.left <= 0:
            break
        fewer = [g for g in needed if g != ground]
        if enough(fewer):
            needed = fewer
    return tuple(needed), tuple(g for g in tracks if g not in needed)


def _spacer(scan: Scan, work: Work) -> z3.BoolRef | None:
    """An invariant that Spacer finds; None if it finds none within what is left. Raises `OutOfTime`."""
    fixedpoint = z3.Fixedpoint()
    fixedpoint.set(
        **{
            "engine": "spacer",
            "spacer.global": True,
            "spacer.eq_prop": False,
            "xform.inline_eager": False,
            "xform.inline_linear": False,
            "xform.slice": False,
            **limits(work),
        }
    )
    inv = z3.Function("Inv", *(v.sort() for v in scan.state), z3.BoolSort())
    bad = z3.Function("Bad", z3.BoolSort())
    fixedpoint.register_relation(inv)
    fixedpoint.register_relation(bad)
    moving = [(v, p) for v, p in primed(scan.state) if not scan.next[v].eq(v)]
    body = [scan.step, *(p == scan.next[v] for v, p in moving)]
    names = {v.get_id(): p for v, p in moving}
    after = [names.get(v.get_id(), v) for v in scan.state]
    named = (constants(f) for f in (scan.init, scan.fin, *body, *scan.state))
    for variable in {name: v for found in named for name, v in found.items()}.values():
        fixedpoint.declare_var(variable)
    fixedpoint.rule(inv(*scan.state), scan.init)
    fixedpoint.rule(inv(*after), [inv(*scan.state), *body])
    fixedpoint.rule(bad(), [inv(*scan.state), scan.fin])
    before = steps(fixedpoint)
    try:
        found = fixedpoint.query(bad())
        answer = _read_back(fixedpoint.get_answer(), scan) if found == z3.unsat else None
    except z3.Z3Exception:
        answer = None
    work.took(steps(fixedpoint) - before)
    work.in_time()
    return answer


def _read_back(answer: z3.ExprRef, scan: Scan) -> z3.BoolRef | None:
    """Spacer's answer as a formula over the state. What cannot be read is no answer."""
    todo = [answer]
    while todo:
        x = todo.pop()
        if z3.is_quantifier(x):
            body = x.body()
            if body.num_args() == 2 and z3.is_eq(body):
                for left, right in ((body.arg(0), body.arg(1)), (body.arg(1), body.arg(0))):
                    if z3.is_app(left) and left.decl().name() == "Inv":
                        return _over_state(left, right, x.num_vars(), scan)
        elif z3.is_app(x):
            if z3.is_eq(x) and z3.is_app(x.arg(0)) and x.arg(0).decl().name() == "Inv" and x.arg(0).num_args() == 0:
                return x.arg(1)
            todo += x.children()
    return None


def _over_state(head: z3.ExprRef, body: z3.ExprRef, bound: int, scan: Scan) -> z3.BoolRef | None:
    values: list[z3.ExprRef | None] = [None] * bound
    for i in range(head.num_args()):
        if not z3.is_var(head.arg(i)):
            return None
        values[z3.get_var_index(head.arg(i))] = scan.state[i]
    if any(v is None for v in values):
        return None
    return z3.substitute_vars(body, *values)
