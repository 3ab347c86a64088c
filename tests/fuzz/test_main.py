"""A long run counts what it meets."""

from __future__ import annotations

from collections import Counter
from time import monotonic

from tests.fuzz.__main__ import BAD, report, reports, text
from tests.fuzz.planted import planted


def test_a_seed_is_counted_once_and_nothing_is_bad_about_it() -> None:
    found = list(reports(range(7, 9), 1, monotonic() + 600))
    counts = sum((r.counts for r in found), Counter[str]())
    assert {r.seed for r in found} == {7, 8}
    assert counts["policies"] == 2
    assert not any(counts[name] for name in BAD)
    assert text(counts).startswith("2 policies, ")


def test_what_is_wrong_is_told_and_counted() -> None:
    with planted("at most is less"):
        wrong = report(0)
    assert wrong.counts["unsound scans"] == sum(line.startswith("0: unsound scans: ") for line in wrong.lines) > 0


def test_no_seed_is_begun_after_the_end() -> None:
    assert list(reports(range(7, 9), 1, monotonic() - 1)) == []
