"""A diagnostic shows the place that it is about, and nothing in it controls a terminal."""

from __future__ import annotations

import unicodedata

import pytest

from selfedit_formal.core.diagnostics import Diagnostic, Location, Rejected, Source, printable, render

HOSTILE = "\x1b]0;title\x07\x00\x9b31m\u202e\u2066\u200f\udc80"


def test_whatever_was_written_is_shown_with_escapes() -> None:
    place = Location(Source(f"{HOSTILE}.sef", f"## {HOSTILE}\nb"), 1, 4, 1, 6)
    told = render(Diagnostic("E004", HOSTILE, place, HOSTILE, ((HOSTILE, place),)))
    assert told == str(Rejected((Diagnostic("E004", HOSTILE, place, HOSTILE, ((HOSTILE, place),)),)))
    assert [c for c in told if unicodedata.category(c) in ("Cc", "Cf", "Cs") and c != "\n"] == []
    assert told.count("\\u001b]0;title\\u0007\\u0000\\u009b31m\\u202e\\u2066\\u200f\\udc80") == 7


@pytest.mark.parametrize(
    ("text", "columns", "shown", "carets"),
    [
        ("ab\x1bcd", (4, 6), r"ab\u001bcd", "        ^^"),
        ("ab\x1bcd", (3, 4), r"ab\u001bcd", "  ^^^^^^"),
        ("\tab", (2, 3), " ab", " ^"),
        ("ab", (4, 5), "ab", "   ^"),
    ],
)
def test_the_carets_stand_below_what_they_mark(text: str, columns: tuple[int, int], shown: str, carets: str) -> None:
    told = render(Diagnostic("E004", "wrong", Location(Source("a.sef", text), 1, columns[0], 1, columns[1])))
    assert told.split("\n")[3:] == [f"1 | {shown}", f"  | {carets}"]


def test_what_is_for_reading_stays_as_it_is() -> None:
    assert printable("a\tb\nüß 漢字 👍\u200d") == "a\tb\nüß 漢字 👍\u200d"
