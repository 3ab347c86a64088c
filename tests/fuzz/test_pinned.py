"""The scan says of a run what the interpreter says, and where it does not approximate, nothing else."""

from __future__ import annotations

from tests.fuzz.draw import TURNS
from tests.fuzz.pinned import check

SEEDS = (*range(40), *range(TURNS, TURNS + 12))


def test_the_scan_admits_every_run_and_where_it_is_exact_no_other() -> None:
    tallies = [check(seed) for seed in SEEDS]
    assert [f for t in tallies for f in t.findings] == []
    assert sum(t.checks for t in tallies) > 2 * len(SEEDS)
    assert sum(t.exact for t in tallies) > len(SEEDS)
