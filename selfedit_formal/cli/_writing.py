"""Where commands write: what cannot be written is the user's to mend, and is said before there is work to lose."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from selfedit_formal.core.diagnostics import Diagnostic, Rejected
from selfedit_formal.core.files import why_not


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """For what writes the file or makes the folder. Raises Rejected if that cannot be done."""
    try:
        yield
    except (OSError, UnicodeError) as problem:
        raise Rejected((unwritten(path, why_not(problem)),)) from None


def writable(folder: Path) -> None:
    """Makes the folder if it is not there. Raises Rejected if nothing can be written in it."""
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise Rejected((unwritten(folder, "permission denied"),))


def written(path: Path, write: Callable[[], object], wrong: list[Diagnostic]) -> bool:
    """Whether the file could be written; else why not is one of the things that are wrong, and the command goes on."""
    try:
        with writing(path):
            write()
    except Rejected as rejected:
        wrong += rejected.diagnostics
        return False
    return True


def unwritten(what: Path | str, reason: str) -> Diagnostic:
    """That a file, or another place, does not have what it should."""
    shown = f"`{what}`" if isinstance(what, Path) else what
    return Diagnostic("E008", f"{shown} cannot be written: {reason}")
