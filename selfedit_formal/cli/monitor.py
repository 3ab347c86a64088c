"""`selfedit monitor`: the signals in the log of a session."""

from __future__ import annotations

from typing import IO

import click

from selfedit_formal.cli._loading import reject
from selfedit_formal.cli._screen import dump, show, width


@click.command("monitor")
@click.argument("log", metavar="LOG", type=click.File("rb"))
@click.option("--format", "shape", type=click.Choice(["text", "json"]), default="text", show_default=True)
def monitor_(log: IO[bytes], shape: str) -> int:
    """Tell which signals show in the LOG of a session, a file of JSON lines; `-` reads standard input.

    Exit codes: 0 no signals, 1 signals, 2 the log is wrong. spec/signals.md has the signals, and
    spec/session-log.schema.json the log.
    """
    from selfedit_formal.core.diagnostics import Rejected
    from selfedit_formal.reports.monitor import document, report
    from selfedit_formal.runtime.monitor import monitor

    try:
        found = monitor(log, log.name)
    except Rejected as rejected:
        reject(rejected.diagnostics, json=shape == "json")
    if shape == "json":
        dump(document(found, log.name))
    else:
        show(report(found, log.name, width()))
    return 1 if found.findings else 0


COMMAND = monitor_
