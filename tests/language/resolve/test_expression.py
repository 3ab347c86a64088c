"""Expressions: their core, their types, and what is said of those that have none."""

from __future__ import annotations

import pytest

from selfedit_formal.core.expression import (
    And,
    Before,
    Bool,
    Compare,
    Count,
    Equal,
    Expression,
    If,
    Implies,
    InSet,
    Int,
    Linked,
    Local,
    Name,
    Not,
    Or,
    Present,
    Reaches,
    Read,
    SameSpan,
    Some,
    Total,
)
from selfedit_formal.core.policy import Evict
from tests.language.resolve.core import CHAT, codes, condition, mistake, policy, tagged

TOKENS = Read("s", "tokens", "int")
PINNED = Read("s", "pinned", "bool")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # fields and names
        ("s.pinned", PINNED),
        ("s.tag == user", tagged("user")),
        ("user == s.tag", Equal(Name("enum", "user"), Read("s", "tag", "enum"))),
        ("s.tag != user", Not(tagged("user"))),
        ("s.tag in {user, call}", Or((tagged("user"), tagged("call")))),
        ("s.tag not in {user}", Not(tagged("user"))),
        ("s.call == none", Equal(Read("s", "call", "key"), Name("key", "none"))),
        ("s.pinned == s.cleared", Equal(PINNED, Read("s", "cleared", "bool"))),
        ("s.pinned iff s.cleared", Equal(PINNED, Read("s", "cleared", "bool"))),
        ("s.pinned implies s.cleared", Implies(PINNED, Read("s", "cleared", "bool"))),
        ("not not s.pinned", PINNED),
        ("true", Bool(True)),
        ("s.score > 3", Compare(">", Read("s", "score", "int"), Int(3))),
        ("s.taste > 3", Compare(">", Read("s", "taste", "int"), Int(3))),
        (
            "s.tag == (if s.pinned then user else s.tag)",
            Equal(Read("s", "tag", "enum"), If(PINNED, Name("enum", "user"), Read("s", "tag", "enum"))),
        ),
        # spans
        ("some t: t == s", Some("t", None, SameSpan("t", "s"))),
        ("some t: t != none", Some("t", None, SameSpan("t", "t"))),
        ("no t: t before s", Not(Some("t", None, Before("t", "s")))),
        ("no t: t not after s", Not(Some("t", None, Not(Before("s", "t"))))),
        ("no t: t before s in W", Not(Some("t", None, Before("t", "s")))),
        ("some t: s answers t", Some("t", None, Linked("answers", "s", "t"))),
        ("some t: s covers t", Some("t", None, Linked("covers", "s", "t"))),
        ("some t: s reaches t along answers", Some("t", None, Reaches("answers", "s", "t"))),
        ("s in W", Present("s")),
    ],
)
def test_an_expression_has_its_core(text: str, expected: Expression) -> None:
    assert condition(text, parameters="k: int") == expected


def test_a_set_is_a_domain_and_a_container() -> None:
    found = policy("let old = s where s.pinned evict t where t in old or count(u in old: u before t) > 2").body[1]
    assert isinstance(found, Evict)
    assert found.condition == Or(
        (
            InSet("t", "old"),
            Compare(">", Count("u", None, And((InSet("u", "old"), Before("u", "t")))), Int(2)),
        )
    )
    total = policy("let old = s where s.pinned evict t where total(u.tokens: u in old) > 2").body[1]
    assert isinstance(total, Evict)
    assert total.condition == Compare(">", Total("u", None, Read("u", "tokens", "int"), InSet("u", "old")), Int(2))


def test_a_tag_wins_over_a_variable_of_the_same_name_where_a_tag_is_expected() -> None:
    found = policy("let user = first s where s.pinned evict t where t.tag == user and t before user").body[1]
    assert isinstance(found, Evict)
    assert found.condition == And((tagged("user", "t"), Before("t", "user")))


def test_a_definite_span_that_is_absent_equals_none() -> None:
    found = policy("let x = first s where s.pinned evict t where x == none or none != x").body[1]
    assert isinstance(found, Evict)
    assert found.condition == Or((Not(SameSpan("x", "x")), SameSpan("x", "x")))


def test_a_local_is_read_by_its_name() -> None:
    found = policy("let n = count(s) evict t where t.turn > n").body[1]
    assert isinstance(found, Evict)
    assert found.condition == Compare(">", Read("t", "turn", "int"), Local("n", "int"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("s.tokens", "R013 `s.tokens` is a number, and true or false is needed here"),
        ("s", "R013 `s` is a span, and true or false is needed here"),
        ("s.pinned > 3", "R013 `s.pinned` is true or false, and a number is needed here"),
        (
            "s.tokens == s.pinned",
            "R013 `s.tokens` is a number and `s.pinned` is true or false: they cannot be compared",
        ),
        (
            "s.tag == s.role",
            "R013 `s.tag` is a name of `tag` and `s.role` is a name of `role`: they cannot be compared",
        ),
        ("s == 3", "R013 `s` is a span and `3` is a number: they cannot be compared"),
        ("s.tokens.turn > 3", "R013 `s.tokens` is a number, and a span is needed here"),
        ("s.pinned in {user}", "R013 `s.pinned` is true or false, and a field with listed names is needed here"),
        ("s in s", "R013 `s` is a span, and a window or a set of spans is needed here"),
        ("W == W", "R013 `W` is the current window of the pass, and only properties compare windows"),
        ("(if s.pinned then 3 else true) == 3", "R013 `true` is true or false, and a number is needed here"),
        ("s.tag == foo", "R007 window `Chat` has no tag `foo`"),
        ("s.tag in {user, foo}", "R007 window `Chat` has no tag `foo`"),
        ("s.role == user", "R008 `user` is a name of `tag`, not of `role`"),
        ("s.call == alpha", "R001 unknown name `alpha`: a key is compared with the keys of other spans or with `none`"),
        ("s.foo", "R006 window `Chat` has no field `foo`"),
        ("t.pinned", "R001 unknown name `t`"),
        ("s.tokens > capp", "R001 unknown name `capp`"),
        ("some t: s asks t", "R009 window `Chat` has no link `asks`"),
        ("some t: s reaches t along asks", "R009 window `Chat` has no link `asks`"),
        ("some s: s.pinned", "R011 `s` has a meaning here already"),
    ],
)
def test_a_mistake_is_told_in_the_words_of_the_text(text: str, expected: str) -> None:
    assert mistake(f"policy p(k: int) for Chat {{ evict s where {text} }}") == expected


def test_the_tag_of_another_window_is_told_from_an_unknown_one() -> None:
    text = "window Other { tag : trace | source } policy p for Chat { evict s where s.tag == trace }"
    assert mistake(text) == "R008 `trace` is a name of window `Other`, and this is about window `Chat`"


def test_one_mistake_gives_one_message_and_others_are_found_besides() -> None:
    text = "policy p for Chat { evict s where s.foo > 3 and (nobody(s) or s.tokens * s.turn > 2) and s.tag == bar }"
    assert codes(text) == ["R006", "R005", "R021", "R007"]


def test_the_schema_of_these_tests_is_right() -> None:
    assert CHAT.startswith("window Chat")
