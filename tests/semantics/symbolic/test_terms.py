"""Terms fold, equal ones are one node, and what a conjunction entails is seen without a solver."""

from __future__ import annotations

from selfedit_formal.semantics.symbolic.terms import Node, Terms, entails


def booleans(terms: Terms, count: int) -> list[Node]:
    return [terms.variable("bool", "b", i) for i in range(count)]


def test_constants_fold() -> None:
    terms = Terms()
    (a,) = booleans(terms, 1)
    x = terms.variable("int", "x")
    assert terms.both(a, True) is a
    assert terms.both(a, False) is False
    assert terms.either(a, terms.no(a)) is True
    assert terms.every((a, a, True)) is a
    assert terms.any((a, terms.no(a))) is True
    assert terms.iff(a, a) is True
    assert terms.choose(a, True, False) is a
    assert terms.add((2, x, -2)) is x
    assert terms.pick(a, 3, 3, "int") == 3
    assert terms.divide(-7, 2) == -4
    assert terms.modulo(-7, 2) == 1


def test_equal_terms_are_one_node() -> None:
    terms = Terms()
    a, b = booleans(terms, 2)
    assert terms.both(a, b) is terms.both(b, a)
    assert terms.no(terms.no(a)) is a


def test_a_conjunction_entails_its_parts() -> None:
    terms = Terms()
    a, b, c = booleans(terms, 3)
    assert entails(terms.every((a, terms.both(b, c))), terms.both(a, c))
    assert not entails(a, terms.both(a, b))
    assert entails(False, a)
    assert not entails(a, False)


def test_a_bound_of_a_variable_is_told_where_the_variable_is_read() -> None:
    terms = Terms()
    x, y = terms.variable("int", "x"), terms.variable("int", "y")
    terms.meanings[x] = terms.at_most(1, x)
    terms.meanings[y] = terms.equal(y, x)
    assert len(terms.grounded([terms.at_most(y, 7)])) == 3


def test_a_key_and_an_int_chosen_between_the_same_numbers_are_two() -> None:
    terms = Terms()
    a = terms.variable("bool", "a")
    assert terms.pick(a, 1, 0, "int") is not terms.pick(a, 1, 0, "key")
