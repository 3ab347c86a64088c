"""What is proved is broken by no case, and both directions of the scan reach the same."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from selfedit_formal.core import policy as p
from selfedit_formal.core.property import Obligation
from selfedit_formal.engines.random import attack
from selfedit_formal.engines.unbounded.arguments.settle import settle
from selfedit_formal.semantics.interpreter import breaks
from tests.fuzz.drawer import CLAIMS, ORIGIN, PARAMETERS, TIGHT, Wider
from tests.fuzz.verdicts import compare

SEEDS = range(12)


def test_no_case_breaks_what_is_proved_and_the_directions_agree() -> None:
    outcomes = {seed: compare(seed) for seed in SEEDS}
    for seed, outcome in outcomes.items():
        assert (seed, outcome.unsound, outcome.failures, outcome.disagreement) == (seed, "", 0, "")
    assert {"proved", "refuted"} <= {o.word for o in outcomes.values()}


def waiting(seed: int) -> Obligation:
    """A drawn policy behind a trigger, asked whether it is idempotent."""
    drawer = Wider(Random(seed))
    condition, policy = drawer.closed(1), drawer.policy()
    body = (p.Block(99, condition, policy.body, True, ORIGIN),)
    changed = replace(policy, schema=TIGHT, body=body)
    return Obligation("waiting", TIGHT, (changed,), "idempotent", CLAIMS["idempotent"](drawer), parameters=PARAMETERS)


def test_what_breaks_idempotence_was_triggered_again() -> None:
    found = 0
    for seed in range(60):
        asked = waiting(seed)
        settled = settle(asked)
        case = None if settled is None or _chooses(asked) else attack(asked, 4, 60)
        if settled is not None and case is not None:
            assert breaks(settled, case), seed
            found += 1
    assert found > 10


def _chooses(asked: Obligation) -> bool:
    """A trigger's own choices of spans are those of no pass, so that a case of the one is none of the other."""
    return any(isinstance(s, p.LetSet) and s.may for s in p.statements(asked.policies[0].body))
