"""Work is counted down, in parts too, and the clock is a matter of its own."""

from __future__ import annotations

from math import inf

import pytest

from selfedit_formal.core.budget import OutOfTime, Spent, Work, clock


def test_what_is_done_is_no_longer_left() -> None:
    work = Work(10)
    work.spend(4)
    assert (work.left, work.done) == (6, 4)
    with pytest.raises(Spent):
        work.spend(6)


def test_a_part_is_no_more_than_is_left_and_counts_once_it_is_done() -> None:
    work = Work(10)
    part = work.part(20)
    part.took(7)
    assert (part.left, work.left) == (3, 10)
    work.took(part.done)
    assert work.part(20).left == 3


def test_the_clock_comes_before_the_work() -> None:
    late = Work(0, end=0.0)
    for ask in (late.in_time, lambda: late.spend(1)):
        with pytest.raises(OutOfTime):
            ask()
    assert clock(None) == inf
