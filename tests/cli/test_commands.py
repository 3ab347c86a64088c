"""What all commands have in common: help, wrong usage, wrong files, defects of ours, and who reads the output."""

from __future__ import annotations

import errno
import os
import platform
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest

from selfedit_formal import __version__, cli
from selfedit_formal.core.verdict import (
    Result,
)
from tests.cli.command import Run, answering, process, selfedit

ROOT = Path(__file__).parents[2]


def test_the_version_is_that_of_the_project(capsys: pytest.CaptureFixture[str]) -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    parts = [f"z3-solver {version('z3-solver')}", f"cvc5 {version('cvc5')}", f"Python {platform.python_version()}"]
    assert selfedit(capsys, "--version") == Run(0, "\n".join([f"selfedit {declared}", *parts, ""]), "")
    assert __version__ == declared


def test_a_command_is_called_as_its_file_and_says_what_it_does() -> None:
    for name, home in cli.selfedit.commands.homes.items():  # type: ignore[attr-defined]
        command = cli.selfedit.commands[name]
        assert (command.name, home.rpartition(".")[2]) == (name, name)
        assert command.help


SHOUT = """\
import click

@click.command()
def shout():
    click.echo("HERE")
    return 3

COMMAND = shout
"""


def test_a_file_that_is_put_there_is_a_command(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "shout.py").write_text(SHOUT, encoding="utf-8")
    (tmp_path / "_whisper.py").touch()
    monkeypatch.setattr(cli, "__path__", [*cli.__path__, str(tmp_path)])
    monkeypatch.setattr(cli.selfedit, "commands", cli.Commands())
    assert "shout" in selfedit(capsys, "--help").out
    assert selfedit(capsys, "shout") == Run(3, "HERE\n", "")
    assert selfedit(capsys, "_whisper").code == 2
    del sys.modules["selfedit_formal.cli.shout"]


@pytest.mark.parametrize("command", [(), *((name,) for name in cli.selfedit.commands)], ids=" ".join)
def test_every_command_has_help(capsys: pytest.CaptureFixture[str], command: tuple[str, ...]) -> None:
    done = selfedit(capsys, *command, "--help")
    assert done.code == 0
    assert done.out.startswith(f"Usage: selfedit {' '.join(command)}".rstrip())


def test_a_defect_of_ours_is_a_short_report(
    capsys: pytest.CaptureFixture[str], good: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: object) -> tuple[Result, ...]:
        raise KeyError("the wrong drawer")

    answering(monkeypatch, broken)
    done = selfedit(capsys, "check", good)
    assert (done.code, done.out) == (5, "")
    assert "KeyError: 'the wrong drawer'" in done.err
    assert f"selfedit_formal {__version__}" in done.err


def test_a_reader_that_goes_away_is_no_failure() -> None:
    with process("explain", "refuted") as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.close()
        assert running.stderr.read() == ""
    assert running.returncode == 141


# ---------- output that fails


WRITING = (
    ("check", "log.sef"),
    ("check", "log.sef", "--format", "json"),
    ("check", "gone.sef", "--format", "json"),
    ("explain", "refuted"),
    ("smt2", "log.sef", "--check", "hide"),
    ("witness", "log.sef"),
    ("--help",),
    ("check", "--help"),
    ("--version",),
)


@pytest.mark.parametrize("arguments", WRITING, ids=" ".join)
@pytest.mark.parametrize(("where", "why"), [("> /dev/full", "no space left on device"), (">&-", "it is closed")])
def test_standard_output_that_takes_nothing_is_said(
    good: Path, arguments: tuple[str, ...], where: str, why: str
) -> None:
    command = f'{sys.executable} -m selfedit_formal "$@" {where}'
    done = subprocess.run(["sh", "-c", command, "sh", *arguments], capture_output=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"error[E008]: standard output cannot be written: {why}\n" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(("arguments", "code"), [(("check", "log.sef"), 0), (("check", "gone.sef"), 2)])
@pytest.mark.parametrize("where", ["2> /dev/full", "2>&-", "<&- 2>&-"])
def test_standard_error_that_takes_nothing_changes_nothing(
    good: Path, arguments: tuple[str, ...], code: int, where: str
) -> None:
    command = f'{sys.executable} -m selfedit_formal "$@" {where}'
    done = subprocess.run(
        ["sh", "-c", command, "sh", *arguments], stdout=subprocess.PIPE, encoding="utf-8", check=False
    )
    assert done.returncode == code
    assert ("all as expected" in done.stdout) == (code == 0)


def test_what_the_system_refuses_is_no_defect_of_ours(
    capsys: pytest.CaptureFixture[str], good: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for problem, said in (
        (OSError(errno.EAGAIN, "Resource temporarily unavailable"), "resource temporarily unavailable"),
        (OSError(errno.ENOSPC, "No space left on device", "left/x"), "no space left on device (`left/x`)"),
        (MemoryError(), "there is not enough memory"),
    ):

        def broken(_: object, problem: BaseException = problem) -> tuple[Result, ...]:
            raise problem

        answering(monkeypatch, broken)
        done = selfedit(capsys, "check", good)
        assert (done.code, done.out) == (2, "")
        assert f"error[E009]: the system does not let the command go on: {said}\n" in done.err


@pytest.mark.parametrize("path", ["x" * 400 + ".sef", "x/" * 4000 + "a.sef", "a\x1b.sef", os.fsdecode(b"\xff.sef")])
@pytest.mark.parametrize("command", ["check", "witness", "format", "regress", "smt2", "simulate"])
def test_no_path_is_a_defect_of_ours(capsys: pytest.CaptureFixture[str], here: Path, path: str, command: str) -> None:
    more = {"regress": ("-o", "left"), "smt2": ("--check", "a")}.get(command, ())
    done = selfedit(capsys, command, path, *more)
    assert (done.code, done.out) == (2, "")
    assert "error[S01" in done.err
    assert "\x1b" not in done.err


def test_everything_is_written_where_it_is_seen_to() -> None:
    """`_screen` escapes what controls a terminal and knows what to do where nothing can be written."""
    room = ROOT / "selfedit_formal" / "cli"
    others = [f for f in room.rglob("*.py") if f.name != "_screen.py"]
    assert [f.name for f in others if "click.echo" in f.read_text(encoding="utf-8")] == []
