"""Mistakes of the text: each is told in the user's words, where it is, with what may have been meant."""

from __future__ import annotations

import pytest

from selfedit_formal.core.diagnostics import Rejected, Source
from selfedit_formal.language.parse import parse
from tests.language.reading import told, within_policy
from tests.language.resolve.core import marked

# ---------- brackets


@pytest.mark.parametrize(
    ("text", "expected", "place", "hint"),
    [
        (
            "policy p for W { evict s where (s.a }",
            "S004 `(` is not closed before this `}`",
            "(",
            "write `)` where it ends",
        ),
        ("policy p for W { evict s where s.a) }", "S005 `)` closes nothing", ")", "take it out, or open it before"),
        ("check p: pure(3]", "S005 `]` closes nothing", "]", "take it out, or open it before"),
        ("window W { tag : a } }", "S005 `}` closes nothing", "}", "take it out, or open it before"),
        (
            "policy p for W { set s where s.a { x = 3 }",
            "S004 `{` is not closed before the text ends",
            "{",
            "write `}` where it ends",
        ),
        (
            "session s of K { each turn { apply p }",
            "S004 `{` is not closed before the text ends",
            "{",
            "write `}` where it ends",
        ),
        (
            "policy p for W {\n  evict s where s.stale\ncheck p: pure",
            "S004 `{` is not closed before the next declaration",
            "{",
            "write `}` where it ends",
        ),
    ],
)
def test_a_bracket_that_is_not_closed_or_closes_nothing_is_told(
    text: str, expected: str, place: str, hint: str | None
) -> None:
    assert told(text) == (expected, place, hint)


def test_of_a_bracket_that_is_not_closed_it_is_told_where_it_should_be() -> None:
    with pytest.raises(Rejected) as caught:
        parse(Source("example.sef", "policy p for W { evict s where (s.a }"))
    ((note, place),) = caught.value.diagnostics[0].notes
    assert (note, marked(place), place.column) == ("here it should be closed already", "}", 37)


# ---------- words and operators


@pytest.mark.parametrize(
    ("text", "expected", "place", "hint"),
    [
        ("evict s where s.tag = a", "S006 `=` gives a value, and here two are compared", "=", "write `==`"),
        ("set s where s.a { x == 3 }", "S006 `==` compares two values, and here one is given", "==", "write `=`"),
        (
            "evict s where 1 + some t: t.a",
            "S011 `some` cannot stand right after `+`",
            "some",
            "put it in parentheses: `(some …)`",
        ),
        (
            "evict s where s.a == not s.b",
            "S011 `not` cannot stand right after `==`",
            "not",
            "put it in parentheses: `(not …)`",
        ),
        (
            "evict s where 1 < 2 < 3",
            "S012 a second comparison, `<`, follows the first",
            "<",
            "join two comparisons with `and`: `a < b and b < c`",
        ),
        (
            "evict s where s before t before u",
            "S012 a second comparison, `before`, follows the first",
            "before",
            "join two comparisons with `and`: `a < b and b < c`",
        ),
        (
            "evict s where s.a | s.b",
            "S001 expected a statement, an operator, `}` or `logged`, found `|`",
            "|",
            "write `or`",
        ),
        (
            "evict s where s.a || s.b",
            "S001 expected a statement, an operator, `}` or `logged`, found `|`",
            "|",
            "write `or`",
        ),
        (
            "evict s where s.a ** 2 > 1",
            "S001 expected an expression, found `*`",
            "*",
            "there are no powers",
        ),
        (
            "evict s where s.a // why",
            "S001 expected an expression, found `/`",
            "/",
            "comments begin with `#`; division is `/` inside `floor(…)` or `ceil(…)`",
        ),
        ("evict s where s.a and", "S001 expected an expression, found `}`", "}", None),
        (
            "evict s where 1.5 > s.a",
            "S001 expected a name, found `5`",
            "5",
            "numbers are whole: for a part of something write `30% of x`",
        ),
        (
            "when total(t.tokens) > 1.5",
            "S001 expected a name, found `5`",
            "5",
            "numbers are whole: for a part of something write `30% of x`",
        ),
        ("insert { tag = a }", "S001 expected `at` or `just`, found `}`", "}", None),
        (
            "summarize s where a",
            "S001 this `summarize` does not say what it puts in",
            "summarize",
            "write it behind `into`: `summarize s where … into { tag = … }`",
        ),
    ],
)
def test_an_operator_that_cannot_stand_there_is_told_with_what_can(
    text: str, expected: str, place: str, hint: str | None
) -> None:
    assert told(within_policy(text)) == (expected, place, hint)


@pytest.mark.parametrize(
    ("text", "expected", "place", "hint"),
    [
        ("windo W { tag : a }", "S007 unknown word `windo`", "windo", "did you mean `window`?"),
        ("policy p for W { evct s where s.a }", "S007 unknown word `evct`", "evct", "did you mean `evict`?"),
        ("policy p for W { keep s were s.a }", "S007 unknown word `were`", "were", "did you mean `where`?"),
        (
            "policy p for W { evict all s where s.a }",
            "S010 `all` is a word of the language, and here a name should stand",
            "all",
            "it is about all spans that meet its condition: `evict s where …`",
        ),
        ("window W { tag : a\n  assme x }", "S007 unknown word `assme`", "assme", "did you mean `assume`?"),
        ("session s of W {\n  invarant x\n}", "S007 unknown word `invarant`", "invarant", "did you mean `invariant`?"),
        (
            "session s of K { each turn { apply p } ledger sidecarr }",
            "S007 unknown word `sidecarr`",
            "sidecarr",
            "did you mean `sidecar`?",
        ),
        (
            "session s of K { each turn { apply p } tombstone none }",
            "S007 unknown word `tombstone`",
            "tombstone",
            "did you mean `tombstones`?",
        ),
        ("property p(S: sesion) = always W: true", "S007 unknown word `sesion`", "sesion", "did you mean `session`?"),
    ],
)
def test_a_word_that_is_near_one_of_the_language_is_taken_for_it(
    text: str, expected: str, place: str, hint: str | None
) -> None:
    assert told(text) == (expected, place, hint)


@pytest.mark.parametrize(
    ("text", "expected", "place", "hint"),
    [
        (
            "property p(S: session) = (never W: true)",
            "S008 `never` stands at the front of a session's promise, and nowhere else",
            "never",
            "write `property name(S: session) = never …`",
        ),
        (
            "predicate p(W) = all s in W: always V: true",
            "S008 `always` stands at the front of a session's promise, and nowhere else",
            "always",
            "write `property name(S: session) = always …`",
        ),
        (
            "property p(S: session) = all s in W: at most once t in W: true",
            "S008 `at most once` stands at the front of a session's promise, and nowhere else",
            "at",
            "write `property name(S: session) = at most once …`",
        ),
    ],
)
def test_what_stands_in_front_of_a_promise_stands_nowhere_else(
    text: str, expected: str, place: str, hint: str | None
) -> None:
    assert told(text) == (expected, place, hint)


@pytest.mark.parametrize(
    ("text", "expected", "place", "hint"),
    [
        (
            "window W {\n  tag : a\n  link to\n  tokens : int\n}",
            "S009 the field `tokens` stands too late",
            "tokens",
            "put the fields first, before this `link`",
        ),
        (
            "window W {\n  tag : a\n  link to : a -> a\n  n, m : int\n}",
            "S009 the field `n` stands too late",
            "n",
            "put the fields first, before this `link`",
        ),
        (
            "window W {\n  tag : a\n  control s where s.tag == a\n  tokens : int\n}",
            "S009 the field `tokens` stands too late",
            "tokens",
            "put the fields first, before this `control`",
        ),
    ],
)
def test_a_field_behind_the_fields_is_told_where_they_end(
    text: str, expected: str, place: str, hint: str | None
) -> None:
    assert told(text) == (expected, place, hint)
