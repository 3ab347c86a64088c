"""Each way to make one state of another does, whatever facts come out true, what the interpreter's does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from typing import Literal, get_args

import pytest

from selfedit_formal.core.window import Field, Schema, Span, Value, Window
from selfedit_formal.semantics import state as plain
from selfedit_formal.semantics.symbolic import state as symbolic
from selfedit_formal.semantics.symbolic.state import ABSENT, Order, Place, Ref, Slot, State
from selfedit_formal.semantics.symbolic.terms import Node, Terms, Truth, Valuation
from selfedit_formal.semantics.symbolic.values import Cell, constant_enum

FIELDS = {f.name: f for f in (Field("tag", "enum", names=("item",)), Field("tokens", "int"))}
NUMBERS = {"A": 0, "B": 1, "C": 2, "D": 3, "N": 9, "M": 9}
SCHEMA = Schema("Small", tuple(FIELDS.values()))
Side = Literal["front", "back", "before", "after"]
SIDES: tuple[Side, ...] = get_args(Side)


def cell(name: str, slot: Slot) -> Cell:
    return Cell(lambda: constant_enum("item") if name == "tag" else NUMBERS[slot.id])


class Open:
    """Four spans, of which the second may not be known and the third may be archived, and a definite span: the first,
    the third or none."""

    def __init__(self) -> None:
        self.terms = terms = Terms()
        self.slots = [Slot(name, created=False) for name in "ABCD"]
        self.facts = [terms.variable("bool", n) for n in ("b known", "c present", "it is a", "it is c", "d chosen")]
        known, present, first, third, self.chosen = self.facts
        one, two, three, four = self.slots
        self.ref = Ref(((one, first), (three, terms.both(terms.no(first), third))))
        self.state = State(
            Order(tuple(self.slots), {}),
            {one: True, two: known, three: True, four: True},
            {one: True, two: known, three: present, four: True},
            {name: {s: cell(name, s) for s in self.slots} for name in FIELDS},
            {(one, three): True},
            {},
        )

    def settings(self) -> Iterator[Valuation]:
        for values in product((False, True), repeat=len(self.facts)):
            bits: dict[Node, bool | int] = dict(zip(self.facts, values, strict=True))
            yield Valuation(bits)

    def written(self, state: State, value: Valuation) -> plain.State:
        """The state as the interpreter has it, in this setting."""
        there = [s for s, truth in state.known.items() if value(truth)]
        known = sorted(there, key=lambda s: sum(bool(value(state.order.before(t, s))) for t in there if t is not s))
        spans = tuple(Span(s.id, {"tag": "item", "tokens": NUMBERS[s.id]}) for s in known)
        archived = frozenset(s.id for s in known if not value(state.present[s]))
        links = frozenset(("covers", a.id, b.id) for (a, b), t in state.covers.items() if value(t))
        fresh = frozenset(s.id for s in known if s.created)
        return plain.from_window(Window(SCHEMA, spans, archived, links, fresh))

    def span(self, ref: Ref, value: Valuation) -> str | None:
        return next((s.id for s, guard in ref.choices if value(guard)), None)


Twin = Callable[[Open], tuple[State, Callable[[plain.State, Valuation], plain.State]]]


def without(here: Open) -> tuple[State, Callable[[plain.State, Valuation], plain.State]]:
    after = symbolic.without(here.terms, here.state, here.ref)
    return after, lambda state, value: plain.without(state, here.span(here.ref, value))


def swapped(here: Open) -> tuple[State, Callable[[plain.State, Valuation], plain.State]]:
    other = here.slots[1].ref
    after = symbolic.swapped(here.terms, here.state, here.ref, other)
    return after, lambda state, value: plain.swapped(state, here.span(here.ref, value), "B")


def swapped_with_itself(here: Open) -> tuple[State, Callable[[plain.State, Valuation], plain.State]]:
    after = symbolic.swapped(here.terms, here.state, here.ref, here.slots[0].ref)
    return after, lambda state, value: plain.swapped(state, here.span(here.ref, value), "A")


def known(here: Open) -> tuple[State, Callable[[plain.State, Valuation], plain.State]]:
    return symbolic.known(here.state), lambda state, _: plain.known(state)


@pytest.mark.parametrize("twin", [without, swapped, swapped_with_itself, known])
def test_a_state_is_changed_as_the_interpreter_changes_it(twin: Twin) -> None:
    here = Open()
    after, change = twin(here)
    for value in here.settings():
        assert here.written(after, value) == change(here.written(here.state, value), value)


@pytest.mark.parametrize("side", SIDES)
def test_a_fresh_span_stands_where_the_interpreter_puts_it(side: Side) -> None:
    here = Open()
    terms, place = here.terms, Place(side, here.ref)
    there = symbolic.somewhere(terms, here.state, place)
    new = Slot("N", created=True)
    after = symbolic.added(terms, here.state, new, {n: cell(n, new) for n in FIELDS}, place, there)
    for value in here.settings():
        before = here.written(here.state, value)
        index = plain.place_in(before.order, side, here.span(here.ref, value))
        assert (index is not None) == bool(value(there))
        record: dict[str, Value] = {"tag": "item", "tokens": NUMBERS["N"]}
        expected = before if index is None else plain.added(before, "N", record, index)
        assert here.written(after, value) == expected


@pytest.mark.parametrize("side", SIDES)
def test_spans_move_as_the_interpreter_moves_them(side: Side) -> None:
    here = Open()
    chosen: dict[Slot, Truth] = {here.slots[0]: True, here.slots[3]: here.chosen}
    order, changed = symbolic.moved(here.terms, here.state, chosen, Place(side, here.ref))
    for value in here.settings():
        before = here.written(here.state, value)
        moving = frozenset(s.id for s, truth in chosen.items() if value(truth))
        expected = plain.moved(before.order, moving, side, here.span(here.ref, value))
        now = here.written(replace(here.state, order=order), value)
        assert now.order == expected
        assert bool(value(changed())) == (expected != before.order)


def test_beside_a_span_that_is_absent_there_is_no_place() -> None:
    here = Open()
    assert symbolic.somewhere(here.terms, here.state, Place("after", ABSENT)) is False
    order, changed = symbolic.moved(here.terms, here.state, {here.slots[0]: True}, Place("after", ABSENT))
    assert order is here.state.order
    assert changed() is False


def test_windows_are_the_same_where_the_interpreter_says_so() -> None:
    here = Open()
    terms, (first, *_) = here.terms, here.slots
    made = [Slot("N", created=True), Slot("M", created=True)]
    states = [
        here.state,
        symbolic.without(terms, here.state, here.ref),
        symbolic.swapped(terms, here.state, first.ref, here.ref),
        *(
            symbolic.added(terms, here.state, new, {n: cell(n, new) for n in FIELDS}, Place("front"), here.chosen)
            for new in made
        ),
    ]
    for left, right in product(states, states):
        same = symbolic.same_window(terms, left, right, FIELDS)
        for value in here.settings():
            assert bool(value(same)) == plain.same_window(here.written(left, value), here.written(right, value))


def test_a_record_is_the_same_where_neither_state_knows_the_span() -> None:
    here = Open()
    gone = symbolic.without(here.terms, here.state, here.slots[0].ref)
    same = [symbolic.same_record(here.terms, here.state, gone, s, FIELDS) for s in here.slots]
    assert same[0] is False
    assert all(Valuation(dict.fromkeys(here.facts, known))(same[1]) for known in (False, True))
