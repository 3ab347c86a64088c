"""The symbolic meaning and the interpreter say the same about generated policies, claims, windows and choices."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from random import Random
from typing import get_args

import pytest
from hypothesis import HealthCheck, given, settings

from selfedit_formal.engines import Found, Limits, NoneFound
from selfedit_formal.engines.bounded import Bounded
from selfedit_formal.engines.enumerate import Domains, Enumerate
from selfedit_formal.expression import Expression, WindowTerm
from selfedit_formal.policy import Assignment, Place, SpanTerm, Statement
from selfedit_formal.semantics.interpreter import breaks
from tests.semantics.agreement import check_states, check_verdict, difference, example
from tests.semantics.generated import obligation, randoms

SMALL = Domains(
    fields={
        "tag": ("a", "b"),
        "tokens": (0, 2),
        "size": (1,),
        "flag": (False, True),
        "call": ("none", "x"),
        "score": (0,),
        "met": (False, True),
        "turns": (0,),
    },
    parameters={"k": (1,), "m": (0, 1)},
    ints=(0, 1),
    keys=("none", "x"),
)


SIZEABLE = [HealthCheck.large_base_example, HealthCheck.data_too_large, HealthCheck.too_slow]
"""Even the smallest example is a policy, a claim and a window."""


@settings(max_examples=60, suppress_health_check=SIZEABLE)
@given(randoms)
def test_both_meanings_make_the_same_windows(random: Random) -> None:
    check_states(*example(random), random)


@settings(max_examples=40, suppress_health_check=SIZEABLE)
@given(randoms)
def test_both_meanings_judge_a_case_alike(random: Random) -> None:
    check_verdict(*example(random), random)


@settings(max_examples=20, suppress_health_check=SIZEABLE)
@given(randoms)
def test_both_meanings_agree_where_a_claim_speaks_of_two_windows_that_may_share_spans(random: Random) -> None:
    made, case = example(random, inputs=2)
    check_states(made, case, random)
    check_verdict(made, case, random)


def test_both_meanings_agree_on_a_fixed_set_of_examples() -> None:
    assert difference(range(150)) is None


def seen(node: object, found: set[type]) -> None:
    if isinstance(node, tuple):
        for item in node:
            seen(item, found)
    elif is_dataclass(node):
        found.add(type(node))
        for f in fields(node):
            seen(getattr(node, f.name), found)


@pytest.mark.parametrize("union", [Expression, Statement, SpanTerm, Place, Assignment, WindowTerm])
def test_the_examples_contain_every_construct_of_the_core(union: object) -> None:
    found: set[type] = set()
    for seed in range(200):
        made = obligation(Random(seed), 2 if seed % 8 == 7 else 1)
        seen((made.policies, made.claim), found)
    assert set(get_args(union)) <= found


def test_what_enumeration_finds_the_bounded_engine_finds_with_as_few_spans() -> None:
    refuted = 0
    for seed in range(40):
        made = obligation(Random(seed), plan=False)
        answer = Bounded().solve(made, Limits(within=1, seconds=None))
        # The few that enumeration cannot do at once say nothing.
        referee = Enumerate(SMALL).solve(made, Limits(within=1, seconds=0.2))
        assert isinstance(answer, Found | NoneFound)
        if isinstance(answer, Found):
            refuted += 1
            assert breaks(made, answer.case)
        if isinstance(referee, Found):
            assert isinstance(answer, Found)
            assert answer.spans <= referee.spans
    assert 10 < refuted < 40
