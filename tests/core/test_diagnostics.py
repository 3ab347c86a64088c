"""A mistake is shown with its place; the mistakes of a phase are told together."""

from __future__ import annotations

import unicodedata

import pytest

from selfedit_formal.core.diagnostics import (
    EXCERPT_WIDTH,
    Diagnostic,
    Location,
    Rejected,
    Source,
    each,
    printable,
    render,
)

TEXT = Source("p.sef", "policy p for Chat {\r\n\tevict s where s.tga == note\n}")


def test_a_line_is_there_without_its_break_or_empty() -> None:
    assert [TEXT.line(n) for n in (0, 1, 3, 4)] == ["", "policy p for Chat {", "}", ""]
    assert Source("part", "a\nb", first_line=10).line(11) == "b"


def test_a_mistake_is_shown_with_its_place_its_notes_and_what_would_mend_it() -> None:
    place = Location(TEXT, 2, 16, 2, 21)
    shown = render(
        Diagnostic("S007", "no field `tga`", place, "did you mean `tag`?", (("here", Location(TEXT, 1, 8, 1, 9)),))
    )
    assert shown.splitlines() == [
        "error[S007]: no field `tga`",
        " --> p.sef:2:16",
        "  |",
        "2 |  evict s where s.tga == note",
        "  |                ^^^^^",
        "  = note: here",
        " ::: p.sef:1:8",
        "  |",
        "1 | policy p for Chat {",
        "  |        ^",
        "  = hint: did you mean `tag`?",
    ]


def test_a_mistake_without_a_place_is_its_message() -> None:
    assert render(Diagnostic("E004", "no checks")) == "error[E004]: no checks"


def test_a_place_over_several_lines_is_marked_to_the_end_of_its_first() -> None:
    assert render(Diagnostic("S001", "m", Location(TEXT, 1, 14, 3, 2))).splitlines()[-1] == "  |              ^^^^^^"


def test_a_place_at_the_end_of_a_line_has_one_caret() -> None:
    assert render(Diagnostic("S001", "m", Location(TEXT, 3, 2, 3, 2))).splitlines()[-1] == "  |  ^"


@pytest.mark.parametrize("column", [1, 150, 298])
def test_a_long_line_is_cut_around_its_place(column: int) -> None:
    text = "x" * (column - 1) + "!!!" + "x" * (300 - column - 2)
    *_, line, carets = render(
        Diagnostic("S001", "m", Location(Source("long", text), 1, column, 1, column + 3))
    ).splitlines()
    assert len(line) == len("1 | ") + EXCERPT_WIDTH
    assert [i for i, c in enumerate(carets) if c == "^"] == [i for i, c in enumerate(line) if c == "!"]


def test_what_is_made_of_each_is_there_in_order() -> None:
    assert each(str, (1, 2)) == ("1", "2")


def test_the_mistakes_of_all_are_raised_together_after_those_known_before() -> None:
    met: list[int] = []

    def odd(number: int) -> int:
        met.append(number)
        if number % 2:
            raise Rejected((Diagnostic("S001", f"{number} is odd"),))
        return number

    with pytest.raises(Rejected) as raised:
        each(odd, (1, 2, 3), (Diagnostic("S000", "known"),))
    assert [d.message for d in raised.value.diagnostics] == ["known", "1 is odd", "3 is odd"]
    assert met == [1, 2, 3]
    assert str(raised.value).splitlines()[0] == "error[S000]: known"
    with pytest.raises(Rejected):
        each(odd, (), (Diagnostic("S000", "known"),))


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
