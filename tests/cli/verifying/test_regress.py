"""`selfedit regress`: what refutations leave behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from selfedit_formal.core.verdict import (
    Result,
    Unknown,
)
from tests.cli.command import answering, selfedit


def test_each_refuted_check_leaves_two_files(capsys: pytest.CaptureFixture[str], good: Path, here: Path) -> None:
    done = selfedit(capsys, "regress", "log.sef", "-o", "left")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        f"wrote      {Path('left/test_hide_preserves_ruled.py')}",
        f"wrote      {Path('left/hide_preserves_ruled.sef')}",
        "1 of 2 checks refuted",
    ]
    again = selfedit(capsys, "regress", "log.sef", "-o", "left")
    assert again.out.splitlines()[0] == f"unchanged  {Path('left/test_hide_preserves_ruled.py')}"


def test_a_file_that_differs_is_only_written_over_by_force(
    capsys: pytest.CaptureFixture[str], good: Path, here: Path
) -> None:
    (here / "left").mkdir()
    mine = here / "left" / "hide_preserves_ruled.sef"
    mine.write_text("# mine\n", encoding="utf-8")
    done = selfedit(capsys, "regress", "log.sef", "-o", "left")
    assert done.code == 2
    assert "is there already and differs" in done.err
    assert [p.name for p in (here / "left").iterdir()] == [mine.name]
    assert mine.read_text(encoding="utf-8") == "# mine\n"
    assert selfedit(capsys, "regress", "log.sef", "-o", "left", "--force").code == 0
    assert mine.read_text(encoding="utf-8") != "# mine\n"


def test_no_answer_leaves_no_test(
    capsys: pytest.CaptureFixture[str], good: Path, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answering(monkeypatch, lambda asked: [Result(o, Unknown("time limit of 60 s"), 60.0, "bounded") for o in asked])
    done = selfedit(capsys, "regress", "log.sef", "-o", "left")
    assert done.code == 3
    assert "time limit of 60 s" in done.out
