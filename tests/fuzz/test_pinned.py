"""The scan says of a run what the interpreter says, and where it does not approximate, nothing else."""

from __future__ import annotations

from tests.fuzz.draw import MOVES, TURNS, WIDE
from tests.fuzz.pinned import check, check_broken

SEEDS = (*range(40), *range(TURNS, TURNS + 12), *range(MOVES, MOVES + 12))
BROKEN = (*range(40, 60), *range(WIDE, WIDE + 20), *range(TURNS, TURNS + 20), *range(MOVES + 144, MOVES + 174))


def test_the_scan_admits_every_run_and_where_it_is_exact_no_other() -> None:
    tallies = [check(seed) for seed in SEEDS]
    assert [f for t in tallies for f in t.findings] == []
    assert sum(t.checks for t in tallies) > 2 * len(SEEDS)
    assert sum(t.exact for t in tallies) > len(SEEDS)


def test_the_scan_finds_a_promise_broken_where_a_window_breaks_it() -> None:
    tallies = [check_broken(seed) for seed in BROKEN]
    assert [f for t in tallies for f in t.findings] == []
    assert sum(t.checks for t in tallies) > len(BROKEN) / 4
