"""Obligations answered several at once, each in a process of its own that is ended at its limits, whatever it is doing.

NOTE(host): the processes are not children of the caller but of a *host*, a fresh interpreter that has loaded the
solver and does nothing but start workers, watch their clocks and pass on what they say. So the caller may have threads
and any main module, a worker starts in milliseconds, and when the caller goes, however it goes, the host sees its
standard input close, ends every worker and goes too.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import math
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkContext, SpawnContext
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from selfedit_formal._frozen import dataclass
from selfedit_formal.engines import Limits
from selfedit_formal.property import Obligation
from selfedit_formal.turns import after
from selfedit_formal.verdict import Failed, Refuted, Result, Unknown

VERIFY = "selfedit_formal.verify:verify"
"""What a worker does with an obligation, as `module:function`. Called as `verify` is."""

UNANSWERED = Path("selfedit-unknown")


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
    """The results, in the order of the obligations; `on_done` gets each as it comes.

    So many `jobs` work at once (None: one a processor). Each obligation has `limits.seconds` of wall time and
    `limits.megabytes` of address space (where the system can limit it); at a limit the answer is `Unknown`. Whatever
    ends this call, an exception of `on_done` and Ctrl-C included, ends all the processes first. `host`: one started
    earlier, while there was something else to do; it is used up.
    """
    if not obligations:
        return ()
    options: Mapping[str, object] = {"vacuity": vacuity, "unanswered": unanswered}
    tasks = tuple(_packed((work, obligation, _softer(limits), options)) for obligation in obligations)
    results: dict[int, Result] = {}
    with Host(work) if host is None else host as running:
        for report in running.run(_Request(tasks, limits, max(1, jobs or os.cpu_count() or 1))):
            result = _result(obligations[report.task], report, limits)
            results[report.task] = result
            if on_done is not None:
                on_done(result)
    return tuple(results[number] for number in range(len(obligations)))


def _packed(task: tuple[object, ...]) -> bytes | None:
    """The task as a worker gets it; None if it is nested too deeply for that."""
    try:
        return pickle.dumps(task, pickle.HIGHEST_PROTOCOL)
    except RecursionError:
        return None


def _softer(limits: Limits) -> Limits:
    """The limits that the worker keeps by itself, a little before it is ended: enough to say how far it came."""
    if limits.seconds is None:
        return limits
    return replace(limits, seconds=limits.seconds - min(1.0, 0.1 * limits.seconds))


# ---------- what is said between caller, host and worker


@dataclass(frozen=True, slots=True)
class _Request:
    """Everything to be done. A task is a pickle that only its worker opens."""

    tasks: tuple[bytes | None, ...]
    limits: Limits
    jobs: int


@dataclass(frozen=True, slots=True)
class _Answered:
    """The worker's result, as a pickle of all of it but the obligation."""

    result: bytes


@dataclass(frozen=True, slots=True)
class _SoFar:
    """A result that stands unless a better one comes within so many seconds; said before the outcome."""

    result: bytes
    seconds: float


@dataclass(frozen=True, slots=True)
class _Crashed:
    """The worker raised an exception that none of our parts should raise."""

    traceback: str


@dataclass(frozen=True, slots=True)
class _OutOfMemory:
    """The worker was refused memory."""


@dataclass(frozen=True, slots=True)
class _TooDeep:
    """There was not enough stack."""


@dataclass(frozen=True, slots=True)
class _Overdue:
    """The worker was ended at its time limit."""


@dataclass(frozen=True, slots=True)
class _Died:
    """The worker ended without a word; below zero: by that signal."""

    status: int


@dataclass(frozen=True, slots=True)
class _HostDied:
    """There is no host any more; the last that it said."""

    last_words: str


_Outcome = _Answered | _Crashed | _OutOfMemory | _TooDeep | _Overdue | _Died | _HostDied


@dataclass(frozen=True, slots=True)
class _Report:
    task: int
    seconds: float
    outcome: _Outcome


def _result(obligation: Obligation, report: _Report, limits: Limits) -> Result:
    verdict: Failed | Unknown
    match report.outcome:
        case _Answered(result=data):
            result = Result(obligation, *pickle.loads(data))
            taken = result.verdict.turns if isinstance(result.verdict, Refuted) else None
            return result if taken is None else replace(result, obligation=after(obligation, taken))
        case _Crashed(traceback=text):
            verdict = Failed(f"a part of this tool failed on `{obligation.name}`\n{text}")
        case _OutOfMemory():
            verdict = Unknown(f"memory limit of {limits.megabytes} MB")
        case _TooDeep():
            verdict = Unknown("the formula is nested too deeply")
        case _Overdue():
            verdict = Unknown(f"time limit of {limits.seconds:g} s")
        case _Died(status=status):
            verdict = Unknown(f"the process {_death(status)}")
        case _HostDied(last_words=text):
            verdict = Unknown(f"the process that starts the workers ended{': ' if text else ''}{text}")
    return Result(obligation, verdict, report.seconds, "none")


def _death(status: int) -> str:
    if status >= 0:
        return f"ended with status {status}"
    known = {int(s): s.name for s in signal.Signals}
    return f"died with signal {-status} ({known.get(-status, 'unknown')})"


# ---------- the caller's side


class Host:
    """A started host, see NOTE(host), that loads what workers need for `work` while the caller goes on.

    A context manager: leaving it ends the host and all its workers.
    """

    __slots__ = ("_errors", "_process")

    def __init__(self, work: str = VERIFY) -> None:
        code = f"import sys; sys.path[:] = {sys.path!r}; from selfedit_formal.workers import serve; serve({work!r})"
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (closed in `__exit__`)
        self._process = subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            start_new_session=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """A closed standard input is the host's signal to end; it has a few seconds to end its workers."""
        pipes = [pipe for pipe in (self._process.stdin, self._process.stdout) if pipe is not None]
        try:
            for pipe in pipes:
                with contextlib.suppress(OSError):
                    pipe.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(5)
        finally:
            self._process.kill()
            self._process.wait()
            self._errors.close()

    def run(self, request: _Request) -> Iterator[_Report]:
        """A report of each task, as they come. A host serves one request."""
        said, heard = self._process.stdin, self._process.stdout
        assert said is not None
        assert heard is not None
        waiting = set(range(len(request.tasks)))
        try:
            pickle.dump(request, said, pickle.HIGHEST_PROTOCOL)
            said.flush()
            while waiting:
                report = pickle.load(heard)
                assert isinstance(report, _Report)
                waiting.remove(report.task)
                yield report
        except (BrokenPipeError, EOFError, pickle.UnpicklingError):
            self._process.wait()
            self._errors.seek(0)
            lines = self._errors.read().decode(errors="replace").strip().splitlines()
            for task in sorted(waiting):
                yield _Report(task, 0.0, _HostDied(lines[-1] if lines else ""))


# ---------- the host's side


STANDARD_INPUT = 0


@dataclass(frozen=True, slots=True)
class _Worker:
    task: int
    process: BaseProcess
    start: float
    deadline: float
    so_far: _Answered | None = None

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
    try:
        request = pickle.load(sys.stdin.buffer)
    except EOFError:
        return
    assert isinstance(request, _Request)
    gc.collect()
    gc.freeze()
    with contextlib.suppress(BrokenPipeError), out:
        for report in _reports(request, out.fileno()):
            pickle.dump(report, out, pickle.HIGHEST_PROTOCOL)
            out.flush()


def _reports(request: _Request, out: int) -> Iterator[_Report]:
    """Runs the tasks, in order, so many at once, and kills those that are late. Stops when the caller is gone."""
    context: ForkContext | SpawnContext = (
        multiprocessing.get_context("fork")
        if "fork" in multiprocessing.get_all_start_methods()
        else multiprocessing.get_context("spawn")
    )
    caller = [STANDARD_INPUT] if os.name == "posix" else []
    patience = math.inf if request.limits.seconds is None else request.limits.seconds
    waiting = [(number, task) for number, task in enumerate(request.tasks) if task is not None]
    waiting.reverse()
    running: dict[Connection, _Worker] = {}
    yield from (_Report(number, 0.0, _TooDeep()) for number, task in enumerate(request.tasks) if task is None)
    try:
        while waiting or running:
            while waiting and len(running) < request.jobs:
                number, task = waiting.pop()
                heard, said = context.Pipe(duplex=False)
                start = time.monotonic()
                process = context.Process(target=_work, args=(said, task, request.limits.megabytes, out))
                process.start()
                said.close()
                running[heard] = _Worker(number, process, start, start + patience)
            first = min(worker.deadline for worker in running.values())
            left = max(first - time.monotonic(), 0.0)
            ready = wait([*running, *caller], None if left == math.inf else left)
            if STANDARD_INPUT in ready:
                return
            for heard, worker in list(running.items()):
                now = time.monotonic()
                if heard in ready:
                    said_so = _heard(heard, worker)
                elif now >= worker.deadline:
                    worker.end()
                    said_so = _Overdue()
                else:
                    continue
                if isinstance(said_so, _SoFar):
                    deadline = min(worker.deadline, now + said_so.seconds)
                    running[heard] = replace(worker, deadline=deadline, so_far=_Answered(said_so.result))
                    continue
                heard.close()
                del running[heard]
                yield _Report(worker.task, now - worker.start, _final(said_so, worker.so_far))
    finally:
        for worker in running.values():
            worker.end()


def _heard(heard: Connection, worker: _Worker) -> _Outcome | _SoFar:
    """What a worker said. It is ended after its outcome."""
    try:
        said = pickle.loads(heard.recv_bytes())
    except (EOFError, OSError):
        worker.process.join(1)
        status = worker.end()
        return _Died(-signal.SIGKILL if status is None else status)
    assert isinstance(said, _Outcome | _SoFar)
    if not isinstance(said, _SoFar):
        worker.end()
    return said


def _final(outcome: _Outcome, so_far: _Answered | None) -> _Outcome:
    """What stood before a limit was hit still stands after."""
    match outcome:
        case _Overdue() | _OutOfMemory() | _TooDeep() | _Died() if so_far is not None:
            return so_far
        case _:
            return outcome


# ---------- the worker's side


def _work(said: Connection, task: bytes, megabytes: int | None, out: int) -> None:
    """Answers one task in this process, which is the worker's own."""
    with contextlib.suppress(OSError):
        os.close(out)
    _confine(megabytes)

    def so_far(result: Result, seconds: float) -> None:
        said.send_bytes(pickle.dumps(_SoFar(_alone(result), seconds), pickle.HIGHEST_PROTOCOL))

    said.send_bytes(pickle.dumps(_outcome(task, so_far), pickle.HIGHEST_PROTOCOL))


def _alone(result: Result) -> bytes:
    """The result without its obligation, which the caller has."""
    return pickle.dumps((result.verdict, result.seconds, result.engine, result.notes), pickle.HIGHEST_PROTOCOL)


def _confine(megabytes: int | None) -> None:
    """Its own process group, no more address space than allowed, and no life after the host's, where the system can."""
    if os.name != "posix":
        return
    import resource

    os.setpgid(0, 0)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if megabytes is not None:
        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
    if sys.platform == "linux":
        import ctypes

        set_parent_death_signal = 1
        ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGKILL)


def _outcome(task: bytes, so_far: Callable[[Result, float], None]) -> _Outcome:
    try:
        work, obligation, limits, options = pickle.loads(task)
        module, function = work.split(":")
        result = getattr(importlib.import_module(module), function)(obligation, limits, so_far=so_far, **options)
        return _Answered(_alone(result))
    except MemoryError:
        return _OutOfMemory()
    except RecursionError:
        return _TooDeep()
    except Exception as error:
        if "out of memory" in str(error):
            return _OutOfMemory()
        return _Crashed(traceback.format_exc())
