"""Attempts in order and side by side: what is found is the same, and what is left is ended."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from time import monotonic, sleep

import pytest
import z3

from selfedit_formal.core.budget import OutOfTime
from selfedit_formal.processes.race import in_order


def hard() -> str:
    """Z3 works on this until its own limit, if nobody ends it before."""
    a, b, c = z3.Ints("a b c")
    solver = z3.Solver()
    solver.set("timeout", 60_000)
    solver.add(a**3 + b**3 + c**3 == 114, a > 1)
    return str(solver.check())


def found(answer: str) -> bool:
    return answer.startswith("found")


@pytest.mark.parametrize("side_by_side", [False, True])
def test_an_earlier_answer_comes_before_one_that_was_there_sooner(side_by_side: bool) -> None:
    def slow() -> str:
        sleep(0.3)
        return "found late"

    assert in_order((lambda: "nothing", slow, lambda: "found"), found, side_by_side)[:2] == ["nothing", "found late"]


@pytest.mark.parametrize("side_by_side", [False, True])
def test_what_comes_after_an_answer_is_not_waited_for(side_by_side: bool) -> None:
    assert in_order((lambda: "found", hard), found, side_by_side) == ["found"]


def test_what_is_left_is_ended(tmp_path: Path) -> None:
    written = tmp_path / "process"

    def slow() -> str:
        written.write_text(str(os.getpid()))
        return hard()

    def once_it_goes_on() -> str:
        while not (written.exists() and written.read_text()):
            sleep(0.01)
        return "found"

    assert in_order((once_it_goes_on, slow), found, True) == ["found"]
    process = int(written.read_text())
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


def test_nothing_is_heard_of_attempts_that_die_or_run_out_of_memory() -> None:
    def dies() -> str:
        os._exit(3)

    def too_large() -> str:
        raise MemoryError

    assert in_order((dies, too_large, lambda: "found"), found, True) == [None, None, "found"]
    assert in_order((too_large, lambda: "found"), found, False) == [None, "found"]


def test_the_clock_ends_them_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("selfedit_formal.processes.race.GRACE", 0.1)
    with pytest.raises(OutOfTime):
        in_order((hard, hard), found, True, monotonic())


@pytest.mark.parametrize("side_by_side", [False, True])
def test_a_bug_in_an_attempt_is_raised(side_by_side: bool) -> None:
    def wrong() -> str:
        raise ValueError("a bug")

    with pytest.raises(ValueError, match="a bug"):
        in_order((wrong,), found, side_by_side)


def test_where_there_is_no_room_for_processes_it_is_in_order_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    forks = [True, False]

    def fork() -> int:
        if not forks.pop(0):
            raise BlockingIOError(errno.EAGAIN, "no room")
        return real()

    real = os.fork
    monkeypatch.setattr(os, "fork", fork)
    assert in_order((lambda: "nothing", lambda: "found"), found, True) == ["nothing", "found"]
    monkeypatch.setattr("selfedit_formal.processes.race.Pipe", _no_pipe)
    assert in_order((lambda: "found",), found, True) == ["found"]


def _no_pipe(duplex: bool) -> None:
    raise OSError(errno.EMFILE, "too many open files")
