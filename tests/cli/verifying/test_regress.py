"""`selfedit regress`: what refutations leave behind."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from selfedit_formal.core.verdict import (
    Result,
    Unknown,
)
from tests.cli.command import GOOD, answering, selfedit


def test_each_refuted_check_leaves_two_files(capsys: pytest.CaptureFixture[str], good: Path, here: Path) -> None:
    done = selfedit(capsys, "regress", "log.sef", "-o", "left")
    assert (done.code, done.err) == (0, "")
    (test,), (window,) = (here / "left").glob("*.py"), (here / "left").glob("*.sef")
    assert re.fullmatch(r"test_hide_preserves_ruled_[0-9a-f]{6}", test.stem)
    assert test.stem == f"test_{window.stem}"
    assert done.out.splitlines() == [
        f"wrote      {Path('left', test.name)}",
        f"wrote      {Path('left', window.name)}",
        "1 of 2 checks refuted",
    ]
    again = selfedit(capsys, "regress", "log.sef", "-o", "left")
    assert again.out.splitlines()[0] == f"unchanged  {Path('left', test.name)}"


def test_a_file_that_differs_is_only_written_over_by_force(
    capsys: pytest.CaptureFixture[str], good: Path, here: Path
) -> None:
    selfedit(capsys, "regress", "log.sef", "-o", "left")
    (mine,) = (here / "left").glob("*.sef")
    mine.write_text("# mine\n", encoding="utf-8")
    done = selfedit(capsys, "regress", "log.sef", "-o", "left")
    assert done.code == 2
    assert "is there already and differs" in done.err
    assert mine.read_text(encoding="utf-8") == "# mine\n"
    assert selfedit(capsys, "regress", "log.sef", "-o", "left", "--force").code == 0
    assert mine.read_text(encoding="utf-8") != "# mine\n"


def test_earlier_counterexamples_stay_and_what_says_nothing_any_more_is_named(
    capsys: pytest.CaptureFixture[str], good: Path, here: Path
) -> None:
    (here / "left").mkdir()
    (here / "left" / "test_mine.py").write_text("from selfedit_formal import replay\n", encoding="utf-8")
    selfedit(capsys, "regress", "log.sef", "-o", "left")
    (first,) = (here / "left").glob("test_hide*.py")
    mended = GOOD.replace("s.tag == rule }\n", "s.tag == rule and s.stale }\n")
    good.write_text(mended, encoding="utf-8")
    done = selfedit(capsys, "regress", "log.sef", "-o", "left")
    assert f"earlier    {Path('left', first.name)}: passes" in done.out.splitlines()
    (second,) = set((here / "left").glob("test_hide*.py")) - {first}
    good.write_text(GOOD.replace("policy hide", "policy hid").replace("check hide", "check hid"), encoding="utf-8")
    done = selfedit(capsys, "regress", "log.sef", "-o", "left")
    for path in (first, second):
        told = f"obsolete   {Path('left', path.name)}: unknown policy, plan or session `hide`"
        assert told in done.out.splitlines()
        assert path.is_file()
    assert "test_mine" not in done.out


def test_the_tests_of_another_file_in_the_folder_are_not_told_of(
    capsys: pytest.CaptureFixture[str], good: Path, here: Path
) -> None:
    (here / "other.sef").write_text(GOOD, encoding="utf-8")
    selfedit(capsys, "regress", "log.sef", "-o", "left")
    done = selfedit(capsys, "regress", "other.sef", "-o", "left")
    assert [line.split()[0] for line in done.out.splitlines()] == ["wrote", "wrote", "1"]
    assert len(list((here / "left").glob("test_*.py"))) == 2


def test_no_answer_leaves_no_test(
    capsys: pytest.CaptureFixture[str], good: Path, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answering(monkeypatch, lambda asked: [Result(o, Unknown("time limit of 60 s"), 60.0, "bounded") for o in asked])
    done = selfedit(capsys, "regress", "log.sef", "-o", "left")
    assert done.code == 3
    assert "time limit of 60 s" in done.out


def test_standard_input_leaves_no_test(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    done = selfedit(capsys, "regress", "-", "-o", "left")
    assert (done.code, done.out) == (2, "")
    assert "error[E006]: a test needs a file" in done.err
