"""`selfedit check`: every promise of the files, answered."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

import click

from selfedit_formal.cli._loading import asked, loaded, nothing_checked
from selfedit_formal.cli._options import asking, reporting
from selfedit_formal.cli._screen import look
from selfedit_formal.cli._writing import writable
from selfedit_formal.cli.verifying import VerifySettings, verified, verifying
from selfedit_formal.core.diagnostics import Diagnostic, Rejected
from selfedit_formal.reports.formats import named

if TYPE_CHECKING:
    from selfedit_formal.core.property import Obligation
    from selfedit_formal.core.verdict import Result


@click.command()
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@asking
@verifying
@click.option("--no-vacuity", is_flag=True, help="Do not ask whether a promise holds for a reason that matters.")
@reporting
@click.option("--verbose", "-v", is_flag=True, help="Show why proofs hold, and draw refutations that are expected.")
@click.option(
    "--certificates",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Keep what each proof rests on, for `selfedit recheck`.",
)
@click.option("--allow-empty", is_flag=True, help="Let files pass that check nothing.")
@click.option(
    "--solve-for",
    metavar="NAMES",
    help="Look for the weakest condition on these open parameters, separated by commas, that makes a promise hold.",
)
def check(
    paths: tuple[str, ...],
    settings: VerifySettings,
    properties: tuple[str, ...],
    policy: str | None,
    no_vacuity: bool,
    shape: str,
    verbose: bool,
    certificates: Path | None,
    allow_empty: bool,
    solve_for: str | None,
) -> int:
    """Check what the files promise: .sef files, or folders of them; `-` is standard input.

    A file that checks nothing is an error, and so is a folder in which no file does.
    """
    start = monotonic()
    modules = loaded(paths)
    if not allow_empty:
        nothing_checked(paths, modules, properties)
    obligations = asked(modules, properties, policy)
    if solve_for is not None:
        return _solve(obligations, tuple(n.strip() for n in solve_for.split(",")), settings, shape)
    if certificates is not None:
        writable(certificates)
    results = verified(obligations, settings, vacuity=not no_vacuity)
    if certificates is not None:
        _keep(results, certificates)
    _keep_contradicted(results, settings.unanswered)
    seconds = monotonic() - start
    click.echo(named(shape).checked(results, seconds, look(verbose=verbose)))
    from selfedit_formal.core.verdict import exit_code

    return exit_code(results)


def _keep_contradicted(results: Sequence[Result], folder: Path) -> None:
    """Writes the proofs that a window contradicts, which the report shows."""
    from selfedit_formal.core.verdict import Failed

    wrong = [r for r in results if isinstance(r.verdict, Failed) and r.verdict.proof is not None]
    if wrong:
        _keep(wrong, folder)
        click.echo(f"note: what was proved, and is contradicted, is in {folder}", err=True)


def _keep(results: Sequence[Result], folder: Path) -> None:
    """Writes a file for each proof that has a certificate."""
    from selfedit_formal.core.certificate_file import write
    from selfedit_formal.core.smtlib import NotAdmitted
    from selfedit_formal.core.verdict import Failed, Proved
    from selfedit_formal.reports.names import title, words
    from selfedit_formal.reports.proof import kept

    taken: set[Path] = set()
    for result in results:
        proof = kept(result.obligation, result.verdict) if isinstance(result.verdict, Proved | Failed) else None
        if proof is None:
            continue
        at = result.obligation.location
        stem = "" if at is None else Path(at.source.name).stem + "_"
        stem, number = stem + words(title(result.obligation)), 1
        while (path := folder / f"{stem}{'' if number == 1 else f'_{number}'}.json") in taken:
            number += 1  # the same promise under other assumptions
        taken.add(path)
        try:
            write(proof, path)
        except NotAdmitted as error:
            click.echo(f"note: no certificate of `{title(result.obligation)}` is kept: {error}", err=True)


def _solve(obligations: Sequence[Obligation], names: tuple[str, ...], settings: VerifySettings, shape: str) -> int:
    """The conditions found, one for each check that has the parameters; 3 if none was found for one of them."""
    from selfedit_formal.verifying.solve_for import Solved, solve_for

    having = [o for o in obligations if set(names) <= {p.name for p in o.parameters}]
    if not having:
        open_ones = ", ".join(sorted({p.name for o in obligations for p in o.parameters}))
        message = f"no check leaves {', '.join(f'`{n}`' for n in names)} open"
        raise Rejected((Diagnostic("E005", message, hint=(open_ones and f"open parameters are {open_ones}") or None),))
    answers = [(o, solve_for(o, names, settings.limits)) for o in having]
    click.echo(named(shape).solved(answers, look()))
    return 0 if all(isinstance(a, Solved) for _, a in answers) else 3


COMMAND = check
