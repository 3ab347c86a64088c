"""What commands print: lines, in colour on a terminal, and a bar that moves while checks are answered."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING

import click

from selfedit_formal.core.diagnostics import printable
from selfedit_formal.reports.formats import Look

if TYPE_CHECKING:
    from selfedit_formal.core.verdict import Result
    from selfedit_formal.reports.layout import Line


def width() -> int:
    """Columns to write in."""
    import shutil

    return max(shutil.get_terminal_size((100, 24)).columns, 40)


def colour() -> bool:
    """Whether standard output is a terminal that wants it."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def look(*, verbose: bool = False) -> Look:
    """How what is written looks here."""
    return Look(width(), colour(), verbose)


def tell(text: str, *, err: bool = False) -> None:
    """Text on standard output, or on standard error, with nothing in it that controls a terminal.

    Raises OSError if standard output takes no more. Where standard error does not, there is nobody to tell it.
    """
    with suppress(OSError) if err else nullcontext():
        click.echo(printable(text), err=err)


def show(lines: Sequence[Line]) -> None:
    """Lines on standard output, in colour on a terminal."""
    from selfedit_formal.reports.layout import written

    hand_on(written(lines, width(), colour=colour()))


def hand_on(text: str, *, end: str = "\n") -> None:
    """On standard output as it is: what a format made, or a text of the user's own."""
    click.echo(text + end, nl=False)


class Bar:
    """Where nobody sees a bar."""

    def advance(self, result: Result) -> None:
        """One more is there."""

    def aside(self) -> AbstractContextManager[object]:
        """While something else is written."""
        return nullcontext()


@contextmanager
def progress(total: int) -> Iterator[Bar]:
    """A bar on a terminal's standard error, else nothing."""
    if not sys.stderr.isatty() or total < 2 or os.environ.get("TERM") == "dumb":
        yield Bar()
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from selfedit_formal.reports.names import title

    columns = (
        TextColumn("checking"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[last]}", markup=False),
    )

    class Moving(Bar):
        def advance(self, result: Result) -> None:
            bar.update(task, advance=1, last=printable(title(result.obligation)))

        @contextmanager
        def aside(self) -> Iterator[object]:
            bar.stop()
            yield None
            sys.stdout.flush()
            bar.start()

    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, redirect_stdout=False) as bar:
        task = bar.add_task("", total=total, last="")
        yield Moving()
