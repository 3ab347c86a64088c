"""A certificate is believed only as far as fresh solvers confirm it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from selfedit_formal.core.certificate import GATE, PRODUCTS, Certificate, Method
from selfedit_formal.engines.unbounded.recheck import Condition, available, recheck

GOOD = "(set-logic ALL)\n(declare-fun n () Int)\n(assert (< n 0))\n(assert (> n 0))\n(check-sat)\n"
BAD = GOOD.replace("(> n 0)", "(> n (- 2))")
CERTIFICATE = Certificate(Method("query"), {"query": GOOD}, {"query": GOOD})


def test_both_solvers_are_asked_where_both_are_there() -> None:
    assert available() == ("z3", "cvc5")


@pytest.mark.parametrize("solver", ["z3", "cvc5"])
def test_a_condition_that_can_be_satisfied_is_named(solver: str) -> None:
    wrong = replace(CERTIFICATE, conditions={"init": GOOD, "step": BAD})
    assert recheck(CERTIFICATE, solvers=(solver,)) is None
    assert recheck(wrong, solvers=(solver,)) == f"{solver} answers sat to `step`"


@pytest.mark.parametrize("solver", ["z3", "cvc5"])
def test_text_that_is_no_script_does_not_check(solver: str) -> None:
    wrong = replace(CERTIFICATE, conditions={"init": "(assert and)\n(check-sat)\n"})
    found = recheck(wrong, solvers=(solver,))
    assert found is not None


def test_a_certificate_without_conditions_proves_nothing() -> None:
    assert recheck(replace(CERTIFICATE, conditions={})) == "it has no conditions"


@pytest.mark.parametrize("solver", ["z3", "cvc5"])
@pytest.mark.parametrize(("name", "text"), [("gate", GATE), *PRODUCTS.items()])
def test_what_every_argument_of_a_kind_rests_on_is_true(solver: str, name: str, text: str) -> None:
    assert Condition(solver, name, text).ask(30.0) == "unsat"
