"""What a worker says of its task, and what the one that watches it makes of that."""

from __future__ import annotations

import io
import pickle
import subprocess
import sys

import pytest

from selfedit_formal.core.expression import TRUE
from selfedit_formal.core.limits import Limits
from selfedit_formal.core.verdict import Bounded
from selfedit_formal.processes.messages import (
    Answered,
    Crashed,
    Outcome,
    OutOfMemory,
    Request,
    TaskReport,
    TooDeep,
)
from selfedit_formal.processes.serve import _outcome
from tests.obligations import evict, keeps, policy
from tests.processes.working import HERE

ASKED = keeps(policy(evict(TRUE)), TRUE)


def task(work: str, **options: object) -> bytes:
    return pickle.dumps((f"{HERE}:{work}", ASKED, Limits(), options))


def served(said: bytes, work: str = f"{HERE}:answers") -> tuple[list[TaskReport], int]:
    """What a host writes that reads this, and its status."""
    program = (
        f"import sys; sys.path[:] = {sys.path!r}; from selfedit_formal.processes.serve import serve; serve({work!r})"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as host:
        assert host.stdin is not None
        assert host.stdout is not None
        host.stdin.write(said)
        host.stdin.flush()
        if not said:
            host.stdin.close()
        written = io.BytesIO(host.stdout.read())
    found: list[TaskReport] = []
    while written.tell() < len(written.getvalue()):
        found.append(pickle.load(written))
    return found, host.returncode


# ---------- a worker


def test_an_answer_crosses_without_the_obligation_which_the_caller_has() -> None:
    found = _outcome(task("answers", number=2))
    assert isinstance(found, Answered)
    assert pickle.loads(found.result) == (Bounded(2, "told"), 0.25, "fake", ("P: keeps",))


@pytest.mark.parametrize(
    ("work", "outcome"),
    [("is_refused_memory", OutOfMemory()), ("says_out_of_memory", OutOfMemory()), ("digs", TooDeep())],
)
def test_what_a_worker_ran_out_of_is_told(work: str, outcome: Outcome) -> None:
    assert _outcome(task(work)) == outcome


def test_any_other_exception_is_told_with_where_it_was_raised() -> None:
    found = _outcome(task("fails"))
    assert isinstance(found, Crashed)
    assert found.traceback.startswith("Traceback")
    assert "in fails" in found.traceback
    assert found.traceback.endswith("KeyError: 'a name of ours'\n")


def test_what_is_no_task_is_a_failure_of_ours() -> None:
    assert isinstance(_outcome(pickle.dumps("no task")), Crashed)
    assert isinstance(_outcome(task("no_such_function")), Crashed)


# ---------- the host


def test_a_host_serves_one_request_and_ends() -> None:
    found, status = served(pickle.dumps(Request((task("answers"), None), Limits(seconds=30.0), 1)))
    assert status == 0
    assert [(r.task, type(r.outcome)) for r in found] == [(1, TooDeep), (0, Answered)]


def test_a_caller_that_goes_without_a_word_is_no_mistake() -> None:
    assert served(b"") == ([], 0)
