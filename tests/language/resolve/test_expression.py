"""Expressions: their core, their types, and what is said of those that have none."""

from __future__ import annotations

import pytest

from selfedit_formal.core.expression import (
    Add,
    All,
    And,
    Before,
    Bool,
    Compare,
    Count,
    Created,
    Divide,
    Equal,
    Expression,
    If,
    Implies,
    InSet,
    Int,
    Linked,
    Local,
    Modulo,
    Multiply,
    Name,
    Not,
    Or,
    Parameter,
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
        # numbers
        (
            "s.tokens + 1 - s.turn > 0",
            Compare(">", Add((TOKENS, Int(1), Multiply(Int(-1), Read("s", "turn", "int")))), Int(0)),
        ),
        ("3 * s.tokens * 2 > 0", Compare(">", Multiply(Int(6), TOKENS), Int(0))),
        ("k * s.tokens > 0", Compare(">", Multiply(Parameter("k"), TOKENS), Int(0))),
        ("s.tokens mod 4 == 1", Compare("==", Modulo(TOKENS, 4), Int(1))),
        ("floor(s.tokens / 2) == 1", Compare("==", Divide(TOKENS, 2, "down"), Int(1))),
        ("ceil(s.tokens / 2) == 1", Compare("==", Divide(TOKENS, 2, "up"), Int(1))),
        ("floor(s.tokens) == 1", Compare("==", TOKENS, Int(1))),
        ("floor(30% of s.tokens) == 1", Compare("==", Divide(Multiply(Int(30), TOKENS), 100, "down"), Int(1))),
        (
            "floor(s.tokens / 2 + s.turn / 3) == 1",
            Compare(
                "==",
                Divide(Add((Multiply(Int(3), TOKENS), Multiply(Int(2), Read("s", "turn", "int")))), 6, "down"),
                Int(1),
            ),
        ),
        ("floor(s.tokens * 3 / 4) == 1", Compare("==", Divide(Multiply(Int(3), TOKENS), 4, "down"), Int(1))),
        ("floor(s.tokens / 2 / 5) == 1", Compare("==", Divide(TOKENS, 10, "down"), Int(1))),
        (
            "min(s.tokens, k) == 1",
            Compare("==", If(Compare("<=", TOKENS, Parameter("k")), TOKENS, Parameter("k")), Int(1)),
        ),
        (
            "max(s.tokens, k) == 1",
            Compare("==", If(Compare(">=", TOKENS, Parameter("k")), TOKENS, Parameter("k")), Int(1)),
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
        ("created(s)", Created("s")),
        ("control(s)", Or((tagged("system"), PINNED))),
        # quantifiers
        ("all t where t.pinned: t before s", All("t", None, Implies(Read("t", "pinned", "bool"), Before("t", "s")))),
        ("some t where t.pinned: t before s", Some("t", None, And((Read("t", "pinned", "bool"), Before("t", "s"))))),
        ("some t, u: t before u", Some("t", None, Some("u", None, Before("t", "u")))),
        ("all j in 1..2: s.tokens > j", And((Compare(">", TOKENS, Int(1)), Compare(">", TOKENS, Int(2))))),
        ("some j in 1..2: s.tokens > j", Or((Compare(">", TOKENS, Int(1)), Compare(">", TOKENS, Int(2))))),
        ("no j in 1..1: s.tokens > j", Not(Compare(">", TOKENS, Int(1)))),
        ("all j in 2..1: s.tokens > j", Bool(True)),
        ("some j in 2..1: s.tokens > j", Bool(False)),
        # counting
        ("count(t) > 1", Compare(">", Count("t", None, Bool(True)), Int(1))),
        ("count(t: t.pinned) > 1", Compare(">", Count("t", None, Read("t", "pinned", "bool")), Int(1))),
        ("count(t in W: t.pinned) > 1", Compare(">", Count("t", None, Read("t", "pinned", "bool")), Int(1))),
        ("total(t.tokens) > 1", Compare(">", Total("t", None, Read("t", "tokens", "int"), Bool(True)), Int(1))),
        (
            "total(t.tokens - k: t in W and t.pinned) > 1",
            Compare(
                ">",
                Total(
                    "t",
                    None,
                    Add((Read("t", "tokens", "int"), Multiply(Int(-1), Parameter("k")))),
                    Read("t", "pinned", "bool"),
                ),
                Int(1),
            ),
        ),
        # units
        (
            "count(step after s) > 1",
            Compare(">", Count("s_2", None, And((tagged("user", "s_2"), Before("s", "s_2")))), Int(1)),
        ),
        (
            "count(step before s) > 1",
            Compare(">", Count("s_2", None, And((tagged("user", "s_2"), Before("s_2", "s")))), Int(1)),
        ),
        (
            "some t: same(step, s, t)",
            Some(
                "t",
                None,
                Not(
                    Some("s_2", None, And((tagged("user", "s_2"), Not(Equal(Before("s", "s_2"), Before("t", "s_2"))))))
                ),
            ),
        ),
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


def test_a_predicate_is_expanded_where_it_is_used() -> None:
    more = """
    predicate pair(r, c) = r.call == c.call and c before r
    predicate many(W, n: int) = count(s in W) > n
    """
    assert condition("some c: pair(s, c)", more) == Some(
        "c", None, And((Equal(Read("s", "call", "key"), Read("c", "call", "key")), Before("c", "s")))
    )
    assert condition("many(W, k + 1)", more, "k: int") == Compare(
        ">", Count("s_2", None, Bool(True)), Add((Parameter("k"), Int(1)))
    )


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
        ("count(turn after s) > 1", "R010 window `Chat` has no unit `turn`"),
        ("nobody(s)", "R005 unknown predicate `nobody`"),
        ("p(s)", "R005 `p` is a policy of this file, and only a property's own policy makes passes"),
        ("k(s)", "R005 `k` is neither a predicate nor a policy, so it cannot be applied to anything"),
        ("control(s, s)", "R016 `control` takes 1 argument, not 2"),
        ("min(1) > 0", "R016 `min` takes two numbers or more"),
        ("triggered(p, W)", "R017 `p` is not a policy, and a policy is needed here"),
        ("s.tokens * s.turn > 3", "R021 `s.tokens * s.turn` multiplies two numbers that hang on the window"),
        ("s.tokens / 2 > 3", "R022 a division needs a direction to round in"),
        ("30% of s.tokens > 3", "R022 a percentage needs a direction to round in"),
        ("floor(s.tokens / 2 mod 3) > 3", "R022 `mod` needs whole numbers"),
        ("floor(s.tokens / 0) > 3", "R023 a number is divided by a positive constant, and `0` is 0"),
        ("floor(s.tokens / k) > 3", "R023 a number is divided by a positive constant, and `k` is not a constant"),
        ("s.tokens mod 0 > 3", "R023 a number is taken modulo a positive constant, and `0` is 0"),
        ("total(3) > 3", "R048 `total(3)` names no span to sum over"),
        ("total(t.tokens + u.tokens) > 3", "R048 `total(t.tokens + u.tokens)` could sum over any of `t`, `u`"),
        ("some s: s.pinned", "R011 `s` has a meaning here already"),
        ("all j in 1..k: s.tokens > j", "R043 a range needs a constant, and `k` is left open"),
        ("all j in 1..100000: s.tokens > j", "R044 written out in full this takes more than 5000 steps"),
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


def test_a_window_without_a_control_set_says_so() -> None:
    text = "window Bare { tag : a } policy p for Bare { evict s where control(s) }"
    assert mistake(text) == "R006 window `Bare` does not say which spans are its control set"


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(
            ["predicate f0(s) = s.pinned"] + [f"predicate f{n}(s) = f{n - 1}(s) and f{n - 1}(s)" for n in range(1, 20)]
        ),
        "\n".join(["predicate g0(s) = s.pinned"] + [f"predicate g{n}(s) = g{n - 1}(s)" for n in range(1, 60)]),
        f"policy p for Chat {{ evict s where {'min(s.tokens, ' * 20}1{')' * 20} > 3 }}",
        f"policy p for Chat {{ evict s where min({'s.tokens, ' * 100}1) > 3 }}",
        f"policy p for Chat {{ evict s where {'2 * ' * 50}s.tokens > 3 }}",
        f"policy p for Chat {{ {'when count(s) > 1 ' * 120} evict s where s.pinned }}",
        "policy q0 for Chat { evict s where s.pinned }\n"
        + "\n".join(f"policy q{n} for Chat {{ apply q{n - 1} }}" for n in range(1, 40)),
        "policy p for Chat { repeat 60 { repeat 60 { repeat 60 { evict s where s.pinned } } } }",
    ],
    ids=["doubling", "chain", "nested", "many", "product", "when", "apply", "repeat"],
)
def test_what_is_large_when_written_out_is_rejected(text: str) -> None:
    assert codes(text) == ["R044"]


def test_the_schema_of_these_tests_is_right() -> None:
    assert CHAT.startswith("window Chat")
