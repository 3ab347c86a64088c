"""`selfedit check`: every promise of the files, answered."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

import click

from selfedit_formal.cli._loading import asked, loaded, nothing_checked
from selfedit_formal.cli._options import asking, reporting
from selfedit_formal.cli._rejecting import say
from selfedit_formal.cli._screen import hand_on, look, tell
from selfedit_formal.cli._writing import unwritten, writable, written
from selfedit_formal.cli.verifying import Answers, VerifySettings, verifying
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
    answers = Answers(obligations, settings, vacuity=not no_vacuity)
    kept = _Kept(certificates, settings.unanswered)
    results: list[Result] = []

    def each() -> Iterator[Result]:
        for result in answers:
            kept.take(result)
            results.append(result)
            yield result

    from selfedit_formal.core.verdict import RunEnd

    def end() -> RunEnd:
        return RunEnd(monotonic() - start, answers.left, tuple(kept.unwritten))

    for text in named(shape).checked(each(), end, look(verbose=verbose)):
        hand_on(text)
        sys.stdout.flush()
    for remark in kept.remarks:
        tell(f"note: {remark}", err=True)
    if kept.unwritten:
        say(kept.unwritten)
    if answers.left:
        raise KeyboardInterrupt
    return end().code(results)


class _Kept:
    """What is left behind of results: certificates of proofs in `folder`, if that is wanted, and in `wrong` those that
    a window contradicts. `unwritten` has what could not be written, queries too."""

    def __init__(self, folder: Path | None, wrong: Path) -> None:
        self.folder, self.wrong = folder, wrong
        self.unwritten: list[Diagnostic] = []
        self.remarks: list[str] = []
        self._taken: set[Path] = set()

    def take(self, result: Result) -> None:
        from selfedit_formal.core.verdict import Failed, Proved, Unknown, UnwrittenQuery

        match result.verdict:
            case Proved() if self.folder is not None:
                self._keep(result, self.folder)
            case Failed(proof=proof) if proof is not None and self._keep(result, self.wrong):
                self.remarks.append(f"what was proved, and is contradicted, is in {self.wrong}")
            case Unknown(smt2=UnwrittenQuery(path, reason)):
                self.unwritten.append(unwritten(path, reason))
            case _:
                pass

    def _keep(self, result: Result, folder: Path) -> bool:
        """Whether a file was written, which it is if the proof has a certificate."""
        from selfedit_formal.core.certificate_file import write
        from selfedit_formal.core.smtlib import NotAdmitted
        from selfedit_formal.core.verdict import Failed, Proved
        from selfedit_formal.reports.proof import kept

        assert isinstance(result.verdict, Proved | Failed)
        proof, number = kept(result.obligation, result.verdict), 1
        if proof is None:
            return False
        stem = result.obligation.file_stem()
        while (path := folder / f"{stem}{'' if number == 1 else f'_{number}'}.json") in self._taken:
            number += 1  # the same promise, with another bound
        self._taken.add(path)
        try:
            return written(path, partial(write, proof, path), self.unwritten)
        except NotAdmitted as error:
            self.remarks.append(f"no certificate of `{result.obligation.title()}` is kept: {error}")
            return False


def _solve(obligations: Sequence[Obligation], names: tuple[str, ...], settings: VerifySettings, shape: str) -> int:
    """The conditions found, one for each check that has the parameters; 3 if none was found for one of them."""
    from selfedit_formal.verifying.solve_for import Solved, solve_for

    having = [o for o in obligations if set(names) <= {p.name for p in o.parameters}]
    if not having:
        open_ones = ", ".join(sorted({p.name for o in obligations for p in o.parameters}))
        message = f"no check leaves {', '.join(f'`{n}`' for n in names)} open"
        raise Rejected((Diagnostic("E005", message, hint=(open_ones and f"open parameters are {open_ones}") or None),))
    answers = [(o, solve_for(o, names, settings.limits)) for o in having]
    hand_on(named(shape).solved(answers, look()))
    return 0 if all(isinstance(a, Solved) for _, a in answers) else 3


COMMAND = check
