"""Calls: predicates are expanded where they are used, and what is called has to be there and to fit."""

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
    Equal,
    Int,
    Parameter,
    Read,
    Some,
)
from selfedit_formal.language.resolve.call import DEPTH
from tests.language.resolve.core import codes, condition, marked, mistake, mistakes, module


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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("predicate f(s) = some t: g(t) predicate g(s, t) = true", "R016 `g` takes 2 arguments, not 1"),
        ("predicate f(s) = g(s) predicate g(W) = true", "R017 `s` is a span, and `g` takes a window here"),
        ("predicate f(s) = g(s) predicate g(n: int) = n > 1", "R017 `s` is a span, and `g` takes a number here"),
        ("property q(P: policy) = all W: P(W, W) == W", "R016 `P` takes 1 argument, not 2"),
    ],
)
def test_a_call_has_to_fit(text: str, expected: str) -> None:
    assert mistake(text) == expected


def test_a_predicate_of_a_window_is_for_that_window() -> None:
    text = "window Other { tag : a } predicate f(s) for Chat = s.pinned policy p for Other { evict s where f(s) }"
    assert mistake(text) == "R017 `f` is for window `Chat`, and this is about `Other`"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("nobody(s)", "R005 unknown predicate `nobody`"),
        ("p(s)", "R005 `p` is a policy of this file, and only a property's own policy makes passes"),
        ("k(s)", "R005 `k` is neither a predicate nor a policy, so it cannot be applied to anything"),
        ("control(s, s)", "R016 `control` takes 1 argument, not 2"),
    ],
)
def test_what_is_called_has_to_be_there(text: str, expected: str) -> None:
    assert mistake(f"policy p(k: int) for Chat {{ evict s where {text} }}") == expected


@pytest.mark.parametrize(
    ("text", "expected", "place"),
    [
        ("fine(s, s)", "R016 `fine` takes 1 argument, not 2", "fine"),
        ("fine(W)", "R017 `W` is a window, and `fine` takes a span here", "W"),
        ("fine(3)", "R017 `3` is a number, and `fine` takes a span here", "3"),
        ("small(s)", "R017 `s` is a span, and `small` takes a window here", "s"),
        ("above(true)", "R017 `true` is true or false, and `above` takes a number here", "true"),
        ("fine'(s)", "R005 unknown predicate `fine'`", "fine'"),
        ("fine(t)", "R001 unknown name `t`", "t"),
    ],
)
def test_what_is_wrong_with_a_call_is_told_where_it_is(text: str, expected: str, place: str) -> None:
    more = "predicate fine(s) = s.pinned predicate small(W) = count(s in W) < 3 predicate above(n: int) = n > 1"
    (found,) = mistakes(f"{more} policy p for Chat {{ evict s where {text} }}")
    assert (f"{found.code} {found.message}", marked(found.location)) == (expected, place)


def test_an_argument_that_does_not_fit_is_told_with_the_parameter_it_is_for() -> None:
    (found,) = mistakes("predicate above(n: int) = n > 1 policy p for Chat { evict s where above(s) }")
    ((note, place),) = found.notes
    assert (note, marked(place)) == ("the parameter is declared here", "n: int")


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("fin(s)", "did you mean `fine`?"),
        ("flor(s.tokens) > 1", "did you mean `floor`?"),
        ("xyz(s)", None),
        ("p(s)", "give it to the property as a parameter: `P: policy`"),
        ("fine(s, s)", "write `fine(s)`"),
    ],
)
def test_a_call_that_is_wrong_is_told_with_what_may_be_meant(text: str, hint: str | None) -> None:
    (found,) = mistakes(f"predicate fine(s) = s.pinned policy p for Chat {{ evict s where {text} }}")
    assert found.hint == hint


def test_a_predicate_without_a_kind_takes_a_window_if_its_name_begins_in_upper_case() -> None:
    more = "predicate all_of(S) = count(t in S) > 1 predicate one(s: window) = count(t in s) > 1"
    assert condition("all_of(W)", more) == condition("one(W)", more) == condition("count(t) > 1")


def test_a_predicate_sees_none_of_the_names_around_its_use() -> None:
    assert mistake("predicate f(s) = k > 1 policy p(k: int) for Chat { evict s where f(s) }") == "R001 unknown name `k`"
    found = condition("f(s)", "predicate f(t) = some s: s before t")
    assert found == Some("s_2", None, Before("s_2", "s"))


def test_what_a_predicate_is_given_is_what_it_is_about_wherever_that_is() -> None:
    expected = All("s_2", None, Read("s_2", "pinned", "bool"))
    assert condition("f(W)", "predicate f(V) = all s in V: s.pinned") == expected


def test_predicates_are_used_inside_one_another_up_to_a_depth() -> None:
    def chain(length: int) -> str:
        return "\n".join(
            ["predicate g0(s) = s.pinned", *(f"predicate g{n}(s) = g{n - 1}(s)" for n in range(1, length))]
        )

    assert module(chain(DEPTH))
    assert codes(chain(60)) == ["R044"]


def test_predicates_that_double_each_time_are_too_large_written_out() -> None:
    parts = (f"predicate f{n}(s) = f{n - 1}(s) and f{n - 1}(s)" for n in range(1, 20))
    assert codes("\n".join(["predicate f0(s) = s.pinned", *parts])) == ["R044"]
