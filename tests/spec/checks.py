"""Running the checks of a `.sef` file, and reading them as they are written, for the tests of the shipped ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from selfedit_formal.core.property import Obligation
from selfedit_formal.core.verdict import as_expected, word
from selfedit_formal.engines import Limits
from selfedit_formal.language import syntax
from selfedit_formal.language.parse import parse, read
from selfedit_formal.language.print import print_reference
from selfedit_formal.language.resolve import load
from selfedit_formal.verifying.verify import verify

BOUNDED = Limits(within=8, seconds=None, proof=0.0)
PROVED = Limits(within=8, seconds=None)
"""A proof for every length, or a window past the bound, is sought only where the check asks for one."""
SOUGHT = ("proved", "vacuous", "refuted")


@dataclass(frozen=True)
class Check:
    """The `number`th promise that the checks of a file ask, under the name that it is told by."""

    path: Path
    number: int
    name: str

    def __str__(self) -> str:
        return f"{self.path.stem} {self.name}"

    def surprise(self, *, vacuity: bool = True) -> str | None:
        """What is expected and what was found, if that is something else."""
        return surprise(obligations(self.path)[self.number], vacuity=vacuity)


def surprise(asked: Obligation, *, vacuity: bool = True) -> str | None:
    """What is expected of it and what was found, if that is something else."""
    result = verify(asked, PROVED if asked.expect in SOUGHT else BOUNDED, vacuity=vacuity, unanswered=None)
    return None if as_expected(result) else f"expected {asked.expect}, found {word(result.verdict)}"


@cache
def obligations(path: Path) -> tuple[Obligation, ...]:
    """What the checks of a file ask."""
    return load(path).obligations


def each(paths: Iterable[Path]) -> tuple[Check, ...]:
    """Every promise that the files' checks ask, in order."""
    return tuple(
        Check(path, number, f"{print_reference(check.target)}: {print_reference(promise)}")
        for path in paths
        for number, (check, promise) in enumerate(_promises(path))
    )


@cache
def checks(path: Path) -> tuple[syntax.CheckDeclaration, ...]:
    """The checks of a file, as written."""
    return tuple(d for d in parse(read(path)).declarations if isinstance(d, syntax.CheckDeclaration))


def written(path: Path) -> set[tuple[str, str]]:
    """What a file's checks expect: "policy: promise" and the verdict's name."""
    return {
        (f"{check.target.name}: {print_reference(promise)}", check.expect or "holds")
        for check, promise in _promises(path)
    }


def _promises(path: Path) -> Iterator[tuple[syntax.CheckDeclaration, syntax.Reference]]:
    for check in checks(path):
        for promise in check.properties:
            yield check, promise
