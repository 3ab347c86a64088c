"""Tests that were left behind earlier are found by what stands in them, and asked again."""

from __future__ import annotations

from pathlib import Path

import pytest

from selfedit_formal.cli._earlier import Earlier, earlier
from tests.cli.command import GOOD, selfedit


@pytest.fixture
def left(here: Path, good: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """The test of a counterexample that `regress` left behind."""
    assert selfedit(capsys, "regress", good, "-o", here / "left", "--policy", "hide").code == 0
    (path,) = (here / "left").glob("test_*.py")
    return path


def told(left: Path, policy: Path) -> list[tuple[str, bool]]:
    return [(e.said, e.obsolete) for e in earlier(left.parent, policy, ())]


def test_a_test_that_is_made_again_is_no_earlier_one(left: Path, good: Path) -> None:
    assert earlier(left.parent, good, {left.name}) == ()
    assert earlier(left.parent, good, ()) == (Earlier(left, "still fails", False),)


def test_it_passes_once_the_policy_is_mended(left: Path, good: Path) -> None:
    good.write_text(GOOD.replace("evict s where s.tag == rule", "evict s where s.tag == note"), encoding="utf-8")
    assert told(left, good) == [("passes", False)]


def test_it_says_nothing_any_more_without_its_policy(left: Path, good: Path) -> None:
    good.write_text(GOOD.replace("hide", "cover"), encoding="utf-8")
    ((said, obsolete),) = told(left, good)
    assert "hide" in said
    assert obsolete


def test_what_is_no_such_test_or_of_another_policy_is_left_alone(left: Path, here: Path) -> None:
    for name, text in (("mine", "def test_mine() -> None: ...\n"), ("broken", "def ("), ("odd", "replay(1, 2)\n")):
        (left.parent / f"test_{name}.py").write_text(text, encoding="utf-8")
    assert earlier(left.parent, here / "other.sef", ()) == ()
    assert [e.path for e in earlier(left.parent, here / "log.sef", ())] == [left]
