"""What runs in the host, see NOTE(host), and in its workers."""

from __future__ import annotations

import contextlib
import gc
import importlib
import math
import multiprocessing
import os
import pickle
import signal
import sys
import time
import traceback
from collections.abc import Iterator
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkContext, SpawnContext
from multiprocessing.process import BaseProcess
from typing import TYPE_CHECKING

from selfedit_formal._frozen import dataclass
from selfedit_formal.processes.family import end_with, family, memory
from selfedit_formal.processes.messages import (
    Answered,
    Crashed,
    Died,
    Outcome,
    OutOfMemory,
    Overdue,
    Request,
    TaskReport,
    TooDeep,
)

if TYPE_CHECKING:
    from selfedit_formal.core.verdict import Result

STANDARD_INPUT = 0
GRACE = 1.0
"""Seconds for a worker to end by itself and say how far it came, before it is ended."""


GLANCE = 0.5
"""Seconds after which it is looked again how much memory there is in use."""


@dataclass(frozen=True, slots=True)
class _Worker:
    task: int
    process: BaseProcess
    start: float
    deadline: float

    def holds_more_than(self, megabytes: int | None) -> bool:
        """Whether it and the processes that it started do together. Each by itself cannot, see `_confine`."""
        if megabytes is None or self.process.pid is None:
            return False
        processes = list(family(self.process.pid))
        return len(processes) > 1 and memory(processes) > megabytes << 20

    def end(self) -> int | None:
        """Kills the worker and what it may have started. Its exit status, if it had ended by itself."""
        status = self.process.exitcode
        if hasattr(os, "killpg") and self.process.pid is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
        self.process.kill()
        self.process.join()
        return status


def serve(work: str) -> None:
    """Serves one request, of such work: reads it from standard input, writes pickled reports to standard output."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints must not get between the reports
    importlib.import_module(work.split(":")[0])
    with contextlib.suppress(ImportError):  # the second solver that proofs are asked again of, if it is installed
        importlib.import_module("cvc5")
    try:
        request = pickle.load(sys.stdin.buffer)
    except EOFError:
        return
    assert isinstance(request, Request)
    gc.freeze()
    gc.enable()
    with contextlib.suppress(BrokenPipeError), out:
        for report in _reports(request, out.fileno()):
            pickle.dump(report, out, pickle.HIGHEST_PROTOCOL)
            out.flush()


def _reports(request: Request, out: int) -> Iterator[TaskReport]:
    """Runs the tasks, in order, so many at once, and kills those that are late. Stops when the caller is gone."""
    context: ForkContext | SpawnContext = (
        multiprocessing.get_context("fork")
        if "fork" in multiprocessing.get_all_start_methods()
        else multiprocessing.get_context("spawn")
    )
    caller = [STANDARD_INPUT] if os.name == "posix" else []
    patience = math.inf if request.limits.seconds is None else request.limits.seconds + GRACE
    waiting = [(number, task) for number, task in enumerate(request.tasks) if task is not None]
    waiting.reverse()
    running: dict[Connection, _Worker] = {}
    yield from (TaskReport(number, 0.0, TooDeep()) for number, task in enumerate(request.tasks) if task is None)
    try:
        while waiting or running:
            while waiting and len(running) < request.jobs:
                number, task = waiting.pop()
                heard, said = context.Pipe(duplex=False)
                start = time.monotonic()
                process = context.Process(target=_work, args=(said, task, request.limits.megabytes, out, os.getpid()))
                process.start()
                said.close()
                running[heard] = _Worker(number, process, start, start + patience)
            first = min(worker.deadline for worker in running.values())
            left = max(first - time.monotonic(), 0.0)
            if request.limits.megabytes is not None:
                left = min(left, GLANCE)
            ready = wait([*running, *caller], None if left == math.inf else left)
            if STANDARD_INPUT in ready:
                return
            for heard, worker in list(running.items()):
                now = time.monotonic()
                if heard in ready:
                    said_so = _heard(heard, worker)
                elif now >= worker.deadline:
                    worker.end()
                    said_so = Overdue()
                elif worker.holds_more_than(request.limits.megabytes):
                    worker.end()
                    said_so = OutOfMemory()
                else:
                    continue
                heard.close()
                del running[heard]
                yield TaskReport(worker.task, now - worker.start, said_so)
    finally:
        for worker in running.values():
            worker.end()


def _heard(heard: Connection, worker: _Worker) -> Outcome:
    """What a worker said. It is ended after its outcome."""
    try:
        said = pickle.loads(heard.recv_bytes())
    except (EOFError, OSError):
        worker.process.join(1)
        status = worker.end()
        return Died(-signal.SIGKILL if status is None else status)
    assert isinstance(said, Outcome)
    worker.end()
    return said


# ---------- the worker's side


def _work(said: Connection, task: bytes, megabytes: int | None, out: int, host: int) -> None:
    """Answers one task in this process, which is the worker's own."""
    with contextlib.suppress(OSError):
        os.close(out)
    end_with(host)
    _confine(megabytes)
    said.send_bytes(pickle.dumps(_outcome(task), pickle.HIGHEST_PROTOCOL))


def _alone(result: Result) -> bytes:
    """The result without its obligation, which the caller has."""
    return pickle.dumps((result.verdict, result.seconds, result.engine, result.notes), pickle.HIGHEST_PROTOCOL)


def _confine(megabytes: int | None) -> None:
    """Its own process group, and no more address space than allowed, where the system can."""
    if os.name != "posix":
        return
    import resource

    os.setpgid(0, 0)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if megabytes is not None:
        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))


def _outcome(task: bytes) -> Outcome:
    try:
        work, obligation, limits, options = pickle.loads(task)
        module, function = work.split(":")
        result = getattr(importlib.import_module(module), function)(obligation, limits, **options)
        return Answered(_alone(result))
    except MemoryError:
        return OutOfMemory()
    except RecursionError:
        return TooDeep()
    except Exception as error:
        if "out of memory" in str(error):
            return OutOfMemory()
        return Crashed(traceback.format_exc())
