"""Canonical text says what the tree says, does not change when printed again, and keeps every comment."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from selfedit_formal.core.diagnostics import Rejected, Source
from selfedit_formal.language import syntax
from selfedit_formal.language.parse import parse, parse_reference
from selfedit_formal.language.print import print_expression, print_file, print_reference, print_statement
from tests.language import generated


def parsed(text: str) -> syntax.File:
    return parse(Source("<test>", text))


def formatted(text: str) -> str:
    return print_file(parsed(text))


@given(generated.files)
def test_what_is_printed_is_read_back_equal(file: syntax.File) -> None:
    assert parsed(print_file(file)) == file


@given(generated.files)
def test_printing_twice_changes_nothing(file: syntax.File) -> None:
    once = print_file(file)
    assert formatted(once) == once


@given(generated.expressions)
def test_an_expression_on_one_line_is_read_back_equal(expression: syntax.Expr) -> None:
    (declared,) = parsed(f"predicate p() = {print_expression(expression)}").declarations
    assert isinstance(declared, syntax.PredicateDeclaration)
    assert declared.body == expression


@given(generated.statements)
def test_a_statement_on_one_line_is_read_back_equal(statement: syntax.Stmt) -> None:
    text = print_statement(statement)
    (declared,) = parsed(f"policy p for W {{ {text} }}").declarations
    assert isinstance(declared, syntax.PolicyDeclaration)
    assert declared.body == (statement,)
    assert "\n" not in text


@given(generated.references)
def test_a_reference_is_read_back_equal(reference: syntax.Reference) -> None:
    assert parse_reference(print_reference(reference)) == reference


def remarks(file: syntax.File) -> list[str]:
    """The comments that document no declaration."""
    documented = [(d.location.line, d.doc) for d in file.declarations if not isinstance(d, syntax.Import) and d.doc]
    used = {line - 1 - n for line, doc in documented for n in range(doc.count("\n") + 1)}
    return [c.text for c in file.comments if not (c.own_line and c.text.startswith("##") and c.line in used)]


@st.composite
def commented(draw: st.DrawFn) -> str:
    """A text of the language with white space and comments wherever they may stand."""
    text = print_file(draw(generated.files))
    tokens = re.findall(r'"[^"\n]*"|at (?:most )?once|##[^\n]*\n|[^\s"#]+', text)
    separator = st.sampled_from(
        [" ", " ", " ", " ", "\n", "\n\n", " # {}\n", "\n# {}\n", "\n## {}\n", "\n\n  ## {}\n\n\n"]
    )
    parts = [part for n, token in enumerate(tokens) for part in (token, draw(separator).format(n))]
    return "".join(parts)


@given(commented())
def test_comments_survive_in_order_and_printing_again_changes_nothing(text: str) -> None:
    file = parsed(text)
    printed = print_file(file)
    again = parsed(printed)
    assert again == file
    assert remarks(again) == remarks(file)
    assert print_file(again) == printed


@st.composite
def miswritten(draw: st.DrawFn) -> str:
    """A text of the language with one token replaced, often by a word of the language where a name stood."""
    tokens = re.findall(r'"[^"\n]*"|\w+|\s+|.', print_file(draw(generated.files)))
    place = draw(st.integers(0, len(tokens) - 1))
    tokens[place] = draw(st.sampled_from(["", *sorted(generated.WORDS), "(", ")", "-", "..", "'"]))
    return "".join(tokens)


@given(st.one_of(miswritten(), generated.soups))
def test_whatever_is_read_is_read_again_from_its_print(text: str) -> None:
    try:
        file = parsed(text)
    except Rejected:
        return
    assert parsed(print_file(file)) == file


SESSION = """\
## A loop.
session loop(cap: int >= 1) of Chat {
  start no s in W: s.tag == summary
  each turn {
    # from outside
    arrive up to 2 s where s.tag in {call, result}
    arrive s where s.tag == user  # one
    may readmit s where s.tag == result override
    apply trim(cap)
  }
  tombstones in_window { tag = note, tokens = 12 }
  ledger sidecar
  invariant all s in known(W): s.tag == user implies s in W
}

property a(S: session) = always W from V where count(s in V) > 2, s in known(W): s.met
property b(S: session) = never V then W: W == V
property c(S: session) = at most once s in W where s.pinned: s.tag == summary

check loop: a, b   within 3 spans, 4 turns   expect refuted
check loop(cap = 3): c   within 4 turns
"""


def test_a_session_is_printed_as_a_person_would_write_it() -> None:
    assert formatted(SESSION) == SESSION
    assert formatted(SESSION.replace("    ", " ").replace("  ", " ")) == SESSION
