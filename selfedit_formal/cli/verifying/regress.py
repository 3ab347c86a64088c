"""`selfedit regress`: refutations, left behind as tests."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

import click

from selfedit_formal import __version__
from selfedit_formal.cli._earlier import earlier
from selfedit_formal.cli._loading import STDIN, asked, loaded, nothing_checked
from selfedit_formal.cli._options import asking
from selfedit_formal.cli._screen import show, tell, width
from selfedit_formal.cli._writing import writable, written
from selfedit_formal.cli.verifying import VerifySettings, verified, verifying
from selfedit_formal.core.diagnostics import Diagnostic, Rejected
from selfedit_formal.core.files import write_whole


@click.command()
@click.argument("file", metavar="FILE")
@click.option(
    "--output",
    "-o",
    "directory",
    required=True,
    metavar="DIR",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where the tests go.",
)
@click.option("--force", is_flag=True, help="Write over files that differ.")
@asking
@verifying
def regress(
    file: str, directory: Path, force: bool, settings: VerifySettings, properties: tuple[str, ...], policy: str | None
) -> int:
    """Leave each refuted check of FILE behind as a pytest file, and its window as .sef.

    A test needs no solver. It fails while the policy is wrong and passes once it is mended. Tests of earlier
    counterexamples stay, and those are named that can say nothing any more.
    """
    from datetime import date

    from selfedit_formal.core.verdict import Failed, Refuted, Unknown
    from selfedit_formal.reports.regression import files, same

    if file == STDIN:
        raise Rejected((Diagnostic("E006", "a test needs a file with the policy in it, and standard input is none"),))
    modules = loaded([file])
    nothing_checked([file], modules, properties)
    questions = asked(modules, properties, policy)
    writable(directory)
    results = verified(questions, settings)
    made = files(results, directory, date.today(), __version__)
    old = {f: _there(p) for f in made if os.path.lexists(p := directory / f.name)}
    unlike = [f for f in old if not same(old[f], f.text)]
    if unlike and not force:
        hint = "nothing was written; `--force` writes over it"
        there = [f"`{directory / f.name}` is there already and differs" for f in unlike]
        raise Rejected(tuple(Diagnostic("E007", message, hint=hint) for message in there))
    failed: list[Diagnostic] = []
    for f in made:
        if f in old and f not in unlike:
            tell(f"unchanged  {directory / f.name}")
        elif written(directory / f.name, partial(write_whole, directory / f.name, f.text), failed):
            tell(f"wrote      {directory / f.name}")
    for test in earlier(directory, Path(file), [f.name for f in made]):
        tell(f"{'obsolete' if test.obsolete else 'earlier':<9}  {test.path}: {test.said}")
    refuted = sum(isinstance(r.verdict, Refuted) for r in results)
    tell(f"{refuted} of {len(results)} check{'' if len(results) == 1 else 's'} refuted")
    unanswered = [r for r in results if isinstance(r.verdict, Unknown | Failed)]
    if unanswered:
        from selfedit_formal.reports.text import check as check_lines

        for result in unanswered:
            show(check_lines(result, width()))
    if any(isinstance(r.verdict, Failed) for r in unanswered):
        return 5
    if failed:
        raise Rejected(tuple(failed))
    return 3 if unanswered else 0


def _there(path: Path) -> str:
    """The text of a file; one that cannot be read as text is like none that is written here."""
    try:
        return path.read_text(encoding="utf-8", errors="replace") if path.is_file() and not path.is_symlink() else ""
    except OSError:
        return ""


COMMAND = regress
