"""The orders that windows are in: the scan goes by one order of all elements, and where spans were moved, theirs is
told in its terms.

An order says of two elements which comes before, and finds the first or last that satisfies a condition, by asking the
order that it was made from.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from selfedit_formal._frozen import dataclass
from selfedit_formal.engines.unbounded.ir import (
    HEAD,
    NO,
    Binder,
    Element,
    Exists,
    Flat,
    Older,
    Op,
    Same,
    Where,
    Which,
    both,
    either,
    exists,
    negate,
    walk,
)

Marking = Callable[[Which, Flat], Element]
"""A new mark at the first, or last, element in the scan's order that satisfies a condition over `HEAD`."""


class FlatOrder(Protocol):
    """A linear order of all elements that ever exist; of absent ones it says anything. `size`: about how large a
    formula its comparisons are."""

    @property
    def size(self) -> int: ...

    def older(self, left: Element, right: Element) -> Flat:
        """The left element comes before the right one."""

    def pick(self, which: Which, condition: Binder, marking: Marking) -> Element:
        """A mark at the first, or last, element that satisfies the condition; it denotes none if none does."""


@dataclass(frozen=True, slots=True)
class Scanned:
    """The order in which the elements stand to begin with, fresh ones where they are put."""

    size: int = 1

    def older(self, left: Element, right: Element) -> Flat:
        return NO if left == right else Older(left, right)

    def pick(self, which: Which, condition: Binder, marking: Marking) -> Element:
        return marking(which, condition(HEAD))


SCANNED = Scanned()


@dataclass(frozen=True, slots=True, eq=False)
class Banded:
    """First the elements of the first band, then those of the second that are in no earlier one, and so on; last those
    of no band. Within each the order is the one `before`."""

    before: FlatOrder
    bands: tuple[Binder, ...]
    size: int

    def older(self, left: Element, right: Element) -> Flat:
        found = self.before.older(left, right)
        for band in reversed(self.bands):
            one, other = band(left), band(right)
            found = either(both(one, negate(other)), both(either(one, negate(other)), found))
        return found

    def pick(self, which: Which, condition: Binder, marking: Marking) -> Element:
        def within(number: int) -> Binder:
            earlier, band = self.bands[:number], self.bands[number : number + 1]
            return lambda x: both(condition(x), *(negate(b(x)) for b in earlier), *(b(x) for b in band))

        numbers = range(len(self.bands) + 1)
        found: Flat = NO
        for number in numbers if which == "last" else reversed(numbers):
            mark = self.before.pick(which, within(number), marking)
            found = Op("ite", (Exists(mark), Same(HEAD, mark), found))
        return marking(which, found)


@dataclass(frozen=True, slots=True, eq=False)
class Exchanged:
    """Two elements at each other's place, if `condition`, which is closed, holds."""

    before: FlatOrder
    condition: Flat
    first: Element
    second: Element

    @property
    def size(self) -> int:
        return 9 * self.before.size

    def older(self, left: Element, right: Element) -> Flat:
        return self._at(left, lambda x: self._at(right, lambda y: self.before.older(x, y)))

    def pick(self, which: Which, condition: Binder, marking: Marking) -> Element:
        place = self.before.pick(which, lambda x: self._at(x, condition), marking)
        return marking(which, both(Exists(place), self._at(HEAD, lambda x: Same(x, place))))

    def _at(self, element: Element, say: Binder) -> Flat:
        """What is said of the element whose place it has."""
        is_first, is_second = (both(self.condition, Same(element, x)) for x in (self.first, self.second))
        return Op("ite", (is_first, say(self.second), Op("ite", (is_second, say(self.first), say(element)))))


@dataclass(frozen=True, slots=True, eq=False)
class Either:
    """One order if a closed condition holds, else the other."""

    condition: Flat
    then: FlatOrder
    otherwise: FlatOrder

    @property
    def size(self) -> int:
        return self.then.size + self.otherwise.size

    def older(self, left: Element, right: Element) -> Flat:
        return Op("ite", (self.condition, self.then.older(left, right), self.otherwise.older(left, right)))

    def pick(self, which: Which, condition: Binder, marking: Marking) -> Element:
        one, other = (order.pick(which, condition, marking) for order in (self.then, self.otherwise))
        return marking(which, Op("ite", (self.condition, Same(HEAD, one), Same(HEAD, other))))


def placed(before: FlatOrder, moving: Binder, where: Where, beside: Element | None) -> FlatOrder:
    """The order once what is moving stands, in its old order, at the place. `beside` does not move."""
    goes = sum(1 for _ in walk(moving(HEAD)))
    match where:
        case "front":
            return Banded(before, (moving,), before.size + 4 * goes)
        case "back":
            return Banded(before, (lambda x: negate(moving(x)),), before.size + 4 * goes)
        case "before" | "after":
            assert beside is not None

            def ahead(x: Element) -> Flat:
                standing = either(before.older(x, beside), *((Same(x, beside),) if where == "after" else ()))
                return both(exists(beside), standing, negate(moving(x)))

            return Banded(before, (ahead, moving), 5 * before.size + 8 * goes)
