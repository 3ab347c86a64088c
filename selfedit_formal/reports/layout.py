"""Lines of styled text, and tables that fit a width. Without styles they read the same."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from io import StringIO
from typing import Literal

from selfedit_formal._frozen import dataclass
from selfedit_formal.core.diagnostics import printable

Style = Literal["", "dim", "bold", "red", "green", "yellow", "cyan", "magenta"]


@dataclass(frozen=True, slots=True)
class Piece:
    """Text of one style, without line breaks."""

    text: str
    style: Style = ""


Line = tuple[Piece, ...]


def plain(lines: Iterable[Line]) -> str:
    """The text alone: lines joined by line breaks, without blanks at their ends."""
    return "\n".join("".join(p.text for p in line).rstrip() for line in lines)


def written(lines: Iterable[Line], width: int, *, colour: bool) -> str:
    """The lines as a terminal gets them, in colour or as they are, with nothing else in them that controls it."""
    lines = [tuple(Piece(printable(p.text).replace("\n", "\\n"), p.style) for p in line) for line in lines]
    if not colour:
        return plain(lines)
    from rich.console import Console
    from rich.text import Text

    file = StringIO()
    console = Console(file=file, force_terminal=True, color_system="standard", width=width, highlight=False)
    for line in lines:
        text = Text.assemble(*((p.text, p.style) for p in line))
        text.rstrip()
        console.print(text, soft_wrap=True)
    return file.getvalue().removesuffix("\n")


def line(text: str = "", style: Style = "") -> Line:
    return (Piece(text, style),) if text else ()


def indent(lines: Iterable[Line], by: int) -> tuple[Line, ...]:
    return tuple((Piece(" " * by), *ln) if ln else ln for ln in lines)


def paragraph(text: str, width: int, style: Style = "", first: str = "", rest: str | None = None) -> tuple[Line, ...]:
    """Text wrapped to the width. `first` stands before its first line, `rest` (or as many blanks) before others."""
    rest = " " * len(first) if rest is None else rest
    wrapped = textwrap.wrap(text, max(width - len(first), 20), break_long_words=False, break_on_hyphens=False) or [""]
    return tuple(
        tuple(p for p in (Piece(rest if n else first), Piece(t, style)) if p.text) for n, t in enumerate(wrapped)
    )


GLUE = "\N{NO-BREAK SPACE}"
"""Stands for a blank at which a cell must not be wrapped."""


@dataclass(frozen=True, slots=True)
class TableCell:
    """`hang`: how far its lines after the first hang in."""

    text: str
    style: Style = ""
    hang: int = 0


def table(
    head: Sequence[str], rows: Sequence[Sequence[TableCell]], again: Sequence[str], width: int, gap: int = 2
) -> tuple[Line, ...]:
    """Columns side by side. Where the width is too small cells wrap; where that does not do, columns continue below.

    Every row has as many cells as `head`. `again` has the first column of each row where columns continue.
    """
    columns = range(len(head))
    texts = [[head[c], *(r[c].text for r in rows)] for c in columns]
    natural = [max(len(t) for t in texts[c]) for c in columns]
    hangs = [max((r[c].hang for r in rows), default=0) for c in columns]
    least = [max(len(w) for t in texts[c] for w in t.split(" ")) + hangs[c] for c in columns]
    lines: list[Line] = []
    start, first = 1, True
    while first or start < len(head):
        names = [r[0] if first else TableCell(a, r[0].style) for r, a in zip(rows, again, strict=True)]
        lead = head[0] if first else ""
        if not first:
            lines.append(())
        lead_least = least[0] if first else max(len(a) for a in (lead, *again))
        stop = _fitting(start, lead_least, least, width, gap)
        span = range(start, stop)
        widths = _widths(
            [natural[0] if first else lead_least, *(natural[c] for c in span)],
            [lead_least, *(least[c] for c in span)],
            width,
            gap,
        )
        lines += _row([TableCell(lead, "bold"), *(TableCell(head[c], "bold") for c in span)], widths, gap)
        for name, row in zip(names, rows, strict=True):
            lines += _row([name, *(row[c] for c in span)], widths, gap)
        start, first = stop, False
    return tuple(lines)


def _fitting(start: int, lead: int, least: Sequence[int], width: int, gap: int) -> int:
    """Up to which column they stand side by side: as many as fit at their least widths, one at least."""
    used, stop = lead, start
    while stop < len(least) and (stop == start or used + gap + least[stop] <= width):
        used += gap + least[stop]
        stop += 1
    return stop


def _widths(natural: Sequence[int], least: Sequence[int], width: int, gap: int) -> list[int]:
    """Column widths: natural if they fit, else the widest columns give way first, none below its longest word."""
    widths = [max(n, m) if c else n for c, (n, m) in enumerate(zip(natural, least, strict=True))]
    while sum(widths) + gap * (len(widths) - 1) > width:
        able = [c for c in range(len(widths)) if widths[c] > least[c]]
        if not able:
            break
        widths[max(able, key=lambda c: widths[c])] -= 1
    return widths


def _row(cells: Sequence[TableCell], widths: Sequence[int], gap: int) -> list[Line]:
    wrapped = [
        textwrap.wrap(
            cell.text,
            size,
            break_long_words=False,
            break_on_hyphens=False,
            subsequent_indent=" " * cell.hang,
        )
        or [""]
        for cell, size in zip(cells, widths, strict=True)
    ]
    return [
        tuple(
            Piece((w[n] if n < len(w) else "").replace(GLUE, " ").ljust(size + gap), cell.style)
            for w, size, cell in zip(wrapped, widths, cells, strict=True)
        )
        for n in range(max(len(w) for w in wrapped))
    ]
