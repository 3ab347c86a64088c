"""Conditions put together are no longer than they must be."""

from __future__ import annotations

import pytest

from selfedit_formal.core.diagnostics import Location, Source
from selfedit_formal.core.expression import (
    FALSE,
    TRUE,
    And,
    Bool,
    Expression,
    Not,
    Or,
    Origin,
    Present,
    conjunction,
    disjunction,
)

A, B = Present("a"), Present("b")


@pytest.mark.parametrize(
    ("items", "every", "some"),
    [
        ((), TRUE, FALSE),
        ((A,), A, A),
        ((A, B), And((A, B)), Or((A, B))),
        ((A, TRUE), A, Or((A, TRUE))),
        ((A, FALSE), And((A, FALSE)), A),
        ((TRUE, TRUE), TRUE, Or((TRUE, TRUE))),
        ((FALSE,), FALSE, FALSE),
        ((And((A, B)), A), And((And((A, B)), A)), Or((And((A, B)), A))),
    ],
)
def test_what_says_nothing_is_left_out_and_nothing_else(
    items: tuple[Expression, ...], every: Expression, some: Expression
) -> None:
    assert conjunction(items) == every
    assert disjunction(items) == some


def test_expressions_are_the_same_that_say_the_same_in_the_same_words() -> None:
    assert Bool(True) == TRUE
    assert And((A, B)) == And((Present("a"), Present("b")))
    assert len({And((A, B)), And((B, A)), Or((A, B)), Not(A)}) == 4


def test_where_something_came_from_makes_no_difference() -> None:
    here = Origin("evict s", Location(Source("p.sef", ""), 1, 1, 1, 2))
    assert here == Origin("evict s")
    assert here != Origin("evict t")
    assert "p.sef" not in repr(here)
