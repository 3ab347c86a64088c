"""Properties: what stands in front of their formulas, what they suppose, and what they then say."""

from __future__ import annotations

import pytest

from selfedit_formal.core.expression import (
    TRUE,
    All,
    And,
    Arrived,
    Before,
    Compare,
    Count,
    Created,
    Equal,
    Expression,
    Implies,
    Input,
    Int,
    Linked,
    Logged,
    Name,
    Not,
    Or,
    Overridden,
    Pass,
    Present,
    Reaches,
    Read,
    Refused,
    Rescored,
    SameRecord,
    SameSpan,
    SameWindow,
    Some,
    Swapped,
    Total,
    Triggered,
    Without,
)
from selfedit_formal.core.property import Bound, Claim
from tests.language.resolve.core import claim, codes, mistake, mistakes, obligation

W = Input("W")
PW = Pass("p", "", W)
PINNED = Read("s", "pinned", "bool", W)


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("all W: P(W) == W", Claim(("W",), consequent=SameWindow(PW, W))),
        ("all W: P(P(W)) != W", Claim(("W",), consequent=Not(SameWindow(Pass("p", "", PW), W)))),
        ("all W: P'(W) == P''(W)", Claim(("W",), consequent=SameWindow(Pass("p", "'", W), Pass("p", "''", W)))),
        ("all W: P^2(W) == P^0(W)", Claim(("W",), consequent=SameWindow(Pass("p", "", PW), W))),
        ("all W, V: P(W) == P(V)", Claim(("W", "V"), consequent=SameWindow(PW, Pass("p", "", Input("V"))))),
        ("all W, s in W: s in P(W)", Claim(("W",), (Bound("s", W),), consequent=Present("s", PW))),
        (
            "all W, s in W where s.pinned: s in P(W)",
            Claim(("W",), (Bound("s", W),), antecedent=PINNED, consequent=Present("s", PW)),
        ),
        (
            "all W: all s in W: s.pinned implies s in P(W)",
            Claim(("W",), (Bound("s", W),), antecedent=PINNED, consequent=Present("s", PW)),
        ),
        (
            "all W where P(W) != W: all s in W: s.pinned implies all t in W: t == s",
            Claim(
                ("W",),
                (Bound("s", W), Bound("t", W)),
                antecedent=And((Not(SameWindow(PW, W)), PINNED)),
                consequent=SameSpan("t", "s"),
            ),
        ),
        (
            "all W: no s in P(W), t in P(W): s before t",
            Claim(("W",), (Bound("s", PW), Bound("t", PW)), consequent=Not(Before("s", "t", PW))),
        ),
        (
            "all W: (some s in W: s.pinned) and (all s in W: s in P(W))",
            Claim(("W",), consequent=And((Some("s", W, PINNED), All("s", W, Present("s", PW))))),
        ),
        (
            "all W: all j in 1..2: P^(j + 1)(W) == P(W)",
            Claim(
                ("W",),
                consequent=And(
                    (
                        SameWindow(Pass("p", "", PW), PW),
                        SameWindow(Pass("p", "", Pass("p", "", PW)), PW),
                    )
                ),
            ),
        ),
        (
            "all W where (all s in W: s.pinned): all s in P(W): s.pinned",
            Claim(
                ("W",),
                (Bound("s", PW),),
                antecedent=All("s_2", W, Read("s_2", "pinned", "bool", W)),
                consequent=Read("s", "pinned", "bool", PW),
            ),
        ),
    ],
)
def test_a_formula_is_taken_apart(formula: str, expected: Claim) -> None:
    assert claim(formula) == expected


def test_a_predicate_in_front_is_taken_apart_too() -> None:
    more = "predicate fine(W) = all s in W: s.pinned implies s.tag == user"
    found = claim("all W where fine(W): fine(P(W))", more)
    assert found.bound == (Bound("s", PW),)
    assert found.consequent == Equal(Read("s", "tag", "enum", PW), Name("enum", "user"))
    assert found.antecedent == And(
        (
            All(
                "s_2",
                W,
                Implies(Read("s_2", "pinned", "bool", W), Equal(Read("s_2", "tag", "enum", W), Name("enum", "user"))),
            ),
            Read("s", "pinned", "bool", PW),
        )
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("s.pinned", Read("s", "pinned", "bool", W)),
        ("P(W)[s].pinned", Read("s", "pinned", "bool", PW)),
        ("P(W)[s] == W[s]", SameRecord("s", PW, W)),
        ("P(W)[s] != W[s]", Not(SameRecord("s", PW, W))),
        ("s before t", Before("s", "t", W)),
        ("s after t in P(W)", Before("t", "s", PW)),
        ("u before s in W", Before("u", "s", W)),
        ("s answers t", Linked("answers", "s", "t", W)),
        ("u covers s", Linked("covers", "u", "s", PW)),
        ("s reaches t along answers", Reaches("answers", "s", "t", W)),
        ("s reaches u along answers in P(W)", Reaches("answers", "s", "u", PW)),
        ("s.pinned or no j: j answers s", Or((PINNED, Not(Some("j", W, Linked("answers", "j", "s", W)))))),
        ("s.pinned or no j: j answers u", Or((PINNED, Not(Some("j", PW, Linked("answers", "j", "u", PW)))))),
        ("some j in P(W): j before s in W", Some("j", PW, Before("j", "s", W))),
        ("count(r in P(W): r.pinned) <= 1", Compare("<=", Count("r", PW, Read("r", "pinned", "bool", PW)), Int(1))),
        (
            "total(r.tokens: r in P(W) and r.pinned) <= 1",
            Compare("<=", Total("r", PW, Read("r", "tokens", "int", PW), Read("r", "pinned", "bool", PW)), Int(1)),
        ),
        (
            "control(u)",
            Or((Equal(Read("u", "tag", "enum", PW), Name("enum", "system")), Read("u", "pinned", "bool", PW))),
        ),
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
        ("s.score > 3", Compare(">", Read("s", "score", "int", W), Int(3))),
        (
            "not prunable(P, s, W)",
            And((Present("s", Pass("p", "~", W)), SameRecord("s", W, Pass("p", "~", W)))),
        ),
    ],
)
def test_expressions_of_a_property_name_their_window(text: str, expected: Expression) -> None:
    found = claim(f"all W, s in W, t in W, u in P(W): {text}")
    assert found.consequent == expected


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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("property q(P: policy, P: policy) = all W: P(W) == W", "R011 parameter `P` is declared twice"),
        ("property q(P: policy, s) = all W: P(W) == W", "R049 a property takes no span parameter"),
        ("property q(P: policy, k: int >= 3 <= 2) = all W: P(W) == W", "R042 no number is within the limits of `k`"),
        ("property q(P: policy) = true", "R045 property `q` does not begin with the windows it is about"),
        (
            "property q(P: policy) = all W: some V: P(V) == W",
            "R045 `V` is a window, and windows are taken in front only",
        ),
        (
            "property q(P: policy) = all W, s in W, t in P(W): s before t",
            "R027 `s before t` speaks of spans of two windows",
        ),
        ("property q(P: policy) = all W: some s: s == s", "R027 it is not clear from which window `s` is taken"),
        (
            "property q(P: policy) = all W, s in W, t in P(W): no j: j == s and j == t",
            "R027 it is not clear from which window `j` is taken",
        ),
        ("property q(P: policy) = all W, s in W: Q(W) == W", "R005 unknown predicate `Q`"),
        ("property q(P: policy) = all W, s in W: u in W", "R001 unknown name `u`"),
        ("property q(P: policy) = all W, s in W: P == W", "R013 `P` is a policy, and a value is needed here"),
        ("property q(P: policy) = all W, s in P: s in W", "R013 `P` is a policy, and a value is needed here"),
        ("property q(P: policy) = all W, W: P(W) == W", "R011 `W` has a meaning here already"),
        (
            "property q(P: policy) = all W, s in W, t in W: W[s] == P(W)[t]",
            "R013 two records are compared only if they are of one span",
        ),
        (
            "property q(P: policy) = all W: P^100(W) == W",
            "R044 `P^100(W)` asks for 100 passes, and the number is between 0 and 64",
        ),
        ("property q(P: policy) = all W: P(W, W) == W", "R016 `P` takes 1 argument, not 2"),
        ("property q(P: policy) = all W, s in W: P(s) == W", "R013 `s` is a span, and a window is needed here"),
        ("property q(P: policy) = all W: triggered(W, W)", "R017 `W` is not a policy, and a policy is needed here"),
        ("property q(P: policy) = all W: total(s.tokens) > 3", "R027 it is not clear from which window `s` is taken"),
        (
            "property pure(P: policy) = all W: P(W) == W",
            "R011 property `pure` is shipped with the tool, and this is another one",
        ),
    ],
)
def test_a_property_is_looked_at_though_nothing_checks_it(text: str, expected: str) -> None:
    assert mistake(text) == expected


def test_a_property_that_does_not_fit_points_at_the_check() -> None:
    text = """
    window Bare { tag : a | b }
    policy p for Bare { evict s where s.tag == a }
    check p: justified, control_unchanged, within(3)
    """
    first, second, third = mistakes(text)
    assert {first.code, second.code, third.code} == {"R029"}
    assert first.message == "property `justified` needs the link `justifies`, which window `Bare` does not have"
    assert second.message == "property `control_unchanged` needs a control set, which window `Bare` does not have"
    assert third.message == "property `within` needs the field `tokens`, which window `Bare` does not have"
    for found, word in ((first, "justified"), (second, "control_unchanged"), (third, "within(3)")):
        assert found.location is not None
        line = found.location.source.line(found.location.line)
        assert line[found.location.column - 1 :].startswith(word)
        ((_, place),) = found.notes
        assert place.source.name.startswith("spec/properties/")


def test_a_tag_that_a_property_needs_is_asked_of_the_window() -> None:
    text = """
    window Bare { tag : a | b }
    property calm(P: policy) = all W, s in W where s.tag == user: s in P(W)
    policy p for Bare { evict s where s.tag == a }
    check p: calm
    """
    assert mistake(text) == "R029 property `calm` needs the tag `user`, which window `Bare` does not have"


def test_a_predicate_given_to_a_property_is_at_fault_itself() -> None:
    text = """
    window Bare { tag : a | b }
    predicate fine(W) = all s in W: s.pinned
    policy p for Bare { evict s where s.tag == a }
    check p: preserves(fine)
    """
    (found,) = mistakes(text)
    assert (found.code, found.message) == ("R006", "window `Bare` has no field `pinned`")
    assert [n for n, _ in found.notes] == ["predicate `fine` is used here", "property `preserves` is used here"]


def test_a_field_from_the_window_cannot_be_read_outside_of_a_pass() -> None:
    text = (
        "policy p for Chat { evict s where s.taste < 3 } property q(P: policy) = all W, s in W: s.taste > 3 check p: q"
    )
    (found,) = mistakes(text)
    assert found.code == "R024"


def test_parameters_of_a_property_are_policies_predicates_and_numbers() -> None:
    more = """
    predicate fine(s) = s.pinned
    policy p(cap: int >= 2) for Chat { evict s where s.turn > cap }
    policy o(cap: int) for Chat { evict s where s.turn > cap }
    property q(k: int, P: policy, I: predicate, Q: policy) =
      all W, s in W where I(s) and s.turn > k: s in P(W) and s in Q(W)
    """
    found = obligation("p: q(cap + 1, fine, o)", more)
    assert found.claim.consequent == And((Present("s", PW), Present("s", Pass("o", "", W))))
    assert [d.name for d in found.parameters] == ["cap", "o.cap"]
    assert "Parameter(name='o.cap')" in str(found.policies[1].body)
    assert "Parameter(name='cap')" in str(found.claim.antecedent)
    assert found.claim.premise == TRUE
