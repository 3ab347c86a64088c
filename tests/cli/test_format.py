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


def test_a_link_is_not_written_through_and_the_others_are_formatted(
    capsys: pytest.CaptureFixture[str], here: Path
) -> None:
    for name in ("a.sef", "c.sef", "there"):
        (here / name).write_text(UGLY, encoding="utf-8")
    (here / "b.sef").symlink_to("there")
    done = selfedit(capsys, "format", ".")
    assert done.code == 2
    assert "error[E008]: `b.sef` cannot be written: it is a symbolic link" in done.err
    assert (here / "there").read_text(encoding="utf-8") == UGLY
    assert (here / "c.sef").read_text(encoding="utf-8") == (here / "a.sef").read_text(encoding="utf-8") != UGLY


def test_what_is_formatted_controls_no_terminal(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    (here / "a\x1b[31m.sef").write_text(UGLY, encoding="utf-8")
    assert selfedit(capsys, "format", ".") == Run(0, "", "formatted a\\u001b[31m.sef\n")


@pytest.mark.parametrize(("text", "code"), [(b"\xff", "S019"), (b"#" * 2_000_000, "S021")])
def test_standard_input_may_be_anything(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, text: bytes, code: str
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text), encoding="utf-8"))
    done = selfedit(capsys, "format", "-")
    assert (done.code, done.out) == (2, "")
    assert f"error[{code}]: `<stdin>`" in done.err
