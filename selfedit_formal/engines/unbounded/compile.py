"""A trace as one small query over marks, or as a scan over the window: constrained Horn clauses over one predicate.

A *mark* is a distinguished element: a witness of an existential, a `let`-bound span, a fresh span. A *rigid* is a
value guessed at the start of the scan and never changed. The state of the scan: parameters, rigids, which marks were
passed, and an accumulator for each count, total or "some" that is read. Three conditions describe it: `init`, `step`
(one element) and `fin`; `next` gives each state variable's next value. Z3 knows all of it by names that a counter
makes, the same for the same obligation; `legend` says what they stand for.

NOTE(over-approximation): every run of the policy on every window is a run of the scan: take for the rigids the true
values, for the marks the true witnesses, for the free variables the true truth values. So if no scan ends in `fin`,
no window breaks the promise. The converse holds only if `approximations` is empty and there are no `products`,
and nothing is ever refuted here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field
from typing import Literal, assert_never

import z3

from selfedit_formal._frozen import dataclass
from selfedit_formal.core.budget import Work
from selfedit_formal.core.certificate import Assumption, FieldBounds, Ground, ParameterBound
from selfedit_formal.core.property import Obligation
from selfedit_formal.core.window import Kind
from selfedit_formal.engines.unbounded.flatten import STEP, Outside, Trace, within_bounds
from selfedit_formal.engines.unbounded.flatten import flatten as flatten_obligation
from selfedit_formal.engines.unbounded.ir import (
    EVERY,
    HEAD,
    YES,
    Alive,
    Base,
    Born,
    Carry,
    Choosing,
    Dropping,
    Element,
    Evicting,
    Exist,
    Exists,
    Fact,
    FieldAt,
    Filling,
    Flat,
    Identical,
    Inserting,
    Joined,
    Kept,
    Known,
    Moving,
    Num,
    Older,
    Op,
    Operator,
    Param,
    Readmitting,
    Recalling,
    Related,
    Rescoring,
    Same,
    Setting,
    Stands,
    Stays,
    Sum,
    Touched,
    Truth,
    Way,
    both,
    conjuncts,
    either,
    free,
    negate,
    rename,
    show,
)
from selfedit_formal.engines.unbounded.terms import (
    BOOL,
    FALSE,
    INT,
    TRUE,
    ZERO,
    choice,
    conjunction,
    constants,
    disjunction,
    implication,
    negation,
)
from selfedit_formal.semantics.reads import reads_archive

LEGEND = 160
"""Characters that what a name stands for may take at most."""


@dataclass(frozen=True, slots=True)
class Mode:
    """How to compile. `direction` is where the scan starts; `depth` how often marks may call for further marks;

    `instances`: joins are made exact at witnesses only, or at all marks; `half`: at the deepest marks too, without
    further witnesses.
    """

    scan: bool
    direction: Literal["oldest", "newest"] = "newest"
    depth: int = 1
    instances: Literal["witnesses", "all"] = "all"
    half: bool = False


LeftOut = Literal["marks that are no witnesses", "the deepest marks"]
"""Where another mode would have made joins exact, and this one did not."""


@dataclass(slots=True, eq=False)
class Mark:
    element: Element
    depth: int
    on: z3.BoolRef
    placed: z3.BoolRef
    place: z3.BoolRef
    guards: list[Flat] = field(default_factory=list)
    """Conditions over `HEAD`, read where the mark is placed."""
    rest: z3.BoolRef = field(default_factory=lambda: TRUE)
    """What else holds of it, as a condition on rigids."""


@dataclass(slots=True, eq=False)
class View:
    """One element as Z3 sees it: the one under the head, or (without a scan) a mark's."""

    element: Element
    base: dict[Fact, z3.ExprRef] = field(default_factory=dict)
    fresh: dict[Element, z3.BoolRef] = field(default_factory=dict)
    memo: dict[tuple[object, ...], z3.ExprRef] = field(default_factory=dict)
    joins: dict[Flat, z3.ExprRef] = field(default_factory=dict)
    orders: dict[Element, tuple[z3.BoolRef, z3.BoolRef, z3.BoolRef]] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class Accumulator:
    """A positional count, total or "some" of one version. The placeholders are resolved once all uses are known."""

    index: int
    boolean: bool
    version: int
    weight: Flat
    body: Flat
    before: z3.ExprRef
    after: z3.ExprRef
    whole: z3.ExprRef
    own: z3.ExprRef
    value: z3.ExprRef = field(default_factory=lambda: FALSE)
    passed: z3.ArithRef | None = None
    left: z3.ArithRef | None = None
    """What counts the spans passed, and those still to come, if something does."""


@dataclass(frozen=True, slots=True, eq=False)
class Universal:
    """Of every element of the version, if `assumed`: the body (over `HEAD`)."""

    assumed: z3.BoolRef
    version: int
    body: Flat
    index: int


@dataclass(frozen=True, slots=True, eq=False)
class Query:
    """The claim is broken only if this is satisfiable."""

    formula: z3.BoolRef
    approximations: tuple[str, ...]
    left_out: frozenset[LeftOut]
    tracks: dict[Ground, z3.BoolRef]
    views: dict[Element, View]
    """What is so of each mark."""
    on: dict[Element, z3.BoolRef]
    """Mark → it denotes an element."""
    positions: dict[Element, z3.ArithRef]
    related: dict[tuple[Way, Element, Element], z3.BoolRef]
    parameters: dict[str, z3.ArithRef]
    coming: dict[tuple[str, int], z3.BoolRef]
    trace: Trace


@dataclass(frozen=True, slots=True, eq=False)
class Scan:
    """The claim is broken only if `fin` can be reached from `init` by `step`s, `next` giving the state after each.

    `next` has also variables that nothing reads, which are not part of `state`.
    """

    state: tuple[z3.ExprRef, ...]
    next: dict[z3.ExprRef, z3.ExprRef]
    init: z3.BoolRef
    step: z3.BoolRef
    fin: z3.BoolRef
    legend: dict[str, str]
    products: bool
    approximations: tuple[str, ...]
    left_out: frozenset[LeftOut]
    element: dict[Fact, z3.ExprRef]
    """What is so of the element under the head."""
    places: dict[Element, z3.BoolRef]
    """Mark → the element under the head is this mark."""
    parameters: dict[str, z3.ArithRef]
    rigid: frozenset[str]
    """The names of what does not change in the course of the scan, the parameters too."""
    coming: dict[tuple[str, int], z3.BoolRef]
    """Run and site → whether the span comes that may."""
    trace: Trace
    units: z3.BoolRef
    """Rigids that init forces, which were replaced by their values everywhere."""
    tracks: dict[Ground, z3.BoolRef]


def compile_query(obligation: Obligation, mode: Mode, tracked: bool = False, work: Work | None = None) -> Query:
    """One query over marks, quantifiers instantiated at them, counts and totals free. Raises `Outside`, `Spent`.

    `tracked`: what is assumed holds only if its track does (`Query.tracks`), and a rule whose track does not hold
    does anything.
    """
    compiler = _Compiler(obligation, mode, tracked, work or Work())
    formula, approximations = compiler.finish_query(), tuple(dict.fromkeys(compiler.approximations))
    on = {element: mark.on for element, mark in compiler.marks.items()}
    return Query(
        formula,
        approximations,
        frozenset(compiler.left_out),
        compiler.tracks,
        compiler.views,
        on,
        compiler.positions,
        compiler.related,
        compiler.parameters,
        compiler.coming,
        compiler.trace,
    )


def compile_scan(obligation: Obligation, mode: Mode, tracked: bool = False, work: Work | None = None) -> Scan:
    """A scan over the window. Raises `Outside`, `Spent`. With `tracked` things have the same names."""
    return _Compiler(obligation, mode, tracked, work or Work()).finish_scan()


class _Compiler:
    def __init__(self, obligation: Obligation, mode: Mode, tracked: bool, work: Work) -> None:
        self.work = work
        self.tracked, self.tracks = tracked, dict[Ground, z3.BoolRef]()
        self.obligation, self.mode, self.schema = obligation, mode, obligation.schema
        self.trace = flatten_obligation(obligation, work)
        self.archive = reads_archive(obligation)
        self.count = 0
        self.rigid: dict[str, z3.ExprRef] = {}
        self.legend: dict[str, str] = {}
        self.fixed: list[z3.BoolRef] = []
        self.marks: dict[Element, Mark] = {}
        self.universals: list[Universal] = []
        self.records: dict[tuple[Element, Flat], z3.ExprRef] = {}
        self.accumulators: dict[tuple[object, ...], Accumulator] = {}
        self.joins: dict[Flat, None] = {}
        self.weakened: set[int] = set()
        self.left_out: set[LeftOut] = set()
        self.closed: dict[Flat, z3.ExprRef] = {}
        self.skolem: dict[Exist, Element] = {}
        self.assumed: dict[Exist, z3.BoolRef] = {}
        self.products: dict[tuple[Flat, Flat], tuple[z3.ArithRef, z3.ArithRef, z3.ArithRef]] = {}
        self.quotients: dict[tuple[str, int], z3.ArithRef] = {}
        self.done: set[tuple[object, ...]] = set()
        self.related: dict[tuple[Way, Element, Element], z3.BoolRef] = {}
        self.views: dict[Element, View] = {}
        self.positions: dict[Element, z3.ArithRef] = {}
        self.carries: dict[int, tuple[z3.ArithRef, z3.ArithRef]] = {}
        self.coming: dict[tuple[str, int], z3.BoolRef] = {}
        self.approximations: list[str] = list(self.trace.approximations)
        self.weak = False
        self.head = View(HEAD)
        self.parameters: dict[str, z3.ArithRef] = {p.name: self.symbol("p", INT) for p in obligation.parameters}
        self.inserts = {
            s.step.mark: v for v, s in enumerate(self.trace.versions) if v and isinstance(s.step, Inserting)
        }
        self.build()

    # ---------- names

    def symbol(self, hint: str, sort: z3.SortRef) -> z3.ExprRef:
        """A new constant. The hint (letters) is for people, the number is no other's."""
        self.count += 1
        return z3.Const(f"{hint}{self.count}", sort)

    def new(self, hint: str, sort: z3.SortRef, legend: str) -> z3.ExprRef:
        """A new rigid."""
        constant = self.symbol(hint, sort)
        self.rigid[constant.decl().name()] = constant
        self.legend[constant.decl().name()] = legend
        return constant

    def explain(self, constant: z3.ExprRef, legend: str) -> None:
        self.legend[constant.decl().name()] = legend

    def track(self, ground: Ground) -> z3.BoolRef:
        """Stands for something the proof may rest on; simply true unless that is asked for."""
        # Numbered apart: with tracks and without, all else has the same names.
        return self.tracks.setdefault(ground, z3.Bool(f"track{len(self.tracks)}")) if self.tracked else TRUE

    def touched(self, version: int, condition: Flat, at: View) -> z3.BoolRef:
        """The rule of this version concerns the element. A rule whose track does not hold concerns any."""
        rule = self.trace.versions[version].rule
        hit = self.value(condition, at)
        if not self.tracked or rule is None:
            return hit
        fact = Touched(version)
        if fact not in at.base:
            at.base[fact] = z3.Bool(f"any{version}n{at.element.number}")
        return choice(self.track(rule), hit, at.base[fact])

    def add_mark(self, element: Element, depth: int, on: z3.BoolRef) -> Mark:
        mark = Mark(element, depth, on, self.symbol("seen", BOOL), self.symbol("here", BOOL))
        self.marks[element] = mark
        self.explain(mark.placed, f"{element.label} was passed")
        return mark

    def add_universal(self, assumed: z3.BoolRef, version: int, body: Flat) -> None:
        self.universals.append(Universal(assumed, version, body, len(self.universals)))

    # ---------- elements

    def view(self, mark: Element) -> View:
        return self.views.setdefault(mark, View(mark))

    def is_fresh(self, at: View, mark: Element) -> z3.BoolRef:
        if self.mode.scan:
            return self.marks[mark].place
        if mark not in at.fresh:
            at.fresh[mark] = self.symbol("is", BOOL)
        return at.fresh[mark]

    def position(self, element: Element) -> z3.ArithRef:
        """Where the element stands, in a query."""
        if element not in self.positions:
            self.positions[element] = self.symbol("pos", INT)
        return self.positions[element]

    def order(self, at: View, mark: Element) -> tuple[z3.BoolRef, z3.BoolRef, z3.BoolRef]:
        """(the element is before the mark, is the mark, is after it); all false if the mark denotes nothing."""
        if mark not in at.orders:
            at.orders[mark] = self._order_of(at, mark)
        return at.orders[mark]

    def _order_of(self, at: View, mark: Element) -> tuple[z3.BoolRef, z3.BoolRef, z3.BoolRef]:
        m = self.marks[mark]
        if self.mode.scan:
            passed, here = conjunction((m.on, m.placed)), m.place
            ahead = conjunction((m.on, negation(m.placed), negation(m.place)))
            return (ahead, here, passed) if self.mode.direction == "oldest" else (passed, here, ahead)
        p, q = self.position(at.element), self.position(mark)
        return conjunction((m.on, p < q)), conjunction((m.on, p == q)), conjunction((m.on, p > q))

    def base(self, at: View, fact: Fact, kind: Kind) -> z3.ExprRef:
        if fact not in at.base:
            at.base[fact] = self.symbol("x", _sort(kind))
        return at.base[fact]

    def known(self, version: int, at: View) -> z3.BoolRef:
        memo = ("known", version)
        if memo not in at.memo:
            at.memo[memo] = z3.simplify(self._known(version, at))
        return at.memo[memo]

    def _known(self, version: int, at: View) -> z3.BoolRef:
        if version == 0:
            return negation(disjunction([self.is_fresh(at, m) for m in self.inserts])) if self.inserts else TRUE
        made = self.trace.versions[version]
        before = self.known(made.parent, at)
        match made.step:
            case Inserting(mark):
                return disjunction((before, self.is_fresh(at, mark)))
            case Dropping(mark):
                return conjunction((before, negation(self.order(at, mark)[1])))
            case Choosing(condition, other):
                return choice(self.value(condition, at), self.known(other, at), before)
            case Evicting() | Setting() | Readmitting() | Filling() | Moving() | Recalling() | Rescoring():
                return before

    def alive(self, version: int, at: View) -> z3.BoolRef:
        memo = ("alive", version)
        if memo not in at.memo:
            at.memo[memo] = z3.simplify(self._alive(version, at))
        return at.memo[memo]

    def _alive(self, version: int, at: View) -> z3.BoolRef:
        if version == 0:
            known = self.known(0, at)
            return conjunction((known, self.base(at, Stays(), "bool"))) if self.archive else known
        made = self.trace.versions[version]
        before, guard = self.alive(made.parent, at), self.value(made.guard, at)
        match made.step:
            case Evicting(condition):
                return conjunction((before, negation(conjunction((guard, self.touched(version, condition, at))))))
            case Setting() | Rescoring() | Moving():
                return before
            case Readmitting(condition):
                return disjunction((before, conjunction((guard, self.touched(version, condition, at)))))
            case Inserting(mark):
                return disjunction((before, self.is_fresh(at, mark)))
            case Filling(_, scope, weight, cap):
                fits = self.touched(version, Op("<=", (Op("+", (Carry(version), weight)), cap)), at)
                return conjunction((before, disjunction((negation(guard), negation(self.value(scope, at)), fits))))
            case Choosing(condition, other):
                return choice(self.value(condition, at), self.alive(other, at), before)
            case Dropping(mark):
                return conjunction((before, negation(self.order(at, mark)[1])))
            case Recalling():
                return self.known(made.parent, at)

    def field(self, version: int, at: View, name: str) -> z3.ExprRef:
        memo = ("field", version, name)
        if memo not in at.memo:
            at.memo[memo] = z3.simplify(self._field(version, at, name))
        return at.memo[memo]

    def _field(self, version: int, at: View, name: str) -> z3.ExprRef:
        kind = self.schema.field(name).kind
        born = self.base(at, Born(name), kind)
        if version == EVERY:
            return born
        if version == 0:
            return choice(self.known(0, at), born, _zero(kind)) if self.inserts else born
        made = self.trace.versions[version]
        before = self.field(made.parent, at, name)
        match made.step:
            case Setting(condition, updates, archive) if name in updates:
                present = self.alive(made.parent, at)
                inside = conjunction((self.known(made.parent, at), negation(present))) if archive else present
                hit = conjunction((self.value(made.guard, at), inside, self.touched(version, condition, at)))
                return choice(hit, self.value(updates[name], at), before)
            case Rescoring(mark, updates) if name in updates:
                hit = conjunction((self.order(at, mark)[1], self.known(made.parent, at)))
                return choice(hit, self.value(updates[name], at), before)
            case Inserting(mark):
                return choice(self.is_fresh(at, mark), born, before)
            case Dropping(mark):
                return choice(self.order(at, mark)[1], _zero(kind), before)
            case Choosing(condition, other):
                return choice(self.value(condition, at), self.field(other, at, name), before)
            case Setting() | Rescoring() | Evicting() | Readmitting() | Filling() | Moving() | Recalling():
                return before

    # ---------- a term about a mark

    def at_mark(self, mark: Element, item: Flat) -> z3.ExprRef:
        """The value of a term over `HEAD` at a mark; in a scan a rigid, recorded where the mark is placed."""
        if not self.mode.scan:
            here = self.value(item, self.view(mark))
            if mark.kind == "witness":
                return here
            return choice(self.marks[mark].on, here, FALSE if here.sort() == BOOL else ZERO)
        key = (mark, item)
        if key not in self.records:
            sort = self.value(item, self.head).sort()
            constant = self.new("v", sort, show(rename(item, {HEAD: mark})))
            self.records[key] = constant
            if mark.kind != "witness":
                absent = negation(constant) if sort == BOOL else constant == 0
                self.fixed.append(disjunction((self.marks[mark].on, absent)))
        return self.records[key]

    # ---------- values, exact but for joins

    def value(self, item: Flat, at: View) -> z3.ExprRef:
        self.work.spend(STEP)
        match item:
            case Num(number):
                return z3.IntVal(number)
            case Truth(truth):
                return z3.BoolVal(truth)
            case Param(name):
                return self.parameters[name]
            case Base(element, fact, kind):
                return (
                    self.base(at, fact, kind)
                    if element == HEAD
                    else self.at_mark(element, rename(item, {element: HEAD}))
                )
            case FieldAt(element, name, version):
                if element == HEAD:
                    return self.field(version, at, name)
                return self.at_mark(element, FieldAt(HEAD, name, version))
            case Alive(element, version):
                return self.alive(version, at) if element == HEAD else self.at_mark(element, Alive(HEAD, version))
            case Known(element, version):
                return self.known(version, at) if element == HEAD else self.at_mark(element, Known(HEAD, version))
            case Exists(mark):
                return self.marks[mark].on
            case Older(left, right):
                return self._order(left, right, at, 0)
            case Same(left, right):
                return self._order(left, right, at, 1)
            case Related(way, source, target):
                return self._related(way, source, target, at)
            case Carry(version):
                return self._carry(version, at)
            case Exist():
                return self._exist(item, at)
            case Stands(_, _, _, body):
                return self.value(body, at)
            case Identical(body):
                raise Outside("an equality of windows with fresh spans is used both ways: " + show(body))
            case Sum():
                return self._sum(item, at)
            case Op("*", (left, right)):
                return self._product(left, right, at)
            case Op(operator, items):
                return self._operate(operator, [self.value(i, at) for i in items])

    def _operate(self, operator: Operator, v: list[z3.ExprRef]) -> z3.ExprRef:
        match operator:
            case "and":
                return conjunction(v)
            case "or":
                return disjunction(v)
            case "not":
                return negation(v[0])
            case "implies":
                return implication(v[0], v[1])
            case "ite":
                return choice(v[0], v[1], v[2])
            case "+":
                return z3.Sum(v) if len(v) > 1 else v[0]
            case "*":
                raise AssertionError("a product is not a function of two values")
            case "div":
                return self._quotient(v[0], v[1].as_long())
            case "mod":
                return v[0] - v[1] * self._quotient(v[0], v[1].as_long())
            case "<":
                return v[0] < v[1]
            case "<=":
                return v[0] <= v[1]
            case "==":
                return v[0] == v[1]
        assert_never(operator)

    def _product(self, left: Flat, right: Flat, at: View) -> z3.ExprRef:
        """A constant factor stays linear; of two parameters the product is a rigid, tracked by ghosts beside the
        counters (NOTE(products)). Nothing else has a product in a scan."""
        x, y = self.value(left, at), self.value(right, at)
        if not self.mode.scan or _constant(left) is not None or _constant(right) is not None:
            return x * y
        if not (isinstance(left, Param) and isinstance(right, Param)):
            raise Outside("a product of something else than parameters and numbers")
        if (left, right) not in self.products:
            q = self.new("Q", INT, f"{left.name} * {right.name}")
            self.products[left, right] = (x, y, q)
            self.fixed += [
                implication(conjunction((x >= 0, y >= 0)), q >= 0),
                implication(conjunction((x >= 1, y >= 0)), q >= y),
                implication(conjunction((y >= 1, x >= 0)), q >= x),
            ]
        return self.products[left, right][2]

    def _quotient(self, x: z3.ArithRef, divisor: int) -> z3.ArithRef:
        """Division rounded down. Of parameters: a rigid between two linear bounds, so that the scan stays linear."""
        named = constants(x)
        if named and all(any(v.eq(p) for p in self.parameters.values()) for v in named.values()):
            key = (x.sexpr(), divisor)
            if key not in self.quotients:
                q = self.new("d", INT, f"{x} / {divisor}")
                self.quotients[key] = q
                self.fixed += [divisor * q <= x, x <= divisor * q + divisor - 1]
            return self.quotients[key]
        return x / divisor

    def _order(self, left: Element, right: Element, at: View, which: int) -> z3.ExprRef:
        if left == HEAD and right == HEAD:
            return FALSE if which == 0 else TRUE
        if left == HEAD:
            return self.order(at, right)[which]
        if right == HEAD:
            return self.order(at, left)[2 if which == 0 else 1]
        if left == right:
            return FALSE if which == 0 else self.marks[left].on
        return self.at_mark(right, Older(left, HEAD) if which == 0 else Same(left, HEAD))

    def _related(self, way: Way, source: Element, target: Element, at: View) -> z3.ExprRef:
        if source == HEAD and target == HEAD:
            return FALSE
        if self.mode.scan:
            if source == HEAD:
                return self.base(at, Joined(way, target, True), "bool")
            if target == HEAD:
                return self.base(at, Joined(way, source, False), "bool")
            one, two = (
                self.at_mark(target, Related(way, source, HEAD)),
                self.at_mark(source, Related(way, HEAD, target)),
            )
            if ("related", way, source, target) not in self.done:
                self.done.add(("related", way, source, target))
                self.fixed.append(one == two)
            return one
        a, b = (at.element if end == HEAD else end for end in (source, target))
        self.view(a), self.view(b)
        if (way, a, b) not in self.related:
            self.related[way, a, b] = self.symbol("l", BOOL)
        return self.related[way, a, b]

    def _carry(self, version: int, at: View) -> z3.ExprRef:
        if not self.mode.scan:
            self.approximations.append("what a fill has kept is free")
            return self.base(at, Kept(version), "int")
        carry, rest = self._carries(version)
        return carry if self._fills_along(version) else rest

    def _carries(self, version: int) -> tuple[z3.ArithRef, z3.ArithRef]:
        """What a fill has kept at the head, and (if it goes the other way) behind it."""
        if version not in self.carries:
            self.carries[version] = self.symbol("c", INT), self.symbol("x", INT)
        return self.carries[version]

    def _fills_along(self, version: int) -> bool:
        step = self.trace.versions[version].step
        assert isinstance(step, Filling)
        return step.newest_first == (self.mode.direction == "newest")

    # ---------- quantifiers and aggregates

    def split(self, body: Flat, variable: Element, focus: Element) -> tuple[list[bool], Flat, bool]:
        """The conjuncts that only order the variable against the focus → which of (before, same, after) they admit;
        the rest; and whether they are false if the focus is absent (which stands nowhere, so no negation is)."""
        admitted, rest, there = [True, True, True], [], False
        for c in conjuncts(body):
            negated = isinstance(c, Op) and c.operator == "not"
            atom = c.items[0] if isinstance(c, Op) and negated else c
            match atom:
                case Older(left, right) if (left, right) == (variable, focus):
                    only = [True, False, False]
                case Older(left, right) if (left, right) == (focus, variable):
                    only = [False, False, True]
                case Same(left, right) if {left, right} == {variable, focus}:
                    only = [False, True, False]
                case _:
                    rest.append(c)
                    continue
            there = there or not negated
            admitted = [x and (y != negated) for x, y in zip(admitted, only, strict=True)]
        return admitted, both(*rest), there

    def _exist(self, item: Exist, at: View) -> z3.ExprRef:
        """The truth of a quantifier of which both polarities matter."""
        names = free(item)
        if HEAD not in names:
            if item not in self.closed:
                b = self.new("q", BOOL, show(item))
                self.closed[item] = b
                self.fixed += [
                    implication(b, self.imply(item, True, None, 0)),
                    implication(negation(b), self.imply(item, False, None, 0)),
                ]
            return self.closed[item]
        admitted, rest, _ = self.split(item.body, item.variable, HEAD)
        if self.mode.scan and HEAD not in free(rest):
            a = self.accumulator(YES, rest, item.variable, item.version, True)
            parts = [n for n, x in zip((a.before, a.own, a.after), admitted, strict=True) if x]
            return disjunction(parts) if parts else FALSE
        return self._join(item, at, BOOL)

    def _join(self, item: Flat, at: View, sort: z3.SortRef) -> z3.ExprRef:
        """A quantifier or aggregate that compares its spans with the one under the head: free here, made exact at
        marks (`instances`)."""
        if item not in self.joins:
            self.joins[item] = None
            self.approximations.append("free at unmarked spans: " + show(item))
        if item not in at.joins:
            at.joins[item] = self.symbol("j", sort)
        return at.joins[item]

    def _sum(self, item: Sum, at: View) -> z3.ExprRef:
        names = free(item)
        if HEAD not in names:
            for mark in sorted(names, key=lambda m: (m.kind == "let", m.number)):
                admitted, rest, there = self.split(item.body, item.variable, mark)
                alone = mark not in free(rest) and mark not in free(item.weight) and admitted != [True] * 3
                if alone and (there or mark.kind == "witness"):
                    return self.at_mark(mark, rename(item, {mark: HEAD}))
            return self._closed_sum(item)
        admitted, rest, _ = self.split(item.body, item.variable, HEAD)
        if HEAD in free(rest) or HEAD in free(item.weight):
            return self._join(item, at, INT)
        if not self.mode.scan:
            self.approximations.append("free: " + show(item))
            memo = ("sum", item)
            if memo not in at.memo:
                at.memo[memo] = self.symbol("T", INT)
            return at.memo[memo]
        a = self.accumulator(item.weight, rest, item.variable, item.version, False)
        if all(admitted):
            return a.whole
        if admitted == [True, False, True]:
            return a.whole - a.own
        parts = [n for n, x in zip((a.before, a.own, a.after), admitted, strict=True) if x]
        return z3.Sum(parts) if len(parts) > 1 else parts[0] if parts else ZERO

    def _closed_sum(self, item: Sum) -> z3.ExprRef:
        if not self.mode.scan:
            self.approximations.append("free: " + show(item))
            if item not in self.closed:
                self.closed[item] = self.new("T", INT, show(item))
            return self.closed[item]
        return self.accumulator(item.weight, item.body, item.variable, item.version, False).whole

    def accumulator(self, weight: Flat, body: Flat, variable: Element, version: int, boolean: bool) -> Accumulator:
        weight, body = rename(weight, {variable: HEAD}), rename(body, {variable: HEAD})
        key = (weight, body, version, boolean)
        if key not in self.accumulators:
            sort = BOOL if boolean else INT
            names = [self.symbol(hint, sort) for hint in ("before", "after", "whole", "own")]
            self.accumulators[key] = Accumulator(self.count, boolean, version, weight, body, *names)
        return self.accumulators[key]

    def _contribution(self, a: Accumulator) -> z3.ExprRef:
        inside = TRUE if a.version == EVERY else self.alive(a.version, self.head)
        hit = conjunction((inside, self.value(a.body, self.head)))
        return hit if a.boolean else choice(hit, self.value(a.weight, self.head), ZERO)

    # ---------- by polarity

    def imply(self, item: Flat, positive: bool, at: View | None, depth: int) -> z3.BoolRef:
        """A condition implied by the item (or its negation), up to choosing rigids and marks. `at` None: the item is
        closed."""
        match item:
            case Op("not", (inner,)):
                return self.imply(inner, not positive, at, depth)
            case Op("and" | "or" as operator, items):
                parts = [self.imply(i, positive, at, depth) for i in items]
                return conjunction(parts) if (operator == "and") == positive else disjunction(parts)
            case Op("implies", (left, right)):
                sides = [self.imply(left, not positive, at, depth), self.imply(right, positive, at, depth)]
                return disjunction(sides) if positive else conjunction(sides)
            case Stands(_, _, _, body):
                return self.imply(body, positive, at, depth)
            case Identical(body):
                return TRUE if positive else self.imply(body, False, at, depth)
            case Exist(variable, _, body):
                if HEAD not in free(item):
                    return self._witness(item, depth) if positive else self._universal(item)
                _, rest, _ = self.split(body, variable, HEAD)
                if not (self.mode.scan and HEAD not in free(rest)):
                    self.weak = True
                    return TRUE
            case _:
                pass
        value = self.value(item, self.head if at is None else at)
        return value if positive else negation(value)

    def _witness(self, item: Exist, depth: int) -> z3.BoolRef:
        if item not in self.skolem:
            if depth > self.mode.depth:
                return negation(self._none(item))
            witness = self.trace.element("witness", item.variable.label)
            self.skolem[item] = witness
            on = self.new("on", BOOL, f"witness {witness.label} of: {show(item)}")
            guards = [Alive(HEAD, item.version)] if item.version != EVERY else []
            mark = self.add_mark(witness, depth, on)
            meant = _short(show(rename(item.body, {item.variable: witness})))
            self.explain(mark.placed, f"{witness.label} was passed: {meant}")
            self._describe(mark, both(*guards, rename(item.body, {item.variable: HEAD})))
        mark = self.marks[self.skolem[item]]
        return conjunction((mark.on, mark.rest))

    def _describe(self, mark: Mark, condition: Flat) -> None:
        """The mark satisfies the condition (over `HEAD`): directly where it is placed, or, for joins, as a closed
        condition about it."""
        later = []
        for c in conjuncts(condition):
            if self._has_join(c):
                later.append(c)
            else:
                mark.guards.append(c)
        if later:
            of_it = (rename(c, {HEAD: mark.element}) for c in later)
            mark.rest = conjunction([self.imply(c, True, None, mark.depth) for c in of_it])

    def _has_join(self, item: Flat) -> bool:
        match item:
            case Exist(variable, _, body):
                if HEAD not in free(item):
                    return True
                _, rest, _ = self.split(body, variable, HEAD)
                return not self.mode.scan or HEAD in free(rest) or self._has_join(body)
            case Op(_, items):
                return any(self._has_join(i) for i in items)
            case Stands(_, _, _, body):
                return self._has_join(body)
            case Identical():
                return True
            case _:
                return False

    def _universal(self, item: Exist) -> z3.BoolRef:
        """No element satisfies the body."""
        none = self._none(item)
        if ("none", item) not in self.done:
            self.done.add(("none", item))
            self.add_universal(none, item.version, negate(rename(item.body, {item.variable: HEAD})))
        return none

    def _none(self, item: Exist) -> z3.BoolRef:
        """That there is none: one truth, wherever it is spoken of."""
        if item not in self.assumed:
            self.assumed[item] = self.new("u", BOOL, f"assumed: no {show(item).removeprefix('some ')}")
        return self.assumed[item]

    # ---------- assembling

    def build(self) -> None:
        trace = self.trace
        for mark in self.inserts:
            self.add_mark(mark, 0, self.new("on", BOOL, f"{mark.label} is put in"))
        for let in trace.lets:
            self.add_mark(let.mark, 0, self.new("on", BOOL, f"there is {let.mark.label}"))
        for witness in trace.witnesses:
            self.add_mark(witness, 0, TRUE)
        for witness, condition in trace.witnesses.items():
            self._describe(self.marks[witness], condition)
            self.fixed.append(self.marks[witness].rest)
        for let in trace.lets:
            m = self.marks[let.mark]
            self._describe(m, let.condition)
            self.fixed.append(implication(m.on, m.rest))
            other = Older(HEAD, let.mark) if let.which == "first" else Older(let.mark, HEAD)
            self.add_universal(TRUE, EVERY, Op("implies", (let.condition, both(Exists(let.mark), negate(other)))))
        for version in self.inserts.values():
            self._place(version)
        for constraint in trace.constraints:
            self.add_universal(TRUE, EVERY, constraint)
        for parameter in self.obligation.parameters:
            x = self.parameters[parameter.name]
            self.explain(x, f"the parameter {parameter.name}")
            if parameter.low is not None:
                bound = ParameterBound(parameter.name, "least", parameter.low)
                self.fixed.append(implication(self.track(bound), x >= parameter.low))
            if parameter.high is not None:
                bound = ParameterBound(parameter.name, "most", parameter.high)
                self.fixed.append(implication(self.track(bound), x <= parameter.high))
        for i, item in enumerate(trace.assumed):
            self.fixed.append(implication(self.track(Assumption(i)), self.imply(item, True, None, 0)))
        for item in trace.broken:
            self.fixed.append(self.imply(item, True, None, 0))

    def _place(self, version: int) -> None:
        made = self.trace.versions[version]
        assert isinstance(made.step, Inserting)
        mark, where, beside = made.step.mark, made.step.where, made.step.beside
        m = self.marks[mark]
        asked = [self.value(made.guard, self.head)]
        if made.step.may:
            asked.append(self._comes(mark))
        self.fixed.append(m.on == conjunction(asked))
        m.guards = [made.step.constraint]
        self._describe(m, made.step.condition)
        self.fixed.append(implication(m.on, m.rest))
        match where:
            case "front":
                relative: Flat = Older(mark, HEAD)
            case "back":
                relative = Older(HEAD, mark)
            case "before" | "after":
                assert beside is not None
                older: Flat = Older(HEAD, beside)
                if where == "after":
                    older = either(older, Same(HEAD, beside))
                relative = either(both(older, Older(HEAD, mark)), both(negate(older), Older(mark, HEAD)))
        self.add_universal(m.on, EVERY, Op("implies", (Known(HEAD, made.parent), relative)))

    def _comes(self, mark: Element) -> z3.BoolRef:
        """The choice whether the fresh span comes: one for its run and statement, whatever the window."""
        made = self.trace.fresh[mark]
        key = (made.run, made.site)
        if key not in self.coming:
            self.coming[key] = self.new("may", BOOL, f"{mark.label} may come")
        return self.coming[key]

    def canonical(self, at: View) -> z3.BoolRef:
        """An element of the input obeys the bounds of its fields (a fresh one those of the statement that made it)."""
        declared = (f for f in self.schema.fields if Born(f.name) in at.base)
        bounds = [
            implication(self.track(FieldBounds(f.name)), self.value(b, at))
            for f in declared
            for b in within_bounds(FieldAt(HEAD, f.name, EVERY), f, self.trace.codes)
        ]
        return implication(self.known(0, at), conjunction(bounds)) if bounds else TRUE

    def _instances(self) -> None:
        """Joins, and universals that a join weakened, made exact at the marks."""
        for m in list(self.marks.values()):
            if m.depth > 0 and m.depth >= self.mode.depth and not self.mode.half:
                self.left_out.add("the deepest marks")
                continue
            if self.mode.instances == "witnesses" and m.element.kind != "witness":
                self.left_out.add("marks that are no witnesses")
                continue
            for item in list(self.joins):
                if (m.element, item) in self.done:
                    continue
                self.done.add((m.element, item))
                here = self.at_mark(m.element, item)
                at_mark = rename(item, {HEAD: m.element})
                if isinstance(at_mark, Sum):
                    if self.mode.scan:
                        self.fixed.append(implication(m.on, here == self._closed_sum(at_mark)))
                    continue
                yes, no = self.imply(at_mark, True, None, m.depth + 1), self.imply(at_mark, False, None, m.depth + 1)
                self.fixed += [
                    implication(conjunction((m.on, here)), yes),
                    implication(conjunction((m.on, negation(here))), no),
                ]
            for u in list(self.universals):
                if (m.element, u.index) in self.done or (self.mode.scan and u.index not in self.weakened):
                    continue
                self.done.add((m.element, u.index))
                body = self.imply(rename(u.body, {HEAD: m.element}), True, None, m.depth + 1)
                inside = TRUE if u.version == EVERY else self.value(Alive(m.element, u.version), self.head)
                self.fixed.append(implication(conjunction((m.on, u.assumed, inside)), body))

    def _everywhere(self, u: Universal, at: View) -> z3.BoolRef:
        self.weak = False
        body = self.imply(u.body, True, at, 0)
        if self.weak and u.index not in self.weakened:
            self.weakened.add(u.index)
            self.approximations.append("used at marks only: " + show(u.body))
        inside = TRUE if u.version == EVERY else self.alive(u.version, at)
        return implication(conjunction((u.assumed, inside)), body)

    def _size(self) -> tuple[int, ...]:
        parts = (
            self.marks,
            self.universals,
            self.records,
            self.accumulators,
            self.joins,
            self.done,
            self.fixed,
            self.weakened,
        )
        return tuple(len(p) for p in parts)

    # ---------- one query

    def finish_query(self) -> z3.BoolRef:
        while True:
            size = self._size()
            self._instances()
            for m in list(self.marks.values()):
                for u in list(self.universals):
                    if (m.element, u.index) in self.done or ("weak", m.element, u.index) in self.done:
                        continue
                    self.done.add(("weak", m.element, u.index))
                    self.fixed.append(implication(m.on, self._everywhere(u, self.view(m.element))))
            if size == self._size():
                break
        conditions = list(self.fixed)
        marks = list(self.marks.values())
        for m in marks:
            at = self.view(m.element)
            holds = [self.value(g, at) for g in m.guards]
            for mark in self.inserts:
                fresh = self.is_fresh(at, mark)
                if m.element == mark:
                    holds.append(fresh)
                else:
                    holds.append(
                        implication(
                            fresh, conjunction((self.marks[mark].on, self.position(m.element) == self.position(mark)))
                        )
                    )
            conditions.append(implication(m.on, conjunction(holds)) if holds else TRUE)
            conditions.append(implication(m.on, self.canonical(at)))
        for i, m in enumerate(marks):
            for n in marks[:i]:
                conditions.append(self._same_values(m, n))
        return conjunction(conditions)

    def _same_values(self, m: Mark, n: Mark) -> z3.BoolRef:
        x, y = self.view(m.element), self.view(n.element)
        same = [x.base[k] == y.base[k] for k in x.base if k in y.base]
        same += [x.joins[k] == y.joins[k] for k in x.joins if k in y.joins]
        same += [x.fresh[k] == y.fresh[k] for k in x.fresh if k in y.fresh]
        for (way, a, b), r in self.related.items():
            for old, new in ((m.element, n.element), (n.element, m.element)):
                if a == old and (way, new, b) in self.related:
                    same.append(r == self.related[way, new, b])
                if b == old and (way, a, new) in self.related:
                    same.append(r == self.related[way, a, new])
        if not same:
            return TRUE
        return implication(
            conjunction((m.on, n.on, self.position(m.element) == self.position(n.element))), conjunction(same)
        )

    # ---------- a scan

    def finish_scan(self) -> Scan:
        head, conditions = self.head, dict[tuple[object, ...], z3.BoolRef]()
        while True:
            size = self._size()
            for m in list(self.marks.values()):
                guards = [self.value(g, head) for g in m.guards]
                conditions["place", m.element] = implication(m.place, conjunction([m.on, negation(m.placed), *guards]))
            for u in list(self.universals):
                conditions["universal", u.index] = self._everywhere(u, head)
            for (mark, item), constant in list(self.records.items()):
                conditions["record", mark, item] = implication(
                    self.marks[mark].place, constant == self.value(item, head)
                )
            self._fills(_Draft([]))
            for a in list(self.accumulators.values()):
                a.value = self._contribution(a)
            self._instances()
            if size == self._size():
                break
        step = [*conditions.values(), self.canonical(head)]
        fresh = [self.marks[m].place for m in self.inserts]
        step += [negation(conjunction((a, b))) for i, a in enumerate(fresh) for b in fresh[:i]]
        draft = _Draft(step)
        for m in self.marks.values():
            draft.add(m.placed, disjunction((m.placed, m.place)), negation(m.placed))
            draft.fin.append(implication(m.on, m.placed))
        self._fills(draft)
        late = self._accumulate(draft)
        self._ghosts(draft)
        return self._assemble(draft, late)

    def _fills(self, draft: _Draft) -> None:
        head = self.head
        for version, made in enumerate(self.trace.versions):
            if version == 0 or not isinstance(made.step, Filling):
                continue
            step = made.step
            used = conjunction(
                (self.value(made.guard, head), self.alive(made.parent, head), self.value(step.scope, head))
            )
            (carry, _), before = self._carries(version), self._carry(version, head)
            weight = self.value(step.weight, head)
            fits = before + weight <= self.value(step.cap, head)
            after = choice(conjunction((used, fits)), before + weight, before)
            self.explain(carry, "what the fill has kept " + ("so far" if self._fills_along(version) else "of the rest"))
            if self._fills_along(version):
                draft.add(carry, after, carry == 0)
            else:
                draft.add(carry, before, TRUE)
                draft.step.append(carry == after)
                draft.fin.append(carry == 0)

    def _accumulate(self, draft: _Draft) -> list[tuple[z3.ExprRef, z3.ExprRef]]:
        """Gives each accumulator the state its uses need. Returns prophecies of whole-window values with the counters
        that explain them."""
        texts = [*draft.step, *draft.next.values()]
        values = [a.value for a in self.accumulators.values()]
        used = constants(*texts, *values, *self.fixed).keys()
        late = []
        for a in self.accumulators.values():
            oldest = self.mode.direction == "oldest"
            behind, ahead = (a.before, a.after) if oldest else (a.after, a.before)
            reads_behind, reads_ahead, reads_whole = (str(c) in used for c in (behind, ahead, a.whole))
            what = _describe(a)
            draft.replace.append((a.own, a.value))
            # Numbered with the accumulator: which of them are needed hangs on what could be simplified.
            if a.boolean:
                if reads_behind:
                    seen = z3.Bool(f"s{a.index}")
                    self.explain(seen, f"{what}, among those passed")
                    draft.add(seen, disjunction((seen, a.value)), negation(seen))
                    draft.replace.append((behind, seen))
                if reads_ahead:
                    coming, after = z3.Bool(f"r{a.index}"), z3.Bool(f"x{a.index}")
                    self.explain(coming, f"{what}, among those still to come")
                    draft.add(coming, after, TRUE)
                    draft.fin.append(negation(coming))
                    draft.step.append(coming == disjunction((after, a.value)))
                    draft.replace.append((ahead, after))
                continue
            if reads_ahead and not reads_behind and not reads_whole:
                left = a.left = z3.Int(f"r{a.index}")
                self.explain(left, f"{what}, among those still to come")
                draft.add(left, left - a.value, left >= 0 if a.weight == Num(1) else TRUE)
                draft.fin.append(left == 0)
                draft.replace.append((ahead, left - a.value))
                continue
            passed = a.passed = z3.Int(f"n{a.index}")
            self.explain(passed, f"{what}, among those passed")
            draft.add(passed, passed + a.value, passed == 0)
            draft.replace.append((behind, passed))
            if reads_ahead or reads_whole:
                whole = z3.Int(f"N{a.index}")
                self.rigid[whole.decl().name()] = whole
                self.explain(whole, f"{what}, in the whole window")
                draft.replace += [(a.whole, whole), (ahead, whole - passed - a.value)]
                late.append((whole, passed))
        return late

    def _ghosts(self, draft: _Draft) -> None:
        """NOTE(products): beside every counter c a ghost g = c * m is kept exactly; c <= k then gives g <= k * m, and
        so on.

        These facts are theorems of arithmetic for m >= 0 (`solve._product_facts`), so the scan itself stays linear.
        """
        names = {x.decl().name(): name for name, x in self.parameters.items()}
        for x, y, q in self.products.values():
            for a in self.accumulators.values():
                if a.boolean or a.weight != Num(1):
                    continue
                for counter, down in ((a.passed, False), (a.left, True)):
                    if counter is None:
                        continue
                    for k, m in ((x, y), (y, x)):
                        g = z3.Int(f"g{counter.decl().name()}{m.decl().name()}")
                        self.explain(g, f"{counter} * {names[m.decl().name()]}")
                        grown = choice(a.value > 0, m, ZERO)
                        facts = implication(
                            m >= 0, conjunction((implication(counter <= k, g <= q), implication(counter >= k, g >= q)))
                        )
                        if down:
                            draft.add(g, g - grown, facts)
                            draft.fin.append(g == 0)
                        else:
                            draft.add(g, g + grown, g == 0)
                        facts = conjunction((facts, implication(conjunction((m >= 0, counter + 1 <= k)), g + m <= q)))
                        draft.step.append(facts)
                        draft.fin.append(facts)

    def _assemble(self, draft: _Draft, late: list[tuple[z3.ExprRef, z3.ExprRef]]) -> Scan:
        def resolve(f: z3.ExprRef) -> z3.ExprRef:
            while True:
                self.work.spend(STEP)
                g = z3.substitute(f, draft.replace)
                if g.eq(f):
                    return g
                f = g

        step = [resolve(f) for f in draft.step]
        following = {v: resolve(f) for v, f in draft.next.items()}
        init, fin = [resolve(f) for f in draft.init], [resolve(f) for f in draft.fin]
        fixed, units = _propagate([resolve(f) for f in self.fixed], self.rigid)
        known = list(units.items())

        def reduce(f: z3.ExprRef) -> z3.ExprRef:
            return z3.simplify(z3.substitute(f, known) if known else f)

        step = [f for f in map(reduce, step) if not z3.is_true(f)]
        following = {v: reduce(f) for v, f in following.items()}
        init, fin = [reduce(f) for f in init], [reduce(f) for f in fin]
        # A whole-window value that the scan never reads is compared at the end instead of being guessed at the start.
        inside = constants(*step, *following.values(), *init).keys()
        postponed = [(whole, counter) for whole, counter in late if str(whole) not in inside]
        fin += [counter == whole for whole, counter in late if str(whole) in inside]
        names = {str(whole) for whole, _ in postponed}
        for f in fixed:
            if constants(f).keys() & names:
                fin.append(z3.substitute(f, postponed))
            else:
                init.append(f)
        rigid = [c for n, c in self.rigid.items() if n not in names]
        parameters = list(self.parameters.values())
        state = _live([*following, *parameters, *rigid], following, [*step, *fin])
        return Scan(
            tuple(state),
            {v: following.get(v, v) for v in (*following, *parameters, *rigid)},
            conjunction(init),
            conjunction(step),
            conjunction(fin),
            self.legend,
            bool(self.products),
            tuple(dict.fromkeys(self.approximations)),
            frozenset(self.left_out) if self.joins or self.weakened else frozenset(),
            dict(self.head.base),
            {m.element: m.place for m in self.marks.values()},
            self.parameters,
            frozenset((*self.rigid, *(x.decl().name() for x in parameters))),
            self.coming,
            self.trace,
            conjunction([v if z3.is_true(value) else negation(v) for v, value in known]),
            self.tracks,
        )


@dataclass(slots=True, eq=False)
class _Draft:
    """A scan being put together. `replace` resolves placeholders."""

    step: list[z3.BoolRef]
    next: dict[z3.ExprRef, z3.ExprRef] = field(default_factory=dict)
    init: list[z3.BoolRef] = field(default_factory=list)
    fin: list[z3.BoolRef] = field(default_factory=list)
    replace: list[tuple[z3.ExprRef, z3.ExprRef]] = field(default_factory=list)

    def add(self, variable: z3.ExprRef, following: z3.ExprRef, initially: z3.BoolRef) -> None:
        self.next[variable] = following
        self.init.append(initially)


def _describe(a: Accumulator) -> str:
    what = f" where {_short(show(a.body))}" if a.body != YES else ""
    window = "the input" if a.version == 0 else f"the window after edit {a.version}"
    if a.boolean:
        return f"there is a span of {window}{what}"
    if a.weight == Num(1):
        return f"how many spans of {window}{what}"
    return f"total {show(a.weight)} in {window}{what}"


def _constant(item: Flat) -> int | None:
    """The number that the term is, if it is built of numbers only."""
    match item:
        case Num(value):
            return value
        case Op("+", items):
            found = [_constant(i) for i in items]
            numbers = [n for n in found if n is not None]
            return sum(numbers) if len(numbers) == len(found) else None
        case _:
            return None


def _short(text: str) -> str:
    return text if len(text) <= LEGEND else text[: LEGEND - 1] + "…"


def _sort(kind: Kind) -> z3.SortRef:
    return BOOL if kind == "bool" else INT


def _zero(kind: Kind) -> z3.ExprRef:
    return FALSE if kind == "bool" else ZERO


def _flat(formulas: Iterable[z3.ExprRef]) -> list[z3.ExprRef]:
    found = []
    for f in formulas:
        if z3.is_and(f):
            found += _flat(f.children())
        elif not z3.is_true(f):
            found.append(f)
    return found


def _propagate(
    formulas: list[z3.ExprRef], rigid: dict[str, z3.ExprRef]
) -> tuple[list[z3.ExprRef], dict[z3.ExprRef, z3.ExprRef]]:
    """Rigid Booleans that are forced, replaced everywhere."""
    units: dict[z3.ExprRef, z3.ExprRef] = {}
    flat = _flat(z3.simplify(f) for f in formulas)
    while True:
        new: dict[z3.ExprRef, z3.ExprRef] = {}
        for f in flat:
            if z3.is_const(f) and str(f) in rigid:
                new[f] = TRUE
            elif z3.is_not(f) and z3.is_const(f.arg(0)) and str(f.arg(0)) in rigid:
                new[f.arg(0)] = FALSE
        if not new:
            return flat, units
        units.update(new)
        flat = _flat(z3.simplify(z3.substitute(f, list(new.items()))) for f in flat)


def _live(
    state: list[z3.ExprRef], following: dict[z3.ExprRef, z3.ExprRef], roots: list[z3.ExprRef]
) -> list[z3.ExprRef]:
    """State that something reads: a condition, or the next value of state that is read."""
    read = {v.decl().name(): constants(f).keys() for v, f in following.items()}
    wanted = set(constants(*roots))
    while True:
        more = wanted.union(*(names for name, names in read.items() if name in wanted))
        if more == wanted:
            return [v for v in state if v.decl().name() in wanted]
        wanted = more
