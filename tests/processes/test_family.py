"""Which processes belong together, and what they hold."""

from __future__ import annotations

import os
import subprocess
import sys

from selfedit_formal.processes.family import family, memory

CHILDREN = """
import subprocess, sys
held = bytearray(b"x" * (64 << 20))
child = subprocess.Popen([sys.executable, "-c", "import sys; print(1, flush=True); sys.stdin.read()"],
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE)
child.stdout.readline()
print(child.pid, flush=True)
sys.stdin.read()
"""


def test_those_that_it_started_belong_to_a_process() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", CHILDREN], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
    ) as program:
        assert program.stdout is not None
        grandchild = int(program.stdout.readline())
        assert list(family(program.pid)) == [program.pid, grandchild]
        assert {program.pid, grandchild} < set(family(os.getpid()))
        assert 64 << 20 < memory([program.pid]) < memory([program.pid, grandchild]) < 256 << 20
        assert program.stdin is not None
        program.stdin.close()
    assert list(family(program.pid)) == [program.pid]
    assert memory([program.pid]) == 0


def test_a_process_that_started_too_late_ends() -> None:
    program = "from selfedit_formal.processes.family import end_with; end_with(1); print('alive')"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stdout) == (1, "")
