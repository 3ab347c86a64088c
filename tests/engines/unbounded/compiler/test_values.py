"""The value of a condition where a span is under the head is the interpreter's; what is no value of a scan is named."""

from __future__ import annotations

import re

import pytest
import z3

from selfedit_formal.core.budget import Spent
from selfedit_formal.core.expression import (
    Add,
    And,
    Compare,
    Divide,
    Equal,
    Expression,
    If,
    Implies,
    Int,
    Modulo,
    Multiply,
    Name,
    Not,
    Or,
    Parameter,
    Read,
)
from selfedit_formal.engines.unbounded.flatten import Outside
from selfedit_formal.engines.unbounded.ir import (
    HEAD,
    Alive,
    Carry,
    Constant,
    FieldAt,
    Identical,
    Num,
    Older,
    Op,
    Param,
    Related,
    Same,
    Way,
)
from selfedit_formal.engines.unbounded.terms import FALSE, TRUE
from selfedit_formal.semantics.interpreter import Given, apply
from tests.engines.unbounded.compiler.compiled import QUERY, at, compiling, excludes, kept, subject
from tests.obligations import evict, pinned, span, tagged, tokens, window

K, N = Parameter("k"), Parameter("n")
CONDITIONS: dict[str, Expression] = {
    "a field": pinned("s"),
    "a name": tagged("s", "call"),
    "names": Equal(If(pinned("s"), Name("enum", "call"), Read("s", "tag", "enum")), Name("enum", "call")),
    "a key": Equal(Read("s", "call", "key"), Name("key", "none")),
    "equal truths": Equal(pinned("s"), tagged("s", "call")),
    "a parameter": Compare(">", tokens("s"), K),
    "a sum": Compare("<=", Add((tokens("s"), Int(-3), N)), Int(0)),
    "a product with a number": Compare("==", Multiply(Int(-2), tokens("s")), Int(-4)),
    "a product with a sum of numbers": Compare("<", Multiply(Add((Int(1), Int(2))), tokens("s")), Int(9)),
    "a quotient": Compare("==", Divide(Add((tokens("s"), Int(-6))), 4, "down"), Int(-1)),
    "a quotient rounded up": Compare("!=", Divide(tokens("s"), 2, "up"), Int(1)),
    "a remainder": Compare("==", Modulo(Add((tokens("s"), Int(-6))), 4), Int(3)),
    "connectives": And((Or((pinned("s"), tagged("s", "call"))), Not(And((pinned("s"), tagged("s", "call")))))),
    "an implication": Implies(pinned("s"), Compare(">=", tokens("s"), Int(3))),
}
SPANS = (
    span("A", tokens=1),
    span("B", tokens=2, pinned=True),
    span("C", tag="call", tokens=3, call="x"),
    span("D", tag="call", tokens=7, pinned=True),
)


@pytest.mark.parametrize("name", CONDITIONS)
def test_a_condition_is_true_of_a_span_where_the_interpreter_says_so(name: str) -> None:
    whole = compiling(kept(evict(CONDITIONS[name])))
    alive = whole.values.value(Alive(HEAD, 1), whole.elements.head)
    answers = set()
    for item in SPANS:
        for parameters in ({"k": 0, "n": 1}, {"k": 2, "n": -1}):
            given = window(item)
            after = apply(subject(evict(CONDITIONS[name])), given, parameters, {}, Given({})).after
            assert at(whole, alive, item, given, parameters) == bool(after.present())
            answers.add(bool(after.present()))
    assert answers == {True, False}


def test_what_is_not_linear_in_parameters_is_a_value_of_its_own_between_its_bounds() -> None:
    whole = compiling(kept(evict(Compare(">", tokens("s"), Int(0)))))
    head, fixed = whole.elements.head, whole.demands.fixed
    k, n = whole.parameters["k"], whole.parameters["n"]
    quotient = whole.values.value(Op("div", (Param("k"), Num(3))), head)
    assert whole.values.value(Op("div", (Param("k"), Num(3))), head).eq(quotient)
    assert excludes(fixed, k == 7, quotient != 2)
    assert not excludes(fixed, k == 7, quotient == 2)
    assert excludes(fixed, n == -7, whole.values.value(Op("div", (Param("n"), Num(3))), head) != -3)
    product = whole.values.value(Op("*", (Param("k"), Param("n"))), head)
    assert excludes(fixed, k >= 1, n >= 1, product < n)
    assert not excludes(fixed, k == 2, n == 3, product == 6)
    assert len(whole.values.products) == 1


def test_no_other_product_is_one_of_a_scan() -> None:
    square = Op("*", (FieldAt(HEAD, "tokens", 0), Param("k")))
    scan, query = compiling(kept()), compiling(kept(), QUERY)
    with pytest.raises(Outside, match="a product of something else than parameters and numbers"):
        scan.values.value(square, scan.elements.head)
    assert z3.is_mul(query.values.value(square, query.elements.head))


def test_an_equality_that_is_only_sufficient_has_no_value() -> None:
    whole = compiling(kept())
    with pytest.raises(Outside, match=re.escape("an equality of windows with fresh spans is used both ways: true")):
        whole.values.value(Identical(Constant(True)), whole.elements.head)


def test_the_element_under_the_head_is_itself_and_not_before_itself() -> None:
    whole = compiling(kept())
    value = whole.values.value
    assert value(Same(HEAD, HEAD), whole.elements.head).eq(TRUE)
    assert value(Older(HEAD, HEAD), whole.elements.head).eq(FALSE)
    assert value(Related(Way("justifies"), HEAD, HEAD), whole.elements.head).eq(FALSE)


def test_what_is_so_of_a_mark_is_recorded_once_and_nothing_of_one_that_is_not_there() -> None:
    whole = compiling(kept())
    let = whole.trace.element("let", "x")
    mark = whole.elements.add(let, 0, whole.symbols.new("on", FALSE.sort(), "there is x"))
    flag, number = (whole.values.at_mark(let, FieldAt(HEAD, f, 0)) for f in ("pinned", "tokens"))
    assert whole.values.at_mark(let, FieldAt(HEAD, "pinned", 0)).eq(flag)
    for said in (flag, number != 0):
        assert excludes(whole.demands.fixed, z3.Not(mark.on), said)
        assert not excludes(whole.demands.fixed, mark.on, said)


def test_how_two_marks_are_linked_is_recorded_alike_at_both() -> None:
    whole = compiling(kept())
    a, b = (whole.trace.element("witness", name) for name in "ab")
    for mark in (a, b):
        whole.elements.add(mark, 0, TRUE)
    way = Way("justifies")
    whole.values.value(Related(way, a, b), whole.elements.head)
    one, two = (whole.values.records[key] for key in ((b, Related(way, a, HEAD)), (a, Related(way, HEAD, b))))
    assert excludes(whole.demands.fixed, one != two)


def test_what_a_fill_has_kept_is_free_in_a_query() -> None:
    whole = compiling(kept(), QUERY)
    view = whole.elements.view(next(iter(whole.trace.witnesses)))
    assert whole.values.value(Carry(1), view).eq(whole.values.value(Carry(1), view))
    assert "what a fill has kept is free" in whole.approximations


def test_too_much_work_is_not_done() -> None:
    whole = compiling(kept())
    whole.work.left = 0
    with pytest.raises(Spent):
        whole.values.value(Num(1), whole.elements.head)
