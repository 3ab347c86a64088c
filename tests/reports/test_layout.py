from __future__ import annotations

import pytest

from selfedit_formal.reports.layout import GLUE, Piece, TableCell, indent, line, paragraph, plain, table, written


def rows(*texts: tuple[str, ...]) -> list[list[TableCell]]:
    return [[TableCell(t) for t in row] for row in texts]


def test_columns_are_as_wide_as_their_widest_cell() -> None:
    drawn = table(("W", "P(W)"), rows(("a: user", "kept"), ("b: call", "- evicted")), ("a", "b"), 80)
    assert plain(drawn).splitlines() == ["W        P(W)", "a: user  kept", "b: call  - evicted"]


def test_the_widest_column_wraps_first() -> None:
    cell = f"a: user {{{GLUE}tokens{GLUE}={GLUE}1, pinned{GLUE}}}"
    drawn = table(("W", "P(W)"), [[TableCell(cell, hang=2), TableCell("kept")]], ("a",), 26)
    assert plain(drawn).splitlines() == [
        "W                     P(W)",
        "a: user               kept",
        "  { tokens = 1,",
        "  pinned }",
    ]


def test_columns_that_do_not_fit_continue_below() -> None:
    cells = rows(("a", *["kept"] * 5), ("b", *["- evicted".replace(" ", GLUE)] * 5))
    drawn = plain(table(("W", "P", "PP", "PPP", "PPPP", "PPPPP"), cells, ("a", "b"), 30))
    assert drawn.splitlines() == [
        "W  P          PP",
        "a  kept       kept",
        "b  - evicted  - evicted",
        "",
        "   PPP        PPPP",
        "a  kept       kept",
        "b  - evicted  - evicted",
        "",
        "   PPPPP",
        "a  kept",
        "b  - evicted",
    ]


def test_no_line_of_a_table_is_wider_than_asked_for_where_words_allow() -> None:
    cells = rows(("a: user { tokens = 12, pinned, cleared }", "kept (rule 1)", "~ tokens 12 -> 3 (rule 2)"))
    for width in range(20, 90):
        assert max(map(len, plain(table(("W", "P(W)", "P(P(W))"), cells, ("a",), width)).splitlines())) <= width


def test_a_paragraph_wraps_behind_its_label() -> None:
    assert (
        plain(paragraph("one two three four five six seven", 24, first="why "))
        == "why one two three four\n    five six seven"
    )


def test_indented_lines_keep_their_styles_and_empty_ones_stay_empty() -> None:
    assert indent([line("a", "red"), ()], 2) == ((Piece("  "), Piece("a", "red")), ())


def test_what_is_written_is_one_line_a_line_and_controls_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    lines = [line("a\x1b[2J\nall as expected\u202e"), (Piece("b", "red"), Piece("\udc80"))]
    assert written(lines, 40, colour=False) == "a\\u001b[2J\\nall as expected\\u202e\nb\\udc80"
    assert "\x1b[2J" not in written(lines, 40, colour=True)
    assert "\x1b[31mb" in written(lines, 40, colour=True)
