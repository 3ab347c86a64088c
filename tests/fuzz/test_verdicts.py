"""What is proved is broken by no case, and both directions of the scan reach the same."""

from __future__ import annotations

from tests.fuzz.verdicts import compare

SEEDS = range(12)


def test_no_case_breaks_what_is_proved_and_the_directions_agree() -> None:
    outcomes = {seed: compare(seed) for seed in SEEDS}
    for seed, outcome in outcomes.items():
        assert (seed, outcome.unsound, outcome.failures, outcome.disagreement) == (seed, "", 0, "")
    assert {"proved", "refuted"} <= {o.word for o in outcomes.values()}
