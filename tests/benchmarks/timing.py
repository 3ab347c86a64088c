"""Timing: a command or a call, several times, as a median in seconds; and tables of what was found."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
TOOLS = Path(sys.executable).parent


def seconds(call: Callable[[], object], runs: int = 1) -> float:
    """The median wall time of a call."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def command(*arguments: str | Path, limit: float | None = None) -> str | None:
    """What a command of this environment prints; None if the limit, in seconds, was reached.

    Python may keep compiled modules, whatever the environment says, as where the tool is installed.
    """
    try:
        done = subprocess.run(
            [TOOLS / arguments[0], *arguments[1:]],
            cwd=ROOT,
            env={n: v for n, v in os.environ.items() if n != "PYTHONDONTWRITEBYTECODE"} | {"NO_COLOR": "1"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=limit,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None
    if done.returncode > 4:
        raise SystemExit(f"{' '.join(map(str, arguments))}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def table(title: str, heads: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> None:
    """Prints a table: the first column to the left, the others to the right."""
    widths = [max(len(r[i]) for r in [heads, *rows]) for i in range(len(heads))]
    print(f"\n{title}")
    for row in [heads, *rows]:
        cells = [c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True))]
        print("  " + "  ".join(cells).rstrip())
