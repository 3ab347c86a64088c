"""A proof that is wrong does not pass: each kind of fault is planted into the compiler, proves a promise that only long
windows break, and is caught by what the other meaning says of short ones."""

from __future__ import annotations

from math import inf

import pytest

from selfedit_formal.core.certificate import Certificate, Method
from selfedit_formal.core.expression import FALSE
from selfedit_formal.core.property import Case, Obligation
from selfedit_formal.engines.unbounded import prove
from selfedit_formal.language.resolve import load_text
from selfedit_formal.semantics.interpreter import breaks
from selfedit_formal.semantics.symbolic.cases import cases
from selfedit_formal.verifying.validation import trial as module
from selfedit_formal.verifying.validation.contradiction import Contradiction
from selfedit_formal.verifying.validation.trial import Trial
from tests.engines.unbounded import test_soundness as kinds
from tests.fuzz.planted import PLANTED_KINDS, planted
from tests.fuzz.test_planted import SHOWN_BY
from tests.verifying.validation import faults

LOOKED_AT = 8
MILLIONS = 80.0


def proved(asked: Obligation) -> Certificate:
    found = prove(asked, MILLIONS, side_by_side=False)
    assert isinstance(found, Certificate)
    return found


def caught(asked: Obligation, fault: str) -> Contradiction:
    """What speaks against the proof that the engine finds with the fault."""
    with planted(fault):
        found = Trial(asked, LOOKED_AT).against(proved(asked).method)
    assert isinstance(found, Contradiction)
    assert breaks(found.obligation, found.case)
    return found


@pytest.mark.parametrize("fault", faults.FALSE)
def test_what_a_fault_proves_is_contradicted(fault: str) -> None:
    found = caught(faults.obligation(fault), fault)
    assert "finds it kept on a window that breaks it" in found.message


@pytest.mark.parametrize("fault", PLANTED_KINDS)
def test_what_a_whole_kind_of_faults_proves_is_contradicted(fault: str) -> None:
    caught(kinds.asked(kinds.FALSE[SHOWN_BY[fault]]), fault)


@pytest.mark.parametrize("fault", faults.FALSE)
def test_what_a_fault_proves_is_broken_by_a_long_window(fault: str) -> None:
    asked = faults.obligation(fault)
    found = Trial(asked, LOOKED_AT).broken()
    assert found is not None
    assert breaks(asked, found)


def promised(text: str) -> Obligation:
    return load_text(f"{faults.WINDOW}\n{text}").obligations[0]


KEEPS = "property keeps(P: policy) = all W, s in W where s.tag == call: s in P(W)\n"


def test_a_proof_of_what_is_true_passes() -> None:
    asked = promised(f"{KEEPS}policy p for Chat {{ when count(s) > 9  evict s where s.tag == user }}\ncheck p: keeps")
    assert Trial(asked, LOOKED_AT).against(proved(asked).method) is None


def test_a_proof_that_the_numbers_matter_to_passes() -> None:
    # With other numbers it is false: 12 spans are no more than 9, and 4 may be more than 3.
    text = """
    property at_most(P: policy) = all W: count(s in P(W)) <= 12
    policy p for Chat { when count(s) > 9  evict s where count(t: t after s) >= 8 }
    check p: at_most
    """
    asked = promised(text)
    assert Trial(asked, LOOKED_AT).against(proved(asked).method) is None


def test_what_breaks_it_as_written_contradicts_any_proof() -> None:
    asked = promised(f"{KEEPS}policy p for Chat {{ when count(s) > 9  evict s where s.tag == call }}\ncheck p: keeps")
    found = Trial(asked, LOOKED_AT).against(Method("query"))
    assert isinstance(found, Contradiction)
    assert found.obligation == asked
    assert len(found.case.inputs["W"].spans) > 9


def test_short_windows_are_looked_at_where_nobody_did() -> None:
    asked = promised(f"{KEEPS}policy p for Chat {{ evict s where s.tag == call }}\ncheck p: keeps")
    assert isinstance(Trial(asked, 0).against(Method("query")), Contradiction)
    assert Trial(asked, LOOKED_AT).against(Method("query")) is None


def test_an_argument_about_a_gate_hangs_on_no_number() -> None:
    asked = promised(
        "policy p for Chat { when count(s) > 9  may evict s where s.tag == call }\n"
        "property rests(P: policy) = all W: P(P(W)) == P(W)\ncheck p: rests"
    )
    found = Trial(asked, LOOKED_AT).against(Method("gate"))
    assert isinstance(found, Contradiction)
    assert "finds it kept on a window that breaks it (with 1 for 9)" in found.message


def test_a_window_in_which_the_policy_acts_is_thrown_at_the_promise(monkeypatch: pytest.MonkeyPatch) -> None:
    def blind(asked: Obligation, spans: int, most: int, end: float = inf) -> tuple[Case, ...]:
        return cases(asked, spans, most, end) if asked.claim.consequent == FALSE else ()

    monkeypatch.setattr(module, "cases", blind)
    asked = promised(f"{KEEPS}policy p for Chat {{ when count(s) > 9  evict s where s.tag == call }}\ncheck p: keeps")
    found = Trial(asked, LOOKED_AT).against(Method("query"))
    assert isinstance(found, Contradiction)
    assert found.obligation == asked
    assert breaks(asked, found.case)
