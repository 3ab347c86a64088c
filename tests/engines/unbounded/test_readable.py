"""An inequality is written in one way, whichever way the solver found it."""

from __future__ import annotations

import pytest
import z3

from selfedit_formal.engines.unbounded.readable import _clause

n0, n1, cap = z3.Int("n0"), z3.Int("n1"), z3.Int("p1")
seen = z3.Bool("m0_seen")


@pytest.mark.parametrize(
    ("clause", "text"),
    [
        (n0 <= n1, "n0 <= n1"),
        (n1 >= n0, "n0 <= n1"),
        (z3.Not(n0 >= n1 + 1), "n0 <= n1"),
        (n0 + -1 * n1 <= -1, "n0 < n1"),
        (z3.Not(n0 + -1 * n1 >= 0), "n0 < n1"),
        (n0 - 2 * n1 <= 3, "n0 <= 2 * n1 + 3"),
        (n0 >= 4, "n0 >= 4"),
        (n0 + n1 <= cap, "n0 + n1 <= cap"),
        (n1 == n0, "n0 == n1"),
        (z3.Or(z3.Not(seen), n0 <= n1), "m0_seen -> n0 <= n1"),
        (z3.Not(seen), "m0_seen -> false"),
        (seen, "m0_seen"),
    ],
)
def test_a_clause_reads_as_a_person_writes_it(clause: z3.BoolRef, text: str) -> None:
    assert _clause(clause, {"p1": "cap"}) == text
