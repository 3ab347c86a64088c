"""Where commands write: what cannot be written is a mistake of the user's, said before there is work to lose."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from selfedit_formal.cli._writing import writable, writing
from selfedit_formal.core.diagnostics import Diagnostic, Rejected


def told(rejected: pytest.ExceptionInfo[Rejected]) -> Diagnostic:
    (found,) = rejected.value.diagnostics
    return found


def test_what_can_be_written_is(here: Path) -> None:
    with writing(here / "a.txt"):
        (here / "a.txt").write_text("a", encoding="utf-8")
    assert (here / "a.txt").read_text(encoding="utf-8") == "a"


def test_what_the_system_refuses_is_a_mistake_with_its_reason(here: Path) -> None:
    with pytest.raises(Rejected) as rejected, writing(Path("none/a.txt")):
        Path("none/a.txt").write_text("a", encoding="utf-8")
    assert told(rejected) == Diagnostic("E008", f"`{Path('none/a.txt')}` cannot be written: no such file or directory")
    with pytest.raises(Rejected) as rejected, writing(Path("a.txt")):
        raise OSError("Out of Ink")
    assert told(rejected).message == "`a.txt` cannot be written: out of Ink"


def test_a_defect_of_ours_is_not_taken_for_a_mistake() -> None:
    with pytest.raises(KeyError), writing(Path("a.txt")):
        raise KeyError("the wrong drawer")


def test_a_folder_is_made_with_those_around_it_and_may_be_there_already(here: Path) -> None:
    for _ in range(2):
        writable(here / "one" / "two")
        assert (here / "one" / "two").is_dir()


def test_a_folder_that_cannot_be_made_is_a_mistake(here: Path) -> None:
    (here / "file").touch()
    with pytest.raises(Rejected) as rejected:
        writable(Path("file"))
    assert told(rejected).message == "`file` cannot be written: file exists"
    with pytest.raises(Rejected) as rejected:
        writable(Path("file/kept"))
    assert told(rejected).message == f"`{Path('file/kept')}` cannot be written: not a directory"


def test_a_folder_in_which_nothing_may_be_put_is_a_mistake(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[Path, int]] = []

    def refused(path: Path, mode: int) -> bool:
        asked.append((path, mode))
        return False

    monkeypatch.setattr(os, "access", refused)
    with pytest.raises(Rejected) as rejected:
        writable(Path("kept"))
    assert told(rejected).message == "`kept` cannot be written: permission denied"
    assert asked == [(Path("kept"), os.W_OK | os.X_OK)]
