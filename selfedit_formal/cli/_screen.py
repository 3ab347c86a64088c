"""What commands print: lines, in colour on a terminal, and a bar that moves while checks are answered."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

import click

if TYPE_CHECKING:
    from selfedit_formal.core.verdict import Result
    from selfedit_formal.reports.formats import Look
    from selfedit_formal.reports.layout import Line


def width() -> int:
    """Columns to write in."""
    import shutil

    return max(shutil.get_terminal_size((100, 24)).columns, 40)


def colour(stream: TextIO | None = None) -> bool:
    """Whether there is colour on the stream (None: standard output): on terminals that can, unless `NO_COLOR` is set,
    and everywhere if `FORCE_COLOR` is."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR", "0") not in ("", "0"):
        return True
    return (stream or sys.stdout).isatty() and os.environ.get("TERM") != "dumb"


def look(*, verbose: bool = False) -> Look:
    """How what is written looks here."""
    from selfedit_formal.reports.formats import Look

    return Look(width(), colour(), verbose)


def show(lines: Sequence[Line]) -> None:
    """Lines on standard output, in colour on a terminal."""
    from selfedit_formal.reports.layout import written

    click.echo(written(lines, width(), colour=colour()))


@contextmanager
def progress(total: int) -> Iterator[Callable[[Result], None] | None]:
    """What to call with each result as it comes: moves a bar on a terminal's standard error, else nothing."""
    if not sys.stderr.isatty() or total < 2 or os.environ.get("TERM") == "dumb":
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("checking"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[last]}"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=total, last="")

        def advance(result: Result) -> None:
            from selfedit_formal.reports.names import title

            bar.update(task, advance=1, last=title(result.obligation))

        yield advance
