"""What was compiled as text: the same formulas, and the argument by which they prove."""

from __future__ import annotations

import pytest
import z3

from selfedit_formal.core.certificate import TEXTS, Method
from selfedit_formal.engines.unbounded import LADDER
from selfedit_formal.engines.unbounded.compiler import Mode, compile_query, compile_scan
from selfedit_formal.engines.unbounded.terms import primed
from selfedit_formal.engines.unbounded.texts import method, mode, of_query, of_scan, state
from tests.engines.unbounded.proofs import LIGHTER, QUERY, SCAN, USERS


@pytest.mark.parametrize("way", [way for rung in LADDER for way in rung.ways()], ids=str)
def test_an_argument_is_compiled_as_it_was(way: Mode) -> None:
    assert mode(method(way)) == way
    assert mode(method(way, products=True)) == way


def test_an_argument_says_by_what_it_was_compiled() -> None:
    assert method(Mode(scan=True, direction="oldest", depth=2), products=True) == Method(
        "scan", (), "oldest", 2, "all", half=False, products=True
    )
    assert method(QUERY).kind == "query"


def alike(text: str, formula: z3.BoolRef) -> bool:
    solver = z3.Solver()
    solver.add(z3.And(z3.parse_smt2_string(text)) != formula)
    return bool(solver.check() == z3.unsat)


def test_a_text_is_the_formula() -> None:
    query = compile_query(USERS, QUERY)
    assert tuple(of_query(query)) == TEXTS["query"]
    assert alike(of_query(query)["query"], query.formula)
    scan = compile_scan(LIGHTER, SCAN)
    texts = of_scan(scan)
    assert {*texts, "invariant"} == set(TEXTS["scan"])
    assert alike(texts["init"], scan.init)
    assert alike(texts["safe"], scan.fin)
    step = z3.And(scan.step, *(after == scan.next[v] for v, after in primed(scan.state)))
    assert alike(texts["step"], step)


def test_the_state_is_there_by_name_with_its_sorts() -> None:
    scan = compile_scan(LIGHTER, SCAN)
    told = dict(state(scan))
    assert list(told) == [v.decl().name() for v in scan.state]
    assert [sort == "Bool" for sort in told.values()] == [z3.is_bool(v) for v in scan.state]
    assert set(told.values()) <= {"Bool", "Int"}
