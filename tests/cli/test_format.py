"""`selfedit format`: in place, from standard input, or not at all."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from tests.cli.command import Run, selfedit

UGLY = "window Log{tag:rule|dump}  # two\npolicy drop for Log{evict s where s.tag==dump}\n"


def test_files_are_formatted_in_place(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    (here / "ugly.sef").write_text(UGLY, encoding="utf-8")
    done = selfedit(capsys, "format", "ugly.sef", "--check")
    assert (done.code, done.err) == (1, "would format ugly.sef\n")
    assert (here / "ugly.sef").read_text(encoding="utf-8") == UGLY
    assert selfedit(capsys, "format", "ugly.sef") == Run(0, "", "formatted ugly.sef\n")
    assert "evict s where s.tag == dump" in (here / "ugly.sef").read_text(encoding="utf-8")
    assert selfedit(capsys, "format", "ugly.sef", "--check") == Run(0, "", "")


def test_standard_input_is_formatted_to_standard_output(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(UGLY.encode())))
    done = selfedit(capsys, "format", "-")
    assert (done.code, done.err) == (0, "")
    assert "evict s where s.tag == dump" in done.out


def test_nothing_is_formatted_if_a_file_is_wrong(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    (here / "ugly.sef").write_text(UGLY, encoding="utf-8")
    (here / "wrong.sef").write_text("policy {\n", encoding="utf-8")
    assert selfedit(capsys, "format", ".").code == 2
    assert (here / "ugly.sef").read_text(encoding="utf-8") == UGLY
