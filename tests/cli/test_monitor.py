"""`selfedit monitor` as a person runs it: signals, none, and a log that is wrong."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from tests.cli.command import selfedit


@pytest.fixture
def log(root: Path, tmp_path: Path) -> Path:
    """The first log of the page of signals, which has one."""
    page = (root / "spec" / "signals.md").read_text(encoding="utf-8")
    found = re.search(r"```jsonl\n(.*?)```", page, re.DOTALL)
    assert found is not None
    path = tmp_path / "session.jsonl"
    path.write_text(found.group(1), encoding="utf-8")
    return path


def test_signals_end_with_exit_code_one(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ran = selfedit(capsys, "monitor", str(log))
    assert ran.code == 1
    assert "orphaned_rationale" in ran.out


def test_json_has_what_the_text_has(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ran = selfedit(capsys, "monitor", str(log), "--format", "json")
    assert ran.code == 1
    assert "orphaned_rationale" in json.dumps(json.loads(ran.out))


def test_a_log_without_events_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    empty = tmp_path / "empty.jsonl"
    for text in ("", "\n\n"):
        empty.write_text(text, encoding="utf-8")
        ran = selfedit(capsys, "monitor", str(empty))
        assert ran.code == 2
        assert "error[L006]: there is no event in" in ran.err


def test_every_wrong_line_is_told_with_its_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = tmp_path / "wrong.jsonl"
    wrong.write_text('{"nonsense": 1}\nno json\n', encoding="utf-8")
    ran = selfedit(capsys, "monitor", str(wrong))
    assert ran.code == 2
    assert "wrong.jsonl:1:1" in ran.err
    assert "wrong.jsonl:2:" in ran.err


def test_what_is_no_log_is_a_mistake_and_is_not_waited_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(tmp_path / "pipe")
    for log, reason in ((tmp_path / "pipe", "nobody writes into this pipe"), (tmp_path, "it is a folder")):
        ran = selfedit(capsys, "monitor", str(log))
        assert ran.code == 2
        assert f"'{log}': {reason}" in ran.err


@pytest.mark.parametrize(
    "line", ['{"event": "\\ud800"}', '{"\\ud800": 1}', "[" * 200_000 + "]" * 200_000, "\0", "\x1b[31m"]
)
def test_a_line_may_be_anything(tmp_path: Path, capsys: pytest.CaptureFixture[str], line: str) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text(f"{line}\n", encoding="utf-8")
    for shape in ("text", "json"):
        ran = selfedit(capsys, "monitor", str(log), "--format", shape)
        assert ran.code == 2
        assert "\x1b" not in ran.out + ran.err
