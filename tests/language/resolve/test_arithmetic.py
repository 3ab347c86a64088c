"""Integer expressions of the core: built so that constants stay constants, and told to be constant or rigid."""

from __future__ import annotations

from typing import Literal

import pytest

from selfedit_formal.core.expression import (
    Add,
    And,
    Bool,
    Compare,
    Count,
    Divide,
    Equal,
    Expression,
    If,
    Implies,
    Int,
    Local,
    Modulo,
    Multiply,
    Not,
    Or,
    Parameter,
    Read,
)
from selfedit_formal.language.resolve.arithmetic import added, constant, extreme, negative, rigid, sum_of, times

N, K = Read("s", "tokens", "int"), Parameter("k")


def test_a_number_is_negated_at_once_and_anything_else_is_multiplied() -> None:
    assert negative(Int(3)) == Int(-3)
    assert negative(N) == Multiply(Int(-1), N)


def test_constant_factors_are_drawn_together() -> None:
    assert times(1, N) is N
    assert times(3, Int(4)) == Int(12)
    assert times(3, Multiply(Int(2), N)) == Multiply(Int(6), N)
    assert times(3, Multiply(K, N)) == Multiply(Int(3), Multiply(K, N))
    assert times(0, N) == Multiply(Int(0), N)


def test_constants_are_added_up_if_there_is_nothing_else() -> None:
    assert added((Int(1), Int(2))) == Int(3)
    assert added(()) == Int(0)
    assert added((N,)) is N
    assert added((N, Int(1), Int(2))) == Add((N, Int(1), Int(2)))


@pytest.mark.parametrize(("operator", "least"), [("<=", True), (">=", False)])
def test_the_least_and_the_greatest_are_found_two_by_two(operator: Literal["<=", ">="], least: bool) -> None:
    assert extreme(operator, (N,)) is N
    assert extreme(operator, (N, K)) == If(Compare(operator, N, K), N, K)
    for numbers in ((1, 2, 3), (3, 1, 2), (2, 3, 1, 1, 2)):
        found = extreme(operator, tuple(map(Int, numbers)))
        assert constant(found) == (min if least else max)(numbers)


@pytest.mark.parametrize(
    ("item", "value"),
    [
        (Int(7), 7),
        (Add((Int(1), Int(2), Int(-5))), -2),
        (Add(()), 0),
        (Multiply(Int(3), Int(-4)), -12),
        (Divide(Int(7), 2, "down"), 3),
        (Divide(Int(7), 2, "up"), 4),
        (Divide(Int(-7), 2, "down"), -4),
        (Divide(Int(-7), 2, "up"), -3),
        (Modulo(Int(-7), 4), 1),
        (If(Compare("<", Int(1), Int(2)), Int(3), N), 3),
        (If(Compare("!=", Int(1), Int(1)), N, Int(4)), 4),
        (N, None),
        (K, None),
        (Add((Int(1), N)), None),
        (Multiply(Int(0), N), None),
        (Divide(K, 2, "up"), None),
        (Modulo(N, 2), None),
        (If(Compare("<", K, Int(2)), Int(3), Int(3)), None),
        (If(Compare("<", Int(1), Int(2)), N, Int(3)), None),
        (If(Bool(True), Int(3), Int(4)), None),
    ],
    ids=repr,
)
def test_a_constant_is_built_of_numbers_alone(item: Expression, value: int | None) -> None:
    assert constant(item) == value


@pytest.mark.parametrize(
    ("operator", "holds"),
    [("<", "001"), ("<=", "011"), (">", "100"), (">=", "110"), ("==", "010"), ("!=", "101")],
)
def test_a_constant_comparison_decides_a_constant(
    operator: Literal["<", "<=", ">", ">=", "==", "!="], holds: str
) -> None:
    found = [constant(If(Compare(operator, Int(left), Int(2)), Int(1), Int(0))) for left in (3, 2, 1)]
    assert "".join(map(str, found)) == holds


@pytest.mark.parametrize(
    "item",
    [
        Int(1),
        K,
        Add((K, Int(1))),
        Multiply(K, K),
        Divide(K, 2, "up"),
        Modulo(K, 2),
        If(Compare("<", K, Int(2)), K, Int(1)),
        If(Bool(True), K, Int(1)),
        If(And((Compare("<", K, Int(2)), Not(Or((Compare(">", K, Int(0)), Bool(False)))))), K, Int(1)),
        If(Implies(Bool(True), Equal(Bool(True), Compare("<", K, Int(2)))), K, Int(1)),
    ],
    ids=repr,
)
def test_what_is_built_of_numbers_and_parameters_is_the_same_in_every_window(item: Expression) -> None:
    assert rigid(item)


@pytest.mark.parametrize(
    "item",
    [
        N,
        Local("n", "int"),
        Count("s", None, Bool(True)),
        Add((K, N)),
        Multiply(K, N),
        Divide(N, 2, "up"),
        Modulo(N, 2),
        If(Compare("<", N, Int(2)), K, Int(1)),
        If(Bool(True), N, Int(1)),
        If(Bool(True), Int(1), N),
        If(And((Compare("<", K, Int(2)), Compare("<", N, Int(2)))), K, Int(1)),
        If(Or((Compare("<", K, Int(2)), Not(Read("s", "pinned", "bool")))), K, Int(1)),
        If(Implies(Bool(True), Read("s", "pinned", "bool")), K, Int(1)),
        If(Equal(Bool(True), Read("s", "pinned", "bool")), K, Int(1)),
    ],
    ids=repr,
)
def test_what_reads_the_window_or_a_let_is_not(item: Expression) -> None:
    assert not rigid(item)


def test_fractions_are_added_over_their_least_common_denominator() -> None:
    assert sum_of(((N, 2), (K, 3))) == (Add((Multiply(Int(3), N), Multiply(Int(2), K))), 6)
    assert sum_of(((N, 4), (K, 6)))[1] == 12
    assert sum_of(((Int(1), 2), (Int(1), 3))) == (Int(5), 6)
    assert sum_of(((N, 1),)) == (N, 1)
