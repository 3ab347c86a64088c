"""The symbolic meaning and the interpreter say the same about generated policies, claims, windows and choices."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from random import Random
from typing import get_args

import pytest
from hypothesis import HealthCheck, given, settings

from selfedit_formal.core.expression import Expression, WindowTerm
from selfedit_formal.core.policy import Assignment, Place, SpanTerm, Statement
from selfedit_formal.engines import Found, Limits, NoneFound
from selfedit_formal.engines.bounded import BoundedRefuter
from selfedit_formal.engines.enumerate import Domains, Enumerate
from selfedit_formal.language.resolve import load_text
from selfedit_formal.language.resolve import obligation as language_obligation
from selfedit_formal.semantics.interpreter import breaks
from selfedit_formal.semantics.symbolic.passes import Passes
from selfedit_formal.semantics.symbolic.state import Ref
from selfedit_formal.semantics.symbolic.terms import Integer, Truth
from selfedit_formal.semantics.symbolic.world import Frame, Scope
from tests.semantics.agreement import check_states, check_verdict, difference, example
from tests.semantics.generated import obligation, randoms

SMALL = Domains(
    fields={
        "tag": ("a", "b"),
        "kind": ("b",),
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
        answer = BoundedRefuter().solve(made, Limits(within=1, seconds=None))
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


DECIDED = """
window C {
  tag    : user | note
  tokens : int >= 0 <= 3
  fit    : int >= 0 <= 1 from query
  link l
}
policy some_notes for C {
  set s where s.tag == note { tokens > 3 }
}
policy back for C {
  let gone = first s where s.tag == user
  readmit s where s.tag == note just after gone
}
property none(P: policy)     = all W: count(s in W) < 2
property empty(P: policy)    = all W: count(s in W) < 2 or some s in W: s.tag == user and P(W) == W
property branch(P: policy)   = all W: if some s in W: s.tag == note then count(s in W) < 2 else P(W) == W
property linked(P: policy)   = all W, a in W: count(s in W) < 2 or some b in P(W): a l b
property each(P: policy)     = all W where some s in W: s.tag == note: count(s in W) < 2 or
  some s in W: s.tag == user and P(without(W, s)) == W
property too_many(P: policy) = all W: count(s in arrive(W, 4)) == 0
property enough(P: policy)   = all W: count(s in W) < 2 or count(s in arrive(W, 3)) == 0
property ahead(P: policy)    = all W: count(s in W) < 2 or
  not (some s in W: total(t.tokens: t in arrive(W, count(u in W: u before s in W))) == total(t.tokens: t in W) + 1)
property placed(P: policy)   = all W where no s in W: s.tag == user:
  all s in P(W), t in P(W) where s before t in P(W): s before t in W
property moved(P: policy)    = all W where some s in W: s.tag == user:
  all s in P(W), t in P(W) where s before t in P(W): s before t in W
property scored(P: policy)   = all W, s in W: rescore(W, s)[s] == W[s]
"""
BROKEN = {
    "some_notes": "none linked enough ahead scored",
    "back": "none empty branch linked each enough ahead moved scored",
}


@pytest.mark.parametrize("policy", BROKEN)
@pytest.mark.parametrize("name", re.findall(r"^property (\w+)", DECIDED, re.MULTILINE))
def test_both_meanings_know_what_exists_and_where_spans_come_back_to(policy: str, name: str) -> None:
    asked = language_obligation(load_text(DECIDED), policy, name)
    found = [
        isinstance(engine.solve(asked, Limits(within=2, seconds=None)), Found)
        for engine in (BoundedRefuter(), Enumerate())
    ]
    assert found == [name in BROKEN[policy].split()] * 2


def test_the_decided_cases_notice_what_arrives_being_counted_once_for_all_spans(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def once(self: Passes, frame: Frame, tokens: Expression, env: Mapping[str, Ref]) -> Integer:
        return self.compiler.number(tokens)(Scope(frame.serial, frame), env)

    monkeypatch.setattr(Passes, "_amount", once)
    asked = language_obligation(load_text(DECIDED), "some_notes", "ahead")
    assert isinstance(BoundedRefuter().solve(asked, Limits(within=2, seconds=None)), NoneFound)


def test_the_decided_cases_notice_windows_of_a_quantifier_that_need_not_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    def outer_ones(self: Passes, frame: Frame, term: WindowTerm, around: object, env: Mapping[str, Ref]) -> Truth:
        return bool(around) or self.view(frame, term, env).exists

    monkeypatch.setattr(Passes, "_exists", outer_ones)
    asked = language_obligation(load_text(DECIDED), "some_notes", "each")
    assert isinstance(BoundedRefuter().solve(asked, Limits(within=2, seconds=None)), Found)
