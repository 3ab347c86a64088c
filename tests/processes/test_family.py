"""A process with those that it started: who they are, what they hold, and that they end with it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

from selfedit_formal.processes.family import PROC, family, memory

HOLDS = "import time; x = bytearray(64 << 20); print(1, flush=True); time.sleep(60)"
PARENT = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", sys.argv[1]])
print(child.pid, flush=True)
child.wait()
"""
FOLLOWS = """
import os, sys, time
from selfedit_formal.processes.family import end_with
end_with(int(sys.argv[1]))
print(os.getpid(), flush=True)
time.sleep(60)
"""
LEADS = """
import os, subprocess, sys, time
subprocess.Popen([sys.executable, "-c", sys.argv[1], str(os.getpid())])
time.sleep(60)
"""


def gone(process: int) -> bool:
    """Whether it ends within a while."""
    for _ in range(500):
        path = PROC / str(process) / "stat"
        if not path.exists() or path.read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "Z":
            return True
        time.sleep(0.01)
    return False


def test_those_that_a_process_started_are_its_family_and_their_memory_its_own() -> None:
    with subprocess.Popen([sys.executable, "-c", PARENT, HOLDS], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child = max(int(parent.stdout.readline()) for _ in range(2))
        try:
            assert list(family(parent.pid)) == [parent.pid, child]
            assert memory([child]) > 64 << 20
            assert memory(family(parent.pid)) > memory([child])
        finally:
            parent.kill()
            os.kill(child, signal.SIGKILL)
    assert memory([2**22 + 1]) == 0


def test_a_process_ends_with_the_one_that_started_it() -> None:
    with subprocess.Popen([sys.executable, "-c", LEADS, FOLLOWS], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        parent.kill()
        assert gone(child)
