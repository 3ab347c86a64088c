"""The policies of the field: every check has the verdict it says, and every report of the survey has its check."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.spec.checks import Check, checks, each, obligations, written

POLICIES = Path(__file__).parents[2] / "spec" / "policies"
FILES = tuple(p for p in sorted(POLICIES.glob("*.sef")) if checks(p))

# Of the survey's table of reports, in its numbering.
ROWS = {
    *(
        1,
        2,
        3,
        4,
        7,
        8,
        10,
        11,
        12,
        14,
        15,
        16,
        19,
        20,
        21,
        23,
        25,
        26,
        28,
        29,
        30,
        31,
        33,
        34,
        35,
        36,
        38,
        39,
        40,
        41,
        44,
    ),
    *(46, 47, 48, 49, 50, 52, 53, 54, 55, 58, 59, 61, 64, 66, 67, 69, 70, 72),
}


def table(rows_of: int) -> list[list[str]]:
    """The rows of COVERAGE.md that have so many columns and begin with a number."""
    text = (POLICIES / "COVERAGE.md").read_text(encoding="utf-8")
    rows = [[c.strip() for c in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]
    return [row for row in rows if len(row) == rows_of and row[0].isdigit()]


def test_each_promise_is_asked_by_the_check_that_is_named_for_it() -> None:
    for path in FILES:
        assert len(obligations(path)) == len(each([path]))
    asked = each(FILES)
    assert {c: obligations(c.path)[c.number].name for c in asked} == {c: c.name for c in asked}


@pytest.mark.parametrize("check", each(FILES), ids=str)
def test_a_check_has_the_verdict_it_expects(check: Check) -> None:
    assert check.surprise() is None


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_a_file_says_where_its_policy_comes_from_and_shows_both_what_holds_and_what_breaks(path: Path) -> None:
    assert re.match(r"# .{20}", path.read_text(encoding="utf-8"))
    found = {check.expect or "holds" for check in checks(path)}
    assert "refuted" in found
    assert found & {"holds", "proved"}


def test_every_report_is_in_the_table_as_covered_or_as_not() -> None:
    covered = {int(row[0]) for row in table(5)}
    left_out = {int(row[0]) for row in table(3)}
    assert covered | left_out == ROWS
    assert not covered & left_out


def test_every_check_of_the_table_is_in_its_file_with_that_expectation() -> None:
    missing = [row for row in table(5) if (row[3], row[4]) not in written(POLICIES / row[2])]
    assert missing == []


def test_a_report_that_is_covered_is_named_beside_its_check() -> None:
    for row, _, file, *_ in table(5):
        named = re.findall(r"[Rr]ows? ([\d, and]+)", (POLICIES / file).read_text(encoding="utf-8"))
        assert row in {n for group in named for n in re.findall(r"\d+", group)}, f"row {row} in {file}"
