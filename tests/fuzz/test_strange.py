"""What is drawn on purpose is as the resolver would make it."""

from __future__ import annotations

from selfedit_formal.core import expression as e
from selfedit_formal.core import policy as p
from selfedit_formal.core.traverse import nodes
from tests.fuzz.draw import POINTED, STRANGE, obligation
from tests.fuzz.pointed import POINTS

SEEDS = (*range(STRANGE, STRANGE + 100), *range(POINTED, POINTED + 100))


def test_passes_are_gated_but_for_those_that_a_gate_tries() -> None:
    tried = 0
    for seed in SEEDS:
        asked = obligation(seed)
        gates = [n for n in nodes(asked.policies[0].gates) if isinstance(n, e.Pass)]
        assert all(n.gated for n in nodes(asked.claim) if isinstance(n, e.Pass)), seed
        assert not any(n.gated for n in gates), seed
        tried += bool(gates)
    assert tried > 10


def test_statements_are_numbered_in_the_order_written() -> None:
    for seed in SEEDS:
        found = p.statements(obligation(seed).policies[0].body)
        assert [s.site for s in found] == list(range(len(found))), seed


def test_every_point_is_drawn() -> None:
    drawn = {obligation(seed).name.split(": ")[1].split(", ")[0] for seed in range(POINTED, POINTED + 200)}
    assert drawn == set(POINTS)
