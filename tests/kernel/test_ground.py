"""Definitions written out at some positions: they say what they say there, and nothing of others."""

from __future__ import annotations

from itertools import product

import pytest
import z3

from selfedit_formal.kernel import ground as module
from selfedit_formal.kernel.book import Book, Symbol, Term
from selfedit_formal.kernel.ground import Ground, TooMuch, step, stepped

LENGTH = 3
WAYS = tuple(product((False, True), repeat=LENGTH))


def inside_only(book: Book) -> Symbol:
    """Some positions of the window."""
    p = book.function(1, truth=True)
    book.everywhere.append(z3.Implies(p(book.x), book.inside(book.x)))
    return p


def window(book: Book, p: Symbol, bits: tuple[bool, ...]) -> list[Term]:
    """The window has so many positions, and these of them are meant."""
    return [book.length == len(bits), *(p(i) == bit for i, bit in enumerate(bits))]


def positions(book: Book, count: int = LENGTH) -> list[Term]:
    return [book.number(i) for i in range(count)]


def follows(book: Book, facts: list[Term], at: list[Term], term: Term, depth: int = 1) -> bool:
    """Whether what is written out says so."""
    written = Ground(book, facts, at, depth, (term,))
    solver = z3.Solver(ctx=book.context)
    solver.add(*written.facts)
    assert solver.check() == z3.sat
    return bool(solver.check(book.negated(term)) == z3.unsat)


# ---------- searches


@pytest.mark.parametrize("bits", WAYS)
def test_what_is_found_is_the_first_and_the_last_and_there_is_one_where_one_is_meant(bits: tuple[bool, ...]) -> None:
    book = Book()
    p = inside_only(book)
    there, first = book.search("first", book.x, p(book.x))
    _, last = book.search("last", book.x, p(book.x))
    facts, at = window(book, p, bits), positions(book)
    assert follows(book, facts, at, there) == any(bits)
    assert follows(book, facts, at, z3.Not(there)) == (not any(bits))
    if any(bits):
        assert follows(book, facts, at, first == bits.index(True))
        assert follows(book, facts, at, last == LENGTH - 1 - bits[::-1].index(True))


@pytest.mark.parametrize("bits", WAYS)
def test_that_there_is_none_is_contradicted_by_one_that_is_looked_at(bits: tuple[bool, ...]) -> None:
    book = Book()
    p = inside_only(book)
    none = book.negated(book.some(book.x, p(book.x)))
    written = Ground(book, [*window(book, p, bits), none], positions(book), 1)
    solver = z3.Solver(ctx=book.context)
    solver.add(*written.facts)
    assert (solver.check() == z3.unsat) == any(bits)


def test_of_a_position_that_is_not_looked_at_nothing_is_said() -> None:
    book = Book()
    p = inside_only(book)
    there, first = book.search("first", book.x, p(book.x))
    facts = window(book, p, (False, True, True))
    assert not follows(book, facts, positions(book, 1), there)
    assert follows(book, facts, positions(book), first == 1)
    assert not follows(book, facts, [book.number(2)], first == 1)


def test_a_position_is_found_no_deeper_than_is_looked() -> None:
    book = Book()
    p, q = book.function(1, truth=True), book.function(2, truth=True)
    x, y = book.holes[:2]
    _, inner = book.search("first", y, q(x, y))
    _, outer = book.search("first", x, p(inner))
    shallow, deep = (Ground(book, [outer == 0], [], depth) for depth in (0, 1))
    assert [p.eq(outer) for p in shallow.positions] == [True]
    assert [p.eq(z3.substitute(inner, (x, outer))) for p in deep.positions] == [False, True]
    assert len(deep.facts) > len(shallow.facts)


# ---------- sums


@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize("bits", WAYS)
def test_a_sum_is_what_its_positions_add(bits: tuple[bool, ...], backward: bool) -> None:
    book = Book()
    p = inside_only(book)
    count = book.sum(book.x, z3.If(p(book.x), book.one, book.zero), backward)
    facts, at = window(book, p, bits), positions(book)
    for cut in range(LENGTH + 1):
        expected = sum(bits[cut:] if backward else bits[:cut])
        assert follows(book, facts, at, count(book.number(cut)) == expected)
        assert not follows(book, facts, at, count(book.number(cut)) == expected + 1)


def test_a_position_left_out_adds_no_one_knows_what() -> None:
    book = Book()
    p = inside_only(book)
    count = book.sum(book.x, z3.If(p(book.x), book.one, book.zero))
    facts, at = window(book, p, (True, True, True)), positions(book)
    assert follows(book, facts, at, count(book.length) == 3)
    assert not follows(book, facts, [at[0], at[2]], count(book.length) == 3)


@pytest.mark.parametrize(("backward", "taken"), [(False, [0, 3, 3, 5]), (True, [5, 2, 2, 0])])
def test_a_step_may_look_at_what_was_there_before(backward: bool, taken: list[int]) -> None:
    """Of the weights 3, 4 and 2 each is taken in turn that leaves no more than 5 taken: the 4 never is."""
    book = Book()
    w = book.function(1)
    upto = book.sum(book.x, z3.If(book.carry + w(book.x) <= 5, w(book.x), book.zero), backward)
    facts = [book.length == LENGTH, w(0) == 3, w(1) == 4, w(2) == 2]
    for cut, number in enumerate(taken):
        assert follows(book, facts, positions(book), upto(book.number(cut)) == number)


def test_a_step_is_from_the_one_beside_it() -> None:
    book = Book()
    w = book.function(1)
    book.sum(book.x, w(book.x) + book.carry)
    book.sum(book.x, w(book.x), backward=True)
    forward, backward = book.sums.values()
    i = book.number(1)
    assert step(forward, (), i).eq(w(i) + forward.upto(i))
    here, there = backward.upto(i), backward.upto(i + 1)
    assert stepped(book, backward, (), i).eq(z3.Implies(book.inside(i), here == there + w(i)))


# ---------- facts


def test_a_law_is_told_of_every_application_and_an_axiom_once() -> None:
    book = Book()
    f = book.function(1)
    book.laws[f.name()] = [lambda x: f(x) >= 0]
    book.axioms.append(f(7) == 7)
    written = Ground(book, [f(3) == f(book.number(4)) + 1], [], 1)
    told = {str(fact) for fact in written.facts}
    assert {f"{f.name()}({i}) >= 0" for i in (3, 4, 7)} <= told
    assert len(told) == len(written.facts)


def test_what_is_mentioned_is_explained_and_not_told() -> None:
    book = Book()
    p = inside_only(book)
    there = book.some(book.x, p(book.x))
    written = Ground(book, window(book, p, (True, False, False)), positions(book), 1)
    before = len(written.facts)
    written.mention(z3.Not(there))
    assert len(written.facts) > before
    assert not any(fact.eq(z3.Not(there)) for fact in written.facts)


def test_sums_are_looked_at_beside_positions_and_at_the_ends() -> None:
    book = Book()
    cuts = Ground(book, [], positions(book, 1), 1).cuts()
    assert [str(z3.simplify(c)) for c in cuts] == ["0", str(book.length), "0", "1"]


def test_what_is_too_much_is_not_written_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_FACTS", 5)
    book = Book()
    with pytest.raises(TooMuch):
        Ground(book, [book.constant() == i for i in range(10)], [], 1)
