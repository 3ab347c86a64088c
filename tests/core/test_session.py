"""A turn is one pass of each step, in order; who comes from outside can be left out."""

from __future__ import annotations

from dataclasses import replace

from selfedit_formal.core.expression import Pass
from selfedit_formal.core.session import HISTORY, Session, Step
from selfedit_formal.core.window import zero
from tests.obligations import SCHEMA, W, policy

AGENT, TRIM, NOTES = (replace(policy(), name=name) for name in ("agent", "trim", "notes"))
SESSION = Session(
    "chat",
    SCHEMA,
    (
        Step(AGENT, environment=True),
        Step(TRIM, False, applied=True),
        Step(NOTES, False),
        Step(TRIM, False, applied=True),
    ),
)


def test_the_window_after_some_turns_is_a_pass_of_every_step() -> None:
    one = Pass("trim", "", Pass("notes", "", Pass("trim", "", Pass("agent", "", W))))
    assert SESSION.after(0, W) == W
    assert SESSION.after(1, W) == one
    assert SESSION.after(2, W) == SESSION.after(1, one)


def test_a_session_that_is_left_alone_does_without_its_environment() -> None:
    assert SESSION.after(1, W, alone=True) == Pass("trim", "", Pass("notes", "", Pass("trim", "", W)))


def test_each_policy_is_there_once_and_the_environment_s_last() -> None:
    assert SESSION.policies() == (TRIM, NOTES, AGENT)
    assert SESSION.applied() == (TRIM,)


def test_nothing_has_happened_when_a_session_starts() -> None:
    assert all(f.history for f in HISTORY)
    assert {zero(f.kind) for f in HISTORY} == {False}
    assert len({f.name for f in HISTORY}) == len(HISTORY)
