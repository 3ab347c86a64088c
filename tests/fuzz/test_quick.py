"""The quick flavour: nothing is bad about the engine, and a wrong one is told of."""

from __future__ import annotations

from collections import Counter

from tests.fuzz.draw import TURNS
from tests.fuzz.planted import planted
from tests.fuzz.quick import ask, seed_of

NUMBERS = range(16)


def test_nothing_is_found_and_everything_is_asked() -> None:
    told = [ask(seed_of(number)) for number in NUMBERS]
    assert [line for t in told for line in t.lines] == []
    counts = sum((t.counts for t in told), Counter[str]())
    assert counts["refuted"] > 3
    assert counts["proved"] > 0
    assert counts["padded"] > 0
    assert counts["pinned checks"] > len(NUMBERS)


def test_a_seed_is_asked_the_same_every_time() -> None:
    one, two = ask(seed_of(4), thorough=True), ask(seed_of(4), thorough=True)
    assert (one.counts, one.lines) == (two.counts, two.lines)


def test_a_wrong_proof_is_found_behind_its_trigger_too() -> None:
    with planted("marks of a query are never the same span"):
        told = ask(TURNS + 1)
    found = {line.split(", but")[0].removeprefix(f"{TURNS + 1}: unsound: what comes is small: ") for line in told.lines}
    assert found >= {"itself proved by a query", "behind its trigger itself proved by a query"}
