"""Statements of policies: each notation says the same as the basic statements it stands for."""

from __future__ import annotations

import pytest

from selfedit_formal.core.expression import (
    FALSE,
    TRUE,
    Local,
    Not,
    Present,
    Read,
    Some,
)
from selfedit_formal.core.policy import (
    Block,
    Evict,
    LetSpan,
    LetValue,
    ParameterDeclaration,
    Refuse,
    statements,
)
from tests.language.resolve.core import body, codes, mistake, module, policy

# ---------- basic statements


def test_a_refusal_has_its_reason() -> None:
    (refuse,) = policy('refuse when no s: s.pinned because "nothing to go by"').body
    assert isinstance(refuse, Refuse)
    assert refuse.reason == "nothing to go by"
    assert refuse.condition == Not(Some("s", None, Read("s", "pinned", "bool")))


def test_parameters_have_their_bounds() -> None:
    found = policy("evict s where s.tokens > a + b", "a: int >= 1 < 5, b: int")
    assert found.parameters == (ParameterDeclaration("a", 1, 4), ParameterDeclaration("b"))


# ---------- lets


def test_a_let_of_an_enum_keeps_its_names() -> None:
    found = policy(
        "let cut = first s where s.pinned let kind = cut.role evict s where s.role == kind or kind == low"
    ).body
    assert found[1] == LetValue(1, "kind", "enum", Read("cut", "role", "enum"))


# ---------- may, at once


# ---------- summaries


# ---------- what the rest hangs on


def test_when_makes_a_block_of_the_rest() -> None:
    (first,) = policy(
        "when count(s) > 3 let n = count(t) evict s where s.pinned when n > 5 evict s where s.cleared"
    ).body
    assert isinstance(first, Block)
    assert first.trigger
    *_, evict, second = first.body
    assert isinstance(evict, Evict)
    assert isinstance(second, Block)
    assert not second.trigger


def test_if_reads_its_condition_once_for_both_branches() -> None:
    (alone,) = policy("if count(s) > 3 { evict s where s.pinned }").body
    assert isinstance(alone, Block)
    assert not alone.trigger
    found = policy("if count(s) > 3 { evict s where s.pinned } else { evict s where s.cleared }").body
    value, then, otherwise = found
    assert isinstance(value, LetValue)
    assert isinstance(then, Block)
    assert isinstance(otherwise, Block)
    assert (then.condition, otherwise.condition) == (Local("holds", "bool"), Not(Local("holds", "bool")))


def test_repeat_nests_while_its_condition_holds() -> None:
    found = body("repeat 3 while count(s) > 2 { let x = first s where s.pinned evict x }")
    step = "let x{0} = first s where s.pinned evict x{0}"
    spelled = body(
        f"if count(s) > 2 {{ {step.format(1)} "
        f"if count(t) > 2 {{ {step.format(2)} if count(u) > 2 {{ {step.format(3)} }} }} }}"
    )
    assert [type(s) for s in statements(found)] == [type(s) for s in statements(spelled)]
    outer = found[0]
    assert isinstance(outer, Block)
    inner = outer.body[2]
    assert isinstance(inner, Block)
    assert isinstance(inner.body[2], Block)


def test_repeat_without_a_condition_is_written_one_after_the_other() -> None:
    found = policy("repeat 2 { let x = first s where s.pinned evict x }").body
    assert [type(s) for s in found] == [LetSpan, Evict, LetSpan, Evict]
    assert [s.name for s in found if isinstance(s, LetSpan)] == ["x", "x_2"]


def test_tiers_run_until_the_target_holds() -> None:
    found = body("until count(s) < 3 { evict s where s.pinned } then { evict s where s.cleared }")
    assert found == body(
        "if not (count(s) < 3) { evict s where s.pinned } if not (count(s) < 3) { evict s where s.cleared }"
    )


# ---------- names and sites


def test_sites_count_from_zero_in_the_order_written() -> None:
    found = policy("when count(s) > 1 if count(t) > 2 { evict s where s.pinned } evict s where s.cleared")
    assert [s.site for s in statements(found.body)] == [0, 1, 2, 3]


def test_names_of_the_core_are_unique_where_they_are_visible() -> None:
    more = "predicate lonely(s) = no t: t.call == s.call and t != s"
    found = policy("evict t where lonely(t)", more=more).body[0]
    assert isinstance(found, Evict)
    assert found.variable == "t"
    assert isinstance(found.condition, Not)
    assert isinstance(found.condition.item, Some)
    assert found.condition.item.variable == "t_2"


def test_the_current_window_is_called_w() -> None:
    more = "predicate crowded(W) = count(s in W) > 3"
    assert body("when crowded(W) evict s where s in W", more=more) == body("when count(s) > 3 evict s where s in W")
    (block,) = policy("when crowded(W) evict s where s in W", more=more).body
    assert isinstance(block, Block)
    (evict,) = block.body
    assert isinstance(evict, Evict)
    assert evict.condition == Present("s")


# ---------- reasons and gates


def test_a_gate_is_a_closed_formula_over_ungated_passes() -> None:
    found = policy("gate control_unchanged, within(cap) evict s where s.pinned", "cap: int")
    assert [g.name for g in found.gates] == ["control_unchanged", "within(cap)"]
    for gate in found.gates:
        assert "gated=True" not in str(gate.condition)
        assert "Input(name='W')" in str(gate.condition)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "policy p for Chat { gate control_disjoint evict s where s.pinned }",
            "R028",
        ),
        ("policy p for Chat { gate nothing evict s where s.pinned }", "R004"),
        ("policy p for Chat { gate within evict s where s.pinned }", "R016"),
        ("policy p for Chat { gate same_as(p) evict s where s.pinned }", "R045"),
        (
            "property two(P: policy) = all W, V: P(W) == P(V) policy p for Chat { gate two evict s where s.pinned }",
            "R045",
        ),
        ("policy p for Chat { if count(s) > 1 { gate idempotent } }", "R038"),
        ("policy p for Chat { if count(s) > 1 { because s where s.pinned } }", "R038"),
    ],
)
def test_gates_that_cannot_be_judged_are_rejected(text: str, message: str) -> None:
    assert codes(text) == [message]


def test_a_reason_speaks_of_the_window_before_the_pass() -> None:
    assert codes("policy p for Chat { let old = s where s.pinned because old evict old }") == ["R014"]
    assert codes("policy p for Chat { because s where s.taste > 3 evict s where s.pinned }") == ["R024"]
    policy("because s where s.tag == user and no t: t after s evict s where s.pinned")


# ---------- mistakes


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("evict s where s.tag == resul", ["R007"]),
        ("evict s where s.role == user", ["R008"]),
        ("evict s where s.tokns > 1", ["R006"]),
        ("evict s where t.pinned", ["R001"]),
        ("evict s where s.pinned evict t where s.pinned", ["R014"]),
        ("if count(s) > 1 { let x = first s where s.pinned } evict x", ["R014"]),
        ("let x = count(s) let x = count(s)", ["R011"]),
        ("let x = count(s) evict x where x.pinned", ["R011"]),
        ("evict s where k == 1", ["R001"]),
        ("if count(s) > 1 { when count(s) > 2 }", ["R038"]),
        ("repeat 2 { when count(s) > 2 }", ["R038"]),
        ("until count(s) > 1 { when count(s) > 2 }", ["R038"]),
        ("repeat 0 { evict s where s.pinned }", ["R044"]),
        ("let x = W evict s where s.pinned", ["R013"]),
        ("when first t where t.pinned", ["R013"]),
        ("evict s where s.tokens > 3 evict s where s.oops and s.worse", ["R006", "R006"]),
    ],
)
def test_mistakes_are_reported(text: str, expected: list[str]) -> None:
    assert codes(f"policy p for Chat {{ {text} }}") == expected


def test_a_parameter_of_a_policy_is_a_number() -> None:
    assert codes("policy p(s) for Chat { evict t where t == s }") == ["R049"]
    assert codes("policy p(P: policy) for Chat { evict t where t.pinned }") == ["R049"]
    assert codes("policy p(k: int, k: int) for Chat { evict t where t.turn > k }") == ["R011"]
    assert codes("policy p(k: int >= 5 <= 3) for Chat { evict t where t.turn > k }") == ["R042"]


@pytest.mark.parametrize("value", ["if s.loud then s.sort else s.tag", "if s.loud then s.tag else s.sort"])
def test_a_field_gets_no_name_that_it_does_not_have_from_either_branch(value: str) -> None:
    window = "window Desk { tag : rule | note  sort : note | blank  loud : bool }\n"
    text = f"policy p for Desk {{ set s where s.tag == rule {{ sort = {value} }} }}"
    assert mistake(window + text) == f"R013 `{value}` may be a name that `sort` does not have"
    either = "policy p for Desk { set s where s.loud { sort = if s.tag == rule then note else s.sort } }"
    assert "p" in module(window + either).policies


def test_all_policies_are_looked_at_though_nothing_checks_them() -> None:
    assert codes("policy p for Chat { evict s where s.a } policy q for Chat { evict s where s.b }") == ["R006", "R006"]


def test_a_wrong_policy_is_reported_once_however_often_it_is_checked() -> None:
    assert codes("policy p for Chat { evict s where s.a } check p: idempotent, pure check p: justified") == ["R006"]


def test_an_empty_policy_does_nothing() -> None:
    assert module("policy p for Chat { }").policies["p"].body == ()
    assert FALSE != TRUE


@pytest.mark.parametrize(
    "text",
    [
        f"policy p for Chat {{ {'when count(s) > 1 ' * 120} evict s where s.pinned }}",
        "policy p for Chat { repeat 60 { repeat 60 { repeat 60 { evict s where s.pinned } } } }",
    ],
    ids=["when", "repeat"],
)
def test_what_is_large_when_written_out_is_rejected(text: str) -> None:
    assert codes(text) == ["R044"]


def test_what_is_kept_behind_a_when_of_an_applied_policy_is_kept_in_a_block() -> None:
    summary = "summarize s where s.tag == call into { tag = user }"
    applied = f"policy p for Chat {{ apply q {summary} }}"
    assert codes(f"policy q for Chat {{ when count(t) > 1 keep s where s.pinned }} {applied}") == ["R037"]
    assert codes(f"policy q for Chat {{ when count(t) > 1 keep s where s.pinned {summary} }} {applied}") == ["R037"]
    before = "policy q for Chat { keep s where s.pinned when count(t) > 1 evict s where s.cleared }"
    assert "Not(item=InSet(span='s', set='kept'))" in str(module(f"{before} {applied}").policies["p"].body)
    found = policy(f"when count(t) > 1 keep s where s.pinned when count(t) > 2 {summary}").body
    assert "Not(item=InSet(span='s', set='kept'))" in str(found)
