"""The functions of the language: what each says in the core, and where it may stand."""

from __future__ import annotations

import pytest

from selfedit_formal.core.expression import (
    And,
    Arrived,
    Bool,
    Created,
    Expression,
    Input,
    Int,
    Logged,
    Or,
    Overridden,
    Pass,
    Present,
    Refused,
    Rescored,
    SameRecord,
    Swapped,
    Triggered,
    Without,
)
from selfedit_formal.language.resolve import load_text
from selfedit_formal.language.resolve.function import PASSES
from tests.language.resolve.core import (
    claim,
    codes,
    condition,
    flag,
    marked,
    mistake,
    mistake_in,
    mistakes,
    tagged,
)

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


def test_it_is_told_why_prunable_may_not_stand_there() -> None:
    asks = "`prunable` asks whether some pass changes the span, and"
    asserted = "property q(P: policy) = all W, s in W: prunable(P, s, W)"
    assert mistake(asserted) == f"R028 {asks} the claim does not deny it here"
    gated = "policy p for Chat { gate q } property q(P: policy) = all W, s in W: not prunable(P, s, W)"
    assert mistake(gated) == f"R028 property `q` does not fit here: {asks} a gate looks at one pass"


# ---------- mistakes


@pytest.mark.parametrize(
    ("formula", "expected", "place"),
    [
        ("P^65(W) == W", "R044 `P^65(W)` asks for 65 passes, and the number is between 0 and 64", "P^65(W)"),
        (
            "P^(0 - 1)(W) == W",
            "R044 `P^(0 - 1)(W)` asks for -1 passes, and the number is between 0 and 64",
            "P^(0 - 1)(W)",
        ),
        ("Q^2(W) == W", "R017 `Q` is not a policy, and a policy is needed here", "Q"),
        ("triggered(W, W)", "R017 `W` is not a policy, and a policy is needed here", "W"),
        ("logged(Q, s, W)", "R017 `Q` is not a policy, and a policy is needed here", "Q"),
        ("rationale(3, s, W)", "R017 `3` is not a policy, and a policy is needed here", "3"),
        ("created(W)", "R013 `W` is a window, and a span is needed here", "W"),
        ("s in P(without(W, W))", "R013 `W` is a window, and a span is needed here", "W"),
        ("s in P(swap(W, s))", "R016 `swap` takes 3 arguments, not 2", "swap"),
        ("P(arrive(W, true)) == W", "R013 `true` is true or false, and a number is needed here", "true"),
        ("outside(P)", "R017 `P` is not a session, and one is needed here", "P"),
    ],
)
def test_a_function_of_a_pass_may_be_misused(formula: str, expected: str, place: str) -> None:
    (found,) = mistakes(f"property q(P: policy) = all W, s in W: {formula}")
    assert (f"{found.code} {found.message}", marked(found.location)) == (expected, place)


def test_in_a_policy_there_is_no_pass_to_speak_of() -> None:
    expected = "R017 `p` is not a policy, and a policy is needed here"
    assert mistake_in("evict s where triggered(p, W)") == (expected, "p")


def test_as_many_passes_as_there_may_be_are_taken() -> None:
    found = claim(f"all W: P^{PASSES}(W) == W").consequent
    assert str(found).count("Pass(") == PASSES


@pytest.mark.parametrize(
    ("fields", "needed"),
    [("tag : a", "the field `tokens`"), ("tag : a  tokens : bool", "an int field `tokens`")],
)
def test_what_arrives_has_tokens(fields: str, needed: str) -> None:
    text = (
        f"window N {{ {fields} }} policy p for N {{ }} property q(P: policy) = all W: P(arrive(W, 3)) == W check p: q"
    )
    assert mistake(text) == f"R029 property `q` needs {needed}, which window `N` does not have"


def test_without_a_reason_nothing_is_the_rationale() -> None:
    assert claim("all W, s in W: rationale(P, s, W)").consequent == Bool(False)
