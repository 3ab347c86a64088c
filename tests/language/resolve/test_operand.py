"""What an expression can turn out to be: how it is called in messages, and shown in them."""

from __future__ import annotations

from typing import get_args

import pytest

from selfedit_formal.core.expression import Bool, Input, Int, Not, Read
from selfedit_formal.core.window import Kind
from selfedit_formal.language import syntax
from selfedit_formal.language.resolve.operand import (
    WANTED,
    Expected,
    NoneTerm,
    Operand,
    Record,
    SetRef,
    SpanRef,
    Value,
    WindowRef,
    denied,
    described,
    shown,
    type_of,
)
from tests.language.resolve.core import marked, mistakes, module

S = SpanRef("s", None)


def expression(text: str) -> syntax.Expr:
    return module(f"predicate p(W) = {text}").names.predicates["p"].body


@pytest.mark.parametrize(
    ("operand", "called"),
    [
        (Value("int", Int(3)), "a number"),
        (Value("bool", Bool(True)), "true or false"),
        (Value("key", Read("s", "call", "key")), "a key"),
        (Value("enum", Read("s", "tag", "enum"), ("a",), "tag"), "a name of `tag`"),
        (Value("enum", Read("s", "tag", "enum"), ("a",)), "a name"),
        (S, "a span"),
        (SetRef("old"), "a set of spans"),
        (WindowRef(Input("W")), "a window"),
        (Record(S, Input("W")), "a record"),
        (NoneTerm(), "`none`"),
    ],
    ids=repr,
)
def test_each_kind_of_operand_has_its_words(operand: Operand, called: str) -> None:
    assert described(operand) == called


def test_each_kind_of_value_that_is_wanted_is_called_as_one_that_is_found() -> None:
    assert set(WANTED) == set(get_args(Kind))
    assert all(described(Value(kind, Int(0))) == words for kind, words in WANTED.items())


def test_the_type_of_a_value_is_what_is_expected_beside_it() -> None:
    assert type_of(Value("enum", Read("s", "tag", "enum"), ("a",), "tag")) == Expected("enum", ("a",), "tag")


def test_an_expression_is_shown_in_one_line_cut_at_sixty_characters() -> None:
    assert shown(expression("some s in W:\n  s.pinned")) == "some s in W: s.pinned"
    long = " and ".join(["true"] * 12)
    assert shown(expression(long)) == f"{long[:57]}..."
    assert len(shown(expression(long))) == 60
    exact = "some s in W: s.tokens == " + "1" * 18 + " and s.turn == 22 "
    assert shown(expression(exact.rstrip())) == exact.rstrip()


def test_a_denial_of_a_denial_is_the_thing_itself() -> None:
    assert denied(Bool(True)) == Not(Bool(True))
    assert denied(Not(Bool(True))) == Bool(True)


def test_what_does_not_fit_is_told_at_its_place_with_what_is_wanted() -> None:
    (found,) = mistakes("policy p for Chat { evict s where s.pinned and s.tokens + 1 }")
    assert (found.code, found.message) == ("R013", "`s.tokens + 1` is a number, and true or false is needed here")
    assert marked(found.location) == "s.tokens + 1"
