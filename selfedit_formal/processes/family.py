"""A process and those that it started: they end with it, and share what memory it may have."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

PROC = Path("/proc")


def end_with(parent: int) -> None:
    """This process is ended when its parent is, however that ends, where the system can see to it. To be called early
    in a process that `parent` has just started; it has ended meanwhile if another one is the parent now."""
    if sys.platform == "linux":
        import ctypes

        set_parent_death_signal = 1
        ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)


def family(process: int) -> Iterator[int]:
    """The process, those that it started, and those that these did, as far as the system tells."""
    yield process
    with contextlib.suppress(OSError):
        for thread in os.listdir(PROC / str(process) / "task"):
            for child in (PROC / str(process) / "task" / thread / "children").read_text().split():
                yield from family(int(child))


def end_family() -> None:
    """Ends all that this process started, as far as the system tells."""
    for process in family(os.getpid()):
        if process != os.getpid():
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)


def memory(processes: Iterable[int]) -> int:
    """The bytes of memory that they hold together, what they share counted once; 0 where the system does not tell."""
    return sum(map(_share, processes))


def _share(process: int) -> int:
    with contextlib.suppress(OSError):
        for line in (PROC / str(process) / "smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) << 10
    return 0
