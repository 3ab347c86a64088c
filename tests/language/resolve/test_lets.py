"""What a `let` can name besides a set: a span that is picked, named, snapped to, or none."""

from __future__ import annotations

import pytest

from selfedit_formal.core.expression import (
    Compare,
    Count,
    InSet,
    Int,
    Local,
    Read,
    SameSpan,
    Some,
)
from selfedit_formal.core.policy import (
    LetSet,
    LetSpan,
    LetValue,
    NoSpan,
    Pick,
    SpanIf,
    SpanNamed,
)
from tests.language.resolve.core import body, codes, mistake_in, policy, tagged


def test_let_names_sets_spans_and_values() -> None:
    found = policy(
        """
        let old = s where s.tag == result
        let cut = last s where s.pinned
        let n = count(s: s in old)
        let gone = archived s where s.pinned
        let some_of = may s where s.pinned
        let back = first archived s where s.pinned
        let again = cut
        let nothing = none
        let either = if n > 2 then cut else first t where t.pinned
        evict s where s == either or s == again or s == nothing or s == back
        """
    ).body
    assert found[0] == LetSet(0, "old", "s", tagged("result"))
    assert found[1] == LetSpan(1, "cut", Pick("last", "s", Read("s", "pinned", "bool")))
    assert found[2] == LetValue(2, "n", "int", Count("s", None, InSet("s", "old")))
    assert found[3] == LetSet(3, "gone", "s", Read("s", "pinned", "bool"), archive=True)
    assert found[4] == LetSet(4, "some_of", "s", Read("s", "pinned", "bool"), may=True)
    assert found[5] == LetSpan(5, "back", Pick("first", "s", Read("s", "pinned", "bool"), archive=True))
    assert found[6] == LetSpan(6, "again", SpanNamed("cut"))
    assert found[7] == LetSpan(7, "nothing", NoSpan())
    assert found[8] == LetSpan(
        8,
        "either",
        SpanIf(
            Compare(">", Local("n", "int"), Int(2)), SpanNamed("cut"), Pick("first", "t", Read("t", "pinned", "bool"))
        ),
    )


def test_another_name_of_a_set_is_a_set() -> None:
    found = body("let a = s where s.pinned let b = a evict b")
    assert found == body("let a = s where s.pinned let b = s where s in a evict b")


@pytest.mark.parametrize(
    ("snap", "plain"),
    [
        (
            "snap cut back to c where c.tag == user",
            "last c where c.tag == user and (c == cut or c before cut)",
        ),
        (
            "snap cut forward to c where c.tag == user",
            "first c where c.tag == user and (c == cut or cut before c)",
        ),
        (
            "snap cut back to c where c.tag == user else first d where d.pinned",
            "if cut == cut then (if (some c: c.tag == user and (c == cut or c before cut)) then "
            "(last e where e.tag == user and (e == cut or e before cut)) else first d where d.pinned) else none",
        ),
    ],
)
def test_snap_is_the_nearest_legal_span(snap: str, plain: str) -> None:
    start = "let cut = first s where s.pinned let to = "
    end = " evict s where s before to"
    spelled = body(start + plain + end)
    assert len(body(start + snap + end)) == len(spelled) == 3
    if "else first" not in snap:
        assert body(start + snap + end) == spelled
        return
    found = body(start + snap + end)[1]
    assert isinstance(found, LetSpan)
    assert isinstance(found.term, SpanIf)
    assert found.term.otherwise == NoSpan()
    assert isinstance(found.term.condition, SameSpan)
    assert isinstance(found.term.then, SpanIf)
    assert isinstance(found.term.then.condition, Some)
    assert isinstance(found.term.then.then, Pick)
    pick, exists = found.term.then.then, found.term.then.condition
    assert (pick.which, pick.condition) == ("last", exists.condition)


@pytest.mark.parametrize(
    ("text", "expected", "place"),
    [
        ("let x = W evict x", "R013 `W` is a window, and a span, a set of spans or a value is needed here", "W"),
        (
            "let x = first s where s.tokens evict x",
            "R013 `s.tokens` is a number, and true or false is needed here",
            "s.tokens",
        ),
        ("let x = if s.pinned then none else none evict x", "R001 unknown name `s`", "s"),
        (
            "let y = first s where s.pinned let x = if count(s) > 1 then y else count(s) evict x",
            "R013 `y` is a span, and a value is needed here",
            "y",
        ),
        ("let x = snap y back to c where c.pinned evict x", "R001 unknown name `y`", "y"),
        (
            "let n = count(s) let x = snap n back to c where c.pinned evict x",
            "R013 `n` is a number, and a span is needed here",
            "n",
        ),
        (
            "let y = first s where s.pinned let x = snap y back to c where c.pinned else count(s) evict x",
            "R013 `count(s)` is a number, and a span is needed here",
            "count(s)",
        ),
        (
            "let y = first s where s.pinned let x = snap y back to y where y.pinned evict x",
            "R011 `y` has a meaning here already",
            "y",
        ),
    ],
)
def test_what_names_no_span_is_a_mistake(text: str, expected: str, place: str) -> None:
    assert mistake_in(text) == (expected, place)


def test_a_name_of_what_was_wrong_is_not_reported_again() -> None:
    assert codes("policy p for Chat { let x = first s where s.foo evict x keep t where t before x }") == ["R006"]


def test_a_choice_between_spans_is_a_span_whatever_is_none_in_it() -> None:
    text = "if count(s) > 1 then none else (if count(s) > 2 then (first t where t.pinned) else none)"
    found = policy(f"let x = {text} evict x").body[0]
    assert isinstance(found, LetSpan)
    assert isinstance(found.term, SpanIf)
    assert found.term.then == NoSpan()
