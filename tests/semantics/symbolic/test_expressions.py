"""Expressions as terms: what each is of, what an absent span is in them, and how few terms they take."""

from __future__ import annotations

from random import Random

import pytest

from selfedit_formal.core import expression as e
from selfedit_formal.core.window import Kind
from selfedit_formal.language.resolve import load_text
from selfedit_formal.semantics.symbolic.encoding import Encoding, encode
from selfedit_formal.semantics.symbolic.expressions import counts, kind_of, part, same_span, stands_before, sums
from selfedit_formal.semantics.symbolic.state import ABSENT
from selfedit_formal.semantics.symbolic.terms import Terms, reachable
from tests.semantics.agreement import at_random, check_states

SCHEMA = """
window Log {
  tag    : a | b
  tokens : int
  topic  : key
  flag   : bool
  link l : a -> b
}
policy trim for Log { evict s where s.tag == b }
"""
CLAIMS = {
    "arithmetic": "all W, s in W: (s.tokens + 3) * 2 / 4 - s.tokens mod 3 <= total(t.tokens: t in W)",
    "if": "all W, s in W: (if s.flag then s.tokens else 0 - s.tokens) < 2",
    "quantifiers": "all W: some s in W: all t in W: t.flag implies s.tokens >= t.tokens",
    "counts": "all W, s in W: count(t in W: t after s) > count(t in W: t before s and t.tag == s.tag)",
    "totals": "all W, s in W: total(t.tokens: t not before s) <= 3",
    "links": "all W, s in W: (some t in W: s l t) or s reaches s along l in W",
    "equalities": "all W, s in W, t in W: s.topic == t.topic iff s == t",
    "records": "all W, s in P(W): P(W)[s] == W[s] and s.flag",
    "presence": "all W, s in W: s in P(W) or s.tag == b and s.tokens > 0",
    "passes": "all W: P(P(W)) == P(W) and P(W) == W",
}


def encoded(claim: str, spans: int) -> Encoding:
    text = f"{SCHEMA}property q(P: policy) = {claim}\ncheck trim: q"
    return encode(load_text(text).obligations[0], (spans,))


@pytest.mark.parametrize("claim", CLAIMS.values(), ids=list(CLAIMS))
def test_an_expression_is_what_the_interpreter_says_it_is(claim: str) -> None:
    (asked,) = load_text(f"{SCHEMA}property q(P: policy) = {claim}\ncheck trim: q").obligations
    judged = 0
    for seed in range(16):
        case = at_random(asked, 3, Random(seed))
        judged += case is not None and check_states(asked, case, Random(seed))
    assert judged > 4


@pytest.mark.parametrize(
    ("item", "kind"),
    [
        (e.Int(3), "int"),
        (e.Bool(True), "bool"),
        (e.Name("key", "k"), "key"),
        (e.If(e.Bool(True), e.Name("enum", "a"), e.Name("enum", "b")), "enum"),
        (e.Count("s", e.Input("W"), e.Bool(True)), "int"),
        (e.Read("s", "flag", "bool", e.Input("W")), "bool"),
        (e.Present("s", e.Input("W")), "bool"),
    ],
)
def test_the_kind_of_an_expression(item: e.Expression, kind: Kind) -> None:
    assert kind_of(item) == kind


def test_what_may_be_linear_over_counts() -> None:
    count = e.Count("s", e.Input("W"), e.Bool(True))
    assert counts(e.Add((e.Int(1), count)))
    assert counts(e.Multiply(e.Parameter("k"), count))
    assert not counts(e.Total("s", e.Input("W"), e.Read("s", "tokens", "int", e.Input("W")), e.Bool(True)))


def test_of_an_absent_span_no_test_is_true() -> None:
    encoding = encoded("all W: count(s in W) < 9", 2)
    world, state = encoding.world, encoding.inputs["W"]
    there = next(iter(state.known)).ref
    assert same_span(world, ABSENT, ABSENT) is False
    assert same_span(world, there, ABSENT) is False
    assert stands_before(world, state, ABSENT, there) is False
    assert stands_before(world, state, there, ABSENT) is False


def test_what_speaks_of_one_of_two_spans_is_made_once_for_each_value() -> None:
    inner = "count(u in W: u after s and u.tokens == s.tokens) > 1"
    claim = f"all W: all s in W: all t in W: {inner} or s.tokens == t.tokens"
    sizes = [len(reachable(encoded(claim, n).truths)) for n in (6, 12)]
    assert sizes[1] < 6 * sizes[0]  # squared for the count and for the pairs, not to the third power


def test_one_end_of_the_members_is_told_from_the_rest() -> None:
    terms = Terms()
    a, b, c, d = (terms.variable("bool", n) for n in "abcd")
    assert part(terms, (a, b, c), (a, b, False)) == (range(2), True)
    assert part(terms, (a, b, c), (False, b, c)) == (range(1, 3), True)
    assert part(terms, (a, b, c), (False, b, False)) is None
    assert part(terms, (a, b, c), (a, False, c)) is None
    assert part(terms, (a, b), (terms.both(a, d), terms.both(b, d))) == (range(2), d)
    assert part(terms, (a, b), (False, False)) == (range(0), True)


def test_sums_are_of_the_first_so_many() -> None:
    assert sums(encoded("all W: count(s in W) < 9", 1).world, [2, 3, -1]) == [0, 2, 5, 4]
