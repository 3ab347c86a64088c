"""Attempts side by side, each in a process of its own: none holds up another, and what is not needed any more is ended
whatever it is doing.

The processes belong to the group of the one that starts them, so who ends that group ends them too; and each ends
itself when its time is over.
"""

from __future__ import annotations

import os
import pickle
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection, Pipe, wait
from time import monotonic
from typing import Generic, TypeVar

import z3

from selfedit_formal._frozen import dataclass

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


def begin(attempt: Callable[[], Found], seconds: float, nice: int = 0) -> Attempt[Found]:
    """The attempt in a process of its own, which has so many seconds; `nice`: how much it gives way to others."""
    heard, said = Pipe(duplex=False)
    process = os.fork()
    if process:
        said.close()
        return Attempt(heard, process)
    try:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, seconds + GRACE)
        os.nice(nice)
        said.send_bytes(pickle.dumps(_outcome(attempt), pickle.HIGHEST_PROTOCOL))
    finally:
        os._exit(0)


def race(attempts: Sequence[Callable[[], Found]], seconds: float) -> Iterator[tuple[Found, ...]]:
    """What the attempts find, as it comes; of one that ran out of memory, nothing. Ends after so many seconds.

    The first goes before the others where there are not processors enough. Whoever stops asking ends those that are
    left. An exception of an attempt is raised here.
    """
    end = monotonic() + seconds
    running = [begin(attempt, seconds, nice=NICE if number else 0) for number, attempt in enumerate(attempts)]
    try:
        while running and (left := end - monotonic()) > 0:
            ready = wait([attempt.heard for attempt in running], left)
            found = [answer for attempt in running if attempt.heard in ready for answer in attempt.found()]
            running = [attempt for attempt in running if not attempt.heard.closed]
            if found:
                yield tuple(found)
    finally:
        for attempt in running:
            attempt.end()


def _outcome(attempt: Callable[[], Found]) -> tuple[Found, ...] | Exception:
    try:
        return (attempt(),)
    except (MemoryError, z3.Z3Exception):
        return ()
    except Exception as error:  # it is raised where it is heard
        return error
