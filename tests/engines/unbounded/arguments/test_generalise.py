"""Larger numbers become parameters: each the same one wherever it stands, in the order in which they were written."""

from __future__ import annotations

from selfedit_formal.core.expression import Compare, Int, Multiply, Parameter
from selfedit_formal.core.property import Obligation
from selfedit_formal.engines.unbounded.arguments.generalise import generalise
from selfedit_formal.language.resolve import load_text

SETTING = """
window Chat { tag : user | note  tokens : int >= 1 }
property below(P: policy, most: int) = all W: total(t.tokens: t in P(W)) <= most
"""


def obligation(rule: str, check: str) -> Obligation:
    policy = f"policy keeps(size: int >= 1, most: int >= 0) for Chat {{ {rule} }}"
    return load_text(f"{SETTING}{policy}\n{check}\n").obligations[0]


def test_a_number_is_one_parameter_beside_another_too() -> None:
    asked = obligation("evict s where count(t: t after s) >= 8", "check keeps: below(most) assuming 8 * size <= most")
    general = generalise(asked)
    assert general is not None
    assert general.claim.premise == Compare("<=", Multiply(Parameter("number 8"), Parameter("size")), Parameter("most"))
    assert "Int(value=8)" not in repr(general.policies)
    assert general.parameters[-1].name == "number 8"


def test_numbers_keep_their_order() -> None:
    asked = obligation("evict s where count(t: t after s) >= 8 or s.tokens > 5", "check keeps: below(most)")
    general = generalise(asked)
    assert general is not None
    assert general.claim.premise == Compare("<", Parameter("number 5"), Parameter("number 8"))


def test_small_numbers_and_factors_that_stand_nowhere_else_stay() -> None:
    small = obligation("evict s where count(t: t after s) >= 2", "check keeps: below(most) assuming 8 * size <= most")
    assert generalise(small) is None
    assert small.claim.premise == Compare("<=", Multiply(Int(8), Parameter("size")), Parameter("most"))
