"""Which conditions a pass keeps, and which of them are needed for that, on short windows."""

from __future__ import annotations

import pytest

from selfedit_formal.core.budget import OutOfTime, Spent, Work
from selfedit_formal.core.expression import All, Compare, Expression, Int, Not, WindowTerm
from selfedit_formal.core.property import Claim
from selfedit_formal.semantics.symbolic.conditions import Conditions
from tests.obligations import ONCE, W, about, evict, pinned, policy, tokens


def few(window: WindowTerm, most: int) -> Expression:
    """Every span of the window has so few tokens."""
    return All("s", window, Compare("<=", tokens("s", window), Int(most)))


def plain(window: WindowTerm) -> Expression:
    return All("s", window, Not(pinned("s", window)))


NOW = (few(W, 3), few(W, 5), plain(W))
THEN = (few(ONCE, 3), few(ONCE, 9), plain(ONCE), few(ONCE, 0))


def conditions(work: Work | None = None) -> Conditions:
    """On a window of up to two spans, and on what is left once the pinned ones are dropped."""
    everything = Claim(("W",), consequent=Not(All("s", ONCE, Compare("==", Int(0), Int(0)))))
    return Conditions(about(policy(evict(pinned("s"))), "any", everything), NOW, THEN, 2, work or Work())


def test_what_is_false_in_some_case_is_lost() -> None:
    asked = conditions()
    assert asked.lost([0], [0, 1, 2]) == set()
    assert asked.lost([1], [0, 1, 2]) == {0}
    assert asked.lost([], [2]) == set()
    assert asked.lost([0], []) == set()


def test_what_is_true_in_every_case_always_is() -> None:
    assert conditions().always() == [False, False, True, False]


def test_a_core_is_what_is_needed() -> None:
    asked = conditions()
    assert asked.core(0, [], [0, 1, 2]) == {0}
    assert asked.core(1, [], [1, 2]) == {1}
    assert asked.core(1, [0], [1, 2]) == set()
    assert asked.core(2, [], [0, 1]) == set()
    assert asked.core(3, [], [0, 1, 2]) is None


def test_without_work_or_time_there_is_no_answer() -> None:
    for work, error in ((Work(0), Spent), (Work(end=0.0), OutOfTime)):
        with pytest.raises(error):
            conditions(work).lost([], [0])
        with pytest.raises(error):
            conditions(work).core(0, [], [0])
