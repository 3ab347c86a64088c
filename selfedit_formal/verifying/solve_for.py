"""Which parameters are safe: a condition on some of the open parameters under which a promise holds, found by examples
from both sides.

A candidate is a disjunction of conjunctions, of three inequalities at most, between sums of the parameters asked for
and products of two of them, with small coefficients. It must exclude every point (values of these parameters) at which
some window breaks the promise, whatever the other parameters are, and admit every point met just outside of an earlier
candidate at which none was found. So the weakest candidates come first.

Every question is put to `verify`, and what it proves is all that is stated: each conjunction of the answer is the
premise of a promise of its own that is proved for every length.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from random import Random

import z3

from selfedit_formal._frozen import dataclass
from selfedit_formal.core.diagnostics import Disagreement
from selfedit_formal.core.expression import FALSE, Add, Compare, Expression, Int, Multiply, Not, Parameter, conjunction
from selfedit_formal.core.expression import disjunction as any_of
from selfedit_formal.core.property import Case, Obligation
from selfedit_formal.core.traverse import nodes
from selfedit_formal.core.verdict import Failed, Proved, Refuted, Verdict
from selfedit_formal.engines import Limits
from selfedit_formal.verifying.verify import verify

Point = Mapping[str, int]
"""Values of the parameters asked for."""
Monomial = tuple[str, ...]
"""A parameter, or two that are multiplied."""

SHAPES = ((1,), (2,), (1, 1), (2, 1), (1, 1, 1), (3,))
"""How many inequalities each conjunction of a candidate has, in the order in which they are tried."""
ROUNDS = 24
"""Candidates that are tried at most."""
COEFFICIENT = 2
"""Coefficients range over -2..2; constants too, and as far as the largest constant or bound of the obligation."""
SEEDS = 16
"""How many points are tried first, to have some on both sides."""
OUTSIDE_POINTS = 4
"""How many points just outside of a candidate are tried for a window that breaks the promise there."""
SMALL = 4
"""Parameters of those points are at most this far above their lower bound and the largest constant."""
CONSTANTS = 12
"""How many numbers beside the constants of the obligation are tried."""
FAR = 1_000_000
"""Parameters that meet a condition are looked for this far above their lower bound."""
STEPS = 40_000_000
"""Z3's own steps for one candidate of one shape."""
SHARE = 0.25
"""How much of the effort for a proof goes into asking about one point."""


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


Conjunction = tuple[Inequality, ...]
Candidate = tuple[Conjunction, ...]
"""A disjunction; true if it is the empty conjunction alone."""
ANYTHING: Candidate = ((),)


@dataclass(frozen=True, slots=True)
class Solved:
    """`condition` as text, empty if none is needed; it speaks of the parameters asked for alone.

    `proofs` has one for each of its alternatives: the promise is proved under it, for every length and whatever the
    other parameters are. `outside`: this case breaks the promise outside of the condition; None where none was found.
    """

    condition: str
    proofs: tuple[Proved, ...]
    outside: Case | None


@dataclass(frozen=True, slots=True)
class Unsolved:
    """No condition was proved, and why. `broken`: a case that breaks the promise, if one was met; `names`: the
    parameters asked for."""

    reason: str
    names: tuple[str, ...] = ()
    broken: Case | None = None


def solve_for(obligation: Obligation, names: tuple[str, ...], limits: Limits) -> Solved | Unsolved:
    """The weakest condition on these open parameters that was found and proved.

    Raises Disagreement if two parts of this tool contradict each other.
    """
    if obligation.turns is not None:
        reason = "it is about a session, and conditions are only looked for in promises about one policy"
        return Unsolved(reason, names)
    return _ConditionSearch(obligation, names, limits).run()


def written(candidate: Candidate) -> str:
    """The condition as a person writes it; empty if it is always true."""
    if candidate == ANYTHING:
        return ""
    several = len(candidate) > 1
    parts = [" and ".join(map(str, conjunction)) for conjunction in candidate]
    return " or ".join(
        f"({text})" if several and len(part) > 1 else text for text, part in zip(parts, candidate, strict=True)
    )


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


def _meant(conjunct: Conjunction) -> Expression:
    return conjunction(tuple(i.expression() for i in conjunct))


def _admits(candidate: Candidate, point: Point) -> bool:
    return any(all(i.at(point) <= 0 for i in conjunct) for conjunct in candidate)


class _ConditionSearch:
    def __init__(self, obligation: Obligation, names: tuple[str, ...], limits: Limits) -> None:
        self.obligation, self.limits = replace(obligation, within=None, expect=None), limits
        # Each once, in the order in which they are declared.
        self.declared = tuple(p for p in obligation.parameters if p.name in names)
        self.names = tuple(p.name for p in self.declared)
        self.monomials: list[Monomial] = [(n,) for n in self.names] + list(combinations(self.names, 2))
        bounds = [(p.low, p.high) for p in obligation.parameters] + [(f.low, f.high) for f in obligation.schema.fields]
        numbers = {n.value for n in nodes(obligation) if isinstance(n, Int)}
        numbers |= {bound for pair in bounds for bound in pair if bound is not None}
        constants = sorted(numbers, key=lambda n: (abs(n), n))
        self.largest = max(map(abs, constants), default=0)
        self.near = [*[n + d for n in constants for d in (0, -1, 1)][:CONSTANTS], SMALL + self.largest]
        self.random = Random(0)
        self.broken: dict[tuple[int, ...], Case] = {}
        self.kept: list[Point] = []

    # ---------- the search

    def run(self) -> Solved | Unsolved:
        """Candidates in turn, until one is proved that nothing just outside of it speaks against."""
        self._sow()
        unproved = ""
        for _ in range(ROUNDS):
            candidate = self._candidate()
            if candidate is None:
                break
            proofs, unproved = self._proved(candidate)
            if proofs is None:
                if unproved:
                    break
                continue
            outside, learned = self._outside(candidate)
            if not learned:
                return Solved(written(candidate), proofs, outside)
        else:
            unproved = unproved or f"{ROUNDS} conditions were tried, and none was the last"
        return Unsolved(unproved or self._inseparable(), self.names, self._simplest())

    def _proved(self, candidate: Candidate) -> tuple[tuple[Proved, ...] | None, str]:
        """The proofs under each alternative. Or None, and why: no reason if a window breaks it there, now noted."""
        proofs = []
        for conjunct in candidate:
            verdict = self._ask(_meant(conjunct), self.limits, expect_proof=True)
            if isinstance(verdict, Refuted):
                self._note(verdict.case)
                return None, ""
            if not isinstance(verdict, Proved):
                where = f" where {written((conjunct,))}" if conjunct else ""
                return None, f"no short window was found that breaks it{where}, and no proof that there is none"
            proofs.append(verdict)
        return tuple(proofs), ""

    def _outside(self, candidate: Candidate) -> tuple[Case | None, bool]:
        """A case outside of the candidate; and whether a point outside was learned that no window seems to break."""
        if candidate == ANYTHING:
            return None, False
        for point in self._points_outside(candidate):
            if self._try(point):
                return None, True
        met = [case for case in self.broken.values() if not _admits(candidate, self._point(case))]
        if met:
            return min(met, key=self._size), False
        beyond = self._ask(Not(any_of(tuple(map(_meant, candidate)))), self.limits)
        return (beyond.case if isinstance(beyond, Refuted) else None), False

    def _inseparable(self) -> str:
        if self.broken and not self.kept:
            return "some window breaks it at each point that was tried"
        return (
            "no condition of up to three inequalities with small coefficients tells what breaks it from what does not"
        )

    def _simplest(self) -> Case | None:
        return min(self.broken.values(), key=self._size, default=None)

    def _size(self, case: Case) -> tuple[int, int, tuple[int, ...]]:
        point = self._point(case)
        return sum(map(abs, point.values())), sum(len(w.spans) for w in case.inputs.values()), tuple(point.values())

    # ---------- points

    def _point(self, case: Case) -> Point:
        return {n: case.parameters[n] for n in self.names}

    def _note(self, case: Case) -> None:
        self.broken.setdefault(tuple(self._point(case).values()), case)

    def _try(self, point: Point) -> bool:
        """Whether no window was found that breaks the promise at a point of which nothing was known before."""
        if tuple(point.values()) in self.broken or point in self.kept:
            return False
        exactly = _exactly(point)
        verdict = self._ask(exactly, replace(self.limits, proof=self.limits.proof * SHARE))
        if isinstance(verdict, Refuted):
            self._note(verdict.case)
            return False
        if not self._possible(exactly):
            return False
        self.kept.append(point)
        return True

    def _sow(self) -> None:
        """Points spread over the bounds, so that some of both sides is known before the first candidate."""
        for number in range(SEEDS):
            self._try(self._drawn(number))

    def _drawn(self, number: int) -> Point:
        """The least point first; then of one parameter its values of interest in turn, of several random ones."""
        point = {}
        for p in self.declared:
            least = 0 if p.low is None else p.low
            pool = [v for v in dict.fromkeys((*range(least, least + SMALL), *self.near)) if p.low is None or v >= p.low]
            value = least if number == 0 else pool[number % len(pool)] if len(self.declared) == 1 else self._one(pool)
            point[p.name] = value if p.high is None else min(value, p.high)
        return point

    def _one(self, pool: Sequence[int]) -> int:
        return pool[self.random.randrange(len(pool))]

    def _points_outside(self, candidate: Candidate) -> Iterator[Point]:
        """Small points that no alternative admits, where one inequality fails by as little as possible."""
        for i, conjunct in enumerate(candidate):
            for inequality in conjunct:
                solver, variables = self._solver(SMALL + self.largest)
                for other in conjunct:
                    value = _z3_value(other, variables)
                    solver.add(value > 0 if other is inequality else value <= 0)
                for others in (c for j, c in enumerate(candidate) if j != i):
                    solver.add(z3.Or([_z3_value(o, variables) > 0 for o in others]))
                solver.minimize(_z3_value(inequality, variables))
                for _ in range(OUTSIDE_POINTS):
                    if solver.check() != z3.sat:
                        break
                    model = solver.model()
                    point = {n: int(model.eval(v, model_completion=True).as_long()) for n, v in variables.items()}
                    solver.add(z3.Or([v != point[n] for n, v in variables.items()]))
                    yield point

    # ---------- questions

    def _ask(self, condition: Expression, limits: Limits, expect_proof: bool = False) -> Verdict:
        """The verdict on the promise under a condition. Raises Disagreement."""
        asked = self._assuming(condition)
        if expect_proof:
            asked = replace(asked, expect="proved")
        verdict = verify(asked, limits, vacuity=False, unanswered=None).verdict
        if isinstance(verdict, Failed):
            raise Disagreement(verdict.message)
        return verdict

    def _assuming(self, condition: Expression) -> Obligation:
        claim = self.obligation.claim
        return replace(self.obligation, claim=replace(claim, premise=conjunction((claim.premise, condition))))

    def _possible(self, condition: Expression) -> bool:
        """Some window satisfies what is assumed; or else a point says nothing."""
        asked = self._assuming(condition)
        asked = replace(asked, claim=replace(asked.claim, consequent=FALSE))
        verdict = verify(asked, replace(self.limits, proof=0.0), vacuity=False, unanswered=None).verdict
        return isinstance(verdict, Refuted)

    # ---------- candidates

    def _candidate(self) -> Candidate | None:
        """The simplest condition that excludes what broke and admits what held."""
        if not self.broken:
            return ANYTHING
        if not self.kept:
            return None
        for shape in SHAPES:
            found = self._separate(shape)
            if found is not None and all(map(self._admits_some, found)):
                return found
        return None

    def _admits_some(self, conjunct: Conjunction) -> bool:
        """A condition that no parameters within their bounds meet is none."""
        solver, variables = self._solver(FAR)
        solver.add([_z3_value(i, variables) <= 0 for i in conjunct])
        return bool(solver.check() == z3.sat)

    def _solver(self, reach: int) -> tuple[z3.Optimize, dict[str, z3.ArithRef]]:
        """A solver of its own, which knows nothing of what was asked before, and the parameters so far above their
        bounds."""
        context = z3.Context()
        solver = z3.Optimize(ctx=context)
        solver.set("rlimit", STEPS)
        variables = {n: z3.Int(n, context) for n in self.names}
        for p in self.declared:
            low = p.low if p.low is not None else min(0, -reach if p.high is None else p.high - reach)
            solver.add(variables[p.name] >= low, variables[p.name] <= (0 if p.low is None else low) + reach)
            if p.high is not None:
                solver.add(variables[p.name] <= p.high)
        return solver, variables

    def _separate(self, shape: tuple[int, ...]) -> Candidate | None:
        context = z3.Context()
        solver = z3.Optimize(ctx=context)
        solver.set("rlimit", STEPS)
        rows: list[list[_Row]] = []
        for i, size in enumerate(shape):
            rows.append([])
            for j in range(size):
                row = _Row(
                    {m: z3.Int(f"{i} {j} {'*'.join(m)}", context) for m in self.monomials}, z3.Int(f"{i} {j}", context)
                )
                bound = COEFFICIENT + self.largest
                solver.add([z3.And(c >= -COEFFICIENT, c <= COEFFICIENT) for c in row.factors.values()])
                solver.add(row.constant >= -bound, row.constant <= bound)
                solver.add(z3.Or([c != 0 for c in row.factors.values()]))
                rows[-1].append(row)

        def admits(point: Point) -> z3.BoolRef:
            return z3.Or([z3.And([row.at(point) <= 0 for row in conjunct]) for conjunct in rows])

        solver.add([z3.Not(admits(dict(zip(self.names, values, strict=True)))) for values in self.broken])
        solver.add([admits(point) for point in self.kept])
        cost: list[z3.ArithRef] = []
        for row in (row for conjunct in rows for row in conjunct):
            cost += [z3.If(c == 0, 0, len(m) + 1) + z3.Abs(c) for m, c in row.factors.items()]
            cost.append(z3.Abs(row.constant))
        solver.minimize(z3.Sum(cost))
        if solver.check() != z3.sat:
            return None
        model = solver.model()
        return tuple(tuple(row.read(model) for row in conjunct) for conjunct in rows)


@dataclass(frozen=True, slots=True)
class _Row:
    """An inequality whose numbers are looked for."""

    factors: Mapping[Monomial, z3.ArithRef]
    constant: z3.ArithRef

    def at(self, point: Point) -> z3.ArithRef:
        return z3.Sum([self.constant, *(c * _product(m, point) for m, c in self.factors.items())])

    def read(self, model: z3.ModelRef) -> Inequality:
        numbers = {m: int(model.eval(c, model_completion=True).as_long()) for m, c in self.factors.items()}
        constant = int(model.eval(self.constant, model_completion=True).as_long())
        return Inequality({m: f for m, f in numbers.items() if f}, constant)


def _z3_value(inequality: Inequality, variables: Mapping[str, z3.ArithRef]) -> z3.ArithRef:
    terms: list[z3.ArithRef | int] = [inequality.constant]
    for monomial, factor in inequality.coefficients.items():
        product: z3.ArithRef | int = factor
        for name in monomial:
            product = product * variables[name]
        terms.append(product)
    return z3.Sum(terms)
