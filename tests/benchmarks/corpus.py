"""(a) Every shipped check, within eight spans, on two cores."""

from __future__ import annotations

import statistics
import time

from selfedit_formal.engines import Limits
from selfedit_formal.language.resolve import load
from selfedit_formal.verdict import Result, word
from selfedit_formal.workers import verify_all
from tests.benchmarks.timing import ROOT, table

SLOWEST = 5


def measure() -> None:
    """Prints the table: how many checks, the median and the slowest of them, and the time of all together."""
    files = [p for f in ("policies", "records") for p in sorted((ROOT / "spec" / f).glob("*.sef"))]
    obligations = tuple(o for p in files for o in load(p).obligations)
    start = time.perf_counter()
    results: tuple[Result, ...] = verify_all(obligations, Limits(within=8), 2, lambda _: None)
    total = time.perf_counter() - start
    times = [r.seconds for r in results]
    rows = [
        (f"all {len(times)} together", f"{total:.1f} s", ""),
        (f"median of {len(times)}", f"{statistics.median(times):.3f} s", ""),
        *(
            (r.obligation.name, f"{r.seconds:.2f} s", word(r.verdict))
            for r in sorted(results, key=lambda r: r.seconds, reverse=True)[:SLOWEST]
        ),
    ]
    table("every shipped check, within 8 spans, two at a time", ("", "time", "verdict"), rows)
