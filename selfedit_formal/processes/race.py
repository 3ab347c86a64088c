"""Attempts in order, or side by side, each in a process of its own: then none holds up another, and what is not needed
any more is ended whatever it is doing. What comes of them is the same.

The processes belong to the group of the one that starts them, so who ends that group ends them too; each ends itself
when its time is over, and with the one that started it.
"""

from __future__ import annotations

import os
import pickle
import signal
import threading
from collections.abc import Callable, Sequence
from math import inf
from multiprocessing.connection import Connection, Pipe
from time import monotonic
from typing import Generic, TypeVar

from selfedit_formal._frozen import dataclass
from selfedit_formal.core.budget import OutOfTime
from selfedit_formal.processes.family import end_with

Found = TypeVar("Found")

GRACE = 1.0
"""Seconds after its limit at which an attempt ends itself."""
NICE = 10
"""How much the attempts after the first give way to others."""


def possible() -> bool:
    """Whether attempts can be run side by side here: a process with threads had better not be copied."""
    return hasattr(os, "fork") and threading.active_count() == 1


@dataclass(frozen=True, slots=True)
class Attempt(Generic[Found]):
    """An attempt that goes on in a process of its own."""

    heard: Connection
    process: int

    def found(self) -> tuple[Found, ...]:
        """What it found, once it ends; nothing if it ran out of memory, or died. Its exception is raised here."""
        try:
            outcome: tuple[Found, ...] | Exception = pickle.loads(self.heard.recv_bytes())
        except EOFError:
            outcome = ()
        self.heard.close()
        os.waitpid(self.process, 0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def end(self) -> None:
        """Ends it, whatever it is doing; once it was heard there is nothing to end."""
        if not self.heard.closed:
            os.kill(self.process, signal.SIGKILL)
            os.waitpid(self.process, 0)
            self.heard.close()


def begin(attempt: Callable[[], Found], end: float = inf, nice: int = 0) -> Attempt[Found] | None:
    """The attempt in a process of its own, which has until then (monotonic); None if the system has no room for one.
    `nice`: how much it gives way to others."""
    starter = os.getpid()
    try:
        heard, said = Pipe(duplex=False)
    except OSError:
        return None
    try:
        process = os.fork()
    except OSError:
        heard.close()
        said.close()
        return None
    if process:
        said.close()
        return Attempt(heard, process)
    try:
        end_with(starter)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        if end < inf:
            signal.setitimer(signal.ITIMER_REAL, max(end - monotonic(), 0) + GRACE)
        os.nice(nice)
        said.send_bytes(pickle.dumps(_outcome(attempt), pickle.HIGHEST_PROTOCOL))
    finally:
        os._exit(0)


def in_order(
    attempts: Sequence[Callable[[], Found]], decides: Callable[[Found], bool], side_by_side: bool, end: float = inf
) -> list[Found | None]:
    """What the attempts find, in their order and up to the first that decides; None for one that ran out of memory, or
    died. `side_by_side` they are processes of their own: then what others found by chance in the meantime comes after.

    So what is found does not depend on who is first. What is left is ended. An exception of an attempt is raised here;
    raises `OutOfTime` at the end (monotonic).
    """
    running = _all_begun(attempts, end) if side_by_side else None
    if running is None:
        found: list[Found | None] = []
        for attempt in attempts:
            found += _in_memory(attempt)
            if found[-1] is not None and decides(found[-1]):
                break
        return found
    decided, heard = False, list[Found | None]()
    try:
        for one in running:
            patience = None if end == inf else max(end + GRACE - monotonic(), 0)
            if one.heard.poll(0 if decided else patience):
                answers = one.found()
                heard += answers or (None,)
                decided = decided or any(decides(answer) for answer in answers)
            elif not decided:
                raise OutOfTime
        return heard
    finally:
        for one in running:
            one.end()


def _all_begun(attempts: Sequence[Callable[[], Found]], end: float) -> list[Attempt[Found]] | None:
    """All of them, or none."""
    running: list[Attempt[Found]] = []
    for number, attempt in enumerate(attempts):
        one = begin(attempt, end, nice=NICE if number else 0)
        if one is None:
            for other in running:
                other.end()
            return None
        running.append(one)
    return running


def _in_memory(attempt: Callable[[], Found]) -> tuple[Found | None]:
    try:
        return (attempt(),)
    except MemoryError:
        return (None,)


def _outcome(attempt: Callable[[], Found]) -> tuple[Found, ...] | Exception:
    try:
        return (attempt(),)
    except MemoryError:
        return ()
    except Exception as error:  # it is raised where it is heard
        return error
