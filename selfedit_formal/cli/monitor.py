"""`selfedit monitor`: the signals in the log of a session."""

from __future__ import annotations

from typing import IO

import click

from selfedit_formal.cli._screen import show, width


@click.command("monitor")
@click.argument("log", metavar="LOG", type=click.File("rb"))
@click.option("--format", "shape", type=click.Choice(["text", "json"]), default="text", show_default=True)
def monitor_(log: IO[bytes], shape: str) -> int:
    """Tell which signals show in the LOG of a session, a file of JSON lines; `-` reads standard input.

    Exit codes: 0 no signals, 1 signals, 2 the log is wrong. spec/signals.md has the signals, and
    spec/session-log.schema.json the log.
    """
    from selfedit_formal.reports.json import dumped
    from selfedit_formal.reports.monitor import document, report
    from selfedit_formal.runtime.monitor import monitor

    found = monitor(log, log.name)
    if shape == "json":
        click.echo(dumped(document(found, log.name)))
    else:
        show(report(found, log.name, width()))
    return 1 if found.findings else 0


COMMAND = monitor_
