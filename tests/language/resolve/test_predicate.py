"""Predicates: what they are written for, how they are used, and that none uses itself."""

from __future__ import annotations

import pytest

from tests.language.resolve.core import codes, mistake, mistakes, module


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("predicate f(s) = f(s)", "R015 predicate `f` uses itself: f -> f"),
        ("predicate f(s) = s.foo", "R006 window `Chat` has no field `foo`"),
        ("predicate f(s) = s.tokens", "R013 `s.tokens` is a number, and true or false is needed here"),
        ("predicate f(s) for Chats = s.pinned", "R002 unknown window `Chats`"),
        ("predicate f(s, s) = s.pinned", "R011 parameter `s` is declared twice"),
        (
            "predicate f(s, k: int >= 1) = s.tokens > k",
            "R049 `k` of a predicate cannot have limits, which nothing would check",
        ),
        ("predicate f(P: policy) = true", "R049 a predicate takes no policy parameter"),
    ],
)
def test_a_predicate_is_looked_at_though_nothing_uses_it(text: str, expected: str) -> None:
    assert mistake(text) == expected


def test_recursion_through_others_is_told_once_with_its_way() -> None:
    (found,) = mistakes("predicate f(s) = g(s) predicate g(s) = h(s) predicate h(s) = f(s)")
    assert found.message == "predicate `f` uses itself: f -> g -> h -> f"
    assert [n for n, _ in found.notes] == ["`f` uses `g` here", "`g` uses `h` here", "`h` uses `f` here"]


def test_a_wrong_predicate_is_reported_once_however_often_it_is_used() -> None:
    text = "predicate f(s) = s.foo policy p for Chat { evict s where f(s) keep s where f(s) } check p: preserves(f)"
    assert codes(text) == ["R006"]


def test_a_predicate_of_no_window_is_looked_at_where_it_is_used() -> None:
    text = """
    window Other { tag : a | b }
    predicate f(s) = s.pinned and nobody(s)
    predicate g(s) = s.pinned
    policy p for Other { evict s where g(s) }
    """
    first, second = mistakes(text)
    assert first.code == "R005"
    assert second.message == "window `Other` has no field `pinned`"
    assert [n for n, _ in second.notes] == ["predicate `g` is used here"]


def test_spans_of_a_predicate_may_be_of_a_window_beside_it() -> None:
    module("predicate newest(s, W) = no t in W: t after s")
