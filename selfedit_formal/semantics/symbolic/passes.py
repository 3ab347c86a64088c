"""Windows and passes as states: every statement of a policy, one after the other, on what the one before left.

A condition of a `Block`, and that no `Refuse` came before, is a guard of all that the statements under it do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from selfedit_formal._frozen import dataclass
from selfedit_formal.core.expression import (
    ASSUMED,
    Arrived,
    Expression,
    Input,
    Known,
    Pass,
    Rescored,
    Swapped,
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
    Policy,
    Readmit,
    Refuse,
    Set,
    SpanIf,
    SpanNamed,
    SpanTerm,
    Statement,
)
from selfedit_formal.core.policy import Place as CorePlace
from selfedit_formal.core.property import ARRIVAL_SITE, ARRIVED_ID, RESCORED_SITE, ChoiceKey, fresh_id, run_key
from selfedit_formal.core.traverse import arrivals, depth, free
from selfedit_formal.core.window import Field
from selfedit_formal.semantics.reads import Quantified, windows
from selfedit_formal.semantics.symbolic.expressions import Compiler, stands_before
from selfedit_formal.semantics.symbolic.state import (
    ABSENT,
    Place,
    Ref,
    Slot,
    State,
    added,
    known,
    merged,
    moved,
    restored,
    somewhere,
    swapped,
    without,
)
from selfedit_formal.semantics.symbolic.terms import Integer, Terms, Truth
from selfedit_formal.semantics.symbolic.values import Cell, SymbolicValue, choose, equal
from selfedit_formal.semantics.symbolic.world import Env, Frame, Local, Outcome, Scope, View, World, within

ASSUMED_INPUT = Input(ASSUMED)


class Passes:
    """Makes windows of terms, each once."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._terms = world.terms
        self.compiler = Compiler(world, self)
        self._runs: dict[tuple[str, str, State], Outcome] = {}
        self._closures: dict[tuple[str, State], Mapping[tuple[Slot, Slot], Truth]] = {}

    # ---------- windows

    def view(self, frame: Frame, term: WindowTerm, env: Env) -> View:
        """The window that the term stands for."""
        if isinstance(term, Input):
            return View(frame.inputs[term.name], True)
        key = self._ground(frame, term, env)
        made = frame.views.get(key)
        if made is None:
            made = frame.views[key] = self._view(frame, term, env)
        return made

    def _view(self, frame: Frame, term: WindowTerm, env: Env) -> View:
        match term:
            case Input(name):
                return View(frame.inputs[name], True)
            case Pass():
                outcome, exists = self.outcome(frame, term, env)
                return View(outcome.after, exists)
            case Without(window, span):
                view = self.view(frame, window, env)
                return View(without(self._terms, view.state, env[span]), view.exists)
            case Swapped(window, first, second):
                view = self.view(frame, window, env)
                return View(swapped(self._terms, view.state, env[first], env[second]), view.exists)
            case Rescored(window, span):
                return self._rescored(self.view(frame, window, env), env[span])
            case Arrived(window, tokens):
                view = self.view(frame, window, env)
                exists = self._terms.both(view.exists, self.existence(frame, tokens, env))
                return self._arrived(View(view.state, exists), self._amount(frame, tokens, env), arrivals(window) + 1)
            case Known(window):
                view = self.view(frame, window, env)
                return View(known(view.state), view.exists)

    def _ground(self, frame: Frame, term: WindowTerm, env: Env) -> object:
        """The term with its variables replaced by what they stand for: equal for terms that are the same window."""
        match term:
            case Input(name):
                return name
            case Pass(policy, run, window, gated):
                return ("pass", policy, run, gated, self._ground(frame, window, env))
            case Without(window, span):
                return ("without", env[span], self._ground(frame, window, env))
            case Swapped(window, first, second):
                return ("swapped", env[first], env[second], self._ground(frame, window, env))
            case Rescored(window, span):
                return ("rescored", env[span], self._ground(frame, window, env))
            case Arrived(window, tokens):
                return ("arrived", self._amount(frame, tokens, env), self._ground(frame, window, env))
            case Known(window):
                return ("known", self._ground(frame, window, env))

    def _amount(self, frame: Frame, tokens: Expression, env: Env) -> Integer:
        """The tokens of a span that arrives; a part may be remembered for each value of all that they speak of."""
        return self.compiler.number(tokens, *sorted(free(tokens)))(Scope(frame.serial, frame), env)

    def _rescored(self, view: View, ref: Ref) -> View:
        terms, world, state = self._terms, self._world, view.state
        cells = dict(state.cells)
        again = dict(state.rescored)
        exists = view.exists
        for element, guard in ref.choices:
            affected = terms.both(guard, state.known.get(element, False))
            if affected is False:
                continue
            again[element] = terms.either(again.get(element, False), affected)
            for declared in world.recorded:
                if declared.oracle != "query":
                    continue
                if not world.admits_some(declared):
                    exists = terms.both(exists, terms.no(affected))
                    continue
                key = ChoiceKey("", RESCORED_SITE, element.id, declared.name)
                cells[declared.name] = {
                    **cells[declared.name],
                    element: self.overwritten(
                        declared, affected, self.chosen_cell(key, declared), cells[declared.name][element]
                    ),
                }
        return View(replace(state, cells=cells, rescored=again), exists)

    def _arrived(self, view: View, tokens: Integer, number: int) -> View:
        """`number`: how many spans arrive in the making of the window, this one included."""
        terms, world = self._terms, self._world
        name = ARRIVED_ID if number == 1 else f"{ARRIVED_ID}_{number}"
        element = world.created(("arrived", number), name)
        cells: dict[str, Cell] = {}
        exists = view.exists
        for declared in world.recorded:
            if declared.name == "tokens":
                exists = terms.both(exists, within(terms, tokens, declared.low, declared.high))
                cells[declared.name] = Cell(lambda: tokens)
            elif declared.history:
                cells[declared.name] = Cell(partial(world.zero, declared.kind))
            else:
                exists = terms.both(exists, world.admits_some(declared))
                key = ChoiceKey("", ARRIVAL_SITE, name, declared.name)
                cells[declared.name] = self.chosen_cell(key, declared)
        return View(added(terms, view.state, element, cells, Place("back"), True), exists)

    def chosen_cell(self, key: ChoiceKey, declared: Field) -> Cell:
        return Cell(lambda: self._world.choice(key, declared) if self._world.admits_some(declared) else False)

    def overwritten(self, declared: Field, guard: Truth, new: Cell, old: Cell) -> Cell:
        if guard is True:
            return new
        return Cell(lambda: choose(self._terms, declared.kind, guard, new.value(), old.value()))

    # ---------- whether runs exist

    def existence(self, frame: Frame, node: object, env: Env) -> Truth:
        """Every run that makes a window named in a part of a claim exists, whatever the part is: in a branch that is
        not taken too, and where the window depends on a quantified span, for each that the quantifier speaks of."""
        return self._terms.every(self._exists(frame, term, around, env) for term, around in windows(node))

    def _exists(self, frame: Frame, term: WindowTerm, around: tuple[Quantified, ...], env: Env) -> Truth:
        if not around:
            return self.view(frame, term, env).exists
        (variable, window), *inner = around
        present = self.view(frame, window, env).state.present
        return self._terms.every(
            self._terms.implies(p, self._exists(frame, term, tuple(inner), {**env, variable: e.ref}))
            for e, p in present.items()
            if p is not False
        )

    # ---------- passes

    def outcome(self, frame: Frame, term: Pass, env: Env) -> tuple[Outcome, Truth]:
        """What came of the pass, and whether it exists."""
        subject = frame.subject
        if subject is not None and (term.policy, term.run, term.window) == (subject[0], "", ASSUMED_INPUT):
            return subject[2], True
        ground = self._ground(frame, term, env)
        made = frame.outcomes.get(ground)
        if made is None:
            view = self.view(frame, term.window, env)
            gated = term.gated and subject is None
            outcome = self.perform(self._world.policies[term.policy], self._key(frame, term), view.state, gated)
            made = frame.outcomes[ground] = (outcome, self._terms.both(view.exists, outcome.exists))
        return made

    def _key(self, frame: Frame, term: Pass) -> str:
        number = depth(term)
        if frame.subject is None:
            return run_key(term.policy, term.run, number)
        return run_key(frame.subject[1], GATE_RUN + term.run, number)

    def perform(self, policy: Policy, key: str, before: State, gated: bool) -> Outcome:
        """One pass of the policy, its run key given, on a state."""
        done = self._runs.get((policy.name, key, before))
        if done is None:
            run = _Run(self._world, self, policy, key, before)
            run.statements(policy.body)
            done = self._runs[policy.name, key, before] = run.outcome()
        return self._gated(policy, key, done) if gated and policy.gates and done.refused is not True else done

    def _gated(self, policy: Policy, key: str, done: Outcome) -> Outcome:
        terms = self._terms
        frame = Frame(self._world.serial(), {ASSUMED: done.before}, (policy.name, key, done))
        scope, env = Scope(frame.serial, frame), self.plan(policy)
        holds = terms.every(self.compiler.condition(gate.condition)(scope, env) for gate in policy.gates)
        exists = terms.every(self.existence(frame, gate.condition, env) for gate in policy.gates)
        fails = terms.both(terms.no(done.refused), terms.no(holds))
        refused = terms.either(done.refused, fails)
        return replace(
            done,
            after=restored(terms, fails, done.before, done.after, self._world.fields),
            exists=terms.both(done.exists, terms.either(done.refused, exists)),
            refused=refused,
            logged={e: terms.both(t, terms.no(refused)) for e, t in done.logged.items()},
            overridden={e: terms.both(t, terms.no(refused)) for e, t in done.overridden.items()},
        )

    def plan(self, policy: Policy) -> dict[str, Ref]:
        """A plan's spans."""
        return {s: self._world.plan.get(s, ABSENT) for s in policy.spans}

    def triggered(self, frame: Frame, expression: Triggered, env: Env) -> Truth:
        """Every `when` before the policy's first edit holds.

        What stands before that edit leaves the window as it is.
        """
        term = Pass(expression.policy, expression.run, expression.window)
        policy = self._world.policies[expression.policy]
        state = self.view(frame, expression.window, env).state
        run = _Run(self._world, self, policy, self._key(frame, term), state)
        facts: list[Truth] = []
        ahead = [iter(policy.body)]
        while ahead:
            statement = next(ahead[-1], None)
            match statement:
                case None:
                    ahead.pop()
                case LetSet() | LetSpan() | LetValue():
                    run.named(statement)
                case Block(_, condition, body, True):
                    facts.append(self.compiler.condition(condition)(run.scope(), run.env))
                    ahead.append(iter(body))
                case Block() | Keep() | Refuse():
                    pass
                case Evict() | Set() | Insert() | Readmit() | Move() | Fill():
                    break
        return self._terms.every(facts)

    def closure(self, link: str, state: State) -> Mapping[tuple[Slot, Slot], Truth]:
        """Which spans reach which along one or more links, all on the way present."""
        made = self._closures.get((link, state))
        if made is None:
            made = self._closures[link, state] = self._closed(link, state)
        return made

    def _closed(self, link: str, state: State) -> Mapping[tuple[Slot, Slot], Truth]:
        terms = self._terms
        here = [(e, p) for e, p in state.present.items() if p is not False]
        reach: dict[tuple[Slot, Slot], Truth] = {
            (a, b): truth
            for a, p in here
            for b, q in here
            if (truth := terms.every((p, q, self._world.linked(link, a, b, state)))) is not False
        }
        for middle, _ in here:
            into = [(a, truth) for a, _ in here if (truth := reach.get((a, middle), False)) is not False]
            onto = [(b, truth) for b, _ in here if (truth := reach.get((middle, b), False)) is not False]
            for a, first in into:
                for b, second in onto:
                    reach[a, b] = terms.either(reach.get((a, b), False), terms.both(first, second))
        return reach


@dataclass(frozen=True, slots=True)
class _Assigned:
    """A field's new value, and that it is admissible."""

    cell: Cell
    admissible: Truth


class _Run:
    """A pass on its way through the policy's statements."""

    def __init__(self, world: World, passes: Passes, policy: Policy, key: str, before: State) -> None:
        self._world = world
        self._terms: Terms = world.terms
        self._passes = passes
        self._compiler = passes.compiler
        self._key = key
        self._before = before
        self._state = before
        self._frame = Frame(world.serial(), {})
        self.env: dict[str, Ref] = passes.plan(policy)
        self._sets: dict[str, Mapping[Slot, Truth]] = {}
        self._values: dict[str, Local] = {}
        self._protected: dict[Slot, Truth] = {}
        self._entered: Truth = True
        self._alive: Truth = True
        self._refused: Truth = False
        self._undone: Truth = False
        self._exists: list[Truth] = []
        self._fired: dict[int, Callable[[], Truth]] = {}
        self._skipped: dict[int, Truth] = {}
        self._logged: dict[Slot, Truth] = {}
        self._overridden: dict[Slot, Truth] = {}

    def outcome(self) -> Outcome:
        """What came of it."""
        terms = self._terms
        stays = terms.no(self._refused)
        return Outcome(
            before=self._before,
            after=restored(terms, self._undone, self._before, self._state, self._world.fields),
            exists=terms.every(self._exists),
            refused=self._refused,
            fired=self._fired,
            skipped=self._skipped,
            logged={e: terms.both(t, stays) for e, t in self._logged.items()},
            overridden={e: terms.both(t, stays) for e, t in self._overridden.items()},
        )

    def scope(self) -> Scope:
        """What names mean here and now."""
        return Scope(self._world.serial(), self._frame, self._state, self._key, dict(self._sets), dict(self._values))

    @property
    def _guard(self) -> Truth:
        return self._terms.both(self._entered, self._alive)

    # ---------- statements

    def statements(self, body: tuple[Statement, ...]) -> None:
        """Each on the state that the one before left."""
        for statement in body:
            self._step(statement)

    def _step(self, statement: Statement) -> None:
        terms, state = self._terms, self._state
        match statement:
            case LetSet() | LetSpan() | LetValue():
                self.named(statement)
            case Keep(site, variable, condition, _):
                kept = self._chosen(state.present, variable, condition)
                self._acted(site, kept)
                for e, truth in kept.items():
                    self._protected[e] = terms.either(self._protected.get(e, False), truth)
            case Evict(site, variable, condition, logged, _):
                gone = self._chosen(self._free(), variable, condition)
                self._evict(site, gone)
                if logged:
                    for e, truth in gone.items():
                        self._logged[e] = terms.either(self._logged.get(e, False), truth)
            case Set():
                self._set(statement)
            case Insert():
                self._insert(statement)
            case Readmit(site, variable, condition, core_place, override, _):
                back = self._chosen(self._candidates(True), variable, condition)
                self._acted(site, back)
                place = self._place(core_place)
                present: dict[Slot, Truth] = dict(state.present)
                for e, truth in back.items():
                    present[e] = terms.either(present[e], truth)
                order = state.order if place is None else moved(terms, state, back, place)[0]
                self._state = replace(state, present=present, order=order)
                if override:
                    for e, truth in back.items():
                        self._overridden[e] = terms.either(self._overridden.get(e, False), truth)
            case Move(site, variable, condition, core_place, _):
                place = self._place(core_place)
                if place is not None:
                    chosen = self._chosen(state.present, variable, condition)
                    order, changed = moved(terms, state, chosen, place)
                    self._fired[site] = changed
                    self._state = replace(state, order=order)
            case Fill():
                self._evict(statement.site, self._filled(statement))
            case Block(site, condition, body, _):
                truth = self._compiler.condition(condition)(self.scope(), self.env)
                entered = terms.both(self._guard, truth)
                self._fired[site] = lambda: entered
                self._skipped[site] = terms.both(self._guard, terms.no(truth))
                if entered is not False:
                    outside, self._entered = self._entered, terms.both(self._entered, truth)
                    self.statements(body)
                    self._entered = outside
            case Refuse(site, condition, _, _):
                refuses = terms.both(self._guard, self._compiler.condition(condition)(self.scope(), self.env))
                self._fired[site] = lambda: refuses
                self._refused = terms.either(self._refused, refuses)
                self._alive = terms.both(self._alive, terms.no(refuses))
                if state is not self._before:
                    self._undone = terms.either(self._undone, refuses)

    def _acted(self, site: int, chosen: Mapping[Slot, Truth]) -> None:
        truths = tuple(chosen.values())
        self._fired[site] = lambda: self._terms.any(truths)

    def _free(self) -> dict[Slot, Truth]:
        """The present spans that nothing protects."""
        return {
            e: self._terms.both(p, self._terms.no(self._protected.get(e, False)))
            for e, p in self._state.present.items()
        }

    def _chosen(self, candidates: Mapping[Slot, Truth], variable: str, condition: Expression) -> dict[Slot, Truth]:
        """The candidates that satisfy the condition, if the statement is reached at all."""
        return {
            e: truth
            for e, member in self._members(candidates, variable, condition).items()
            if (truth := self._terms.both(self._guard, member)) is not False
        }

    def _members(self, candidates: Mapping[Slot, Truth], variable: str, condition: Expression) -> dict[Slot, Truth]:
        """The candidates that satisfy the condition."""
        terms, test, scope = self._terms, self._compiler.condition(condition, variable), self.scope()
        inner = dict(self.env)
        found: dict[Slot, Truth] = {}
        for element, candidate in candidates.items():
            if candidate is not False:
                inner[variable] = element.ref
                truth = terms.both(candidate, test(scope, inner))
                if truth is not False:
                    found[element] = truth
        return found

    def _evict(self, site: int, gone: Mapping[Slot, Truth]) -> None:
        self._acted(site, gone)
        present = {e: self._terms.both(p, self._terms.no(gone.get(e, False))) for e, p in self._state.present.items()}
        self._state = replace(self._state, present=present)

    def _filled(self, fill: Fill) -> dict[Slot, Truth]:
        """The spans that the walk evicts."""
        terms, state = self._terms, self._state
        walk = self._members(self._free(), fill.variable, fill.condition)
        scope = self.scope()
        cap = self._compiler.number(fill.cap)(scope, self.env)
        weigh = self._compiler.number(fill.weight, fill.variable)
        weights = {e: weigh(scope, {**self.env, fill.variable: e.ref}) for e in walk}
        fits: dict[Slot, Truth] = {}
        if all(e in state.order.places for e in walk):
            line = [e for e in state.order.chain if e in walk]
            kept: Integer = 0
            for e in reversed(line) if fill.newest_first else line:
                fits[e] = terms.both(walk[e], terms.at_most(terms.add((kept, weights[e])), cap))
                kept = terms.add((kept, terms.pick(fits[e], weights[e], 0, "int")))
        else:
            # Where the order is open, what fits is defined by what fits before it on the walk.
            names = {e: terms.variable("bool", "fits", self._key, fill.site, scope.serial, e.id) for e in walk}
            for e in walk:
                ahead = [
                    terms.pick(terms.both(self._walked(fill, f, e), names[f]), weights[f], 0, "int")
                    for f in walk
                    if f is not e
                ]
                room = terms.at_most(terms.add((*ahead, weights[e])), cap)
                terms.meanings[names[e]] = terms.iff(names[e], terms.both(walk[e], room))
                fits[e] = names[e]
        return {e: terms.every((self._guard, member, terms.no(fits[e]))) for e, member in walk.items()}

    def _walked(self, fill: Fill, first: Slot, second: Slot) -> Truth:
        """The walk meets the first before the second."""
        older, newer = (second, first) if fill.newest_first else (first, second)
        return stands_before(self._world, self._state, older.ref, newer.ref)

    def _set(self, statement: Set) -> None:
        terms, state, site = self._terms, self._state, statement.site
        candidates = self._candidates(True) if statement.archive else self._free()
        chosen = self._chosen(candidates, statement.variable, statement.condition)
        scope = self.scope()
        cells = {name: dict(column) for name, column in state.cells.items()}
        changes: list[Callable[[], Truth]] = []
        for e, truth in chosen.items():
            inner = {**self.env, statement.variable: e.ref}
            for name, new in self._assigned(site, e.id, statement.assignments, scope, inner).items():
                declared, old = self._world.fields[name], state.cells[name][e]
                self._exists.append(terms.implies(truth, new.admissible))
                cells[name][e] = self._passes.overwritten(declared, truth, new.cell, old)
                changes.append(partial(self._changed, truth, declared, new.cell, old))
        self._fired[site] = lambda: terms.any(change() for change in changes)
        self._state = replace(state, cells=cells)

    def _changed(self, guard: Truth, declared: Field, new: Cell, old: Cell) -> Truth:
        return self._terms.both(guard, self._terms.no(equal(self._terms, declared.kind, new.value(), old.value())))

    def _assigned(
        self, site: int, span: str, assignments: tuple[Assignment, ...], scope: Scope, env: Env
    ) -> dict[str, _Assigned]:
        """The new values of some fields.

        `span` is what choices call the span; scope and environment are the old ones.
        """
        found: dict[str, _Assigned] = {}
        for assignment in assignments:
            declared = self._world.fields[assignment.field]
            match assignment:
                case Assign(name, value):
                    make = self._compiler.value(value, *_bound(env, value))
                    found[name] = _Assigned(_later(make, scope, env), True)
                case Open(name, low, high):
                    if not self._world.admits_some(declared):
                        found[name] = _Assigned(Cell(partial(self._world.zero, declared.kind)), False)
                        continue
                    key = ChoiceKey(self._key, site, span, name)
                    admissible: Truth = True
                    if low is not None or high is not None:
                        limits = [
                            None if limit is None else self._compiler.number(limit, *_bound(env, limit))(scope, env)
                            for limit in (low, high)
                        ]
                        admissible = within(self._terms, _integer(self._world.choice(key, declared)), *limits)
                    found[name] = _Assigned(self._passes.chosen_cell(key, declared), admissible)
        return found

    def _insert(self, insert: Insert) -> None:
        terms, state, world = self._terms, self._state, self._world
        place = self._place(insert.place)
        if place is None:
            return
        name = fresh_id(self._key, insert.site)
        guard = terms.both(self._guard, somewhere(terms, state, place))
        if insert.may and guard is not False:
            guard = terms.both(guard, self._asked(ChoiceKey(self._key, insert.site, name, "")))
        self._fired[insert.site] = lambda: guard
        if guard is False:
            return
        given = self._assigned(insert.site, name, insert.assignments, self.scope(), self.env)
        cells: dict[str, Cell] = {}
        for declared in world.recorded:
            if declared.name in given:
                cells[declared.name] = given[declared.name].cell
                self._exists.append(terms.implies(guard, given[declared.name].admissible))
            elif declared.kind == "bool" or declared.history:
                cells[declared.name] = Cell(partial(world.zero, declared.kind))
            else:
                key = ChoiceKey(self._key, insert.site, name, declared.name)
                cells[declared.name] = self._passes.chosen_cell(key, declared)
                self._exists.append(terms.implies(guard, world.admits_some(declared)))
        element = world.created((self._key, insert.site), name)
        after = added(terms, state, element, cells, place, guard)
        if insert.covers is not None:
            covered = self._sets.get(insert.covers, {})
            pairs = {(element, e): terms.both(guard, truth) for e, truth in covered.items()}
            after = replace(after, covers={**after.covers, **pairs})
        self._state = after
        if insert.variable:
            inside = {**self.env, insert.variable: element.ref}
            holds = self._compiler.condition(insert.condition, insert.variable)(self.scope(), inside)
            self._exists.append(terms.implies(guard, holds))

    def _place(self, place: CorePlace) -> Place | None:
        """None: nowhere, or where the span already is."""
        match place:
            case End(which):
                return Place(which)
            case Beside(side, span):
                return Place(side, self.env.get(span, ABSENT))
            case Original():
                return None

    # ---------- names

    def named(self, statement: LetSet | LetSpan | LetValue) -> None:
        """A set, a definite span or a value gets its name."""
        terms = self._terms
        match statement:
            case LetSet(site, name, variable, condition, archive, may):
                members = self._members(self._candidates(archive), variable, condition)
                if may:
                    members = {
                        e: terms.both(truth, self._asked(ChoiceKey(self._key, site, e.id, "")))
                        for e, truth in members.items()
                    }
                self._sets[name] = members
            case LetSpan(_, name, term):
                self.env[name] = self._picked(term)
            case LetValue(_, name, _, value):
                self._values[name] = self._compiler.local(value)(self.scope(), self.env)

    def _asked(self, key: ChoiceKey) -> Truth:
        answer = self._world.choice(key, None)
        assert not isinstance(answer, int) or isinstance(answer, bool)
        return answer  # type: ignore[return-value]

    def _candidates(self, archive: bool) -> Mapping[Slot, Truth]:
        state = self._state
        if not archive:
            return state.present
        return {e: self._terms.both(k, self._terms.no(state.present.get(e, False))) for e, k in state.known.items()}

    def _picked(self, term: SpanTerm) -> Ref:
        terms = self._terms
        match term:
            case NoSpan():
                return ABSENT
            case SpanNamed(span):
                return self.env.get(span, ABSENT)
            case SpanIf(condition, then, otherwise):
                test = self._compiler.condition(condition)(self.scope(), self.env)
                if isinstance(test, bool):
                    return self._picked(then if test else otherwise)
                yes, no = self._picked(then), self._picked(otherwise)
                return merged(
                    terms,
                    (
                        *((e, terms.both(test, g)) for e, g in yes.choices),
                        *((e, terms.both(terms.no(test), g)) for e, g in no.choices),
                    ),
                )
            case Pick(which, variable, condition, archive):
                members = self._members(self._candidates(archive), variable, condition)
                return self._foremost(members, which == "first")

    def _foremost(self, members: Mapping[Slot, Truth], first: bool) -> Ref:
        """The member that stands before all others, or after them."""
        terms, order = self._terms, self._state.order
        line = [e for e in order.chain if e in members]
        loose = [e for e in members if e not in order.places]
        found: list[tuple[Slot, Truth]] = []
        nobody: Truth = True
        for e in line if first else reversed(line):
            others = (self._ahead(members, f, e, first) for f in loose)
            found.append((e, terms.every((members[e], nobody, *others))))
            nobody = terms.both(nobody, terms.no(members[e]))
        for e in loose:
            others = (self._ahead(members, f, e, first) for f in members if f is not e)
            found.append((e, terms.every((members[e], *others))))
        return Ref(found)

    def _ahead(self, members: Mapping[Slot, Truth], other: Slot, element: Slot, first: bool) -> Truth:
        """The other is no member that comes sooner than the element."""
        order = self._state.order
        sooner = order.before(other, element) if first else order.before(element, other)
        return self._terms.no(self._terms.both(members[other], sooner))


def _bound(env: Env, expression: Expression) -> tuple[str, ...]:
    """The variables of an assignment's value: each is made anew, so there is nothing to remember between spans."""
    return tuple(sorted(free(expression) & frozenset(env)))


def _later(make: Callable[[Scope, Env], SymbolicValue], scope: Scope, env: Env) -> Cell:
    return Cell(lambda: make(scope, env))


def _integer(value: SymbolicValue) -> Integer:
    assert not isinstance(value, bool)
    return value  # type: ignore[return-value]
