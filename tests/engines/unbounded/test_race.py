"""Attempts side by side: what is found first is heard first, and what is left is ended."""

from __future__ import annotations

import os
from pathlib import Path
from time import sleep

import pytest
import z3

from selfedit_formal.engines.unbounded.race import race


def hard() -> str:
    """Z3 works on this until its own limit, if nobody ends it before."""
    a, b, c = z3.Ints("a b c")
    solver = z3.Solver()
    solver.set("timeout", 60_000)
    solver.add(a**3 + b**3 + c**3 == 114, a > 1)
    return str(solver.check())


def test_the_first_answer_is_heard_while_another_attempt_goes_on() -> None:
    assert next(race((hard, lambda: "found"), 30.0)) == ("found",)


def test_what_is_left_is_ended(tmp_path: Path) -> None:
    written = tmp_path / "process"

    def slow() -> str:
        written.write_text(str(os.getpid()))
        return hard()

    def once_it_goes_on() -> str:
        while not (written.exists() and written.read_text()):
            sleep(0.01)
        return "found"

    for found in race((slow, once_it_goes_on), 30.0):
        assert found == ("found",)
        break
    process = int(written.read_text())
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


def test_nothing_is_heard_of_attempts_that_die_or_run_out_of_memory_or_time() -> None:
    def dies() -> str:
        os._exit(3)

    def too_large() -> str:
        raise MemoryError

    def too_long() -> str:
        sleep(60.0)
        return "late"

    assert list(race((dies, too_large, too_long), 1.0)) == []


def test_a_bug_in_an_attempt_is_raised() -> None:
    def wrong() -> str:
        raise ValueError("a bug")

    with pytest.raises(ValueError, match="a bug"):
        list(race((wrong,), 30.0))
