"""Text that may be broken over lines: a group is on one line if it fits, else it is broken at all its own breaks."""

from __future__ import annotations

import pytest

from selfedit_formal.language.layout import Break, Doc, Group, Nest, flat, joined, lines

CALL: Doc = Group(("f(", Nest(2, (Break(""), joined((",", Break()), ("one", "two", "three")))), Break(""), ")"))


def test_documents_are_joined_with_a_separator_between_each_two() -> None:
    assert joined(", ", ("a", "b", "c")) == ("a", ", ", "b", ", ", "c")
    assert joined(", ", ("a",)) == ("a",)
    assert joined(", ", ()) == ()


def test_flat_a_break_is_what_stands_there_if_the_line_does_not_end() -> None:
    assert flat(CALL) == "f(one, two, three)"
    assert flat(("a", Break(), "b", Break(""), Nest(4, Break("; ")))) == "a b; "


@pytest.mark.parametrize(
    ("width", "expected"),
    [
        (18, ["f(one, two, three)"]),
        (17, ["f(", "  one,", "  two,", "  three", ")"]),
        (1, ["f(", "  one,", "  two,", "  three", ")"]),
    ],
)
def test_a_group_is_on_one_line_or_broken_at_all_its_breaks(width: int, expected: list[str]) -> None:
    assert lines(CALL, 0, width) == expected


def test_a_group_in_a_group_is_broken_only_if_it_does_not_fit_itself() -> None:
    outer: Doc = Group(("g(", Nest(2, (Break(""), CALL, ",", Break(), "x")), Break(""), ")"))
    assert lines(outer, 0, 30) == ["g(f(one, two, three), x)"]
    assert lines(outer, 0, 22) == ["g(", "  f(one, two, three),", "  x", ")"]
    assert lines(outer, 0, 20) == ["g(", "  f(", "    one,", "    two,", "    three", "  ),", "  x", ")"]


def test_what_follows_a_group_up_to_the_next_line_needs_room_too() -> None:
    group: Doc = Group(("a", Break(), "b"))
    assert lines((group, "cc", Break(), "d"), 0, 5) == ["a bcc", "d"]
    assert lines((group, "ccc", Break(), "d"), 0, 5) == ["a", "bccc", "d"]


def test_a_break_outside_of_every_group_always_ends_the_line() -> None:
    assert lines(("a", Break(), "b"), 0, 100) == ["a", "b"]


def test_lines_begin_at_the_column_they_are_given_and_end_in_no_spaces() -> None:
    assert lines(("a ", Break(), Nest(3, ("b", Break(), "c"))), 2, 80) == ["  a", "  b", "     c"]
    assert lines((), 4, 80) == [""]


def test_the_column_counts_towards_the_width() -> None:
    assert lines(CALL, 2, 20) == ["  f(one, two, three)"]
    assert lines(CALL, 3, 20)[0] == "   f("


def test_a_word_that_is_too_long_stays_whole() -> None:
    assert lines(Group(("a", Break(), "b" * 9)), 0, 4) == ["a", "b" * 9]


def test_nesting_of_any_depth_is_laid_out() -> None:
    doc: Doc = "x"
    for _ in range(20_000):
        doc = Group(Nest(0, (doc,)))
    assert flat(doc) == "x"
    assert lines(doc, 0, 10) == ["x"]
