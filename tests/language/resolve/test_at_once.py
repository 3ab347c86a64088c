"""Groups: all conditions are read before any edit, and statements do not want different things of one span."""

from __future__ import annotations

import pytest

from selfedit_formal.core.expression import (
    Local,
)
from selfedit_formal.core.policy import (
    Block,
    Evict,
    LetSet,
    LetValue,
    Set,
)
from tests.language.resolve.core import body, mistake_in, policy


def test_a_group_reads_all_conditions_before_any_edit() -> None:
    grouped = body(
        """
        at once {
          keep s where s.pinned
          evict s where s.tag == result
          readmit s where s.tag == user
          move s where s.tag == call at front
        }
        """
    )
    assert grouped == body(
        """
        let a = s where s.pinned
        let b = s where s.tag == result
        let c = archived s where s.tag == user
        let d = s where s.tag == call
        keep s where s in a
        evict s where s in b
        readmit s where s in c
        move s where s in d at front
        """
    )


def test_a_group_reads_values_that_are_the_same_for_all_spans_before_any_edit() -> None:
    grouped = body("at once { evict s where s.pinned set s where s.tag == user { turn = count(t) } }")
    assert grouped == body(
        """
        let a = s where s.pinned
        let b = count(t)
        let c = s where s.tag == user
        evict s where s in a
        set s where s in c { turn = b }
        """
    ) or grouped == body(
        """
        let a = s where s.pinned
        let c = s where s.tag == user
        let b = count(t)
        evict s where s in a
        set s where s in c { turn = b }
        """
    )


def test_a_group_may_read_fields_of_its_own_span_that_nothing_has_changed() -> None:
    found = policy("at once { evict s where s.pinned set s where s.tag == user { turn = s.turn + 1 } }").body
    assert [type(s) for s in found] == [LetSet, LetSet, Evict, Set]


def test_a_group_summarizes_what_it_saw() -> None:
    grouped = policy(
        "at once { evict s where s.pinned summarize s where s.tag == call into { tag = user } at back }"
    ).body
    assert [type(s) for s in grouped] == [LetSet, LetSet, LetValue, Evict, Block, Evict]
    block = grouped[4]
    assert isinstance(block, Block)
    assert block.condition == Local("some", "bool")


def test_a_let_in_a_group_is_read_with_the_rest() -> None:
    grouped = body(
        "at once { evict s where s.pinned let cut = first s where s.tag == user evict s where s before cut }"
    )
    assert grouped == body(
        """
        let a = s where s.pinned
        let cut = first s where s.tag == user
        let b = s where s before cut
        evict s where s in a
        evict s where s in b
        """
    )


@pytest.mark.parametrize(
    "text",
    [
        "at once { evict s where s.pinned evict t where t.pinned }",
        "at once { keep s where s.pinned evict t where t.pinned }",
        "at once { set s where s.pinned { turn = 1 } set t where t.pinned { tokens = 2 } }",
        "at once { set s where s.pinned { turn = 1 } set t where t.pinned { turn = 1 } }",
        "at once { evict s where s.tag == user and s.pinned set s where s.tag == user { turn = 1 } }",
        "at once { may evict s where s.pinned set t where t.pinned { turn = 1 } }",
        "at once { evict s where s.pinned readmit s where s.pinned }",
    ],
)
def test_a_group_is_rejected_only_where_it_surely_contradicts_itself(text: str) -> None:
    policy(text)


@pytest.mark.parametrize(
    ("text", "expected", "place"),
    [
        (
            "at once { fill newest s where s.pinned by s.tokens up to 3 }",
            "R040 `fill` cannot stand in `at once`, where everything is read before anything is done",
            "fill",
        ),
        (
            "at once { when count(s) > 1 }",
            "R040 `when` cannot stand in `at once`, where everything is read before anything is done",
            "when",
        ),
        (
            "at once { at once { evict s where s.pinned } }",
            "R040 `at once` cannot stand in `at once`, where everything is read before anything is done",
            "at once { evict s where s.pinned }",
        ),
        (
            "at once { evict s where s.pinned move s where s.pinned at front }",
            "R039 this group wants to evict and to move the same spans",
            "move s where s.pinned at front",
        ),
        (
            "at once { move s where s.pinned at front move t where t.pinned at back }",
            "R039 this group wants to move and to move the same spans",
            "move t where t.pinned at back",
        ),
        (
            "at once { set s where s.pinned { turn = 1 } set t where t.pinned { turn = 2 } }",
            "R039 this group wants to set and to set the same spans",
            "set t where t.pinned { turn = 2 }",
        ),
        (
            "at once { evict s where s.tag in {user, call} summarize s where s.tag == call into { tag = user } }",
            "R039 this group wants to evict and to summarize the same spans",
            "summarize s where s.tag == call into { tag = user }",
        ),
        (
            "at once { summarize s where s.pinned into { tag = user } set t where t.pinned { turn = 2 } }",
            "R039 this group wants to summarize and to set the same spans",
            "set t where t.pinned { turn = 2 }",
        ),
        (
            "at once { evict s where s.cleared set s where s.pinned { turn = count(t: t after s) } }",
            "R041 this value would be read after an earlier statement of the group has changed what it reads",
            "set s where s.pinned { turn = count(t: t after s) }",
        ),
        (
            "at once { set s where s.cleared { turn = 1 } set s where s.pinned { tokens = s.turn } }",
            "R041 this value would be read after an earlier statement of the group has changed what it reads",
            "set s where s.pinned { tokens = s.turn }",
        ),
        (
            "let x = first t where t.pinned at once "
            "{ set s where s.cleared { turn = 1 } set s where s.pinned { tokens = s.tokens + x.turn } }",
            "R041 this value would be read after an earlier statement of the group has changed what it reads",
            "set s where s.pinned { tokens = s.tokens + x.turn }",
        ),
    ],
)
def test_a_group_that_contradicts_itself_is_a_mistake(text: str, expected: str, place: str) -> None:
    assert mistake_in(text) == (expected, place)
