"""Which parameters are safe: a condition on the open parameters under which a promise holds, found by examples from
both sides.

A candidate is a conjunction of at most two inequalities between sums of parameters and products of two of them, with
small coefficients. It must exclude every parameter point that a window broke, and admit every point just outside of
an earlier candidate that no small window broke. So the weakest candidates come first; one that is proved for every
length, with a window that breaks the promise just outside of it, is the answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain, combinations_with_replacement
from random import Random
from time import monotonic

import z3

from selfedit_formal._frozen import dataclass
from selfedit_formal.certificate import Certificate
from selfedit_formal.engines import Found, Limits
from selfedit_formal.engines.bounded import Bounded as BoundedEngine
from selfedit_formal.engines.unbounded import prove, search_long
from selfedit_formal.expression import FALSE, Add, Compare, Expression, Int, Multiply, Parameter, conjunction
from selfedit_formal.property import Case, Obligation
from selfedit_formal.semantics.interpreter import breaks
from selfedit_formal.semantics.reads import nodes
from selfedit_formal.shrink import shrink

Point = Mapping[str, int]
Monomial = tuple[str, ...]
"""A parameter, or two that are multiplied."""

ROUNDS = 40
LONGEST = 32
"""Spans of the longest windows in which a point is tried."""
COEFFICIENT = 2
"""Coefficients range over -2..2; constants too, and as far as the largest constant of the obligation."""
SEEDS = 16
"""How many parameter points are tried first, to have some on both sides."""
OUTSIDE_POINTS = 4
"""How many points just outside of a candidate are tried for a window that breaks the promise there."""
SMALL = 4
"""Parameters of those points are at most this far above their lower bound."""
FAR = 1_000_000
"""Parameters that meet a condition are looked for this far above their lower bound."""


@dataclass(frozen=True, slots=True)
class Inequality:
    """`sum(coefficients) + constant <= 0`."""

    coefficients: Mapping[Monomial, int]
    constant: int

    def expression(self) -> Expression:
        terms: list[Expression] = [Int(self.constant)]
        for monomial, factor in self.coefficients.items():
            value: Expression = Parameter(monomial[0])
            for name in monomial[1:]:
                value = Multiply(value, Parameter(name))
            terms.append(value if factor == 1 else Multiply(Int(factor), value))
        return Compare("<=", Add(tuple(terms)), Int(0))

    def at(self, point: Point) -> int:
        return self.constant + sum(f * _product(m, point) for m, f in self.coefficients.items())

    def __str__(self) -> str:
        """With positive terms on both sides, as a person writes it: `keep * most + size < trigger`."""
        left = [_term(m, f) for m, f in self.coefficients.items() if f > 0]
        right = [_term(m, -f) for m, f in self.coefficients.items() if f < 0]
        constant, operator = self.constant, "<="
        if constant == 1:
            constant, operator = 0, "<"
        (left if constant > 0 else right).extend([str(abs(constant))] if constant else [])
        return f"{' + '.join(left) or '0'} {operator} {' + '.join(right) or '0'}"


@dataclass(frozen=True, slots=True)
class Solved:
    """`condition` as text, empty if none is needed. `certificate`: proved under it, for every length. `outside`: this
    case breaks the promise just outside of it. Either may be missing, and is then not shown."""

    condition: str
    certificate: Certificate | None
    outside: Case | None
    rounds: int


@dataclass(frozen=True, slots=True)
class Unsolved:
    reason: str


def solve_for(obligation: Obligation, names: tuple[str, ...], limits: Limits) -> Solved | Unsolved:
    """The weakest condition found under which the promise holds. `names` are open parameters it must speak of."""
    if obligation.turns is not None:
        return Unsolved("it is about a session, and conditions are only looked for in promises about one policy")
    search = _Search(obligation, names, limits)
    return search.run()


def _product(monomial: Monomial, point: Point) -> int:
    value = 1
    for name in monomial:
        value *= point[name]
    return value


def _term(monomial: Monomial, factor: int) -> str:
    text = " * ".join(monomial)
    return text if factor == 1 else f"{factor} * {text}"


def _exactly(point: Point) -> Expression:
    return conjunction(tuple(Compare("==", Parameter(n), Int(v)) for n, v in point.items()))


class _Search:
    def __init__(self, obligation: Obligation, names: tuple[str, ...], limits: Limits) -> None:
        self.obligation, self.names, self.limits = obligation, names, limits
        self.parameters = tuple(p.name for p in obligation.parameters)
        self.deadline = monotonic() + (limits.seconds if limits.seconds is not None else 60.0)
        singles: list[Monomial] = [(p,) for p in self.parameters]
        pairs = combinations_with_replacement(self.parameters, 2)
        self.monomials = singles + [m for m in pairs if m[0] != m[1]]
        self.largest = max((abs(n.value) for n in nodes(obligation) if isinstance(n, Int)), default=0)
        self.random = Random(0)
        self.broken: list[Point] = []
        self.kept: list[Point] = []

    def run(self) -> Solved | Unsolved:
        best: Solved | None = None
        self._sow()
        for round_number in range(1, ROUNDS + 1):
            if monotonic() > self.deadline:
                break
            candidate = self._candidate()
            if candidate is None:
                break
            inside = self._counterexample(self._under(candidate), self.limits.within)
            if inside is not None:
                self.broken.append(dict(inside.parameters))
                continue
            case, learned = self._outside(candidate)
            if learned:
                continue
            proof = prove(self._under(candidate), min(5.0, max(0.1, self.deadline - monotonic())))
            certificate = proof if isinstance(proof, Certificate) else None
            best = Solved(" and ".join(map(str, candidate)), certificate, case, round_number)
            if certificate is not None:
                return best
            longer = self._counterexample(self._under(candidate), self.limits.within + 4)
            if longer is None:
                return best
            self.broken.append(dict(longer.parameters))
        if best is not None:
            return best
        return Unsolved(
            "no condition of two inequalities with small coefficients separates what breaks from what holds"
        )

    def _sow(self) -> None:
        """Points spread over the bounds, so that some of both sides is known before the first candidate."""
        for point in self._drawn(SEEDS):
            fixed = self._assuming(_exactly(point))
            if point in self.broken or point in self.kept:
                continue
            if self._broken_at(point) is not None:
                self.broken.append(point)
            elif self._possible(fixed):
                self.kept.append(point)

    def _drawn(self, count: int) -> Iterator[Point]:
        """Points of small numbers, in which one parameter in turn may be large."""
        small, large = (0, 1, 2, 3), (4 + self.largest, 12 + 2 * self.largest)
        for number in range(count):
            point = {}
            for i, p in enumerate(self.obligation.parameters):
                steps = large if i == number % (len(self.parameters) + 1) else small
                value = (p.low if p.low is not None else 0) + self.random.choice(steps)
                point[p.name] = value if p.high is None else min(value, p.high)
            yield point

    def _broken_at(self, point: Point) -> Case | None:
        """A case with these very parameters; windows are as long as small numbers may call for."""
        fixed = self._assuming(_exactly(point))
        case = self._counterexample(fixed, self.limits.within)
        if case is None:
            case = search_long(fixed, LONGEST, 2.0)
        return case

    def _possible(self, obligation: Obligation) -> bool:
        """Some window satisfies what is assumed; or else a point says nothing."""
        claim = replace(obligation.claim, consequent=FALSE)
        return isinstance(BoundedEngine().solve(replace(obligation, claim=claim, within=None), self.limits), Found)

    def _under(self, candidate: tuple[Inequality, ...]) -> Obligation:
        return self._assuming(conjunction(tuple(i.expression() for i in candidate)))

    def _assuming(self, condition: Expression) -> Obligation:
        claim = self.obligation.claim
        return replace(self.obligation, claim=replace(claim, premise=conjunction((claim.premise, condition))))

    def _counterexample(self, obligation: Obligation, within: int) -> Case | None:
        seconds = max(0.1, min(10.0, self.deadline - monotonic()))
        answer = BoundedEngine().solve(
            replace(obligation, within=None), replace(self.limits, within=within, seconds=seconds)
        )
        if not isinstance(answer, Found) or not breaks(obligation, answer.case):
            return None
        return shrink(obligation, answer.case, 0.5)

    def _outside(self, candidate: tuple[Inequality, ...]) -> tuple[Case | None, bool]:
        """(a case just outside of the candidate, whether a point outside was learned to be safe)."""
        if not candidate:
            return None, False
        found: Case | None = None
        for point in chain(self._points_outside(candidate), self._drawn(SEEDS)):
            if all(i.at(point) <= 0 for i in candidate) or point in self.broken:
                continue
            fixed = self._assuming(_exactly(point))
            case = self._broken_at(point)
            if case is not None:
                found = found or case
            elif point not in self.kept and self._possible(fixed):
                self.kept.append(point)
                return found, True
        return found, False

    def _points_outside(self, candidate: tuple[Inequality, ...]) -> Iterator[Point]:
        """Small parameter points that break one inequality by as little as possible and keep the others."""
        for inequality in candidate:
            solver = z3.Optimize()
            variables = {n: z3.Int(n) for n in self.parameters}
            self._declared(solver, variables, SMALL + self.largest)
            for other in candidate:
                value = _z3_value(other.coefficients, other.constant, variables)
                solver.add(value > 0 if other is inequality else value <= 0)
            solver.minimize(_z3_value(inequality.coefficients, inequality.constant, variables))
            solver.set("timeout", 2000)
            for _ in range(OUTSIDE_POINTS):
                if solver.check() != z3.sat:
                    break
                model = solver.model()
                point = {n: int(model.eval(v, model_completion=True).as_long()) for n, v in variables.items()}
                solver.add(z3.Or([v != point[n] for n, v in variables.items()]))
                yield point

    def _declared(self, solver: z3.Optimize, variables: Mapping[str, z3.ArithRef], reach: int) -> None:
        for parameter in self.obligation.parameters:
            low = parameter.low if parameter.low is not None else 0
            solver.add(variables[parameter.name] >= low, variables[parameter.name] <= low + reach)
            if parameter.high is not None:
                solver.add(variables[parameter.name] <= parameter.high)

    def _candidate(self) -> tuple[Inequality, ...] | None:
        """The simplest conjunction that excludes what broke and admits what held."""
        if not self.broken:
            return ()
        for size in (1, 2):
            found = self._separate(size)
            if found is not None and self._admits_some(found):
                return found
        return None

    def _admits_some(self, candidate: tuple[Inequality, ...]) -> bool:
        """A condition that no parameters within their bounds meet is none."""
        solver = z3.Optimize()
        variables = {n: z3.Int(n) for n in self.parameters}
        self._declared(solver, variables, FAR)
        solver.add([_z3_value(i.coefficients, i.constant, variables) <= 0 for i in candidate])
        return bool(solver.check() == z3.sat)

    def _separate(self, size: int) -> tuple[Inequality, ...] | None:
        solver = z3.Optimize()
        solver.set("timeout", 3000)
        rows = []
        for i in range(size):
            row = {m: z3.Int(f"c{i} {'*'.join(m)}") for m in self.monomials}
            constant = z3.Int(f"c{i}")
            for c in row.values():
                solver.add(c >= -COEFFICIENT, c <= COEFFICIENT)
            solver.add(constant >= -COEFFICIENT - self.largest, constant <= COEFFICIENT + self.largest)
            speaks = [c != 0 for m, c in row.items() if set(m) & set(self.names)]
            solver.add(z3.Or(speaks))
            rows.append((row, constant))

        def value(row: tuple[dict[Monomial, z3.ArithRef], z3.ArithRef], point: Point) -> z3.ArithRef:
            return row[1] + z3.Sum([c * _product(m, point) for m, c in row[0].items()])

        for point in self.broken:
            solver.add(z3.Or([value(row, point) > 0 for row in rows]))
        for point in self.kept:
            solver.add(z3.And([value(row, point) <= 0 for row in rows]))
        cost = z3.Sum(
            [z3.If(c == 0, 0, (2 if len(m) == 2 else 1) + 1) + z3.Abs(c) for row, _ in rows for m, c in row.items()]
            + [z3.Abs(constant) for _, constant in rows]
        )
        solver.minimize(cost)
        if solver.check() != z3.sat:
            return None
        model = solver.model()
        found = []
        for row, constant in rows:
            numbers = {m: int(model.eval(c, model_completion=True).as_long()) for m, c in row.items()}
            found.append(
                Inequality(
                    {m: f for m, f in numbers.items() if f},
                    int(model.eval(constant, model_completion=True).as_long()),
                )
            )
        return tuple(found)


def _z3_value(coefficients: Mapping[Monomial, int], constant: int, variables: Mapping[str, z3.ArithRef]) -> z3.ArithRef:
    terms = [z3.IntVal(constant)]
    for monomial, factor in coefficients.items():
        product = z3.IntVal(factor)
        for name in monomial:
            product = product * variables[name]
        terms.append(product)
    return z3.Sum(terms)
