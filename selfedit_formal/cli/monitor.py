"""`selfedit monitor`: the signals in the log of a session."""

from __future__ import annotations

from errno import EISDIR
from pathlib import Path
from typing import IO

import click

from selfedit_formal.cli._screen import hand_on, show, width
from selfedit_formal.core.files import opened, why_not


@click.command("monitor")
@click.argument("log", metavar="LOG", type=click.Path(path_type=Path, allow_dash=True))
@click.option("--format", "shape", type=click.Choice(["text", "json"]), default="text", show_default=True)
def monitor_(log: Path, shape: str) -> int:
    """Tell which signals show in the LOG of a session, a file of JSON lines; `-` reads standard input.

    Exit codes: 0 no signals, 1 signals, 2 the log is wrong. spec/signals.md has the signals, and
    spec/session-log.schema.json the log.
    """
    from selfedit_formal.reports.json import dumped
    from selfedit_formal.reports.monitor import document, report
    from selfedit_formal.runtime.monitor import monitor

    name = "<stdin>" if str(log) == "-" else str(log)
    with _lines(log) as lines:
        found = monitor(lines, name)
    if shape == "json":
        hand_on(dumped(document(found, name)))
    else:
        show(report(found, name, width()))
    return 1 if found.findings else 0


def _lines(log: Path) -> IO[bytes]:
    if str(log) == "-":
        return open(0, "rb", closefd=False)
    try:
        if log.is_dir():
            raise IsADirectoryError(EISDIR, "it is a folder")
        return opened(log)
    except (OSError, ValueError) as problem:
        raise click.BadParameter(f"'{log}': {why_not(problem)}", click.get_current_context(), None, "'LOG'") from None


COMMAND = monitor_
