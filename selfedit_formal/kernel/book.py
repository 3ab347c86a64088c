"""Symbols with definitions, and nothing else: what a run is written down in.

A *position* is an integer. An expression with a hole for a position is a Z3 term over the placeholders of `Book.holes`;
each quantifier, search and sum in it stands as the application of a symbol, whose definition is kept here. Definitions
are told apart by their bodies, never by what somebody called something, so no two names can meet.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import field
from typing import Any, Literal

import z3

from selfedit_formal._frozen import dataclass

Term = Any
"""A Z3 term, of sort Bool or Int."""
Symbol = Any
"""A Z3 function."""


@dataclass(frozen=True, slots=True)
class Search:
    """`holds(arguments)` says that `body` is true at some position; then `found(arguments)` is the first (or last) one.

    `body` is over `arguments` and `hole`.
    """

    which: Literal["first", "last"]
    arguments: tuple[Term, ...]
    hole: Term
    body: Term
    holds: Symbol
    found: Symbol


@dataclass(frozen=True, slots=True)
class Sum:
    """`upto(arguments, i)`: what `step` adds up to over the positions before `i`, from 0 at 0.

    `step` is over `arguments`, `hole`, and `carry`, what was there before. `backward`: over the positions from `i` on,
    from 0 at the end.
    """

    arguments: tuple[Term, ...]
    hole: Term
    carry: Term
    step: Term
    backward: bool
    upto: Symbol


@dataclasses.dataclass
class Book:
    """All that is known of one obligation: symbols, their definitions, and what is true of them everywhere.

    `everywhere` are true at each position (of the hole `x`); `laws` at each application of a symbol; `axioms` once.
    `marked` are the positions of the claim's spans and of those that passes put in.
    """

    context: z3.Context = field(default_factory=z3.Context)
    searches: dict[str, Search] = field(default_factory=dict)
    found: dict[str, Search] = field(default_factory=dict)
    sums: dict[str, Sum] = field(default_factory=dict)
    everywhere: list[Term] = field(default_factory=list)
    laws: dict[str, list[Callable[..., Term]]] = field(default_factory=dict)
    axioms: list[Term] = field(default_factory=list)
    marked: list[Term] = field(default_factory=list)
    _known: dict[object, Search | Sum] = field(default_factory=dict)
    _alive: list[Term] = field(default_factory=list)
    _count: int = 0

    def __post_init__(self) -> None:
        self.true, self.false = z3.BoolVal(True, self.context), z3.BoolVal(False, self.context)
        self.zero, self.one = self.number(0), self.number(1)
        self.length = self.constant()
        self.holes = tuple(self.constant() for _ in range(12))
        self.x = self.holes[0]
        self._arguments = tuple(self.constant() for _ in range(12))
        self._place, self._carry = self.constant(), self.constant()
        self.places = (*self._arguments, self._place, self._carry)
        self.axioms.append(self.length >= 0)

    # ---------- making terms

    def number(self, value: int) -> Term:
        return z3.IntVal(value, self.context)

    def constant(self, truth: bool = False) -> Term:
        return self.function(0, truth)()

    def function(self, arity: int, truth: bool = False) -> Symbol:
        """A fresh function of positions."""
        self._count += 1
        integer = z3.IntSort(self.context)
        return z3.Function(f"k{self._count}", *[integer] * arity, z3.BoolSort(self.context) if truth else integer)

    def both(self, *items: Term) -> Term:
        kept = [i for i in items if not z3.is_true(i)]
        if any(z3.is_false(i) for i in kept):
            return self.false
        return self.true if not kept else kept[0] if len(kept) == 1 else z3.And(kept)

    def either(self, *items: Term) -> Term:
        kept = [i for i in items if not z3.is_false(i)]
        if any(z3.is_true(i) for i in kept):
            return self.true
        return self.false if not kept else kept[0] if len(kept) == 1 else z3.Or(kept)

    def negated(self, item: Term) -> Term:
        if z3.is_not(item):
            return item.arg(0)
        return self.false if z3.is_true(item) else self.true if z3.is_false(item) else z3.Not(item)

    def choose(self, condition: Term, then: Term, otherwise: Term) -> Term:
        if z3.is_true(condition) or then.eq(otherwise):
            return then
        return otherwise if z3.is_false(condition) else z3.If(condition, then, otherwise)

    def at(self, term: Term, position: Term) -> Term:
        """The term with the position in its hole `x`."""
        return z3.substitute(term, (self.x, position))

    def inside(self, position: Term) -> Term:
        return z3.And(position >= 0, position < self.length)

    # ---------- defining symbols

    def search(self, which: Literal["first", "last"], hole: Term, body: Term) -> tuple[Term, Term]:
        """Whether the body is true at some position, and the first or last one where it is."""
        applied, arguments, body = self._closed(hole, body)
        key: tuple[object, ...] = (which, body.get_id())
        if key not in self._known:
            found = Search(
                which,
                arguments,
                self._place,
                body,
                self.function(len(arguments), truth=True),
                self.function(len(arguments)),
            )
            self._known[key] = self.searches[found.holds.name()] = self.found[found.found.name()] = found
        known = self._known[key]
        assert isinstance(known, Search)
        return known.holds(*applied), known.found(*applied)

    def some(self, hole: Term, body: Term) -> Term:
        return body if z3.is_false(body) else self.search("first", hole, body)[0]

    def sum(self, hole: Term, step: Term, backward: bool = False) -> Callable[[Term], Term]:
        """A function from `i` to what the step adds up to over the positions before `i` (or from `i` on).

        In the step, `carry` may stand for what was there before.
        """
        applied, arguments, step = self._closed(hole, step)
        known = self.defined_sum(arguments, step, backward)
        return lambda i: known.upto(*applied, i)

    def defined_sum(self, arguments: tuple[Term, ...], step: Term, backward: bool = False) -> Sum:
        """The sum with this step, which is over the arguments and `_place`."""
        key: tuple[object, ...] = (backward, step.get_id(), *(a.get_id() for a in arguments))
        if key not in self._known:
            self._alive.append(step)
            made = Sum(arguments, self._place, self._carry, step, backward, self.function(len(arguments) + 1))
            self._known[key] = self.sums[made.upto.name()] = made
        known = self._known[key]
        assert isinstance(known, Sum)
        return known

    @property
    def carry(self) -> Term:
        return self._carry

    def _closed(self, hole: Term, body: Term) -> tuple[list[Term], tuple[Term, ...], Term]:
        """The other holes in the body, what the definition calls them, and the body with these names."""
        found = constants(body)
        applied = [h for h in self.holes if h.get_id() in found and not h.eq(hole)]
        arguments = self._arguments[: len(applied)]
        closed = z3.substitute(body, (hole, self._place), *zip(applied, arguments, strict=True))
        self._alive.append(closed)
        return applied, arguments, closed


def constants(term: Term) -> dict[int, Term]:
    """The constants in a term, by their identity in Z3."""
    return {t.get_id(): t for t in subterms(term) if z3.is_const(t)}


def subterms(term: Term, seen: set[int] | None = None) -> list[Term]:
    """The term and all in it, each once, those already `seen` left out."""
    seen = set() if seen is None else seen
    waiting, found = [term], []
    while waiting:
        item = waiting.pop()
        if item.get_id() not in seen:
            seen.add(item.get_id())
            found.append(item)
            waiting += item.children()
    return found
