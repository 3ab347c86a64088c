"""An obligation as versions and closed formulas: passes are run symbolically, statement by statement, for a window of
any length.

What this translation does not express (a written-out window, two of them) it says by raising `Outside`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from itertools import combinations
from typing import Literal, NoReturn, assert_never

from selfedit_formal._frozen import dataclass
from selfedit_formal.core import expression as e
from selfedit_formal.core import policy as p
from selfedit_formal.core.budget import Work
from selfedit_formal.core.certificate import RuleGround
from selfedit_formal.core.property import (
    ARRIVAL_SITE,
    ARRIVED_ID,
    ORACLE_SITE,
    RESCORED_SITE,
    Obligation,
    fresh_id,
    run_key,
)
from selfedit_formal.core.traverse import arrivals, depth, nodes
from selfedit_formal.core.window import COVERS, NO_KEY, NO_NAME, TAG, Field, Schema
from selfedit_formal.engines.unbounded.ir import (
    EVERY,
    HEAD,
    NO,
    YES,
    Alive,
    Base,
    Binder,
    Choosing,
    Chosen,
    Circle,
    Constant,
    Dropping,
    Element,
    Evicting,
    FieldAt,
    Filling,
    Flat,
    Identical,
    Inserting,
    KnownIn,
    LetMark,
    Moving,
    Num,
    Op,
    Overflowed,
    Param,
    Readmitting,
    Recalling,
    Related,
    Rescoring,
    Same,
    Setting,
    Stands,
    Version,
    Way,
    Where,
    Which,
    both,
    either,
    every,
    exists,
    free,
    negate,
    some,
    total,
)
from selfedit_formal.engines.unbounded.order import SCANNED, Either, Exchanged, FlatOrder, placed


class Outside(Exception):
    """The obligation is outside the fragment; the message says what is, in the user's words."""


STEP = 100
"""Solver steps that take as long as bringing one expression into this form, or one of these into Z3's."""


ROOT = Version(parent=-1, guard=NO, step=Evicting(NO))
"""Stands for the input window in the list of versions; never looked into."""

KEYS = {NO_KEY: 0}
LARGEST_ORDER = 400
"""The size of an order that is still told in formulas: each move multiplies it."""


@dataclass(slots=True)
class PassFacts:
    """What a pass did, beside its window."""

    version: int
    refused: Flat = NO
    logged: list[Binder] = field(default_factory=list)
    overridden: list[Binder] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Subject:
    """The pass that a gate is around, without its gates: its policy, its key, and what it did."""

    policy: str
    run: str
    facts: PassFacts


@dataclass(frozen=True, slots=True)
class Environment:
    """What names mean at a place. In a pass `version` is the current window and `run` its key; in a promise there is
    neither, nor in a gate, which is around the `subject`.

    `certain`: what is named here must exist in every case, and not only where a gate is asked.
    """

    spans: Mapping[str, Element]
    sets: Mapping[str, Binder]
    locals: Mapping[str, Flat]
    version: int | None
    run: str | None
    windows: Mapping[str, int]
    bound: Mapping[str, int]
    """Span name → a version that knows the span, or in which it is absent altogether."""
    subject: Subject | None = None
    certain: bool = True

    def span(self, name: str, element: Element, version: int) -> Environment:
        return replace(self, spans={**self.spans, name: element}, bound={**self.bound, name: version})


@dataclass(frozen=True, slots=True)
class Made:
    """Where a fresh element comes from. `span` is what choices about it call it (`ChoiceKey`)."""

    run: str
    site: int
    span: str


@dataclass(slots=True)
class Trace:
    """The whole obligation, flattened. `assumed` are closed conditions that hold; the claim is broken if all of
    `broken` hold too.

    `constraints` hold of every element (over `HEAD`). `witnesses` are the claim's bound spans and a plan's, each with a
    condition over `HEAD`, and `spans` says which is which. `codes`: the number of each name of an enum.
    """

    versions: list[Version] = field(default_factory=lambda: [ROOT])
    lets: list[LetMark] = field(default_factory=list)
    constraints: list[Flat] = field(default_factory=list)
    assumed: list[Flat] = field(default_factory=list)
    broken: list[Flat] = field(default_factory=list)
    witnesses: dict[Element, Flat] = field(default_factory=dict)
    spans: dict[str, Element] = field(default_factory=dict)
    approximations: list[str] = field(default_factory=list)
    fresh: dict[Element, Made] = field(default_factory=dict)
    codes: Mapping[str, int] = field(default_factory=dict)
    elements: int = 0
    """How many there are; the next one has the next number."""
    labels: set[str] = field(default_factory=set)

    def element(self, kind: Literal["bound", "witness", "let", "fresh"], label: str) -> Element:
        """A new one. Only a bound variable may be labelled as another one is."""
        told, n = label, 2
        while told in self.labels:
            told, n = f"{label}_{n}", n + 1
        if kind != "bound":
            self.labels.add(told)
        self.elements += 1
        return Element(self.elements, kind, told)


def flatten(obligation: Obligation, work: Work | None = None) -> Trace:
    """The obligation as versions and formulas. Raises `Outside`, and `Spent` if that is too much work."""
    return _Flattener(obligation, work or Work()).run()


class _Flattener:
    def __init__(self, obligation: Obligation, work: Work) -> None:
        self.obligation, self.work = obligation.plain(), work
        self.schema = obligation.schema
        self.trace = Trace(codes=codes(self.schema))
        self.passes: dict[tuple[object, ...], PassFacts] = {}
        self.windows: dict[tuple[object, ...], int] = {}
        """Made windows by what they are made of: the same window is the same version, wherever it is spoken of."""
        self.orders: dict[int, FlatOrder] = {0: SCANNED}
        """Of the versions that are in another order than those they were made from."""
        self.covers: dict[int, Binder] = {}
        self.seen: set[int] = set()
        """The windows of which the claim, or a gate, names spans."""
        self.outer: dict[str, Element] = {}
        self.outer_bound: dict[str, int] = {}

    # ---------- the claim

    def run(self) -> Trace:
        obligation, claim = self.obligation, self.obligation.claim
        if obligation.fixed is not None:
            raise Outside("the window is written out")
        if len(claim.inputs) != 1:
            raise Outside("the promise compares two independent windows")
        if any(_empty(f) for f in self.schema.fields):
            raise Outside("a field that can have no value")
        top = Environment({}, {}, {}, None, None, {claim.inputs[0]: 0}, {})
        names = (*obligation.spans, *(b.variable for b in claim.bound))
        spans = self.trace.spans = {name: self.trace.element("witness", name) for name in names}
        if len(spans) != len(names):
            raise Outside("two spans of the promise have one name")
        for name in obligation.spans:
            self.outer[name], self.outer_bound[name] = spans[name], 0
            others = both(*(negate(Same(HEAD, m)) for m in self.trace.witnesses))
            self.trace.witnesses[spans[name]] = both(Alive(HEAD, 0), others)
        for bound in claim.bound:
            version = self.window(bound.window, self._with_outer(top))
            self.outer[bound.variable], self.outer_bound[bound.variable] = spans[bound.variable], version
            self.trace.witnesses[spans[bound.variable]] = Alive(HEAD, version)
            self.seen.add(version)
        scope = self._with_outer(top)
        premises = claim.premise.items if isinstance(claim.premise, e.And) else (claim.premise,)
        self.trace.assumed += (self.flat(item, scope) for item in premises if item != e.TRUE)
        self.trace.broken.append(self.flat(claim.antecedent, scope))
        self.trace.broken.append(negate(self.flat(claim.consequent, scope)))
        self._twins()
        return self.trace

    def _twins(self) -> None:
        """A span that one statement puts into two windows in the same pass is the same span, and here it is two."""
        made = self.trace.fresh
        bound = {mark for version in self.seen for mark in self._fresh(version)}
        if any(made[mark] == made[other] for mark in bound for other in made if mark != other):
            raise Outside("the promise, or a gate, speaks of a span that is put into two windows")

    def _with_outer(self, scope: Environment) -> Environment:
        return replace(scope, spans={**scope.spans, **self.outer}, bound={**scope.bound, **self.outer_bound})

    def _add(self, version: Version) -> int:
        self.trace.versions.append(version)
        return len(self.trace.versions) - 1

    def order(self, version: int) -> FlatOrder:
        while version not in self.orders:
            made = self.trace.versions[version]
            if isinstance(made.step, Choosing) and (one := self.order(made.step.other)) is not self.order(made.parent):
                self.orders[version] = Either(made.step.condition, one, self.order(made.parent))
            else:
                version = made.parent
        found = self.orders[version]
        if found.size > LARGEST_ORDER:
            raise Outside("spans are moved too often, or in too many cases")
        return found

    def _older(self, version: int, left: Element, right: Element) -> Flat:
        order = self.order(version)
        told = order.older(left, right)
        # An order that is told in other terms says something of absent ones too.
        return told if order is SCANNED else Stands(left, right, version, both(exists(left), exists(right), told))

    # ---------- windows

    def window(self, term: e.WindowTerm | None, scope: Environment) -> int:
        if term is None:
            if scope.version is None:
                raise Outside("a window is missing")
            return scope.version
        match term:
            case e.Input(name):
                return scope.windows[name]
            case e.Pass():
                return self.facts(term, scope).version
            case e.Without(inner, span):
                mark = self._mark(span, "a window without it", scope)
                return self._made(Dropping(mark), self.window(inner, scope), mark)
            case e.Rescored(inner, span):
                mark = self._mark(span, "its other score", scope)
                scores = [f for f in self.schema.fields if f.oracle == "query"]
                updates: dict[str, Flat] = {f.name: self._chosen("", RESCORED_SITE, f.name, f) for f in scores}
                for f in scores:
                    self._bounded(updates[f.name], f)
                return self._made(Rescoring(mark, updates), self.window(inner, scope), mark)
            case e.Arrived(inner, size):
                return self._arrived(self.window(inner, scope), self.flat(size, scope), arrivals(term), scope)
            case e.Known(inner):
                return self._made(Recalling(), self.window(inner, scope))
            case e.Swapped(inner, first, second):
                before = self.window(inner, scope)
                marks = [self._mark(span, "another place", scope) for span in (first, second)]
                known = both(*(self._known(span, before, scope) for span in (first, second)))
                found = self._made(Moving(), before, *marks)
                self.orders[found] = Exchanged(self.order(before), known, *marks)
                return found
        assert_never(term)

    def _made(self, step: Dropping | Rescoring | Recalling | Moving, parent: int, *of: Element) -> int:
        """The window that a promise makes of another one in this way."""
        key = (type(step), parent, *of)
        if key not in self.windows:
            self.windows[key] = self._add(Version(parent, YES, step))
        return self.windows[key]

    def _mark(self, span: str, what: str, scope: Environment) -> Element:
        found = scope.spans[span]
        if found not in self.trace.witnesses:
            raise Outside(f"{what} is asked of a span that an inner quantifier binds")
        return found

    def _chosen(self, run: str, site: int, field_name: str, declared: Field | None) -> Base:
        """A free value of the element under the head: what `ChoiceKey(run, site, element, field_name)` chooses."""
        return Base(HEAD, Chosen(run, site, field_name), "bool" if declared is None else declared.kind)

    def _bounded(self, value: Flat, declared: Field) -> None:
        bounds = within_bounds(value, declared, self.trace.codes)
        self.trace.constraints += (b for b in bounds if b not in self.trace.constraints)

    def _arrived(self, parent: int, tokens: Flat, number: int, scope: Environment) -> int:
        """`number`: how many spans arrive in the making of the window, this one included."""
        key = (Inserting, parent, tokens, number)
        if key in self.windows:
            return self.windows[key]
        if any(x.kind == "bound" for x in free(tokens)):
            raise Outside("what arrives has a size that an inner quantifier's span decides")
        bounds = self.schema.field("tokens")
        sure = isinstance(tokens, Num) and within(tokens.value, bounds)
        if not (scope.certain or sure or (bounds.low is None and bounds.high is None)):
            raise Outside("a span that cannot arrive is asked for by a gate, of passes that do not refuse only")
        span = ARRIVED_ID if number == 1 else f"{ARRIVED_ID}_{number}"
        mark = self.trace.element("fresh", span)
        self.trace.fresh[mark] = Made("", ARRIVAL_SITE, span)
        open_fields = (f for f in self.schema.fields if f.name != "tokens" and f.oracle != "window")
        constraint = both(
            Op("==", (FieldAt(HEAD, "tokens", EVERY), tokens)),
            *within_bounds(FieldAt(HEAD, "tokens", EVERY), bounds, self.trace.codes),
            *(c for f in open_fields for c in _born(f, self.trace.codes)),
        )
        self.windows[key] = self._insert(Version(parent, YES, Inserting(mark, "back", None, constraint)))
        return self.windows[key]

    def _insert(self, version: Version) -> int:
        """Where spans were moved before, the fresh one is moved to its place."""
        assert isinstance(version.step, Inserting)
        mark, where, beside = version.step.mark, version.step.where, version.step.beside
        before, made = self.order(version.parent), self._add(version)
        if before is not SCANNED:
            self.orders[made] = placed(before, lambda x: Same(x, mark), where, beside)
        return made

    def facts(self, term: e.Pass, scope: Environment) -> PassFacts:
        subject = scope.subject
        if subject is not None and (term.policy, term.run, term.window) == (subject.policy, "", e.Input(e.ASSUMED)):
            return subject.facts
        start = self.window(term.window, scope)
        return self._pass(
            self.obligation.policy(term.policy),
            start,
            self._key(term, scope),
            term.gated and subject is None,
            scope.certain,
        )

    def _key(self, term: e.Pass, scope: Environment) -> str:
        """What choices call the pass."""
        if scope.subject is None:
            return run_key(term.policy, term.run, depth(term))
        return run_key(scope.subject.run, p.GATE_RUN + term.run, depth(term))

    def _start(self, policy: p.Policy, version: int, run: str) -> Environment:
        """What names mean where a pass begins."""
        if not set(policy.spans) <= set(self.obligation.spans):
            raise Outside("a plan whose spans the promise does not name")
        spans = {name: self.trace.spans[name] for name in policy.spans}
        return Environment(spans, {}, {}, version, run, {}, dict.fromkeys(spans, 0))

    def _pass(self, policy: p.Policy, start: int, run: str, gated: bool, certain: bool) -> PassFacts:
        gated = gated and bool(policy.gates)
        memo = (policy.name, start, run, gated)
        if memo in self.passes:
            return self.passes[memo]
        if gated:
            facts = self._behind_gates(policy, start, run, self._pass(policy, start, run, False, certain), certain)
        else:
            if not certain and _may_not_exist(policy):
                raise Outside("a pass that may not exist is asked for by a gate, of passes that do not refuse only")
            facts = PassFacts(start)
            scope = self._start(policy, start, run)
            body = _Body(self, policy, run, facts)
            facts.version, _ = body.statements(policy.body, YES, start, scope)
            facts.refused = either(*body.refusals)
            if facts.refused != NO:
                facts.version = self._add(Version(facts.version, YES, Choosing(facts.refused, start)))
        self.passes[memo] = facts
        return facts

    def _behind_gates(self, policy: p.Policy, start: int, run: str, done: PassFacts, certain: bool) -> PassFacts:
        # The gates of a pass that refuses are not asked.
        inside = replace(
            self._start(policy, start, run),
            version=None,
            run=None,
            windows={e.ASSUMED: start},
            subject=Subject(policy.name, run, done),
            certain=certain and done.refused == NO,
        )
        closed = negate(both(*(self.flat(gate.condition, inside) for gate in policy.gates)))
        version = self._add(Version(done.version, YES, Choosing(closed, start)))
        return PassFacts(version, either(done.refused, closed), done.logged, done.overridden)

    # ---------- expressions

    def flat(self, item: e.Expression, scope: Environment) -> Flat:
        self.work.spend(STEP)
        match item:
            case e.Int(value):
                return Num(value)
            case e.Bool(value):
                return Constant(value)
            case e.Name(kind, value):
                return self._name(kind, value)
            case e.Parameter(name):
                return Param(name)
            case e.Local(name):
                return scope.locals[name]
            case e.Read(span, name, _, window):
                return self._read(span, self.schema.field(name), window, scope)
            case e.Add(items):
                return Op("+", tuple(self.flat(i, scope) for i in items))
            case e.Multiply(left, right):
                return Op("*", (self.flat(left, scope), self.flat(right, scope)))
            case e.Divide(divisor=divisor) | e.Modulo(divisor=divisor) if divisor <= 0:
                raise Outside("a division by a number that is not positive")
            case e.Divide(dividend, divisor, rounding):
                numerator = self.flat(dividend, scope)
                if rounding == "up":
                    numerator = Op("+", (numerator, Num(divisor - 1)))
                return Op("div", (numerator, Num(divisor)))
            case e.Modulo(dividend, divisor):
                return Op("mod", (self.flat(dividend, scope), Num(divisor)))
            case e.Count(variable, window, condition):
                version, inner, bound = self._bind(variable, window, scope)
                return total(bound, version, Num(1), self.flat(condition, inner))
            case e.Total(variable, window, weight, condition):
                version, inner, bound = self._bind(variable, window, scope)
                return total(bound, version, self.flat(weight, inner), self.flat(condition, inner))
            case e.If(condition, then, otherwise):
                return Op("ite", (self.flat(condition, scope), self.flat(then, scope), self.flat(otherwise, scope)))
            case e.Not(inner_item):
                return negate(self.flat(inner_item, scope))
            case e.And(items):
                return both(*(self.flat(i, scope) for i in items))
            case e.Or(items):
                return either(*(self.flat(i, scope) for i in items))
            case e.Implies(left, right):
                return Op("implies", (self.flat(left, scope), self.flat(right, scope)))
            case e.Compare(operator, left, right):
                return _compare(operator, self.flat(left, scope), self.flat(right, scope))
            case e.Equal(left, right):
                return Op("==", (self.flat(left, scope), self.flat(right, scope)))
            case e.Before(first, second, window):
                version = self.window(window, scope)
                a, b = scope.spans[first], scope.spans[second]
                known = (self._known(x, version, scope) for x in (first, second))
                return both(*known, self._older(version, a, b))
            case e.SameSpan(first, second):
                return Same(scope.spans[first], scope.spans[second])
            case e.Linked(link, source, target, window):
                return self._linked(link, scope.spans[source], scope.spans[target], window, scope)
            case e.Reaches(link, source, target, window):
                return self._reaches(link, scope.spans[source], scope.spans[target], self.window(window, scope))
            case e.Present(span, window):
                return Alive(scope.spans[span], self.window(window, scope))
            case e.InSet(span, name):
                return scope.sets[name](scope.spans[span])
            case e.Some(variable, window, condition):
                version, inner, bound = self._bind(variable, window, scope)
                return some(bound, version, self.flat(condition, inner))
            case e.All(variable, window, condition):
                version, inner, bound = self._bind(variable, window, scope)
                return every(bound, version, self.flat(condition, inner))
            case e.SameWindow(left, right):
                return self._same_window(self.window(left, scope), self.window(right, scope))
            case e.SameRecord(span, left, right):
                return self._same_record(scope.spans[span], self.window(left, scope), self.window(right, scope))
            case e.Triggered(name, run, seen):
                policy = self.obligation.policy(name)
                version, key = self.window(seen, scope), self._key(e.Pass(name, run, seen), scope)
                inside = self._start(policy, version, key)
                found, _ = self._triggered(policy.body, version, inside, _Body(self, policy, key, PassFacts(version)))
                return found
            case e.Refused(made):
                return self.facts(made, scope).refused
            case e.Logged(span, made):
                facts = self.facts(made, scope)
                return both(negate(facts.refused), either(*(b(scope.spans[span]) for b in facts.logged)))
            case e.Overridden(span, made):
                facts = self.facts(made, scope)
                return both(negate(facts.refused), either(*(b(scope.spans[span]) for b in facts.overridden)))
            case e.Created(span):
                return both(exists(scope.spans[span]), negate(KnownIn(scope.spans[span], 0)))
            case e.Fires():
                raise Outside("whether a rule fires is a question for a window, not for every window")
        assert_never(item)

    def _name(self, kind: Literal["key", "enum"], value: str) -> Flat:
        if kind == "key":
            return Num(KEYS[value], value) if value in KEYS else _outside(f"the key `{value}`")
        if value == NO_NAME:
            return Num(0)
        return Num(self.trace.codes[value], value) if value in self.trace.codes else _outside(f"the name `{value}`")

    def _read(self, span: str, declared: Field, window: e.WindowTerm | None, scope: Environment) -> Flat:
        element, version = scope.spans[span], self.window(window, scope)
        if declared.oracle != "window":
            return FieldAt(element, declared.name, version)
        if scope.run is None:
            raise Outside("an oracle is read outside of a pass")
        value, known = self._oracle(element, declared, version, scope.run), self._known(span, version, scope)
        return value if known == YES else Op("ite", (known, value, _zero(declared)))

    def _oracle(self, element: Element, declared: Field, version: int, run: str) -> Flat:
        plain = self._chosen(run, ORACLE_SITE, declared.name, declared)
        self._bounded(plain, declared)
        value: Flat = replace(plain, element=element)
        rescored = self._rescored(version, element)
        if rescored == NO:
            return value
        other = self._chosen(run, RESCORED_SITE, declared.name, declared)
        self._bounded(other, declared)
        return Op("ite", (rescored, replace(other, element=element), value))

    def _rescored(self, version: int, element: Element) -> Flat:
        """The version is one in which window oracles answer anew about the element."""
        if version <= 0:
            return NO
        made = self.trace.versions[version]
        before = self._rescored(made.parent, element)
        match made.step:
            case Rescoring(mark):
                homes = (self.outer_bound[n] for n, m in self.outer.items() if m == mark)
                known = any(self._plainly(home, made.parent) for home in homes)
                return either(before, both(Same(element, mark), YES if known else KnownIn(mark, made.parent)))
            case Dropping(mark):
                return both(before, negate(Same(element, mark)))
            case Choosing(condition, other):
                there = self._rescored(other, element)
                return before if there == before else Op("ite", (condition, there, before))
            case Evicting() | Setting() | Readmitting() | Inserting() | Filling() | Moving() | Recalling():
                return before

    def _known(self, span: str, version: int, scope: Environment) -> Flat:
        """That the version knows the span; nothing if it plainly does, since versions only get to know more (but for
        `Dropping`, and where a pass is undone that made the span)."""
        known = self._plainly(scope.bound[span], version)
        return YES if known else KnownIn(scope.spans[span], version)

    def _plainly(self, bound: int, version: int) -> bool:
        """Whether the version knows whatever the one it comes from, `bound`, knows."""
        v = version
        while v > bound:
            made = self.trace.versions[v]
            if isinstance(made.step, Dropping) or (isinstance(made.step, Choosing) and made.step.other < bound):
                break
            v = made.parent
        return v == bound

    def _bind(self, variable: str, window: e.WindowTerm | None, scope: Environment) -> tuple[int, Environment, Element]:
        version = self.window(window, scope)
        if scope.run is None:
            self.seen.add(version)
        bound = self.trace.element("bound", variable)
        return version, scope.span(variable, bound, version), bound

    def _linked(
        self, link: str, source: Element, target: Element, window: e.WindowTerm | None, scope: Environment
    ) -> Flat:
        if link != COVERS:
            declared = next(k for k in self.schema.links if k.name == link)
            ends: list[Flat] = [KnownIn(source, 0), KnownIn(target, 0), negate(Same(source, target))]
            for element, tags in ((source, declared.from_tags), (target, declared.to_tags)):
                if tags is not None:
                    ends.append(either(*(Op("==", (FieldAt(element, TAG, 0), self._name("enum", t))) for t in tags)))
            return both(*ends, Related(Way(link), source, target))
        return self._covers(self.window(window, scope), source, target)

    def _reaches(self, link: str, source: Element, target: Element, version: int) -> Flat:
        """Any relation at all between present spans."""
        self.trace.approximations.append("`reaches` may say anything of two spans")
        way = Way(link, version)
        related = Base(source, Circle(way), "bool") if source == target else Related(way, source, target)
        return both(Alive(source, version), Alive(target, version), related)

    def _covers(self, version: int, source: Element, target: Element) -> Flat:
        if version <= 0:
            return NO
        made = self.trace.versions[version]
        before = self._covers(made.parent, source, target)
        match made.step:
            case Inserting(mark) if version in self.covers:
                return either(before, both(Same(source, mark), self.covers[version](target)))
            case Dropping(mark):
                return both(before, negate(Same(source, mark)), negate(Same(target, mark)))
            case Choosing(condition, other):
                there = self._covers(other, source, target)
                return before if there == before else Op("ite", (condition, there, before))
            case (
                Evicting() | Setting() | Readmitting() | Inserting() | Filling() | Moving() | Recalling() | Rescoring()
            ):
                return before

    def _ancestors(self, version: int) -> set[int]:
        found: set[int] = set()
        todo = [version]
        while todo:
            v = todo.pop()
            if v <= 0 or v in found:
                continue
            found.add(v)
            step = self.trace.versions[v].step
            todo.append(self.trace.versions[v].parent)
            if isinstance(step, Choosing):
                todo.append(step.other)
        return found

    def _compared_fields(self) -> list[Field]:
        return [f for f in self.schema.fields if f.oracle != "window" and not f.history]

    def _same_window(self, left: int, right: int) -> Flat:
        """The same elements with the same fields; a fresh span may stand for another one of the same statement with
        an equal record and place.

        With fresh spans that is sufficient for equality to a reader, and not necessary (`Identical`).
        """
        one, two = self._fresh(left), self._fresh(right)
        pairs = [(a, b) for a, rule in one.items() for b, other in two.items() if rule == other and a != b]
        paired = dict.fromkeys(m for pair in pairs for m in pair)
        x, y = self.trace.element("bound", "e"), self.trace.element("bound", "f")
        differs = [negate(Op("==", (Alive(x, left), Alive(x, right))))]
        differs += [both(Alive(x, left), d) for d in self._differences(x, left, x, right)]
        others = (negate(Same(x, m)) for m in paired)
        same = negate(some(x, EVERY, both(*others, either(*differs))))
        for m in paired:
            replaced = [self._replaced(a, b, left, right) for a, b in pairs if m in (a, b)]
            kept = both(
                Op("==", (Alive(m, left), Alive(m, right))),
                *(Op("implies", (Alive(m, left), negate(d))) for d in self._differences(m, left, m, right)),
            )
            same = both(same, either(kept, *replaced))
        for (a, b), (c, d) in combinations(pairs, 2):
            gone = [both(Alive(m, left), negate(Alive(m, right))) for m in dict.fromkeys((a, c))]
            come = [both(negate(Alive(m, left)), Alive(m, right)) for m in dict.fromkeys((b, d))]
            # Two that stand for two others stand in their order, and none stands for two.
            stand = self._older(left, a, c), self._older(right, b, d)
            ordered = Op("==", stand) if len(gone) == len(come) else NO
            same = both(same, Op("implies", (both(*gone, *come), ordered)))
        if self.order(left) is not self.order(right):
            turned = both(Alive(y, right), self._older(left, x, y), negate(self._older(right, x, y)))
            same = both(same, negate(some(x, left, both(Alive(x, right), some(y, left, turned)))))
        return Identical(same) if one or two else same

    def _replaced(self, old: Element, new: Element, left: int, right: int) -> Flat:
        """The right window has the new span where, and as, the left one has the old."""
        x = self.trace.element("bound", "e")
        return both(
            Alive(old, left),
            negate(Alive(old, right)),
            negate(Alive(new, left)),
            Alive(new, right),
            *(negate(d) for d in self._differences(old, left, new, right, always=True)),
            every(x, left, either(Same(x, old), Op("==", (self._older(left, x, old), self._older(right, x, new))))),
        )

    def _differences(self, a: Element, left: int, b: Element, right: int, always: bool = False) -> list[Flat]:
        return [
            negate(Op("==", (FieldAt(a, f.name, left), FieldAt(b, f.name, right))))
            for f in self._compared_fields()
            if always or self._changes(f.name, left, right)
        ]

    def _fresh(self, version: int) -> dict[Element, RuleGround | None]:
        """The fresh spans that the version may have, with the statement that makes each (none: it arrives)."""
        made = (self.trace.versions[v] for v in sorted(self._ancestors(version)))
        return {v.step.mark: v.rule for v in made if isinstance(v.step, Inserting)}

    def _changes(self, name: str, left: int, right: int) -> bool:
        """Whether an element that both versions have may have another value in each."""
        for v in self._ancestors(left) | self._ancestors(right):
            match self.trace.versions[v].step:
                case Setting(_, updates) | Rescoring(_, updates) if name in updates:
                    return True
                case Setting() | Rescoring() | Evicting() | Readmitting() | Inserting() | Filling() | Choosing():
                    pass
                case Dropping() | Moving() | Recalling():
                    pass
                case step:
                    assert_never(step)
        return False

    def _same_record(self, element: Element, left: int, right: int) -> Flat:
        equal = [
            Op("==", (FieldAt(element, f.name, left), FieldAt(element, f.name, right)))
            for f in self._compared_fields()
            if self._changes(f.name, left, right)
        ]
        a, b = KnownIn(element, left), KnownIn(element, right)
        return either(both(a, b, *equal), both(negate(a), negate(b)))

    def _triggered(
        self, body: tuple[p.Statement, ...], version: int, scope: Environment, run: _Body
    ) -> tuple[Flat, bool]:
        """That every trigger before the first edit holds; and whether there is an edit."""
        found: Flat = YES
        for statement in body:
            match statement:
                case p.LetSet() | p.LetSpan() | p.LetValue():
                    scope = run.let(statement, YES, version, scope)
                case p.Block(_, condition, inner, True):
                    deeper, edits = self._triggered(inner, version, scope, run)
                    found = both(found, self.flat(condition, scope), deeper)
                    if edits:
                        return found, True
                case p.Block() | p.Keep() | p.Refuse():
                    pass
                case p.Evict() | p.Set() | p.Insert() | p.Readmit() | p.Move() | p.Fill():
                    return found, True
        return found, False


class _Body:
    """The statements of one pass."""

    def __init__(self, outer: _Flattener, policy: p.Policy, run: str, facts: PassFacts) -> None:
        self.outer, self.policy, self.run, self.facts = outer, policy, run, facts
        self.refusals: list[Flat] = []
        self.kept: list[Binder] = []

    def rule(self, site: int) -> RuleGround:
        return RuleGround(self.policy.name, site)

    def statements(
        self, body: tuple[p.Statement, ...], guard: Flat, version: int, scope: Environment
    ) -> tuple[int, Environment]:
        for statement in body:
            active = both(guard, *(negate(r) for r in self.refusals))
            version, scope = self.statement(statement, active, version, scope)
        return version, scope

    def statement(self, item: p.Statement, guard: Flat, version: int, scope: Environment) -> tuple[int, Environment]:
        outer = self.outer
        scope = replace(scope, version=version)
        match item:
            case p.LetSet() | p.LetSpan() | p.LetValue():
                return version, self.let(item, guard, version, scope)
            case p.Keep(_, variable, condition):
                members = self.members(variable, condition, version, scope)
                self.kept.append(lambda x: both(guard, members(x)))
                return version, scope
            case p.Evict(_, variable, condition, logged):
                hit = self.unprotected(variable, condition, version, scope)
                if logged:
                    self.facts.logged.append(lambda x: both(guard, hit(x)))
                return outer._add(Version(version, guard, Evicting(hit(HEAD)), self.rule(item.site))), scope
            case p.Set(site, variable, condition, assignments, archive=archive):
                hit = (
                    self.members(variable, condition, version, scope, archive=True)
                    if archive
                    else self.unprotected(variable, condition, version, scope)
                )
                inner = scope.span(variable, HEAD, version)
                updates = {a.field: self.assigned(a, site, both(guard, hit(HEAD)), inner) for a in assignments}
                setting = Setting(hit(HEAD), updates, archive)
                return outer._add(Version(version, guard, setting, self.rule(item.site))), scope
            case p.Insert():
                return self.insert(item, guard, version, scope), scope
            case p.Readmit(_, variable, condition, place, override):
                archived = self.members(variable, condition, version, scope, archive=True)
                if override:
                    self.facts.overridden.append(lambda x: both(guard, archived(x)))
                back = Version(version, guard, Readmitting(archived(HEAD)), self.rule(item.site))
                return self.moved(back, archived, place, scope), scope
            case p.Move(_, variable, condition, place):
                moving = self.members(variable, condition, version, scope)
                return self.moved(Version(version, guard, Moving(), self.rule(item.site)), moving, place, scope), scope
            case p.Fill(_, variable, newest_first, condition, weight, cap):
                scoped = self.unprotected(variable, condition, version, scope)
                if outer.order(version) is not SCANNED:
                    outer.trace.approximations.append(f"`fill` over moved spans keeps any{_at(item.origin)}")
                    lost = both(scoped(HEAD), Base(HEAD, Overflowed(len(outer.trace.versions)), "bool"))
                    return outer._add(Version(version, guard, Evicting(lost), self.rule(item.site))), scope
                inner = scope.span(variable, HEAD, version)
                step = Filling(newest_first, scoped(HEAD), outer.flat(weight, inner), outer.flat(cap, scope))
                return outer._add(Version(version, guard, step, self.rule(item.site))), scope
            case p.Block(_, condition, body):
                holds = outer.flat(condition, scope)
                version, _ = self.statements(body, both(guard, holds), version, scope)
                return version, scope
            case p.Refuse(_, condition):
                self.refusals.append(both(guard, outer.flat(condition, scope)))
                return version, scope

    def moved(self, version: Version, moving: Binder, place: p.Place, scope: Environment) -> int:
        """The version, in which what is moving stands at the place."""
        outer, parent = self.outer, version.parent
        made = outer._add(version)
        where: Where
        beside: Element | None
        match place:
            case p.Original():
                return made
            case p.End(where):
                beside, somewhere = None, version.guard
            case p.Beside(where, span):
                beside = scope.spans[span]
                somewhere = both(version.guard, exists(beside), outer._known(span, parent, scope))

        def goes(x: Element) -> Flat:
            return both(somewhere, moving(x), YES if beside is None else negate(Same(x, beside)))

        outer.orders[made] = placed(outer.order(parent), goes, where, beside)
        return made

    def members(
        self, variable: str, condition: e.Expression, version: int, scope: Environment, archive: bool = False
    ) -> Binder:
        def test(x: Element) -> Flat:
            inside = both(KnownIn(x, version), negate(Alive(x, version))) if archive else Alive(x, version)
            return both(inside, self.outer.flat(condition, scope.span(variable, x, version)))

        return test

    def unprotected(self, variable: str, condition: e.Expression, version: int, scope: Environment) -> Binder:
        members, kept = self.members(variable, condition, version, scope), tuple(self.kept)
        return lambda x: both(members(x), *(negate(k(x)) for k in kept))

    def let(
        self, item: p.LetSet | p.LetSpan | p.LetValue, guard: Flat, version: int, scope: Environment
    ) -> Environment:
        scope = replace(scope, version=version)
        match item:
            case p.LetSet(site, name, variable, condition, archive, may):
                members = self.members(variable, condition, version, scope, archive)
                chosen = self.outer._chosen(self.run, site, "", None)
                if may:
                    return replace(
                        scope, sets={**scope.sets, name: lambda x: both(members(x), replace(chosen, element=x))}
                    )
                return replace(scope, sets={**scope.sets, name: members})
            case p.LetSpan(_, name, term):
                return scope.span(name, self.pick(name, term, version, scope), _home(term, version, scope))
            case p.LetValue(_, name, _, value):
                return replace(scope, locals={**scope.locals, name: self.outer.flat(value, scope)})

    def pick(self, name: str, term: p.SpanTerm, version: int, scope: Environment) -> Element:
        outer = self.outer

        def marking(which: Which, found: Flat) -> Element:
            mark = outer.trace.element("let", name)
            outer.trace.lets.append(LetMark(mark, which, found))
            return mark

        match term:
            case p.SpanNamed(span):
                return scope.spans[span]
            case p.Pick(which, variable, condition, archive):
                return outer.order(version).pick(
                    which, self.members(variable, condition, version, scope, archive), marking
                )
            case p.NoSpan():
                found: Flat = NO
            case p.SpanIf(condition, then, otherwise):
                c = outer.flat(condition, scope)
                a = self.pick(f"{name}_then", then, version, scope)
                b = self.pick(f"{name}_else", otherwise, version, scope)
                found = Op("ite", (c, Same(HEAD, a), Same(HEAD, b)))
        return marking("first", found)

    def insert(self, item: p.Insert, guard: Flat, version: int, scope: Environment) -> int:
        outer = self.outer
        where: Where
        beside: Element | None
        match item.place:
            case p.End(end):
                where, beside = end, None
            case p.Beside(side, span):
                where, beside = side, scope.spans[span]
                guard = both(guard, exists(beside), outer._known(span, version, scope))
            case p.Original():
                return version
        span = fresh_id(self.run, item.site)
        mark = outer.trace.element("fresh", span)
        outer.trace.fresh[mark] = Made(self.run, item.site, span)
        assigned = {a.field for a in item.assignments}
        constraint: list[Flat] = []
        for a in item.assignments:
            declared = outer.schema.field(a.field)
            value = FieldAt(HEAD, a.field, EVERY)
            match a:
                case p.Assign(_, given):
                    constraint.append(Op("==", (value, outer.flat(given, scope))))
                case p.Open(_, low, high):
                    constraint += within_bounds(value, declared, outer.trace.codes)
                    constraint += self.limits(value, low, high, scope)
        for f in outer.schema.fields:
            if f.name in assigned or f.oracle == "window":
                continue
            constraint += [negate(FieldAt(HEAD, f.name, EVERY))] if f.kind == "bool" else _born(f, outer.trace.codes)
        step = Inserting(mark, where, beside, both(*constraint), item.may)
        made = outer._insert(Version(version, guard, step, self.rule(item.site)))
        if item.covers is not None:
            outer.covers[made] = scope.sets[item.covers]
        if item.variable:
            inner = replace(scope, version=made).span(item.variable, HEAD, made)
            step = replace(step, condition=outer.flat(item.condition, inner))
            outer.trace.versions[made] = replace(outer.trace.versions[made], step=step)
        return made

    def limits(
        self, value: Flat, low: e.Expression | None, high: e.Expression | None, scope: Environment
    ) -> list[Flat]:
        found: list[Flat] = []
        if low is not None:
            found.append(Op("<=", (self.outer.flat(low, scope), value)))
        if high is not None:
            found.append(Op("<=", (value, self.outer.flat(high, scope))))
        return found

    def assigned(self, item: p.Assignment, site: int, hit: Flat, scope: Environment) -> Flat:
        match item:
            case p.Assign(_, value):
                return self.outer.flat(value, scope)
            case p.Open(name, low, high):
                declared = self.outer.schema.field(name)
                chosen = self.outer._chosen(self.run, site, name, declared)
                admissible = both(
                    *within_bounds(chosen, declared, self.outer.trace.codes), *self.limits(chosen, low, high, scope)
                )
                self.outer.trace.constraints.append(Op("implies", (hit, admissible)))
                return chosen


def _home(term: p.SpanTerm, version: int, scope: Environment) -> int:
    """A version that knows the span that the term picks in this one, or in which it is absent altogether. What is
    picked by its name may have been taken out since."""
    match term:
        case p.Pick() | p.NoSpan():
            return version
        case p.SpanNamed(span):
            return scope.bound[span]
        case p.SpanIf(_, then, otherwise):
            return min(_home(then, version, scope), _home(otherwise, version, scope))


def codes(schema: Schema) -> Mapping[str, int]:
    """A number for each name of an enum, one whatever the field: fields are compared with one another. 0 is no name."""
    names = dict.fromkeys(name for f in schema.fields for name in f.names)
    return {name: number for number, name in enumerate(names, 1)}


def within_bounds(value: Flat, declared: Field, codes: Mapping[str, int]) -> list[Flat]:
    """The value is one that the field's declaration admits."""
    match declared.kind:
        case "int":
            low = [Op("<=", (Num(declared.low), value))] if declared.low is not None else []
            high = [Op("<=", (value, Num(declared.high)))] if declared.high is not None else []
            return [*low, *high]
        case "enum":
            numbers = sorted(codes[name] for name in declared.names)
            if numbers and numbers == list(range(numbers[0], numbers[-1] + 1)):
                return [Op("<=", (Num(numbers[0]), value)), Op("<=", (value, Num(numbers[-1])))]
            return [either(*(Op("==", (value, Num(n))) for n in numbers))]
        case "key":
            return [Op("<=", (Num(0), value))]
        case "bool":
            return []


def _born(declared: Field, codes: Mapping[str, int]) -> list[Flat]:
    """The value that a fresh element is born with where nothing says which: history is zero, the rest is open."""
    value = FieldAt(HEAD, declared.name, EVERY)
    if not declared.history:
        return within_bounds(value, declared, codes)
    return [negate(value) if declared.kind == "bool" else Op("==", (value, Num(0)))]


def _at(origin: e.Origin) -> str:
    place = origin.location
    return f" ({place.source.name}:{place.line})" if place is not None else ""


def _zero(declared: Field) -> Flat:
    """What a field reads as where there is no span."""
    return NO if declared.kind == "bool" else Num(0)


def _empty(declared: Field) -> bool:
    """Whether no value is one of the field's."""
    match declared.kind:
        case "int":
            return declared.low is not None and declared.high is not None and declared.low > declared.high
        case "enum":
            return not declared.names
        case "bool" | "key":
            return False


def within(value: int, declared: Field) -> bool:
    """Whether the number is one that the field's declaration admits."""
    return (declared.low is None or declared.low <= value) and (declared.high is None or value <= declared.high)


def _may_not_exist(policy: p.Policy) -> bool:
    """Whether a pass may have no way of filling in what it leaves open (its gates apart)."""
    return any(
        (isinstance(n, p.Open) and (n.low is not None or n.high is not None))
        or (isinstance(n, p.Insert) and n.variable)
        for n in nodes(policy.body)
    )


def _compare(operator: Literal["<", "<=", ">", ">=", "==", "!="], left: Flat, right: Flat) -> Flat:
    match operator:
        case "<":
            return Op("<", (left, right))
        case "<=":
            return Op("<=", (left, right))
        case ">":
            return Op("<", (right, left))
        case ">=":
            return Op("<=", (right, left))
        case "==":
            return Op("==", (left, right))
        case "!=":
            return negate(Op("==", (left, right)))


def _outside(what: str) -> NoReturn:
    raise Outside(what)
