"""Names that collide change nothing of what is meant."""

from __future__ import annotations

from random import Random

from selfedit_formal.core.property import Case, Obligation
from selfedit_formal.core.traverse import nodes
from selfedit_formal.engines.random import attack
from selfedit_formal.semantics.interpreter import breaks
from tests.fuzz.draw import MOVES, WIDE, with_names_of_its_own
from tests.fuzz.names import colliding

SEEDS = (*range(100, 130), *range(WIDE + 100, WIDE + 115), *range(MOVES + 100, MOVES + 115))


def renamed(asked: Obligation, case: Case, other: Obligation) -> Case:
    bound = zip(asked.claim.bound, other.claim.bound, strict=True)
    plan = {name: case.spans[name] for name in asked.spans}
    return Case(
        case.inputs, case.parameters, {**plan, **{b.variable: case.spans[a.variable] for a, b in bound}}, case.choices
    )


def test_what_breaks_a_promise_breaks_it_under_names_that_collide() -> None:
    broken = 0
    for seed in SEEDS:
        asked = with_names_of_its_own(seed)
        other = colliding(asked, Random(seed))
        case = attack(asked, 3, 30)
        if case is not None:
            assert breaks(other, renamed(asked, case, other)), seed
            broken += 1
    assert broken > len(SEEDS) / 4


def test_a_claim_and_its_policy_share_names() -> None:
    def bound(part: object) -> set[str]:
        return {getattr(n, "variable", "") for n in nodes(part)} - {""}

    shared = 0
    for seed in range(30):
        other = colliding(with_names_of_its_own(seed), Random(seed))
        shared += bool(bound(other.claim) & bound(other.policies[0].body))
    assert shared > 10
