"""Each statement by itself: after a pass the terms say of every span what the interpreter says."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from selfedit_formal.core.property import Obligation
from selfedit_formal.language.resolve import load_text
from selfedit_formal.semantics.interpreter import Evaluation, NoSuchRun
from selfedit_formal.semantics.symbolic.encoding import encode
from tests.semantics.agreement import at_random, check_states
from tests.semantics.generated import Drawn

# A policy for each construct; here short windows set it off.
TEXT = (Path(__file__).parents[2] / "kernel" / "promises.sef").read_text(encoding="utf-8")
TEXT = TEXT.replace("> 9", "> 1").replace("<= 9", "<= 1")
POLICIES = {o.policies[0].name: o for o in reversed(load_text(TEXT).obligations) if len(o.policies) == 1}


def acts(asked: Obligation, seed: int) -> bool:
    """Whether a pass changes something in the case with that seed, on which both meanings agree."""
    random = Random(seed)
    case = at_random(asked, 4, random)
    if case is None:
        return False
    exists = check_states(asked, case, Random(seed))
    evaluation = Evaluation(asked, case.inputs, case.parameters, case.spans, Drawn(Random(seed)))
    try:
        evaluation.truth(asked.claim.consequent)
    except NoSuchRun:
        return False
    return exists and any(r.before != r.after or r.refused for r in evaluation.records())


@pytest.mark.parametrize("name", POLICIES)
def test_a_construct_does_in_terms_what_it_does_in_the_interpreter(name: str) -> None:
    acting = [acts(POLICIES[name], seed) for seed in range(12)]
    assert any(acting)


def test_a_window_is_made_once_however_often_it_is_named() -> None:
    (asked,) = load_text("""
window Log { tag : a | b }
policy trim for Log { evict s where s.tag == b }
property alike(P: policy) = all W: P(P(W)) == P(P(W)) and P(W) == P(W)
check trim: alike
""").obligations
    encoding = encode(asked, (2,))
    assert len(encoding.frame.outcomes) == 2
    assert False in encoding.truths  # nothing breaks what is the same state
