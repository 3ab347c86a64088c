"""What a command does where standard streams are closed."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import os, sys
from selfedit_formal.processes.streams import open_standard
open_standard()
opened = os.open("/dev/null", os.O_RDONLY)
with open("told", "w") as told:
    print(opened > 2, sys.stdin.read() == "", file=told)
    for stream in (sys.stdout, sys.stderr):
        try:
            print("text", file=stream, flush=True)
            print("written", file=told)
        except OSError as problem:
            print(problem.strerror, file=told)
os.dup2(opened, 1)
"""


def test_nothing_that_is_opened_is_taken_for_a_stream(tmp_path: object) -> None:
    command = f'{sys.executable} -c "$0" <&- >&- 2>&-'
    subprocess.run(["sh", "-c", command, PROGRAM], cwd=str(tmp_path), check=False)
    with open(f"{tmp_path}/told", encoding="utf-8") as told:
        assert told.read().splitlines() == ["True True", "Bad file descriptor", "written"]
