"""An encoding is satisfiable where a case of its sizes breaks the claim, and has in it only what something reads."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
import z3

from selfedit_formal.core.expression import Input, Known, Not, Present, Read
from selfedit_formal.core.property import Bound, Claim, Obligation
from selfedit_formal.core.window import Field, Schema
from selfedit_formal.engines import Found, Limits
from selfedit_formal.engines.bounded import BoundedRefuter
from selfedit_formal.semantics.interpreter import breaks
from selfedit_formal.semantics.symbolic import encode, smt2
from tests.semantics.generated import obligation

Z3 = Path(sys.executable).with_name("z3")


@pytest.mark.parametrize("name", ["known", "archived", "before", "field", "W", "tag"])
@pytest.mark.parametrize("inputs", [("W",), ("field", "known"), ("archived", "W")])
def test_a_field_may_be_called_as_anything_that_the_encoding_knows_of_a_span(
    name: str, inputs: tuple[str, ...]
) -> None:
    schema = Schema("Named", (Field(name, "bool"), Field("k", "key")))
    window = Input(inputs[0])
    bare = Claim(inputs, (Bound("s", Known(window)),), consequent=Present("s", window))
    flagged = replace(bare, consequent=Read("s", name, "bool", window), antecedent=Not(Present("s", window)))
    for claim in (bare, flagged):
        answer = BoundedRefuter().solve(Obligation("made", schema, (), "made", claim), Limits(within=2, seconds=None))
        assert isinstance(answer, Found)
        assert answer.spans == 1


@pytest.mark.parametrize("seed", range(12))
def test_bare_z3_answers_the_text_as_the_encoding_says(seed: int, tmp_path: Path) -> None:
    made = obligation(Random(seed), plan=False)
    encoding = encode(made, (2,))
    solver = z3.SimpleSolver()
    solver.add(encoding.constraints)
    path = tmp_path / "query.smt2"
    path.write_text(smt2(made, 2), encoding="utf-8")
    told = subprocess.run([Z3, path], capture_output=True, text=True, check=False).stdout
    assert told.split()[0] == str(solver.check())


@pytest.mark.parametrize("seed", range(20))
def test_a_range_of_lengths_is_all_of_them(seed: int) -> None:
    made = obligation(Random(seed), plan=False)
    each = []
    for size in range(4):
        solver = z3.SimpleSolver()
        solver.add(encode(made, (size,)).constraints)
        each.append(solver.check() == z3.sat)
    encoding = encode(made, (3,), (0,))
    solver = z3.SimpleSolver()
    solver.add(encoding.constraints)
    assert (solver.check() == z3.sat) == any(each)
    for most in range(4):
        solver.push()
        solver.add(encoding.at_most(most))
        found = solver.check() == z3.sat
        assert found == any(each[: most + 1])
        if found:
            case = encoding.decode(solver.model())
            assert breaks(made, case)
            assert len(case.inputs["W"].spans) <= most
        solver.pop()


def test_what_nothing_reads_is_not_in_the_query() -> None:
    made = obligation(Random(0), plan=False)
    names = {str(v.arguments[1]) for v in encode(made, (2,)).emitted.variables}
    assert names <= {"archived", "field", "choice", "parameter", "link", "bound", "fits"}
