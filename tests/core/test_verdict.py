"""Verdict, expectation and exit code tell one story."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from selfedit_formal.core.expression import TRUE
from selfedit_formal.core.property import Case, Expectation
from selfedit_formal.core.verdict import (
    Bounded,
    Failed,
    Proved,
    Refuted,
    Result,
    Unknown,
    Vacuous,
    Verdict,
    as_expected,
    exit_code,
    word,
)
from tests.obligations import evict, idempotent, policy

OBLIGATION = idempotent(policy(evict(TRUE)))
VERDICTS: dict[str, Verdict | Failed] = {
    "proved": Proved("by reasoning"),
    "bounded": Bounded(8, "no further"),
    "refuted": Refuted(Case({}, {}, {}, {}), 1, True),
    "vacuous": Vacuous(("nothing fires",), 8),
    "unknown": Unknown("time"),
    "failed": Failed("two parts disagree"),
}
CODES: dict[Expectation | None, dict[str, int]] = {
    None: {"proved": 0, "bounded": 0, "refuted": 1, "vacuous": 4, "unknown": 3, "failed": 5},
    "holds": {"proved": 0, "bounded": 0, "refuted": 1, "vacuous": 4, "unknown": 3, "failed": 5},
    "proved": {"proved": 0, "bounded": 3, "refuted": 1, "vacuous": 4, "unknown": 3, "failed": 5},
    "bounded": {"proved": 1, "bounded": 0, "refuted": 1, "vacuous": 4, "unknown": 3, "failed": 5},
    "refuted": {"proved": 1, "bounded": 1, "refuted": 0, "vacuous": 4, "unknown": 3, "failed": 5},
    "vacuous": {"proved": 1, "bounded": 3, "refuted": 1, "vacuous": 0, "unknown": 3, "failed": 5},
    "unknown": {"proved": 1, "bounded": 1, "refuted": 1, "vacuous": 4, "unknown": 0, "failed": 5},
}


def result(verdict: str, expect: Expectation | None) -> Result:
    return Result(replace(OBLIGATION, expect=expect), VERDICTS[verdict], 0.1, "oracle")


@pytest.mark.parametrize("verdict", VERDICTS)
def test_a_verdict_has_its_word(verdict: str) -> None:
    assert word(VERDICTS[verdict]) == verdict


@pytest.mark.parametrize(("expect", "verdict"), tuple(product(CODES, VERDICTS)))
def test_each_verdict_and_expectation_has_its_code(expect: Expectation | None, verdict: str) -> None:
    assert exit_code((result(verdict, expect),)) == CODES[expect][verdict]


@pytest.mark.parametrize(("expect", "verdict"), tuple(product(CODES, VERDICTS)))
def test_the_code_is_zero_exactly_where_the_expectation_is_met(expect: Expectation | None, verdict: str) -> None:
    found = result(verdict, expect)
    assert as_expected(found) == (exit_code((found,)) == 0)


def test_the_gravest_code_of_several_counts() -> None:
    gravest = {"failed": 5, "refuted": 1, "vacuous": 4, "unknown": 3, "bounded": 0}
    order = list(gravest)
    for number, verdict in enumerate(order):
        assert exit_code(tuple(result(v, None) for v in order[number:])) == gravest[verdict]


def test_nothing_asked_is_nothing_broken() -> None:
    assert exit_code(()) == 0
