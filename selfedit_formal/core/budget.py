"""Work that may be done, counted in steps, so that the clock decides nothing: what a search finds within so many steps
it finds on every machine, however busy that is.

A step is a step of Z3 (its `rlimit`), which does half a million to five million of them in a second. What is done in
Python counts as many as take about as long.
"""

from __future__ import annotations

from math import inf
from time import monotonic

MILLION = 1_000_000


class Spent(Exception):
    """All the work that was allowed is done."""


class OutOfTime(Exception):
    """The clock struck, which is the last resort: there is no answer."""


class Work:
    """How many steps are left (`left`), how many were done (`done`), and until when (monotonic) there is patience."""

    __slots__ = ("done", "end", "left")

    def __init__(self, steps: float = inf, end: float = inf) -> None:
        self.left = steps
        self.end = end
        self.done = 0.0

    def spend(self, steps: float) -> None:
        """Counts so many steps. Raises `Spent`, and `OutOfTime`."""
        self.took(steps)
        self.in_time()
        if self.left <= 0:
            raise Spent

    def in_time(self) -> None:
        """Raises `OutOfTime` if it is."""
        if monotonic() >= self.end:
            raise OutOfTime

    def took(self, steps: float) -> None:
        """Counts steps that were done elsewhere."""
        self.left -= steps
        self.done += steps

    def part(self, steps: float) -> Work:
        """At most so many of the steps that are left, to be counted here with `took` once they are done."""
        return Work(max(min(steps, self.left), 0), self.end)


def clock(seconds: float | None) -> float:
    """The moment (monotonic) at which so many seconds are over; never, of None."""
    return inf if seconds is None else monotonic() + seconds
