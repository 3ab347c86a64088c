"""How a command says that it was given something wrong: to a person, and in the format that was asked for."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest
from jsonschema import Draft202012Validator

from selfedit_formal import cli
from selfedit_formal.cli import _rejecting
from selfedit_formal.cli._exits import WRONG as WRONG_INPUT
from selfedit_formal.core.diagnostics import Diagnostic, Location, Source, render
from tests.cli.command import selfedit

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "spec" / "report.schema.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "arguments",
    [
        ("check",),
        ("chek", "a.sef"),
        ("check", "a.sef", "--within", "0"),
        ("check", "a.sef", "--format", "xml"),
        ("regress", "a.sef"),
        ("smt2", "a.sef"),
    ],
    ids=" ".join,
)
def test_wrong_usage_exits_with_2(capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]) -> None:
    done = selfedit(capsys, *arguments)
    assert (done.code, done.out) == (2, "")
    assert "Usage: selfedit" in done.err


WRONG = {
    "check gone.sef": ["S017"],
    "check gone.sef empty gone.sef": ["E004", "S017"],
    "check log.sef --policy dorp": ["E005"],
    "check log.sef --solve-for cap": ["E005"],
    "check log.sef --property idempotnt": ["R004"],
    "check log.sef --within 0": ["E006"],
    "check log.sef --no-such-option": ["E006"],
    "check": ["E006"],
    "monitor gone.jsonl": ["E006"],
    "monitor empty.jsonl": ["L006"],
}


@pytest.mark.parametrize("arguments", WRONG)
@pytest.mark.parametrize("asked", ["--format json", "--format=json", "--format text --format json"])
def test_json_on_standard_output_tells_whatever_is_wrong(
    capsys: pytest.CaptureFixture[str], good: Path, here: Path, arguments: str, asked: str
) -> None:
    (here / "empty").mkdir()
    (here / "empty.jsonl").touch()
    done = selfedit(capsys, *arguments.split(), *asked.split())
    made = json.loads(done.out)
    Draft202012Validator(SCHEMA).validate(made)
    assert (done.code, made["exit_code"], made["checks"]) == (2, 2, [])
    assert [d["code"] for d in made["diagnostics"]] == WRONG[arguments]
    for told in made["diagnostics"]:
        assert f"error[{told['code']}]: {told['message']}" in done.err
    assert done.err == selfedit(capsys, *arguments.split()).err


def test_a_command_without_formats_makes_no_document(capsys: pytest.CaptureFixture[str]) -> None:
    done = selfedit(capsys, "explain", "refuted", "--format", "json")
    assert (done.code, done.out) == (2, "")
    assert "error[E006]: no such option" in done.err


def test_what_is_wrong_controls_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (("check", "a\x1b[2J\u202e.sef"), ("explain", "\x9b2J"), ("check", "--\x1b[2J")):
        done = selfedit(capsys, *arguments)
        assert done.code == 2
        assert not {"\x1b", "\x9b", "\u202e"} & set(done.err)


# ---------- its parts


SOURCE = Source("a.sef", "policy {\n")
UNKNOWN = Diagnostic("R001", "unknown name `x`", Location(SOURCE, 1, 1, 1, 7), "did you mean `y`?")
NOWHERE = Diagnostic("E003", "`a.sef` checks nothing")


def test_every_mistake_is_said_once_on_standard_error_with_how_to_read_on(capsys: pytest.CaptureFixture[str]) -> None:
    _rejecting.say([UNKNOWN, NOWHERE, UNKNOWN])
    assert capsys.readouterr() == (
        "",
        f"{render(UNKNOWN)}\n\n{render(NOWHERE)}\n\n2 mistakes; `selfedit explain R001` says more about the first\n",
    )
    _rejecting.say([NOWHERE])
    assert capsys.readouterr().err.endswith("\n\n1 mistake; `selfedit explain E003` says more about the first\n")


@pytest.mark.parametrize("shape", ["text", "xml", None])
def test_a_format_that_has_nothing_of_a_mistake_or_is_none_leaves_standard_output_empty(
    capsys: pytest.CaptureFixture[str], shape: str | None
) -> None:
    assert _rejecting.reject([NOWHERE], shape) == WRONG_INPUT
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("error[E003]")


def test_a_format_for_programs_has_every_mistake_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert _rejecting.reject([UNKNOWN, NOWHERE, UNKNOWN], "json") == WRONG_INPUT
    told = json.loads(capsys.readouterr().out)["diagnostics"]
    assert [d["code"] for d in told] == ["R001", "E003"]


def test_wrong_usage_is_a_mistake_like_any_other_behind_the_usage_line(capsys: pytest.CaptureFixture[str]) -> None:
    context = click.Context(cli.selfedit.commands["check"], info_name="check")
    assert _rejecting.misused(click.UsageError("No such thing.", context), None) == WRONG_INPUT
    said = capsys.readouterr()
    usage, empty, heading, hint, *_ = said.err.splitlines()
    assert usage.startswith("Usage: check [OPTIONS]")
    assert (empty, heading) == ("", "error[E006]: no such thing")
    assert hint == "  = hint: `check --help` says what there is"


def test_wrong_usage_of_no_command_has_no_usage_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert _rejecting.misused(click.ClickException("Something Else."), None) == WRONG_INPUT
    assert capsys.readouterr().err.splitlines()[0] == "error[E006]: something Else"


@pytest.mark.parametrize(
    ("arguments", "shape"),
    [
        ("check a.sef", None),
        ("check --format json a.sef", "json"),
        ("check --format=json a.sef", "json"),
        ("--format=text check --format json", "json"),
        ("check --format", None),
        ("check --format=", ""),
        ("check --formats json", None),
    ],
)
def test_the_format_is_the_last_one_that_the_command_line_names(arguments: str, shape: str | None) -> None:
    assert _rejecting.shape_in(arguments.split()) == shape
