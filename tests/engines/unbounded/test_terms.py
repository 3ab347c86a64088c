"""Formulas are terms of the context of the moment, and mean what their names say."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import z3

from selfedit_formal.engines.unbounded.terms import (
    FALSE,
    TRUE,
    ZERO,
    choice,
    conjunction,
    constants,
    disjunction,
    equality,
    implication,
    negation,
    primed,
    sort_of,
    zero_of,
)
from selfedit_formal.semantics.symbolic.solver import fresh


def test_a_formula_is_true_where_its_name_says() -> None:
    a, b = z3.Bools("a b")
    made: dict[str, tuple[z3.ExprRef, Callable[[bool, bool], bool]]] = {
        "and": (conjunction([a, b]), lambda x, y: x and y),
        "or": (disjunction([a, b]), lambda x, y: x or y),
        "not": (negation(a), lambda x, _: not x),
        "implies": (implication(a, b), lambda x, y: not x or y),
        "equal": (equality(a, b), lambda x, y: x == y),
        "chosen": (choice(a, b, negation(b)), lambda x, y: y if x else not y),
    }
    for x, y in product((False, True), repeat=2):
        for name, (formula, meant) in made.items():
            value = z3.simplify(z3.substitute(formula, (a, z3.BoolVal(x)), (b, z3.BoolVal(y))))
            assert z3.is_true(value) == meant(x, y), name


def test_nothing_at_all_is_a_constant_that_every_solver_reads() -> None:
    assert conjunction([]) is TRUE
    assert disjunction([]) is FALSE
    assert (TRUE.sexpr(), FALSE.sexpr(), ZERO.sexpr()) == ("true", "false", "0")


def test_of_two_numbers_a_number_is_chosen() -> None:
    x, a = z3.Int("x"), z3.Bool("a")
    chosen = choice(a, x, ZERO)
    assert isinstance(chosen, z3.ArithRef)
    assert z3.simplify(z3.substitute(chosen, (a, z3.BoolVal(False)))).eq(z3.IntVal(0))


def test_the_constants_of_formulas_are_found_once_each() -> None:
    x, y, a = z3.Int("x"), z3.Int("y"), z3.Bool("a")
    assert sorted(constants(x + y > 3, z3.Implies(a, x == 2))) == ["a", "x", "y"]
    assert constants(z3.IntVal(3) > 2) == {}


def test_a_variable_after_a_step_is_another_one_of_its_sort() -> None:
    x, a = z3.Int("x"), z3.Bool("a")
    ((_, after), (_, other)) = primed([x, a])
    assert (str(after), after.sort(), other.sort()) == ("x next", z3.IntSort(), z3.BoolSort())
    assert not after.eq(x)


def test_names_and_keys_are_numbers_and_an_absent_span_has_zero() -> None:
    assert [str(sort_of(kind)) for kind in ("bool", "int", "key", "enum")] == ["Bool", "Int", "Int", "Int"]
    assert [zero_of(kind).sexpr() for kind in ("bool", "int", "key", "enum")] == ["false", "0", "0", "0"]


def test_constants_are_those_of_the_context_of_the_moment() -> None:
    for _ in range(2):
        with fresh():
            x = z3.Int("x")
            assert z3.simplify(conjunction([TRUE, z3.Not(FALSE), x + ZERO == x])).eq(z3.BoolVal(True))
            assert z3.is_true(TRUE)
