"""Running the checks of a `.sef` file, and reading them as they are written, for the tests of the shipped ones."""

from __future__ import annotations

from pathlib import Path

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


def surprises(path: Path, *, vacuity: bool = True) -> list[str]:
    """Every check of the file whose verdict is not the expected one, as a line each."""
    results = [
        verify(o, PROVED if o.expect in SOUGHT else BOUNDED, vacuity=vacuity, unanswered=None)
        for o in load(path).obligations
    ]
    return [
        f"{r.obligation.name}: expected {r.obligation.expect}, found {word(r.verdict)}"
        for r in results
        if not as_expected(r)
    ]


def checks(path: Path) -> tuple[syntax.CheckDeclaration, ...]:
    """The checks of a file, as written."""
    return tuple(d for d in parse(read(path)).declarations if isinstance(d, syntax.CheckDeclaration))


def written(path: Path) -> set[tuple[str, str]]:
    """What a file's checks expect: "policy: promise" and the verdict's name."""
    return {
        (f"{check.target.name}: {print_reference(promise)}", check.expect or "holds")
        for check in checks(path)
        for promise in check.properties
    }
