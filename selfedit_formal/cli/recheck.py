"""`selfedit recheck`: certificates, asked again."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from selfedit_formal.cli._exits import BROKE, WRONG
from selfedit_formal.cli._loading import loaded, nothing_in
from selfedit_formal.cli._rejecting import say
from selfedit_formal.cli._screen import show


@click.command()
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--against",
    metavar="PATH",
    multiple=True,
    help="A .sef file, or a folder of them, that the certificates must be about. May be repeated.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(0, min_open=True),
    default=30,
    show_default=True,
    metavar="S",
    help="Seconds for each condition.",
)
@click.option(
    "--solver",
    "solvers",
    type=click.Choice(["z3", "cvc5"]),
    multiple=True,
    help="Ask this one only. May be repeated.  [default: those that are installed]",
)
@click.option("--jobs", "-j", type=click.IntRange(1), metavar="N", help="Files at a time.  [default: one a processor]")
def recheck(
    paths: tuple[Path, ...], against: tuple[str, ...], timeout: float, solvers: tuple[str, ...], jobs: int | None
) -> int:
    """Ask fresh solvers again whether certificates, files or folders of them, prove what they say.

    With --against they must be proofs of checks of these files. Exit codes: 0 all is shown, 1 something does not check,
    2 a file cannot be read or was changed, 3 a solver gave no answer.
    """
    from concurrent.futures import ThreadPoolExecutor, wait

    from selfedit_formal.engines.unbounded.recheck import available
    from selfedit_formal.processes.family import end_family
    from selfedit_formal.rechecking import certificates, exit_code, summary, told
    from selfedit_formal.rechecking import recheck as asked_again

    missing = [s for s in solvers if s not in available()]
    if missing:
        raise click.UsageError(f"{', '.join(missing)} is not installed; `pip install 'selfedit-formal[cvc5]'`")
    files, empty = certificates(paths)
    policies = [Path(m.source.name) for m in loaded(against)]
    if empty:
        say([nothing_in(folder, "no certificate is") for folder in empty])
    found = []
    with ThreadPoolExecutor(jobs or os.cpu_count()) as pool:
        asked = [pool.submit(asked_again, f, policies, timeout, solvers or available()) for f in files]
        try:
            for one in asked:
                show([told(one.result())])
                sys.stdout.flush()
                found.append(one.result())
        except BaseException:  # Ctrl-C may have come to this process alone, and what is asked may take long
            while running := [one for one in asked if not one.cancel() and not one.done()]:
                end_family()
                wait(running, 0.1)
            raise
    if len(found) > 1:
        show([summary(found)])
    return max(exit_code(found), WRONG if empty and exit_code(found) not in (1, BROKE) else 0)


COMMAND = recheck
