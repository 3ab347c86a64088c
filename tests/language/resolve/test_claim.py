"""Properties: what stands in front of their formulas, what they suppose, and what they then say."""

from __future__ import annotations

import pytest

from selfedit_formal.core.expression import (
    All,
    And,
    Before,
    Compare,
    Count,
    Equal,
    Expression,
    Implies,
    Input,
    Int,
    Linked,
    Name,
    Not,
    Or,
    Pass,
    Present,
    Reaches,
    Read,
    SameRecord,
    SameSpan,
    SameWindow,
    Some,
    Total,
)
from selfedit_formal.core.property import Bound, Claim
from tests.language.resolve.core import claim, mistake, mistakes

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
        ("s.score > 3", Compare(">", Read("s", "score", "int", W), Int(3))),
    ],
)
def test_expressions_of_a_property_name_their_window(text: str, expected: Expression) -> None:
    found = claim(f"all W, s in W, t in W, u in P(W): {text}")
    assert found.consequent == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("property q(P: policy, P: policy) = all W: P(W) == W", "R011 parameter `P` is declared twice"),
        ("property q(P: policy, s) = all W: P(W) == W", "R049 a property takes no span parameter"),
        ("property q(P: policy, k: int >= 3 <= 2) = all W: P(W) == W", "R042 no number is within the limits of `k`"),
        ("property q(P: policy) = true", "R045 property `q` does not begin with the windows it is about"),
        (
            "property q(P: policy) = all W, s in W, t in P(W): s before t",
            "R027 `s before t` speaks of spans of two windows",
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
        ("property q(P: policy) = all W, s in W: P(s) == W", "R013 `s` is a span, and a window is needed here"),
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
