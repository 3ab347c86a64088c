"""Promises of sessions: the windows they are about, what is asked of them, and what is remembered for it."""

from __future__ import annotations

import pytest

from selfedit_formal.core.expression import (
    TRUE,
    And,
    Compare,
    Count,
    Equal,
    Input,
    Int,
    Known,
    Not,
    Present,
    Read,
    SameWindow,
    Total,
)
from selfedit_formal.core.property import Bound
from selfedit_formal.language.resolve import load_text
from tests.language.resolve.core import flag, mistake, tagged
from tests.language.resolve.loops import APPLY, CLEAR, asked, noted, promised

W, V = Input("W"), Input("V")


def test_a_promise_is_about_the_windows_in_front_of_it() -> None:
    found = promised("always W from V where count(v in V) > 2, s in known(W) where s.met: s.pinned implies s in W")
    assert found.turns is not None
    assert (found.turns.reached, found.turns.before, found.turns.start) == ("W", None, "V")
    assert found.turns.taken is None
    assert found.claim.inputs == ("V", "W")
    assert found.claim.bound == (Bound("s", Known(W)),)
    assert found.claim.antecedent == And(
        (
            Compare(">", Count("v", V, TRUE), Int(2)),
            flag("met", window=Known(W)),
            flag("pinned", window=Known(W)),
        )
    )
    assert found.claim.consequent == Present("s", W)


def test_two_turns_are_compared() -> None:
    found = promised("always V then W: W == V")
    assert found.turns is not None
    assert (found.turns.reached, found.turns.before, found.turns.start) == ("W", "V", None)
    assert found.claim.inputs == ("V", "W")
    assert found.claim.consequent == SameWindow(W, V)


def test_never_is_always_not() -> None:
    assert promised("never W: count(s in W) > 3").claim == promised("always W: not count(s in W) > 3").claim
    assert promised("never W, s in W: s.pinned").claim == promised("always W: no s in W: s.pinned").claim


def test_the_policies_of_the_obligation_are_the_steps_those_applied_first() -> None:
    assert [p.name for p in promised("always W: count(s in W) < 3").policies] == [
        "clear",
        "loop.record",
        "loop.environment",
    ]


def test_numbers_and_predicates_are_given_to_promises() -> None:
    found = asked("bounded_growth(9)")
    assert found.claim.consequent == Compare("<=", Total("s", W, Read("s", "tokens", "int", W), TRUE), Int(9))
    found = asked("summary_agrees(like)", "predicate like(m, s) = m.call == s.call")
    assert found.claim.consequent == Equal(Read("m", "call", "key", W), Read("s", "call", "key", Known(W)))


def test_at_most_once_is_remembered_by_a_step_of_its_own() -> None:
    found = promised("at most once s in W where s.pinned: s.tag == summary")
    assert found.turns is not None
    watch = found.turns.session.steps[-1]
    assert (watch.policy.name, watch.environment) == ("loop.watch", False)
    seen = And((flag("pinned"), tagged("summary")))
    assert noted(watch.policy) == [
        (False, And((seen, flag("once"))), ("twice",)),
        (False, seen, ("once",)),
    ]
    assert found.claim.consequent == Not(flag("twice", window=Known(W)))
    assert [f.name for f in found.schema.fields if f.history][-2:] == ["once", "twice"]
    assert {p.schema for p in found.policies} == {found.schema}
    archive = promised("at most once s in known(W): s.tag == summary").turns
    assert archive is not None
    assert [a for a, _, _ in noted(archive.session.steps[-1].policy)] == [False, False, True, True]


def test_what_remembers_has_a_name_of_its_own() -> None:
    text = """window C { tag : a once : bool }
policy p for C { evict s where s.tag == a }
session loop of C { each turn { apply p } }
property q(S: session) = at most once s in W: s.once
check loop: q"""
    (found,) = load_text(text).obligations
    assert [f.name for f in found.schema.fields if f.history][-2:] == ["once_2", "twice"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "property q(S: session) = all W: count(s in W) < 3",
            "R055 property `q` is about a session, and does not say in which windows",
        ),
        (
            "property q(P: policy) = never W: P(W) == W",
            "R055 `never` is about turns, and property `q` is about a policy",
        ),
        (
            "property q(P: policy) = at most once s in W: s.pinned",
            "R055 `at most once` is about turns, and property `q` is about a policy",
        ),
        ("property q(S: session) = at most once s: s.pinned", "R055 it is not said in which window `s` is"),
        (
            "property q(S: session, P: policy) = always W: P(W) == W",
            "R049 a promise of sessions is about one, and takes no policy besides",
        ),
        (
            "property q(S: session) = always W, V: V == W",
            "R045 `V` would be any window, and a promise of sessions is about those behind `always`",
        ),
    ],
)
def test_a_promise_that_does_not_say_in_which_windows_is_a_mistake(text: str, expected: str) -> None:
    assert mistake(f"{CLEAR}session loop of Chat {{ {APPLY} }}\n{text}") == expected
