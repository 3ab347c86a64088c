"""What commands print: lines, in colour on a terminal, and a bar that moves while checks are answered."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING, TextIO

import click

from selfedit_formal.core.diagnostics import printable

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


def tell(text: str, *, err: bool = False, paint: Callable[[str], str] | None = None) -> None:
    """Text on standard output, or on standard error, with nothing in it that controls a terminal but the colours that
    `paint` puts in where there are some.

    Raises OSError if standard output takes no more. Where standard error does not, there is nobody to tell it.
    """
    with suppress(OSError) if err else nullcontext():
        told, painted = printable(text), paint is not None and colour(sys.stderr if err else sys.stdout)
        click.echo(paint(told) if paint is not None and painted else told, err=err, color=painted or None)


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

    class MovingBar(Bar):
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
        yield MovingBar()
