"""(c) "Keep the last 8 tool results" is idempotent: ours beside plain integer counters written by hand for Z3."""

from __future__ import annotations

import sys
import tempfile
from functools import partial
from pathlib import Path

from tests.benchmarks.timing import command, seconds, table

KEPT = 8
CUT_OFF = 60.0

POLICY = f"""\
window Chat {{ tag : user | assistant | call | result }}

policy keep_last for Chat {{
  evict s where s.tag == result and count(t: t.tag == result and t after s) >= {KEPT}
}}

check keep_last: idempotent expect holds
"""


def by_hand(size: int) -> None:
    """The same question as a person would write it: a slot for each span, a sum of ones and zeros for each count."""
    import z3

    present = [z3.Bool(f"present_{i}") for i in range(size)]
    result = [z3.Bool(f"result_{i}") for i in range(size)]

    def passed(before: list[z3.BoolRef]) -> list[z3.BoolRef]:
        def newer(i: int) -> z3.ArithRef:
            return z3.Sum([z3.If(z3.And(before[j], result[j]), 1, 0) for j in range(i + 1, size)])

        return [z3.And(before[i], z3.Not(z3.And(result[i], newer(i) >= KEPT))) for i in range(size)]

    once = passed(present)
    twice = passed(once)
    solver = z3.Solver()
    solver.add(z3.Or([a != b for a, b in zip(once, twice, strict=True)]))
    assert solver.check() == z3.unsat


def ours(policy: Path, size: int) -> None:
    command("selfedit", "check", policy, "--within", str(size))


def theirs(size: int) -> None:
    command("python", "-m", "tests.benchmarks.counters", str(size), limit=CUT_OFF)


def measure() -> None:
    """Prints the table: both ways at several sizes, and how much longer the way by hand takes."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        policy = Path(folder, "keep_last.sef")
        policy.write_text(POLICY, encoding="utf-8")
        for size in (10, 20, 40, 100):
            here = seconds(partial(ours, policy, size), runs=3)
            hand = seconds(partial(theirs, size))
            cut = ">" if hand >= CUT_OFF else ""
            rows.append((f"{size} spans", f"{here:.2f} s", f"{cut}{hand:.2f} s", f"{cut}{hand / here:.1f}"))
    table(f"keep the last {KEPT} tool results: idempotent", ("", "selfedit check", "by hand", "ratio"), rows)


if __name__ == "__main__":
    by_hand(int(sys.argv[1]))
