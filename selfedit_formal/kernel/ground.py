"""What a set of ground facts says, written out: the definitions at the positions that matter, and no others.

Every instance is true of every run, so a contradiction among them is one of the facts alone; which instances are taken
decides only whether one is found.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import z3

from selfedit_formal.kernel.book import Book, Search, Sum, Term

Arguments = tuple[Term, ...]


MOST_FACTS = 2_500


class TooMuch(Exception):
    """More would have to be written out than is worth it."""


class Ground:
    """Facts, and instances of the definitions in them. A position is as `deep` as it took searches to come by it; none
    deeper than `depth` is taken, and no search and position that are together deeper than one more."""

    def __init__(
        self, book: Book, facts: Iterable[Term], positions: Iterable[Term], depth: int, about: Iterable[Term] = ()
    ) -> None:
        self.book = book
        self.depth = depth
        self.facts: list[Term] = []
        self.positions: list[Term] = []
        self.sums: list[tuple[Sum, Arguments]] = []
        self._denied: list[tuple[Search, Arguments]] = []
        self._picked: list[tuple[Search, Arguments]] = []
        self._deep: dict[int, int] = {}
        self._kept: list[Term] = []
        self._met: set[tuple[int, bool]] = set()
        self._told: set[int] = set()
        self._waiting: list[tuple[Term, bool]] = []
        for fact in (*book.axioms, *facts):
            self.tell(fact)
        for position in positions:
            self._position(position)
        self.settle()
        for term in about:
            self.mention(term)

    def tell(self, fact: Term) -> None:
        """One more fact."""
        self._tell(fact, (fact, True))

    def _tell(self, fact: Term, *parts: tuple[Term, bool]) -> None:
        """One more fact, of which these parts are to be looked at, and whether they stand there as they are."""
        if len(self.facts) > MOST_FACTS:
            raise TooMuch
        if fact.get_id() not in self._told and not z3.is_true(fact):
            self._told.add(fact.get_id())
            self.facts.append(fact)
            self._waiting += parts

    def mention(self, term: Term) -> None:
        """What the definitions say of what stands in the term, which is not told."""
        self._kept.append(term)
        self._waiting += [(term, True)] + [(term, False)] * z3.is_bool(term)
        self.settle()

    def settle(self) -> None:
        while self._waiting:
            self._look(*self._waiting.pop())

    def _look(self, term: Term, positive: bool) -> None:
        """At a term that is a fact or a part of one; a truth stands there as it is, or denied."""
        if (term.get_id(), positive) in self._met or not z3.is_app(term):
            return
        self._met.add((term.get_id(), positive))
        children = term.children()
        kind = term.decl().kind()
        if kind == z3.Z3_OP_UNINTERPRETED:
            self._applied(term.decl().name(), tuple(children), positive)
        if z3.is_bool(term) and kind in (z3.Z3_OP_AND, z3.Z3_OP_OR):
            self._waiting += [(c, positive) for c in children]
        elif kind == z3.Z3_OP_NOT:
            self._waiting.append((children[0], not positive))
        elif kind == z3.Z3_OP_IMPLIES:
            self._waiting += [(children[0], not positive), (children[1], positive)]
        else:
            for child in children:
                self._waiting += [(child, True)] + [(child, False)] * z3.is_bool(child)

    def _applied(self, name: str, arguments: Arguments, positive: bool) -> None:
        book = self.book
        for law in book.laws.get(name, ()):
            self.tell(law(*arguments))
        if self._level(arguments) > self.depth:
            return
        if name in book.searches and positive:
            self._witness(book.searches[name], arguments)
        elif name in book.searches:
            self._deny(book.searches[name], arguments)
        elif name in book.found:
            self._pick(book.found[name], arguments)
        elif name in book.sums:
            self._sum(book.sums[name], arguments[:-1])

    def _level(self, arguments: Arguments) -> int:
        """How deep the deepest of them is; -1 if there are none."""
        return max((self._depth_of(a) for a in arguments), default=-1)

    def _depth_of(self, term: Term) -> int:
        if term.get_id() not in self._deep:
            below = self._level(tuple(term.children()))
            searched = z3.is_app(term) and term.decl().name() in self.book.found
            self._deep[term.get_id()] = below + 1 if searched else max(below, 0)
            self._kept.append(term)
        return self._deep[term.get_id()]

    # ---------- instances

    def _witness(self, search: Search, arguments: Arguments) -> None:
        """If there is one, it is found."""
        if self._level(arguments) < self.depth:
            found = search.found(*arguments)
            body = _filled(search, arguments, found)
            self._tell(z3.Implies(search.holds(*arguments), body), (body, True))
            self._position(found)

    def _deny(self, search: Search, arguments: Arguments) -> None:
        """If there is none, none of the positions is one."""
        self._denied.append((search, arguments))
        for position in self.positions:
            self._no_hit(search, arguments, position)

    def _pick(self, search: Search, arguments: Arguments) -> None:
        """None of the positions is an earlier one (or a later) than the one found."""
        self._picked.append((search, arguments))
        self._witness(search, arguments)
        for position in self.positions:
            self._no_better(search, arguments, position)

    def _near(self, arguments: Arguments, position: Term) -> bool:
        return max(self._level(arguments), 0) + self._depth_of(position) <= self.depth + 1

    def _no_hit(self, search: Search, arguments: Arguments, position: Term) -> None:
        if self._near(arguments, position):
            body = _filled(search, arguments, position)
            self._tell(z3.Implies(body, search.holds(*arguments)), (body, False))

    def _no_better(self, search: Search, arguments: Arguments, position: Term) -> None:
        if self._near(arguments, position):
            found, body = search.found(*arguments), _filled(search, arguments, position)
            order = found <= position if search.which == "first" else position <= found
            self._tell(z3.Implies(body, z3.And(search.holds(*arguments), order)), (body, False))

    def _sum(self, sum: Sum, arguments: Arguments) -> None:
        if any(sum is s and _same(arguments, a) for s, a in self.sums):
            return
        self.sums.append((sum, arguments))
        start = self.book.length if sum.backward else self.book.zero
        self.tell(sum.upto(*arguments, start) == 0)
        for argument in arguments:
            self._position(argument)
        for position in self.positions:
            self.tell(stepped(self.book, sum, arguments, position))

    def _position(self, position: Term) -> None:
        if self._depth_of(position) > self.depth or any(position.eq(p) for p in self.positions):
            return
        self.positions.append(position)
        for law in self.book.everywhere:
            self.tell(self.book.at(law, position))
        for search, arguments in self._denied:
            self._no_hit(search, arguments, position)
        for search, arguments in self._picked:
            self._no_better(search, arguments, position)
        for sum, arguments in self.sums:
            self.tell(stepped(self.book, sum, arguments, position))

    def cuts(self) -> list[Term]:
        """The places between positions where sums are looked at."""
        near = [p for p in self.positions if self._depth_of(p) == 0]
        beside = itertools.chain.from_iterable((p, p + 1) for p in (self.positions if len(near) < 4 else near)[:8])
        return [self.book.zero, self.book.length, *beside]


def stepped(book: Book, sum: Sum, arguments: Arguments, position: Term) -> Term:
    """The definition of the sum at a position, from the one beside it."""
    here, there = sum.upto(*arguments, position), sum.upto(*arguments, position + 1)
    old, new = (there, here) if sum.backward else (here, there)
    return z3.Implies(book.inside(position), new == old + step(sum, arguments, position))


def step(sum: Sum, arguments: Arguments, position: Term) -> Term:
    """What the position adds."""
    before = sum.upto(*arguments, position + 1 if sum.backward else position)
    names = zip(sum.arguments, arguments, strict=True)
    return z3.substitute(sum.step, *names, (sum.hole, position), (sum.carry, before))


def _filled(search: Search, arguments: Arguments, position: Term) -> Term:
    names = zip(search.arguments, arguments, strict=True)
    return z3.substitute(search.body, *names, (search.hole, position))


def _same(left: Arguments, right: Arguments) -> bool:
    return len(left) == len(right) and all(a.eq(b) for a, b in zip(left, right, strict=True))
