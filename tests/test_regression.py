"""Replays: one window, one policy, one promise, without a solver."""

from __future__ import annotations

from pathlib import Path

import pytest

from selfedit_formal import Rejected, replay
from tests.reports.examples import TEXT

ORPHAN = """
window W of Chat = [
  S: system { tokens = 1 }
  C: call   { tokens = 4, call = k1 }
  R: result { tokens = 2, call = k1, pinned }
]
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "chat.sef"
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_a_broken_promise_is_drawn(file: Path) -> None:
    outcome = replay(file, "trim_last", "preserves(paired)", window=ORPHAN, parameters={"cap": 2})
    assert not outcome
    assert not outcome.kept
    assert outcome.applies
    assert outcome.picture.startswith("`trim_last` breaks `preserves(paired)`:\n\n")
    assert "C: call { tokens = 4, call = k1 }            - evicted (rule 2)" in outcome.picture


def test_a_kept_promise_has_no_picture(file: Path) -> None:
    outcome = replay(file, "trim_last", "preserves(paired)", window=ORPHAN, parameters={"cap": 6})
    assert outcome
    assert outcome.applies
    assert outcome.picture == ""
    assert repr(outcome) == "<Replay: kept, 1 runs>"


def test_arguments_are_given_as_in_a_check(file: Path) -> None:
    assert not replay(file, "trim_last(cap = 2)", "preserves(paired)", window=ORPHAN)
    assert replay(file, "trim_last(cap = 6)", "preserves(paired)", window=ORPHAN)


def test_the_window_may_have_any_name_if_there_is_one(file: Path) -> None:
    pasted = ORPHAN.replace("window W", "window trim_last_preserves_paired")
    assert not replay(file, "trim_last", "preserves(paired)", window=pasted, parameters={"cap": 2})


def test_a_promise_that_does_not_speak_of_the_window_does_not_apply(file: Path) -> None:
    alone = "window W of Chat = [ R: result { tokens = 2, call = k1 } ]"
    outcome = replay(file, "trim_last", "preserves(paired)", window=alone)
    assert outcome.kept
    assert not outcome.applies


def test_every_answer_of_the_model_is_tried(file: Path) -> None:
    outcome = replay(file, "judge", "idempotent", window=ORPHAN, parameters={"size": 1})
    assert not outcome
    assert outcome.runs > 1


def test_answers_that_are_given_come_first(file: Path) -> None:
    answers = {"judge1": {"C": True}, "judge2": {"R": True}}
    outcome = replay(file, "judge", "idempotent", window=ORPHAN, parameters={"size": 1}, answers=answers)
    assert not outcome
    assert outcome.runs == 1


def test_a_parameter_out_of_its_bounds_takes_the_closest_value(file: Path) -> None:
    outcome = replay(file, "judge", "idempotent", window=ORPHAN, parameters={"size": -7})
    assert "size = 1" in outcome.picture


def test_parameters_that_are_no_more_are_passed_over(file: Path) -> None:
    assert replay(file, "trim_last", "preserves(paired)", window=ORPHAN, parameters={"cap": 6, "gone": 1})


def test_a_plan_brings_its_window(file: Path) -> None:
    assert not replay(file, "drop", "keeps_rationale")
    with pytest.raises(ValueError, match="a window of its own"):
        replay(file, "drop", "keeps_rationale", window=ORPHAN)


def test_the_spans_of_a_plan_are_tried_in_every_way(tmp_path: Path) -> None:
    path = tmp_path / "plan.sef"
    path.write_text(
        "window Log { tag : rule | dump\n  control s where s.tag == rule }\nplan drop(a) for Log { delete a }\n",
        encoding="utf-8",
    )
    two = "window W of Log = [ A: dump  B: rule ]"
    outcome = replay(path, "drop", "control_disjoint", window=two)
    assert not outcome
    assert "a, s = B: rule" in outcome.picture
    assert replay(path, "drop", "control_disjoint", window="window W of Log = [ A: dump  B: dump ]")


def test_a_promise_about_two_windows_takes_both(tmp_path: Path) -> None:
    path = tmp_path / "two.sef"
    path.write_text(
        "window Log { tag : rule | dump }\n"
        "policy drop for Log { evict s where s.tag == dump }\n"
        "property injective(P: policy) = all W, V: P(W) == P(V) implies W == V\n",
        encoding="utf-8",
    )
    both = "window W of Log = [ A: dump ]\nwindow V of Log = [ ]\n"
    assert not replay(path, "drop", "injective", window=both)
    with pytest.raises(ValueError, match="speaks of W, V; the windows given are none"):
        replay(path, "drop", "injective")


def test_a_window_that_cannot_be_one_is_refused(file: Path) -> None:
    archived = ORPHAN.replace("  S:", "  archived S:")
    with pytest.raises(ValueError, match="cannot be an input of `preserves"):
        replay(file, "trim_last", "preserves(paired)", window=archived)


def test_what_is_not_there_is_a_diagnostic(file: Path) -> None:
    with pytest.raises(Rejected, match="trim_first"):
        replay(file, "trim_first", "idempotent", window=ORPHAN)
    with pytest.raises(Rejected):
        replay(file.with_name("gone.sef"), "trim_last", "idempotent", window=ORPHAN)
