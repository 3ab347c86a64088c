"""The diagnostics of one resolution, collected so that one run shows them all."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from dataclasses import replace

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
        """Adds a diagnostic made of these parts. It underlines the word that it is about, also in its notes."""
        word = None if location is None else subject(message, location)
        if location is not None and word is not None:
            location, notes = narrowed(location, word), tuple((text, narrowed(place, word)) for text, place in notes)
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


_QUOTED = re.compile(r"`([^`\n]+)`")
_SCANNED = re.compile(r"""\"[^"\n]*\"|\#[^\n]*|(?P<word>[A-Za-z_]\w*'*)""")


def subject(message: str, location: Location) -> str | None:
    """The one name that the message has in backticks and the text at this place has, too.

    None if they are several, or the message is about the whole text.
    """
    text, quoted = _text(location), set(_QUOTED.findall(message))
    found = {text} if text in quoted else quoted & {m["word"] for m in _SCANNED.finditer(text)}
    return found.pop() if len(found) == 1 else None


def narrowed(location: Location, word: str) -> Location:
    """Where the word stands first within the place; the place itself if it does not."""
    text = _text(location)
    start = next((m.start() for m in _SCANNED.finditer(text) if m["word"] == word), None)
    if start is None:
        return location
    line = location.line + text.count("\n", 0, start)
    begin = text.rfind("\n", 0, start) + 1
    column = start - begin + (location.column if begin == 0 else 1)
    return replace(location, line=line, column=column, end_line=line, end_column=column + len(word))


def _text(location: Location) -> str:
    """What is written at the place."""
    lines = [location.source.line(n) for n in range(location.line, location.end_line + 1)]
    lines[-1] = lines[-1][: location.end_column - 1]
    lines[0] = lines[0][location.column - 1 :]
    return "\n".join(lines)


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
