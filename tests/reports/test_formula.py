from __future__ import annotations

import pytest

from selfedit_formal.core.expression import (
    TRUE,
    Add,
    And,
    Arrived,
    Before,
    Bool,
    Compare,
    Count,
    Divide,
    Equal,
    Expression,
    If,
    Implies,
    Input,
    Int,
    Linked,
    Logged,
    Modulo,
    Multiply,
    Name,
    Not,
    Or,
    Parameter,
    Pass,
    Present,
    Reaches,
    Read,
    Rescored,
    SameRecord,
    SameSpan,
    SameWindow,
    Some,
    Swapped,
    Total,
    Triggered,
    WindowTerm,
    Without,
)
from selfedit_formal.reports.formula import Writer

W = Input("W")
P = Pass("trim", "", W)
PP = Pass("trim", "", P)
WRITER = Writer("trim", {"s": "A"}, {"s": W})
TOKENS = Read("s", "tokens", "int", W)


@pytest.mark.parametrize(
    ("term", "text"),
    [
        (W, "W"),
        (P, "P(W)"),
        (PP, "P(P(W))"),
        (Pass("trim", "", PP), "P^3(W)"),
        (Pass("other", "", P), "other(P(W))"),
        (Pass("trim", "'", Without(W, "s")), "P'(without(W, A))"),
        (Pass("trim", "'", P), "P'(P(W))"),
        (Swapped(W, "s", "t"), "swap(W, A, t)"),
        (Rescored(W, "s"), "rescore(W, A)"),
        (Arrived(P, Int(3)), "arrive(P(W), 3)"),
    ],
)
def test_a_window_is_written_as_in_the_language(term: WindowTerm, text: str) -> None:
    assert WRITER.term(term) == text


def test_a_run_that_is_alone_needs_no_mark() -> None:
    assert Writer("trim", {}, lone="~").term(Pass("trim", "~", W)) == "P(W)"


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (TOKENS, "A.tokens"),
        (Read("s", "tokens", "int", P), "P(W)[A].tokens"),
        (Add((TOKENS, Multiply(Int(-1), Parameter("k")), Int(-2))), "A.tokens - k - 2"),
        (Multiply(Add((Int(1), Parameter("k"))), Int(2)), "(1 + k) * 2"),
        (Divide(Multiply(TOKENS, Int(3)), 10, "up"), "ceil(A.tokens * 3 / 10)"),
        (Modulo(TOKENS, 2), "A.tokens mod 2"),
        (Count("t", P, TRUE), "count(t in P(W))"),
        (Total("t", P, Read("t", "tokens", "int", P), TRUE), "total(t.tokens: t in P(W))"),
        (
            Total("t", P, Read("t", "tokens", "int", P), Read("t", "pinned", "bool", P)),
            "total(t.tokens: t in P(W) and t.pinned)",
        ),
        (If(Bool(True), Int(1), Int(2)), "if true then 1 else 2"),
        (Not(And((Bool(True), Bool(False)))), "not (true and false)"),
        (Or((And((Bool(True), Bool(False))), Bool(True))), "true and false or true"),
        (And((Or((Bool(True), Bool(False))), Bool(True))), "(true or false) and true"),
        (Implies(Bool(True), Implies(Bool(True), Bool(False))), "true implies (true implies false)"),
        (Compare("<=", TOKENS, Parameter("cap")), "A.tokens <= cap"),
        (Equal(Read("s", "tag", "enum", W), Name("enum", "call")), "A.tag == call"),
        (Not(Equal(Read("s", "tag", "enum", W), Name("enum", "call"))), "A.tag != call"),
        (Equal(Present("s", P), Present("s", PP)), "A in P(W) iff A in P(P(W))"),
        (Before("s", "t", W), "A before t in W"),
        (Not(Before("s", "s", W)), "A not before A"),
        (SameSpan("s", "t"), "A == t"),
        (Linked("answers", "s", "t", W), "A answers t"),
        (Reaches("answers", "s", "t", P), "A reaches t along answers in P(W)"),
        (Not(Present("s", P)), "A not in P(W)"),
        (Not(Some("t", P, Before("t", "s", P))), "no t in P(W): t before A in P(W)"),
        (And((Some("t", P, TRUE), TRUE)), "(some t in P(W): true) and true"),
        (SameWindow(PP, P), "P(P(W)) == P(W)"),
        (SameRecord("s", P, W), "P(W)[A] == A"),
        (Triggered("trim", "", W), "triggered(P, W)"),
        (Logged("s", P), "logged(P, A, W)"),
    ],
)
def test_an_expression_is_written_as_in_the_language(expression: Expression, text: str) -> None:
    assert WRITER.formula(expression) == text
