"""Statements that keep or change spans: what each says in the core, alone and in a session."""

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
    Origin,
    Read,
    Some,
)
from selfedit_formal.core.policy import (
    Assign,
    Beside,
    Block,
    End,
    Evict,
    Insert,
    Keep,
    LetSet,
    LetSpan,
    Move,
    Open,
    Original,
    Pick,
    Readmit,
    Set,
)
from selfedit_formal.language.resolve import load_text
from tests.language.resolve.core import body, canonical, codes, flag, mistake_in, policy, tagged
from tests.language.resolve.loops import environment, steps


def test_evict_keep_and_set_are_statements_of_the_core() -> None:
    found = policy(
        "keep s where s.tag == user evict s where s.tag == result logged set s where s.pinned { tokens = 3 }"
    )
    assert found.body == (
        Keep(0, "s", tagged("user"), Origin("keep s where s.tag == user")),
        Evict(1, "s", tagged("result"), True, Origin("evict s where s.tag == result logged")),
        Set(
            2,
            "s",
            Read("s", "pinned", "bool"),
            (Assign("tokens", Int(3)),),
            Origin("set s where s.pinned { tokens = 3 }"),
        ),
    )


def test_a_set_or_span_by_name_selects_itself() -> None:
    found = body("let old = s where s.tag == result evict old")
    assert found == body("let old = s where s.tag == result evict s where s in old")
    found = body("let cut = first s where s.tag == result keep cut")
    assert found == body("let cut = first s where s.tag == result keep s where s == cut")


def test_move_and_readmit_have_places() -> None:
    found = policy("let x = last s where s.pinned move s where s.tag == result just after x").body
    assert isinstance(found[1], Move)
    assert found[1].place == Beside("after", "x")
    (back,) = policy("readmit s where s.tag == result").body
    assert isinstance(back, Readmit)
    assert (back.place, back.override) == (Original(), False)
    (front,) = policy("readmit s where s.tag == result at front override").body
    assert isinstance(front, Readmit)
    assert (front.place, front.override) == (End("front"), True)


def test_may_is_a_subset_that_the_model_chooses() -> None:
    assert body("may evict s where s.pinned") == body("let chosen = may s where s.pinned evict s where s in chosen")
    assert body("may set s where s.pinned { turn = s.turn }") == body(
        "let chosen = may s where s.pinned set s where s in chosen { turn = s.turn }"
    )
    assert body("may readmit s where s.pinned") == body(
        "let chosen = may archived s where s.pinned readmit s where s in chosen"
    )


# ---------- summaries


def test_a_summary_takes_the_place_of_the_first_span() -> None:
    assert codes("policy p for Chat { summarize x into { tag = summary } }") == ["R001"]
    found = policy("summarize s where s.tag == result into { tag = summary, tokens <= 9 }").body
    assert found[0] == LetSet(0, "old", "s", tagged("result"))
    assert found[1] == LetSpan(1, "first", Pick("first", "s", InSet("s", "old")))
    insert, evict = found[2], found[3]
    assert isinstance(insert, Insert)
    assert (insert.place, insert.covers) == (Beside("before", "first"), "old")
    assert isinstance(evict, Evict)
    assert evict.condition == InSet("s", "old")


def test_a_summary_elsewhere_is_put_only_if_there_is_something() -> None:
    found = policy("summarize s where s.tag == result reading s where s.turn > 3 into { tag = summary } at back").body
    assert [type(s) for s in found] == [LetSet, LetSet, Block, Evict]
    block = found[2]
    assert isinstance(block, Block)
    assert block.condition == Some("s", None, InSet("s", "old"))
    (insert,) = block.body
    assert isinstance(insert, Insert)
    assert (insert.place, insert.covers) == (End("back"), "read")


def test_a_summary_leaves_out_what_is_kept() -> None:
    found = policy("keep s where s.pinned summarize s where s.tag == result into { tag = summary }").body
    kept, keep, old = found[:3]
    assert kept == LetSet(0, "kept", "s", Read("s", "pinned", "bool"))
    assert isinstance(keep, Keep)
    assert isinstance(old, LetSet)
    assert Not(InSet("s", "kept")) in getattr(old.condition, "items", ())


def test_a_keep_in_a_block_protects_from_summaries_in_the_same_block() -> None:
    found = policy("if count(t) > 1 { keep s where s.pinned summarize s where s.tag == call into { tag = user } }").body
    assert "Not(item=InSet(span='s', set='kept'))" in str(found)
    text = "if count(t) > 1 { keep s where s.pinned } summarize s where s.tag == call into { tag = user }"
    assert codes(f"policy p for Chat {{ {text} }}") == ["R037"]


@pytest.mark.parametrize(
    ("text", "expected", "place"),
    [
        ("let n = count(s) evict n", "R013 `n` is a number, and a set of spans or a span is needed here", "n"),
        ("move W at front", "R013 `W` is a window, and a set of spans or a span is needed here", "W"),
        (
            "let n = count(s) insert { tag = user } just before n",
            "R013 `n` is a number, and a span is needed here",
            "just before n",
        ),
        ("move s where s.pinned just after nobody", "R001 unknown name `nobody`", "just after nobody"),
        ("readmit s where s.pinned just before s", "R014 `s` is not bound here", "just before s"),
        (
            "evict W where W.pinned",
            "R011 `W` is the current window here and cannot name anything else",
            "W where W.pinned",
        ),
        ("evict nobody", "R001 unknown name `nobody`", "nobody"),
        ("keep s where s.turn", "R013 `s.turn` is a number, and true or false is needed here", "s.turn"),
        (
            "fill newest s where s.pinned by s.pinned up to 3",
            "R013 `s.pinned` is true or false, and a number is needed here",
            "s.pinned",
        ),
        ("fill newest s where s.pinned by s.tokens up to s.tokens", "R014 `s` is not bound here", "s"),
        ("summarize s where s.pinned reading t where u.pinned into { tag = user }", "R001 unknown name `u`", "u"),
        ("delete x", "R030 `delete` names spans one by one, which only a plan can", "delete x"),
        (
            "rewrite x { turn = 3 }",
            "R030 `rewrite` names spans one by one, which only a plan can",
            "rewrite x { turn = 3 }",
        ),
        (
            "merge x, y into { turn = 3 }",
            "R030 `merge` names spans one by one, which only a plan can",
            "merge x, y into { turn = 3 }",
        ),
        (
            "arrive s where s.pinned",
            "R052 `arrive` is what happens to a session, and a policy can only `insert`",
            "arrive s where s.pinned",
        ),
    ],
)
def test_a_statement_may_be_wrong(text: str, expected: str, place: str) -> None:
    assert mistake_in(text) == (expected, place)


# ---------- in a session


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
