"""What cannot stand where it stands: it is told with what could, and a character with what is meant."""

from __future__ import annotations

import pytest

from selfedit_formal.core.diagnostics import Location, Source
from selfedit_formal.language.mistakes import CHARACTERS, DECLARATIONS, MEMBERS, STATEMENTS, character, expected
from tests.language.reading import told, within_policy


@pytest.mark.parametrize(
    ("text", "expected", "place", "hint"),
    [
        ("foo bar", "S001 expected a declaration, found `foo`", "foo", None),
        (
            "evict s where s.a",
            "S001 `evict` stands outside of every declaration",
            "evict",
            "statements stand between the braces of a policy or plan",
        ),
        (
            "at once { }",
            "S001 `at once` stands outside of every declaration",
            "at once",
            "statements stand between the braces of a policy or plan",
        ),
        (
            "link to",
            "S001 `link` stands outside of every declaration",
            "link",
            "links, controls, assumptions and units stand between the braces of a window",
        ),
        (
            "tombstones none",
            "S001 `tombstones` stands outside of every declaration",
            "tombstones",
            "`start`, `each turn`, `tombstones`, `ledger` and `invariant` stand between the braces of a session",
        ),
        (
            "arrive s where s.a",
            "S001 `arrive` stands outside of every declaration",
            "arrive",
            "statements stand between the braces of a policy or plan",
        ),
        ("check p", "S014 the text ends where `(` or `:` should follow", "", None),
        ("check p:", "S014 the text ends where a name should follow", "", None),
        ("policy p for", "S014 the text ends where a name should follow", "", None),
        ("check p: pure within 3", "S014 the text ends where `spans` or `turns` should follow", "", None),
        (
            "check p: pure within 3 spans assuming x",
            "S001 expected `,`, `expect` or a declaration, found `assuming`",
            "assuming",
            "the order is `check P: promise assuming … within 3 spans expect proved`",
        ),
        (
            "check p: pure expect proved within 3 spans",
            "S001 expected a declaration, found `within`",
            "within",
            "the order is `check P: promise assuming … within 3 spans expect proved`",
        ),
        ("check s: a within 3 spans 4 turns", "S001 expected `,`, `expect` or a declaration, found `4`", "4", None),
        (
            "session s of W { evict s where s.a }",
            "S001 expected a part of a session or `}`, found `evict`",
            "evict",
            "what happens in a turn stands in `each turn { … }`",
        ),
        ("session s of K { each turn { apply p } tombstones in_window }", "S001 expected `{`, found `}`", "}", None),
        (
            "session s of K { each turn { apply p } apply p }",
            "S001 expected a part of a session or `}`, found `apply`",
            "apply",
            "what happens in a turn stands in `each turn { … }`",
        ),
    ],
)
def test_what_cannot_stand_there_is_told_with_what_is_expected(
    text: str, expected: str, place: str, hint: str | None
) -> None:
    assert told(text) == (expected, place, hint)


def test_a_long_word_is_cut_where_it_is_found() -> None:
    message, place, _ = told(f"check p: pure {'x' * 50}")
    assert message.endswith(f", found `{'x' * 37}...`")
    assert place == "x" * 50


# ---------- characters


@pytest.mark.parametrize(
    ("text", "expected", "place", "hint"),
    [
        ("evict s where s.a & s.b", "S002 the character `&` has no meaning here", "&", "write `and`"),
        (
            "evict s where !s.a",
            "S002 the character `!` has no meaning here",
            "!",
            "write `not`, or `!=` for two values that differ",
        ),
        ("evict s where s.a \u2264 b", "S002 the character `\u2264` has no meaning here", "\u2264", "write `<=`"),
        (
            "evict s where s.a\xa0and b",
            "S002 the character U+00A0 has no meaning here",
            "\xa0",
            "this is a no-break space: write a plain one",
        ),
        (
            "evict s where s.a\x00and b",
            "S002 the character U+0000 has no meaning here",
            "\x00",
            "the file is not a text, or was damaged",
        ),
        (
            "evict s where \u201cx\u201d",
            "S002 the character `\u201c` has no meaning here",
            "\u201c",
            'write straight quotes: `"`',
        ),
        ("evict s where 'x'", "S002 the character `'` has no meaning here", "'", 'texts stand in double quotes: `"`'),
        (
            "evict s where s.é",
            "S002 the character `é` has no meaning here",
            "é",
            "names are letters from a to z, digits and `_`",
        ),
        (
            "evict s where s.a ; keep s",
            "S002 the character `;` has no meaning here",
            ";",
            "nothing stands between two statements but white space",
        ),
        ("evict s where s.a \x07 b", "S002 the character U+0007 has no meaning here", "\x07", None),
        ("evict s where s.a ? b", "S002 the character `?` has no meaning here", "?", None),
    ],
)
def test_a_character_of_no_meaning_is_told_with_what_is_meant_instead(
    text: str, expected: str, place: str, hint: str | None
) -> None:
    assert told(within_policy(text)) == (expected, place, hint)


def test_a_text_that_is_not_closed_is_marked_up_to_the_end_of_its_line() -> None:
    hint = 'a text ends with `"` on the line where it begins'
    assert told('import "a.sef\n') == ("S003 this text is not closed", '"a.sef', hint)


@pytest.mark.parametrize("sign", CHARACTERS, ids=lambda s: f"U+{ord(s):04X}")
def test_a_character_is_shown_as_itself_if_it_can_be_seen(sign: str) -> None:
    source = Source("example.sef", sign)
    found = character(source, Location(source, 1, 1, 1, 2), sign)
    seen = sign.isprintable() and not sign.isspace()
    shown = f"`{sign}`" if seen else f"U+{ord(sign):04X}"
    assert (found.code, found.message) == ("S002", f"the character {shown} has no meaning here")
    assert found.hint == CHARACTERS[sign]


# ---------- what is expected


WORDS = {"AND": "and", "WHERE": "where", "COLON": ":", "COMMA": ",", "LBRACE": "{"}


@pytest.mark.parametrize(
    ("accepted", "phrase"),
    [
        ({"COLON"}, "`:`"),
        ({"WHERE", "COLON", "COMMA"}, "`,`, `:` or `where`"),
        ({"NAME", "INTEGER", "STRING"}, "a name, a number or a text in quotes"),
        ({"$END", *DECLARATIONS}, "a declaration"),
        ({"COMMA", "$END", *DECLARATIONS}, "`,` or a declaration"),
        ({"$END"}, "the end of the text"),
        ({"RBRACE", *STATEMENTS}, "a statement"),
        ({"AND", "OR", "EQUALITY"}, "an operator"),
        ({"COMPARISON"}, "a comparison such as `<=`"),
        ({"COUNT", "TOTAL", "NAME"}, "an expression"),
        (MEMBERS, "a link, control, assumption or unit"),
    ],
    ids=lambda v: " ".join(sorted(v)) if isinstance(v, set | frozenset) else v,
)
def test_what_could_stand_there_is_said_in_words(accepted: set[str], phrase: str) -> None:
    assert expected(frozenset(accepted), WORDS) == phrase


def test_of_all_that_could_stand_there_six_things_are_said() -> None:
    words = {f"W{n}": f"w{n}" for n in range(9)}
    assert expected(frozenset(words), words) == "`w0`, `w1`, `w2`, `w3`, `w4` or `w5`"
    assert expected(frozenset(words) | DECLARATIONS, words) == "`w0`, `w1`, `w2`, `w3`, `w4` or a declaration"
