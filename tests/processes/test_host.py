"""A host reports of each task once, whatever becomes of it or of its workers."""

from __future__ import annotations

import pickle
import time

from selfedit_formal.core.expression import TRUE
from selfedit_formal.core.limits import Limits
from selfedit_formal.processes.host import Host
from selfedit_formal.processes.messages import Answered, HostDied, Request, TaskReport, TooDeep
from tests.obligations import evict, keeps, policy
from tests.processes.working import HERE

ASKED = keeps(policy(evict(TRUE)), TRUE)


def task(work: str, **options: int) -> bytes:
    return pickle.dumps((f"{HERE}:{work}", ASKED, Limits(), options))


def reports(*tasks: bytes | None, jobs: int = 2, work: str = f"{HERE}:answers") -> list[TaskReport]:
    with Host(work) as host:
        return list(host.run(Request(tasks, Limits(seconds=30.0), jobs)))


def test_each_task_is_reported_once_with_what_it_came_to() -> None:
    found = reports(*(task("answers", number=n) for n in range(3)))
    assert sorted(r.task for r in found) == [0, 1, 2]
    for report in found:
        assert isinstance(report.outcome, Answered)
        verdict, seconds, engine, notes = pickle.loads(report.outcome.result)
        assert (verdict.spans, seconds, engine, notes) == (report.task, 0.25, "fake", ("P: keeps",))
        assert 0 <= report.seconds < 30


def test_a_task_that_could_not_be_written_down_is_too_deep_and_the_others_go_on() -> None:
    found = {r.task: r.outcome for r in reports(None, task("answers"))}
    assert found[0] == TooDeep()
    assert isinstance(found[1], Answered)


def test_nothing_to_do_is_done() -> None:
    assert reports() == []


def test_when_the_host_dies_what_is_waiting_is_told_so_and_what_was_told_stays() -> None:
    found = reports(task("answers"), task("kills_the_host"), task("answers"), jobs=1)
    assert [r.task for r in found] == [0, 1, 2]
    assert isinstance(found[0].outcome, Answered)
    assert [r.outcome for r in found[1:]] == [HostDied("")] * 2


def test_a_host_that_cannot_begin_leaves_its_last_words() -> None:
    (report,) = reports(task("answers"), work="no_such_module:answers")
    assert report.outcome == HostDied("ModuleNotFoundError: No module named 'no_such_module'")


def test_a_host_that_is_asked_nothing_ends() -> None:
    begun = time.monotonic()
    with Host(f"{HERE}:answers"):
        pass
    assert time.monotonic() - begun < 5
