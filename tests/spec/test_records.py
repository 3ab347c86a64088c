"""The three records: every check has the verdict it says, as written and as intended."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.spec.checks import Check, checks, each, obligations

RECORDS = Path(__file__).parents[2] / "spec" / "records"
FILES = tuple(sorted(RECORDS.glob("*.sef")))
SNIPPETS = tuple(RECORDS / f"{name}.sef" for name in ("r0_reentrancy", "r1_deadlock", "r2_control_set"))


def test_each_promise_is_asked_by_the_check_that_is_named_for_it() -> None:
    for path in FILES:
        assert len(obligations(path)) == len(each([path]))
    asked = each(FILES)
    assert {c: obligations(c.path)[c.number].name for c in asked} == {c: c.name for c in asked}


@pytest.mark.parametrize("check", each(FILES), ids=str)
def test_a_check_has_the_verdict_it_expects(check: Check) -> None:
    assert check.surprise() is None


@pytest.mark.parametrize("path", SNIPPETS, ids=lambda p: p.stem)
def test_the_snippet_lets_something_through_that_the_text_as_intended_does_not(path: Path) -> None:
    verdicts = {(c.target.name.rpartition("_")[2], c.expect) for c in checks(path)}
    assert ("written", "refuted") in verdicts
    assert {("intended", "holds"), ("intended", "proved")} & verdicts


def test_every_record_has_its_line_in_the_readme() -> None:
    text = (RECORDS / "README.md").read_text(encoding="utf-8")
    assert [p.name for p in FILES if f"`{p.name}`" not in text] == []
