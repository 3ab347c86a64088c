"""The quick flavour: nothing is bad about the engine, and a wrong one is told of."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.fuzz.draw import POINTED, TURNS
from tests.fuzz.planted import PLANTED_KINDS, planted
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


FOUND_AT = {
    "what is called alike is the same": 7,
    "witnesses are called m0 and so on": 37,
    "marks are named with text": 10_704,
    "facts are named with text": 419,
    "names are numbered by their place in the field": 14,
    "any constant is a factor": 165,
    "orders say something of absent spans": 11_008,
    "negations exclude absent spans": 166,
    "what was taken out is known": 330,
    "a let knows what it names": 13_059,
    "the last rescoring counts": 1_666,
    "a trial is the pass if it is the first": 10_879,
    "triggers are asked for outside of gates": 20_111,
    "what arrives is another one each time": 151,
    "triggers end at a refusal or a branch": 141,
    "whatever is asked for exists": 10_856,
    "a step's end is the way's": 11_996,
}
"""A seed for each, counted from `POINTED`."""


def test_every_kind_of_fault_has_a_seed() -> None:
    assert FOUND_AT.keys() == PLANTED_KINDS.keys()


@pytest.mark.parametrize("name", PLANTED_KINDS)
def test_a_fault_of_each_kind_is_found(name: str) -> None:
    seed = POINTED + FOUND_AT[name]
    assert ask(seed).lines == []
    with planted(name):
        assert ask(seed).lines != []
