"""Numbers: arithmetic with its rounding, and counting and summing over spans."""

from __future__ import annotations

import pytest

from selfedit_formal.core.expression import (
    Add,
    And,
    Before,
    Bool,
    Compare,
    Count,
    Divide,
    Equal,
    Expression,
    If,
    Int,
    Modulo,
    Multiply,
    Not,
    Parameter,
    Read,
    Some,
    Total,
)
from selfedit_formal.language.resolve.numbers import FACTORS
from tests.language.resolve.core import codes, condition, mistake, mistake_in, mistakes, module, tagged

TOKENS = Read("s", "tokens", "int")
PINNED = Read("s", "pinned", "bool")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "s.tokens + 1 - s.turn > 0",
            Compare(">", Add((TOKENS, Int(1), Multiply(Int(-1), Read("s", "turn", "int")))), Int(0)),
        ),
        ("3 * s.tokens * 2 > 0", Compare(">", Multiply(Int(6), TOKENS), Int(0))),
        ("k * s.tokens > 0", Compare(">", Multiply(Parameter("k"), TOKENS), Int(0))),
        ("s.tokens mod 4 == 1", Compare("==", Modulo(TOKENS, 4), Int(1))),
        ("floor(s.tokens / 2) == 1", Compare("==", Divide(TOKENS, 2, "down"), Int(1))),
        ("ceil(s.tokens / 2) == 1", Compare("==", Divide(TOKENS, 2, "up"), Int(1))),
        ("floor(s.tokens) == 1", Compare("==", TOKENS, Int(1))),
        ("floor(30% of s.tokens) == 1", Compare("==", Divide(Multiply(Int(30), TOKENS), 100, "down"), Int(1))),
        (
            "floor(s.tokens / 2 + s.turn / 3) == 1",
            Compare(
                "==",
                Divide(Add((Multiply(Int(3), TOKENS), Multiply(Int(2), Read("s", "turn", "int")))), 6, "down"),
                Int(1),
            ),
        ),
        ("floor(s.tokens * 3 / 4) == 1", Compare("==", Divide(Multiply(Int(3), TOKENS), 4, "down"), Int(1))),
        ("floor(s.tokens / 2 / 5) == 1", Compare("==", Divide(TOKENS, 10, "down"), Int(1))),
        (
            "min(s.tokens, k) == 1",
            Compare("==", If(Compare("<=", TOKENS, Parameter("k")), TOKENS, Parameter("k")), Int(1)),
        ),
        (
            "max(s.tokens, k) == 1",
            Compare("==", If(Compare(">=", TOKENS, Parameter("k")), TOKENS, Parameter("k")), Int(1)),
        ),
    ],
)
def test_a_number_has_its_core(text: str, expected: Expression) -> None:
    assert condition(text, parameters="k: int") == expected


# ---------- counting


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("count(t) > 1", Compare(">", Count("t", None, Bool(True)), Int(1))),
        ("count(t: t.pinned) > 1", Compare(">", Count("t", None, Read("t", "pinned", "bool")), Int(1))),
        ("count(t in W: t.pinned) > 1", Compare(">", Count("t", None, Read("t", "pinned", "bool")), Int(1))),
        ("total(t.tokens) > 1", Compare(">", Total("t", None, Read("t", "tokens", "int"), Bool(True)), Int(1))),
        (
            "total(t.tokens - k: t in W and t.pinned) > 1",
            Compare(
                ">",
                Total(
                    "t",
                    None,
                    Add((Read("t", "tokens", "int"), Multiply(Int(-1), Parameter("k")))),
                    Read("t", "pinned", "bool"),
                ),
                Int(1),
            ),
        ),
        (
            "count(step after s) > 1",
            Compare(">", Count("s_2", None, And((tagged("user", "s_2"), Before("s", "s_2")))), Int(1)),
        ),
        (
            "count(step before s) > 1",
            Compare(">", Count("s_2", None, And((tagged("user", "s_2"), Before("s_2", "s")))), Int(1)),
        ),
        (
            "some t: same(step, s, t)",
            Some(
                "t",
                None,
                Not(
                    Some("s_2", None, And((tagged("user", "s_2"), Not(Equal(Before("s", "s_2"), Before("t", "s_2"))))))
                ),
            ),
        ),
    ],
)
def test_a_count_has_its_core(text: str, expected: Expression) -> None:
    assert condition(text, parameters="k: int") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("count(turn after s) > 1", "R010 window `Chat` has no unit `turn`"),
        ("min(1) > 0", "R016 `min` takes two numbers or more"),
        ("s.tokens * s.turn > 3", "R021 `s.tokens * s.turn` multiplies two numbers that hang on the window"),
        ("s.tokens / 2 > 3", "R022 a division needs a direction to round in"),
        ("30% of s.tokens > 3", "R022 a percentage needs a direction to round in"),
        ("floor(s.tokens / 2 mod 3) > 3", "R022 `mod` needs whole numbers"),
        ("floor(s.tokens / 0) > 3", "R023 a number is divided by a positive constant, and `0` is 0"),
        ("floor(s.tokens / k) > 3", "R023 a number is divided by a positive constant, and `k` is not a constant"),
        ("s.tokens mod 0 > 3", "R023 a number is taken modulo a positive constant, and `0` is 0"),
        ("total(3) > 3", "R048 `total(3)` names no span to sum over"),
        ("total(t.tokens + u.tokens) > 3", "R048 `total(t.tokens + u.tokens)` could sum over any of `t`, `u`"),
    ],
)
def test_a_number_may_be_wrong(text: str, expected: str) -> None:
    assert mistake(f"policy p(k: int) for Chat {{ evict s where {text} }}") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("property q(P: policy) = all W: total(s.tokens) > 3", "R027 it is not clear from which window `s` is taken"),
    ],
)
def test_what_is_summed_over_must_be_clear(text: str, expected: str) -> None:
    assert mistake(text) == expected


@pytest.mark.parametrize(
    ("text", "expected", "place"),
    [
        ("floor(s.tokens, 2) > 1", "R016 `floor` takes 1 argument, not 2", "floor"),
        ("s.tokens mod k > 1", "R023 a number is taken modulo a positive constant, and `k` is not a constant", "k"),
        ("floor(s.tokens / -2) > 1", "R023 a number is divided by a positive constant, and `-2` is -2", "-2"),
        ("min(s.tokens, s.pinned) > 1", "R013 `s.pinned` is true or false, and a number is needed here", "s.pinned"),
        ("count(t: t.tokens) > 1", "R013 `t.tokens` is a number, and true or false is needed here", "t.tokens"),
        ("count(t in 3) > 1", "R013 `3` is a number, and a window or a set of spans is needed here", "3"),
        ("total(t.pinned) > 1", "R013 `t.pinned` is true or false, and a number is needed here", "t.pinned"),
        ("total(s.tokens) > 1", "R048 `total(s.tokens)` names no span to sum over", "total(s.tokens)"),
        ("count(step after t) > 1", "R001 unknown name `t`", "t"),
        ("count(stepp after s) > 1", "R010 window `Chat` has no unit `stepp`", "stepp"),
        ("same(stepp, s, s)", "R010 window `Chat` has no unit `stepp`", "stepp"),
        ("same(3, s, s)", "R017 `3` is not the name of a unit", "3"),
        ("same(step, s)", "R016 `same` takes 3 arguments, not 2", "same"),
    ],
)
def test_what_is_wrong_with_a_number_is_told_where_it_is(text: str, expected: str, place: str) -> None:
    assert mistake_in(f"evict s where {text}") == (expected, place)


def test_a_division_without_a_direction_is_told_how_to_round() -> None:
    (found,) = mistakes("policy p for Chat { evict s where s.tokens / 2 > 3 }")
    assert found.hint == "write `floor(s.tokens / 2)` or `ceil(s.tokens / 2)`"
    assert codes("policy p for Chat { evict s where s.foo / s.bar > 3 }") == ["R022", "R006", "R006"]


def test_a_unit_that_is_not_there_is_told_with_the_nearest_or_with_all_there_are() -> None:
    (near,) = mistakes("policy p for Chat { evict s where count(stepp after s) > 1 }")
    (far,) = mistakes("policy p for Chat { evict s where count(xyz after s) > 1 }")
    (none,) = mistakes("window N { tag : a } policy p for N { evict s where count(step after s) > 1 }")
    assert [near.hint, far.hint, none.hint] == ["did you mean `step`?", "it has `step`", "it declares no units"]


def test_a_product_has_at_most_so_many_factors() -> None:
    def product(factors: int) -> str:
        return f"policy p for Chat {{ evict s where {' * '.join(['2'] * factors)} * s.tokens > 1 }}"

    assert module(product(FACTORS)).policies
    message = f"R044 more than {FACTORS} numbers are multiplied or divided in one go"
    assert mistake(product(FACTORS + 1)) == message


@pytest.mark.parametrize(
    "text",
    [f"{'min(s.tokens, ' * 20}1{')' * 20}", f"min({'s.tokens, ' * 100}1)", f"{'2 * ' * 50}s.tokens"],
    ids=["nested", "many", "product"],
)
def test_what_is_large_when_written_out_is_rejected(text: str) -> None:
    assert codes(f"policy p for Chat {{ evict s where {text} > 3 }}") == ["R044"]


def test_where_the_spans_of_a_sum_are_may_stand_anywhere_in_its_condition() -> None:
    expected = condition("total(t.tokens: t.pinned) > 1")
    assert condition("total(t.tokens: t in W and t.pinned) > 1") == expected
    assert condition("total(t.tokens: t.pinned and t in W) > 1") == expected


def test_names_that_are_bound_inside_are_not_what_is_summed_over() -> None:
    found = condition("total(if (some u: u.pinned and u before t) then t.tokens else 0) > 1")
    assert isinstance(found, Compare)
    assert isinstance(found.left, Total)
    assert found.left.variable == "t"
