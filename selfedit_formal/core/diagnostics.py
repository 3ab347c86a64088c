"""Mistakes of the user as values: where, which code, what is wrong and what would mend it.

A phase collects every diagnostic it can and raises them together as one `Rejected`. `Disagreement` is
the other exception of the package: two of our own parts contradict each other, which is a bug of ours.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import field
from pathlib import Path
from typing import TypeVar

from selfedit_formal._frozen import dataclass

A = TypeVar("A")
B = TypeVar("B")


@dataclass(frozen=True, slots=True)
class Source:
    """A named text. `name` is what messages show (a path as the user gave it, or `<text>`).

    `first_line` is the number of the text's first line, where the text is a part of what the name means.
    """

    name: str
    text: str = field(repr=False)
    path: Path | None = field(default=None, compare=False)
    first_line: int = field(default=1, repr=False)

    def line(self, number: int) -> str:
        """The line with this number, without its line break; empty if there is none."""
        lines = self.text.split("\n")
        index = number - self.first_line
        return lines[index].rstrip("\r") if 0 <= index < len(lines) else ""


@dataclass(frozen=True, slots=True)
class Location:
    """A range in a source. Lines and columns count from 1; `end_column` is exclusive."""

    source: Source
    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One mistake. `code` is documented in `spec/diagnostics/CODE.md`.

    `message` is in the user's words, lower case, no full stop, user text in backticks. `notes` point at a second
    place each (for instance where a name was first declared).
    """

    code: str
    message: str
    location: Location | None = None
    hint: str | None = None
    notes: tuple[tuple[str, Location], ...] = ()


class Rejected(Exception):
    """The input is wrong. Carries every diagnostic of the phase that found it."""

    def __init__(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        assert diagnostics
        super().__init__("\n".join(render(d) for d in diagnostics))
        self.diagnostics = diagnostics


def each(function: Callable[[A], B], items: Iterable[A], wrong: Iterable[Diagnostic] = ()) -> tuple[B, ...]:
    """What the function makes of each. Raises `Rejected` with the mistakes of all, after what is `wrong` anyway."""
    made: list[B] = []
    diagnostics = list(wrong)
    for item in items:
        try:
            made.append(function(item))
        except Rejected as rejected:
            diagnostics += rejected.diagnostics
    if diagnostics:
        raise Rejected(tuple(diagnostics))
    return tuple(made)


class Disagreement(Exception):
    """Two parts of this tool contradict each other: a bug of ours, never of the user's."""


# Longer lines are cut around the marked place, so that one message stays readable.
EXCERPT_WIDTH = 100


# Controls but tab and line break, what turns the direction of writing, what ends lines, and halves of pairs.
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text: str) -> str:
    """The text with an escape for each character that is not for reading: a file may be named anything."""
    return CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def render(diagnostic: Diagnostic) -> str:
    """The diagnostic as several lines of text: heading, place, excerpt with carets, hint. Nothing in it controls a
    terminal, whatever was written."""
    lines = [printable(f"error[{diagnostic.code}]: {diagnostic.message}")]
    if diagnostic.location is not None:
        lines += _excerpt(diagnostic.location, "-->")
    for text, place in diagnostic.notes:
        lines.append(printable(f"  = note: {text}"))
        lines += _excerpt(place, ":::")
    if diagnostic.hint is not None:
        lines.append(printable(f"  = hint: {diagnostic.hint}"))
    return "\n".join(lines)


def _excerpt(place: Location, arrow: str) -> list[str]:
    number = str(place.line)
    margin = " " * len(number)
    line = place.source.line(place.line)
    end = place.end_column if place.end_line == place.line else len(line) + 1
    start = max(place.column - 1, 0)
    cut = 0
    if len(line) > EXCERPT_WIDTH:
        cut = max(0, min(start - EXCERPT_WIDTH // 3, len(line) - EXCERPT_WIDTH))
        line = line[cut : cut + EXCERPT_WIDTH]
    marked = max(1, min(end - place.column, len(line) - (start - cut)))
    line = line.replace("\t", " ")
    before, under, after = (line[: start - cut], line[start - cut : start - cut + marked], line[start - cut + marked :])
    gap = len(printable(before)) + start - cut - len(before)  # past the end of a line there may be something missing
    return [
        f"{margin}{arrow} {printable(place.source.name)}:{place.line}:{place.column}",
        f"{margin} |",
        f"{number} | {printable(before)}{printable(under)}{printable(after)}".rstrip(),
        f"{margin} | {' ' * gap}{'^' * max(1, len(printable(under)))}",
    ]
