"""Statements in a session: what arrives, what may come back, and what an override forgives."""

from __future__ import annotations

import pytest

from selfedit_formal.core.expression import (
    FALSE,
    And,
    Compare,
    Expression,
    InSet,
    Int,
    Linked,
    Not,
    Read,
    Some,
)
from selfedit_formal.core.policy import (
    Assign,
    End,
    Insert,
    LetSet,
    Open,
    Readmit,
    Set,
)
from selfedit_formal.language.resolve import load_text
from tests.language.resolve.core import canonical, flag, tagged
from tests.language.resolve.loops import environment, steps


def test_what_arrives_may_come_and_is_open_as_far_as_the_condition_admits() -> None:
    first, second = environment("arrive up to 2 a where a.tag == user and a.turn > 1")
    assert isinstance(first, Insert)
    assert isinstance(second, Insert)
    condition = And((tagged("user", first.variable), Compare(">", Read(first.variable, "turn", "int"), Int(1))))
    assert (first.may, first.place, first.covers, first.condition) == (True, End("back"), None, condition)
    assert first.assignments == (Open("pinned"), Open("cleared"))
    assert first.site != second.site


def test_one_span_arrives_if_no_number_is_given() -> None:
    assert len(environment("arrive a where a.tag == user")) == 1


def test_flags_from_the_query_are_open_in_what_arrives() -> None:
    text = (
        "window C { tag : a liked : bool from query seen : bool from window } policy p for C { evict s where s.liked }"
    )
    found = load_text(f"{text} session loop of C {{ each turn {{ arrive s where s.tag == a apply p }} }}")
    insert = found.sessions["loop"].steps[0].policy.body[0]
    assert isinstance(insert, Insert)
    assert insert.assignments == (Open("liked"),)


def test_only_what_was_met_comes_back_from_outside() -> None:
    read, back = environment("readmit s where s.pinned")
    assert read == LetSet(0, "readmitted", "s", And((flag("pinned"), flag("met"))), archive=True)
    assert isinstance(back, Readmit)
    assert (back.condition, back.override) == (InSet("s", "readmitted"), False)


def test_an_override_forgives() -> None:
    read, back, forgiven = environment("may readmit s where s.pinned override", "tombstones sidecar")
    assert isinstance(read, LetSet)
    assert (read.may, read.archive, read.condition) == (True, True, And((flag("pinned"), flag("met"))))
    assert isinstance(back, Readmit)
    assert back.override
    assert isinstance(forgiven, Set)
    assert forgiven.condition == back.condition
    assert forgiven.assignments == (Assign("evicted", FALSE), Assign("returned", FALSE))


STANDS = Some("t", None, And((tagged("summary", "t"), Linked("covers", "t", "s"))))


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ("", ()),
        ("tombstones none", ()),
        ("tombstones sidecar", (Not(flag("evicted")),)),
        ("tombstones in_window { tag = summary, tokens = 1 }", (Not(And((flag("evicted"), STANDS))),)),
    ],
)
def test_nothing_comes_back_silently_where_a_tombstone_stands(members: str, expected: tuple[Expression, ...]) -> None:
    more = "policy recall for Chat { readmit s where s.pinned at back }\n"
    made = steps("readmit s where s.pinned apply recall", members, more)
    read = made["loop.environment"].body[0]
    assert isinstance(read, LetSet)
    assert canonical(read.condition) == canonical(And((flag("pinned"), flag("met"), *expected)))
    own = made["recall"].body[0]
    assert isinstance(own, LetSet)
    assert canonical(own.condition) == canonical(And((flag("pinned"), *expected)) if expected else flag("pinned"))


def test_what_a_policy_brings_back_by_an_override_is_forgiven_too() -> None:
    more = "policy recall for Chat { at once { evict s where s.cleared readmit s where s.pinned override } }\n"
    body = steps("apply recall", more=more)["recall"].body
    back = next(n for n, s in enumerate(body) if isinstance(s, Readmit))
    forgiven = body[back + 1]
    assert isinstance(forgiven, Set)
    assert forgiven.assignments == (Assign("evicted", FALSE), Assign("returned", FALSE))
