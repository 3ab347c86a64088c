"""A drawn obligation and its text, read again, mean the same."""

from __future__ import annotations

import pytest

from selfedit_formal.core.diagnostics import Rejected
from selfedit_formal.core.property import Obligation
from selfedit_formal.engines.random import attack
from selfedit_formal.language.resolve import load_text
from tests.fuzz.draw import MOVES, STRANGE, TURNS, obligation
from tests.fuzz.written import NoText, breaks_what_was_read, text

SEEDS = (*range(20), *range(MOVES, MOVES + 20), *range(STRANGE, STRANGE + 40))


def read(asked: Obligation) -> Obligation | None:
    """None where the language cannot say it; a few names stand where they may not."""
    try:
        (found,) = load_text(text(asked), "drawn").obligations
    except (NoText, Rejected):
        return None
    return found


def test_what_breaks_a_promise_breaks_it_as_it_is_read_from_its_text() -> None:
    understood = broken = 0
    for seed in SEEDS:
        asked = obligation(seed)
        again = read(asked)
        if again is None:
            continue
        understood += 1
        case = attack(asked, 3, 30)
        if case is not None:
            assert breaks_what_was_read(asked, case, again), seed
            broken += 1
    assert understood > len(SEEDS) / 3
    assert broken > 8


def test_what_only_sessions_have_has_no_text() -> None:
    with pytest.raises(NoText):
        text(obligation(TURNS))
