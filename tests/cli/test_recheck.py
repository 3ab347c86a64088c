"""`selfedit recheck`: what it says of what is not there. `tests/test_rechecking.py` has the rest."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from selfedit_formal.processes.family import family
from tests.cli.command import process, selfedit


def test_a_folder_without_certificates_is_said_and_the_others_are_asked(
    capsys: pytest.CaptureFixture[str], here: Path
) -> None:
    (here / "empty").mkdir()
    (here / "other.json").write_text("{}", encoding="utf-8")
    done = selfedit(capsys, "recheck", "empty", "other.json")
    assert done.code == 2
    assert "error[E004]: no certificate is in the folder `empty`" in done.err
    assert "other.json: cannot be read" in done.out


def test_a_solver_that_is_not_installed_is_said_with_what_installs_it(
    capsys: pytest.CaptureFixture[str], here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("selfedit_formal.engines.unbounded.recheck.available", lambda: ("z3",))
    done = selfedit(capsys, "recheck", "some.json", "--solver", "cvc5")
    assert (done.code, done.out) == (2, "")
    assert "error[E006]: cvc5 is not installed; `pip install 'selfedit-formal[cvc5]'`" in done.err


@pytest.mark.parametrize("text", ["[" * 200_000 + "]" * 200_000, '{"format": "\\ud800"}', '{"\\ud800": 1}', "\0"])
def test_a_certificate_may_be_anything(capsys: pytest.CaptureFixture[str], here: Path, text: str) -> None:
    (here / "a.json").write_text(text, encoding="utf-8")
    ran = selfedit(capsys, "recheck", "a.json")
    assert ran.code == 2
    assert "a.json: cannot be read: it" in ran.out


def test_what_is_no_certificate_is_not_waited_for(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    os.mkfifo(here / "pipe.json")
    ran = selfedit(capsys, "recheck", ".")
    assert (ran.code, ran.out) == (2, "pipe.json: cannot be read: nobody writes into this pipe\n")


def test_control_c_ends_it_at_once(here: Path) -> None:
    """Though it comes to the command alone, and not to what it started."""
    pipe = here / "pipe.json"
    os.mkfifo(pipe)
    writer = os.open(pipe, os.O_RDWR)  # somebody who has it open and says nothing
    with process("recheck", "pipe.json") as running:
        while len(list(family(running.pid))) < 2:
            assert running.poll() is None
        os.kill(running.pid, signal.SIGINT)
        _, errors = running.communicate(timeout=20)
    os.close(writer)
    assert (running.returncode, errors.strip()) == (130, "interrupted")
