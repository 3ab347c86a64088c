"""What compilers go wrong about is drawn often enough to matter."""

from __future__ import annotations

from collections import Counter

from tests.fuzz.census import FEATURES, features
from tests.fuzz.draw import obligation
from tests.fuzz.quick import seed_of

DRAWS = 2_000
LEAST = {
    "names": 300,
    "names of a let and the claim": 80,
    "names of a gate": 20,
    "names of parameters": 60,
    "names of fields": 120,
    "names of links": 60,
    "names of tags": 80,
    "names of compilers": 400,
    "k * field": 100,
    "k * count": 30,
    "two orders denied": 12,
    "an order after a move": 30,
    "fields of names compared": 70,
    "fields of names assigned": 12,
    "rescore in rescore": 30,
    "without in rescore": 12,
    "rescore in without": 8,
    "swap in another": 20,
    "arrive in arrive": 20,
    "a gate's arrival": 40,
    "a gate's trigger": 20,
    "a gate's refusal": 20,
    "a gate's other run": 40,
    "a plan without": 30,
    "a trigger after a refusal, if or keep": 40,
    "reached with a condition": 30,
    "an inner quantifier over a refusal": 12,
    "insert beside": 50,
    "readmit beside": 30,
    "move beside": 40,
}
"""Of so many draws of all kinds in turn."""


def test_each_feature_is_drawn_often_enough() -> None:
    found = Counter(f for number in range(DRAWS) for f in features(obligation(seed_of(number))))
    assert FEATURES.keys() == LEAST.keys()
    assert {name: found[name] for name, least in LEAST.items() if found[name] < least} == {}


def test_numbers_draw_of_every_kind_and_no_seed_twice() -> None:
    seeds = [seed_of(number) for number in range(60)]
    assert len(set(seeds)) == 60
    assert sorted({seed // 1_000_000 for seed in seeds}) == [0, 1, 2, 3, 4]
