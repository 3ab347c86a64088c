"""Checks: what an obligation holds, and what is said of checks that ask for nothing that is there."""

from __future__ import annotations

import pytest

from selfedit_formal.core.expression import TRUE, All, And, Compare, Input, Int, Parameter, Pass, Read, Some
from selfedit_formal.core.policy import ParameterDeclaration
from selfedit_formal.language.resolve import load_text
from tests.language.resolve.core import codes, mistake, module
from tests.language.resolve.core import obligation as obligation_of

TRIM = "policy p(cap: int >= 0, keep: int) for Chat { evict s where s.tokens > cap and count(t: t after s) >= keep }\n"
W = Input("W")


def test_a_check_is_an_obligation_for_each_property() -> None:
    found = module(
        TRIM + "## About it.\ncheck p(cap = 4000): idempotent, within(cap) within 5 spans expect refuted"
    ).obligations
    assert [o.name for o in found] == ["p(cap = 4000): idempotent", "p(cap = 4000): within(cap)"]
    assert [o.property for o in found] == ["idempotent", "within(cap)"]
    assert {o.within for o in found} == {5}
    assert {o.expect for o in found} == {"refuted"}
    assert {o.doc for o in found} == {"About it."}
    assert found[0].parameters == (ParameterDeclaration("keep"),)
    assert "Int(value=4000)" in str(found[0].policies[0].body)
    assert found[1].claim.consequent.right == Int(4000)  # type: ignore[union-attr]


def test_what_is_not_given_stays_open() -> None:
    found = obligation_of("p: within(cap)", TRIM)
    assert found.parameters == (ParameterDeclaration("cap", 0), ParameterDeclaration("keep"))
    assert found.claim.consequent.right == Parameter("cap")  # type: ignore[union-attr]
    assert found.expect is None


def test_arguments_may_be_given_in_order() -> None:
    assert obligation_of("p(1, 2): idempotent", TRIM).parameters == ()
    assert obligation_of("p(1, keep = 2): idempotent", TRIM).parameters == ()


def test_assumptions_are_made_of_every_input() -> None:
    more = """
    predicate small(W) = count(s in W) < 3
    property both(P: policy) = all W, V: P(W) == P(V)
    """
    found = obligation_of("p: both assuming small, cap > keep, all s in W: s.pinned", TRIM + more)
    assert isinstance(found.claim.premise, And)
    v = Input("V")
    assert [str(i).count("Input(name='V')") > 0 for i in found.claim.premise.items] == [False, False, False, True, True]
    assert Compare(">", Parameter("cap"), Parameter("keep")) in found.claim.premise.items
    assert All("s", v, Read("s", "pinned", "bool", v)) in found.claim.premise.items


def test_a_schema_assumes_something_of_every_input() -> None:
    text = """
    window Small { tag : a | b  n : int  assume all s in W: s.n > 3  assume some s: s.tag == a }
    policy p for Small { evict s where s.tag == b }
    check p: idempotent
    """
    found = load_text(text)
    (asked,) = found.obligations
    assert asked.claim.premise == And(found.schemas["Small"].assumptions)
    assert len(found.schemas["Small"].assumptions) == 2


def test_what_a_promise_speaks_of_must_be_possible() -> None:
    found = obligation_of("p: control_disjoint", TRIM)
    assert [w.absence for w in found.witnesses] == ["no window has a control span", "`p` can change no span"]
    control, prunable = (w.condition for w in found.witnesses)
    assert isinstance(control, Some)
    assert control.window == W
    assert isinstance(prunable, Some)
    assert str(Pass("p", "~", W)) in str(prunable)
    reason = "policy p for Chat { because s where s.pinned evict s where s.tag == user }"
    (rationale,) = obligation_of("p: keeps_rationale", reason).witnesses
    assert rationale.condition == Some("s", W, Read("s", "pinned", "bool", W))
    (nothing,) = obligation_of("p: keeps_rationale", TRIM).witnesses
    assert nothing.condition == Some("s", W, TRUE.__class__(False))
    assert obligation_of("p: idempotent", TRIM).witnesses == ()


def test_two_policies_may_be_compared() -> None:
    found = obligation_of(
        "p(cap = 1): same_as(q)", TRIM + "policy q(keep: int) for Chat { evict s where s.turn > keep }"
    )
    assert [p.name for p in found.policies] == ["p", "q"]
    assert [p.name for p in found.parameters] == ["keep", "q.keep"]
    twice = obligation_of("p(cap = 1): same_as(p(2, 3))", TRIM)
    assert [p.name for p in twice.policies] == ["p", "p_2"]
    assert [p.name for p in twice.parameters] == ["keep"]


def test_a_policy_that_is_compared_twice_has_parameters_of_its_own_each_time() -> None:
    more = "policy q(keep: int) for Chat { evict s where s.turn > keep }\n"
    three = "property three(P: policy, Q: policy, R: policy) = all W: P(W) == R(W) implies Q(W) == R(W)"
    found = obligation_of("p(cap = 1): three(q, q)", TRIM + more + three)
    assert [p.name for p in found.policies] == ["p", "q", "q_2"]
    assert [p.name for p in found.parameters] == ["keep", "q.keep", "q_2.keep"]


@pytest.mark.parametrize(
    ("check", "expected"),
    [
        ("q: idempotent", "R003 unknown policy, plan or session `q`"),
        ("p: idempotend", "R004 unknown property `idempotend`"),
        ("p: small", "R004 unknown property `small`"),
        ("p: idempotent expect prooved", "R020 unknown expectation `prooved`"),
        ("p: same_as(q)", "R003 unknown policy or plan `q`"),
        ("p: same_as(3)", "R017 `3` is not a policy, and one is needed here"),
        ("p: idempotent assuming nobody(W)", "R005 unknown predicate `nobody`"),
        (
            "p: idempotent assuming p(W) == W",
            "R005 `p` is a policy of this file, and only a property's own policy makes passes",
        ),
        ("p: idempotent assuming s.pinned", "R001 unknown name `s`"),
    ],
)
def test_a_check_of_what_is_not_there_is_a_mistake(check: str, expected: str) -> None:
    more = "predicate small(W) = count(s in W) < 3\n"
    assert mistake(TRIM + more + f"check {check}") == expected


def test_policies_of_two_windows_are_not_compared() -> None:
    text = TRIM + "window Other { tag : a } policy o for Other { evict s where s.tag == a }\ncheck p: same_as(o)"
    assert mistake(text) == "R047 `o` is for window `Other`, and `p` for `Chat`"


def test_a_property_that_is_wrong_itself_is_reported_once() -> None:
    assert codes(TRIM + "property q(P: policy) = all W: nobody(W)\ncheck p: q\ncheck p(cap = 3): q") == ["R005"]
