"""Quantifiers: over the spans of a window or a set, and written out over a range of numbers."""

from __future__ import annotations

import pytest

from selfedit_formal.core.expression import (
    All,
    And,
    Before,
    Bool,
    Compare,
    Expression,
    Implies,
    InSet,
    Int,
    Not,
    Or,
    Read,
    Some,
)
from selfedit_formal.core.policy import Evict
from selfedit_formal.language.resolve.quantifier import EXPANSIONS
from tests.language.resolve.core import codes, condition, mistake, mistake_in, mistakes, module, policy

TOKENS = Read("s", "tokens", "int")
PINNED = Read("s", "pinned", "bool")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("all t where t.pinned: t before s", All("t", None, Implies(Read("t", "pinned", "bool"), Before("t", "s")))),
        ("some t where t.pinned: t before s", Some("t", None, And((Read("t", "pinned", "bool"), Before("t", "s"))))),
        ("some t, u: t before u", Some("t", None, Some("u", None, Before("t", "u")))),
        ("all j in 1..2: s.tokens > j", And((Compare(">", TOKENS, Int(1)), Compare(">", TOKENS, Int(2))))),
        ("some j in 1..2: s.tokens > j", Or((Compare(">", TOKENS, Int(1)), Compare(">", TOKENS, Int(2))))),
        ("no j in 1..1: s.tokens > j", Not(Compare(">", TOKENS, Int(1)))),
        ("all j in 2..1: s.tokens > j", Bool(True)),
        ("some j in 2..1: s.tokens > j", Bool(False)),
    ],
)
def test_a_quantifier_has_its_core(text: str, expected: Expression) -> None:
    assert condition(text, parameters="k: int") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("all j in 1..k: s.tokens > j", "R043 a range needs a constant, and `k` is left open"),
        ("all j in 1..100000: s.tokens > j", "R044 written out in full this takes more than 5000 steps"),
    ],
)
def test_a_range_may_be_wrong(text: str, expected: str) -> None:
    assert mistake(f"policy p(k: int) for Chat {{ evict s where {text} }}") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "property q(P: policy) = all W: some V: P(V) == W",
            "R045 `V` is a window, and windows are taken in front only",
        ),
        ("property q(P: policy) = all W: some s: s == s", "R027 it is not clear from which window `s` is taken"),
        (
            "property q(P: policy) = all W, s in W, t in P(W): no j: j == s and j == t",
            "R027 it is not clear from which window `j` is taken",
        ),
    ],
)
def test_a_bare_quantifier_has_to_be_of_one_window(text: str, expected: str) -> None:
    assert mistake(text) == expected


def test_a_condition_behind_a_step_holds_for_that_step() -> None:
    first, second = (Compare(">", Read("s", "turn", "int"), Int(n)) for n in (1, 2))
    one, two = (Compare(">", TOKENS, Int(n)) for n in (1, 2))
    text = "j in 1..2 where s.turn > j: s.tokens > j"
    assert condition(f"some {text}") == Or((And((first, one)), And((second, two))))
    assert condition(f"all {text}") == And((Implies(first, one), Implies(second, two)))


def test_steps_and_spans_may_be_taken_together() -> None:
    found = condition("all j in 1..2, t where t.turn > j: t.pinned")
    assert isinstance(found, And)
    assert [type(item) for item in found.items] == [All, All]
    assert condition("all j in 1..1, t where t.turn > j: t.pinned") == condition("all t where t.turn > 1: t.pinned")


def test_no_is_not_some_whatever_is_bound() -> None:
    assert condition("no t, u: t before u") == Not(condition("some t, u: t before u"))
    assert condition("no j in 1..2: s.tokens > j") == Not(condition("some j in 1..2: s.tokens > j"))


def test_a_set_is_a_domain_whose_members_alone_are_meant() -> None:
    text = "let old = s where s.pinned evict t where {} u in old: u before t"
    some, every = (policy(text.format(kind)).body[1] for kind in ("some", "all"))
    assert isinstance(some, Evict)
    assert isinstance(every, Evict)
    assert some.condition == Some("u", None, And((InSet("u", "old"), Before("u", "t"))))
    assert every.condition == All("u", None, Implies(InSet("u", "old"), Before("u", "t")))


@pytest.mark.parametrize(
    ("text", "expected", "place"),
    [
        ("all t in s: t.pinned", "R013 `s` is a span, and a window or a set of spans is needed here", "s"),
        ("some t, t: t.pinned", "R011 `t` has a meaning here already", "t"),
        ("all s in W: s.pinned", "R011 `s` has a meaning here already", "s"),
        ("some j in 1..2: j.pinned", "R013 `j` is a number, and a span is needed here", "j"),
        ("some j in 1..true: s.pinned", "R013 `true` is true or false, and a number is needed here", "true"),
        ("some j in s.turn..9: s.pinned", "R043 a range needs a constant, and `s.turn` is left open", "s.turn"),
    ],
)
def test_what_is_bound_may_be_wrong(text: str, expected: str, place: str) -> None:
    assert mistake_in(f"evict s where {text}") == (expected, place)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("some t in nowhere: t.foo", ["R001"]),
        ("some t where t.foo: t.bar", ["R006", "R006"]),
        ("all j in 1..nothing: s.foo > j", ["R001", "R006"]),
    ],
)
def test_behind_what_is_wrong_the_rest_is_read_but_nothing_that_hangs_on_it(text: str, expected: list[str]) -> None:
    assert codes(f"policy p for Chat {{ evict s where {text} }}") == expected


def test_steps_are_counted_over_the_whole_policy() -> None:
    half = f"some j in 1..{EXPANSIONS // 2 - 1}: s.tokens > j"
    module(f"policy p for Chat {{ evict s where {half} evict t where {half.replace('s.', 't.')} }}")
    text = (
        f"policy p for Chat {{ evict s where {half} evict t where {half.replace('s.', 't.')} evict u where u.pinned }}"
    )
    (found,) = mistakes(text)
    assert found.message == f"written out in full this takes more than {EXPANSIONS} steps"
