"""Texts become trees, and what is wrong with a text is said at once, at its place, and never by a traceback."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfedit_formal.core.diagnostics import Rejected, Source, render
from selfedit_formal.language import syntax
from selfedit_formal.language.parse import MAX_BYTES, MAX_NESTING, MAX_NUMBER, parse, parse_reference, read
from selfedit_formal.language.print import print_expression
from tests.language import generated

WINDOW = "window Chat { tag : user | result }\n"


def parsed(text: str) -> syntax.File:
    return parse(Source("example.sef", text))


def rejected(text: str) -> str:
    with pytest.raises(Rejected) as caught:
        parsed(text)
    return "\n".join(render(d) for d in caught.value.diagnostics)


def codes(text: str) -> list[str]:
    with pytest.raises(Rejected) as caught:
        parsed(text)
    return [d.code for d in caught.value.diagnostics]


def policy(body: str) -> str:
    return f"{WINDOW}policy p for Chat {{\n  {body}\n}}\n"


def expression(text: str) -> syntax.Expr:
    (declared,) = parsed(f"predicate p() = {text}").declarations
    assert isinstance(declared, syntax.PredicateDeclaration)
    return declared.body


def bracketed(node: syntax.Expr) -> str:
    """The expression with parentheses around every operator that has two sides."""
    match node:
        case syntax.Junction(operator, items):
            return f"({f' {operator} '.join(map(bracketed, items))})"
        case syntax.Binary(operator, left, right):
            return f"({bracketed(left)} {operator} {bracketed(right)})"
        case syntax.Not(item):
            return f"(not {bracketed(item)})"
        case syntax.Quantifier(kind, binders, body):
            return f"({kind} {binders[0].name}: {bracketed(body)})"
        case syntax.Chain(first, rest):
            return f"({bracketed(first)}{''.join(f' {o} {bracketed(e)}' for o, e in rest)})"
        case _:
            return print_expression(node)


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("a and b or c and d", "((a and b) or (c and d))"),
        ("a and b and c", "(a and b and c)"),
        ("(a and b) and c", "((a and b) and c)"),
        ("a implies b implies c", "(a implies (b implies c))"),
        ("a implies b iff c or d", "((a implies b) iff (c or d))"),
        ("not a and b", "((not a) and b)"),
        ("not a == b", "(not (a == b))"),
        ("not not a", "(not (not a))"),
        ("a and some t: b or c", "(a and (some t: (b or c)))"),
        ("not some t: a and b", "(not (some t: (a and b)))"),
        ("a iff some t: b iff c", "(a iff (some t: (b iff c)))"),
        ("some s: all t: a implies no u: b", "(some s: (all t: (a implies (no u: b))))"),
        ("1 + 2 * 3 - 4 > 5", "((1 + (2 * 3) - 4) > 5)"),
    ],
)
def test_operators_bind_as_the_grammar_says(text: str, meaning: str) -> None:
    assert bracketed(expression(text)) == meaning


def test_a_part_of_a_chain_knows_where_it_stands() -> None:
    node = expression("a or (b and not c)")
    assert isinstance(node, syntax.Junction)
    assert [(i.location.column, i.location.end_column) for i in node.items] == [(17, 18), (22, 35)]


def test_the_words_of_sessions_are_names_elsewhere() -> None:
    words = (
        "session arrive start each turn tombstones ledger invariant sidecar in_window always never known up most once"
    )
    for word in words.split():
        parsed(
            f"window {word} {{ tag : {word}  {word} : bool  unit {word} starts {word} where {word}.{word} }}\n"
            f"policy {word}({word}: int) for {word} {{ let {word} = first {word} where {word}.tag == {word} }}\n"
            f"predicate {word}({word}) = {word} before {word} and some {word}: {word}({word})\n"
            f"check {word}({word}): {word}({word})"
        )


def test_a_promise_names_its_windows_in_front() -> None:
    text = "property p(S: session) = {} true"
    (always,) = parsed(text.format("always W from V where V.a, s in W where s.b:")).declarations
    assert isinstance(always, syntax.PropertyDeclaration)
    assert isinstance(always.body, syntax.Always)
    assert (always.body.kind, always.body.window, always.body.start, always.body.before) == ("always", "W", "V", None)
    assert [b.name for b in always.body.binders] == ["s"]
    (then,) = parsed(text.format("never V then W:")).declarations
    assert isinstance(then, syntax.PropertyDeclaration)
    assert isinstance(then.body, syntax.Always)
    assert (then.body.kind, then.body.window, then.body.start, then.body.before) == ("never", "W", None, "V")
    (once,) = parsed(text.format("at\n most once s in W where s.a:")).declarations
    assert isinstance(once, syntax.PropertyDeclaration)
    assert isinstance(once.body, syntax.AtMostOnce)


def test_documentation_stands_right_above_what_it_documents() -> None:
    text = (
        "## far\n\n# no\n## one\n##  two\n##\nwindow A { tag : a }\n## x\n\nwindow B { tag : b }  window C { tag : c }"
    )
    documented = [d.doc for d in parsed(text).declarations if isinstance(d, syntax.SchemaDeclaration)]
    assert documented == ["one\n two\n", "", ""]


def test_comments_are_kept_with_their_lines() -> None:
    text = '# a\nimport "x # y"  # b\r\n\t# c  \r\ncheck p: q'
    assert parsed(text).comments == (
        syntax.Comment("# a", 1, True),
        syntax.Comment("# b", 2, False),
        syntax.Comment("# c", 3, True),
    )


@pytest.mark.parametrize(
    "text", [WINDOW.replace("\n", "\r\n"), "\ufeff" + WINDOW, WINDOW.replace(" ", "\t"), WINDOW.strip()]
)
def test_other_line_ends_and_white_space_mean_the_same(text: str) -> None:
    assert parsed(text) == parsed(WINDOW)


def test_a_reference_may_be_given_alone() -> None:
    reference = parse_reference("preserves(paired)")
    assert (reference.name, len(reference.arguments or ())) == ("preserves", 1)
    assert parse_reference("pure").arguments is None
    with pytest.raises(Rejected):
        parse_reference("pure pure")


def test_every_mistake_is_told_at_once_and_each_once() -> None:
    wrong = [policy("evct s where a"), policy("evict s where s.tag = user"), "check p idempotent\n", "check p:\n"]
    text = policy("keep s").join(wrong)
    assert codes(text) == ["S007", "S006", "S001", "S014"]


def test_a_word_that_begins_with_a_word_of_the_language_is_not_split() -> None:
    assert "`keeps`" in rejected(policy("keeps where s.tag == user"))
    assert "found `integer`" in rejected("policy p(k: integer) for Chat { }")


@pytest.mark.parametrize("opening", ["(", "[", "{", "not ", "- ", "count(s: "])
def test_ten_thousand_levels_are_a_diagnostic(opening: str) -> None:
    assert codes(f"predicate p() = {opening * 10_000}x") == ["S015"]


@pytest.mark.parametrize("opening", ["some s: ", "a implies ", "if a then b else ", "first s where ", "30% of "])
def test_levels_without_brackets_are_counted_too(opening: str) -> None:
    assert codes(f"predicate p() = {opening * 1_000}x") == ["S015"]


def test_a_hundred_levels_are_read() -> None:
    depth = MAX_NESTING - 10
    assert expression("(" * depth + "x" + ")" * depth) == expression("x")
    assert print_expression(expression("not " * depth + "x")).count("not") == depth


def test_numbers_have_a_limit() -> None:
    assert expression(f"{MAX_NUMBER:_}") == syntax.Number(MAX_NUMBER, generated.AT)
    assert expression("0" * 10_000 + "7") == syntax.Number(7, generated.AT)
    assert codes(f"predicate p() = {MAX_NUMBER + 1}") == ["S016"]
    assert codes(f"predicate p() = {'9' * 10_000}") == ["S016"]


@pytest.mark.parametrize("text", ["check p\n" * 2_000, "session a b\n" * 2_000, "}\ncheck p\n" * 2_000])
def test_thousands_of_mistakes_end_the_reading(text: str) -> None:
    assert codes(text)[-1] == "S022"


@given(st.text())
def test_any_text_is_read_or_rejected(text: str) -> None:
    with suppress(Rejected):
        parsed(text)


@given(generated.soups)
def test_any_words_are_read_or_rejected_with_every_place_inside_the_text(text: str) -> None:
    try:
        parsed(text)
    except Rejected as problem:
        lines = text.split("\n")
        for place in (d.location for d in problem.diagnostics):
            assert place is None or (
                1 <= place.line <= len(lines) and 1 <= place.column <= len(lines[place.line - 1]) + 1
            )


@given(
    generated.files.map(generated.text),
    st.integers(0, 10_000),
    st.sampled_from(["", "{", ")", "and", '"', "1", "#", "'"]),
)
def test_a_text_with_one_change_is_read_or_rejected(text: str, place: int, change: str) -> None:
    place %= len(text)
    with suppress(Rejected):
        parsed(text[:place] + change + text[place + 1 :])


# ---------- files


def refusal(path: Path) -> str:
    with pytest.raises(Rejected) as caught:
        read(path, "shown.sef")
    (found,) = caught.value.diagnostics
    return f"{found.code} {found.message}"


def test_a_file_is_read_under_the_name_the_user_gave(tmp_path: Path) -> None:
    path = tmp_path / "a.sef"
    path.write_bytes(b"\xef\xbb\xbfwindow A { tag : a }\r\n")
    assert read(path) == Source(str(path), "window A { tag : a }\r\n")
    assert read(path, "a.sef").name == "a.sef"


def test_what_is_no_readable_file_is_told(tmp_path: Path) -> None:
    assert refusal(tmp_path / "none.sef") == "S017 there is no file `shown.sef`"
    assert refusal(tmp_path / "none" / "none.sef") == "S017 there is no file `shown.sef`"
    assert refusal(tmp_path) == "S018 `shown.sef` is a folder"
    assert refusal(Path("a\0b")).startswith("S018")
    latin = tmp_path / "latin.sef"
    latin.write_bytes(b"# one\n# caf\xe9\n")
    assert refusal(latin) == "S019 `shown.sef` is not UTF-8: byte 0xe9 at offset 11, line 2"
    large = tmp_path / "large.sef"
    large.write_bytes(b"(" * 10_000_000)
    assert refusal(large) == "S021 `shown.sef` is too large: 10,000,000 bytes, and 1,000,000 are allowed"


def test_a_text_has_a_limit_too() -> None:
    assert codes("(" * (MAX_BYTES + 1)) == ["S021"]


@pytest.mark.parametrize("text", ["", "  \n\n", "# only a comment"])
def test_a_text_that_declares_nothing_is_told(text: str) -> None:
    assert codes(text) == ["S020"]
