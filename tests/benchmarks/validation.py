"""(h) What it costs to hold every proof against the other meaning before it is shown: its share of the time of each
shipped check, one at a time, in one process.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from contextlib import ExitStack
from unittest.mock import patch

from selfedit_formal.core.property import Obligation
from selfedit_formal.core.verdict import word
from selfedit_formal.engines import Limits
from selfedit_formal.verifying.validation.trial import Trial
from selfedit_formal.verifying.verify import verify
from tests.benchmarks.corpus import shipped
from tests.benchmarks.timing import table

SLOWEST = 5


class Clock:
    """Adds up the seconds in the calls it times, a call within another being part of that."""

    def __init__(self) -> None:
        self.total, self._depth = 0.0, 0

    def timed(self, call: Callable[..., object]) -> Callable[..., object]:
        """The call, its time being added up."""

        def timing(*arguments: object, **named: object) -> object:
            start, self._depth = time.perf_counter(), self._depth + 1
            try:
                return call(*arguments, **named)
            finally:
                self._depth -= 1
                self.total += 0 if self._depth else time.perf_counter() - start

        return timing


def spent(obligation: Obligation) -> tuple[str, float, float]:
    """The verdict, the seconds of the check, and those of them that validation takes."""
    clock = Clock()
    start = time.perf_counter()
    with ExitStack() as patched:
        for name in ("__init__", "broken", "against"):
            patched.enter_context(patch.object(Trial, name, clock.timed(getattr(Trial, name))))
        result = verify(obligation, Limits(), unanswered=None)
    return word(result.verdict), time.perf_counter() - start, clock.total


def measure() -> None:
    """Prints the table."""
    found = [(obligation.name, *spent(obligation)) for obligation in shipped()]
    rows = []
    for title, chosen in (("every check", {w for _, w, _, _ in found}), ("what is proved", {"proved", "vacuous"})):
        here = [(seconds, held) for _, w, seconds, held in found if w in chosen]
        median = statistics.median(held / seconds for seconds, held in here)
        total = sum(held for _, held in here) / sum(seconds for seconds, _ in here)
        rows.append((f"{title} ({len(here)})", f"{median:.2f}", f"{total:.2f}", ""))
    for name, _, seconds, held in sorted(found, key=lambda f: f[3], reverse=True)[:SLOWEST]:
        rows.append((f"  {name}", f"{held / seconds:.2f}", "", f"{held:.2f} of {seconds:.2f} s"))
    table("proofs held against windows: share of a check's time", ("", "median", "together", ""), rows)
