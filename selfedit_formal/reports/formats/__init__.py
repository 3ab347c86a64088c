"""Formats of what `selfedit check` reports: one file each, found by being here.

A module here has its format as `FORMAT`, and `--format` calls it as the file is called. Nothing is loaded to know which
there are. `tests/reports/test_formats.py` admits it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Protocol

from selfedit_formal._frozen import dataclass

if TYPE_CHECKING:
    from selfedit_formal.core.diagnostics import Diagnostic
    from selfedit_formal.core.property import Obligation
    from selfedit_formal.core.verdict import Result, RunEnd
    from selfedit_formal.verifying.solve_for import Solved, Unsolved

DEFAULT = "text"


@dataclass(frozen=True, slots=True)
class Look:
    """How it is to look, where the reader is a person: columns, colours, and whether all is drawn (`verbose`)."""

    width: int = 100
    colour: bool = False
    verbose: bool = False


class Format(Protocol):
    """What it makes is what standard output gets, without the last line break. Equal arguments make equal texts, which
    UTF-8 can write and in which nothing controls a terminal but the colours that were asked for."""

    def checked(self, results: Iterable[Result], end: Callable[[], RunEnd], look: Look) -> Iterator[str]:
        """Every result of a run, told as it comes, in texts that stand on lines of their own; there may be none. How it
        ended is known once there are no more."""

    def solved(self, answers: Sequence[tuple[Obligation, Solved | Unsolved]], look: Look) -> str:
        """What makes each of the promises hold (`--solve-for`)."""

    def rejected(self, diagnostics: Sequence[Diagnostic]) -> str:
        """What there is instead if the files or the command line are wrong. Standard error says it to a person whatever
        the format, so this may be empty."""


def names() -> tuple[str, ...]:
    """What `--format` calls them."""
    return tuple(sorted(m.name for m in iter_modules(__path__) if not m.name.startswith("_")))


def named(name: str) -> Format:
    """The format of that name, of those that are here."""
    found: Format = import_module(f"{__name__}.{name}").FORMAT
    return found
