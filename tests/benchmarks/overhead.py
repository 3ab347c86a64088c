"""(b) What an answer costs beside Z3 alone on the longest of its queries, as `selfedit smt2` writes it.

`selfedit check --proof 0` starts Python and a worker, asks for every length up to the bound, and whether the promise
holds for a reason that matters: what the query asks, and more. Without `--proof 0` it looks for a proof for every
length besides. `bounded` is the engine that asks for every length up to the bound, alone.
"""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path

from selfedit_formal.engines import Limits
from selfedit_formal.engines.bounded import BoundedRefuter
from selfedit_formal.language.resolve import load, obligation
from selfedit_formal.semantics.symbolic import encode
from selfedit_formal.semantics.symbolic.encoding import query
from tests.benchmarks.timing import ROOT, command, seconds, table

RUNS = 3

HARD = (
    ("pydantic_ai_harness", "clear_tool_results(keep_pairs = 1, min_clear = 4, placeholder = 2)", "idempotent", 8),
    (
        "clear_tool_uses",
        "clear_anthropic(trigger = 10, clear_at_least = 6, keep_last = 1, placeholder = 3)",
        "idempotent",
        8,
    ),
    ("summarize_all", "summarize_the_rest(limit = 4, size = 9)", "never_grows", 9),
)
"""File, policy, promise, and spans: obligations whose longest query takes Z3 a while."""


def measure() -> None:
    """Prints the table: seconds of each way, and ratios to Z3 alone."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for file, policy, promise, spans in HARD:
            path = ROOT / "spec" / "policies" / f"{file}.sef"
            asked = obligation(load(path), policy, promise, within=spans)
            written = Path(folder, "query.smt2")
            written.write_text(query(encode(asked, (spans,) * len(asked.claim.inputs))), encoding="utf-8")
            check = ("selfedit", "check", path, "--policy", policy, "--property", promise, "--within", str(spans))
            bare = seconds(partial(command, "z3", written), RUNS)
            engine = seconds(partial(BoundedRefuter().solve, asked, Limits(within=spans)), RUNS)
            same = seconds(partial(command, *check, "--proof", "0"), RUNS)
            whole = seconds(partial(command, *check), RUNS)
            times = tuple(f"{t:.2f} s" for t in (bare, engine, same, whole))
            ratios = tuple(f"{t / bare:.1f}" for t in (engine, same, whole))
            rows.append((f"{policy.partition('(')[0]}: {promise}, {spans} spans", *times, *ratios))
    heads = ("", "z3", "bounded", "check --proof 0", "check", "bounded / z3", "check --proof 0 / z3", "check / z3")
    table(f"an answer beside Z3 alone, medians of {RUNS}", heads, rows)
