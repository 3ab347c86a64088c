"""A certificate's conditions compiled anew are its own, or it is no proof of the promise."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from selfedit_formal.core.certificate import GATE, Method
from selfedit_formal.core.certificate_file import asked, canonical
from selfedit_formal.core.property import Obligation
from selfedit_formal.engines import Differs
from selfedit_formal.engines.unbounded.anew import anew
from selfedit_formal.engines.unbounded.arguments.gated import prove_gated
from selfedit_formal.engines.unbounded.recheck import recheck
from selfedit_formal.language.resolve import load_text
from tests import obligations
from tests.engines.unbounded.proofs import FEW, LIGHTER, SPARE, TEXT, USERS, proved

GATED = """
window Chat { tag : user | note }
policy p for Chat { evict s where s.tag == note  gate idempotent }
check p: idempotent
"""


@pytest.mark.parametrize("promise", [USERS, LIGHTER, FEW], ids=lambda o: o.name)
def test_the_conditions_of_a_promise_come_out_as_they_were_and_hold(promise: Obligation) -> None:
    proof = proved(promise.name)
    conditions = anew(promise, proof)
    assert conditions.keys() == proof.conditions.keys()
    assert recheck(replace(proof, conditions=conditions)) is None


def test_the_invariant_is_the_certificate_s_and_nothing_else_is() -> None:
    proof = proved(LIGHTER.name)
    other = replace(proof, texts={**proof.texts, "invariant": "(set-logic ALL)\n(assert true)\n(check-sat)\n"})
    conditions = anew(LIGHTER, other)
    assert conditions == asked(
        "scan", {**canonical(proof.texts), "invariant": other.texts["invariant"]}, proof.state, False
    )
    assert recheck(replace(proof, conditions=conditions)) is not None


def test_a_proof_of_another_promise_differs() -> None:
    with pytest.raises(Differs, match="is another one"):
        anew(SPARE, proved(FEW.name))
    looser = TEXT.replace("evict s where s.tag == note", "evict s where s.tag == user")
    (users, *_) = load_text(looser).obligations
    with pytest.raises(Differs, match="`query` is another one"):
        anew(users, proved(USERS.name))


@pytest.mark.parametrize(
    ("promise", "change", "message"),
    [
        (LIGHTER, Method("scan", products=True), "one tracks a product of parameters, and the other does not"),
        (LIGHTER, Method("scan", ("each step",)), "what it proves instead (`each step`) does not apply to the promise"),
        (USERS, Method("gate"), "its argument about the gate does not apply to the promise"),
        (FEW, Method("scan", direction="oldest"), "is another one"),
    ],
)
def test_by_another_method_it_is_another_proof(promise: Obligation, change: Method, message: str) -> None:
    with pytest.raises(Differs, match=re.escape(message)):
        anew(promise, replace(proved(promise.name), method=change))


def test_state_that_the_scan_does_not_have_is_another_one() -> None:
    proof = proved(LIGHTER.name)
    with pytest.raises(Differs, match="the state of the scan is another one"):
        anew(LIGHTER, replace(proof, state=(*proof.state, ("extra", "Int"))))


def test_a_text_that_is_not_admitted_is_no_proof() -> None:
    proof = proved(LIGHTER.name)
    with pytest.raises(Differs):
        anew(LIGHTER, replace(proof, texts={**proof.texts, "invariant": "(assert"}))


def test_what_the_argument_is_not_about_is_none_of_its_promises() -> None:
    written = obligations.fixed(USERS, replace(obligations.window(), schema=USERS.schema))
    with pytest.raises(Differs, match="the promise is none that this argument is about"):
        anew(written, proved(USERS.name))


def test_an_argument_about_a_gate_is_the_same_for_every_policy() -> None:
    (promise,) = load_text(GATED).obligations
    proof = prove_gated(promise)
    assert proof is not None
    assert anew(promise, proof) == {"gate": GATE}
