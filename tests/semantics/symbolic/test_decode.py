"""A model becomes a case, which breaks the claim."""

from __future__ import annotations

from random import Random

import pytest
import z3

from selfedit_formal.semantics.interpreter import breaks
from selfedit_formal.semantics.symbolic import encode
from tests.semantics.generated import obligation


@pytest.mark.parametrize("seed", range(40))
def test_a_model_becomes_a_case_that_breaks_the_claim(seed: int) -> None:
    made = obligation(Random(seed), 2 if seed % 5 == 0 else 1)
    size = (2,) * len(made.claim.inputs)
    encoding = encode(made, size)
    solver = z3.SimpleSolver()
    solver.add(encoding.constraints)
    if solver.check() == z3.sat:
        case = encoding.decode(solver.model())
        assert breaks(made, case)
        assert [len(w.spans) for w in case.inputs.values()] == list(size)
