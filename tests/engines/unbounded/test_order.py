"""The orders told in formulas are those that the interpreter's moves and swaps make."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from selfedit_formal.engines.unbounded.order import SCANNED, Either, Exchanged, Order, placed
from selfedit_formal.engines.unbounded.trace import HEAD, Alive, Binder, Exists, Flat, Older, Op, Same, Truth, Which
from selfedit_formal.semantics.state import moved

ELEMENTS = ("a", "b", "c", "d", "e")


class World:
    """A scan's order of the elements, sets of them (`Alive(x, n)`: x is in set n), and marks made on the way."""

    def __init__(self) -> None:
        self.sets: list[frozenset[str]] = []
        self.marks: dict[str, str | None] = {}

    def among(self, chosen: frozenset[str]) -> Binder:
        self.sets.append(chosen)
        number = len(self.sets) - 1
        return lambda x: Alive(x, number)

    def marking(self, which: Which, condition: Flat) -> str:
        found = [x for x in ELEMENTS if self.true(condition, x)]
        mark = f"m{len(self.marks)}"
        self.marks[mark] = found[0 if which == "first" else -1] if found else None
        return mark

    def true(self, item: Flat, head: str = "") -> bool:
        def at(name: str) -> str | None:
            return head if name == HEAD else self.marks.get(name, name)

        match item:
            case Truth(value):
                return value
            case Alive(x, number):
                return at(x) in self.sets[number]
            case Older(x, y):
                one, other = at(x), at(y)
                return None not in (one, other) and ELEMENTS.index(str(one)) < ELEMENTS.index(str(other))
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


@pytest.mark.parametrize("seed", range(60))
def test_an_order_told_is_the_order_made(seed: int) -> None:
    random, world = Random(seed), World()
    made: tuple[str, ...] = ELEMENTS
    order: Order = SCANNED
    for _ in range(random.randint(1, 3)):
        chosen = frozenset(x for x in ELEMENTS if random.random() < 0.4)
        first, second = random.sample(ELEMENTS, 2)
        match random.choice(("front", "back", "before", "after", "swap", "neither")):
            case "front" | "back" as end:
                made, order = moved(made, chosen, end, None), placed(order, world.among(chosen), end, "")
            case "before" | "after" as side:
                made, order = (
                    moved(made, chosen, side, first),
                    placed(order, world.among(chosen - {first}), side, first),
                )
            case "swap":
                made = tuple({first: second, second: first}.get(x, x) for x in made)
                order = Exchanged(order, Truth(True), first, second)
            case _:
                order = Either(Truth(False), placed(order, world.among(chosen), "front", ""), order)
    for x in ELEMENTS:
        for y in ELEMENTS:
            assert world.true(order.older(x, y)) == (made.index(x) < made.index(y)), (x, y, made)
    wanted = frozenset(x for x in ELEMENTS if random.random() < 0.5)
    standing: list[str | None] = [x for x in made if x in wanted]
    standing = standing or [None]
    assert world.marks[order.pick("first", world.among(wanted), world.marking)] == standing[0]
    assert world.marks[order.pick("last", world.among(wanted), world.marking)] == standing[-1]
