"""What a short window breaks is broken by a long one behind a trigger that no short one reaches."""

from __future__ import annotations

from random import Random

from selfedit_formal.engines.random import attack
from selfedit_formal.semantics.interpreter import breaks
from tests.fuzz.draw import STRANGE, obligation
from tests.fuzz.padded import LONG, deep, pad, waiting

SEEDS = (*range(30), *range(STRANGE, STRANGE + 30))


def test_most_broken_promises_are_broken_behind_a_trigger_too() -> None:
    broken = padded = 0
    for seed in SEEDS:
        asked = obligation(seed)
        case = None if deep(asked) else attack(asked, 3, 30)
        if case is None:
            continue
        broken += 1
        assert not breaks(waiting(asked), case)
        longer = pad(asked, case, Random(seed))
        if longer is not None:
            (window,) = longer.inputs.values()
            assert len(window.present()) > LONG
            assert breaks(waiting(asked), longer)
            padded += 1
    assert padded > broken / 2 > 5


def test_what_is_too_deep_for_a_long_window_is_known() -> None:
    assert {deep(obligation(seed)) for seed in SEEDS} == {True, False}
