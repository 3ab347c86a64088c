"""Integer expressions of the core: building them, and telling which are constant."""

from __future__ import annotations

from math import lcm
from typing import Literal

from selfedit_formal.core.expression import (
    Add,
    And,
    Bool,
    Compare,
    Divide,
    Equal,
    Expression,
    If,
    Implies,
    Int,
    Modulo,
    Multiply,
    Not,
    Or,
    Parameter,
)


def negative(item: Expression) -> Expression:
    return Int(-item.value) if isinstance(item, Int) else Multiply(Int(-1), item)


def times(factor: int, item: Expression) -> Expression:
    match item:
        case _ if factor == 1:
            return item
        case Int(value):
            return Int(factor * value)
        case Multiply(Int(value), inner):
            return Multiply(Int(factor * value), inner)
        case _:
            return Multiply(Int(factor), item)


def added(items: tuple[Expression, ...]) -> Expression:
    """Their sum; constants alone are added up."""
    if all(isinstance(i, Int) for i in items):
        return Int(sum(i.value for i in items if isinstance(i, Int)))
    return items[0] if len(items) == 1 else Add(items)


def extreme(operator: Literal["<=", ">="], items: tuple[Expression, ...]) -> Expression:
    """The least (`<=`) or greatest (`>=`) of them."""
    if len(items) == 1:
        return items[0]
    middle = len(items) // 2
    left, right = extreme(operator, items[:middle]), extreme(operator, items[middle:])
    return If(Compare(operator, left, right), left, right)


def constant(item: Expression) -> int | None:
    """The value of an int expression built of numbers alone; None for any other."""
    match item:
        case Int(value):
            return value
        case Add(items):
            values = [constant(i) for i in items]
            known = [v for v in values if v is not None]
            return sum(known) if len(known) == len(values) else None
        case Multiply(left, right):
            first, second = constant(left), constant(right)
            return None if first is None or second is None else first * second
        case Divide(dividend, divisor, rounding):
            value_ = constant(dividend)
            if value_ is None:
                return None
            return value_ // divisor if rounding == "down" else -(-value_ // divisor)
        case Modulo(dividend, divisor):
            value_ = constant(dividend)
            return None if value_ is None else value_ % divisor
        case If(Compare(operator, left, right), then, otherwise):
            first, second = constant(left), constant(right)
            if first is None or second is None:
                return None
            return constant(then if _holds(operator, first, second) else otherwise)
        case _:
            return None


def _holds(operator: str, left: int, right: int) -> bool:
    return {
        "<": left < right,
        "<=": left <= right,
        ">": left > right,
        ">=": left >= right,
        "==": left == right,
        "!=": left != right,
    }[operator]


def rigid(item: Expression) -> bool:
    """Whether the expression is built of numbers and parameters alone, so that it is the same in every window."""
    match item:
        case Int() | Parameter() | Bool():
            return True
        case Add(items) | And(items) | Or(items):
            return all(rigid(i) for i in items)
        case Not(inner):
            return rigid(inner)
        case Multiply(left, right) | Compare(_, left, right) | Implies(left, right) | Equal(left, right):
            return rigid(left) and rigid(right)
        case Divide(dividend, _, _) | Modulo(dividend, _):
            return rigid(dividend)
        case If(condition, then, otherwise):
            return rigid(condition) and rigid(then) and rigid(otherwise)
        case _:
            return False


Fraction = tuple[Expression, int]
"""Numerator and positive denominator."""


def sum_of(parts: tuple[Fraction, ...]) -> Fraction:
    """The sum, over the least common denominator."""
    denominator = lcm(*(d for _, d in parts))
    return added(tuple(times(denominator // d, n) for n, d in parts)), denominator
