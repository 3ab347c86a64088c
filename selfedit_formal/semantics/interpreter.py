"""What the core means, by computing it: the definition that every other part is held to.

`spec/semantics.md` says the same in words. What is left open is asked of a `Choices`; a run that asks for what nobody
can give does not exist.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping
from dataclasses import field, replace
from typing import Literal, Protocol

from selfedit_formal._frozen import dataclass
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
    GATE_RUN,
    Assign,
    Assignment,
    Beside,
    Block,
    End,
    Evict,
    Fill,
    Insert,
    Keep,
    LetSet,
    LetSpan,
    LetValue,
    Move,
    NoSpan,
    Open,
    Original,
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
)
from selfedit_formal.core.property import (
    ARRIVAL_SITE,
    ARRIVED_ID,
    ORACLE_SITE,
    RESCORED_SITE,
    Case,
    ChoiceKey,
    Claim,
    Obligation,
    fresh_id,
    run_key,
)
from selfedit_formal.core.traverse import arrivals, depth, free
from selfedit_formal.core.window import COVERS, NO_KEY, TAG, Field, Kind, Schema, Value, Window, nearest_to_zero, zero
from selfedit_formal.semantics.reads import Quantified, reads_archive, windows
from selfedit_formal.semantics.state import (
    Record,
    State,
    added,
    from_window,
    known,
    moved,
    place_in,
    recorded_fields,
    same_record,
    same_window,
    swapped,
    to_window,
    without,
)

ASSUMED_INPUT = Input(ASSUMED)
GATE_SITE = -4
"""The site of a gate's event: gates are no statements and have none of their own."""

NOTHING: frozenset[str] = frozenset()


# ---------- what is left open


@dataclass(frozen=True, slots=True)
class Domain:
    """What an open value may be: an int from low to high (None open), a listed name of an enum, any bool, any key."""

    kind: Kind
    low: int | None = None
    high: int | None = None
    names: tuple[str, ...] = ()

    def admits(self, value: object) -> bool:
        """Whether the value is one of them."""
        match self.kind:
            case "int":
                return (
                    type(value) is int
                    and (self.low is None or self.low <= value)
                    and (self.high is None or value <= self.high)
                )
            case "bool":
                return type(value) is bool
            case "key":
                return type(value) is str and value != ""
            case "enum":
                return type(value) is str and value in self.names

    def empty(self) -> bool:
        """Whether there is no such value."""
        match self.kind:
            case "int":
                return self.low is not None and self.high is not None and self.low > self.high
            case "enum":
                return not self.names
            case "bool" | "key":
                return False

    def default(self) -> Value:
        """The int closest to zero, False, no key, or the first name. The domain is not empty."""
        match self.kind:
            case "int":
                return nearest_to_zero(self.low, self.high)
            case "bool":
                return False
            case "key":
                return NO_KEY
            case "enum":
                return self.names[0]


class NoSuchRun(Exception):
    """An open value has no admissible value (or was given an inadmissible one), so the run does not exist."""


class Choices(Protocol):
    """Who fills in what is left open. Asked once for each key of a run; the domain is not empty."""

    def take(self, key: ChoiceKey, domain: Domain) -> Value: ...


@dataclass(frozen=True, slots=True)
class Given:
    """Choices from a mapping such as `Case.choices`; a key that is not there reads the domain's default."""

    choices: Mapping[ChoiceKey, Value] = field(default_factory=dict)

    def take(self, key: ChoiceKey, domain: Domain) -> Value:
        return self.choices[key] if key in self.choices else domain.default()


@dataclass(frozen=True, slots=True)
class _Noted:
    """Another's choices, noted as they are taken."""

    choices: Choices
    taken: dict[ChoiceKey, Value] = field(default_factory=dict)

    def take(self, key: ChoiceKey, domain: Domain) -> Value:
        self.taken[key] = self.choices.take(key, domain)
        return self.taken[key]


# ---------- what is told


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a case makes of a claim. `exists` False: the case is none (the other three are False too)."""

    exists: bool
    premise: bool
    antecedent: bool
    consequent: bool

    @property
    def broken(self) -> bool:
        """Whether the case breaks the claim."""
        return self.exists and self.premise and self.antecedent and not self.consequent


NO_CASE = Judgement(False, False, False, False)

EventKind = Literal["keep", "evict", "set", "insert", "readmit", "move", "refuse", "gate", "block"]


@dataclass(frozen=True, slots=True)
class Event:
    """A statement (or gate) that did something in a pass, and the spans that it did it to, oldest first.

    `block`: its condition held. A gate's site is `GATE_SITE`.
    """

    site: int
    origin: Origin
    kind: EventKind
    spans: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PassRecord:
    """One pass as it went. `refused`: the reason of a `refuse` or the name of a gate; then `after` is `before`.

    The events are those up to the refusal.
    """

    term: WindowTerm
    before: Window
    after: Window
    refused: str | None
    events: tuple[Event, ...]


# ---------- the doors


def judge(obligation: Obligation, case: Case) -> Judgement:
    """What the case makes of the obligation's claim. Everything that a case claims about itself is checked first."""
    return judge_with(obligation, case.inputs, case.parameters, case.spans, Given(case.choices))


def judge_with(
    obligation: Obligation,
    inputs: Mapping[str, Window],
    parameters: Mapping[str, int],
    spans: Mapping[str, str],
    choices: Choices,
) -> Judgement:
    """What these inputs, parameters, spans (a plan's, and the claim's bound ones) and choices make of the claim."""
    if not _is_case(obligation, inputs, parameters, spans):
        return NO_CASE
    evaluation = Evaluation(obligation, inputs, parameters, spans, choices)
    claim = obligation.claim
    try:
        evaluation.settle(claim)
        if not all(evaluation.has(b.variable, b.window) for b in claim.bound):
            return NO_CASE
        return Judgement(
            exists=True,
            premise=evaluation.truth(claim.premise),
            antecedent=evaluation.truth(claim.antecedent),
            consequent=evaluation.truth(claim.consequent),
        )
    except NoSuchRun:
        return NO_CASE


def breaks(obligation: Obligation, case: Case) -> bool:
    """Whether the case is a counterexample to the obligation's claim."""
    return judge(obligation, case).broken


def passes(obligation: Obligation, case: Case) -> tuple[PassRecord, ...]:
    """Every pass that the claim speaks of on this case, inner ones first, each once; not the trials of gates.

    Raises ValueError if the case is none (`judge` says `exists` False).
    """
    if not judge(obligation, case).exists:
        raise ValueError("not a case of this obligation")
    evaluation = Evaluation(obligation, case.inputs, case.parameters, case.spans, Given(case.choices))
    evaluation.settle(obligation.claim)
    return evaluation.records()


def taken(obligation: Obligation, case: Case) -> Mapping[ChoiceKey, Value]:
    """Every choice that a replay of the case takes, those that it leaves to their default too."""
    noted = _Noted(Given(case.choices))
    judge_with(obligation, case.inputs, case.parameters, case.spans, noted)
    return noted.taken


def apply(
    policy: Policy,
    window: Window,
    parameters: Mapping[str, int],
    spans: Mapping[str, str],
    choices: Choices,
    run: str = "",
    depth: int = 1,
) -> PassRecord:
    """One pass of the policy on the window; `spans` says which spans a plan's parameters are. Raises NoSuchRun."""
    world = _World(
        policies={policy.name: policy},
        schema=window.schema,
        parameters=parameters,
        spans=spans,
        links=frozenset(link for link in window.links if link[0] != COVERS),
        taken_ids=frozenset(s.id for s in window.spans),
        created=window.fresh,
        choices=choices,
    )
    term = Pass(policy.name, run, ASSUMED_INPUT)
    outcome = world.perform(policy, run_key(policy.name, run, depth), from_window(window), gated=True)
    return outcome.record(term)


class Evaluation:
    """The terms of one obligation, computed on one filling-in of what its claim leaves open.

    Remembers choices and passes: the same term is the same value, the same key the same choice.
    It trusts that the inputs are a case's.
    """

    def __init__(
        self,
        obligation: Obligation,
        inputs: Mapping[str, Window],
        parameters: Mapping[str, int],
        spans: Mapping[str, str],
        choices: Choices,
    ) -> None:
        windows = tuple(inputs.values())
        created = frozenset(s for w in windows for s in w.fresh)
        self._world = _World(
            policies={p.name: p for p in obligation.policies},
            schema=obligation.schema,
            parameters=parameters,
            spans=_plan_spans(obligation, spans),
            links=frozenset(link for w in windows for link in w.links if link[0] != COVERS),
            taken_ids=frozenset(s.id for w in windows for s in w.spans),
            created=created,
            choices=choices,
        )
        states = {name: from_window(w) for name, w in inputs.items()}
        self._scope = _Scope(
            # What one window calls created, another one that has it need not say.
            frame=_Frame(inputs={name: replace(s, fresh=created & set(s.order)) for name, s in states.items()}),
            spans={**spans, **_plan_spans(obligation, spans)},
        )

    def settle(self, part: Claim | Expression, spans: Mapping[str, str] | None = None) -> None:
        """Computes every window that the claim, or a part of it, names. Raises NoSuchRun if one of them does not exist:
        then the case is none, whether or not the window matters."""
        self._world.settle(part, self._with(spans))

    def truth(self, expression: Expression, spans: Mapping[str, str] | None = None) -> bool:
        """Whether the expression, which may speak of `spans` too, is true. Raises NoSuchRun."""
        self.settle(expression, spans)
        return self._world.truth(expression, self._with(spans))

    def number(self, expression: Expression, spans: Mapping[str, str] | None = None) -> int:
        """The value of an int expression, which may speak of `spans` too. Raises NoSuchRun."""
        self.settle(expression, spans)
        return self._world.number(expression, self._with(spans))

    def present(self, window: WindowTerm, spans: Mapping[str, str] | None = None) -> tuple[str, ...]:
        """The spans present in the window, oldest first. Raises NoSuchRun."""
        return self._world.state(window, self._with(spans)).present()

    def has(self, variable: str, window: WindowTerm) -> bool:
        """Whether the span that the variable stands for is present in the window. Raises NoSuchRun."""
        return self._world.state(window, self._scope).has(self._scope.spans.get(variable))

    def records(self) -> tuple[PassRecord, ...]:
        """The passes computed so far, in order."""
        return tuple(outcome.record(term) for term, outcome in self._scope.frame.passes)

    def _with(self, spans: Mapping[str, str] | None) -> _Scope:
        return replace(self._scope, spans={**self._scope.spans, **spans}) if spans else self._scope


# ---------- what a case claims about itself


def _plan_spans(obligation: Obligation, spans: Mapping[str, str]) -> dict[str, str]:
    """A plan's spans: on a written-out window they are called by their ids, otherwise `spans` says which they are."""
    return {s: spans.get(s, s) if obligation.fixed is not None else spans[s] for s in obligation.spans}


def _is_case(
    obligation: Obligation, inputs: Mapping[str, Window], parameters: Mapping[str, int], spans: Mapping[str, str]
) -> bool:
    names = obligation.claim.inputs
    if set(inputs) != set(names):
        return False
    if not all(
        p.name in parameters and Domain("int", p.low, p.high).admits(parameters[p.name]) for p in obligation.parameters
    ):
        return False
    if not all(b.variable in spans for b in obligation.claim.bound):
        return False
    if obligation.fixed is not None:
        written = obligation.fixed
        if inputs[names[0]] != written:
            return False
        if not all(spans.get(s, s) == s and written.span(s) is not None for s in obligation.spans):
            return False
    else:
        chosen = [spans.get(s) for s in obligation.spans]
        if len(set(chosen)) != len(chosen):
            return False
        if chosen and not set(chosen) <= {s.id for s in inputs[names[0]].present()}:
            return False
    archive = reads_archive(obligation)
    generated = [inputs[n] for n in names if obligation.fixed is None or n != names[0]]
    return all(_is_input(w, obligation.schema, archive) for w in generated) and _agree(tuple(inputs.values()))


def _is_input(window: Window, schema: Schema, archive: bool) -> bool:
    """Whether a claim's quantifier over input windows reaches this window (its premise apart)."""
    spans = {s.id: s for s in window.spans}
    domains = {f.name: _domain(f) for f in schema.fields if f.oracle != "window"}
    allowed = {link.name: link for link in schema.links}

    def fits(name: str, source: str, target: str) -> bool:
        if name not in allowed or source == target or source not in spans or target not in spans:
            return False
        return allowed[name].admits(spans[source].values[TAG], spans[target].values[TAG])

    return (
        window.schema == schema
        and len(spans) == len(window.spans)
        and all(spans)
        and window.archived <= set(spans)
        and (archive or not window.archived)
        and not window.fresh
        and all(name in s.values and d.admits(s.values[name]) for s in window.spans for name, d in domains.items())
        and all(fits(*link) for link in window.links)
    )


def _agree(windows: tuple[Window, ...]) -> bool:
    """Whether the windows hold the same links between the spans they share: links are fixed for a span's life."""

    def between(window: Window, ids: Collection[str]) -> set[tuple[str, str, str]]:
        return {link for link in window.links if link[0] != COVERS and link[1] in ids and link[2] in ids}

    return all(
        between(a, ids) == between(b, ids)
        for i, a in enumerate(windows)
        for b in windows[i + 1 :]
        for ids in [{s.id for s in a.spans} & {s.id for s in b.spans}]
    )


def _domain(declared: Field) -> Domain:
    return Domain(declared.kind, declared.low, declared.high, declared.names)


# ---------- one pass


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What came of a pass. `skipped`: the sites of the blocks that were reached with a false condition."""

    before: State
    after: State
    refused: str | None
    events: tuple[Event, ...]
    skipped: frozenset[int]
    logged: frozenset[str]
    overridden: frozenset[str]

    def record(self, term: WindowTerm) -> PassRecord:
        return PassRecord(term, to_window(self.before), to_window(self.after), self.refused, self.events)

    def refusing(self, reason: str, event: Event) -> _Outcome:
        return replace(
            self,
            after=self.before,
            refused=reason,
            events=(*self.events, event),
            logged=NOTHING,
            overridden=NOTHING,
        )


class _Frame:
    """What input windows and passes are where a term stands: in a claim, or in a gate around one pass.

    In a gate `subject` is the pass being gated (policy, run key, outcome so far). Remembers every window computed.
    """

    def __init__(self, inputs: Mapping[str, State], subject: tuple[str, str, _Outcome] | None = None) -> None:
        self.inputs = inputs
        self.subject = subject
        self.windows: dict[Hashable, State] = {}
        self.outcomes: dict[Hashable, _Outcome] = {}
        self.passes: list[tuple[Pass, _Outcome]] = []


@dataclass(frozen=True, slots=True)
class _Scope:
    """What names mean where an expression stands.

    In a policy `state` is the current window and `run` the key of the pass; elsewhere there is no current window.
    """

    frame: _Frame
    spans: Mapping[str, str | None]
    state: State | None = None
    run: str = ""
    sets: Mapping[str, frozenset[str]] = field(default_factory=dict)
    values: Mapping[str, Value] = field(default_factory=dict)

    def binding(self, variable: str, span: str | None) -> _Scope:
        # Written out, as `dataclasses.replace` is slow and this is done for every span of every quantifier.
        spans = {**self.spans, variable: span}
        return _Scope(self.frame, spans, self.state, self.run, self.sets, self.values)


@dataclass(frozen=True, slots=True)
class _Progress:
    """How far a pass has come: names and the current window (in `scope`), and what it did."""

    scope: _Scope
    outcome: _Outcome
    protected: frozenset[str] = NOTHING

    @property
    def state(self) -> State:
        return self.outcome.after

    def reaching(self, state: State, *events: Event) -> _Progress:
        """With another current window, and what was done to get there."""
        return replace(
            self,
            scope=replace(self.scope, state=state),
            outcome=replace(self.outcome, after=state, events=self.outcome.events + events),
        )


class _World:
    """Policies, parameters and choices that hold throughout; computes expressions, windows and passes."""

    def __init__(
        self,
        policies: Mapping[str, Policy],
        schema: Schema,
        parameters: Mapping[str, int],
        spans: Mapping[str, str],
        links: frozenset[tuple[str, str, str]],
        taken_ids: frozenset[str],
        created: frozenset[str],
        choices: Choices,
    ) -> None:
        self._policies = policies
        self._schema = schema
        self._fields = {f.name: f for f in schema.fields}
        self._parameters = parameters
        self._spans = spans
        self._links = links
        self._given_ids = taken_ids
        self._given_created = created
        self._choices = choices
        self._taken: dict[ChoiceKey, Value] = {}
        self._created: dict[Hashable, str] = {}
        self._parts: dict[int, tuple[Expression, str, tuple[Expression, ...]]] = {}

    # ---------- choices

    def _take(self, key: ChoiceKey, domain: Domain) -> Value:
        if domain.empty():
            raise NoSuchRun
        if key not in self._taken:
            self._taken[key] = self._choices.take(key, domain)
        value = self._taken[key]
        if not domain.admits(value):
            raise NoSuchRun
        return value

    def _created_id(self, what: Hashable, name: str) -> str:
        """The id of a created span: the name, or a free one like it where a given window already uses that."""
        if what not in self._created:
            used = self._given_ids | set(self._created.values())
            number, identity = 2, name
            while identity in used:
                identity, number = f"{name}_{number}", number + 1
            self._created[what] = identity
        return self._created[what]

    # ---------- windows

    def state(self, term: WindowTerm, scope: _Scope) -> State:
        """The window that the term stands for."""
        match term:
            case Input(name):
                return scope.frame.inputs[name]
            case Pass():
                return self._outcome(term, scope).after
            case Without(window, span):
                return without(self.state(window, scope), scope.spans[span])
            case Swapped(window, first, second):
                return swapped(self.state(window, scope), scope.spans[first], scope.spans[second])
            case Rescored(window, span):
                return self._remembered(
                    term, scope, lambda: self._rescored(self.state(window, scope), scope.spans[span])
                )
            case Arrived(window, tokens):
                self.settle(tokens, scope)
                amount = self.number(tokens, scope)
                return self._remembered(
                    term, scope, lambda: self._arrived(self.state(window, scope), amount, arrivals(window) + 1)
                )
            case Known(window):
                return known(self.state(window, scope))

    def settle(self, part: Claim | Expression, scope: _Scope) -> None:
        """Computes every window that the part of a claim or gate names. Raises NoSuchRun if one does not exist."""
        for term, around in windows(part):
            self._settle(term, around, scope)

    def _settle(self, term: WindowTerm, around: tuple[Quantified, ...], scope: _Scope) -> None:
        if not around:
            self.state(term, scope)
            return
        variable, window = around[0]
        for span in self.state(window, scope).present():
            self._settle(term, around[1:], scope.binding(variable, span))

    def _remembered(self, term: WindowTerm, scope: _Scope, compute: Callable[[], State]) -> State:
        windows = scope.frame.windows
        key = self._ground(term, scope)
        if key not in windows:
            windows[key] = compute()
        return windows[key]

    def _ground(self, term: WindowTerm, scope: _Scope) -> Hashable:
        """The term with its variables replaced by what they stand for: equal for terms that are the same window."""
        match term:
            case Input(name):
                return ("input", name)
            case Pass(policy, run, window, gated):
                return ("pass", policy, run, gated, self._ground(window, scope))
            case Without(window, span):
                return ("without", scope.spans[span], self._ground(window, scope))
            case Swapped(window, first, second):
                return ("swapped", scope.spans[first], scope.spans[second], self._ground(window, scope))
            case Rescored(window, span):
                return ("rescored", scope.spans[span], self._ground(window, scope))
            case Arrived(window, tokens):
                return ("arrived", self.number(tokens, scope), self._ground(window, scope))
            case Known(window):
                return ("known", self._ground(window, scope))

    def _rescored(self, state: State, span: str | None) -> State:
        if span is None or not state.knows(span):
            return state
        scores = {
            f.name: self._take(ChoiceKey("", RESCORED_SITE, span, f.name), _domain(f))
            for f in self._schema.fields
            if f.oracle == "query"
        }
        record = {**state.records[span], **scores}
        return replace(state, records={**state.records, span: record}, rescored=state.rescored | {span})

    def _arrived(self, state: State, tokens: int, number: int) -> State:
        """`number`: how many spans arrive in the making of the window, this one included."""
        name = ARRIVED_ID if number == 1 else f"{ARRIVED_ID}_{number}"
        if not _domain(self._fields["tokens"]).admits(tokens):
            raise NoSuchRun
        record: dict[str, Value] = {}
        for f in recorded_fields(self._schema):
            declared = self._fields[f]
            if f == "tokens":
                record[f] = tokens
            elif declared.history:
                record[f] = zero(declared.kind)
            else:
                record[f] = self._take(ChoiceKey("", ARRIVAL_SITE, name, f), _domain(declared))
        return added(state, self._created_id(("arrived", number), name), record, len(state.order))

    # ---------- passes

    def _outcome(self, term: Pass, scope: _Scope) -> _Outcome:
        frame = scope.frame
        if frame.subject is not None and (term.policy, term.run, term.window) == (frame.subject[0], "", ASSUMED_INPUT):
            return frame.subject[2]
        key = self._ground(term, scope)
        if key not in frame.outcomes:
            before = self.state(term.window, scope)
            gated = term.gated and frame.subject is None
            outcome = self.perform(self._policies[term.policy], self._key(term, frame), before, gated)
            frame.outcomes[key] = outcome
            frame.passes.append((term, outcome))
        return frame.outcomes[key]

    def _key(self, term: Pass, frame: _Frame) -> str:
        number = depth(term)
        if frame.subject is None:
            return run_key(term.policy, term.run, number)
        return run_key(frame.subject[1], GATE_RUN + term.run, number)

    def perform(self, policy: Policy, key: str, before: State, gated: bool) -> _Outcome:
        """One pass of the policy, its run key given, on a state."""
        done = self._run(policy, key, before).outcome
        if done.refused is not None or not gated:
            return done
        scope = _Scope(
            frame=_Frame({ASSUMED_INPUT.name: before}, subject=(policy.name, key, done)),
            spans=self._plan_spans(policy),
        )
        for gate in policy.gates:
            self.settle(gate.condition, scope)
        for gate in policy.gates:
            if not self.truth(gate.condition, scope):
                return done.refusing(gate.name, Event(GATE_SITE, gate.origin, "gate"))
        return done

    def _plan_spans(self, policy: Policy) -> Mapping[str, str | None]:
        return {s: self._spans.get(s) for s in policy.spans}

    def _start(self, policy: Policy, key: str, before: State) -> _Progress:
        return _Progress(
            scope=_Scope(frame=_Frame({}), spans=self._plan_spans(policy), state=before, run=key),
            outcome=_Outcome(before, before, None, (), frozenset(), NOTHING, NOTHING),
        )

    def _run(self, policy: Policy, key: str, before: State) -> _Progress:
        progress = self._start(policy, key, before)
        ahead: list[Iterator[Statement]] = [iter(policy.body)]
        while ahead and progress.outcome.refused is None:
            statement = next(ahead[-1], None)
            if statement is None:
                ahead.pop()
            elif isinstance(statement, Block):
                progress, enters = self._enter(statement, progress)
                if enters:
                    ahead.append(iter(statement.body))
            else:
                progress = self._step(statement, progress)
        return progress

    def _enter(self, block: Block, progress: _Progress) -> tuple[_Progress, bool]:
        if self.truth(block.condition, progress.scope):
            return progress.reaching(progress.state, Event(block.site, block.origin, "block")), True
        outcome = replace(progress.outcome, skipped=progress.outcome.skipped | {block.site})
        return replace(progress, outcome=outcome), False

    def _step(
        self,
        statement: LetSet | LetSpan | LetValue | Keep | Evict | Set | Insert | Readmit | Move | Fill | Refuse,
        progress: _Progress,
    ) -> _Progress:
        scope, state = progress.scope, progress.state
        match statement:
            case LetSet() | LetSpan() | LetValue():
                return replace(progress, scope=self._named(statement, scope, state))
            case Keep(site, variable, condition, origin):
                kept = self._chosen(state.present(), variable, condition, scope)
                done = (Event(site, origin, "keep", kept),) if kept else ()
                return replace(progress.reaching(state, *done), protected=progress.protected | set(kept))
            case Evict(site, variable, condition, logged, origin):
                gone = self._chosen(self._free(progress), variable, condition, scope)
                after = self._evict(progress, gone, site, origin)
                if not logged:
                    return after
                outcome = replace(after.outcome, logged=after.outcome.logged | set(gone))
                return replace(after, outcome=outcome)
            case Fill():
                return self._evict(progress, self._filled(statement, progress), statement.site, statement.origin)
            case Set(site, variable, condition, assignments, origin, archive):
                candidates = state.archive() if archive else self._free(progress)
                records = {
                    s: {**state.records[s], **self._assigned(site, s, assignments, scope.binding(variable, s))}
                    for s in self._chosen(candidates, variable, condition, scope)
                }
                changed = tuple(s for s, record in records.items() if record != state.records[s])
                done = (Event(site, origin, "set", changed),) if changed else ()
                return progress.reaching(replace(state, records={**state.records, **records}), *done)
            case Insert():
                return self._insert(statement, progress)
            case Readmit(site, variable, condition, place, override, origin):
                back = self._chosen(state.archive(), variable, condition, scope)
                if not back:
                    return progress
                order = self._moved(state.order, frozenset(back), place, scope)
                after = progress.reaching(
                    replace(state, order=order, archived=state.archived - set(back)),
                    Event(site, origin, "readmit", back),
                )
                if not override:
                    return after
                outcome = replace(after.outcome, overridden=after.outcome.overridden | set(back))
                return replace(after, outcome=outcome)
            case Move(site, variable, condition, place, origin):
                chosen = self._chosen(state.present(), variable, condition, scope)
                order = self._moved(state.order, frozenset(chosen), place, scope)
                done = (Event(site, origin, "move", chosen),) if order != state.order else ()
                return progress.reaching(replace(state, order=order), *done)
            case Refuse(site, condition, reason, origin):
                if not self.truth(condition, scope):
                    return progress
                event = Event(site, origin, "refuse")
                return replace(progress, outcome=progress.outcome.refusing(reason, event))

    def _free(self, progress: _Progress) -> tuple[str, ...]:
        return tuple(s for s in progress.state.present() if s not in progress.protected)

    def _evict(self, progress: _Progress, gone: tuple[str, ...], site: int, origin: Origin) -> _Progress:
        if not gone:
            return progress
        state = replace(progress.state, archived=progress.state.archived | set(gone))
        return progress.reaching(state, Event(site, origin, "evict", gone))

    def _filled(self, fill: Fill, progress: _Progress) -> tuple[str, ...]:
        """The spans that the walk evicts, oldest first."""
        scope = progress.scope
        walk = self._chosen(self._free(progress), fill.variable, fill.condition, scope)
        cap = self.number(fill.cap, scope)
        kept, gone = 0, set()
        for span in reversed(walk) if fill.newest_first else walk:
            weight = self.number(fill.weight, scope.binding(fill.variable, span))
            if kept + weight <= cap:
                kept += weight
            else:
                gone.add(span)
        return tuple(s for s in walk if s in gone)

    def _insert(self, insert: Insert, progress: _Progress) -> _Progress:
        scope, state = progress.scope, progress.state
        index = self._index(state.order, insert.place, scope)
        if index is None:
            return progress
        name = fresh_id(scope.run, insert.site)
        if insert.may and not self._take(ChoiceKey(scope.run, insert.site, name, ""), Domain("bool")):
            return progress
        given = self._assigned(insert.site, name, insert.assignments, scope)
        record = {
            f: given[f] if f in given else self._open(f, insert.site, name, scope)
            for f in recorded_fields(state.schema)
        }
        span = self._created_id((scope.run, insert.site), name)
        covered = scope.sets.get(insert.covers, NOTHING) if insert.covers is not None else NOTHING
        pairs = frozenset((COVERS, span, s) for s in covered)
        event = Event(insert.site, insert.origin, "insert", (span,))
        after = added(state, span, record, index, pairs)
        if insert.variable:
            inside = replace(scope.binding(insert.variable, span), state=after)
            if not self.truth(insert.condition, inside):
                raise NoSuchRun
        return progress.reaching(after, event)

    def _open(self, name: str, site: int, span: str, scope: _Scope) -> Value:
        """A field of a fresh span that no assignment speaks of."""
        declared = self._fields[name]
        if declared.kind == "bool" or declared.history:
            return zero(declared.kind)
        return self._take(ChoiceKey(scope.run, site, span, name), _domain(declared))

    def _assigned(self, site: int, span: str, assignments: tuple[Assignment, ...], scope: _Scope) -> Record:
        """The new values of some fields. `span` is what choices call the span; the scope is the old one."""
        values: dict[str, Value] = {}
        for assignment in assignments:
            match assignment:
                case Assign(name, value):
                    values[name] = self.value(value, scope)
                case Open(name, low, high):
                    declared = _domain(self._fields[name])
                    lows = [declared.low, None if low is None else self.number(low, scope)]
                    highs = [declared.high, None if high is None else self.number(high, scope)]
                    domain = replace(
                        declared,
                        low=max((n for n in lows if n is not None), default=None),
                        high=min((n for n in highs if n is not None), default=None),
                    )
                    values[name] = self._take(ChoiceKey(scope.run, site, span, name), domain)
        return values

    def _chosen(self, spans: tuple[str, ...], variable: str, condition: Expression, scope: _Scope) -> tuple[str, ...]:
        return tuple(s for s in spans if self.truth(condition, scope.binding(variable, s)))

    def _index(self, order: tuple[str, ...], place: Place, scope: _Scope) -> int | None:
        match place:
            case End(which):
                return place_in(order, which, None)
            case Beside(side, span):
                return place_in(order, side, scope.spans.get(span))
            case Original():
                return None

    def _moved(self, order: tuple[str, ...], chosen: frozenset[str], place: Place, scope: _Scope) -> tuple[str, ...]:
        match place:
            case End(which):
                return moved(order, chosen, which, None)
            case Beside(side, span):
                return moved(order, chosen, side, scope.spans.get(span))
            case Original():
                return order

    # ---------- names

    def _named(self, statement: LetSet | LetSpan | LetValue, scope: _Scope, state: State) -> _Scope:
        match statement:
            case LetSet(site, name, variable, condition, archive, may):
                found = self._chosen(state.archive() if archive else state.present(), variable, condition, scope)
                if may:
                    asked = Domain("bool")
                    found = tuple(s for s in found if self._take(ChoiceKey(scope.run, site, s, ""), asked))
                return replace(scope, sets={**scope.sets, name: frozenset(found)})
            case LetSpan(_, name, term):
                return scope.binding(name, self._picked(term, scope, state))
            case LetValue(_, name, _, value):
                return replace(scope, values={**scope.values, name: self.value(value, scope)})

    def _picked(self, term: SpanTerm, scope: _Scope, state: State) -> str | None:
        match term:
            case NoSpan():
                return None
            case SpanNamed(span):
                return scope.spans.get(span)
            case SpanIf(condition, then, otherwise):
                return self._picked(then if self.truth(condition, scope) else otherwise, scope, state)
            case Pick(which, variable, condition, archive):
                found = self._chosen(state.archive() if archive else state.present(), variable, condition, scope)
                return None if not found else found[0] if which == "first" else found[-1]

    # ---------- expressions

    def truth(self, expression: Expression, scope: _Scope) -> bool:
        value = self.value(expression, scope)
        assert isinstance(value, bool)
        return value

    def number(self, expression: Expression, scope: _Scope) -> int:
        value = self.value(expression, scope)
        assert isinstance(value, int)
        return value

    def value(self, expression: Expression, scope: _Scope) -> Value:
        """The value of an expression where it stands, computed as far as it matters."""
        match expression:
            case Int(value):
                return value
            case Bool(truth):
                return truth
            case Name(_, name):
                return name
            case Parameter(name):
                return self._parameters[name]
            case Local(name, kind):
                return scope.values.get(name, zero(kind))
            case Read():
                return self._read(expression, scope)
            case Add(items):
                return sum(self.number(i, scope) for i in items)
            case Multiply(left, right):
                return self.number(left, scope) * self.number(right, scope)
            case Divide(dividend, divisor, rounding):
                number = self.number(dividend, scope)
                return number // divisor if rounding == "down" else -(-number // divisor)
            case Modulo(dividend, divisor):
                return self.number(dividend, scope) % divisor
            case Count(variable, window, condition):
                return sum(self._each(variable, window, condition, scope))
            case Total(variable, window, weight, condition):
                scopes = (scope.binding(variable, s) for s in self._here(window, scope).present())
                return sum(self.number(weight, s) for s in scopes if self.truth(condition, s))
            case If(condition, then, otherwise):
                return self.value(then if self.truth(condition, scope) else otherwise, scope)
            case Not(item):
                return not self.truth(item, scope)
            case And(items):
                return all(self.truth(i, scope) for i in items)
            case Or(items):
                return any(self.truth(i, scope) for i in items)
            case Implies(left, right):
                return not self.truth(left, scope) or self.truth(right, scope)
            case Compare(operator, left, right):
                return _compared(operator, self.number(left, scope), self.number(right, scope))
            case Equal(left, right):
                return self.value(left, scope) == self.value(right, scope)
            case Before(first, second, window):
                places = self._here(window, scope).places
                a, b = scope.spans.get(first), scope.spans.get(second)
                return a is not None and b is not None and a in places and b in places and places[a] < places[b]
            case SameSpan(first, second):
                a, b = scope.spans.get(first), scope.spans.get(second)
                return a is not None and a == b
            case Linked(link, source, target, window):
                pairs = self._here(window, scope).links if link == COVERS else self._links
                a, b = scope.spans.get(source), scope.spans.get(target)
                return a is not None and b is not None and (link, a, b) in pairs
            case Reaches(link, source, target, window):
                return self._reaches(link, scope.spans.get(source), scope.spans.get(target), self._here(window, scope))
            case Present(span, window):
                return self._here(window, scope).has(scope.spans.get(span))
            case InSet(span, name):
                return scope.spans.get(span) in scope.sets.get(name, NOTHING)
            case Some(variable, window, condition):
                return any(self._each(variable, window, condition, scope))
            case All(variable, window, condition):
                return all(self._each(variable, window, condition, scope))
            case SameWindow(left, right):
                return same_window(self.state(left, scope), self.state(right, scope))
            case SameRecord(span, left, right):
                return same_record(scope.spans.get(span), self.state(left, scope), self.state(right, scope))
            case Triggered(policy, run, window):
                term = Pass(policy, run, window)
                return self._triggered(self._policies[policy], self._key(term, scope.frame), self.state(window, scope))
            case Refused(window):
                return self._outcome(window, scope).refused is not None
            case Logged(span, window):
                return scope.spans.get(span) in self._outcome(window, scope).logged
            case Overridden(span, window):
                return scope.spans.get(span) in self._outcome(window, scope).overridden
            case Created(span):
                identity = scope.spans.get(span)
                return identity is not None and (identity not in self._given_ids or identity in self._given_created)
            case Fires(window, site, otherwise):
                outcome = self._outcome(window, scope)
                return site in outcome.skipped if otherwise else site in {e.site for e in outcome.events}

    def _each(self, variable: str, window: WindowTerm | None, condition: Expression, scope: _Scope) -> Iterator[bool]:
        """The truth of the condition for each span present in the window."""
        present = self._here(window, scope).present()
        # `r answers c and r answers d implies …`, asked of every d, is settled for most r and c before any d is.
        if not all(self.truth(i, scope) for i in self._apart(variable, condition)):
            return iter([isinstance(condition, Implies)] * len(present))
        return (self.truth(condition, scope.binding(variable, s)) for s in present)

    def _apart(self, variable: str, condition: Expression) -> tuple[Expression, ...]:
        """What does not speak of the variable, and settles the condition for every span if it is false."""
        known = self._parts.get(id(condition))
        if known is None or known[0] is not condition or known[1] != variable:
            left = condition.left if isinstance(condition, Implies) else condition
            items = left.items if isinstance(left, And) else ()
            apart = tuple(i for i in items if variable not in free(i))
            known = self._parts[id(condition)] = (condition, variable, apart)
        return known[2]

    def _here(self, window: WindowTerm | None, scope: _Scope) -> State:
        """The window that an expression reads."""
        if window is not None:
            return self.state(window, scope)
        if scope.state is None:
            raise ValueError("an expression outside a policy must say which window it reads")
        return scope.state

    def _read(self, read: Read, scope: _Scope) -> Value:
        state = self._here(read.window, scope)
        span = scope.spans.get(read.span)
        if span is None or not state.knows(span):
            return zero(read.kind)
        declared = self._fields[read.field]
        if declared.oracle != "window":
            return state.records[span][read.field]
        if read.window is not None:
            raise ValueError(f"`{read.field}` has no value outside a pass")
        site = RESCORED_SITE if span in state.rescored else ORACLE_SITE
        return self._take(ChoiceKey(scope.run, site, span, read.field), _domain(declared))

    def _reaches(self, link: str, source: str | None, target: str | None, state: State) -> bool:
        if not (state.has(source) and state.has(target)):
            return False
        steps: dict[str, list[str]] = {}
        for name, a, b in state.links if link == COVERS else self._links:
            if name == link and state.has(a) and state.has(b):
                steps.setdefault(a, []).append(b)
        assert source is not None
        reached: set[str] = set()
        waiting = [source]
        while waiting:
            for span in steps.get(waiting.pop(), []):
                if span not in reached:
                    reached.add(span)
                    waiting.append(span)
        return target in reached

    def _triggered(self, policy: Policy, key: str, state: State) -> bool:
        """Whether every `when` before the first edit holds. What stands before that edit leaves the window as it is."""
        scope = self._start(policy, key, state).scope
        ahead: list[Iterator[Statement]] = [iter(policy.body)]
        while ahead:
            statement = next(ahead[-1], None)
            match statement:
                case None:
                    ahead.pop()
                case LetSet() | LetSpan() | LetValue():
                    scope = self._named(statement, scope, state)
                case Block(_, condition, body, True):
                    if not self.truth(condition, scope):
                        return False
                    ahead.append(iter(body))
                case Block() | Keep() | Refuse():
                    pass
                case Evict() | Set() | Insert() | Readmit() | Move() | Fill():
                    return True
        return True


def _compared(operator: Literal["<", "<=", ">", ">=", "==", "!="], left: int, right: int) -> bool:
    match operator:
        case "<":
            return left < right
        case "<=":
            return left <= right
        case ">":
            return left > right
        case ">=":
            return left >= right
        case "==":
            return left == right
        case "!=":
            return left != right
