"""What follows from a condition that holds, or does not: a witness of what there is, a universal of what is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import z3

from selfedit_formal._frozen import dataclass
from selfedit_formal.engines.unbounded.compiler.elements import ElementView, Mark
from selfedit_formal.engines.unbounded.ir import (
    EVERY,
    HEAD,
    Alive,
    Element,
    Exist,
    Flat,
    Identical,
    Op,
    Stands,
    both,
    conjuncts,
    free,
    negate,
    rename,
    show,
)
from selfedit_formal.engines.unbounded.terms import BOOL, TRUE, conjunction, disjunction, negation

if TYPE_CHECKING:
    from selfedit_formal.engines.unbounded.compiler.compilation import Compilation

LEGEND = 160
"""Characters that what a name stands for may take at most."""


@dataclass(frozen=True, slots=True, eq=False)
class Universal:
    """Of every element of the version, if `assumed`: the body (over `HEAD`)."""

    assumed: z3.BoolRef
    version: int
    body: Flat
    index: int


class Polarity:
    """`witnesses` of what there is, and of what there is none the truth of that (`none`). `weak`: what was implied last
    leaves out a join."""

    def __init__(self, whole: Compilation) -> None:
        self.whole = whole
        self.universals: list[Universal] = []
        self.witnesses: dict[Exist, Element] = {}
        self.none: dict[Exist, z3.BoolRef] = {}
        self.denied: set[Exist] = set()
        """Of what there is none that this is a universal."""
        self.weak = False

    def add_universal(self, assumed: z3.BoolRef, version: int, body: Flat) -> None:
        """One more."""
        self.universals.append(Universal(assumed, version, body, len(self.universals)))

    def imply(self, item: Flat, positive: bool, at: ElementView | None, depth: int) -> z3.BoolRef:
        """A condition implied by the item (or its negation), up to choosing rigids and marks. `at` None: the item is
        closed."""
        match item:
            case Op("not", (inner,)):
                return self.imply(inner, not positive, at, depth)
            case Op("and" | "or" as operator, items):
                parts = [self.imply(i, positive, at, depth) for i in items]
                return conjunction(parts) if (operator == "and") == positive else disjunction(parts)
            case Op("implies", (left, right)):
                sides = [self.imply(left, not positive, at, depth), self.imply(right, positive, at, depth)]
                return disjunction(sides) if positive else conjunction(sides)
            case Stands(_, _, _, body):
                return self.imply(body, positive, at, depth)
            case Identical(body):
                return TRUE if positive else self.imply(body, False, at, depth)
            case Exist(variable, _, body):
                if HEAD not in free(item):
                    return self._witness(item, depth) if positive else self._universal(item)
                _, rest, _ = self.whole.aggregates.split(body, variable, HEAD)
                if not (self.whole.mode.scan and HEAD not in free(rest)):
                    self.weak = True
                    return TRUE
            case _:
                pass
        value = self.whole.values.value(item, self.whole.elements.head if at is None else at)
        return value if positive else negation(value)

    def _witness(self, item: Exist, depth: int) -> z3.BoolRef:
        elements, symbols = self.whole.elements, self.whole.symbols
        if item not in self.witnesses:
            if depth > self.whole.mode.depth:
                return negation(self._none(item))
            witness = self.whole.trace.element("witness", item.variable.label)
            self.witnesses[item] = witness
            on = symbols.new("on", BOOL, f"witness {witness.label} of: {show(item)}")
            guards = [Alive(HEAD, item.version)] if item.version != EVERY else []
            mark = elements.add(witness, depth, on)
            meant = short(show(rename(item.body, {item.variable: witness})))
            symbols.explain(mark.placed, f"{witness.label} was passed: {meant}")
            self.describe(mark, both(*guards, rename(item.body, {item.variable: HEAD})))
        mark = elements.marks[self.witnesses[item]]
        return conjunction((mark.on, mark.rest))

    def describe(self, mark: Mark, condition: Flat) -> None:
        """The mark satisfies the condition (over `HEAD`): directly where it is placed, or, for joins, as a closed
        condition about it."""
        later = []
        for c in conjuncts(condition):
            if self._has_join(c):
                later.append(c)
            else:
                mark.guards.append(c)
        if later:
            of_it = (rename(c, {HEAD: mark.element}) for c in later)
            mark.rest = conjunction([self.imply(c, True, None, mark.depth) for c in of_it])

    def _has_join(self, item: Flat) -> bool:
        match item:
            case Exist(variable, _, body):
                if HEAD not in free(item):
                    return True
                _, rest, _ = self.whole.aggregates.split(body, variable, HEAD)
                return not self.whole.mode.scan or HEAD in free(rest) or self._has_join(body)
            case Op(_, items):
                return any(self._has_join(i) for i in items)
            case Stands(_, _, _, body):
                return self._has_join(body)
            case Identical():
                return True
            case _:
                return False

    def _universal(self, item: Exist) -> z3.BoolRef:
        """No element satisfies the body."""
        none = self._none(item)
        if item not in self.denied:
            self.denied.add(item)
            self.add_universal(none, item.version, negate(rename(item.body, {item.variable: HEAD})))
        return none

    def _none(self, item: Exist) -> z3.BoolRef:
        """That there is none: one truth, wherever it is spoken of."""
        if item not in self.none:
            self.none[item] = self.whole.symbols.new("u", BOOL, f"assumed: no {show(item).removeprefix('some ')}")
        return self.none[item]


def short(text: str) -> str:
    """At most as long as a legend may be."""
    return text if len(text) <= LEGEND else text[: LEGEND - 1] + "…"
