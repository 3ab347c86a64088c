"""From a compiled obligation to a certificate, or to nothing.

Only `unsat` counts, and only after a fresh solver has re-checked what it rests on.
"""

from __future__ import annotations

from collections.abc import Iterable
from time import monotonic

import z3

from selfedit_formal.certificate import Certificate
from selfedit_formal.engines.unbounded.compile import Mode, Scan, compile_query, compile_scan
from selfedit_formal.engines.unbounded.present import clauses, describe, minimise
from selfedit_formal.engines.unbounded.recheck import recheck, script
from selfedit_formal.property import Obligation

CORE_MILLISECONDS = 300
"""For each question about what a proof needs."""
CORE_SECONDS = 1.0
"""For all of them together."""


def prove_by_query(obligation: Obligation, mode: Mode, seconds: float) -> Certificate | None:
    """A certificate if no assignment to the marks breaks the promise. Raises `Outside`."""
    deadline = monotonic() + seconds
    query = compile_query(obligation, mode, deadline=deadline)
    solver = z3.Solver()
    solver.set("timeout", _milliseconds(deadline))
    solver.add(query.formula)
    if solver.check() != z3.unsat:
        return None
    tracked = compile_query(obligation, mode, tracked=True)
    needed, unneeded = _core([[tracked.formula]], tracked.tracks)
    certificate = Certificate(
        "one query over the spans that matter", {"query": script([query.formula])}, needed=needed, unneeded=unneeded
    )
    return certificate if recheck(certificate) is None else None


def prove_by_scan(obligation: Obligation, mode: Mode, seconds: float) -> tuple[Certificate | None, Scan]:
    """A certificate if Spacer finds an invariant that passes the re-check; and the scan. Raises `Outside`."""
    deadline = monotonic() + seconds
    scan = compile_scan(obligation, mode, deadline=deadline)
    invariant = _spacer(scan, deadline)
    if invariant is None:
        return None, scan
    kept = minimise(scan, clauses(invariant))
    tracked = compile_scan(obligation, mode, tracked=True)
    proof = z3.And([*kept, scan.units])
    certificate = Certificate(
        "an invariant of a scan over the window",
        {name: script(formulas) for name, formulas in conditions(scan, _all(kept)).items()} | _product_facts(scan),
        *describe(scan, kept),
        *_core(list(conditions(tracked, proof, everything=True).values()), tracked.tracks),
    )
    return (certificate if recheck(certificate) is None else None), scan


def _all(kept: list[z3.BoolRef]) -> z3.BoolRef:
    return z3.And(kept) if kept else z3.BoolVal(True)


def _core(cases: list[list[z3.BoolRef]], tracks: dict[str, z3.BoolRef]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(what the proof needs, what it does not): a smallest set of tracks with which every case stays unsatisfiable.

    Both empty if the tracked form is too hard to answer at once: then nothing is said. What there was no time to leave
    out counts as needed.
    """
    solvers = []
    for formulas in cases:
        solver = z3.Solver()
        solver.set("timeout", CORE_MILLISECONDS)
        solver.add(formulas)
        solvers.append(solver)

    def enough(names: list[str]) -> bool:
        return all(s.check([tracks[n] for n in names]) == z3.unsat for s in solvers)

    needed, deadline = list(tracks), monotonic() + CORE_SECONDS
    if not enough(needed):
        return (), ()
    for name in tracks:
        if monotonic() > deadline:
            break
        fewer = [n for n in needed if n != name]
        if enough(fewer):
            needed = fewer
    return tuple(needed), tuple(n for n in tracks if n not in needed)


def primed(variables: Iterable[z3.ExprRef]) -> list[tuple[z3.ExprRef, z3.ExprRef]]:
    """State variables with their names after a step."""
    return [(v, z3.Const(f"{v.decl().name()} next", v.sort())) for v in variables]


def conditions(scan: Scan, invariant: z3.BoolRef, everything: bool = False) -> dict[str, list[z3.BoolRef]]:
    """What must be unsatisfiable for the invariant to prove the promise. `everything`: it may speak of what is not
    state."""
    after = primed(scan.next if everything else scan.state)
    step = [scan.step, *(p == scan.next[v] for v, p in after)]
    return {
        "init": [scan.init, *([scan.units] if everything else []), z3.Not(invariant)],
        "step": [invariant, *step, z3.Not(z3.substitute(invariant, after))],
        "safe": [invariant, scan.fin],
    }


def _milliseconds(deadline: float) -> int:
    return max(1, int((deadline - monotonic()) * 1000))


def _spacer(scan: Scan, deadline: float) -> z3.BoolRef | None:
    fixedpoint = z3.Fixedpoint()
    fixedpoint.set(
        **{
            "engine": "spacer",
            "spacer.global": True,
            "spacer.eq_prop": False,
            "xform.inline_eager": False,
            "xform.inline_linear": False,
            "xform.slice": False,
            "timeout": _milliseconds(deadline),
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
    for v in {c.get_id(): c for f in (scan.init, scan.fin, *body) for c in _variables(f)}.values():
        fixedpoint.declare_var(v)
    for v in scan.state:
        fixedpoint.declare_var(v)
    fixedpoint.rule(inv(*scan.state), scan.init)
    fixedpoint.rule(inv(*after), [inv(*scan.state), *body])
    fixedpoint.rule(bad(), [inv(*scan.state), scan.fin])
    try:
        if fixedpoint.query(bad()) != z3.unsat:
            return None
        return _read_back(fixedpoint.get_answer(), scan)
    except z3.Z3Exception:
        return None


def _variables(formula: z3.ExprRef) -> list[z3.ExprRef]:
    found, todo, seen = [], [formula], set[int]()
    while todo:
        x = todo.pop()
        if x.get_id() in seen:
            continue
        seen.add(x.get_id())
        if z3.is_const(x) and x.decl().kind() == z3.Z3_OP_UNINTERPRETED:
            found.append(x)
        todo += x.children()
    return found


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


def _product_facts(scan: Scan) -> dict[str, str]:
    """The facts that the ghost counters of a product rest on (NOTE(products) in `compile`)."""
    if not scan.products:
        return {}
    c, k, m = z3.Ints("c k m")
    wrong = z3.Or(z3.And(c <= k, c * m > k * m), z3.And(c >= k, c * m < k * m), z3.And(c + 1 <= k, c * m + m > k * m))
    sign = z3.Or(
        z3.And(c >= 0, k >= 0, c * k < 0), z3.And(c >= 1, k >= 0, c * k < k), z3.And(k >= 1, c >= 0, c * k < c)
    )
    return {"product facts": script([m >= 0, wrong]), "product signs": script([sign])}
