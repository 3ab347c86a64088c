"""What compilers go wrong about is drawn often enough to matter."""

from __future__ import annotations

from collections import Counter
from typing import get_args

from selfedit_formal.core.policy import Statement
from tests.fuzz.census import FEATURES, features, statements
from tests.fuzz.draw import obligation
from tests.fuzz.quick import seed_of

DRAWS = 2_000
LEAST = {
    "names": 360,
    "names of a let and the claim": 100,
    "names of a gate": 24,
    "names of parameters": 90,
    "names of fields": 180,
    "names of links": 80,
    "names of tags": 110,
    "names of compilers": 570,
    "k * field": 90,
    "k * count": 32,
    "two orders denied": 28,
    "an order after a move": 60,
    "fields of names compared": 100,
    "fields of names assigned": 20,
    "rescore in rescore": 36,
    "without in rescore": 24,
    "rescore in without": 8,
    "swap in another": 16,
    "arrive in arrive": 20,
    "a gate's arrival": 70,
    "a gate's trigger": 40,
    "a gate's refusal": 40,
    "a gate's other run": 60,
    "a plan without": 28,
    "a trigger after a refusal, if or keep": 40,
    "reached with a condition": 40,
    "an inner quantifier over a refusal": 20,
    "insert beside": 32,
    "readmit beside": 24,
    "move beside": 40,
}
"""Of so many draws of all kinds in turn."""


def test_each_feature_and_each_statement_is_drawn_often_enough() -> None:
    drawn = [obligation(seed_of(number)) for number in range(DRAWS)]
    found = Counter(f for asked in drawn for f in features(asked))
    made = Counter(s for asked in drawn for s in statements(asked))
    assert {kind.__name__ for kind in get_args(Statement) if made[kind.__name__] < DRAWS // 200} == set()
    assert FEATURES.keys() == LEAST.keys()
    assert {name: found[name] for name, least in LEAST.items() if found[name] < least} == {}


def test_numbers_draw_of_every_kind_and_no_seed_twice() -> None:
    seeds = [seed_of(number) for number in range(60)]
    assert len(set(seeds)) == 60
    assert sorted({seed // 1_000_000 for seed in seeds}) == [0, 1, 2, 3, 4, 5]
