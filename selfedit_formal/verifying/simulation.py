"""A session as it might go: its turns, computed by the interpreter, with all that it leaves open drawn from a seed.

`spec/simulation.md` says what is drawn how, and which event of a log becomes of what.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import count

from selfedit_formal._frozen import dataclass
from selfedit_formal.core.diagnostics import Diagnostic, Location, Rejected
from selfedit_formal.core.expression import (
    ASSUMED,
    TRUE,
    Add,
    All,
    And,
    Bool,
    Compare,
    Divide,
    Equal,
    Expression,
    If,
    Implies,
    Int,
    Multiply,
    Name,
    Not,
    Or,
    Parameter,
    Read,
    Some,
    conjunction,
)
from selfedit_formal.core.policy import Evict, Insert, LetSet, LetSpan, LetValue, Policy, Readmit, statements
from selfedit_formal.core.property import ChoiceKey, Claim, Obligation
from selfedit_formal.core.session import Session, Step
from selfedit_formal.core.window import COVERS, NO_KEY, TAG, Field, Span, Value, Window, zero
from selfedit_formal.runtime import session_log
from selfedit_formal.runtime.session_log import EditLine, LoggedSpan, TurnLine
from selfedit_formal.semantics.interpreter import (
    Domain,
    Event,
    EventKind,
    Given,
    NoSuchRun,
    PassRecord,
    apply,
    judge_with,
)

ATTEMPTS = 400
"""How often a step is drawn before it is said that it cannot be."""
PATIENCE = 20
"""How often what a statement leaves open is drawn before a span that may arrive does not, or all is drawn anew."""
WINDOWS = 200
"""How many windows are drawn to start from before it is said that there is none."""
REACH = 1000
"""Of how many ints is one drawn where a bound is missing."""


@dataclass(frozen=True, slots=True)
class Played:
    """A step of a turn (from 1) as it went, and what was drawn for it."""

    turn: int
    step: Step
    record: PassRecord
    drawn: Mapping[ChoiceKey, Value]


def simulate(
    session: Session,
    turns: int,
    seed: int = 0,
    parameters: Mapping[str, int] | None = None,
    start: Window | None = None,
) -> tuple[session_log.Event, ...]:
    """The log of so many turns. Equal arguments give equal logs, on every machine.

    `start`: the window it starts from, of the schema that the session is of; without one, it is drawn. Raises Rejected:
    `E001` if the session cannot be simulated with these arguments, `E002` if a turn cannot be drawn.
    """
    values = parameters or {}
    first = begin(session, seed, values, start)
    return tuple(log(session, first, play(session, first, turns, seed, values), values))


def begin(session: Session, seed: int, parameters: Mapping[str, int], start: Window | None = None) -> Window:
    """The window that the session starts from, with its history; see `simulate`. Raises Rejected (`E001`)."""
    _check(session, parameters)
    return _given(session, parameters, start) if start is not None else _drawn_start(session, parameters, seed)


def play(session: Session, start: Window, turns: int, seed: int, parameters: Mapping[str, int]) -> Iterator[Played]:
    """The steps of so many turns, from a window that `begin` gives. Raises Rejected (`E002`)."""
    window = start
    passes: Counter[str] = Counter()
    for turn in range(1, turns + 1):
        for step in session.steps:
            passes[step.policy.name] += 1
            played = _step(session, step, window, turn, passes[step.policy.name], seed, parameters)
            yield played
            window = played.record.after


def _step(
    session: Session, step: Step, window: Window, turn: int, depth: int, seed: int, parameters: Mapping[str, int]
) -> Played:
    draws = _Draws(seed, step.policy, window, parameters)

    def run(policy: Policy) -> PassRecord:
        return apply(policy, window, parameters, {}, draws, depth=depth)

    for _ in range(ATTEMPTS):
        try:
            return Played(turn, step, run(step.policy), draws.taken)
        except NoSuchRun:
            draws.again()
    location = _stuck(step.policy, run) or session.location
    hint = "a value that is left open has no value it may have, or nothing that was drawn meets a condition"
    raise Rejected((Diagnostic("E002", f"turn {turn} of `{session.name}` cannot be drawn", location, hint),))


def _stuck(policy: Policy, run: Callable[[Policy], PassRecord]) -> Location | None:
    """Where the statement is that makes that no run exists."""
    for number, statement in enumerate(policy.body, 1):
        try:
            run(replace(policy, body=policy.body[:number], gates=()))
        except NoSuchRun:
            return None if isinstance(statement, LetSet | LetSpan | LetValue) else statement.origin.location
    return policy.location


# ---------- what a session is given


def _wrong(session: Session, message: str, hint: str | None = None) -> Rejected:
    return Rejected((Diagnostic("E001", message, session.location, hint),))


def _check(session: Session, given: Mapping[str, int]) -> None:
    """Raises Rejected unless there is a value for each parameter, within its bounds."""
    declared = {p.name: p for p in session.parameters}
    for name in given:
        if name not in declared:
            names = f"its parameters are {', '.join(declared)}" if declared else "it has none"
            raise _wrong(session, f"`{session.name}` has no parameter `{name}`", names)
    for name, parameter in declared.items():
        domain = Domain("int", parameter.low, parameter.high)
        if name not in given:
            hint = f"give it one, for instance with `--set {name}={domain.default()}`"
            raise _wrong(session, f"the parameter `{name}` of `{session.name}` has no value", hint)
        if not domain.admits(given[name]):
            raise _wrong(session, f"`{name}` of `{session.name}` cannot be {given[name]}")


def _allowed(session: Session, window: Window, parameters: Mapping[str, int]) -> bool:
    """Whether the session may start from the window."""
    premise = conjunction((session.start, *session.schema.assumptions))
    obligation = Obligation(
        session.name, session.schema, (), "", Claim((ASSUMED,), premise=premise), session.parameters
    )
    judgement = judge_with(obligation, {ASSUMED: window}, parameters, {}, Given())
    return judgement.exists and judgement.premise


def _given(session: Session, parameters: Mapping[str, int], start: Window) -> Window:
    """The window with a history in which nothing has happened."""
    history = tuple(f for f in session.schema.fields if f.history)
    if start.schema.fields + history != session.schema.fields or start.schema.links != session.schema.links:
        raise _wrong(session, f"`{session.name}` is not of the window `{start.schema.name}`")
    blank = {f.name: zero(f.kind) for f in history}
    spans = tuple(Span(s.id, {**s.values, **blank}) for s in start.spans)
    window = replace(start, schema=session.schema, spans=spans)
    if window.archived or not _allowed(session, window, parameters):
        raise _wrong(
            session,
            f"`{session.name}` cannot start from this window",
            "nothing is archived or created in it, and it is as `start` and the assumptions of the window ask for",
        )
    return window


def _drawn_start(session: Session, parameters: Mapping[str, int], seed: int) -> Window:
    """A window that the session may start from, with the fewest spans that was found."""
    demands = tuple(_conjuncts(conjunction((session.start, *session.schema.assumptions))))
    for attempt in range(WINDOWS):
        window = _window(session, demands, attempt // 40, attempt == 0, _Source(seed, "start", attempt), parameters)
        if _allowed(session, window, parameters):
            return window
    raise _wrong(
        session,
        f"no window was found that `{session.name}` may start from",
        "write one out, and name it with `--from`",
    )


def _conjuncts(expression: Expression) -> Iterator[Expression]:
    if isinstance(expression, And):
        for item in expression.items:
            yield from _conjuncts(item)
    else:
        yield expression


def _needed(demand: Expression) -> Iterator[tuple[str, Expression]]:
    """The spans that must be there, each as a variable and what must be true of it."""
    if isinstance(demand, Some):
        yield demand.variable, demand.condition
        for part in _conjuncts(demand.condition):
            yield from _needed(part)


def _window(
    session: Session,
    demands: tuple[Expression, ...],
    more: int,
    first: bool,
    source: _Source,
    parameters: Mapping[str, int],
) -> Window:
    """A span for everything that must be there and `more` others, as far as the demands say how they must be."""
    shapes = [needed for d in demands for needed in _needed(d)] + [("", TRUE)] * more
    spans: list[Span] = []
    for number, (variable, condition) in enumerate(shapes, 1):
        own = source.at(number)
        atoms = _atoms(condition, variable, True, own.at("where"), parameters)
        for position, demand in enumerate(demands):
            where = own.at("all", position)
            match demand:
                case All(bound, _, inner):
                    atoms += _atoms(inner, bound, True, where, parameters)
                case Not(Some(bound, _, inner)):
                    atoms += _atoms(inner, bound, False, where, parameters)
                case _:
                    pass
        values: dict[str, Value] = {}
        for f in session.schema.fields:
            if f.history:
                values[f.name] = zero(f.kind)
            elif f.oracle != "window":
                known = tuple(str(s[f.name]) for s in spans)
                domain = Domain(f.kind, f.low, f.high, f.names)
                values[f.name] = _value(f.name, domain, atoms, known, first, own.at("field", f.name))
        spans.append(Span(f"s{number}", values))
    links = frozenset(
        (link.name, a.id, b.id)
        for link in session.schema.links
        for a in spans
        for b in spans
        if a is not b and link.admits(a[TAG], b[TAG]) and source.at(link.name, a.id, b.id).number(2)
    )
    return Window(session.schema, tuple(spans), frozenset(), links)


# ---------- drawing


class _Source:
    """Numbers that depend on nothing but what they are drawn for."""

    def __init__(self, *place: object) -> None:
        self._place = place

    def at(self, *place: object) -> _Source:
        return _Source(*self._place, *place)

    def number(self, below: int) -> int:
        """From 0, each as likely as the others."""
        text = json.dumps([str(part) for part in self._place]).encode()
        return int.from_bytes(hashlib.blake2b(text, digest_size=16).digest(), "big") % below


Atom = tuple[str, str, Value]
"""A field, one of `<= >= < > == !=`, and what it is compared with."""

_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
_DENIED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}


def _atoms(
    condition: Expression, variable: str, holds: bool, source: _Source, parameters: Mapping[str, int]
) -> tuple[Atom, ...]:
    """Bounds on the fields of the variable that go towards the condition: of what is enough alone, one is drawn."""

    def inside(item: Expression, wanted: bool, part: int) -> tuple[Atom, ...]:
        return _atoms(item, variable, wanted, source.at(part), parameters)

    match condition:
        case Not(item):
            return inside(item, not holds, 0)
        case Implies(left, right):
            return inside(Or((Not(left), right)), holds, 0)
        case And(items) | Or(items):
            if isinstance(condition, And) == holds:
                return tuple(atom for part, item in enumerate(items) for atom in inside(item, holds, part))
            part = source.number(len(items))
            return inside(items[part], holds, part)
        case If(decisive, then, otherwise):
            part = source.number(2)
            return inside(decisive, part == 0, 2) + inside(otherwise if part else then, holds, part)
        case Some(_, _, inner) | All(_, _, inner) if holds:
            return inside(inner, True, 0)
        case Read(span, name, "bool") if span == variable:
            return ((name, "==", holds),)
        case Compare(operator, left, right):
            return _compared(left, operator if holds else _DENIED[operator], right, variable, parameters)
        case Equal(left, right):
            return _compared(left, "==" if holds else "!=", right, variable, parameters)
        case _:
            return ()


def _compared(
    left: Expression, operator: str, right: Expression, variable: str, parameters: Mapping[str, int]
) -> tuple[Atom, ...]:
    if isinstance(left, Read) and left.span == variable:
        value = _constant(right, parameters)
        return () if value is None else ((left.field, operator, value),)
    if isinstance(right, Read) and right.span == variable:
        value = _constant(left, parameters)
        return () if value is None else ((right.field, _TURNED[operator], value),)
    return ()


def _constant(expression: Expression, parameters: Mapping[str, int]) -> Value | None:
    """The value, if it is the same wherever it is read; None if it may not be."""
    match expression:
        case Int(value):
            return value
        case Bool(truth):
            return truth
        case Name(_, name):
            return name
        case Parameter(name):
            return parameters[name]
        case Add(items):
            parts = [_constant(i, parameters) for i in items]
            numbers = [n for n in parts if isinstance(n, int)]
            return sum(numbers) if len(numbers) == len(parts) else None
        case Multiply(left, right):
            factors = _constant(left, parameters), _constant(right, parameters)
            return factors[0] * factors[1] if isinstance(factors[0], int) and isinstance(factors[1], int) else None
        case Divide(dividend, divisor, rounding):
            number = _constant(dividend, parameters)
            if not isinstance(number, int):
                return None
            return number // divisor if rounding == "down" else -(-number // divisor)
        case _:
            return None


def _value(
    name: str, domain: Domain, atoms: Iterable[Atom], known: tuple[str, ...], first: bool, source: _Source
) -> Value:
    """A value of the domain that the atoms about the field allow, if there is one, else any of the domain.

    `first`: it was not drawn before. Then a `content` is none that is known: what a span says is new, if it may be.
    """
    own = [(operator, value) for about, operator, value in atoms if about == name]
    match domain.kind:
        case "int":
            return _number(domain, own, source)
        case "bool" | "enum":
            every: tuple[Value, ...] = (False, True) if domain.kind == "bool" else domain.names
            fitting = [v for v in every if all((v == w) == (operator == "==") for operator, w in own)] or every
            return fitting[source.number(len(fitting))]
        case "key":
            named = [w for operator, w in own if operator == "=="]
            if named:
                return named[0]
            avoided = {w for operator, w in own if operator == "!="} | {NO_KEY}
            old = [k for k in dict.fromkeys(known) if k not in avoided]
            if old and not (first and name == "content") and source.at("old").number(2):
                return old[source.number(len(old))]
            return next(k for k in (f"{name}_{n}" for n in count(1)) if k not in avoided and k not in known)


def _number(domain: Domain, bounds: list[tuple[str, Value]], source: _Source) -> int:
    low, high = domain.low, domain.high
    for operator, value in bounds:
        assert isinstance(value, int)
        if operator in (">", ">=", "=="):
            least = value + (operator == ">")
            low = least if low is None else max(low, least)
        if operator in ("<", "<=", "=="):
            most = value - (operator == "<")
            high = most if high is None else min(high, most)
    if low is not None and high is not None and low > high:
        low, high = domain.low, domain.high
    if low is None:
        low = 0 if high is None or high >= 0 else high - REACH + 1
    if high is None:
        high = low + REACH - 1
    return low + source.number(high - low + 1)


class _Draws:
    """What is drawn for one pass. A choice depends on the seed, on its key, and on how often it was drawn before."""

    def __init__(self, seed: int, policy: Policy, window: Window, parameters: Mapping[str, int]) -> None:
        self.taken: dict[ChoiceKey, Value] = {}
        self._seed = seed
        self._inserts = {s.site: s for s in statements(policy.body) if isinstance(s, Insert)}
        self._window = window
        self._parameters = parameters
        self._round = 0
        self._tries: Counter[tuple[int, str]] = Counter()
        self._last: tuple[int, str] | None = None

    def take(self, key: ChoiceKey, domain: Domain) -> Value:
        self._last = (key.site, key.span)
        if key not in self.taken:
            self.taken[key] = self._draw(key, domain)
        return self.taken[key]

    def again(self) -> None:
        """What was asked last is drawn anew, and when that was in vain for long, everything is."""
        if self._last is None:
            return
        if self._tries[self._last] > PATIENCE:
            self._round += 1
            self._tries.clear()
            self.taken.clear()
            return
        self._tries[self._last] += 1
        for key in [k for k in self.taken if (k.site, k.span) == self._last]:
            del self.taken[key]

    def _draw(self, key: ChoiceKey, domain: Domain) -> Value:
        insert = self._inserts.get(key.site)
        place = _Source(self._seed, self._round, key.run, key.site, key.span)
        tries = self._tries[key.site, key.span]
        if insert is not None and key.field == "":
            return tries < PATIENCE and place.number(2) == 0
        place = place.at(tries)
        atoms: tuple[Atom, ...] = ()
        if insert is not None and insert.variable:
            atoms = _atoms(insert.condition, insert.variable, True, place.at("where"), self._parameters)
        known = self._known(key.field) if domain.kind == "key" else ()
        return _value(key.field, domain, atoms, known, tries == 0, place.at("field", key.field))

    def _known(self, name: str) -> tuple[str, ...]:
        """The keys that spans have, or were drawn, in that field."""
        drawn = (v for k, v in self.taken.items() if k.field == name)
        return tuple(str(v) for v in (*(s[name] for s in self._window.spans), *drawn))


# ---------- the log


def log(
    session: Session, start: Window, played: Iterable[Played], parameters: Mapping[str, int]
) -> Iterator[session_log.Event]:
    """The events of a session's log, one after another, as the steps come."""
    cap = parameters.get("cap")
    yield session_log.SessionLine(cap if cap is not None and cap >= 0 else None)
    shown = _Shown(session)
    if start.spans:
        yield shown.turn(0, start, tuple(s.id for s in start.spans))
    number = begun = 0
    for step in played:
        after = step.record.after
        first, begun = step.turn != begun, step.turn
        changes = tuple(_changes(step, shown))
        shown.note(step.record)
        if not step.step.environment:
            if first:
                number += 1
                yield TurnLine(number)
            if not _records(step.step):
                yield session_log.PassLine(number, _digest(step.record.before))
            yield from shown.edits(number, step, changes)
            continue
        came = {s for c in changes if c.kind == "insert" or (c.kind == "readmit" and not c.override) for s in c.spans}
        others = tuple(c for c in changes if not came.issuperset(c.spans))
        if first or changes:
            number += 1
            back = {s for c in others if c.kind == "readmit" for s in c.spans}
            yield shown.turn(number, after, tuple(s.id for s in after.spans if s.id in came), back)
            yield from shown.edits(number, step, others)


def _records(step: Step) -> bool:
    """Whether it is the session's own step that keeps tombstones, ledger and history."""
    return not step.applied


def _digest(window: Window) -> str:
    """A key of what a policy is shown: the records in order, without history."""
    names = [f.name for f in window.schema.fields if not f.history and f.oracle != "window"]
    text = json.dumps([[s[n] for n in names] for s in window.present()])
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


@dataclass(frozen=True, slots=True)
class _Change:
    """What a statement made of some spans, seen from the end of the pass. `made`: what a merge makes."""

    kind: session_log.EditKind
    event: Event
    spans: tuple[str, ...]
    made: str | None = None
    override: bool = False
    logged: bool = False


def _brought(kind: EventKind) -> session_log.EditKind | None:
    """The kind of edit, as a log names it, that an event of the interpreter brings about."""
    match kind:
        case "evict" | "readmit" | "insert" | "move":
            return kind
        case "set":
            return "rewrite"
        case "keep" | "refuse" | "gate" | "block":
            return None


def _changes(step: Played, shown: _Shown) -> Iterator[_Change]:
    """What changed from before the pass to after it, each with the last statement that did so."""
    record, sites = step.record, {s.site: s for s in statements(step.step.policy.body)}
    before, after = record.before, record.after
    was = {s.id: s for s in before.spans}
    old = {s.id for s in before.present()}
    new = {s.id: s for s in after.present()}
    fates: dict[str, session_log.EditKind] = dict.fromkeys((s for s in was if s in old and s not in new), "evict")
    for identity, span in new.items():
        if identity not in was:
            fates[identity] = "insert"
        elif identity not in old:
            fates[identity] = "readmit"
        elif shown.differ(was[identity], span):
            fates[identity] = "rewrite"
    places: dict[str, int] = {}
    for place, event in enumerate(record.events):
        brought = _brought(event.kind)
        places |= {s: place for s in event.spans if s in fates and fates[s] == brought}
    merged: dict[str, tuple[str, ...]] = {}
    for identity in [s for s, kind in fates.items() if kind == "insert"]:
        gone = {t for name, m, t in after.links if name == COVERS and m == identity and fates.get(t) == "evict"}
        if gone:
            merged[identity] = tuple(s for s in was if s in gone)
            for left in merged[identity]:
                del fates[left], places[left]
    for place, event in enumerate(record.events):
        if event.kind == "move":
            staying = tuple(s for s in event.spans if s in old and s in new)
            if staying:
                yield _Change("move", event, staying)
        here = tuple(s for s in event.spans if places.get(s) == place)
        for maker in [s for s in here if s in merged]:
            yield _Change("merge", event, merged[maker], made=maker)
        rest = tuple(s for s in here if s not in merged)
        if rest:
            statement = sites[event.site]
            override = isinstance(statement, Readmit) and statement.override
            logged = isinstance(statement, Evict) and statement.logged
            yield _Change(fates[rest[0]], event, rest, override=override, logged=logged)


class _Shown:
    """Spans as a log shows them. Counts how often each was changed, for those that no key says the content of."""

    def __init__(self, session: Session) -> None:
        self._fields: Mapping[str, Field] = {f.name: f for f in session.schema.fields}
        self._recorded = session.tombstones != "none" or session.ledger != "none"
        self._versions: Counter[str] = Counter()

    def differ(self, old: Span, new: Span) -> bool:
        """Whether the log shows the two differently."""
        return any(old[n] != new[n] for n in (TAG, "tokens", "content") if n in self._fields)

    def note(self, record: PassRecord) -> None:
        """The pass happens: spans that it changed say something else from now on."""
        was = {s.id: s for s in record.before.spans}
        self._versions.update(s.id for s in record.after.present() if s.id in was and self.differ(was[s.id], s))

    def turn(self, number: int, window: Window, arrived: tuple[str, ...], others: Iterable[str] = ()) -> TurnLine:
        """A turn with which spans arrive, and others come back in other ways."""
        spans = {s.id: s for s in window.spans}
        calls = [self._key(spans[s], "call") for s in (*arrived, *others)]
        return TurnLine(
            number,
            tuple(self._span(window, spans[s]) for s in arrived),
            tuple(dict.fromkeys(c for c in calls if c is not None)),
            self._said(spans[s] for s in arrived),
        )

    def edits(self, number: int, step: Played, changes: Iterable[_Change]) -> Iterator[EditLine]:
        """What the pass did, in order; that it refused to, if it did."""
        record = step.record
        if record.refused is not None:
            meant = dict.fromkeys(s for e in record.events if e.kind == "evict" for s in e.spans)
            yield EditLine(number, "refuse", tuple(meant), reason=record.refused)
        spans = {s.id: s for s in record.after.spans}
        gone = {s.id for s in record.before.present()} - {s.id for s in record.after.present()}
        rationale = tuple(s.id for s in record.before.spans if s.id in gone and s[TAG] == "rationale")
        for change in changes:
            reason = change.event.origin.text
            made = (change.made,) if change.made is not None else change.spans
            coming = tuple(self._span(record.after, spans[s]) for s in made)
            said = self._said(spans[s] for s in made)
            recorded = change.logged or (self._recorded and not step.step.environment)
            match change.kind:
                case "evict":
                    yield EditLine(number, "evict", change.spans, reason=reason, rationale=rationale, recorded=recorded)
                    rationale = ()
                case "merge":
                    yield EditLine(
                        number,
                        "merge",
                        change.spans,
                        coming,
                        reason=reason,
                        rationale=rationale,
                        recorded=recorded,
                        claims=said,
                    )
                    rationale = ()
                case "rewrite":
                    yield EditLine(number, "rewrite", change.spans, coming, reason=reason, claims=said)
                case "insert":
                    yield EditLine(number, "insert", made=coming, reason=reason, claims=said)
                case "move":
                    yield EditLine(number, "move", change.spans, reason=reason)
                case "readmit":
                    if change.override:
                        contents = tuple(dict.fromkeys(s.content for s in coming))
                        yield EditLine(number, "override", contents=contents, reason=reason)
                    yield EditLine(number, "readmit", made=coming, reason=reason)
                case "refuse" | "override":
                    raise AssertionError("no change of a window")

    def _span(self, window: Window, span: Span) -> LoggedSpan:
        version = self._versions[span.id]
        tokens = span.values.get("tokens", 0)
        assert isinstance(tokens, int)
        return LoggedSpan(
            span.id,
            self._key(span, "content") or (f"{span.id}~{version}" if version else span.id),
            str(span[TAG]),
            max(tokens, 0),
            tuple(sorted(t for name, s, t in window.links if name == "justifies" and s == span.id)),
        )

    def _key(self, span: Span, name: str) -> str | None:
        """The key that the span has in the field, if there is such a field and it has one."""
        if name not in self._fields or self._fields[name].kind != "key" or span[name] == NO_KEY:
            return None
        return str(span[name])

    def _said(self, spans: Iterable[Span]) -> dict[str, str]:
        """What the spans say of a subject."""
        said = {}
        for span in spans:
            subject, status = self._key(span, "subject"), self._key(span, "status")
            if subject is not None and status is not None:
                said[subject] = status
        return said
