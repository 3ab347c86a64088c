"""`apply`: the other policy stands in its place, with its own names and the numbers it is given."""

from __future__ import annotations

import pytest

from selfedit_formal.core.policy import (
    Block,
    Evict,
    Keep,
    LetSpan,
)
from selfedit_formal.language.resolve.policy import APPLIED
from tests.language.resolve.core import body, codes, mistake, module, policy


def test_apply_puts_the_other_policy_in_its_place() -> None:
    more = "policy q(n: int) for Chat { let cut = first s where s.turn > n evict s where s before cut }"
    found = policy("let cut = first s where s.pinned apply q(n = k + 1) apply q(7) keep cut", "k: int", more).body
    assert [type(s) for s in found] == [LetSpan, LetSpan, Evict, LetSpan, Evict, Keep]
    assert [s.name for s in found if isinstance(s, LetSpan)] == ["cut", "cut_2", "cut_3"]


def test_an_argument_that_hangs_on_the_window_is_read_once() -> None:
    more = "policy q(n: int) for Chat { evict s where s.turn > n }"
    assert body("apply q(count(s))", more=more) == body("let n = count(s) evict s where s.turn > n")


def test_when_of_an_applied_policy_ends_that_one_alone() -> None:
    more = "policy q for Chat { when count(s) > 3 evict s where s.pinned }"
    block, evict = policy("apply q evict s where s.cleared", more=more).body
    assert isinstance(block, Block)
    assert not block.trigger
    assert isinstance(evict, Evict)
    (last,) = policy("apply q", more=more).body
    assert isinstance(last, Block)
    assert last.trigger


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("policy p for Chat { apply q }", "R003 unknown policy `q`"),
        ("policy p for Chat { apply p }", "R046 policy `p` applies itself: p -> p"),
        (
            "policy p for Chat { apply q } policy q for Chat { gate idempotent evict s where s.pinned }",
            "R046 policy `q` has gates, which look at a whole pass",
        ),
        (
            "policy p for Chat { apply q } plan q(a) for Chat { delete a }",
            "R046 `q` is a plan, and only policies can be applied",
        ),
        (
            "window Other { tag : a } policy p for Chat { apply q } policy q for Other { evict s where s.tag == a }",
            "R046 policy `q` is for window `Other`, this one for `Chat`",
        ),
        (
            "policy p for Chat { apply q } policy q(n: int) for Chat { keep s where s.turn > n }",
            "R016 policy `q` needs `n`",
        ),
        (
            "policy p for Chat { apply q(-1) } policy q(n: int >= 0) for Chat { keep s where s.turn > n }",
            "R019 `n` is >= 0, and -1 is not",
        ),
        (
            "policy p(k: int) for Chat { apply q(k) } policy q(n: int >= 0) for Chat { keep s where s.turn > n }",
            "R019 `n` is >= 0, and this number may be outside of that",
        ),
    ],
)
def test_what_cannot_be_applied_is_said(text: str, message: str) -> None:
    assert mistake(text) == message


def test_policies_that_apply_each_other_are_reported() -> None:
    found = codes("policy p for Chat { apply q } policy q for Chat { apply p }")
    assert found == ["R046"]


def test_policies_are_applied_inside_one_another_up_to_a_depth() -> None:
    def chain(length: int) -> str:
        first = "policy q0 for Chat { evict s where s.pinned }\n"
        return first + "\n".join(f"policy q{n} for Chat {{ apply q{n - 1} }}" for n in range(1, length + 1))

    assert len(module(chain(APPLIED)).policies) == APPLIED + 1
    assert codes(chain(APPLIED + 1)) == ["R044"]
    assert codes(chain(40)) == ["R044"]
