"""Records: what each field of a span is given, what is left open, and within which limits."""

from __future__ import annotations

import pytest

from selfedit_formal.core.expression import (
    Add,
    Bool,
    Int,
    Name,
    Parameter,
)
from selfedit_formal.core.policy import (
    Assign,
    End,
    Insert,
    Open,
    Set,
)
from selfedit_formal.language.resolve import load_text
from tests.language.resolve.core import body, codes, marked, mistake_in, mistakes, policy


def test_a_record_assigns_leaves_open_and_limits() -> None:
    (found,) = policy(
        "insert { tag = user, tokens <= cap, turn >= 2, turn < 9, pinned, not cleared, call = any, role = any }"
        " at back",
        "cap: int",
    ).body
    assert isinstance(found, Insert)
    assert found.place == End("back")
    assert found.assignments == (
        Assign("tag", Name("enum", "user")),
        Open("tokens", None, Parameter("cap")),
        Open("turn", Int(2), Int(8)),
        Assign("pinned", Bool(True)),
        Assign("cleared", Bool(False)),
        Open("call"),
        Open("role"),
    )


def test_a_record_of_set_reads_the_span_that_is_set() -> None:
    (found,) = policy("set s where s.pinned { turn = s.turn + 1, call = none }").body
    assert isinstance(found, Set)
    assert found.assignments[1] == Assign("call", Name("key", "none"))
    assert "turn" in str(found.assignments[0])


def test_limits_are_made_of_those_that_include_their_end() -> None:
    found = policy("insert { tag = user, turn > 2, tokens < k } at back", "k: int").body[0]
    assert isinstance(found, Insert)
    assert found.assignments[1:] == (
        Open("turn", Int(3), None),
        Open("tokens", None, Add((Parameter("k"), Int(-1)))),
    )


def test_the_lower_limit_may_stand_behind_the_upper_one() -> None:
    assert body("set s where s.pinned { turn < 9, turn >= 2 }") == body("set s where s.pinned { turn >= 2, turn < 9 }")


def test_a_field_gets_a_name_from_another_one_only_if_it_has_every_name_of_that() -> None:
    text = "window N {{ tag : t  few : y | z  some : y | x  all : x | y | z }} policy p for N {{ {} }}"
    assert load_text(text.format("set s where s.tag == t { all = s.few }")).policies
    (found,) = mistakes(text.format("set s where s.tag == t { some = s.few }"))
    assert (found.code, found.message) == ("R013", "`s.few` may be a name that `some` does not have")
    (found,) = mistakes(text.format("set s where s.tag == t { few = s.tag }"))
    assert found.message == "`s.tag` is a name of `tag`, and a name of `few` is needed here"


def test_all_that_is_wrong_with_a_record_is_told_at_once() -> None:
    assert codes("policy p for Chat { set s where s.pinned { size = nobody + 1, score = 3, tag = nothing } }") == [
        "R006",
        "R001",
        "R025",
        "R007",
    ]


def test_a_second_value_is_told_with_the_place_of_the_first() -> None:
    (found,) = mistakes("policy p for Chat { set s where s.pinned { turn = 3, turn <= 4 } }")
    ((note, place),) = found.notes
    assert (note, marked(place)) == ("it is given here first", "turn")


@pytest.mark.parametrize(
    ("text", "expected", "place"),
    [
        ("set s where s.pinned { tokens = user }", "R001 unknown name `user`", "user"),
        ("set s where s.pinned { tokens = true }", "R013 `true` is true or false, and a number is needed here", "true"),
        ("set s where s.pinned { turn = none }", "R013 `none` is `none`, and a number is needed here", "none"),
        (
            "set s where s.pinned { turn <= s.tag }",
            "R013 `s.tag` is a name of `tag`, and a number is needed here",
            "s.tag",
        ),
        ("set s where s.pinned { pinned <= 3 }", "R013 `pinned` is not a number, so it has no limits", "pinned"),
        (
            "set s where s.pinned { tag = s.role }",
            "R013 `s.role` is a name of `role`, and a name of `tag` is needed here",
            "s.role",
        ),
        ("set s where s.pinned { tag = low }", "R008 `low` is a name of `role`, not of `tag`", "low"),
        ("set s where s.pinned { tag = nothing }", "R007 window `Chat` has no tag `nothing`", "nothing"),
        (
            "set s where s.pinned { call = user }",
            "R001 unknown name `user`: a key is compared with the keys of other spans or with `none`",
            "user",
        ),
        (
            "set s where s.pinned { score = 3 }",
            "R025 `score` comes from the query, so a policy cannot set it",
            "score",
        ),
        (
            "set s where s.pinned { taste = any }",
            "R025 `taste` comes from the window, so a policy cannot set it",
            "taste",
        ),
        ("set s where s.pinned { size = 3 }", "R006 window `Chat` has no field `size`", "size"),
        ("set s where s.pinned { turn = any, turn <= 4 }", "R026 `turn` is given twice", "turn"),
        ("set s where s.pinned { turn >= 4, turn = any }", "R026 `turn` is given twice", "turn"),
        ("set s where s.pinned { turn = 3, turn <= 4 }", "R026 `turn` is given twice", "turn"),
        ("set s where s.pinned { turn <= 3, turn <= 4 }", "R026 `turn` is given twice", "turn"),
        ("set s where s.pinned { turn >= 3, turn < 9, turn > 4 }", "R026 `turn` is given twice", "turn"),
        ("insert { tag = user, turn = s.turn } at back", "R001 unknown name `s`", "s"),
    ],
)
def test_a_record_may_be_wrong(text: str, expected: str, place: str) -> None:
    assert mistake_in(text) == (expected, place)
