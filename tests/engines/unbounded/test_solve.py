"""A certificate where a promise is kept, which says what it rests on; nothing where it is not, or work does not do."""

from __future__ import annotations

import pytest
import z3

from selfedit_formal.core.budget import OutOfTime, Work
from selfedit_formal.core.certificate import Certificate, FieldBounds, Method, ParameterBound, RuleGround
from selfedit_formal.engines.unbounded import solve
from selfedit_formal.engines.unbounded.compiler import compile_scan
from selfedit_formal.engines.unbounded.recheck import recheck
from selfedit_formal.engines.unbounded.solve import _read_back, prove_by_query, prove_by_scan
from tests.engines.unbounded.proofs import FEW, LIGHT, LIGHTER, NOTES, QUERY, SCAN, SPARE, USERS, proved, work


def test_what_a_query_proves_it_has_a_certificate_of() -> None:
    proof = proved(USERS.name)
    assert proof.method == Method("query")
    assert list(proof.conditions) == ["query"]
    assert recheck(proof) is None
    assert proof.needed == (RuleGround("p", 0),)


def test_what_a_window_breaks_a_query_does_not_prove() -> None:
    proof, query = prove_by_query(NOTES, QUERY, work())
    assert proof is None
    assert len(query.on) == 1


def test_what_takes_a_sum_a_query_does_not_prove_and_a_scan_does() -> None:
    assert prove_by_query(LIGHTER, QUERY, work())[0] is None
    proof = proved(LIGHTER.name)
    assert list(proof.conditions) == ["init", "step", "safe"]
    assert recheck(proof) is None
    assert FieldBounds("tokens") in proof.needed
    assert proof.invariant
    assert {name for name, _ in proof.state} <= set(proof.legend) | {name for name, _ in proof.state}


def test_what_a_window_breaks_a_scan_does_not_prove() -> None:
    proof, scan = prove_by_scan(LIGHT, SCAN, work())
    assert proof is None
    assert scan.approximations == ()


def test_a_proof_tells_what_it_needs_from_what_it_does_not() -> None:
    proof = proved(FEW.name)
    assert RuleGround("last", 0) in proof.needed
    assert ParameterBound("spare", "least", 0) in proof.unneeded
    assert not set(proof.needed) & set(proof.unneeded)


def test_another_number_is_no_bound() -> None:
    assert prove_by_scan(SPARE, SCAN, work())[0] is None


def test_where_it_is_too_much_to_find_out_what_a_proof_needs_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solve, "CORE_EACH", 1)
    proof, _ = prove_by_query(USERS, QUERY, work())
    assert proof is not None
    assert (proof.needed, proof.unneeded) == ((), ())


def test_what_no_solver_confirms_is_no_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Certificate] = []

    def denies(certificate: Certificate, end: float) -> bool:
        asked.append(certificate)
        return False

    monkeypatch.setattr(solve, "checks", denies)
    assert prove_by_query(USERS, QUERY, work())[0] is None
    assert prove_by_scan(LIGHTER, SCAN, work())[0] is None
    assert [c.method.kind for c in asked] == ["query", "scan"]


def test_without_work_there_is_no_proof_and_without_time_no_answer() -> None:
    little = Work(5_000)
    assert prove_by_scan(FEW, SCAN, little)[0] is None
    assert little.left <= 0
    for prove, asked, mode in ((prove_by_query, USERS, QUERY), (prove_by_scan, LIGHTER, SCAN)):
        with pytest.raises(OutOfTime):
            prove(asked, mode, Work(end=0.0))


# ---------- what Spacer says


def test_an_answer_is_read_as_a_formula_over_the_state() -> None:
    scan = compile_scan(LIGHTER, SCAN)
    inv = z3.Function("Inv", *(v.sort() for v in scan.state), z3.BoolSort())
    numbers = [v for v in scan.state if v.sort() == z3.IntSort()]
    meant = numbers[0] <= numbers[1]
    names = [z3.Const(f"other{i}", v.sort()) for i, v in enumerate(scan.state)]
    renamed = z3.substitute(meant, *zip(scan.state, names, strict=True))
    for equation in (inv(*names) == renamed, renamed == inv(*names)):
        found = _read_back(z3.And(z3.BoolVal(True), z3.ForAll(names, equation)), scan)
        assert found is not None
        assert found.eq(meant)


def test_an_answer_that_is_not_about_every_state_is_none() -> None:
    scan = compile_scan(LIGHTER, SCAN)
    inv = z3.Function("Inv", *(v.sort() for v in scan.state), z3.BoolSort())
    names = [z3.Const(f"other{i}", v.sort()) for i, v in enumerate(scan.state)]
    one = next(i for i, v in enumerate(scan.state) if v.sort() == z3.IntSort())
    fixed = [z3.IntVal(0) if i == one else name for i, name in enumerate(names)]
    assert _read_back(z3.ForAll(names, inv(*fixed) == z3.BoolVal(True)), scan) is None
    assert _read_back(z3.BoolVal(True), scan) is None
