"""`selfedit smt2`: one check for other solvers, or those there are."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import selfedit


def test_a_check_is_printed_for_other_solvers(capsys: pytest.CaptureFixture[str], good: Path) -> None:
    done = selfedit(capsys, "smt2", "log.sef", "--check", "hide:preserves(ruled)", "--spans", "1")
    assert done.code == 0
    assert done.out.count("(check-sat)") == 1


def test_a_check_that_is_not_there_is_said_with_those_that_are(capsys: pytest.CaptureFixture[str], good: Path) -> None:
    done = selfedit(capsys, "smt2", "log.sef", "--check", "nothing")
    assert (done.code, done.out) == (2, "")
    assert "error[E005]: no check `nothing` in `log.sef`" in done.err
    assert "its checks are `drop: preserves(ruled)`, `hide: preserves(ruled)`" in done.err
