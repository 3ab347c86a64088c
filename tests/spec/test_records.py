"""The three records: every check has the verdict it says, as written and as intended."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.spec.checks import checks, surprises

RECORDS = Path(__file__).parents[2] / "spec" / "records"
FILES = tuple(sorted(RECORDS.glob("*.sef")))
SNIPPETS = tuple(RECORDS / f"{name}.sef" for name in ("r0_reentrancy", "r1_deadlock", "r2_control_set"))


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_every_check_has_the_verdict_it_expects(path: Path) -> None:
    assert surprises(path) == []


@pytest.mark.parametrize("path", SNIPPETS, ids=lambda p: p.stem)
def test_the_snippet_lets_something_through_that_the_text_as_intended_does_not(path: Path) -> None:
    verdicts = {(c.target.name.rpartition("_")[2], c.expect) for c in checks(path)}
    assert ("written", "refuted") in verdicts
    assert {("intended", "holds"), ("intended", "proved")} & verdicts


def test_every_record_has_its_line_in_the_readme() -> None:
    text = (RECORDS / "README.md").read_text(encoding="utf-8")
    assert [p.name for p in FILES if f"`{p.name}`" not in text] == []
