"""`selfedit simulate`: a session as it might go."""

from __future__ import annotations

from pathlib import Path

import click

from selfedit_formal.cli._screen import hand_on
from selfedit_formal.cli._writing import writing
from selfedit_formal.core.diagnostics import Diagnostic, Rejected, each
from selfedit_formal.core.files import write_whole


def _settings(_: click.Context, __: click.Parameter, given: tuple[str, ...]) -> dict[str, int]:
    """Values of parameters, each written `name=value`."""

    def setting(text: str) -> tuple[str, int]:
        name, _equals, value = text.partition("=")
        try:
            return name.strip(), int(value)
        except ValueError:
            message = f"`{text}` is not a name, `=`, and a whole number"
            raise Rejected((Diagnostic("E001", message),)) from None

    return dict(each(setting, given))


@click.command("simulate")
@click.argument("file", type=click.Path())
@click.argument("session", required=False)
@click.option("--turns", type=click.IntRange(0), default=60, show_default=True, metavar="N", help="How many turns.")
@click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Equal seeds give equal logs.")
@click.option(
    "--set",
    "parameters",
    multiple=True,
    metavar="NAME=VALUE",
    callback=_settings,
    help="The value of a parameter; each parameter needs one.",
)
@click.option(
    "--from", "start", metavar="WINDOW", help="A window of FILE to start from.  [default: drawn, as small as can be]"
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, allow_dash=True),
    default="-",
    metavar="LOG",
    help="Where the log goes.  [default: standard output]",
)
def simulate_(
    file: str,
    session: str | None,
    turns: int,
    seed: int,
    parameters: dict[str, int],
    start: str | None,
    output: Path,
) -> int:
    """Run a SESSION of FILE (its only one, if none is named) as it might go, and write a log for `selfedit monitor`.

    spec/simulation.md says how what the session leaves open is drawn, and what the log shows.
    """
    from selfedit_formal.api import simulate
    from selfedit_formal.runtime.session_log import write

    events = simulate(file, session, turns=turns, seed=seed, parameters=parameters, start=start)
    log = "".join(f"{write(event)}\n" for event in events)
    if str(output) == "-":
        hand_on(log, end="")
    else:
        with writing(output):
            write_whole(output, log)
    return 0


COMMAND = simulate_
