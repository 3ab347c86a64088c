"""Contradictions are found with lemmas about sums, each shown by a query of its own; what is possible is never one."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import z3

from selfedit_formal.kernel import ground, induction
from selfedit_formal.kernel.book import Book, Symbol, Term
from selfedit_formal.kernel.induction import refute

STEPS = 2_000_000
Facts = tuple[Term, ...]


def count(book: Book, which: Callable[[Term], Term]) -> Callable[[Term], Term]:
    return book.sum(book.x, z3.If(which(book.x), book.one, book.zero))


def subsets(book: Book) -> tuple[Symbol, Symbol]:
    """The first is part of the second."""
    small, large = book.function(1, truth=True), book.function(1, truth=True)
    book.everywhere.append(z3.Implies(small(book.x), large(book.x)))
    return small, large


def smaller(book: Book) -> tuple[Term, Term]:
    small, large = subsets(book)
    return count(book, small)(book.length), count(book, large)(book.length)


def filled(book: Book) -> tuple[Term, Term]:
    """What a walk keeps that keeps no more than a cap, and the cap."""
    w, cap = book.function(1), book.constant()
    book.axioms.append(cap >= 0)
    taken = book.sum(book.x, z3.If(book.carry + w(book.x) <= cap, w(book.x), book.zero))
    return taken(book.length), cap


def apart(book: Book) -> tuple[Term, Term]:
    """How many stand before a span and after it, and how many there are but it."""
    p, here = book.function(1, truth=True), book.constant()
    book.marked.append(here)
    book.axioms += [book.inside(here), p(here)]
    y = book.holes[1]
    older = count(book, lambda x: z3.And(p(x), x < y))
    newer = count(book, lambda x: z3.And(p(x), y < x))
    sides = [z3.substitute(side(book.length), (y, here)) for side in (older, newer)]
    return sides[0] + sides[1], count(book, p)(book.length) - 1


@pytest.mark.parametrize("made", [smaller, filled, apart])
def test_what_holds_of_sums_of_every_length_is_seen(made: Callable[[Book], tuple[Term, Term]]) -> None:
    book = Book()
    less, more = made(book)
    queries = refute(book, (less > more,), STEPS)
    assert isinstance(queries, tuple)
    assert len(queries) > 1
    for query in queries:
        solver = z3.Solver()
        solver.from_string(query)
        assert solver.check() == z3.unsat


@pytest.mark.parametrize("made", [smaller, filled])
def test_what_does_not_hold_of_them_is_not(
    made: Callable[[Book], tuple[Term, Term]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(induction, "DEPTHS", (1,))
    book = Book()
    less, more = made(book)
    assert isinstance(refute(book, (less >= more,), STEPS), str)


def test_what_facts_alone_contradict_takes_one_query() -> None:
    book = Book()
    a = book.constant()
    answer = refute(book, (a > 3, a < 2), STEPS)
    assert isinstance(answer, tuple)
    assert len(answer) == 1


def test_what_is_possible_is_said_to_be_in_words() -> None:
    book = Book()
    a = book.constant()
    answer = refute(book, (a > 3,), STEPS)
    assert isinstance(answer, str)
    assert "does not exclude a window" in answer


def test_without_steps_nothing_is_seen() -> None:
    book = Book()
    less, more = smaller(book)
    assert isinstance(refute(book, (less > more,), 1), str)


def test_where_too_much_would_have_to_be_looked_at_that_is_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ground, "MOST_FACTS", 2)
    book = Book()
    answer = refute(book, tuple(book.constant() == i for i in range(9)), STEPS)
    assert answer == "it would have to look at more spans at once than it does"
