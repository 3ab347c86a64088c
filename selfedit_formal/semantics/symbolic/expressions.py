"""Core expressions as terms. Each is compiled once to a function of scope and environment, which makes its term.

NOTE(sharing): a part that does not mention all the bound variables around it is made once for each value of those it
mentions, and remembered. With `n` spans and two bound variables that is the difference between `n` and `n * n` terms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar, cast

from selfedit_formal.core.expression import (
    Add,
    All,
    And,
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
    InSet,
    Int,
    Linked,
    Local,
    Logged,
    Modulo,
    Multiply,
    Name,
    Not,
    Or,
    Overridden,
    Parameter,
    Present,
    Reaches,
    Read,
    Refused,
    SameRecord,
    SameSpan,
    SameWindow,
    Some,
    Total,
    Triggered,
    WindowTerm,
)
from selfedit_formal.core.property import ORACLE_SITE, RESCORED_SITE, ChoiceKey
from selfedit_formal.core.traverse import free
from selfedit_formal.core.window import Kind
from selfedit_formal.semantics.symbolic.counters import (
    Counter,
    Linear,
    Tally,
    compare,
    integer,
    linear,
    plus,
    scaled,
)
from selfedit_formal.semantics.symbolic.state import Ref, Slot, State, has, same_record, same_window
from selfedit_formal.semantics.symbolic.terms import Integer, Node, Terms, Truth, conjuncts, entails, in_order
from selfedit_formal.semantics.symbolic.values import SymbolicValue, among, choose, constant_enum, equal
from selfedit_formal.semantics.symbolic.world import Env, Outcome, Scope, Windows, World, enum

Maker = Callable[[Scope, Env], Truth]
IntegerMaker = Callable[[Scope, Env], Integer]
LinearMaker = Callable[[Scope, Env], Linear]
ValueMaker = Callable[[Scope, Env], SymbolicValue]
StateMaker = Callable[[Scope, Env], State]

T = TypeVar("T")
C = TypeVar("C")

NOTHING: frozenset[str] = frozenset()


def kind_of(expression: Expression) -> Kind:
    """The kind of an expression's value."""
    match expression:
        case Int() | Parameter() | Add() | Multiply() | Divide() | Modulo() | Count() | Total():
            return "int"
        case Name(kind, _) | Local(_, kind) | Read(_, _, kind, _):
            return kind
        case If(_, then, _):
            return kind_of(then)
        case _:
            return "bool"


def counts(expression: Expression) -> bool:
    """Whether the integer may be a linear expression over counts."""
    match expression:
        case Count() | Local():
            return True
        case Total(_, _, weight, _):
            return isinstance(weight, Int)
        case Add(items):
            return any(map(counts, items))
        case Multiply(left, right):
            return counts(left) or counts(right)
        case _:
            return False


class Compiler:
    """Makes the functions.

    `outer` names the bound variables around a part, of which it mentions all or is remembered.
    """

    def __init__(self, world: World, windows: Windows) -> None:
        self._world = world
        self._terms = world.terms
        self._windows = windows
        self._made: dict[tuple[str, int, tuple[str, ...]], tuple[Expression, object]] = {}

    # ---------- doors

    def condition(self, expression: Expression, *variables: str) -> Maker:
        """The truth of an expression, under these bound variables."""
        return self._once("truth", expression, variables, self._truth)

    def number(self, expression: Expression, *variables: str) -> IntegerMaker:
        """The integer that the expression is."""
        return self._once("integer", expression, variables, self._integer)

    def local(self, expression: Expression) -> Callable[[Scope, Env], SymbolicValue | Linear]:
        """The value of a `let`."""
        kind = kind_of(expression)
        return self._linear(expression, NOTHING) if kind == "int" else self._value(expression, kind, NOTHING)

    def value(self, expression: Expression, *variables: str) -> ValueMaker:
        """The value of an expression of any kind."""
        kind = kind_of(expression)
        return self._once("value", expression, variables, lambda e, outer: self._value(e, kind, outer))

    def _once(
        self,
        what: str,
        expression: Expression,
        variables: tuple[str, ...],
        make: Callable[[Expression, frozenset[str]], C],
    ) -> C:
        key = (what, id(expression), variables)
        known = self._made.get(key)
        if known is None:
            # The expression is kept, so that its id stays its own.
            known = self._made[key] = (expression, make(expression, frozenset(variables)))
        return cast("C", known[1])

    # ---------- remembering

    def _remembered(
        self, expression: Expression, outer: frozenset[str], make: Callable[[frozenset[str]], Callable[[Scope, Env], T]]
    ) -> Callable[[Scope, Env], T]:
        """See NOTE(sharing)."""
        mentioned = free(expression) & outer
        made = make(mentioned)
        if mentioned == outer:
            return made
        names = tuple(sorted(mentioned))
        memory: dict[object, T] = {}

        def remembered(scope: Scope, env: Env) -> T:
            key = (scope.serial, *[env[name] for name in names])
            if key not in memory:
                memory[key] = made(scope, env)
            return memory[key]

        return remembered

    # ---------- truth

    def _truth(self, expression: Expression, outer: frozenset[str]) -> Maker:
        if isinstance(expression, Bool):
            value = expression.value
            return lambda _scope, _env: value
        return self._remembered(expression, outer, lambda mentioned: self._truth_of(expression, mentioned))

    def _truths(self, items: Iterable[Expression], outer: frozenset[str]) -> list[Maker]:
        return [self._truth(item, outer) for item in items]

    def _truth_of(self, expression: Expression, outer: frozenset[str]) -> Maker:
        terms, world = self._terms, self._world
        match expression:
            case Bool(value):
                return lambda _scope, _env: value
            case Local() | Read():
                return self._value(expression, "bool", outer)  # type: ignore[return-value]
            case If(condition, then, otherwise):
                test, yes, no = self._truths((condition, then, otherwise), outer)
                return lambda scope, env: terms.choose(test(scope, env), yes(scope, env), no(scope, env))
            case Not(item):
                inner = self._truth(item, outer)
                return lambda scope, env: terms.no(inner(scope, env))
            case And(items):
                makers = self._truths(items, outer)
                return lambda scope, env: terms.every(make(scope, env) for make in makers)
            case Or(items):
                makers = self._truths(items, outer)
                return lambda scope, env: terms.any(make(scope, env) for make in makers)
            case Implies(left, right):
                first, second = self._truths((left, right), outer)

                def implies(scope: Scope, env: Env) -> Truth:
                    premise = first(scope, env)
                    return True if premise is False else terms.implies(premise, second(scope, env))

                return implies
            case Compare():
                return self._compare(expression, outer)
            case Equal(left, right):
                return self._equal(left, right, outer)
            case Before(first_name, second_name, window):
                state = self._state(window, outer)

                def before(scope: Scope, env: Env) -> Truth:
                    return stands_before(world, state(scope, env), env[first_name], env[second_name])

                return before
            case SameSpan(first_name, second_name):
                return lambda _scope, env: same_span(world, env[first_name], env[second_name])
            case Linked(link, source, target, window):
                state_or_none = self._state_or_none(window, outer)

                def linked(scope: Scope, env: Env) -> Truth:
                    here = state_or_none(scope, env)
                    return terms.any(
                        terms.every((g, h, world.linked(link, a, b, here)))
                        for a, g in env[source].choices
                        for b, h in env[target].choices
                    )

                return linked
            case Reaches(link, source, target, window):
                state = self._state(window, outer)

                def reaches(scope: Scope, env: Env) -> Truth:
                    closed = self._windows.closure(link, state(scope, env))
                    return terms.any(
                        terms.every((g, h, closed.get((a, b), False)))
                        for a, g in env[source].choices
                        for b, h in env[target].choices
                    )

                return reaches
            case Present(span, window):
                state = self._state(window, outer)
                return lambda scope, env: has(terms, state(scope, env), env[span])
            case InSet(span, name):

                def in_set(scope: Scope, env: Env) -> Truth:
                    members = scope.sets.get(name, {})
                    return terms.any(terms.both(g, members.get(e, False)) for e, g in env[span].choices)

                return in_set
            case Some(variable, window, condition):
                each = self._each(variable, window, condition, outer)
                return lambda scope, env: terms.any(terms.both(p, body) for p, body in each(scope, env))
            case All(variable, window, condition):
                each = self._each(variable, window, condition, outer)
                return lambda scope, env: terms.every(terms.implies(p, body) for p, body in each(scope, env))
            case SameWindow(left_term, right_term):
                left_state, right_state = self._state(left_term, outer), self._state(right_term, outer)
                return lambda scope, env: same_window(
                    terms, left_state(scope, env), right_state(scope, env), world.fields
                )
            case SameRecord(span, left_term, right_term):
                left_state, right_state = self._state(left_term, outer), self._state(right_term, outer)

                def same(scope: Scope, env: Env) -> Truth:
                    ref, one, other = env[span], left_state(scope, env), right_state(scope, env)
                    absent = terms.no(terms.any(g for _, g in ref.choices))
                    return terms.either(
                        absent,
                        terms.any(
                            terms.both(g, same_record(terms, one, other, e, world.fields)) for e, g in ref.choices
                        ),
                    )

                return same
            case Triggered():
                return lambda scope, env: self._windows.triggered(scope.frame, expression, env)
            case Refused(term):
                return lambda scope, env: self._windows.outcome(scope.frame, term, env)[0].refused
            case Logged(span, term):

                def logged(scope: Scope, env: Env) -> Truth:
                    facts = self._windows.outcome(scope.frame, term, env)[0].logged
                    return terms.any(terms.both(g, facts.get(e, False)) for e, g in env[span].choices)

                return logged
            case Overridden(span, term):

                def overridden(scope: Scope, env: Env) -> Truth:
                    facts = self._windows.outcome(scope.frame, term, env)[0].overridden
                    return terms.any(terms.both(g, facts.get(e, False)) for e, g in env[span].choices)

                return overridden
            case Created(span):
                return lambda _scope, env: terms.any(g for e, g in env[span].choices if e.created)
            case Fires(term, site, otherwise):

                def fires(scope: Scope, env: Env) -> Truth:
                    outcome = self._windows.outcome(scope.frame, term, env)[0]
                    return fact(outcome, site, otherwise)

                return fires
            case Int() | Name() | Parameter() | Add() | Multiply() | Divide() | Modulo() | Count() | Total():
                raise TypeError(f"not a truth: {expression}")

    def _each(
        self, variable: str, window: WindowTerm | None, condition: Expression, outer: frozenset[str]
    ) -> Callable[[Scope, Env], Iterable[tuple[Truth, Truth]]]:
        """For each span that may be in the window: it is, and the condition holds of it."""
        state = self._state(window, outer)
        body = self._truth(condition, outer | {variable})

        def each(scope: Scope, env: Env) -> Iterable[tuple[Truth, Truth]]:
            inner = dict(env)
            for element, present in state(scope, env).present.items():
                if present is not False:
                    inner[variable] = element.ref
                    yield present, body(scope, inner)

        return each

    def _compare(self, expression: Compare, outer: frozenset[str]) -> Maker:
        terms, operator = self._terms, expression.operator
        if counts(expression.left) or counts(expression.right):
            first, second = self._linear(expression.left, outer), self._linear(expression.right, outer)
            return lambda scope, env: compare(terms, operator, first(scope, env), second(scope, env))
        left, right = self._integer(expression.left, outer), self._integer(expression.right, outer)
        match operator:
            case "<=":
                return lambda scope, env: terms.at_most(left(scope, env), right(scope, env))
            case ">=":
                return lambda scope, env: terms.at_most(right(scope, env), left(scope, env))
            case "<":
                return lambda scope, env: terms.no(terms.at_most(right(scope, env), left(scope, env)))
            case ">":
                return lambda scope, env: terms.no(terms.at_most(left(scope, env), right(scope, env)))
            case "==":
                return lambda scope, env: terms.equal(left(scope, env), right(scope, env))
            case "!=":
                return lambda scope, env: terms.no(terms.equal(left(scope, env), right(scope, env)))

    def _equal(self, left: Expression, right: Expression, outer: frozenset[str]) -> Maker:
        terms, kind = self._terms, kind_of(left)
        if kind == "enum" and (isinstance(left, Name) or isinstance(right, Name)):
            name, other = (left, right) if isinstance(left, Name) else (right, left)
            assert isinstance(name, Name)
            listed, tested = name.value, self._value(other, "enum", outer)
            return lambda scope, env: enum(tested(scope, env)).test(listed)
        first, second = self._value(left, kind, outer), self._value(right, kind, outer)
        return lambda scope, env: equal(terms, kind, first(scope, env), second(scope, env))

    # ---------- integers

    def _integer(self, expression: Expression, outer: frozenset[str]) -> IntegerMaker:
        if isinstance(expression, Int):
            value = expression.value
            return lambda _scope, _env: value
        return self._remembered(expression, outer, lambda mentioned: self._integer_of(expression, mentioned))

    def _integer_of(self, expression: Expression, outer: frozenset[str]) -> IntegerMaker:
        terms = self._terms
        match expression:
            case Int(value):
                return lambda _scope, _env: value
            case Parameter(name):
                return lambda _scope, _env: terms.variable("int", "parameter", name)
            case Read():
                return self._read(expression, outer)  # type: ignore[return-value]
            case Local() | Count() | Total():
                parts = self._linear(expression, outer)
                return lambda scope, env: integer(terms, parts(scope, env))
            case Add(items):
                makers = [self._integer(item, outer) for item in items]
                return lambda scope, env: terms.add(make(scope, env) for make in makers)
            case Multiply(left, right):
                first, second = self._integer(left, outer), self._integer(right, outer)
                return lambda scope, env: terms.multiply(first(scope, env), second(scope, env))
            case Divide(dividend, divisor, rounding):
                number = self._integer(dividend, outer)
                if rounding == "down":
                    return lambda scope, env: terms.divide(number(scope, env), divisor)
                return lambda scope, env: terms.multiply(
                    -1, terms.divide(terms.multiply(-1, number(scope, env)), divisor)
                )
            case Modulo(dividend, divisor):
                number = self._integer(dividend, outer)
                return lambda scope, env: terms.modulo(number(scope, env), divisor)
            case If(condition, then, otherwise):
                test = self._truth(condition, outer)
                yes, no = self._integer(then, outer), self._integer(otherwise, outer)
                return lambda scope, env: terms.pick(test(scope, env), yes(scope, env), no(scope, env), "int")
            case _:
                raise TypeError(f"not an integer: {expression}")

    def _linear(self, expression: Expression, outer: frozenset[str]) -> LinearMaker:
        return self._remembered(expression, outer, lambda mentioned: self._linear_of(expression, mentioned))

    def _linear_of(self, expression: Expression, outer: frozenset[str]) -> LinearMaker:
        match expression:
            case Local(name, _):

                def local(scope: Scope, _env: Env) -> Linear:
                    value = scope.values[name]
                    assert isinstance(value, Linear)
                    return value

                return local
            case Count(variable, window, condition):
                return self._count(variable, window, condition, outer)
            case Total(variable, window, Int(weight), condition):
                count = self._count(variable, window, condition, outer)
                return lambda scope, env: scaled(count(scope, env), weight)
            case Total():
                return self._total(expression, outer)
            case Add(items):
                makers = [self._linear(item, outer) for item in items]

                def added(scope: Scope, env: Env) -> Linear:
                    result = Linear(0)
                    for make in makers:
                        result = plus(result, make(scope, env))
                    return result

                return added
            case Multiply(left, right):
                first, second = self._linear(left, outer), self._linear(right, outer)

                def multiplied(scope: Scope, env: Env) -> Linear:
                    one, other = first(scope, env), second(scope, env)
                    if not one.items:
                        return scaled(other, one.constant)
                    if not other.items:
                        return scaled(one, other.constant)
                    return linear(self._terms.multiply(integer(self._terms, one), integer(self._terms, other)))

                return multiplied
            case _:
                plain = self._integer(expression, outer)
                return lambda scope, env: linear(plain(scope, env))

    def _split(self, variable: str, condition: Expression, outer: frozenset[str]) -> tuple[list[Maker], list[Maker]]:
        """The parts of a condition that speak of the counted span alone, and those that speak of others too."""
        inner = outer | {variable}
        parts = condition.items if isinstance(condition, And) else (condition,)
        own = [p for p in parts if free(p) & inner <= {variable}]
        others = [p for p in parts if not free(p) & inner <= {variable}]
        return self._truths(own, inner), self._truths(others, inner)

    def _count(
        self, variable: str, window: WindowTerm | None, condition: Expression, outer: frozenset[str]
    ) -> LinearMaker:
        """See NOTE(positions)."""
        terms = self._terms
        state = self._state(window, outer)
        own, others = self._split(variable, condition, outer)
        memory: dict[tuple[int, State], tuple[Tally, Tally, dict[Slot, Truth]]] = {}

        def base(scope: Scope, env: Env, here: State) -> tuple[Tally, Tally, dict[Slot, Truth]]:
            inner = dict(env)
            members: dict[Slot, Truth] = {}
            for element, present in here.present.items():
                if present is not False:
                    inner[variable] = element.ref
                    members[element] = terms.every((present, *(make(scope, inner) for make in own)))
            line = [members.get(e, False) for e in here.order.chain]
            chain = here.order.chain
            forwards = self._world.tally(chain, Tally(terms, line))
            backwards = self._world.tally(chain[::-1], Tally(terms, line[::-1]))
            return forwards, backwards, members

        def count(scope: Scope, env: Env) -> Linear:
            here = state(scope, env)
            key = (scope.serial, here)
            if key not in memory:
                memory[key] = base(scope, env, here)
            forwards, backwards, members = memory[key]
            inner = dict(env)

            def seen(element: Slot) -> Truth:
                if not others or members.get(element, False) is False:
                    return members.get(element, False)
                inner[variable] = element.ref
                return terms.every((members[element], *(make(scope, inner) for make in others)))

            chain = here.order.chain
            line = [seen(e) for e in chain]
            extra = [seen(e) for e in here.present if e not in here.order.places]
            found = part(terms, forwards.members, line)
            if found is not None:
                stretch, guard = found
                tally = backwards if stretch.start > 0 else forwards
                return Linear(0, ((1, Counter(terms, tally, len(stretch), extra, guard)),))
            return Linear(0, ((1, Counter(terms, Tally(terms, line), len(line), extra)),))

        return count

    def _total(self, total: Total, outer: frozenset[str]) -> LinearMaker:
        """See NOTE(positions)."""
        terms, variable = self._terms, total.variable
        state = self._state(total.window, outer)
        own, others = self._split(variable, total.condition, outer)
        weight = self._integer(total.weight, outer | {variable})
        shared = free(total.weight) & (outer | {variable}) <= {variable}
        memory: dict[tuple[int, State], tuple[dict[Slot, Truth], list[list[Integer]]]] = {}

        def base(scope: Scope, env: Env, here: State) -> tuple[dict[Slot, Truth], list[list[Integer]]]:
            inner = dict(env)
            members: dict[Slot, Truth] = {}
            weights: dict[Slot, Integer] = {}
            for element, present in here.present.items():
                if present is not False:
                    inner[variable] = element.ref
                    members[element] = terms.every((present, *(make(scope, inner) for make in own)))
                    if shared and members[element] is not False:
                        weights[element] = weight(scope, inner)
            chain = here.order.chain
            totals: list[list[Integer]] = []
            for line in (chain, chain[::-1]):
                inside, heavy = [members.get(e, False) for e in line], [weights.get(e, 0) for e in line]
                weighed = [terms.pick(m, w, 0, "int") for m, w in zip(inside, heavy, strict=True)]
                totals.append(sums(self._world, weighed))
                self._world.partial_sums(line, inside, heavy, totals[-1])
            return members, totals

        def make(scope: Scope, env: Env) -> Linear:
            here = state(scope, env)
            key = (scope.serial, here)
            if key not in memory:
                memory[key] = base(scope, env, here)
            members, totals = memory[key]
            inner = dict(env)
            parts: list[Integer] = []

            def seen(element: Slot) -> Truth:
                if not others or members.get(element, False) is False:
                    return members.get(element, False)
                inner[variable] = element.ref
                return terms.every((members[element], *(make_other(scope, inner) for make_other in others)))

            def weighed(element: Slot, member: Truth) -> Integer:
                if member is False:
                    return 0
                inner[variable] = element.ref
                return terms.pick(member, weight(scope, inner), 0, "int")

            chain = here.order.chain
            line = [seen(e) for e in chain]
            found = part(terms, [members.get(e, False) for e in chain], line) if shared else None
            if found is not None:
                stretch, guard = found
                parts.append(terms.pick(guard, totals[stretch.start > 0][len(stretch)], 0, "int"))
            else:
                parts += [weighed(e, m) for e, m in zip(chain, line, strict=True)]
            parts += [weighed(e, seen(e)) for e in here.present if e not in here.order.places]
            return linear(terms.add(parts))

        return make

    # ---------- values

    def _value(self, expression: Expression, kind: Kind, outer: frozenset[str]) -> ValueMaker:
        world = self._world
        match expression:
            case Name("key", name):
                number = world.key(name)
                return lambda _scope, _env: number
            case Name("enum", name):
                constant = constant_enum(name)
                return lambda _scope, _env: constant
            case Read():
                return self._remembered(expression, outer, lambda mentioned: self._read(expression, mentioned))
            case Local(name, _) if kind != "int":
                return lambda scope, _env: scope.values[name]  # type: ignore[return-value]
            case If() if kind in ("key", "enum"):
                test = self._truth(expression.condition, outer)
                yes, no = self._value(expression.then, kind, outer), self._value(expression.otherwise, kind, outer)
                return lambda scope, env: choose(self._terms, kind, test(scope, env), yes(scope, env), no(scope, env))
            case _:
                return self._integer(expression, outer) if kind == "int" else self._truth(expression, outer)

    def _read(self, read: Read, outer: frozenset[str]) -> ValueMaker:
        world, terms = self._world, self._terms
        state = self._state(read.window, outer)
        kind, name, span = read.kind, read.field, read.span
        declared = world.fields[name]

        def value_of(scope: Scope, here: State, element: Slot) -> SymbolicValue:
            if declared.oracle != "window":
                return here.cells[name][element].value()
            if read.window is not None:
                raise ValueError(f"`{name}` has no value outside a pass")
            again = here.rescored.get(element, False)
            usual: SymbolicValue = False
            if again is not True:
                usual = world.choice(ChoiceKey(scope.run, ORACLE_SITE, element.id, name), declared)
            if again is False:
                return usual
            other = world.choice(ChoiceKey(scope.run, RESCORED_SITE, element.id, name), declared)
            return choose(terms, kind, again, other, usual)

        def make(scope: Scope, env: Env) -> SymbolicValue:
            here, ref = state(scope, env), env[span]
            guarded = (
                (guard, element)
                for element, g in ref.choices
                if (guard := terms.both(g, here.known.get(element, False))) is not False
            )
            return among(terms, kind, [(guard, value_of(scope, here, element)) for guard, element in guarded])

        return make

    # ---------- windows

    def _state(self, window: WindowTerm | None, outer: frozenset[str]) -> StateMaker:
        return cast("StateMaker", self._state_or_none(window, outer))

    def _state_or_none(self, window: WindowTerm | None, outer: frozenset[str]) -> Callable[[Scope, Env], State | None]:
        if window is None:
            return lambda scope, _env: scope.state
        windows, term = self._windows, window
        names = tuple(sorted(free(term) & outer))
        memory: dict[object, State] = {}

        def state(scope: Scope, env: Env) -> State:
            key = (scope.serial, *[env[name] for name in names])
            found = memory.get(key)
            if found is None:
                found = memory[key] = windows.view(scope.frame, term, env).state
            return found

        return state


def stands_before(world: World, state: State, first: Ref, second: Ref) -> Truth:
    """The first stands before the second. False if either is absent or not known to the state."""
    terms = world.terms
    one = first.single
    if one is not None and second.single is not None:
        return terms.every(
            (state.known.get(one, False), state.known.get(second.single, False), state.order.before(one, second.single))
        )
    if one is None and second.single is not None and all(state.known.get(a, False) is True for a, _ in first.choices):
        return terms.both(state.known.get(second.single, False), state.order.passed(terms, first, second.single))
    if one is not None and second.single is None and all(state.known.get(b, False) is True for b, _ in second.choices):
        itself = terms.any(h for b, h in second.choices if b is one)
        later = terms.no(terms.either(itself, state.order.passed(terms, second, one)))
        return terms.every((state.known.get(one, False), terms.any(h for _, h in second.choices), later))
    return terms.any(
        terms.every((g, h, state.known.get(a, False), state.known.get(b, False), state.order.before(a, b)))
        for a, g in first.choices
        for b, h in second.choices
        if a is not b
    )


def same_span(world: World, first: Ref, second: Ref) -> Truth:
    """Identity. False if either is absent."""
    if first.single is not None and second.single is not None:
        return first.single is second.single
    terms = world.terms
    return terms.any(terms.both(g, h) for a, g in first.choices for b, h in second.choices if a is b)


# NOTE(positions): `count(t: φ(t) and t after s)` counts, among the members that φ gives, those of one end of the
# window. The other conditions are made for each pair of spans; where they turn out constant and cut off one end, the
# count is a prefix of a shared tally (from either end), and the total a shared partial sum.


def part(terms: Terms, members: Sequence[Truth], chosen: Sequence[Truth]) -> tuple[range, Truth] | None:
    """The stretch of members that were chosen, members that are false aside, if it is one end of them all.

    A choice may be the member and a truth more, the same for all; then that is the second of what is returned.
    """
    first, last, left_before, left_after = -1, 0, False, False
    more: frozenset[Node] | None = None
    for i, (member, taken) in enumerate(zip(members, chosen, strict=True)):
        if member is False:
            continue
        if taken is False:
            left_before = left_before or first < 0
            left_after = left_after or first >= 0
            continue
        added = frozenset[Node]() if taken is member else conjuncts(taken) - conjuncts(member)
        if left_after or (more is not None and more != added) or not entails(taken, member):
            return None
        more = added
        first = i if first < 0 else first
        last = i + 1
    if more is None:
        return range(0), True
    guard = terms.every(in_order(more))
    if not left_before:
        return range(last), guard
    return None if left_after else (range(first, len(members)), guard)


def sums(world: World, items: list[Integer]) -> list[Integer]:
    """The sum of the first i items, for each i."""
    terms = world.terms
    result: list[Integer] = [0]
    for item in items:
        result.append(terms.add((result[-1], item)))
    return result


def fact(outcome: Outcome, site: int, otherwise: bool) -> Truth:
    """The pass reached the statement and it did something; or, `otherwise`, it reached the block and did not enter."""
    if otherwise:
        return outcome.skipped.get(site, False)
    fired = outcome.fired.get(site)
    return False if fired is None else fired()
