"""From an obligation to what a window that breaks its claim would be: `spec/semantics.md`, clause by clause.

All spans that a run ever knows have positions, in the order in which they stand; nothing here moves one. A window says
of a position whether its span is known and present there and what its record is. Whatever this module does not know it
refuses (`Beyond`), so no construct has a meaning by default.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace

import z3

from selfedit_formal._frozen import dataclass
from selfedit_formal.core import expression as e
from selfedit_formal.core import policy as p
from selfedit_formal.core.property import Obligation
from selfedit_formal.core.window import COVERS, NO_KEY, NO_NAME, TAG, Field, Kind, zero
from selfedit_formal.kernel.book import Book, Symbol, Term

UNKNOWN = "it says something that is newer than the kernel"


class Beyond(Exception):
    """The obligation says something that this kernel has no meaning for."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A span: its position, and whether there is one at all (a `let` may have found none)."""

    position: Term
    there: Term


@dataclass(frozen=True, slots=True)
class Summary:
    """A span that a pass put in: its position, whether it came, and (over `x`) the spans that it covers."""

    position: Term
    placed: Term
    covered: Term


@dataclass(frozen=True, slots=True)
class State:
    """A window. `known` (present or archived), `present` and the `values` of fields are terms over `x`."""

    known: Term
    present: Term
    values: Mapping[str, Term]
    summaries: tuple[Summary, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a pass; `logged` and `overridden` are terms over `x`."""

    after: State
    refused: Term
    logged: Term
    overridden: Term


@dataclasses.dataclass
class Frame:
    """The windows that a claim (or a gate, about its `subject`) speaks of."""

    inputs: Mapping[str, State]
    subject: tuple[str, Hashable, Outcome] | None = None
    outcomes: dict[e.Pass, Outcome] = dataclasses.field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Scope:
    """What names mean where an expression stands. `depth` holes are taken. `run`: whose answers a policy gets."""

    frame: Frame
    spans: Mapping[str, Spot]
    depth: int = 0
    state: State | None = None
    run: Hashable = None
    sets: Mapping[str, Term] = dataclasses.field(default_factory=dict)
    values: Mapping[str, Term] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Progress:
    """How far a pass has come; it has a `number`. `kept`, `logged` and `overridden` are terms over `x`."""

    number: int
    policy: p.Policy
    before: State
    scope: Scope
    refused: Term
    kept: Term
    logged: Term
    overridden: Term

    @property
    def state(self) -> State:
        assert self.scope.state is not None
        return self.scope.state


class Meaning:
    """The terms of one obligation; `broken` says, as a list of terms, that a window breaks the claim."""

    def __init__(self, obligation: Obligation) -> None:
        self.book = Book()
        self._obligation = obligation
        self._schema = obligation.schema
        self._fields = {f.name: f for f in self._schema.fields}
        self._links = {link.name: link for link in self._schema.links}
        self._names: dict[tuple[str, str], int] = {("key", NO_KEY): 0, ("enum", NO_NAME): 0}
        self._parameters = {q.name: self.book.constant() for q in obligation.parameters}
        self._answers: dict[Hashable, tuple[Symbol, Hashable]] = {}
        self._linked: dict[str, Symbol] = {}
        self._plan: Mapping[str, Spot] = {}
        self._passes = 0
        self._fresh: dict[Hashable, Term] = {}
        self._same: list[tuple[Term, Term]] = []
        self._given = self.book.function(1, truth=True)
        self._input = self._window()

    # ---------- the claim

    def broken(self) -> tuple[Term, ...]:
        """That a window, parameters, answers and spans break the claim. Raises Beyond."""
        obligation, book = self._obligation, self.book
        if obligation.turns is not None:
            raise Beyond("it is about the turns of a session")
        if obligation.fixed is not None:
            raise Beyond("it is about one window that is written out")
        if len(obligation.claim.inputs) != 1:
            raise Beyond("it speaks of several input windows")
        if any(not self._inhabited(f) for f in self._schema.fields):
            raise Beyond("a field of the schema has no value at all")
        for q in obligation.parameters:
            book.axioms += self._within(self._parameters[q.name], q.low, q.high)
        claim = obligation.claim
        named = [*obligation.spans, *(b.variable for b in claim.bound)]
        if len(set(named)) != len(named):
            raise Beyond("two of its spans share a name")
        spots = {name: Spot(book.constant(), book.true) for name in named}
        self._plan = {s: spots[s] for s in obligation.spans}
        plan = list(self._plan.values())
        book.marked += [s.position for s in spots.values()]
        scope = Scope(Frame({claim.inputs[0]: self._input}), spots)
        book.axioms += [z3.Distinct(*(s.position for s in plan))] if len(plan) > 1 else []
        facts = [self._at(self._input.present, s) for s in plan]
        facts += [self._at(self._state(b.window, scope).present, spots[b.variable]) for b in claim.bound]
        facts += [self.value(claim.premise, scope), self.value(claim.antecedent, scope)]
        facts += [book.negated(self.value(claim.consequent, scope))]
        return tuple(facts)

    def _inhabited(self, field: Field) -> bool:
        if field.kind == "int":
            return field.low is None or field.high is None or field.low <= field.high
        return field.kind != "enum" or bool(field.names)

    def _within(self, value: Term, low: int | None, high: int | None) -> list[Term]:
        return [value >= low for low in (low,) if low is not None] + [
            value <= high for high in (high,) if high is not None
        ]

    def _window(self) -> State:
        """An input: any spans, with any records within the declared bounds."""
        book = self.book
        known = self._given(book.x)
        book.everywhere.append(z3.Implies(known, book.inside(book.x)))
        present = known
        if _mentions(
            self._obligation, lambda n: isinstance(n, p.Readmit | e.Known) or bool(getattr(n, "archive", False))
        ):
            present = z3.And(known, book.function(1, truth=True)(book.x))
        values = {f.name: self._open(f)(book.x) for f in self._schema.fields if f.oracle != "window"}
        return State(known, present, values)

    def _open(self, field: Field) -> Symbol:
        """A fresh function from positions to values of the field, within its bounds."""
        symbol = self.book.function(1, truth=field.kind == "bool")
        self.book.laws[symbol.name()] = [lambda x: self.book.both(*self._domain(field, symbol(x)))]
        return symbol

    def _domain(self, field: Field, value: Term) -> list[Term]:
        match field.kind:
            case "int":
                return self._within(value, field.low, field.high)
            case "enum":
                return [z3.Or([value == self._name("enum", n) for n in field.names])]
            case "bool" | "key":
                return []
            case _:
                raise Beyond(UNKNOWN)

    def _name(self, kind: str, name: str) -> Term:
        return self.book.number(self._names.setdefault((kind, name), len(self._names)))

    def _zero(self, kind: Kind) -> Term:
        match kind:
            case "int":
                return self.book.zero
            case "bool":
                return self.book.false
            case "key" | "enum":
                return self._name(kind, str(zero(kind)))
            case _:
                raise Beyond(UNKNOWN)

    # ---------- windows and passes

    def _state(self, term: e.WindowTerm, scope: Scope) -> State:
        match term:
            case e.Input(name):
                if name not in scope.frame.inputs:
                    raise Beyond("an expression reads a window that is not there")
                return scope.frame.inputs[name]
            case e.Pass():
                return self._outcome(term, scope).after
            case e.Known(window):
                state = self._state(window, scope)
                return replace(state, present=state.known)
            case e.Without() | e.Swapped() | e.Rescored() | e.Arrived():
                word = {e.Without: "without", e.Swapped: "swap", e.Rescored: "rescore", e.Arrived: "arrive"}[type(term)]
                raise Beyond(f"it uses `{word}(…)`")
            case _:
                raise Beyond(UNKNOWN)

    def _outcome(self, term: e.Pass, scope: Scope) -> Outcome:
        frame, subject = scope.frame, scope.frame.subject
        if subject is not None and (term.policy, term.run, term.window) == (subject[0], "", e.Input(e.ASSUMED)):
            return subject[2]
        if term not in frame.outcomes:
            before = self._state(term.window, scope)
            gated = term.gated and subject is None
            policy = self._obligation.policy(term.policy)
            frame.outcomes[term] = self._perform(policy, self._run(term, frame), before, gated)
        return frame.outcomes[term]

    def _run(self, term: e.Pass, frame: Frame) -> Hashable:
        """Whose answers a pass gets: those of its policy, run and depth, or of a gate's trial."""
        depth, window = 0, term  # type: int, e.WindowTerm
        while not isinstance(window, e.Input):
            depth += isinstance(window, e.Pass) and (window.policy, window.run) == (term.policy, term.run)
            window = window.window
        return (term.policy, term.run, depth) if frame.subject is None else (frame.subject[1], term.run, depth)

    def _begin(self, policy: p.Policy, run: Hashable, before: State) -> Progress:
        false = self.book.false
        self._passes += 1
        scope = Scope(Frame({}), self._plan_of(policy), depth=1, state=before, run=run)
        return Progress(self._passes, policy, before, scope, false, false, false, false)

    def _plan_of(self, policy: p.Policy) -> Mapping[str, Spot]:
        return {s: self._plan.get(s, Spot(self.book.zero, self.book.false)) for s in policy.spans}

    def _perform(self, policy: p.Policy, run: Hashable, before: State, gated: bool) -> Outcome:
        book = self.book
        progress = self._begin(policy, run, before)
        self._body(policy.body, book.true, progress)
        done = self._settled(progress, progress.refused)
        if not gated or not policy.gates:
            return done
        scope = Scope(Frame({e.ASSUMED: before}, (policy.name, run, done)), self._plan_of(policy))
        passed = book.both(*(self.value(gate.condition, scope) for gate in policy.gates))
        return self._settled(progress, book.either(progress.refused, book.negated(passed)))

    def _settled(self, progress: Progress, refused: Term) -> Outcome:
        """The outcome: of a refused pass, the window as it was."""
        book, before, after = self.book, progress.before, progress.state
        went = book.negated(refused)
        summaries = before.summaries + tuple(
            replace(s, placed=book.both(went, s.placed)) for s in after.summaries[len(before.summaries) :]
        )
        state = State(
            book.choose(refused, before.known, after.known),
            book.choose(refused, before.present, after.present),
            {f: book.choose(refused, before.values[f], v) for f, v in after.values.items()},
            summaries,
        )
        logged, overridden = book.both(went, progress.logged), book.both(went, progress.overridden)
        return Outcome(state, refused, logged, overridden)

    # ---------- statements

    def _body(self, body: tuple[p.Statement, ...], reached: Term, progress: Progress) -> None:
        for statement in body:
            running = self.book.both(reached, self.book.negated(progress.refused))
            if isinstance(statement, p.Block):
                condition = self.value(statement.condition, progress.scope)
                self._body(statement.body, self.book.both(running, condition), progress)
            elif isinstance(statement, p.LetSet | p.LetSpan | p.LetValue):
                progress.scope = self._named(statement, running, progress.scope)
            else:
                self._step(statement, running, progress)

    def _step(
        self,
        statement: p.Keep | p.Evict | p.Set | p.Insert | p.Readmit | p.Move | p.Fill | p.Refuse,
        running: Term,
        progress: Progress,
    ) -> None:
        book, scope, state = self.book, progress.scope, progress.state
        free = book.both(running, state.present, book.negated(progress.kept))
        match statement:
            case p.Keep(_, variable, condition, _):
                chosen = book.both(running, state.present, self._of(variable, condition, scope))
                progress.kept = book.either(progress.kept, chosen)
            case p.Evict(_, variable, condition, logged, _):
                gone = book.both(free, self._of(variable, condition, scope))
                self._evicted(gone, progress)
                if logged:
                    progress.logged = book.either(progress.logged, gone)
            case p.Fill():
                self._evicted(self._unfit(statement, free, scope), progress)
            case p.Set(site, variable, condition, assignments, _, archive):
                candidates = book.both(running, state.known, book.negated(state.present)) if archive else free
                chosen = book.both(candidates, self._of(variable, condition, scope))
                inner = _binding(scope, variable, Spot(book.x, book.true))
                new = self._assigned(site, assignments, chosen, book.x, inner, progress)
                values = {f: book.choose(chosen, new[f], v) if f in new else v for f, v in state.values.items()}
                progress.scope = replace(scope, state=replace(state, values=values))
            case p.Insert():
                self._insert(statement, running, progress)
            case p.Readmit(_, variable, condition, place, override, _):
                if place != p.Original():
                    raise Beyond("a policy readmits spans to another place")
                archived = book.both(running, state.known, book.negated(state.present))
                back = book.both(archived, self._of(variable, condition, scope))
                progress.scope = replace(scope, state=replace(state, present=book.either(state.present, back)))
                if override:
                    progress.overridden = book.either(progress.overridden, back)
            case p.Move():
                raise Beyond("a policy moves spans")
            case p.Refuse(_, condition, _, _):
                progress.refused = book.either(progress.refused, book.both(running, self.value(condition, scope)))
            case _:
                raise Beyond(UNKNOWN)

    def _of(self, variable: str, condition: e.Expression, scope: Scope) -> Term:
        """The condition as a term over `x`, which the variable stands for."""
        return self.value(condition, _binding(scope, variable, Spot(self.book.x, self.book.true)))

    def _evicted(self, gone: Term, progress: Progress) -> None:
        state = progress.state
        present = self.book.both(state.present, self.book.negated(gone))
        progress.scope = replace(progress.scope, state=replace(state, present=present))

    def _unfit(self, fill: p.Fill, free: Term, scope: Scope) -> Term:
        """The spans that the walk evicts."""
        book = self.book
        walked = book.both(free, self._of(fill.variable, fill.condition, scope))
        weight = self.value(fill.weight, _binding(scope, fill.variable, Spot(book.x, book.true)))
        cap = self.value(fill.cap, scope)
        step = z3.If(book.both(walked, book.carry + weight <= cap), weight, book.zero)
        kept = book.sum(book.x, step, backward=fill.newest_first)
        so_far = kept(book.x + 1) if fill.newest_first else kept(book.x)
        return book.both(walked, book.negated(so_far + weight <= cap))

    def _assigned(
        self,
        site: int,
        assignments: tuple[p.Assign | p.Open, ...],
        chosen: Term,
        position: Term,
        scope: Scope,
        progress: Progress,
    ) -> dict[str, Term]:
        """The new values of some fields of the span there, which is `chosen`; the scope is the old one."""
        book, values = self.book, {}
        for assignment in assignments:
            field = self._fields[assignment.field]
            if field.oracle is not None:
                raise Beyond("a policy sets a score")
            match assignment:
                case p.Assign(name, value):
                    values[name] = self.value(value, scope)
                case p.Open(name, low, high):
                    lows = [] if low is None else [self.value(low, scope)]
                    highs = [] if high is None else [self.value(high, scope)]
                    value = self._answer(progress, (site, name), field.kind == "bool", alone=bool(lows or highs))(
                        position
                    )
                    lows += [] if field.low is None else [book.number(field.low)]
                    highs += [] if field.high is None else [book.number(field.high)]
                    possible = book.both(*(a <= b for a in lows for b in highs))
                    admitted = book.both(*(value >= a for a in lows), *(value <= b for b in highs))
                    if field.kind == "enum":
                        admitted = book.both(*self._domain(field, value))
                    self._law(z3.Implies(book.both(chosen, possible), admitted), position)
                    values[name] = value
                case _:
                    raise Beyond(UNKNOWN)
        return values

    def _law(self, fact: Term, position: Term) -> None:
        (self.book.everywhere if position.eq(self.book.x) else self.book.axioms).append(fact)

    def _answer(self, progress: Progress, what: Hashable, truth: bool, alone: bool = False) -> Symbol:
        """What answers a question of a pass, by position. `alone`: two passes that share it are not reached, because
        an answer must be admissible in both."""
        key = (progress.scope.run, progress.policy.name, what)
        if key not in self._answers:
            self._answers[key] = (self.book.function(1, truth), progress.number)
        symbol, asking = self._answers[key]
        if alone and asking != progress.number:
            raise Beyond("two passes share an answer")
        return symbol

    def _insert(self, insert: p.Insert, running: Term, progress: Progress) -> None:
        book, scope, state = self.book, progress.scope, progress.state
        if insert.may or insert.variable:
            raise Beyond("spans may come by themselves")
        place, x = insert.place, book.x
        match place:
            case p.End("front"):
                placed, earlier = running, book.false
            case p.End("back"):
                placed, earlier = running, book.true
            case p.Beside(side, span):
                anchor = self._spot(span, scope)
                placed = book.both(running, anchor.there, self._at(state.known, anchor))
                earlier = x < anchor.position if side == "before" else x <= anchor.position
            case p.Original() | p.End():
                raise Beyond("a span is put at a place that there is not")
            case _:
                raise Beyond(UNKNOWN)
        key = (scope.run, insert.site)
        if key in self._fresh:
            raise Beyond("two passes put in the same span")
        position = self.book.constant()
        others = list(self._fresh.values())
        self._fresh[key] = position
        book.marked.append(position)
        book.axioms += [book.inside(position), z3.Not(self._given(position)), *(position != o for o in others)]
        book.everywhere.append(z3.Implies(book.both(placed, state.known), (x < position) == earlier))
        given = self._assigned(insert.site, insert.assignments, placed, position, scope, progress)
        values = {}
        here = x == position
        for name, old in state.values.items():
            field = self._fields[name]
            if name in given:
                new = given[name]
            elif field.kind == "bool" or field.history:
                new = self._zero(field.kind)
            else:
                new = self._answer(progress, (insert.site, name), truth=False)(position)
                self._law(z3.Implies(placed, book.both(*self._domain(field, new))), position)
            values[name] = z3.If(here, new, old)
        come = book.both(placed, here)
        covered = book.false if insert.covers is None else self._named_here(scope.sets, insert.covers)
        after = State(
            book.either(state.known, come),
            book.either(state.present, come),
            values,
            (*state.summaries, Summary(position, placed, covered)),
        )
        progress.scope = replace(scope, state=after)

    # ---------- names

    def _named(self, statement: p.LetSet | p.LetSpan | p.LetValue, running: Term, scope: Scope) -> Scope:
        book, state = self.book, scope.state
        assert state is not None
        match statement:
            case p.LetSet(site, name, variable, condition, archive, may):
                chosen = book.both(self._candidates(state, archive), self._of(variable, condition, scope))
                if may:
                    chosen = book.both(chosen, self._choice((scope.run, site))(book.x))
                return replace(scope, sets={**scope.sets, name: book.both(running, chosen)})
            case p.LetSpan(_, name, term):
                spot = self._picked(term, scope)
                return _binding(scope, name, replace(spot, there=book.both(running, spot.there)))
            case p.LetValue(_, name, kind, value):
                given = book.choose(running, self.value(value, scope), self._zero(kind))
                return replace(scope, values={**scope.values, name: given})
            case _:
                raise Beyond(UNKNOWN)

    def _choice(self, key: Hashable) -> Symbol:
        """The model's choice among the spans of a `may`."""
        if ("may", key) not in self._answers:
            self._answers["may", key] = (self.book.function(1, truth=True), None)
        return self._answers["may", key][0]

    def _candidates(self, state: State, archive: bool) -> Term:
        return self.book.both(state.known, self.book.negated(state.present)) if archive else state.present

    def _picked(self, term: p.SpanTerm, scope: Scope) -> Spot:
        book = self.book
        match term:
            case p.NoSpan():
                return Spot(book.zero, book.false)
            case p.SpanNamed(span):
                return self._spot(span, scope)
            case p.SpanIf(condition, then, otherwise):
                first = self.value(condition, scope)
                a, b = self._picked(then, scope), self._picked(otherwise, scope)
                return Spot(book.choose(first, a.position, b.position), book.choose(first, a.there, b.there))
            case p.Pick(which, variable, condition, archive):
                assert scope.state is not None
                body = book.both(self._candidates(scope.state, archive), self._of(variable, condition, scope))
                holds, found = book.search(which, book.x, body)
                return Spot(found, holds)
            case _:
                raise Beyond(UNKNOWN)

    def _spot(self, span: str, scope: Scope) -> Spot:
        if span not in scope.spans:
            raise Beyond("an expression names a span that is not there")
        return scope.spans[span]

    def _named_here(self, names: Mapping[str, Term], name: str) -> Term:
        if name not in names:
            raise Beyond("an expression reads a name that is not there")
        return names[name]

    # ---------- expressions

    def value(self, expression: e.Expression, scope: Scope) -> Term:
        """The value of an expression where it stands, over the holes that its spans are. Raises Beyond."""
        book = self.book
        match expression:
            case e.Int(number):
                return book.number(number)
            case e.Bool(truth):
                return book.true if truth else book.false
            case e.Name(kind, name):
                return self._name(kind, name)
            case e.Parameter(name):
                return self._parameters[name]
            case e.Local(name, _):
                return self._named_here(scope.values, name)
            case e.Read():
                return self._read(expression, scope)
            case e.Add(items):
                return z3.Sum([self.value(i, scope) for i in items]) if items else book.zero
            case e.Multiply(left, right):
                return self.value(left, scope) * self.value(right, scope)
            case e.Divide(dividend, divisor, rounding):
                number = self.value(dividend, scope)
                return number / divisor if rounding == "down" else -((-number) / divisor)
            case e.Modulo(dividend, divisor):
                return self.value(dividend, scope) % divisor
            case e.Count(variable, window, condition):
                return self._sum(variable, window, e.Int(1), condition, scope)
            case e.Total(variable, window, weight, condition):
                return self._sum(variable, window, weight, condition, scope)
            case e.If(condition, then, otherwise):
                return book.choose(self.value(condition, scope), self.value(then, scope), self.value(otherwise, scope))
            case e.Not(item):
                return book.negated(self.value(item, scope))
            case e.And(items):
                return book.both(*(self.value(i, scope) for i in items))
            case e.Or(items):
                return book.either(*(self.value(i, scope) for i in items))
            case e.Implies(left, right):
                return book.either(book.negated(self.value(left, scope)), self.value(right, scope))
            case e.Compare(operator, left, right):
                return self._compared(operator, self.value(left, scope), self.value(right, scope))
            case e.Equal(left, right):
                return self.value(left, scope) == self.value(right, scope)
            case e.Before(first, second, window):
                state, a, b = self._here(window, scope), self._spot(first, scope), self._spot(second, scope)
                both = (a.there, b.there, self._at(state.known, a), self._at(state.known, b))
                return book.both(*both, a.position < b.position)
            case e.SameSpan(first, second):
                a, b = self._spot(first, scope), self._spot(second, scope)
                return book.both(a.there, b.there, a.position == b.position)
            case e.Linked(link, source, target, window):
                return self._link(link, self._spot(source, scope), self._spot(target, scope), window, scope)
            case e.Reaches():
                raise Beyond("it speaks of what a span reaches over several links")
            case e.Present(span, window):
                spot = self._spot(span, scope)
                return book.both(spot.there, self._at(self._here(window, scope).present, spot))
            case e.InSet(span, name):
                spot = self._spot(span, scope)
                return book.both(spot.there, self._at(self._named_here(scope.sets, name), spot))
            case e.Some(variable, window, condition):
                return self._some(variable, window, condition, scope)
            case e.All(variable, window, condition):
                return book.negated(self._some(variable, window, e.Not(condition), scope))
            case e.SameWindow(left, right):
                return self._same_window(self._state(left, scope), self._state(right, scope), scope)
            case e.SameRecord(span, left, right):
                spot = self._spot(span, scope)
                one, other = self._state(left, scope), self._state(right, scope)
                knows = [book.both(spot.there, self._at(s.known, spot)) for s in (one, other)]
                agree = self._at(self._agree(one, other), spot)
                return book.both(knows[0] == knows[1], book.either(book.negated(knows[0]), agree))
            case e.Triggered(policy, run, window):
                progress = self._begin(
                    self._obligation.policy(policy),
                    self._run(e.Pass(policy, run, window), scope.frame),
                    self._state(window, scope),
                )
                return self._triggered(progress.policy.body, progress)[0]
            case e.Refused(window):
                return self._outcome(window, scope).refused
            case e.Logged(span, window):
                spot = self._spot(span, scope)
                return book.both(spot.there, self._at(self._outcome(window, scope).logged, spot))
            case e.Overridden(span, window):
                spot = self._spot(span, scope)
                return book.both(spot.there, self._at(self._outcome(window, scope).overridden, spot))
            case e.Created(span):
                spot = self._spot(span, scope)
                return book.both(spot.there, z3.Not(self._given(spot.position)))
            case e.Fires():
                raise Beyond("it asks which statement did something")
            case _:
                raise Beyond(UNKNOWN)

    def _at(self, term: Term, spot: Spot) -> Term:
        return self.book.at(term, spot.position)

    def _here(self, window: e.WindowTerm | None, scope: Scope) -> State:
        if window is not None:
            return self._state(window, scope)
        if scope.state is None:
            raise Beyond("an expression outside a policy does not say which window it reads")
        return scope.state

    def _hole(self, scope: Scope) -> Term:
        if scope.depth >= len(self.book.holes):
            raise Beyond("quantifiers are nested too deeply")
        return self.book.holes[scope.depth]

    def _some(self, variable: str, window: e.WindowTerm | None, condition: e.Expression, scope: Scope) -> Term:
        hole = self._hole(scope)
        spot = Spot(hole, self.book.true)
        inner = _binding(scope, variable, spot, more=1)
        return self.book.some(
            hole, self.book.both(self._at(self._here(window, scope).present, spot), self.value(condition, inner))
        )

    def _sum(
        self, variable: str, window: e.WindowTerm | None, weight: e.Expression, condition: e.Expression, scope: Scope
    ) -> Term:
        hole = self._hole(scope)
        spot = Spot(hole, self.book.true)
        inner = _binding(scope, variable, spot, more=1)
        counted = self.book.both(self._at(self._here(window, scope).present, spot), self.value(condition, inner))
        if z3.is_false(counted):
            return self.book.zero
        return self.book.sum(hole, z3.If(counted, self.value(weight, inner), self.book.zero))(self.book.length)

    def _compared(self, operator: str, left: Term, right: Term) -> Term:
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
                return self.book.negated(left == right)
            case _:
                raise Beyond(f"it compares with `{operator}`")

    def _read(self, read: e.Read, scope: Scope) -> Term:
        state, spot, field = self._here(read.window, scope), self._spot(read.span, scope), self._fields[read.field]
        if field.oracle == "window":
            if read.window is not None or scope.state is None:
                raise Beyond(f"`{field.name}` is read outside a pass")
            key = ("score", scope.run, field.name)
            if key not in self._answers:
                self._answers[key] = (self._open(field), None)
            value = self._answers[key][0](spot.position)
        else:
            value = self._at(state.values[field.name], spot)
        return self.book.choose(self.book.both(spot.there, self._at(state.known, spot)), value, self._zero(field.kind))

    def _link(self, name: str, a: Spot, b: Spot, window: e.WindowTerm | None, scope: Scope) -> Term:
        book = self.book
        if name == COVERS:
            made = self._here(window, scope).summaries
            covers = [book.both(s.placed, a.position == s.position, self._at(s.covered, b)) for s in made]
            return book.both(a.there, b.there, book.either(*covers))
        if name not in self._linked:
            symbol = self.book.function(2, truth=True)
            link = self._links[name]

            def lawful(x: Term, y: Term) -> Term:
                ends = [(x, link.from_tags), (y, link.to_tags)]
                tags = [
                    z3.Or([book.at(self._input.values[TAG], end) == self._name("enum", n) for n in names])
                    for end, names in ends
                    if names is not None
                ]
                return z3.Implies(symbol(x, y), z3.And(self._given(x), self._given(y), x != y, *tags))

            book.laws[symbol.name()] = [lawful]
            self._linked[name] = symbol
        return book.both(a.there, b.there, self._linked[name](a.position, b.position))

    def _agree(self, left: State, right: State) -> Term:
        """That the records there are equal, over `x`."""
        seen = [f.name for f in self._schema.fields if f.oracle != "window" and not f.history]
        return self.book.both(
            *(left.values[f] == right.values[f] for f in seen if not left.values[f].eq(right.values[f]))
        )

    def _same_window(self, left: State, right: State, scope: Scope) -> Term:
        """The same spans with the same records. Where passes put spans in, more windows may be the same to a reader, so
        that is only known to be enough."""
        book = self.book
        one = book.both(left.present, book.negated(right.present))
        other = book.both(right.present, book.negated(left.present))
        differ = book.either(one, other, book.both(left.present, book.negated(self._agree(left, right))))
        same = book.negated(book.some(book.x, differ))
        if not left.summaries and not right.summaries:
            return same
        for known, named in self._same:
            if known.eq(same):
                return named
        named = book.constant(truth=True)
        book.axioms.append(z3.Implies(same, named))
        self._same.append((same, named))
        return named

    def _triggered(self, body: tuple[p.Statement, ...], progress: Progress) -> tuple[Term, bool]:
        """Whether every `when` before the first edit holds, and whether the body gets to an edit."""
        book, held = self.book, self.book.true
        for statement in body:
            match statement:
                case p.LetSet() | p.LetSpan() | p.LetValue():
                    progress.scope = self._named(statement, book.true, progress.scope)
                case p.Block(_, condition, inner, True, _):
                    here = self.value(condition, progress.scope)
                    rest, ended = self._triggered(inner, progress)
                    held = book.both(held, here, rest)
                    if ended:
                        return held, True
                case p.Block() | p.Keep() | p.Refuse():
                    pass
                case p.Evict() | p.Set() | p.Insert() | p.Readmit() | p.Move() | p.Fill():
                    return held, True
                case _:
                    raise Beyond(UNKNOWN)
        return held, False


def _binding(scope: Scope, variable: str, spot: Spot, more: int = 0) -> Scope:
    """With one more span, for which `more` holes are taken."""
    return replace(scope, spans={**scope.spans, variable: spot}, depth=scope.depth + more)


def _mentions(node: object, wanted: Callable[[object], bool]) -> bool:
    """Whether something in the tree is wanted."""
    if isinstance(node, tuple):
        return any(_mentions(item, wanted) for item in node)
    if not dataclasses.is_dataclass(node):
        return False
    return wanted(node) or any(_mentions(getattr(node, f.name), wanted) for f in dataclasses.fields(node))
