"""How far is looked where nobody says how far."""

from __future__ import annotations

from dataclasses import replace

from selfedit_formal.core.limits import UNANSWERED, Limits


def test_work_decides_what_is_found_and_clock_and_memory_are_the_last_resort() -> None:
    limits = Limits()
    assert (limits.within, limits.turns) == (8, 4)
    assert 0 < limits.proof < limits.search
    assert limits.seconds is not None
    assert limits.megabytes is not None


def test_another_limit_leaves_the_rest() -> None:
    unlimited = replace(Limits(within=3), seconds=None, megabytes=None)
    assert (unlimited.within, unlimited.turns, unlimited.search) == (3, 4, Limits().search)
    assert hash(unlimited) != hash(Limits())


def test_what_is_left_unanswered_is_left_beside_the_user_s_files() -> None:
    assert not UNANSWERED.is_absolute()
