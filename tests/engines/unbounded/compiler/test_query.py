"""A query has no model only where nothing breaks the claim; what it leaves out is told."""

from __future__ import annotations

import pytest
import z3

from selfedit_formal.core.budget import Spent, Work
from selfedit_formal.core.certificate import RuleGround
from selfedit_formal.core.expression import TRUE, Compare, Int, Not, Or, Present, SameSpan, Total
from selfedit_formal.core.policy import End, Insert, LetSpan, Pick
from selfedit_formal.core.property import Bound, Case
from selfedit_formal.engines.unbounded.compiler.query import Query, compile_query
from selfedit_formal.engines.unbounded.pin import admits
from tests.engines.unbounded.compiler.compiled import QUERY, claimed, kept
from tests.obligations import ONCE, W, evict, idempotent, pinned, policy, tokens
from tests.short import INSERTING, PLAIN, questions

ORIGIN = evict(pinned("s")).origin


def possible(query: Query, *more: z3.BoolRef) -> bool:
    solver = z3.Solver()
    solver.add(query.formula, *more)
    return bool(solver.check() != z3.unsat)


@pytest.mark.parametrize(("body", "promises"), [*PLAIN.items(), *INSERTING.items()])
def test_what_breaks_a_claim_is_a_model(body: str, promises: str) -> None:
    for asked, window, parameters, expected in questions(body, promises):
        if expected:
            assert admits(asked, QUERY, Case({"W": window}, parameters, {}, {})), (asked.name, window)


def test_what_nothing_breaks_has_no_model() -> None:
    assert not possible(compile_query(idempotent(policy(evict(pinned("s")))), QUERY))
    assert not possible(compile_query(kept(evict(Not(pinned("s")))), QUERY))
    assert possible(compile_query(kept(evict(pinned("s"))), QUERY))


def test_two_marks_of_one_element_are_alike_in_everything() -> None:
    asked = claimed(TRUE, bound=(Bound("a", W), Bound("b", W)))
    same = claimed(
        Or((Not(SameSpan("a", "b")), Compare("==", tokens("a", W), tokens("b", W)))), bound=asked.claim.bound
    )
    assert not possible(compile_query(same, QUERY))
    apart = claimed(Compare("==", tokens("a", W), tokens("b", W)), bound=asked.claim.bound)
    assert possible(compile_query(apart, QUERY))


def test_a_total_may_be_anything_in_a_query() -> None:
    never_negative = claimed(Compare(">=", Total("t", W, tokens("t", W), TRUE), Int(0)))
    assert possible(compile_query(never_negative, QUERY))


def test_a_query_knows_its_marks_by_what_they_are() -> None:
    first = LetSpan(0, "x", Pick("first", "s", pinned("s")))
    query = compile_query(kept(first, Insert(1, End("back"), (), None, ORIGIN)), QUERY)
    assert sorted(mark.kind for mark in query.on) == ["fresh", "let", "witness"]
    assert set(query.views) <= set(query.on)
    assert query.parameters.keys() == {"k", "n"}
    assert query.trace.spans.keys() == {"k"}


def test_without_the_rule_that_a_claim_rests_on_it_has_a_model() -> None:
    query = compile_query(kept(evict(Not(pinned("s")))), QUERY, tracked=True)
    tracks = query.tracks
    assert not possible(query, *tracks.values())
    assert possible(query, *(t if g != RuleGround("P", 0) else z3.Not(t) for g, t in tracks.items()))


def test_too_much_work_is_not_done() -> None:
    with pytest.raises(Spent):
        compile_query(kept(evict(pinned("s"))), QUERY, work=Work(100))


def test_what_is_present_after_a_pass_was_before_it() -> None:
    assert not possible(compile_query(claimed(Present("k", W), evict(pinned("s")), bound=(Bound("k", ONCE),)), QUERY))
