"""The windows a person would argue about: for every promise some that keep it and some that break it, written out."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.spec.checks import checks, each

HERE = Path(__file__).parent
FILES = tuple(p for p in sorted(HERE.glob("*.sef")) if p.stem != "room")
PROMISES = tuple(p.stem for p in sorted((HERE.parents[1] / "spec" / "properties").glob("*.sef")))


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_the_windows_are_judged_as_written(path: Path) -> None:
    surprises = {str(check): check.surprise(vacuity=False) for check in each([path])}
    assert {name for name, surprise in surprises.items() if surprise} == set()


@pytest.mark.parametrize("promise", PROMISES)
def test_a_promise_has_windows_that_keep_it_and_windows_that_break_it(promise: str) -> None:
    expected = [c.expect for path in FILES for c in checks(path) for p in c.properties if p.name == promise]
    assert set(expected) == {"holds", "refuted"}
