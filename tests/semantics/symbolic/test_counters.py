"""Counts compare like the numbers they are, and only the thresholds asked for are made."""

from __future__ import annotations

import operator

import pytest

from selfedit_formal.semantics.symbolic.counters import Counter, Linear, Tally, compare, plus
from selfedit_formal.semantics.symbolic.terms import Node, Terms, Valuation

OPERATORS = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


def booleans(terms: Terms, count: int) -> list[Node]:
    return [terms.variable("bool", "b", i) for i in range(count)]


@pytest.mark.parametrize("sign", list(OPERATORS))
def test_a_count_compares_like_the_number_it_is(sign: str) -> None:
    terms = Terms()
    members = booleans(terms, 5)
    tally = Tally(terms, members[:4])
    counter = Counter(terms, tally, 3, members[4:])
    x = terms.variable("int", "x")
    facts = {
        (scale, offset): compare(terms, sign, Linear(offset, ((scale, counter),)), Linear(0, ((1, x),)))
        for scale in (1, 2, -1)
        for offset in (-1, 0, 2)
    }
    for setting in range(32):
        bits = {m: bool(setting >> i & 1) for i, m in enumerate(members)}
        count = sum(bits[m] for m in (*members[:3], members[4]))
        for number in range(-4, 10):
            value = Valuation({**bits, x: number})
            for (scale, offset), fact in facts.items():
                left = scale * count + offset
                assert value(fact) == OPERATORS[sign](left, number)


def test_two_counts_compare_like_the_numbers_they_are() -> None:
    terms = Terms()
    members = booleans(terms, 6)
    more, less = (Counter(terms, Tally(terms, half), 3) for half in (members[:3], members[3:]))
    for offset in (-2, -1, 0, 1, 2):
        fact = compare(terms, ">=", Linear(offset, ((1, more),)), Linear(0, ((1, less),)))
        for setting in range(64):
            bits = {m: bool(setting >> i & 1) for i, m in enumerate(members)}
            expected = sum(bits[m] for m in members[:3]) + offset >= sum(bits[m] for m in members[3:])
            assert Valuation(bits)(fact) == expected


def test_equal_counts_cancel() -> None:
    terms = Terms()
    counter = Counter(terms, Tally(terms, booleans(terms, 3)), 3)
    assert plus(Linear(1, ((1, counter),)), Linear(0, ((1, counter),)), -1) == Linear(1)


def test_only_the_thresholds_asked_for_are_made() -> None:
    terms = Terms()
    tally = Tally(terms, booleans(terms, 50))
    tally.at_least(3, 50)
    assert len(tally.columns) == 4
