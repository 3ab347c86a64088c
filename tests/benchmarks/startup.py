"""(d) Commands that check nothing, beside Python doing nothing."""

from __future__ import annotations

from functools import partial

from tests.benchmarks.timing import command, seconds, table

RUNS = 15


def measure() -> None:
    """Prints the table: milliseconds, and how many times as long as an empty program."""
    commands = {
        "python -c pass": ("python", "-c", "pass"),
        "selfedit --version": ("selfedit", "--version"),
        "selfedit explain R001": ("selfedit", "explain", "R001"),
        "python -c 'import z3'": ("python", "-c", "import z3"),
    }
    times = {title: seconds(partial(command, *arguments), RUNS) for title, arguments in commands.items()}
    empty = times["python -c pass"]
    rows = [(title, f"{time * 1000:.0f} ms", f"{time / empty:.1f}") for title, time in times.items()]
    table(f"start-up, median of {RUNS}", ("", "time", "ratio"), rows)
