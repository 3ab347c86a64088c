"""Statements that keep or change spans: what each says in the core."""

from __future__ import annotations

import pytest

from selfedit_formal.core.expression import (
    InSet,
    Int,
    Not,
    Origin,
    Parameter,
    Read,
    Some,
)
from selfedit_formal.core.policy import (
    Assign,
    Beside,
    Block,
    End,
    Evict,
    Fill,
    Insert,
    Keep,
    LetSet,
    LetSpan,
    Move,
    Original,
    Pick,
    Readmit,
    Set,
)
from tests.language.resolve.core import body, codes, mistake_in, policy, tagged


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


def test_a_fill_has_a_weight_and_a_cap() -> None:
    (fill,) = policy("fill newest s where s.tag == result by s.tokens up to cap", "cap: int").body
    origin = Origin("fill newest s where s.tag == result by s.tokens up to cap")
    assert fill == Fill(0, "s", True, tagged("result"), Read("s", "tokens", "int"), Parameter("cap"), origin)


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
            "n",
        ),
        ("move s where s.pinned just after nobody", "R001 unknown name `nobody`", "nobody"),
        ("readmit s where s.pinned just before s", "R014 `s` is not bound here", "s"),
        (
            "evict W where W.pinned",
            "R011 `W` is the current window here and cannot name anything else",
            "W",
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
        ("delete x", "R030 `delete` names spans one by one, which only a plan can", "delete"),
        (
            "rewrite x { turn = 3 }",
            "R030 `rewrite` names spans one by one, which only a plan can",
            "rewrite",
        ),
        (
            "merge x, y into { turn = 3 }",
            "R030 `merge` names spans one by one, which only a plan can",
            "merge",
        ),
        (
            "arrive s where s.pinned",
            "R052 `arrive` is what happens to a session, and a policy can only `insert`",
            "arrive",
        ),
    ],
)
def test_a_statement_may_be_wrong(text: str, expected: str, place: str) -> None:
    assert mistake_in(text) == (expected, place)
