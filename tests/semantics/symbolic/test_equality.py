"""What follows from which windows are the same, and what does not."""

from __future__ import annotations

from selfedit_formal.core.expression import And, Expression, Implies, Not, Or, SameWindow, WindowTerm
from selfedit_formal.core.property import Bound, Claim
from selfedit_formal.semantics.symbolic.equality import follows_from_equality
from tests.obligations import ONCE, TWICE, W, pinned


def same(a: WindowTerm, b: WindowTerm) -> Expression:
    return SameWindow(a, b)


def test_what_is_the_same_as_the_same_is_the_same() -> None:
    both = And((same(W, ONCE), same(TWICE, ONCE)))
    assert follows_from_equality(Claim(("W",), antecedent=both, consequent=same(W, TWICE)))
    assert follows_from_equality(Claim(("W",), premise=both, consequent=Or((same(TWICE, W), same(W, ONCE)))))
    assert follows_from_equality(Claim(("W",), consequent=Implies(Not(same(W, W)), same(W, ONCE))))


def test_nothing_else_follows() -> None:
    assert not follows_from_equality(Claim(("W",), antecedent=same(W, ONCE), consequent=same(ONCE, TWICE)))
    assert not follows_from_equality(Claim(("W",), consequent=same(W, ONCE)))


def test_claims_about_spans_are_not_looked_at() -> None:
    assert not follows_from_equality(Claim(("W",), (Bound("k", W),), consequent=same(W, W)))
    assert not follows_from_equality(Claim(("W",), antecedent=pinned("k", W), consequent=same(W, W)))
