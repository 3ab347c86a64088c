"""The diagnostics of one resolution, collected so that one run shows them all."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from selfedit_formal.core.diagnostics import Diagnostic, Location, Rejected


class Problems:
    """Every mistake found so far, each once."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str, Location | None], Diagnostic] = {}

    def __len__(self) -> int:
        return len(self._found)

    def add(self, diagnostic: Diagnostic) -> None:
        """Keeps the diagnostic, unless the same is said of the same place already."""
        self._found.setdefault((diagnostic.code, diagnostic.message, diagnostic.location), diagnostic)

    def report(
        self,
        code: str,
        message: str,
        location: Location | None,
        hint: str | None = None,
        notes: tuple[tuple[str, Location], ...] = (),
    ) -> None:
        """Adds a diagnostic made of these parts."""
        self.add(Diagnostic(code, message, location, hint, notes))

    def stop_if_any(self) -> None:
        """Raises Rejected with all of them in the order of the text, if there are any."""
        if self._found:
            raise Rejected(tuple(sorted(self._found.values(), key=_order)))


def _order(diagnostic: Diagnostic) -> tuple[str, int, int, str, str]:
    place = diagnostic.location
    if place is None:
        return ("", 0, 0, diagnostic.code, diagnostic.message)
    return (place.source.name, place.line, place.column, diagnostic.code, diagnostic.message)


def nearest(name: str, candidates: Iterable[str]) -> str | None:
    """The candidate a person most likely meant."""
    found = difflib.get_close_matches(name, sorted(set(candidates)), n=1, cutoff=0.6)
    return found[0] if found else None


def suggestion(name: str, candidates: Iterable[str], otherwise: str | None = None) -> str | None:
    """A hint that names the nearest candidate; without one, `otherwise`."""
    found = nearest(name, candidates)
    return f"did you mean `{found}`?" if found is not None else otherwise


def listing(names: Iterable[str]) -> str:
    """Names in backticks, for a hint."""
    return ", ".join(f"`{n}`" for n in names)
