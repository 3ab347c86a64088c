"""The bounded engine: shortest cases, written-out windows, several windows, limits."""

from __future__ import annotations

from dataclasses import replace

import pytest
import z3

from selfedit_formal.core.expression import (
    TRUE,
    All,
    And,
    Before,
    Compare,
    Count,
    Equal,
    Expression,
    Input,
    Int,
    Multiply,
    Name,
    Not,
    Origin,
    Parameter,
    Pass,
    Present,
    Read,
    SameRecord,
    SameWindow,
    Total,
)
from selfedit_formal.core.policy import Beside, End, Evict, Insert, LetSpan, Open, ParameterDeclaration, Pick, Policy
from selfedit_formal.core.property import Bound, Claim, Obligation
from selfedit_formal.engines import Found, GaveUp, Limits, NoneFound
from selfedit_formal.engines.bounded import BoundedRefuter, ranges
from selfedit_formal.semantics.interpreter import breaks
from tests.obligations import ONCE, SCHEMA, TWICE, W, span, window

NOWHERE = Origin("made")
V = Input("V")
IDEMPOTENT = SameWindow(TWICE, ONCE)


def tagged(name: str, tag: str) -> Expression:
    return Equal(Read(name, "tag", "enum"), Name("enum", tag))


def keep_last(kept: Expression) -> Policy:
    """Evicts all results but the last ones."""
    later = Count("t", None, And((tagged("t", "result"), Before("s", "t"))))
    condition = And((tagged("s", "result"), Compare(">=", later, kept)))
    return Policy("P", SCHEMA, (), (Evict(0, "s", condition, False, NOWHERE),))


def keeps_all(*bound: Bound, antecedent: Expression = TRUE) -> Claim:
    return Claim(("W",), bound, antecedent=antecedent, consequent=All("s", W, Present("s", ONCE)))


def obligation(policy: Policy, claim: Claim) -> Obligation:
    return Obligation("made", SCHEMA, (policy,), "made", claim)


@pytest.mark.parametrize("kept", [0, 1, 2, 3, 4, 6])
def test_the_case_found_is_a_shortest_one(kept: int) -> None:
    made = obligation(keep_last(Int(kept)), keeps_all())
    answer = BoundedRefuter().solve(made, Limits(within=8))
    assert isinstance(answer, Found)
    assert answer.spans == kept + 1
    assert answer.shortest
    assert breaks(made, answer.case)


def test_a_case_longer_than_the_bound_is_not_found() -> None:
    assert BoundedRefuter().solve(obligation(keep_last(Int(8)), keeps_all()), Limits(within=8)) == NoneFound(8)


def test_the_bound_of_the_check_comes_before_that_of_the_limits() -> None:
    made = replace(obligation(keep_last(Int(2)), keeps_all()), within=2)
    assert BoundedRefuter().solve(made, Limits(within=8)) == NoneFound(2)
    assert isinstance(BoundedRefuter().solve(replace(made, within=3), Limits(within=1)), Found)


@pytest.mark.parametrize("within", [0, 1, 3, 4, 8, 9, 40])
def test_the_queries_cover_every_length_up_to_the_bound_once(within: int) -> None:
    made = obligation(keep_last(Int(1)), keeps_all())
    asked = [n for (least,), (most,) in ranges(made, within) for n in range(least, most + 1)]
    assert asked == list(range(within + 1))


def test_keeping_the_last_eight_results_is_idempotent_for_many_spans() -> None:
    made = obligation(keep_last(Int(8)), Claim(("W",), consequent=IDEMPOTENT))
    assert BoundedRefuter().solve(made, Limits(within=40)) == NoneFound(40)


def test_keeping_an_open_number_of_results_is_idempotent() -> None:
    declared = (ParameterDeclaration("k", 0, None),)
    made = replace(obligation(keep_last(Parameter("k")), Claim(("W",), consequent=IDEMPOTENT)), parameters=declared)
    assert BoundedRefuter().solve(made, Limits(within=12)) == NoneFound(12)


def test_a_token_budget_with_an_open_cap_is_idempotent() -> None:
    newer = Total("t", None, Read("t", "tokens", "int"), Not(Before("t", "s")))
    evicts = Evict(0, "s", Compare(">", newer, Parameter("cap")), False, NOWHERE)
    claim = Claim(("W",), consequent=IDEMPOTENT)
    made = replace(
        obligation(Policy("P", SCHEMA, (), (evicts,)), claim), parameters=(ParameterDeclaration("cap", 0, None),)
    )
    assert BoundedRefuter().solve(made, Limits(within=12)) == NoneFound(12)


def test_a_long_case_is_found_in_a_range_of_lengths() -> None:
    made = obligation(keep_last(Int(10)), keeps_all())
    answer = BoundedRefuter().solve(made, Limits(within=20))
    assert isinstance(answer, Found)
    assert answer.spans == 11


def test_the_empty_window_is_looked_at() -> None:
    inserted = Insert(0, End("back"), (), None, NOWHERE)
    made = obligation(Policy("P", SCHEMA, (), (inserted,)), Claim(("W",), consequent=SameWindow(ONCE, W)))
    answer = BoundedRefuter().solve(made, Limits(within=3))
    assert isinstance(answer, Found)
    assert answer.spans == 0


def test_a_written_out_window_is_one_query_and_the_answer_complete() -> None:
    written = window(span("a", tag="result"), span("b", tag="result"))
    kept = replace(obligation(keep_last(Int(2)), keeps_all()), fixed=written)
    assert BoundedRefuter().solve(kept, Limits()) == NoneFound(8, complete=True)
    evicted = replace(obligation(keep_last(Int(1)), keeps_all()), fixed=written)
    answer = BoundedRefuter().solve(evicted, Limits())
    assert isinstance(answer, Found)
    assert answer.case.inputs["W"] == written
    assert answer.spans == 2


def test_of_two_windows_the_shortest_pair_is_found_and_they_may_share_spans() -> None:
    claim = Claim(
        ("W", "V"),
        antecedent=All("s", W, And((Present("s", V), SameRecord("s", W, V)))),
        consequent=All("s", ONCE, Present("s", Pass("P", "", V))),
    )
    made = obligation(keep_last(Int(1)), claim)
    answer = BoundedRefuter().solve(made, Limits(within=4))
    assert isinstance(answer, Found)
    assert answer.spans == 3
    assert breaks(made, answer.case)


def test_equal_windows_are_pruned_alike() -> None:
    claim = Claim(("W", "V"), antecedent=SameWindow(W, V), consequent=SameWindow(ONCE, Pass("P", "", V)))
    assert BoundedRefuter().solve(obligation(keep_last(Int(1)), claim), Limits(within=4)) == NoneFound(4)


def test_a_case_with_an_inserted_span_replays() -> None:
    body = (
        LetSpan(0, "x", Pick("last", "p", tagged("p", "result"))),
        Insert(1, Beside("before", "x"), (Open("tokens", None, Int(5)),), None, NOWHERE),
    )
    made = obligation(Policy("P", SCHEMA, (), body), Claim(("W",), consequent=IDEMPOTENT))
    answer = BoundedRefuter().solve(made, Limits(within=4))
    assert isinstance(answer, Found)
    assert answer.spans == 1
    assert breaks(made, answer.case)


def test_too_little_work_is_an_answer_with_its_reason_and_the_open_query() -> None:
    made = obligation(keep_last(Int(3)), keeps_all())
    answer = BoundedRefuter().solve(made, Limits(within=8, search=0.0))
    assert isinstance(answer, GaveUp)
    assert answer.reason == "0 million solver steps were not enough at 4 to 8 spans"
    assert answer.spent
    assert answer.smt2 is not None
    solver = z3.Solver()
    solver.from_string(answer.smt2)
    assert solver.check() in (z3.sat, z3.unsat)


def test_no_time_is_an_answer_of_its_own() -> None:
    answer = BoundedRefuter().solve(obligation(keep_last(Int(3)), keeps_all()), Limits(within=8, seconds=0.0))
    assert answer == GaveUp("out of time", 3, overdue=True)


def test_products_of_parameters_are_answered() -> None:
    declared = (ParameterDeclaration("k", 0, None), ParameterDeclaration("m", 0, None))
    product = Multiply(Parameter("k"), Parameter("m"))
    claim = Claim(("W",), consequent=Not(Compare("==", product, Int(35))))
    made = replace(obligation(keep_last(Int(1)), claim), parameters=declared)
    answer = BoundedRefuter().solve(made, Limits(within=2))
    assert isinstance(answer, Found)
    assert breaks(made, answer.case)
