"""What is drawn is a case within all bounds, the same each time; what is found breaks the claim."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from selfedit_formal.core.expression import TRUE, Compare, Input, Int, Not, Present
from selfedit_formal.core.policy import ParameterDeclaration
from selfedit_formal.core.property import Bound, Case, Claim
from selfedit_formal.core.session import HISTORY
from selfedit_formal.core.window import TAG, Field, Link, Schema, zero
from selfedit_formal.engines import Found, GaveUp, Limits
from selfedit_formal.engines.random import (
    ENGINE,
    KEYS,
    AtRandom,
    attack,
    draw,
    draw_number,
    draw_window,
    interesting,
    tried,
)
from selfedit_formal.semantics.interpreter import breaks
from tests.obligations import (
    ONCE,
    OVER_CAP,
    W,
    about,
    evict,
    fixed,
    keeps,
    may_evict,
    pinned,
    policy,
    span,
    tokens,
    window,
)

BREAKS = keeps(policy(evict(pinned("s"))), TRUE)
HOLDS = keeps(policy(evict(pinned("s"))), Not(pinned("k", W)))
SMALL = Schema(
    "Small",
    (
        Field(TAG, "enum", names=("a", "b")),
        Field("tokens", "int", low=1, high=3),
        Field("flag", "bool"),
        Field("call", "key"),
        Field("score", "int", oracle="window"),
    ),
    (Link("l", ("a",), ("b",)),),
)


# ---------- attacks


def test_a_case_that_is_found_breaks_the_claim_and_is_found_again() -> None:
    case = attack(BREAKS, 3, 100)
    assert case is not None
    assert breaks(BREAKS, case)
    assert attack(BREAKS, 3, 100) == case
    assert len(case.inputs["W"].spans) <= 3


def test_nothing_is_found_where_nothing_breaks_the_claim_or_nothing_is_tried() -> None:
    assert attack(HOLDS, 3, 100) is None
    assert attack(BREAKS, 3, 0) is None
    assert attack(BREAKS, 0, 100) is None


def test_the_clock_ends_it_after_the_first_try() -> None:
    assert attack(HOLDS, 3, 10**9, seconds=0.0) is None


def test_as_an_engine_it_never_says_that_there_is_none() -> None:
    found = ENGINE.solve(BREAKS, Limits(within=3))
    assert isinstance(found, Found)
    assert not found.shortest
    assert found.spans == len(found.case.inputs["W"].spans)
    assert AtRandom(tries=5).solve(HOLDS, Limits(within=3)) == GaveUp("5 random cases break nothing", 0)


def test_the_bound_of_the_check_comes_before_that_of_the_limits() -> None:
    assert isinstance(ENGINE.solve(replace(BREAKS, within=0), Limits(within=3)), GaveUp)


def test_choices_and_spans_are_part_of_what_is_tried() -> None:
    asked = keeps(policy(*may_evict(TRUE)), pinned("k", W))
    given = Case({"W": window(span("A"), span("B", pinned=True))}, {}, {}, {})
    found = [tried(asked, given, Random(seed), (0, 1)) for seed in range(20)]
    broken = [case for case in found if case is not None]
    assert 0 < len(broken) < 20
    assert all(breaks(asked, case) and case.spans == {"k": "B"} for case in broken)


def test_a_case_whose_premise_is_false_breaks_nothing() -> None:
    claim = Claim(("W",), (Bound("k", W),), premise=Not(TRUE), consequent=Present("k", ONCE))
    asked = about(policy(evict(TRUE)), "any", claim)
    assert tried(asked, Case({"W": window(span("A"))}, {}, {}, {}), Random(0), ()) is None


# ---------- numbers


def test_numbers_near_which_something_may_change_are_interesting() -> None:
    cap = ParameterDeclaration("cap", low=-4, high=90)
    claim = Claim(("W",), (Bound("k", W),), consequent=Compare("<=", tokens("k", W), Int(40)))
    asked = about(policy(evict(OVER_CAP), parameters=(cap,)), "few", claim)
    assert interesting(asked) == (-4, 0, 1, 2, 3, 39, 40, 41, 90)


@pytest.mark.parametrize(("low", "high"), [(None, None), (5, None), (None, -5), (2, 4), (-3, 40), (7, 7)])
def test_a_number_is_within_its_bounds(low: int | None, high: int | None) -> None:
    random = Random(1)
    drawn = {draw_number(random, (0, 3, 39, 40), low, high) for _ in range(200)}
    assert all((low is None or n >= low) and (high is None or n <= high) for n in drawn)
    assert len(drawn) > 1 or low == high


def test_where_there_is_no_number_it_is_the_lower_bound() -> None:
    assert draw_number(Random(0), (0,), 5, 2) == 5


# ---------- windows


def test_a_window_is_one_of_its_schema() -> None:
    archived = linked = 0
    for seed in range(50):
        drawn = draw_window(SMALL, 4, Random(seed), (0, 2, 9), archive=True, prefix="w")
        assert [s.id for s in drawn.spans] == ["w0", "w1", "w2", "w3"]
        tags = {s.id: s[TAG] for s in drawn.spans}
        for s in drawn.spans:
            assert set(s.values) == {TAG, "tokens", "flag", "call"}
            assert s["tokens"] in (1, 2, 3)
            assert s["call"] in KEYS
        assert all((tags[a], tags[b]) == ("a", "b") and a != b for _, a, b in drawn.links)
        archived, linked = archived + len(drawn.archived), linked + len(drawn.links)
    assert archived
    assert linked


def test_nothing_is_archived_where_nobody_reads_it() -> None:
    assert not any(draw_window(SMALL, 4, Random(seed), (), False, "w").archived for seed in range(30))


def test_to_most_windows_of_a_session_nothing_has_happened() -> None:
    lived = Schema("Session", (*SMALL.fields, *HISTORY))
    plain = 0
    for seed in range(60):
        drawn = draw_window(lived, 3, Random(seed), (), True, "w")
        unlived = all(s[f.name] == zero(f.kind) for s in drawn.spans for f in HISTORY)
        plain += unlived
        assert not unlived or not drawn.archived
    assert 30 < plain < 60


# ---------- cases


def test_two_inputs_share_the_spans_that_there_may_be() -> None:
    asked = about(policy(), "any", Claim(("W", "V"), consequent=Present("k", Input("V"))))
    for seed in range(30):
        case = draw(asked, 3, Random(seed), (), False)
        assert case is not None
        ids = [s.id for w in case.inputs.values() for s in w.spans]
        assert len(ids) == len(set(ids)) <= 3


def test_a_plan_s_spans_are_distinct_and_present_or_there_is_no_case() -> None:
    asked = replace(BREAKS, spans=("a", "b"))
    drawn = [draw(asked, 3, Random(seed), (), False) for seed in range(60)]
    for case in drawn:
        if case is not None:
            assert len({case.spans["a"], case.spans["b"]}) == 2
            assert {*case.spans.values()} <= {s.id for s in case.inputs["W"].present()}
    assert None in drawn
    assert any(drawn)


def test_a_written_out_window_stays() -> None:
    given = window(span("A", tokens=7))
    case = draw(fixed(BREAKS, given), 0, Random(0), (), False)
    assert case is not None
    assert case.inputs == {"W": given}
