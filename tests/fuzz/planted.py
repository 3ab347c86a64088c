"""Encodings broken on purpose, by name: each replaces one method of the compiler with one that is wrong in one way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from importlib import import_module
from typing import Any
from unittest.mock import patch

import z3

from selfedit_formal.core import expression as e
from selfedit_formal.core import policy as p
from selfedit_formal.core.traverse import depth
from selfedit_formal.engines.unbounded import flatten as flattened
from selfedit_formal.engines.unbounded import ir as t
from selfedit_formal.engines.unbounded import order as orders
from selfedit_formal.engines.unbounded.compiler import (
    aggregates,
    demands,
    elements,
    polarity,
    query,
    scan,
    values,
    versions,
)
from selfedit_formal.engines.unbounded.terms import sort_of

Aggregates: Any = aggregates.Aggregates
Demands: Any = demands.Demands
Elements: Any = elements.Elements
Polarity: Any = polarity.Polarity
Query: Any = query.QueryAssembly
Scan: Any = scan.ScanAssembly
Values: Any = values.Values
Versions: Any = versions.Versions
steps: Any = import_module("selfedit_formal.engines.unbounded.arguments.stepwise")
Flattener: Any = flattened._Flattener
Body: Any = flattened._Body

# What is replaced is reached through `Any`: these are the private parts of the compiler, wrong on purpose.
Wrong = Callable[..., Any]


def _changing(original: Wrong, change: Callable[[Any], Any]) -> Wrong:
    return lambda *given, **named: change(original(*given, **named))


def _in_version(step: type, change: Callable[[Any, Any, int, Any], Any]) -> Wrong:
    """`_alive`, but for versions made by this kind of step: change(versions, step, version, element)."""
    original = Versions._alive

    def wrong(self: Any, version: int, at: Any) -> Any:
        made = self.whole.trace.versions[version]
        if version and isinstance(made.step, step):
            return change(self, made, version, at)
        return original(self, version, at)

    return wrong


def _condition(parts: Any, made: Any, at: Any) -> Any:
    return parts.whole.values.value(made.step.condition, at)


def _operator(name: str, change: Callable[[list[Any]], Any]) -> Wrong:
    original = Values._operate
    return lambda self, operator, v: change(v) if operator == name else original(self, operator, v)


def _admitting(change: Callable[[list[bool]], list[bool]]) -> Wrong:
    original = Aggregates.split

    def wrong(self: Any, *given: Any) -> Any:
        admitted, rest, there = original(self, *given)
        return change(admitted), rest, there

    return wrong


def _order(self: Any, at: Any, mark: Any) -> Any:
    return ORDER(self, at, mark)[::-1]


def _input_is_read(self: Any, item: Any, at: Any) -> Any:
    return SUM(self, replace(item, version=0), at)


def _other_end(self: Any, *given: Any) -> Any:
    found = PICK(self, *given)
    lets = self.outer.trace.lets
    if lets and lets[-1].mark == found:
        lets[-1] = replace(lets[-1], which="last" if lets[-1].which == "first" else "first")
    return found


def _same_choices(self: Any, run: str, *given: Any) -> Any:
    return CHOSEN(self, "P1" if run == "P2" else run, *given)


def _absent_is_read(self: Any, mark: Any, item: Any) -> Any:
    fixed = self.whole.demands.fixed
    before = len(fixed)
    found = AT_MARK(self, mark, item)
    del fixed[before:]
    return found


def _fill_counts_all(self: Any) -> None:
    FILLS(self)
    carries = {carry for carry, _ in self.whole.values.carries.values()}
    for variable, following in list(self.next.items()):
        if variable in carries and z3.is_app_of(following, z3.Z3_OP_ITE):
            condition = following.arg(0)
            self.next[variable] = z3.If(
                condition.arg(0) if z3.is_and(condition) else condition, *following.children()[1:]
            )


def _never_refuses(self: Any, item: Any, guard: Any, version: int, scope: Any) -> Any:
    return (version, scope) if isinstance(item, p.Refuse) else STATEMENT(self, item, guard, version, scope)


def _when_always(self: Any, item: Any, guard: Any, version: int, scope: Any) -> Any:
    if isinstance(item, p.Block):
        version, _ = self.statements(item.body, guard, version, scope)
        return version, scope
    return STATEMENT(self, item, guard, version, scope)


def _keeps_nothing(self: Any, variable: str, condition: Any, version: int, scope: Any) -> Any:
    return self.members(variable, condition, version, scope)


def _order_of_lets_lost(self: Any, assumed: Any, version: int, body: Any) -> None:
    if isinstance(body, t.Op) and body.operator == "implies" and any(isinstance(x, t.Exists) for x in t.walk(body)):
        return
    UNIVERSAL(self, assumed, version, body)


def _negative(self: Any, item: Any) -> Any:
    if item not in self.none:
        u = self.whole.symbols.new("u", z3.BoolSort(), "wrong")
        self.none[item] = u
        self.add_universal(u, item.version, t.rename(item.body, {item.variable: t.HEAD}))
    return self.none[item]


def _set_everywhere(self: Any, version: int, at: Any, name: str) -> Any:
    made = self.whole.trace.versions[version] if version > 0 else None
    if made is not None and isinstance(made.step, t.Setting) and name in made.step.updates:
        value = self.whole.values.value
        return z3.If(value(made.guard, at), value(made.step.updates[name], at), self.field(made.parent, at, name))
    return FIELD(self, version, at, name)


def _set_never(self: Any, version: int, at: Any, name: str) -> Any:
    made = self.whole.trace.versions[version] if version > 0 else None
    if made is not None and isinstance(made.step, t.Setting):
        return self.field(made.parent, at, name)
    return FIELD(self, version, at, name)


def _present_ones_are_set(self: Any, version: int, at: Any, name: str) -> Any:
    made = self.whole.trace.versions[version] if version > 0 else None
    if made is not None and isinstance(made.step, t.Setting) and made.step.archive:
        return self.field(made.parent, at, name)
    return FIELD(self, version, at, name)


def _comes_as_it_likes(self: Any, version: int) -> Any:
    made = self.whole.trace.versions[version]
    self.whole.trace.versions[version] = replace(made, step=replace(made.step, condition=t.YES))
    return PLACE(self, version)


def _broken_as_a_whole(self: Any, item: Any, positive: bool, at: Any, depth: int) -> Any:
    match item:
        case t.Op("and", items) if not positive:
            return z3.And([self.imply(i, False, at, depth) for i in items])
        case _:
            return IMPLY(self, item, positive, at, depth)


def _no_deep_witness(self: Any, item: Any, depth: int) -> Any:
    if item not in self.witnesses and depth > self.whole.mode.depth:
        return z3.BoolVal(False)
    return WITNESS(self, item, depth)


def _never_the_same(self: Any, m: Any, n: Any) -> Any:
    position = self.whole.elements.position
    return z3.Implies(z3.And(m.on, n.on), position(m.element) != position(n.element))


def _to_the_other_end(before: Any, moving: Any, where: Any, beside: Any) -> Any:
    return PLACED(before, moving, {"front": "back", "back": "front"}.get(where, where), beside)


def _turned_around(self: Any, left: Any, right: Any) -> Any:
    found = OLDER(self, left, right)
    return t.Op("ite", (t.both(self.bands[0](left), self.bands[0](right)), t.negate(found), found))


def _in_any_order(self: Any, left: int, right: int) -> Any:
    kept, self.orders = self.orders, {0: orders.SCANNED}
    try:
        return SAME_WINDOW(self, left, right)
    finally:
        self.orders = kept


IMPLY, WITNESS = Polarity.imply, Polarity._witness
ORDER, SUM, PICK, CHOSEN = Elements.order, Aggregates.sum, Body.pick, Flattener._chosen
PLACE, COMPARED = Demands._place, Flattener._compared_fields
PLACED, OLDER, SAME_WINDOW = orders.placed, orders.Banded.older, Flattener._same_window
AT_MARK, FILLS, STATEMENT, UNIVERSAL, FIELD = (
    Values.at_mark,
    Scan._fills,
    Body.statement,
    Polarity.add_universal,
    Versions._field,
)

PLANTED: dict[str, tuple[Any, str, Wrong]] = {
    "before and after swapped": (Elements, "order", _order),
    "a count of what is before counts the span too": (
        Aggregates,
        "split",
        _admitting(lambda a: [a[0], a[1] or a[0], a[2]]),
    ),
    "a count of what is after counts the span too": (
        Aggregates,
        "split",
        _admitting(lambda a: [a[0], a[1] or a[2], a[2]]),
    ),
    "a count leaves out the span itself": (Aggregates, "split", _admitting(lambda a: [a[0], False, a[2]])),
    "counts read the input": (Aggregates, "sum", _input_is_read),
    "a join is false": (
        Aggregates,
        "_join",
        lambda self, item, at, sort: z3.BoolVal(False) if sort == z3.BoolSort() else z3.IntVal(0),
    ),
    "evict evicts nothing": (Versions, "_alive", _in_version(t.Evicting, lambda c, m, v, at: c.alive(m.parent, at))),
    "evict evicts the others": (
        Versions,
        "_alive",
        _in_version(t.Evicting, lambda c, m, v, at: z3.And(c.alive(m.parent, at), _condition(c, m, at))),
    ),
    "evict ignores its guard": (
        Versions,
        "_alive",
        _in_version(
            t.Evicting,
            lambda c, m, v, at: z3.And(c.alive(m.parent, at), z3.Not(_condition(c, m, at))),
        ),
    ),
    "readmit brings nothing back": (
        Versions,
        "_alive",
        _in_version(t.Readmitting, lambda c, m, v, at: c.alive(m.parent, at)),
    ),
    "readmit brings everything back": (
        Versions,
        "_alive",
        _in_version(t.Readmitting, lambda c, m, v, at: z3.Or(c.alive(m.parent, at), c.known(m.parent, at))),
    ),
    "an inserted span is not there": (
        Versions,
        "_alive",
        _in_version(t.Inserting, lambda c, m, v, at: c.alive(m.parent, at)),
    ),
    "a refused pass keeps its edits": (
        Versions,
        "_alive",
        _in_version(t.Choosing, lambda c, m, v, at: c.alive(m.parent, at)),
    ),
    "a fill keeps what does not fit": (
        Versions,
        "_alive",
        _in_version(t.Filling, lambda c, m, v, at: c.alive(m.parent, at)),
    ),
    "a fill counts what it evicts": (Scan, "_fills", _fill_counts_all),
    "a fill walks the other way": (Values, "fills_along", _changing(Values.fills_along, lambda x: not x)),
    "set changes every span": (Versions, "_field", _set_everywhere),
    "set changes nothing": (Versions, "_field", _set_never),
    "refuse is ignored": (Body, "statement", _never_refuses),
    "a block always runs": (Body, "statement", _when_always),
    "keep is ignored": (Body, "unprotected", _keeps_nothing),
    "first is last": (Body, "pick", _other_end),
    "a let need not be the first": (Polarity, "add_universal", _order_of_lets_lost),
    "an absent span has fields": (Values, "at_mark", _absent_is_read),
    "passes share their choices": (Flattener, "_chosen", _same_choices),
    "less is less or equal": (Values, "_operate", _operator("<", lambda v: v[0] <= v[1])),
    "at most is less": (Values, "_operate", _operator("<=", lambda v: v[0] < v[1])),
    "if takes the other branch": (Values, "_operate", _operator("ite", lambda v: z3.If(v[0], v[2], v[1]))),
    "division rounds up": (
        Values,
        "_quotient",
        lambda self, x, divisor: (x + divisor - 1) / divisor,
    ),
    "what left is not known": (
        Versions,
        "_alive",
        _in_version(t.Recalling, lambda c, m, v, at: c.alive(m.parent, at)),
    ),
    "set does not reach what left": (Versions, "_field", _present_ones_are_set),
    "what may come comes": (Demands, "_comes", lambda self, mark: z3.BoolVal(True)),
    "what comes is as it likes": (Demands, "_place", _comes_as_it_likes),
    "what comes has a history": (flattened, "_born", lambda *declared: []),
    "history is compared": (
        Flattener,
        "_compared_fields",
        lambda self: [*COMPARED(self), *(f for f in self.schema.fields if f.history)],
    ),
    "nothing is covered": (Flattener, "_covers", lambda self, version, source, target: t.NO),
    "a move moves nothing": (flattened, "placed", lambda before, *place: before),
    "a move goes to the other end": (flattened, "placed", _to_the_other_end),
    "what is moved turns around": (orders.Banded, "older", _turned_around),
    "the first is the first before the move": (
        orders.Banded,
        "pick",
        lambda self, *asked: self.before.pick(*asked),
    ),
    "a swap swaps nothing": (orders.Exchanged, "_at", lambda self, element, say: say(element)),
    "the order of two windows is not compared": (Flattener, "_same_window", _in_any_order),
    "none is all": (Polarity, "_universal", _negative),
    "a sum counts spans": (
        Aggregates,
        "contribution",
        _changing(
            Aggregates.contribution,
            lambda x: (
                x
                if x.sort() == z3.BoolSort() or not z3.is_app_of(x, z3.Z3_OP_ITE)
                else z3.If(x.arg(0), z3.IntVal(1), x.arg(2))
            ),
        ),
    ),
}
"""Name → (class, method, what it does instead)."""

PLANTED_PROOFS: dict[str, tuple[Any, str, Wrong]] = {
    "a conjunction is broken only as a whole": (Polarity, "imply", _broken_as_a_whole),
    "a witness that is too deep is none": (Polarity, "_witness", _no_deep_witness),
    "marks of a query are never the same span": (Query, "_same_values", _never_the_same),
}
"""Wrong in what follows from a condition, which only proofs show."""


# ---------- whole kinds of faults, which short windows do not show


def _called_alike(self: Any, kind: Any, label: str) -> Any:
    """Elements are told apart by what they are called."""
    found = ELEMENT(self, kind, label)
    if kind == "bound":
        return found
    if self.elements == 1:
        LABELLED.clear()
    return LABELLED.setdefault(label, found)


def _witness_called_m(self: Any, item: Any, depth: int) -> Any:
    """Witnesses are called `m0`, `m1`, …, and told apart from others by that."""
    trace = self.whole.trace
    element = trace.element
    with patch.object(type(trace), "element", lambda _, kind, label: _m(self, element(kind, label))):
        return WITNESS(self, item, depth)


def _m(polarity: Any, element: Any) -> Any:
    named = {mark.label: mark for mark in polarity.whole.elements.marks}
    return named.get(f"m{len(polarity.witnesses)}", element)


def _marks_by_text(self: Any, element: Any, depth: int, on: Any) -> Any:
    mark = ADD_MARK(self, element, depth, on)
    mark.placed, mark.place = z3.Bool(f"{element.label}_seen"), z3.Bool(f"place_{element.label}")
    return mark


def _facts_by_text(self: Any, at: Any, fact: Any, kind: Any) -> Any:
    match fact:
        case t.Born(name):
            text = f"field {name}"
        case t.Joined(way, other, forth):
            text = f"{way.link} {other.label}" if forth else f"{other.label} {way.link}"
        case _:
            return BASE(self, at, fact, kind)
    return at.base.setdefault(fact, z3.Const(f"{at.element.number}.{text}", sort_of(kind)))


def _by_position(schema: Any) -> Any:
    return {name: number for f in schema.fields[::-1] for number, name in enumerate(f.names, 1)}


def _in_place(value: Any, declared: Any, numbers: Any) -> Any:
    if declared.kind != "enum":
        return BOUNDS(value, declared, numbers)
    return [t.Op("<=", (t.Num(1), value)), t.Op("<=", (value, t.Num(len(declared.names))))]


def _any_product(self: Any, left: Any, right: Any, at: Any) -> Any:
    """What is a constant to Z3 is taken for a number."""
    x, y = self.value(left, at), self.value(right, at)
    if not (self.whole.mode.scan and z3.is_const(x) and z3.is_const(y)):
        return PRODUCT(self, left, right, at)
    product = t.Op("*", (left, right))
    if product not in self.whole.aggregates.closed:
        self.whole.aggregates.closed[product] = self.whole.symbols.new("Q", z3.IntSort(), "wrong")
    return self.whole.aggregates.closed[product]


def _told_of_absent_ones(self: Any, version: int, left: Any, right: Any) -> Any:
    order = self.order(version)
    told = order.older(left, right)
    return told if order is orders.SCANNED else t.Stands(left, right, version, told)


def _negations_of_absent_ones(self: Any, *given: Any) -> Any:
    admitted, rest, _ = SPLIT(self, *given)
    return admitted, rest, sum(admitted) == 1


def _plainly_known(self: Any, span: str, version: int, scope: Any) -> Any:
    return t.YES


def _nearest_rescored(self: Any, version: int, element: Any) -> Any:
    while version > 0:
        made = self.trace.versions[version]
        if isinstance(made.step, t.Rescoring):
            return t.Same(element, made.step.mark)
        version = made.parent
    return t.NO


def _first_trial_is_the_pass(self: Any, term: Any, scope: Any) -> Any:
    subject = scope.subject
    first = subject is not None and term.run == "" and depth(term) == 1
    return subject.run if first else KEY(self, term, scope)


def _triggers_of_no_gate(self: Any, item: Any, scope: Any) -> Any:
    if isinstance(item, e.Triggered):
        scope = replace(scope, subject=None, windows=scope.windows)
    return FLAT(self, item, scope)


def _arrives_each_time(self: Any, *given: Any) -> Any:
    for key in [k for k in self.windows if k[0] is t.Inserting]:
        del self.windows[key]
    return ARRIVED(self, *given)


def _no_twins(self: Any) -> None:
    pass


def _stops_at_refusals(self: Any, body: Any, version: int, scope: Any, run: Any) -> Any:
    stop = next(
        (n for n, s in enumerate(body) if isinstance(s, p.Refuse) or (isinstance(s, p.Block) and not s.trigger)), None
    )
    found, edits = TRIGGERED(self, body[:stop], version, scope, run)
    return found, edits or stop is not None


LABELLED: dict[str, Any] = {}
ELEMENT, ADD_MARK, BASE, BOUNDS = flattened.Trace.element, Elements.add, Elements.base, flattened.within_bounds
PRODUCT, SPLIT, KEY, FLAT = Values._product, Aggregates.split, Flattener._key, Flattener.flat
ARRIVED, TRIGGERED = Flattener._arrived, Flattener._triggered

PLANTED_KINDS: dict[str, tuple[tuple[Any, str, Wrong], ...]] = {
    "what is called alike is the same": ((flattened.Trace, "element", _called_alike),),
    "witnesses are called m0 and so on": ((Polarity, "_witness", _witness_called_m),),
    "marks are named with text": ((Elements, "add", _marks_by_text),),
    "facts are named with text": ((Elements, "base", _facts_by_text),),
    "names are numbered by their place in the field": (
        (flattened, "codes", _by_position),
        (flattened, "within_bounds", _in_place),
        (demands, "within_bounds", _in_place),
    ),
    "any constant is a factor": ((Values, "_product", _any_product),),
    "orders say something of absent spans": ((Flattener, "_older", _told_of_absent_ones),),
    "negations exclude absent spans": ((Aggregates, "split", _negations_of_absent_ones),),
    "what was taken out is known": ((Flattener, "_known", _plainly_known),),
    "a let knows what it names": ((flattened, "_home", lambda term, version, scope: version),),
    "the last rescoring counts": ((Flattener, "_rescored", _nearest_rescored),),
    "a trial is the pass if it is the first": ((Flattener, "_key", _first_trial_is_the_pass),),
    "triggers are asked for outside of gates": ((Flattener, "flat", _triggers_of_no_gate),),
    "what arrives is another one each time": (
        (Flattener, "_arrived", _arrives_each_time),
        (Flattener, "_twins", _no_twins),
    ),
    "triggers end at a refusal or a branch": ((Flattener, "_triggered", _stops_at_refusals),),
    "whatever is asked for exists": (
        (flattened, "_may_not_exist", lambda policy: False),
        (flattened, "within", lambda value, declared: True),
    ),
    "a step's end is the way's": ((steps, "_spoken_of", lambda part: set()),),
}
"""Name → the (class, method, what it does instead) that make such a fault."""


@contextmanager
def planted(name: str) -> Iterator[None]:
    """The compiler with this bug."""
    whole = PLANTED_KINDS.get(name) or ((PLANTED | PLANTED_PROOFS)[name],)
    with ExitStack() as stack:
        for owner, method, wrong in whole:
            stack.enter_context(patch.object(owner, method, wrong))
        yield
