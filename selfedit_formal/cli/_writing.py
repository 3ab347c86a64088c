"""Where commands write: what cannot be written is the user's to mend, and is said before there is work to lose."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from selfedit_formal.core.diagnostics import Diagnostic, Rejected


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """For what writes the file or makes the folder. Raises Rejected if that cannot be done."""
    try:
        yield
    except OSError as problem:
        raise _unwritable(path, (problem.strerror or str(problem)).lower()) from None


def writable(folder: Path) -> None:
    """Makes the folder if it is not there. Raises Rejected if nothing can be written in it."""
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise _unwritable(folder, "permission denied")


def _unwritable(path: Path, reason: str) -> Rejected:
    return Rejected((Diagnostic("E008", f"`{path}` cannot be written: {reason}"),))
