"""What is said between processes arrives as it was said."""

from __future__ import annotations

import pickle
from typing import get_args

import pytest

from selfedit_formal.core.limits import Limits
from selfedit_formal.processes.messages import (
    Answered,
    Crashed,
    Died,
    HostDied,
    Outcome,
    OutOfMemory,
    Overdue,
    Request,
    TaskReport,
    TooDeep,
)

OUTCOMES: tuple[Outcome, ...] = (
    Answered(b"\x80"),
    Crashed("Traceback"),
    OutOfMemory(),
    TooDeep(),
    Overdue(),
    Died(-11),
    HostDied("last words"),
)


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_a_report_arrives_as_it_was_said(outcome: Outcome) -> None:
    report = TaskReport(3, 0.5, outcome)
    assert pickle.loads(pickle.dumps(report)) == report


def test_a_request_arrives_and_its_tasks_stay_closed() -> None:
    request = Request((b"no pickle at all", None), Limits(seconds=None), 2)
    assert pickle.loads(pickle.dumps(request)) == request


def test_every_outcome_is_told_apart() -> None:
    assert {type(outcome) for outcome in OUTCOMES} == set(get_args(Outcome))
    assert len(set(OUTCOMES)) == len(OUTCOMES)
    assert Died(0) != Died(-9)
