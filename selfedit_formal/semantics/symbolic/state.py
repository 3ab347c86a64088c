"""A run's state with truths for facts: which spans are known and present, in what order, with which records.

The names and the order of functions are those of `selfedit_formal.semantics.state`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Literal

from selfedit_formal._frozen import dataclass
from selfedit_formal.core.window import Field
from selfedit_formal.semantics.symbolic.counters import Counter, Tally
from selfedit_formal.semantics.symbolic.terms import Terms, Truth
from selfedit_formal.semantics.symbolic.values import Cell, SymbolicValue, choose, equal


class Slot:
    """A span that may exist in some state. `id` is its id in cases and choices; identity is the object's."""

    __slots__ = ("created", "id", "ref")

    def __init__(self, identity: str, created: bool) -> None:
        self.id = identity
        self.created = created
        self.ref = Ref(((self, True),))

    def __repr__(self) -> str:
        return self.id


class Ref:
    """A definite span: elements with guards that exclude each other. Absent where no guard is true."""

    __slots__ = ("choices", "single")

    def __init__(self, choices: Iterable[tuple[Slot, Truth]]) -> None:
        self.choices = tuple((e, g) for e, g in choices if g is not False)
        self.single = self.choices[0][0] if len(self.choices) == 1 and self.choices[0][1] is True else None


ABSENT = Ref(())


def merged(terms: Terms, choices: Iterable[tuple[Slot, Truth]]) -> Ref:
    """The definite span with these guards, those of one element taken together."""
    guards: dict[Slot, Truth] = {}
    for element, guard in choices:
        guards[element] = terms.either(guards.get(element, False), guard)
    return Ref(guards.items())


class Order:
    """A total order of elements.

    Those in `chain` stand in that order; a pair with another element has its truth in `pairs`.
    """

    __slots__ = ("_reached", "chain", "pairs", "places")

    def __init__(self, chain: tuple[Slot, ...], pairs: Mapping[tuple[Slot, Slot], Truth]) -> None:
        self.chain = chain
        self.pairs = pairs
        self.places = {e: i for i, e in enumerate(chain)}
        self._reached: dict[Ref, list[Truth]] = {}

    def before(self, first: Slot, second: Slot) -> Truth:
        """The first stands before the second; means nothing if one of them is not known."""
        a, b = self.places.get(first), self.places.get(second)
        if a is not None and b is not None:
            return a < b
        return self.pairs.get((first, second), False)

    def passed(self, terms: Terms, ref: Ref, element: Slot) -> Truth:
        """The definite span stands before the element."""
        place = self.places.get(element)
        if place is None or any(e not in self.places for e, _ in ref.choices):
            return terms.any(terms.both(g, self.before(e, element)) for e, g in ref.choices)
        known = self._reached.get(ref)
        if known is None:
            at: dict[int, Truth] = {self.places[e]: g for e, g in ref.choices}
            known = [False]
            for i in range(len(self.chain)):
                known.append(terms.either(known[-1], at.get(i, False)))
            self._reached[ref] = known
        return known[place]


def settled(
    elements: Iterable[Slot],
    chain: tuple[Slot, ...],
    pairs: dict[tuple[Slot, Slot], Truth],
) -> Order:
    """The order with these pairs; a chain throughout if no pair is left open."""
    if any(not isinstance(truth, bool) for truth in pairs.values()):
        return Order(chain, pairs)
    loose = Order(chain, pairs)
    everyone = list(elements)
    places = {e: sum(loose.before(f, e) is True for f in everyone if f is not e) for e in everyone}
    return Order(tuple(sorted(everyone, key=places.__getitem__)), {})


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """`cells` has a mapping for each recorded field.

    A span that is not in `known` is not known; `present` implies known.
    """

    order: Order
    known: Mapping[Slot, Truth]
    present: Mapping[Slot, Truth]
    cells: Mapping[str, Mapping[Slot, Cell]]
    covers: Mapping[tuple[Slot, Slot], Truth]
    rescored: Mapping[Slot, Truth]

    def loose(self) -> list[Slot]:
        """The elements that are not in the order's chain."""
        return [e for e in self.known if e not in self.order.places]


@dataclass(frozen=True, slots=True)
class Place:
    """Where something is put: an end, or beside a definite span (`anchor`)."""

    side: Literal["front", "back", "before", "after"]
    anchor: Ref = ABSENT


def knows(terms: Terms, state: State, ref: Ref) -> Truth:
    """The definite span is present or archived."""
    return terms.any(terms.both(g, state.known.get(e, False)) for e, g in ref.choices)


def has(terms: Terms, state: State, ref: Ref) -> Truth:
    """The definite span is present."""
    return terms.any(terms.both(g, state.present.get(e, False)) for e, g in ref.choices)


def somewhere(terms: Terms, state: State, place: Place) -> Truth:
    """There is such a place."""
    return True if place.side in ("front", "back") else knows(terms, state, place.anchor)


# ---------- one state from another


def added(terms: Terms, state: State, element: Slot, cells: Mapping[str, Cell], place: Place, guard: Truth) -> State:
    """With a fresh span at that place, if the guard (which implies that there is such a place) is true."""
    return replace(
        state,
        order=_order_added(terms, state, element, place),
        known={**state.known, element: guard},
        present={**state.present, element: guard},
        cells={name: {**column, element: cells[name]} for name, column in state.cells.items()},
    )


def _order_added(terms: Terms, state: State, element: Slot, place: Place) -> Order:
    order, anchors = state.order, place.anchor.choices
    loose = state.loose()
    match place.side:
        case "front" | "back" as side:
            front = side == "front"
            chain = (element, *order.chain) if front else (*order.chain, element)
            pairs = dict(order.pairs)
            for other in loose:
                pairs[element, other], pairs[other, element] = front, not front
            return Order(chain, pairs)
        case "before" | "after" as side:
            pairs = dict(order.pairs)
            if not anchors:
                return Order((*order.chain, element), pairs)
            if len(anchors) == 1 and anchors[0][0] in order.places:
                anchor = anchors[0][0]
                index = order.places[anchor] + (side == "after")
                for other in loose:
                    pairs[element, other] = order.before(anchor, other)
                    pairs[other, element] = order.before(other, anchor)
                return Order((*order.chain[:index], element, *order.chain[index:]), pairs)
            for other in state.known:
                ahead = beyond(terms, order, place, other)
                pairs[element, other], pairs[other, element] = ahead, terms.no(ahead)
            return Order(order.chain, pairs)


def beyond(terms: Terms, order: Order, place: Place, element: Slot) -> Truth:
    """The element, which is not itself put there, stands after the place (of which there is one)."""
    match place.side:
        case "front":
            return True
        case "back":
            return False
        case "before":
            itself = terms.any(g for e, g in place.anchor.choices if e is element)
            return terms.either(itself, order.passed(terms, place.anchor, element))
        case "after":
            return order.passed(terms, place.anchor, element)


def without(terms: Terms, state: State, ref: Ref) -> State:
    """With the span taken out of everything."""
    out = dict(ref.choices)

    def rest(facts: Mapping[Slot, Truth]) -> dict[Slot, Truth]:
        return {
            e: terms.both(t, terms.no(out[e])) if e in out else t for e, t in facts.items() if out.get(e) is not True
        }

    covers = {
        (a, b): terms.every((t, terms.no(out.get(a, False)), terms.no(out.get(b, False))))
        for (a, b), t in state.covers.items()
    }
    return replace(
        state, known=rest(state.known), present=rest(state.present), rescored=rest(state.rescored), covers=covers
    )


def swapped(terms: Terms, state: State, first: Ref, second: Ref) -> State:
    """With the two at each other's place; unchanged if one is not known, or they are the same."""
    order = state.order
    known = terms.both(knows(terms, state, first), knows(terms, state, second))
    same = terms.any(terms.both(g, h) for e, g in first.choices for f, h in second.choices if e is f)
    swaps = terms.both(known, terms.no(same))
    if swaps is False:
        return state
    here = {e: terms.both(g, swaps) for e, g in first.choices}
    there = {e: terms.both(g, swaps) for e, g in second.choices}
    # A reference of its own keeps the guards exclusive: where nothing is swapped, both are absent.
    one, other = Ref(here.items()), Ref(there.items())
    pairs: dict[tuple[Slot, Slot], Truth] = {}
    elements = list(state.known)
    for i, e in enumerate(elements):
        for f in elements[i + 1 :]:
            a_e, a_f = here.get(e, False), here.get(f, False)
            b_e, b_f = there.get(e, False), there.get(f, False)
            both_swap = terms.either(terms.both(a_e, b_f), terms.both(a_f, b_e))
            plain = order.before(e, f)
            # e stands where the other one stood, or f does.
            truth = terms.choose(
                both_swap,
                terms.no(plain),
                terms.choose(
                    a_e,
                    order.passed(terms, other, f),
                    terms.choose(
                        b_e,
                        order.passed(terms, one, f),
                        terms.choose(
                            a_f,
                            terms.no(order.passed(terms, other, e)),
                            terms.choose(b_f, terms.no(order.passed(terms, one, e)), plain),
                        ),
                    ),
                ),
            )
            pairs[e, f], pairs[f, e] = truth, terms.no(truth)
    return replace(state, order=settled(elements, (), pairs))


def known(state: State) -> State:
    """With every archived span present again, at its place and with its last record."""
    return replace(state, present=state.known)


def moved(terms: Terms, state: State, chosen: Mapping[Slot, Truth], place: Place) -> tuple[Order, Callable[[], Truth]]:
    """The order with the chosen spans, but not the place's own, at the place, and whether it is another one.

    They keep their old order among themselves. Unchanged if the place is nowhere.
    """
    order = state.order
    there = somewhere(terms, state, place)
    anchors = dict(place.anchor.choices)
    moving = {
        e: truth
        for e, wanted in chosen.items()
        if (truth := terms.every((wanted, there, terms.no(anchors.get(e, False))))) is not False
    }
    if not moving:
        return order, lambda: False
    pairs = dict(order.pairs)
    elements = list(state.known)
    past = {e: beyond(terms, order, place, e) for e in elements}
    for i, e in enumerate(elements):
        for f in elements[i + 1 :]:
            if e not in moving and f not in moving:
                continue
            a, b, plain = moving.get(e, False), moving.get(f, False), order.before(e, f)
            truth = terms.choose(a, terms.choose(b, plain, past[f]), terms.choose(b, terms.no(past[e]), plain))
            pairs[e, f], pairs[f, e] = truth, terms.no(truth)
    after = settled(elements, tuple(e for e in order.chain if e not in moving), pairs)

    def changed() -> Truth:
        return terms.any(
            terms.every((state.known[e], state.known[f], terms.no(terms.iff(after.before(e, f), order.before(e, f)))))
            for i, e in enumerate(elements)
            for f in elements[i + 1 :]
        )

    return after, changed


def restored(terms: Terms, condition: Truth, then: State, otherwise: State, fields: Mapping[str, Field]) -> State:
    """`if condition then … else …`, of states, where the second grew out of the first."""
    if condition is False or then is otherwise:
        return otherwise
    if condition is True:
        return then

    def merged(a: Mapping[Slot, Truth], b: Mapping[Slot, Truth]) -> Mapping[Slot, Truth]:
        if a is b:
            return a
        return {e: terms.choose(condition, a.get(e, False), b.get(e, False)) for e in {**a, **b}}

    cells = {
        name: column
        if column is then.cells[name]
        else {
            e: _either_cell(terms, fields[name], condition, then.cells[name].get(e), cell) for e, cell in column.items()
        }
        for name, column in otherwise.cells.items()
    }
    pairs = {
        p: terms.choose(condition, then.covers.get(p, False), otherwise.covers.get(p, False))
        for p in {**then.covers, **otherwise.covers}
    }
    return State(
        order=_order_restored(terms, condition, then, otherwise),
        known=merged(then.known, otherwise.known),
        present=merged(then.present, otherwise.present),
        cells=cells,
        covers=pairs,
        rescored=merged(then.rescored, otherwise.rescored),
    )


def _either_cell(terms: Terms, field: Field, condition: Truth, then: Cell | None, otherwise: Cell) -> Cell:
    if then is None or then is otherwise:
        return otherwise
    return Cell(lambda: choose(terms, field.kind, condition, then.value(), otherwise.value()))


def _order_restored(terms: Terms, condition: Truth, then: State, otherwise: State) -> Order:
    a, b = then.order, otherwise.order
    if a is b:
        return a
    elements = list(otherwise.known)
    pairs: dict[tuple[Slot, Slot], Truth] = {}
    for i, e in enumerate(elements):
        for f in elements[i + 1 :]:
            truth = b.before(e, f)
            if e in then.known and f in then.known:
                truth = terms.choose(condition, a.before(e, f), truth)
            pairs[e, f], pairs[f, e] = truth, terms.no(truth)
    return settled(elements, (), pairs)


# ---------- two states compared


def same_fields(
    terms: Terms, left: Mapping[str, Cell], right: Mapping[str, Cell], fields: Mapping[str, Field]
) -> Truth:
    """Two records are equal, their history aside."""
    return terms.every(
        equal(terms, fields[name].kind, _value(left[name]), _value(right[name]))
        for name in left
        if left[name] is not right[name] and not fields[name].history
    )


def _value(cell: Cell) -> SymbolicValue:
    return cell.value()


def record(state: State, element: Slot) -> dict[str, Cell]:
    """The cells of one element."""
    return {name: column[element] for name, column in state.cells.items()}


def same_record(terms: Terms, left: State, right: State, element: Slot, fields: Mapping[str, Field]) -> Truth:
    """The two states have the same last record of the element. True if neither knows it, false if one does."""
    known, also = left.known.get(element, False), right.known.get(element, False)
    if known is False or also is False:
        return terms.no(terms.either(known, also))
    same = same_fields(terms, record(left, element), record(right, element), fields)
    return terms.either(terms.every((known, also, same)), terms.no(terms.either(known, also)))


def same_window(terms: Terms, left: State, right: State, fields: Mapping[str, Field]) -> Truth:
    """A reader sees the same: as many spans, at each position the same one (or two created ones), equal records.

    Spans that were not created must be the same ones in the same order. Created ones are taken in their order: the
    first of one window with the first of the other, and so on; a pair must have equal records and stand in the same
    gap between the others.
    """
    if left is right:
        return True
    elements = list({**left.present, **right.present})
    given = [e for e in elements if not e.created]
    facts: list[Truth] = []
    for e in given:
        here, there = left.present.get(e, False), right.present.get(e, False)
        facts.append(terms.iff(here, there))
        if here is not False and there is not False:
            facts.append(
                terms.implies(terms.both(here, there), same_fields(terms, record(left, e), record(right, e), fields))
            )
    if left.order is not right.order:
        for i, e in enumerate(given):
            for f in given[i + 1 :]:
                same_order = terms.iff(left.order.before(e, f), right.order.before(e, f))
                if same_order is not True:
                    facts.append(
                        terms.implies(
                            terms.every(s.present.get(x, False) for s in (left, right) for x in (e, f)), same_order
                        )
                    )
    made = [[e for e, p in s.present.items() if e.created and p is not False] for s in (left, right)]
    facts.append(_same_created(terms, left, right, made[0], made[1], given, fields))
    return terms.every(facts)


def _same_created(
    terms: Terms,
    left: State,
    right: State,
    lefts: list[Slot],
    rights: list[Slot],
    given: list[Slot],
    fields: Mapping[str, Field],
) -> Truth:
    if not lefts and not rights:
        return True
    if lefts == rights and all(left.present[e] is right.present[e] for e in lefts) and left.order is right.order:
        return terms.every(
            terms.implies(left.present[e], same_fields(terms, record(left, e), record(right, e), fields)) for e in lefts
        )
    ranks = [{e: _rank(terms, state, e, made) for e in made} for state, made in ((left, lefts), (right, rights))]
    most = max(len(lefts), len(rights))
    totals = [
        Counter(terms, Tally(terms, [state.present[e] for e in made]), len(made))
        for state, made in ((left, lefts), (right, rights))
    ]
    facts = [terms.iff(totals[0].at_least(j), totals[1].at_least(j)) for j in range(1, most + 1)]
    for c in lefts:
        for d in rights:
            meet = terms.every(
                (
                    left.present[c],
                    right.present[d],
                    *(terms.iff(ranks[0][c].at_least(j), ranks[1][d].at_least(j)) for j in range(1, most)),
                )
            )
            if meet is False:
                continue
            gap = terms.every(
                terms.implies(left.present.get(e, False), terms.iff(left.order.before(e, c), right.order.before(e, d)))
                for e in given
                if left.present.get(e, False) is not False
            )
            same = same_fields(terms, record(left, c), record(right, d), fields)
            facts.append(terms.implies(meet, terms.both(gap, same)))
    return terms.every(facts)


def _rank(terms: Terms, state: State, element: Slot, made: list[Slot]) -> Counter:
    """How many created spans stand before this one in the window."""
    ahead = [terms.both(state.present[e], state.order.before(e, element)) for e in made if e is not element]
    return Counter(terms, Tally(terms, ahead), len(ahead))
