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
from typing import TypeVar

import z3

Found = TypeVar("Found")

GRACE = 1.0
"""Seconds after its limit at which an attempt ends itself."""
NICE = 10
"""How much the attempts after the first give way to others."""


def possible() -> bool:
    """Whether attempts can be run side by side here: a process with threads had better not be copied."""
    return hasattr(os, "fork") and threading.active_count() == 1


def race(attempts: Sequence[Callable[[], Found]], delay: float, seconds: float) -> Iterator[tuple[Found, ...]]:
    """What the attempts find, as it comes; of one that ran out of memory, nothing. Ends after so many seconds.

    Each attempt begins `delay` seconds after the one before, or once all before have ended. Whoever stops asking ends
    those that are left. An exception of an attempt is raised here.
    """
    end, following = monotonic() + seconds, monotonic()
    waiting, running = list(attempts), dict[Connection, int]()
    try:
        while (waiting or running) and monotonic() < end:
            if waiting and (not running or monotonic() >= following):
                heard, process = _begun(waiting.pop(0), end - monotonic(), first=len(waiting) + 1 == len(attempts))
                running[heard] = process
                following = monotonic() + delay
            until = min(end, following) if waiting else end
            found: list[Found] = []
            for ready in wait(list(running), max(until - monotonic(), 0.0)):
                assert isinstance(ready, Connection)
                found += _heard(ready)
                os.waitpid(running.pop(ready), 0)
                ready.close()
            if found:
                yield tuple(found)
    finally:
        for heard, process in running.items():
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
            heard.close()


def _begun(attempt: Callable[[], Found], seconds: float, first: bool) -> tuple[Connection, int]:
    heard, said = Pipe(duplex=False)
    process = os.fork()
    if process:
        said.close()
        return heard, process
    try:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, seconds + GRACE)
        if not first:
            os.nice(NICE)
        said.send_bytes(pickle.dumps(_outcome(attempt), pickle.HIGHEST_PROTOCOL))
    finally:
        os._exit(0)


def _outcome(attempt: Callable[[], Found]) -> tuple[Found, ...] | Exception:
    try:
        return (attempt(),)
    except (MemoryError, z3.Z3Exception):
        return ()
    except Exception as error:  # it is raised where it is heard
        return error


def _heard(heard: Connection) -> tuple[Found, ...]:
    """What an attempt said; nothing if it died."""
    try:
        outcome: tuple[Found, ...] | Exception = pickle.loads(heard.recv_bytes())
    except EOFError:
        return ()
    if isinstance(outcome, Exception):
        raise outcome
    return outcome
