"""The commands that verify: each is started with a host that loads the solver while the command itself is loaded.

So `__main__` can tell which these are without importing anything: they are the files of this folder.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from selfedit_formal._frozen import dataclass
from selfedit_formal.cli._options import having
from selfedit_formal.cli._screen import progress
from selfedit_formal.core.limits import UNANSWERED, Limits

if TYPE_CHECKING:
    from selfedit_formal.core.property import Obligation
    from selfedit_formal.core.verdict import Result
    from selfedit_formal.processes.host import Host

T = TypeVar("T")

DEFAULT = Limits()


@dataclass(frozen=True, slots=True)
class VerifySettings:
    """What the commands that verify have in common."""

    limits: Limits
    jobs: int | None
    unanswered: Path
    host: Host


class Answers:
    """The results of a run, in the order of the obligations, each as soon as those before it are there.

    To be gone through once. Ctrl-C ends it: `left` obligations then have no result, and the others have.
    """

    def __init__(self, obligations: Sequence[Obligation], settings: VerifySettings, vacuity: bool = False) -> None:
        self.obligations, self.settings, self.vacuity = obligations, settings, vacuity
        self.left = 0
        self.found: dict[int, Result] = {}
        """Those that are there, by the numbers of their obligations."""

    def __iter__(self) -> Iterator[Result]:
        from selfedit_formal.verifying.workers import verify_each

        settings, told = self.settings, 0
        with _patient() as patient, progress(len(self.obligations)) as bar:
            coming = verify_each(
                self.obligations,
                settings.limits,
                settings.jobs,
                vacuity=self.vacuity,
                unanswered=settings.unanswered,
                host=settings.host,
            )
            with closing(coming):
                try:
                    while (one := patient.next(coming)) is not None:
                        number, result = one
                        self.found[number] = result
                        bar.advance(result)
                        while told in self.found:
                            told += 1
                            with bar.aside():
                                yield self.found[told - 1]
                except KeyboardInterrupt:
                    self.left = len(self.obligations) - len(self.found)
            for number in sorted(n for n in self.found if n >= told):
                yield self.found[number]


class _Patient:
    """Ctrl-C that comes while something is being written waits until it is; a second one does not."""

    def __init__(self) -> None:
        self.waiting, self.asked = False, False

    def __call__(self, *_: object) -> None:
        if self.waiting or self.asked:
            raise KeyboardInterrupt
        self.asked = True

    def next(self, items: Iterator[T]) -> T | None:
        """The next of them, or None. Raises KeyboardInterrupt, whatever was asked before included."""
        self.waiting = True
        try:
            if self.asked:
                raise KeyboardInterrupt
            return next(items, None)
        finally:
            self.waiting = False


@contextmanager
def _patient() -> Iterator[_Patient]:
    patient = _Patient()
    before = signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGINT, patient)
    try:
        yield patient
    finally:
        signal.signal(signal.SIGINT, before)


def verified(obligations: Sequence[Obligation], settings: VerifySettings) -> tuple[Result, ...]:
    """All results, in the order of the obligations."""
    answers = Answers(obligations, settings)
    results = tuple(answers)
    if answers.left:
        raise KeyboardInterrupt
    return results


def verifying(command: Callable[..., int]) -> Callable[..., int]:
    """The options of every command that verifies, handed on as `settings`."""

    @wraps(command)
    def run(
        within: int,
        turns: int,
        timeout: float,
        memory: int,
        proof: float,
        search: float,
        jobs: int | None,
        output_dir: Path,
        **rest: Any,
    ) -> int:
        from selfedit_formal.processes.host import Host

        started: Host | None = click.get_current_context().obj
        with started or Host() as host:  # loads the solver while this process loads the parser and reads the files
            limits = Limits(within, timeout or None, memory or None, proof, turns, search)
            return command(settings=VerifySettings(limits, jobs, output_dir, host), **rest)

    return having(
        run,
        click.option(
            "--within",
            type=click.IntRange(1),
            default=DEFAULT.within,
            show_default=True,
            metavar="N",
            help="Look at windows of up to N spans (of sessions: 4 at most). A check's own `within` comes first.",
        ),
        click.option(
            "--turns",
            type=click.IntRange(1),
            default=DEFAULT.turns,
            show_default=True,
            metavar="K",
            help="Look at sessions of up to K turns. A check's own `within` comes first.",
        ),
        click.option(
            "--timeout",
            type=click.FloatRange(0),
            default=_told(DEFAULT.seconds),
            show_default=True,
            metavar="S",
            help="Seconds for each check, the last resort: a check that takes longer is unknown. 0: no limit.",
        ),
        click.option(
            "--memory",
            type=click.IntRange(0),
            default=_told(DEFAULT.megabytes),
            show_default=True,
            metavar="MB",
            help="Megabytes for each check; 0: no limit.",
        ),
        click.option(
            "--proof",
            type=click.FloatRange(0),
            default=_told(DEFAULT.proof),
            show_default=True,
            metavar="M",
            help="Million solver steps for a proof for every length, ten times that where "
            "a check expects one; 0: none is sought.",
        ),
        click.option(
            "--search",
            type=click.FloatRange(0, min_open=True),
            default=_told(DEFAULT.search),
            show_default=True,
            metavar="M",
            help="Million solver steps for looking through all windows up to the bound.",
        ),
        click.option(
            "--jobs", "-j", type=click.IntRange(1), metavar="N", help="Checks at a time.  [default: one a processor]"
        ),
        click.option(
            "--output-dir",
            type=click.Path(file_okay=False, path_type=Path),
            default=UNANSWERED,
            show_default=True,
            metavar="DIR",
            help="Where queries that were not answered are left.",
        ),
    )


def _told(limit: float | None) -> float:
    """A limit as the options tell it: 0 for none, and whole where it is."""
    limit = limit or 0
    return int(limit) if limit == int(limit) else limit
