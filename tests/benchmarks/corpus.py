"""(a) Every shipped check, within eight spans, on two cores: with and without seeking proofs for every length."""

from __future__ import annotations

import statistics
import time

from selfedit_formal.core.property import Obligation
from selfedit_formal.core.verdict import as_expected, word
from selfedit_formal.engines import Limits
from selfedit_formal.language.resolve import load
from selfedit_formal.verifying.workers import verify_all
from tests.benchmarks.timing import ROOT, table

SLOWEST = 5


def shipped() -> tuple[Obligation, ...]:
    """What the checks of all policies and records ask."""
    files = [p for f in ("policies", "records") for p in sorted((ROOT / "spec" / f).glob("*.sef"))]
    return tuple(o for p in files for o in load(p).obligations)


def rows(title: str, limits: Limits) -> list[tuple[str, str, str]]:
    """All together, the median and the slowest, with these limits."""
    asked = shipped()
    start = time.perf_counter()
    results = verify_all(asked, limits, 2, lambda _: None)
    total = time.perf_counter() - start
    surprises = sum(not as_expected(r) for r in results)
    slowest = sorted(results, key=lambda r: r.seconds, reverse=True)[:SLOWEST]
    return [
        (f"{title}: all {len(asked)} together", f"{total:.1f} s", f"{surprises} not as expected"),
        (f"{title}: median", f"{statistics.median(r.seconds for r in results):.3f} s", ""),
        *((f"  {r.obligation.name}", f"{r.seconds:.2f} s", word(r.verdict)) for r in slowest),
    ]


def measure() -> None:
    """Prints the table."""
    found = [
        *rows("without proofs", Limits(within=8, proof=0.0)),
        *rows("with proofs", Limits(within=8)),
    ]
    table("every shipped check, within 8 spans, two at a time", ("", "time", ""), found)
