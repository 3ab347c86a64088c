"""The functions of the language: what each says in the core, and where it may stand."""

from __future__ import annotations

import pytest

from selfedit_formal.core.expression import (
    FALSE,
    And,
    Arrived,
    Bool,
    Compare,
    Count,
    Created,
    Expression,
    Input,
    Int,
    Linked,
    Logged,
    Not,
    Or,
    Overridden,
    Pass,
    Present,
    Read,
    Refused,
    Rescored,
    SameRecord,
    SameWindow,
    Some,
    Swapped,
    Triggered,
    Without,
)
from selfedit_formal.language.resolve import load_text
from tests.language.resolve.core import (
    claim,
    codes,
    condition,
    flag,
    mistake,
    tagged,
)
from tests.language.resolve.loops import APPLY, CLEAR, noted, promised, steps, turned

W, V = Input("W"), Input("V")
PW = Pass("p", "", W)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("created(s)", Created("s")),
        ("control(s)", Or((tagged("system"), flag("pinned")))),
    ],
)
def test_a_function_of_a_span_has_its_core(text: str, expected: Expression) -> None:
    assert condition(text, parameters="k: int") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("created(u)", Created("u")),
        ("triggered(P, W)", Triggered("p", "", W)),
        ("triggered(P, P'(W))", Triggered("p", "", Pass("p", "'", W))),
        ("triggered(P, arrive(P(W), 7))", Triggered("p", "", Arrived(PW, Int(7)))),
        ("refused(P, W)", Refused(PW)),
        ("logged(P, s, W)", Logged("s", PW)),
        ("overridden(P, s, W)", Overridden("s", PW)),
        ("s in P(without(W, t))", Present("s", Pass("p", "", Without(W, "t")))),
        ("s in P(swap(W, s, t))", Present("s", Pass("p", "", Swapped(W, "s", "t")))),
        ("s in P(rescore(W, t))", Present("s", Pass("p", "", Rescored(W, "t")))),
        (
            "not prunable(P, s, W)",
            And((Present("s", Pass("p", "~", W)), SameRecord("s", W, Pass("p", "~", W)))),
        ),
    ],
)
def test_a_function_of_a_pass_has_its_core(text: str, expected: Expression) -> None:
    found = claim(f"all W, s in W, t in W, u in P(W): {text}")
    assert found.consequent == expected


# ---------- control sets and units


def test_a_window_without_a_control_set_says_so() -> None:
    text = "window Bare { tag : a } policy p for Bare { evict s where control(s) }"
    assert mistake(text) == "R006 window `Bare` does not say which spans are its control set"


def test_control_sets_and_units_do_not_use_themselves() -> None:
    with pytest.raises(Exception, match="the condition of `control` uses `control` itself"):
        load_text("window W1 { tag : a control s where f(s) } predicate f(s) = control(s)")
    with pytest.raises(Exception, match="the condition of `turn` uses `turn` itself"):
        load_text("window W1 { tag : a unit turn starts s where count(turn after s) > 1 }")


def test_a_control_set_may_use_a_predicate() -> None:
    text = "window W1 { tag : a | b control s where f(s) } predicate f(s) = s.tag == b"
    assert load_text(text + " policy p for W1 { evict s where control(s) }").policies["p"]


# ---------- prunable


def test_each_prunable_is_a_run_of_its_own() -> None:
    found = claim("all W, s in W, t in W: not prunable(P, s, W) or not prunable(P, t, W)")
    assert "run='~'" in str(found.consequent)
    assert "run='~~'" in str(found.consequent)


@pytest.mark.parametrize(
    "formula",
    [
        "all W, s in W: not prunable(P, s, W)",
        "all W, s in W: control(s) implies not prunable(P, s, W)",
        "all W, s in W where prunable(P, s, W): s.pinned",
        "all W, s in W: prunable(P, s, W) implies s.pinned",
        "all W: no s in W: control(s) and prunable(P, s, W)",
        "all W: (all s in W: not prunable(P, s, W)) and (no t in W: prunable(P, t, W))",
        "all W: (some s in W: prunable(P, s, W)) implies P(W) != W",
    ],
)
def test_prunable_may_stand_where_it_is_denied(formula: str) -> None:
    claim(formula)


@pytest.mark.parametrize(
    "formula",
    [
        "all W, s in W: prunable(P, s, W)",
        "all W: some s in W: not prunable(P, s, W)",
        "all W: no s in W: not prunable(P, s, W)",
        "all W, s in W: s.pinned iff not prunable(P, s, W)",
        "all W, s in W: s.pinned == prunable(P, s, W)",
        "all W, s in W: if prunable(P, s, W) then s.pinned else true",
        "all W: count(s in W: not prunable(P, s, W)) > 1",
        "all W, s in W where not prunable(P, s, W): s.pinned",
        "all W: (all s in W: prunable(P, s, W)) implies P(W) != W",
    ],
)
def test_prunable_may_not_stand_where_it_is_asserted(formula: str) -> None:
    assert codes(f"property q(P: policy) = {formula}") == ["R028"]


# ---------- sessions


def test_turns_of_a_promise_are_passes() -> None:
    whole = ("loop.environment", "clear", "loop.record")
    assert promised("always W: S^2(W) == S(W)").claim.consequent == SameWindow(
        turned(W, *whole, *whole), turned(W, *whole)
    )
    assert promised("always W: S^0(W) == W").claim.consequent == SameWindow(W, W)


def test_left_alone_the_books_are_kept_and_nothing_else_is_done() -> None:
    found = promised("always W: left_alone(S, 1, W) == W", "each turn { arrive s where s.pinned apply clear(3) }")
    assert found.claim.consequent == SameWindow(turned(W, "loop.offer", "clear", "loop.record"), W)
    assert found.turns is not None
    together = [*found.turns.session.steps]
    assert [s.environment for s in together] == [True, False, False, False]
    assert noted(together[1].policy) == noted(steps("apply clear(3)")["loop.environment"])
    assert noted(together[0].policy) == []
    assert found.policies[0].name == "clear"


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ("", FALSE),
        ("tombstones sidecar", Compare(">", Read("s", "evictions", "int", W), Int(0))),
        (
            "tombstones in_window { tag = summary }",
            Some("t", W, And((tagged("summary", "t", W), Linked("covers", "t", "s", W)))),
        ),
    ],
)
def test_a_tombstone_stands_where_they_live(members: str, expected: Expression) -> None:
    found = promised("always W, s in known(W): tombstone(S, s, W)", f"{APPLY} {members}")
    assert found.claim.consequent == expected


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ("", Int(0)),
        ("ledger sidecar", Read("s", "evictions", "int", W)),
        (
            "ledger in_window { tag = summary }",
            Count("t", W, And((tagged("summary", "t", W), Linked("covers", "t", "s", W)))),
        ),
    ],
)
def test_the_entries_about_a_span_are_counted_where_they_live(members: str, expected: Expression) -> None:
    found = promised("always W, s in known(W): entries(S, s, W) == 1", f"{APPLY} {members}")
    assert found.claim.consequent == Compare("==", expected, Int(1))


@pytest.mark.parametrize("store", ["none", "sidecar", "in_window { tag = summary }"])
def test_the_ledger_is_outside_in_a_sidecar_alone(store: str) -> None:
    found = promised("always W: outside(S)", f"{APPLY} ledger {store}")
    assert found.claim.consequent == Bool(store == "sidecar")


def test_a_known_span_is_of_the_control_set_if_it_is_in_the_window() -> None:
    text = """window C { tag : a | b control s where no t: t before s }
policy p for C { evict s where s.tag == a }
session loop of C { each turn { apply p } }
check loop: control_survives"""
    (found,) = load_text(text).obligations
    assert isinstance(found.claim.consequent, And)
    (quantifier,) = (i.item for i in found.claim.consequent.items if isinstance(i, Not))
    assert isinstance(quantifier, Some)
    assert quantifier.window == W


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "property q(S: session) = always W: S'(W) == W",
            "R017 `S'` would be another run of the session, and a promise of sessions is about one",
        ),
        (
            "property q(S: session) = always W: S^65(W) == W",
            "R044 `S^65(W)` asks for 65 turns, and the number is between 0 and 64",
        ),
        (
            "property q(S: session) = always W: known(W) == W",
            "R013 `known(W)` has spans that left, so it is no window that is compared or that a policy gets",
        ),
        ("property q(S: session) = always W: outside(W)", "R017 `W` is not a session, and one is needed here"),
    ],
)
def test_a_function_of_sessions_may_be_misused(text: str, expected: str) -> None:
    assert mistake(f"{CLEAR}session loop of Chat {{ {APPLY} }}\n{text}") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "property q(P: policy) = all W: P^100(W) == W",
            "R044 `P^100(W)` asks for 100 passes, and the number is between 0 and 64",
        ),
        ("property q(P: policy) = all W: triggered(W, W)", "R017 `W` is not a policy, and a policy is needed here"),
    ],
)
def test_a_function_of_a_pass_may_be_misused(text: str, expected: str) -> None:
    assert mistake(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("triggered(p, W)", "R017 `p` is not a policy, and a policy is needed here"),
    ],
)
def test_in_a_policy_there_is_no_pass_to_speak_of(text: str, expected: str) -> None:
    assert mistake(f"policy p(k: int) for Chat {{ evict s where {text} }}") == expected
