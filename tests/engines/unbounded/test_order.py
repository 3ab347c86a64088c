"""The orders told in formulas are those that the interpreter's moves and swaps make."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from selfedit_formal.engines.unbounded.ir import (
    HEAD,
    Alive,
    Binder,
    Constant,
    Element,
    Exists,
    Flat,
    Older,
    Op,
    Same,
    Which,
)
from selfedit_formal.engines.unbounded.order import SCANNED, Either, Exchanged, FlatOrder, placed
from selfedit_formal.semantics.state import moved

NAMES = tuple("abcde")
ELEMENTS = tuple(Element(n, "witness", label) for n, label in enumerate(NAMES, 1))
CALLED = dict(zip(NAMES, ELEMENTS, strict=True))


class World:
    """A scan's order of the elements, sets of them (`Alive(x, n)`: x is in set n), and marks made on the way."""

    def __init__(self) -> None:
        self.sets: list[frozenset[Element]] = []
        self.marks: dict[Element, Element | None] = {}

    def among(self, chosen: frozenset[Element]) -> Binder:
        self.sets.append(chosen)
        number = len(self.sets) - 1
        return lambda x: Alive(x, number)

    def marking(self, which: Which, condition: Flat) -> Element:
        found = [x for x in ELEMENTS if self.true(condition, x)]
        mark = Element(100 + len(self.marks), "let")
        self.marks[mark] = found[0 if which == "first" else -1] if found else None
        return mark

    def true(self, item: Flat, head: Element = HEAD) -> bool:
        def at(name: Element) -> Element | None:
            return head if name == HEAD else self.marks.get(name, name)

        match item:
            case Constant(value):
                return value
            case Alive(x, number):
                return at(x) in self.sets[number]
            case Older(x, y):
                one, other = at(x), at(y)
                return one is not None and other is not None and ELEMENTS.index(one) < ELEMENTS.index(other)
            case Same(x, y):
                return at(x) is not None and at(x) == at(y)
            case Exists(mark):
                return self.marks[mark] is not None
            case Op(operator, items):
                values = [self.true(i, head) for i in items]
                tables: dict[str, Callable[[], bool]] = {
                    "and": lambda: all(values),
                    "or": lambda: any(values),
                    "not": lambda: not values[0],
                    "ite": lambda: values[1] if values[0] else values[2],
                }
                return tables[operator]()
            case _:
                raise AssertionError(item)


def elements(names: frozenset[str]) -> frozenset[Element]:
    return frozenset(CALLED[name] for name in names)


@pytest.mark.parametrize("seed", range(60))
def test_an_order_told_is_the_order_made(seed: int) -> None:
    random, world = Random(seed), World()
    made: tuple[str, ...] = NAMES
    order: FlatOrder = SCANNED
    for _ in range(random.randint(1, 3)):
        chosen = frozenset(x for x in NAMES if random.random() < 0.4)
        first, second = random.sample(NAMES, 2)
        match random.choice(("front", "back", "before", "after", "swap", "neither")):
            case "front" | "back" as end:
                made, order = moved(made, chosen, end, None), placed(order, world.among(elements(chosen)), end, None)
            case "before" | "after" as side:
                made, order = (
                    moved(made, chosen, side, first),
                    placed(order, world.among(elements(chosen - {first})), side, CALLED[first]),
                )
            case "swap":
                made = tuple({first: second, second: first}.get(x, x) for x in made)
                order = Exchanged(order, Constant(True), CALLED[first], CALLED[second])
            case _:
                order = Either(Constant(False), placed(order, world.among(elements(chosen)), "front", None), order)
    for x in ELEMENTS:
        for y in ELEMENTS:
            assert world.true(order.older(x, y)) == (made.index(x.label) < made.index(y.label)), (x, y, made)
    wanted = frozenset(x for x in ELEMENTS if random.random() < 0.5)
    standing: list[Element | None] = [CALLED[x] for x in made if CALLED[x] in wanted]
    standing = standing or [None]
    assert world.marks[order.pick("first", world.among(wanted), world.marking)] == standing[0]
    assert world.marks[order.pick("last", world.among(wanted), world.marking)] == standing[-1]
