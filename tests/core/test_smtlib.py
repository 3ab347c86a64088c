"""What solvers are given of a certificate is written by us, from the few things that are read."""

from __future__ import annotations

import pytest
import z3

from selfedit_formal.core.smtlib import (
    MOST_DEPTH,
    MOST_DIGITS,
    MOST_NESTED,
    NESTED,
    NotAdmitted,
    Script,
    TermTable,
    read,
    write,
)

HEAD = "(set-logic ALL)\n(declare-fun n () Int)\n(declare-fun b () Bool)\n"


def script(body: str) -> str:
    return f"{HEAD}{body}\n(check-sat)\n"


def canonical(body: str) -> str:
    return write(read(script(body)))


@pytest.mark.parametrize(
    "body",
    [
        "(assert b)",
        "(assert (and b (not (= n 0)) (or b (<= n 3) (< 2 n))))",
        "(assert (=> b (= (ite b n (- n)) (+ n 1 2) (* 3 n) (- n 1))))",
        "(assert (xor b (distinct (div n 2) (mod n 3))))",
        "(define-fun c () Bool (not b))\n(assert (or c b))",
        "(assert true)\n(assert false)",
    ],
)
def test_what_is_admitted_means_the_same_once_it_is_written(body: str) -> None:
    before = z3.And([*z3.parse_smt2_string(script(body)), True])
    after = z3.And([*z3.parse_smt2_string(canonical(body)), True])
    solver = z3.Solver()
    solver.add(before != after)
    assert solver.check() == z3.unsat
    assert write(read(canonical(body))) == canonical(body)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("(assert (and b (= n 0)))", "(assert (and (= 0 n) b))"),
        ("(assert b)\n(assert (= n 0))", "(assert (= n 0))\n(assert b)\n(assert b)"),
        ("(assert (>= n 3))", "(assert (<= 3 n))"),
        ("(define-fun c () Int (+ n 1))\n(assert (= c 2))", "(assert (= (+ 1 n) 2))"),
        ("(assert |b|)", "(assert b)"),
        (
            "(assert (or (and b (= n 1)) (not (and (= n 1) b))))",
            "(define-fun x () Bool (and b (= n 1)))\n(assert (or (not x) x))",
        ),
    ],
)
def test_what_differs_in_order_and_names_only_is_written_as_one_text(one: str, other: str) -> None:
    assert canonical(one) == canonical(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("(assert (< n 3))", "(assert (< 3 n))"),
        ("(assert (=> b (= n 0)))", "(assert (=> (= n 0) b))"),
        ("(assert (= (- n 1) 0))", "(assert (= (- 1 n) 0))"),
        ("(assert (= (div n 2) 0))", "(assert (= (mod n 2) 0))"),
    ],
)
def test_what_means_something_else_is_another_text(one: str, other: str) -> None:
    assert canonical(one) != canonical(other)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("(push)\n(assert false)\n(check-sat)\n(pop)", "line 4, column 1: `push` is no command that is admitted here"),
        ('(set-option :regular-output-channel "v.txt")', "line 4, column 13: `:` is not admitted"),
        ("(set-option x)", "`set-option` is no command"),
        ('(include "x")', "is not admitted"),
        ("(include x)", "`include` is no command"),
        ("(echo x)", "`echo` is no command"),
        ("(get-model)", "`get-model` is no command"),
        ("(exit)", "`exit` is no command"),
        ("(reset)", "`reset` is no command"),
        ("(set-logic ALL)", "`set-logic` is no command that is admitted here"),
        ("(check-sat)", "`check-sat` is no command that is admitted here"),
        ("(assert b) ; a comment", "column 12: `;` is not admitted"),
        ("(declare-sort S 0)", "`declare-sort` is no command"),
        ("(declare-fun f (Int) Int)", "this `declare-fun` is none that is admitted"),
        ("(declare-const m Int)", "`declare-const` is no command"),
        ("(define-fun-rec f () Bool f)", "`define-fun-rec` is no command"),
        ("(define-fun f ((x Int)) Int x)", "this `define-fun` is none that is admitted"),
        ("(define-fun f () Bool f)", "`f` is not declared"),
        ("(define-fun f () Int b)", "`f` is defined as a term of the sort Bool"),
        ("(define-fun n () Int 3)", "`n` is declared or defined twice"),
        ("(declare-fun |n| () Int)", "`n` is declared or defined twice"),
        ("(declare-fun b () Int)", "`b` is declared or defined twice"),
        ("(declare-fun and () Bool)", "`and` has a meaning"),
        ("(declare-fun |true| () Bool)", "`true` has a meaning"),
        ("(declare-fun x () Real)", "the sorts are `Bool` and `Int`"),
        ("(declare-fun x () |Int|)", "the sorts are `Bool` and `Int`"),
        ("(declare-fun || () Int)", "printable ASCII"),
        ("(declare-fun |a\nb| () Int)", "printable ASCII"),
        ("(declare-fun |é| () Int)", "printable ASCII"),
        ("(declare-fun 3 () Int)", "a name is needed here"),
        ("(assert |true|)", "`true` is not declared"),
        ("(assert n)", "must be true or false"),
        ("(assert (= n 007))", "a number begins with a zero"),
        ("(assert (= n 1.5))", "`1.5` is not declared"),
        ("(assert (= n #x10))", "`#` is not admitted"),
        ("(assert (= n ٣))", "is not declared"),
        ("(assert (= n b))", "another sort than Int"),
        ("(assert (not b b))", "`not` does not take 2 operands"),
        ("(assert (and))", "`and` does not take 0 operands"),
        ("(assert (div n 0 0))", "`div` does not take 3 operands"),
        ("(assert (ite b n b))", "two terms of one sort"),
        ("(assert (let ((b true)) b))", "`let` is no operator that is admitted"),
        ("(assert (forall ((x Int)) b))", "`forall` is no operator that is admitted"),
        ("(assert (! b))", "`!` is no operator that is admitted"),
        ("(assert ((_ divisible 3) n))", "an operator is needed here"),
        ("(assert (select n n))", "`select` is no operator that is admitted"),
        ("(assert (|and| b b))", "an operator is needed here"),
        ("(assert m)", "`m` is not declared"),
        ("(assert", "is not closed"),
        ("(assert b))", "closes nothing"),
        ("b", "a command is needed here"),
        ("()", "this is no command"),
        ("((assert b))", "this is no command"),
        ("(assert)", "this `assert` is none that is admitted"),
        pytest.param(f"(assert (= n {'9' * (MOST_DIGITS + 1)}))", "more than 100 digits", id="digits"),
        pytest.param(f"(assert {'(not ' * 200_000}b{')' * 200_000})", f"more than {MOST_NESTED} deep", id="nested"),
        pytest.param(
            "\n".join(f"(define-fun d{i} () Bool (not {f'd{i - 1}' if i else 'b'}))" for i in range(MOST_DEPTH)),
            "nested more than 5,000 deep",
            id="defined",
        ),
    ],
)
def test_anything_else_is_refused_and_the_message_says_where(body: str, message: str) -> None:
    with pytest.raises(NotAdmitted) as raised:
        read(script(body))
    assert message in str(raised.value)
    assert str(raised.value).startswith("line ")


@pytest.mark.parametrize(
    "text", ["", "(check-sat)", "(assert true)\n(check-sat)", "(set-logic ALL)", "(set-logic QF_LIA)\n(check-sat)"]
)
def test_a_script_begins_and_ends_as_it_should(text: str) -> None:
    with pytest.raises(NotAdmitted, match=r"a script (begins|ends) with"):
        read(text)


def test_our_own_formulas_are_read_however_deep_solvers_print_them() -> None:
    x = z3.Int("x")
    term: z3.ExprRef = x
    for number in range(1000):
        term = z3.If(term > number, term + 1, x)
    solver = z3.Solver()
    solver.add(term > 3)
    text = f"(set-logic ALL)\n{solver.to_smt2().partition('(set-info :status unknown)')[2]}"
    with pytest.raises(NotAdmitted):
        read(text)
    written = write(read(text, ours=True))
    depth = deepest = 0
    for character in written:
        depth += {"(": 1, ")": -1}.get(character, 0)
        deepest = max(deepest, depth)
    assert deepest <= NESTED + 2
    solver.reset()
    solver.add((term > 3) != z3.And(z3.parse_smt2_string(written)))
    assert solver.check() == z3.unsat


def test_a_name_of_a_let_is_what_it_was_outside() -> None:
    body = "(assert (and (let ((n 1) (m n)) (= n m)) (= n 2)))"
    assert write(read(script(body), ours=True)) == canonical("(assert (and (= 1 n) (= n 2)))")


def test_constants_are_replaced_all_at_once() -> None:
    terms = TermTable()
    a, b = terms.symbol("a", "Int"), terms.symbol("b", "Int")
    (swapped,) = terms.substituted([terms.apply("<", [a, b])], {a: b, b: a})
    assert write(Script(terms, {}, (swapped,))) == write(Script(terms, {}, (terms.apply("<", [b, a]),)))


def test_a_definition_takes_no_name_that_is_there() -> None:
    text = "(set-logic ALL)\n" + "".join(f"(declare-fun d!{i} () Bool)\n" for i in range(9))
    used = " ".join(f"d!{i}" for i in range(9))
    text += f"(assert (or (and {used}) (not (and {used}))))\n(check-sat)\n"
    assert len(read(write(read(text))).declared) == 9
