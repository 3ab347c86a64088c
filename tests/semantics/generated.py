"""Random core policies, claims, windows and choices, for holding the two meanings together.

Everything is drawn from a `Random`: one of Hypothesis, which shrinks, or one with a seed, which is fast.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Literal, TypeVar

from hypothesis import strategies as st

from selfedit_formal.core.expression import (
    ASSUMED,
    Add,
    All,
    And,
    Arrived,
    Before,
    Bool,
    Compare,
    Count,
    Created,
    Divide,
    Equal,
    Expression,
    Fires,
    If,
    Implies,
    Input,
    InSet,
    Int,
    Known,
    Linked,
    Local,
    Logged,
    Modulo,
    Multiply,
    Name,
    Not,
    Or,
    Origin,
    Overridden,
    Parameter,
    Pass,
    Present,
    Reaches,
    Read,
    Refused,
    Rescored,
    SameRecord,
    SameSpan,
    SameWindow,
    Some,
    Swapped,
    Total,
    Triggered,
    WindowTerm,
    Without,
)
from selfedit_formal.core.policy import (
    Assign,
    Assignment,
    Beside,
    Block,
    End,
    Evict,
    Fill,
    Gate,
    Insert,
    Keep,
    LetSet,
    LetSpan,
    LetValue,
    Move,
    NoSpan,
    Open,
    Original,
    ParameterDeclaration,
    Pick,
    Place,
    Policy,
    Readmit,
    Refuse,
    Set,
    SpanIf,
    SpanNamed,
    SpanTerm,
    Statement,
    statements,
)
from selfedit_formal.core.property import Bound, Case, ChoiceKey, Claim, Obligation
from selfedit_formal.core.window import COVERS, NO_KEY, Field, Kind, Link, Schema, Span, Value, Window
from selfedit_formal.semantics.interpreter import Domain
from selfedit_formal.semantics.reads import reads_archive

SCHEMA = Schema(
    "Made",
    (
        Field("tag", "enum", names=("a", "b", "c")),
        Field("tokens", "int", low=0, high=3),
        Field("size", "int", low=-2),
        Field("kind", "enum", names=("d", "b")),
        Field("flag", "bool"),
        Field("call", "key"),
        Field("score", "int", low=0, high=2, oracle="query"),
        Field("mood", "bool", oracle="window"),
        Field("rank", "int", low=0, high=2, oracle="window"),
        Field("met", "bool", history=True),
        Field("turns", "int", history=True),
    ),
    (Link("justifies"), Link("answers", from_tags=("a", "b"), to_tags=("b", "c"))),
)
KEYS = (NO_KEY, "x", "y")
ENUM = ("a", "b", "c", "d")
"""The names of both enums: one of them is a name of both."""
PARAMETERS = (ParameterDeclaration("k", 0, 3), ParameterDeclaration("m", -2, None))
T = TypeVar("T")
ORIGIN = Origin("made")
OPERATORS: tuple[Literal["<", "<=", ">", ">=", "==", "!="], ...] = ("<", "<=", ">", ">=", "==", "!=")
ROUNDINGS: tuple[Literal["down", "up"], ...] = ("down", "up")
KINDS: tuple[Kind, ...] = ("int", "bool", "key", "enum")
W = Input(ASSUMED)
V = Input("V")


@dataclass(slots=True)
class Names:
    """Fresh names, so that every variable is unique."""

    count: int = 0

    def fresh(self, stem: str) -> str:
        self.count += 1
        return f"{stem}{self.count}"


@dataclass(frozen=True, slots=True)
class Scope:
    """What an expression may mention. `windows` empty: it stands in a policy and reads the current window."""

    names: Names
    spans: tuple[str, ...] = ()
    sets: tuple[str, ...] = ()
    values: tuple[tuple[str, Kind], ...] = ()
    windows: tuple[WindowTerm, ...] = ()
    inputs: tuple[Input, ...] = (W,)
    policies: tuple[str, ...] = ()
    gated: bool = True
    sites: Mapping[str, int] = field(default_factory=dict)

    def binding(self, variable: str) -> Scope:
        return replace(self, spans=(*self.spans, variable))


class Maker:
    """Draws core trees, for the policies whose statements `sites` counts."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.names = Names()

    def below(self, count: int) -> int:
        """A number from 0 on."""
        return self.random.randrange(count)

    def one(self, items: Sequence[T]) -> T:
        """One of them."""
        return items[self.below(len(items))]

    def often(self, of: int = 4) -> bool:
        """True but once in so many."""
        return self.below(of) > 0

    # ---------- windows

    def term(self, scope: Scope, depth: int = 2) -> WindowTerm:
        """A window of a claim or gate."""
        if depth == 0 or self.below(4) == 0:
            return self.one(scope.inputs)
        inner = self.term(scope, depth - 1)
        wraps = ["pass", "pass", "pass", "arrived", "known"]
        if scope.spans:
            wraps += ["without", "swapped", "rescored"]
        match self.one(wraps):
            case "without":
                return Without(inner, self.one(scope.spans))
            case "swapped":
                return Swapped(inner, self.one(scope.spans), self.one(scope.spans))
            case "rescored":
                return Rescored(inner, self.one(scope.spans))
            case "arrived":
                tokens = (
                    Int(self.below(4)) if self.often() else self.integer(replace(scope, windows=(W,)), self.below(2))
                )
                return Arrived(inner, tokens)
            case "known":
                return Known(inner)
            case _:
                return self.run_of(scope, inner)

    def run_of(self, scope: Scope, window: WindowTerm) -> Pass:
        """A pass on the window."""
        gated = scope.gated and self.often()
        return Pass(self.one(scope.policies), self.one(("", "", "'")), window, gated)

    def here(self, scope: Scope) -> WindowTerm | None:
        """The window that a part reads."""
        return self.window(scope) if scope.windows else None

    def window(self, scope: Scope) -> WindowTerm:
        """One of the windows that a claim or gate speaks of, or that one with what left it; or another one, which may
        depend on the spans bound around it."""
        if scope.spans and not self.often(10):
            return self.term(scope, 1)
        window = self.one(scope.windows)
        return window if self.often(6) else Known(window)

    # ---------- truth

    def truth(self, scope: Scope, depth: int) -> Expression:
        """A truth."""
        leaves = ["equal", "equal", "compare", "flag"]
        if len(scope.spans) > 1:
            leaves += ["before", "before", "same", "linked", "linked"]
        if scope.spans:
            leaves += ["created", "present", "reaches"]
            leaves += ["set"] * 5 * bool(scope.sets)
        if any(kind == "bool" for _, kind in scope.values):
            leaves += ["local"]
        if scope.windows:
            leaves += ["windows", "refused", "fires", "triggered", "covered"]
            leaves += ["record", "logged", "overridden"] if scope.spans else []
        if depth > 0:
            leaves += ["not", "and", "and", "or", "implies", "if", "some", "some", "all", "compare", "compare"]
        match self.one(leaves):
            case "flag" if scope.spans:
                return self.read(scope, "bool")
            case "flag":
                return Bool(self.one((True, False)))
            case "local":
                return Local(self.one([n for n, kind in scope.values if kind == "bool"]), "bool")
            case "before":
                return Before(self.one(scope.spans), self.one(scope.spans), self.here(scope))
            case "same":
                return SameSpan(self.one(scope.spans), self.one(scope.spans))
            case "linked":
                link = self.one(("justifies", "answers", COVERS, COVERS))
                return Linked(link, self.one(scope.spans), self.one(scope.spans), self.here(scope))
            case "reaches":
                link = self.one(("justifies", "answers", COVERS, COVERS))
                return Reaches(link, self.one(scope.spans), self.one(scope.spans), self.here(scope))
            case "created":
                return Created(self.one(scope.spans))
            case "present":
                return Present(self.one(scope.spans), self.here(scope))
            case "set":
                return InSet(self.one(scope.spans), self.one(scope.sets))
            case "windows":
                return SameWindow(self.window(scope), self.window(scope))
            case "covered":
                window = self.a_pass(scope)
                summary, covered = self.names.fresh("t"), self.names.fresh("t")
                names = (COVERS, summary, covered, window)
                test = Linked(*names) if self.below(2) else Reaches(*names)
                return Some(summary, window, Some(covered, window, test))
            case "record":
                return SameRecord(self.one(scope.spans), self.window(scope), self.window(scope))
            case "refused":
                return Refused(self.a_pass(scope))
            case "fires":
                term = self.a_pass(scope)
                return Fires(term, self.below(max(scope.sites.get(term.policy, 1), 1)), self.below(4) == 0)
            case "triggered":
                return Triggered(self.one(scope.policies), "", self.one(scope.windows))
            case "logged":
                return Logged(self.one(scope.spans), self.a_pass(scope))
            case "overridden":
                return Overridden(self.one(scope.spans), self.a_pass(scope))
            case "not":
                return Not(self.truth(scope, depth - 1))
            case "and":
                return And((self.truth(scope, depth - 1), self.truth(scope, depth - 1)))
            case "or":
                return Or((self.truth(scope, depth - 1), self.truth(scope, depth - 1)))
            case "implies":
                return Implies(self.truth(scope, depth - 1), self.truth(scope, depth - 1))
            case "if":
                return If(self.truth(scope, depth - 1), self.truth(scope, depth - 1), self.truth(scope, depth - 1))
            case "some":
                variable = self.names.fresh("t")
                return Some(variable, self.here(scope), self.truth(scope.binding(variable), depth - 1))
            case "all":
                variable = self.names.fresh("t")
                return All(variable, self.here(scope), self.truth(scope.binding(variable), depth - 1))
            case "compare":
                return Compare(self.one(OPERATORS), self.integer(scope, depth), self.integer(scope, min(depth, 1)))
            case _:
                kind = self.one(KINDS)
                return Equal(self.value(scope, kind, depth), self.value(scope, kind, min(depth, 1)))

    def a_pass(self, scope: Scope) -> Pass:
        """A pass that a claim speaks of."""
        found = [w for w in scope.windows if isinstance(w, Pass)]
        return self.one(found) if found else self.run_of(scope, self.one(scope.windows))

    # ---------- values

    def read(self, scope: Scope, kind: Kind) -> Read:
        """A field of a span."""
        outside = bool(scope.windows)
        names = [f.name for f in SCHEMA.fields if f.kind == kind and not (outside and f.oracle == "window")]
        return Read(self.one(scope.spans), self.one(names), kind, self.here(scope))

    def value(self, scope: Scope, kind: Kind, depth: int) -> Expression:
        """A value of the kind."""
        if kind == "int":
            return self.integer(scope, depth)
        if kind == "bool":
            return self.truth(scope, max(depth - 1, 0))
        named = [n for n, k in scope.values if k == kind]
        ways = ["name"] + ["read"] * 4 * bool(scope.spans) + ["local"] * 2 * bool(named) + ["if"] * (depth > 0)
        match self.one(ways):
            case "read":
                return self.read(scope, kind)
            case "local":
                return Local(self.one(named), kind)
            case "if":
                test = self.truth(scope, depth - 1)
                return If(test, self.value(scope, kind, depth - 1), self.value(scope, kind, depth - 1))
            case _:
                return Name(kind, self.one(KEYS if kind == "key" else ENUM))

    def integer(self, scope: Scope, depth: int) -> Expression:
        """An integer."""
        named = [n for n, k in scope.values if k == "int"]
        ways = ["int", "parameter"] + ["read"] * 3 * bool(scope.spans) + ["local"] * 2 * bool(named)
        if depth > 0:
            ways += ["count", "count", "count", "count", "total", "total", "total"]
            ways += ["add", "multiply", "divide", "modulo", "if"]
        match self.one(ways):
            case "int":
                return Int(self.below(6) - 2)
            case "parameter":
                return Parameter(self.one(PARAMETERS).name)
            case "read":
                return self.read(scope, "int")
            case "local":
                return Local(self.one(named), "int")
            case "count":
                variable = self.names.fresh("t")
                return Count(variable, self.here(scope), self.positioned(scope, variable, depth - 1))
            case "total":
                variable = self.names.fresh("t")
                inner = scope.binding(variable)
                weight = (
                    Read(variable, self.one(("tokens", "size")), "int", self.here(scope))
                    if self.often()
                    else self.integer(inner, depth - 1)
                )
                return Total(variable, self.here(scope), weight, self.positioned(scope, variable, depth - 1))
            case "add":
                return Add((self.integer(scope, depth - 1), self.integer(scope, depth - 1)))
            case "multiply":
                factor = Int(self.below(5) - 2) if self.often() else Parameter(self.one(PARAMETERS).name)
                other = self.integer(scope, depth - 1)
                return Multiply(factor, other) if self.often(2) else Multiply(other, factor)
            case "divide":
                return Divide(self.integer(scope, depth - 1), 1 + self.below(3), self.one(ROUNDINGS))
            case "modulo":
                return Modulo(self.integer(scope, depth - 1), 1 + self.below(3))
            case _:
                return If(self.truth(scope, depth - 1), self.integer(scope, depth - 1), self.integer(scope, depth - 1))

    def positioned(self, scope: Scope, variable: str, depth: int) -> Expression:
        """A condition of a counted span, often with its position beside another span."""
        inner = scope.binding(variable)
        parts = [self.truth(inner, depth)]
        if scope.spans and self.often(3):
            other, window = self.one(scope.spans), self.here(scope)
            first, second = (other, variable) if self.often(2) else (variable, other)
            place: Expression = Before(first, second, window)
            if self.below(3) == 0:
                place = Not(place)
            parts.insert(self.below(2), place)
        return parts[0] if len(parts) == 1 else And(tuple(parts))

    # ---------- statements

    def policy(self, name: str, plan: tuple[str, ...] = ()) -> Policy:
        """A policy of a few statements."""
        body = Body(self, plan)
        made = body.statements(1 + self.below(4), 1, trigger=self.below(2) == 0)
        policy = Policy(name, SCHEMA, PARAMETERS, made, spans=plan)
        if self.below(3) > 0:
            return policy
        windows: tuple[WindowTerm, ...] = (W, Pass(name, "", W, False))
        if self.below(2) == 0:
            windows = (*windows, Pass(name, self.one(("", "'")), windows[1], False), Pass(name, "'", W, False))
        scope = Scope(self.names, plan, windows=windows, policies=(name,), gated=False, sites=sites(policy))
        gates = tuple(Gate(f"g{i}", self.truth(scope, 2), ORIGIN) for i in range(1 + self.below(2)))
        return replace(policy, gates=gates)


@dataclass(slots=True)
class Body:
    """Statements in the making: what is named so far, and the next site."""

    maker: Maker
    plan: tuple[str, ...]
    spans: list[str] = field(default_factory=list)
    sets: list[str] = field(default_factory=list)
    values: list[tuple[str, Kind]] = field(default_factory=list)
    site: int = 0

    def scope(self) -> Scope:
        return Scope(self.maker.names, (*self.plan, *self.spans), tuple(self.sets), tuple(self.values))

    def statements(self, count: int, depth: int, trigger: bool) -> tuple[Statement, ...]:
        """So many statements; `trigger`: nothing has been edited so far, and the policy has `when`s."""
        made: list[Statement] = []
        for _ in range(count):
            statement = self.statement(depth, trigger)
            trigger = trigger and isinstance(statement, LetSet | LetSpan | LetValue | Keep)
            made.append(statement)
        return tuple(made)

    def next_site(self) -> int:
        self.site += 1
        return self.site - 1

    def statement(self, depth: int, trigger: bool) -> Statement:
        """One statement."""
        make, site, variable = self.maker, self.next_site(), self.maker.names.fresh("s")
        scope = self.scope()
        inner = scope.binding(variable)
        ways = ["set", "set", "span", "span", "value", "keep", "evict", "evict", "change", "change", "insert", "insert"]
        ways += ["readmit", "move", "move", "fill", "refuse"] + ["block"] * 3 * (depth > 0)
        way = make.one(ways)
        if way == "insert" and not self.sets and make.below(2):
            way = "set"
        match way:
            case "set":
                name = make.names.fresh("old")
                condition = make.truth(inner, 1)
                self.sets.append(name)
                return LetSet(site, name, variable, condition, make.below(5) == 0, make.below(2) == 0)
            case "span":
                name = make.names.fresh("x")
                term = self.span_term(2)
                self.spans.append(name)
                return LetSpan(site, name, term)
            case "value":
                name, kind = make.names.fresh("n"), make.one(("int", "int", *KINDS))
                value = make.value(scope, kind, 2)
                self.values.append((name, kind))
                return LetValue(site, name, kind, value)
            case "keep":
                return Keep(site, variable, make.truth(inner, 1), ORIGIN)
            case "evict":
                return Evict(site, variable, make.truth(inner, 2), make.below(2) == 0, ORIGIN)
            case "change":
                archive = make.below(3) == 0
                return Set(site, variable, make.truth(inner, 1), self.assignments(inner), ORIGIN, archive)
            case "insert":
                covers = make.one(self.sets) if self.sets and make.often() else None
                made = Insert(site, self.place(), self.assignments(scope), covers, ORIGIN, make.below(3) == 0)
                if make.often(3):
                    return made
                return replace(made, variable=variable, condition=make.truth(inner, 1))
            case "readmit":
                place = Original() if make.below(2) else self.place()
                return Readmit(site, variable, make.truth(inner, 1), place, make.below(2) == 0, ORIGIN)
            case "move":
                return Move(site, variable, make.truth(inner, 1), self.place(), ORIGIN)
            case "fill":
                weight = make.read(inner, "int") if make.often() else make.integer(inner, 1)
                condition = make.truth(inner, 1)
                return Fill(site, variable, make.below(2) == 0, condition, weight, make.integer(scope, 1), ORIGIN)
            case "refuse":
                return Refuse(site, make.truth(scope, 1), "because", ORIGIN)
            case _:
                condition = make.truth(scope, 1)
                known = len(self.spans), len(self.sets), len(self.values)
                body = self.statements(1 + make.below(3), depth - 1, trigger)
                del self.spans[known[0] :], self.sets[known[1] :], self.values[known[2] :]
                return Block(site, condition, body, trigger, ORIGIN)

    def span_term(self, depth: int) -> SpanTerm:
        make, scope = self.maker, self.scope()
        ways = ["pick"] * 6 + ["named"] * bool(scope.spans) + ["none"] + ["if"] * 2 * (depth > 0)
        match make.one(ways):
            case "named":
                return SpanNamed(make.one(scope.spans))
            case "none":
                return NoSpan()
            case "if":
                return SpanIf(make.truth(scope, 1), self.span_term(depth - 1), self.span_term(depth - 1))
            case _:
                variable = make.names.fresh("p")
                condition = make.truth(scope.binding(variable), 1)
                return Pick(make.one(("first", "last")), variable, condition, make.below(5) == 0)

    def place(self) -> Place:
        make, spans = self.maker, self.scope().spans
        if spans and make.often():
            return Beside(make.one(("before", "after")), make.one(spans))
        return End(make.one(("front", "back")))

    def assignments(self, scope: Scope) -> tuple[Assignment, ...]:
        make = self.maker
        found: list[Assignment] = []
        for name in dict.fromkeys(
            make.one(("tag", "kind", "tokens", "size", "flag", "call", "met", "turns"))
            for _ in range(1 + make.below(2))
        ):
            kind = SCHEMA.field(name).kind
            if scope.spans and make.below(4) == 0:
                # The record that is being changed, so that it matters whether it is the old one.
                others = [f.name for f in SCHEMA.fields if f.kind == kind and f.oracle is None]
                found.append(Assign(name, Read(scope.spans[-1], make.one(others), kind)))
            elif make.below(2) == 0:
                found.append(Assign(name, make.value(scope, kind, 1)))
            elif kind == "int":
                low, high = (make.integer(scope, 1) if make.below(2) else None for _ in range(2))
                found.append(Open(name, low, high))
            else:
                found.append(Open(name))
        return tuple(found)


def sites(*policies: Policy) -> dict[str, int]:
    """How many statements each policy has."""
    return {p.name: len(statements(p.body)) for p in policies}


# ---------- obligations and cases


def obligation(random: Random, inputs: int = 1, plan: bool | None = None) -> Obligation:
    """One or two policies and a claim about them."""
    make = Maker(random)
    has_plan = make.below(4) == 0 if plan is None else plan
    spans = ("r", "q")[: 1 + make.below(2)] if has_plan else ()
    first = make.policy("P", spans)
    policies = (first, make.policy("Q")) if make.below(4) == 0 else (first,)
    scope = Scope(
        make.names,
        spans,
        inputs=(W, V)[:inputs],
        policies=tuple(p.name for p in policies),
        sites=sites(*policies),
    )
    bound: list[Bound] = []
    scope = replace(scope, windows=(*scope.inputs, make.term(scope)))
    for _ in range(make.below(3)):
        variable = make.names.fresh("b")
        bound.append(Bound(variable, make.window(scope)))
        scope = scope.binding(variable)
    once = Pass("P", "", W)
    again = Pass("P", make.one(("", "'")), W if make.below(2) else once)
    windows = (*scope.windows, make.term(scope), once, again)
    if inputs > 1:
        windows = (*windows, Pass("P", "", V), V)
    scope = replace(scope, windows=windows)
    premise = make.truth(replace(scope, spans=(), windows=scope.inputs), 1) if make.below(3) == 0 else Bool(True)
    antecedent = make.truth(scope, 2) if make.below(2) == 0 else Bool(True)
    return Obligation(
        name="made",
        schema=SCHEMA,
        policies=policies,
        property="made",
        claim=Claim(tuple(i.name for i in scope.inputs), tuple(bound), premise, antecedent, make.truth(scope, 3)),
        parameters=PARAMETERS,
        spans=spans,
    )


def value(random: Random, domain: Domain) -> Value:
    """An admissible value."""
    match domain.kind:
        case "int":
            low = domain.low if domain.low is not None else (domain.high or 0) - 3 if domain.high is not None else -2
            high = domain.high if domain.high is not None else low + 4
            return low + random.randrange(min(high - low, 5) + 1)
        case "bool":
            return random.randrange(2) == 1
        case "key":
            return (*KEYS, "z")[random.randrange(4)]
        case "enum":
            return domain.names[random.randrange(len(domain.names))]


def span(random: Random, identity: str) -> Span:
    """A span with any admissible record."""
    recorded = [f for f in SCHEMA.fields if f.oracle != "window"]
    return Span(identity, {f.name: value(random, Domain(f.kind, f.low, f.high, f.names)) for f in recorded})


def window(random: Random, ids: Sequence[str], archive: bool, shared: Window | None = None) -> Window:
    """A window of spans with these ids; those that it shares with another have the links they have there."""
    spans = tuple(span(random, identity) for identity in ids)
    common = {s.id for s in shared.spans} if shared is not None else set()
    links: set[tuple[str, str, str]] = set()
    for link in SCHEMA.links:
        for a in spans:
            for b in spans:
                if a is b or not link.admits(a["tag"], b["tag"]):
                    continue
                if shared is not None and a.id in common and b.id in common:
                    held = (link.name, a.id, b.id) in shared.links
                else:
                    held = random.randrange(3) == 0
                if held:
                    links.add((link.name, a.id, b.id))
    archived = {s.id for s in spans if random.randrange(4) == 0} if archive else set()
    return Window(SCHEMA, spans, frozenset(archived), frozenset(links))


def _agreeing(first: Window, second: Window) -> Window:
    """The first window without links between shared spans that the second cannot have."""
    common = {s.id for s in first.spans} & {s.id for s in second.spans}
    kept = {link for link in first.links if not {link[1], link[2]} <= common or link in second.links}
    return replace(first, links=frozenset(kept))


@dataclass(slots=True)
class Drawn:
    """Choices drawn as they are asked for, and remembered."""

    random: Random
    taken: dict[ChoiceKey, Value] = field(default_factory=dict)

    def take(self, key: ChoiceKey, domain: Domain) -> Value:
        """An admissible value."""
        self.taken[key] = value(self.random, domain)
        return self.taken[key]


def case(random: Random, made: Obligation, most: int = 4) -> Case:
    """Inputs, parameters and spans for an obligation; no choices yet."""
    archive = reads_archive(made)
    inputs: dict[str, Window] = {}
    count = 0
    for name in made.claim.inputs:
        least = len(made.spans) if not inputs else 0
        size = least + random.randrange(most - least + 1)
        ids: list[str] = []
        first = next(iter(inputs.values()), None)
        if first is not None:
            ids = [s.id for s in first.spans if random.randrange(2) == 0][:size]
        fresh = [f"s{count + i + 1}" for i in range(size - len(ids))]
        count += len(fresh)
        for identity in ids:
            fresh.insert(random.randrange(len(fresh) + 1), identity)
        inputs[name] = window(random, fresh, archive, first)
        if first is not None:
            inputs[made.claim.inputs[0]] = _agreeing(first, inputs[name])
    parameters = {p.name: value(random, Domain("int", p.low, p.high)) for p in PARAMETERS}
    present = [s.id for s in inputs[made.claim.inputs[0]].present()]
    spans: dict[str, str] = {}
    for name in made.spans:
        if present:
            spans[name] = present.pop(random.randrange(len(present)))
    return Case(inputs, {n: int(v) for n, v in parameters.items()}, spans, {})


randoms: st.SearchStrategy[Random] = st.randoms(use_true_random=False)
"""For Hypothesis: a source of everything above."""
