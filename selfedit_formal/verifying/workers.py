"""Obligations answered several at once, each in a process of its own that is ended at its limits, whatever it is doing.

See NOTE(host) for whose child it is.
"""

from __future__ import annotations

import os
import pickle
import signal
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from selfedit_formal.core.limits import UNANSWERED
from selfedit_formal.core.property import Obligation
from selfedit_formal.core.verdict import Failed, Refuted, Result, Unknown
from selfedit_formal.engines import Limits
from selfedit_formal.processes.host import VERIFY, Host
from selfedit_formal.processes.messages import (
    Answered,
    Crashed,
    Died,
    HostDied,
    OutOfMemory,
    Overdue,
    Request,
    TaskReport,
    TooDeep,
)
from selfedit_formal.verifying.turns import after


def verify_all(
    obligations: Sequence[Obligation],
    limits: Limits,
    jobs: int | None = None,
    on_done: Callable[[Result], None] | None = None,
    *,
    vacuity: bool = True,
    unanswered: Path | None = UNANSWERED,
    work: str = VERIFY,
    host: Host | None = None,
) -> tuple[Result, ...]:
    """The results, in the order of the obligations; `on_done` gets each as it comes. As `verify_each` otherwise."""
    results: dict[int, Result] = {}
    for number, result in verify_each(
        obligations, limits, jobs, vacuity=vacuity, unanswered=unanswered, work=work, host=host
    ):
        results[number] = result
        if on_done is not None:
            on_done(result)
    return tuple(results[number] for number in range(len(obligations)))


def verify_each(
    obligations: Sequence[Obligation],
    limits: Limits,
    jobs: int | None = None,
    *,
    vacuity: bool = True,
    unanswered: Path | None = UNANSWERED,
    work: str = VERIFY,
    host: Host | None = None,
) -> Generator[tuple[int, Result], None, None]:
    """Each result as it comes, with the number of its obligation.

    So many `jobs` work at once (None: one a processor). Each obligation has `limits.seconds` of wall time and
    `limits.megabytes` of address space (where the system can limit it); at a limit the answer is `Unknown`. Whatever
    ends it, Ctrl-C included, ends all the processes first. `host`: one started earlier, while there was something
    else to do; it is used up.
    """
    if not obligations:
        return
    processors = max(1, jobs or os.cpu_count() or 1)
    spare = len(obligations) < processors
    options: Mapping[str, object] = {"vacuity": vacuity, "unanswered": unanswered, "spare": spare}
    tasks = tuple(_packed((work, obligation, limits, options)) for obligation in obligations)
    request = Request(tasks, limits, processors)
    with Host(work) if host is None else host as running:
        for report in running.run(request):
            yield report.task, _result(obligations[report.task], report, limits)


def _packed(task: tuple[object, ...]) -> bytes | None:
    """The task as a worker gets it; None if it is nested too deeply for that."""
    try:
        return pickle.dumps(task, pickle.HIGHEST_PROTOCOL)
    except RecursionError:
        return None


def _result(obligation: Obligation, report: TaskReport, limits: Limits) -> Result:
    verdict: Failed | Unknown
    match report.outcome:
        case Answered(result=data):
            result = Result(obligation, *pickle.loads(data))
            taken = result.verdict.turns if isinstance(result.verdict, Refuted) else None
            return result if taken is None else replace(result, obligation=after(obligation, taken))
        case Crashed(traceback=text):
            verdict = Failed(f"a part of this tool failed on `{obligation.name}`\n{text}")
        case OutOfMemory():
            verdict = Unknown(f"memory limit of {limits.megabytes} MB")
        case TooDeep():
            verdict = Unknown("the formula is nested too deeply")
        case Overdue():
            verdict = Unknown(f"{limits.seconds:g} s were over, and it could not say while doing what")
        case Died(status=status):
            verdict = Unknown(f"the process {_death(status)}")
        case HostDied(last_words=text):
            verdict = Unknown(f"the process that starts the workers ended{': ' if text else ''}{text}")
    return Result(obligation, verdict, report.seconds, "none")


def _death(status: int) -> str:
    if status >= 0:
        return f"ended with status {status}"
    known = {int(s): s.name for s in signal.Signals}
    return f"died with signal {-status} ({known.get(-status, 'unknown')})"
