"""A definition is told apart by its body; terms fold while they are made."""

from __future__ import annotations

import z3

from selfedit_formal.kernel.book import Book, constants, subterms


def test_no_two_symbols_share_a_name() -> None:
    book = Book()
    made = [book.constant(), book.constant(truth=True), book.function(1), book.function(2, truth=True)(book.x, book.x)]
    made += [*book.holes, *book.places, book.length]
    names = [(m.decl() if z3.is_app(m) else m).name() for m in made]
    assert len(set(names)) == len(names)
    assert all(m.ctx == book.context for m in made)


def test_terms_fold_where_a_part_is_settled() -> None:
    book = Book()
    a, b = book.constant(truth=True), book.constant(truth=True)
    assert book.both().eq(book.true)
    assert book.both(a, book.true).eq(a)
    assert book.both(a, book.false, b).eq(book.false)
    assert book.both(a, b).eq(z3.And(a, b))
    assert book.either().eq(book.false)
    assert book.either(a, book.false).eq(a)
    assert book.either(a, book.true, b).eq(book.true)
    assert book.negated(book.negated(a)).eq(a)
    assert book.negated(book.true).eq(book.false)
    assert book.choose(book.true, a, b).eq(a)
    assert book.choose(book.false, a, b).eq(b)
    assert book.choose(a, b, b).eq(b)
    assert book.choose(a, book.one, book.zero).eq(z3.If(a, book.one, book.zero))


def test_a_position_stands_in_the_hole_and_nowhere_else() -> None:
    book = Book()
    p, y = book.function(1, truth=True), book.holes[1]
    assert book.at(z3.And(p(book.x), p(y)), book.number(3)).eq(z3.And(p(3), p(y)))
    solver = z3.Solver(ctx=book.context)
    solver.add(book.length == 2, *(book.inside(book.number(i)) for i in (0, 1)))
    assert solver.check() == z3.sat
    for outside in (-1, 2):
        assert solver.check(book.inside(book.number(outside))) == z3.unsat


# ---------- definitions


def test_searches_for_the_same_are_one_and_the_first_is_not_the_last() -> None:
    book = Book()
    p = book.function(1, truth=True)
    x, y = book.holes[:2]
    holds, found = book.search("first", x, p(x))
    again, there = book.search("first", y, p(y))
    assert (holds.eq(again), found.eq(there)) == (True, True)
    assert not found.eq(book.search("last", x, p(x))[1])
    assert len(book.searches) == len(book.found) == 2
    assert book.some(x, p(x)).eq(holds)
    assert book.some(x, book.false).eq(book.false)


def test_a_definition_is_over_the_other_holes_in_its_body() -> None:
    book = Book()
    link = book.function(2, truth=True)
    x, y, z = book.holes[:3]
    of_x, _ = book.search("first", y, link(x, y))
    of_z, _ = book.search("first", y, link(z, y))
    assert (of_x.children(), of_z.children()) == ([x], [z])
    assert of_x.decl().eq(of_z.decl())
    turned, _ = book.search("first", y, link(y, x))
    assert not turned.decl().eq(of_x.decl())
    (search, _) = book.searches.values()
    assert search.body.eq(link(search.arguments[0], search.hole))


def test_sums_of_the_same_are_one_and_the_way_makes_a_difference() -> None:
    book = Book()
    w = book.function(1)
    x, y = book.holes[:2]
    upto = book.sum(x, w(x))
    assert upto(book.length).eq(book.sum(y, w(y))(book.length))
    assert not upto(book.length).eq(book.sum(x, w(x), backward=True)(book.length))
    book.sum(x, z3.If(book.carry + w(x) <= w(y), w(x), book.zero))
    assert [len(s.arguments) for s in book.sums.values()] == [0, 0, 1]
    assert [s.backward for s in book.sums.values()] == [False, True, False]


# ---------- looking at terms


def test_what_is_in_a_term_is_there_once() -> None:
    book = Book()
    a, b = book.constant(), book.constant()
    term = (a + b) * (a + b)
    found = subterms(term)
    assert len({t.get_id() for t in found}) == len(found) == 4
    assert set(constants(term)) == {a.get_id(), b.get_id()}
    seen = {t.get_id() for t in found}
    assert [t.eq(term + 1) or t.eq(book.one) for t in subterms(term + 1, seen)] == [True, True]
