"""Sessions: steps and bookkeeping, what policies may not see, and the promises asked of them."""

from __future__ import annotations

import pytest

from selfedit_formal.core.diagnostics import Rejected
from selfedit_formal.core.expression import (
    TRUE,
    All,
    And,
    Compare,
    Count,
    Implies,
    Input,
    Int,
    Known,
    Not,
    Parameter,
    Present,
    Read,
    Some,
)
from selfedit_formal.core.policy import (
    Assign,
    Evict,
    ParameterDeclaration,
    Set,
)
from selfedit_formal.core.session import HISTORY
from selfedit_formal.language.resolve import load_text
from tests.language.resolve.core import codes, flag, mistake, module
from tests.language.resolve.loops import APPLY, CLEAR, session, steps

W, V = Input("W"), Input("V")


# ---------- steps


def test_a_turn_is_the_environment_the_policy_and_a_record_of_what_it_did() -> None:
    found = session(APPLY)
    assert [(s.policy.name, s.environment) for s in found.steps] == [
        ("loop.environment", True),
        ("clear", False),
        ("loop.record", False),
    ]
    assert found.name == found.schema.name == "loop"
    assert found.window == "Chat"
    assert found.schema.fields[-len(HISTORY) :] == HISTORY
    assert {s.policy.schema for s in found.steps} == {found.schema}


def test_what_stands_before_each_apply_and_behind_the_last_is_the_environment() -> None:
    found = steps("may evict s where s.pinned apply clear(1) apply clear(2) may evict s where s.cleared")
    assert list(found) == [
        "loop.environment",
        "clear",
        "loop.record",
        "loop.environment2",
        "clear_2",
        "loop.record2",
        "loop.environment3",
    ]
    assert isinstance(found["loop.environment"].body[1], Evict)
    assert all(isinstance(s, Set) for s in found["loop.environment2"].body)
    evict, returned = found["loop.environment3"].body[1:]
    assert isinstance(evict, Evict)
    assert isinstance(returned, Set)
    assert returned.assignments == (Assign("returned", TRUE),)


def test_a_policy_applied_again_with_the_same_numbers_is_the_same_policy() -> None:
    found = session("each turn { apply clear(1) apply clear(1) apply clear(1 + 1) }")
    names = [s.policy.name for s in found.steps if not s.policy.name.startswith("loop.")]
    assert names == ["clear", "clear", "clear_2"]


def test_a_policy_keeps_what_it_does_and_its_gates() -> None:
    more = "policy gated for Chat { when count(s) > 3 evict s where s.tag == result gate idempotent }\n"
    found = module(f"{more}session loop of Chat {{ each turn {{ apply gated }} }}")
    policy, alone = found.sessions["loop"].steps[1].policy, found.policies["gated"]
    assert policy.body == alone.body
    assert policy.gates == alone.gates
    assert len(policy.gates) == 1
    assert policy.schema != alone.schema


def test_the_sessions_parameters_are_those_of_its_steps_with_its_limits() -> None:
    found = session(
        "start count(s in W) < n each turn { may evict s where s.turn > k apply clear(k) }",
        "k: int >= 2, n: int",
    )
    assert found.parameters == (ParameterDeclaration("k", 2), ParameterDeclaration("n"))
    assert [s.policy.parameters for s in found.steps] == [(ParameterDeclaration("k", 2),)] * 2 + [()]
    assert found.start == Compare("<", Count("s", W, TRUE), Parameter("n"))


def test_a_check_gives_the_parameters() -> None:
    text = f"{CLEAR}session loop(k: int) of Chat {{ each turn {{ apply clear(max(k, 0) ) }} }}"
    assert codes(text) == ["R019"]
    text = (
        f"{CLEAR}session loop(k: int >= 0) of Chat {{ each turn {{ apply clear(k) }} }}\ncheck loop(k = 4): no_thrash"
    )
    (found,) = module(text).obligations
    assert found.parameters == ()
    assert found.turns is not None
    (evict,) = found.policies[0].body
    assert isinstance(evict, Evict)
    assert Compare(">", Read("s", "turn", "int"), Int(4)) in evict.condition.items  # type: ignore[union-attr]


# ---------- what holds of a session


def test_start_and_invariants_speak_of_the_window_and_its_history() -> None:
    found = session(
        f"start no s in W: s.pinned start count(s in W) < 3 {APPLY} invariant all s in known(W): s.met implies s in W"
    )
    assert found.start == And((Not(Some("s", W, flag("pinned", window=W))), Compare("<", Count("s", W, TRUE), Int(3))))
    (invariant,) = found.invariants
    assert invariant.condition == All("s", Known(W), Implies(flag("met", window=Known(W)), Present("s", W)))
    assert invariant.origin.text == "invariant all s in known(W): s.met implies s in W"


def test_what_a_check_assumes_is_of_the_start() -> None:
    text = f"{CLEAR}session loop of Chat {{ start no s in W: s.pinned {APPLY} }}\n"
    (found,) = module(f"{text}check loop: no_thrash assuming count(s in W) < 3 within 2 spans, 5 turns").obligations
    assert found.turns is not None
    assert found.turns.session.start == And(
        (Not(Some("s", W, flag("pinned", window=W))), Compare("<", Count("s", W, TRUE), Int(3)))
    )
    assert found.claim.premise == TRUE
    assert (found.within, found.within_turns) == (2, 5)


def test_turns_alone_may_be_limited() -> None:
    (found,) = module(f"{CLEAR}session loop of Chat {{ {APPLY} }} check loop: no_thrash within 5 turns").obligations
    assert (found.within, found.within_turns) == (None, 5)


# ---------- mistakes


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ("tombstones none", "R050 session `loop` does not say what happens in a turn"),
        (f"{APPLY} {APPLY}", "R050 session `loop` has two kinds of turns"),
        (
            "each turn { evict s where s.pinned }",
            "R050 session `loop` applies no policy, so there is nothing to promise of it",
        ),
        (
            "each turn { if count(s) > 2 { apply clear(3) } }",
            "R050 `apply` stands in `each turn` itself, and not inside of a block of it",
        ),
        (
            "each turn { keep s where s.pinned apply clear(3) }",
            "R051 `keep` is for policies, and the environment of a session is none",
        ),
        (
            "each turn { at once { keep s where s.pinned } apply clear(3) }",
            "R051 `keep` is for policies, and the environment of a session is none",
        ),
        (
            'each turn { refuse when count(s) > 3 because "no" apply clear(3) }',
            "R051 `refuse` is for policies, and the environment of a session is none",
        ),
        ("each turn { apply clear }", "R016 policy `clear` needs `k`"),
        ("each turn { apply clear(count(s)) }", "R043 `k` is given a number that hangs on the window"),
        ("each turn { apply clean(3) }", "R003 unknown policy `clean`"),
        ("each turn { apply loop }", "R046 `loop` is a session, and only policies can be applied"),
        (
            "each turn { arrive up to 0 s where s.pinned apply clear(3) }",
            "R044 `arrive up to` is followed by a number between 1 and 16, not 0",
        ),
        (
            "each turn { may evict s where s.met apply clear(3) }",
            "R053 `met` is what a session knows of a span's past, and a policy sees the window alone",
        ),
        (
            f"{APPLY} tombstones in_window {{ tokens = 3 }}",
            "R056 what stands in the window for the tombstones needs a tag by which it is known",
        ),
        (
            f"{APPLY} ledger in_window {{ tag = any }}",
            "R056 what stands in the window for the ledger needs a tag by which it is known",
        ),
        (f"{APPLY} ledger none ledger none", "R011 the place of `ledger` is declared twice"),
        (f"start no s in W: s.evictedd {APPLY}", "R006 window `Chat` has no field `evictedd`"),
    ],
)
def test_a_session_that_does_not_hold_together_is_a_mistake(members: str, expected: str) -> None:
    assert mistake(f"{CLEAR}session loop of Chat {{ {members} }}") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("check loop: idempotent", "R054 `idempotent` is a promise of policies, and `loop` is a session"),
        ("check clear(3): no_thrash", "R054 `no_thrash` is a promise of sessions, and `clear` is a policy"),
        ("policy g for Chat { evict s where s.pinned gate no_thrash }", "R054 `no_thrash` is a promise of sessions"),
        ("check clear(3): idempotent within 3 turns", "R057 `clear` is no session, and only sessions have turns"),
        ("check lop: no_thrash", "R003 unknown policy, plan or session `lop`"),
        ("check loop(k = 3): no_thrash", "R018 session `loop` has no parameter `k`"),
        ("session other of Chit { each turn { apply clear(3) } }", "R002 unknown window `Chit`"),
        (
            "policy a for Chat { evict s where s.evicted }",
            "R053 `evicted` is what a session knows of a span's past, and a policy sees the window alone",
        ),
        (
            "window w of loop = [] plan a on w { delete A }",
            "R032 `w` is a window of a session, and a plan stands on one of a declared window",
        ),
        ("property q(S: session) = always W: S", "R013 `S` is a session, and a value is needed here"),
        (
            "property q(S: session) = at most once s in W: s in known(W)",
            "R013 `W` is the window after a turn, and `at most once` only looks at what stands in it",
        ),
        (
            "property q(P: policy) = all W, s in W: not s.evicted check clear(3): q",
            "R029 property `q` needs the field `evicted`, which window `Chat` does not have",
        ),
    ],
)
def test_what_is_not_for_sessions_or_only_for_them_is_a_mistake(text: str, expected: str) -> None:
    assert mistake(f"{CLEAR}session loop of Chat {{ {APPLY} }}\n{text}") == expected


def test_a_field_that_the_session_has_is_no_field_of_its_window() -> None:
    text = "window C { tag : a evicted : bool } policy p for C { evict s where s.evicted }"
    load_text(text)
    with pytest.raises(Rejected, match="R053"):
        load_text(f"{text} session loop of C {{ each turn {{ apply p }} }}")


def test_a_policy_of_another_window_is_not_applied() -> None:
    text = f"{CLEAR}window C {{ tag : a }} session loop of C {{ each turn {{ apply clear(3) }} }}"
    assert mistake(text) == "R046 policy `clear` is for window `Chat`, this session of `C`"


def test_all_mistakes_of_a_session_are_told_at_once() -> None:
    text = "session loop of Chat { start s.a each turn { keep s where s.b apply c } ledger in_window { tag = d } }"
    assert codes(text) == ["R001", "R051", "R003", "R007"]


def test_a_session_of_a_wrong_policy_is_not_reported_as_well() -> None:
    text = "policy p for Chat { evict s where s.tag == nothing } session loop of Chat { each turn { apply p } }"
    assert codes(f"{text} check loop: no_thrash, converges(1)") == ["R007"]
