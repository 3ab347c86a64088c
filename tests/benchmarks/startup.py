"""(d) Commands that check nothing or next to nothing, beside Python doing nothing."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path

from tests.benchmarks.timing import command, seconds, table

RUNS = 15

TRIVIAL = """
window Chat { tag : user | note }
policy forget for Chat { evict s where s.tag == note }
check forget: idempotent
"""


def measure() -> None:
    """Prints the table: milliseconds, and how many times as long as an empty program."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "trivial.sef")
        file.write_text(TRIVIAL, encoding="utf-8")
        commands: dict[str, tuple[str | Path, ...]] = {
            "python -c pass": ("python", "-c", "pass"),
            "selfedit --version": ("selfedit", "--version"),
            "selfedit explain R001": ("selfedit", "explain", "R001"),
            "python -c 'import z3'": ("python", "-c", "import z3"),
            "selfedit check trivial.sef": ("selfedit", "check", file),
            "selfedit check --proof 0 trivial.sef": ("selfedit", "check", "--proof", "0", file),
        }
        times = {title: seconds(partial(command, *arguments), RUNS) for title, arguments in commands.items()}
    empty = times["python -c pass"]
    rows = [(title, f"{time * 1000:.0f} ms", f"{time / empty:.1f}") for title, time in times.items()]
    table(f"start-up, median of {RUNS}", ("", "time", "ratio"), rows)
