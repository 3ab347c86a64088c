"""A process whose standard streams were closed takes no file for one of them, and says so where it writes."""

from __future__ import annotations

import subprocess
import sys

import pytest

CODE = """
import os, sys
for number in ({closed}): os.close(number)
from selfedit_formal.processes.streams import open_standard
open_standard()
assert os.open(os.devnull, os.O_RDONLY) > 2
{then}
"""


def run(closed: str, then: str) -> subprocess.CompletedProcess[str]:
    code = CODE.format(closed=closed, then=then)
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("closed", ["0,", "1,", "2,", "0, 1, 2", ""])
def test_a_file_that_is_opened_later_is_none_of_them(closed: str) -> None:
    assert run(closed, "os._exit(0)").returncode == 0


def test_what_is_written_to_a_closed_output_fails() -> None:
    done = run("1,", "try:\n    os.write(1, b'x')\nexcept OSError as e:\n    os.write(2, b'failed'); os._exit(7)")
    assert (done.returncode, done.stderr) == (7, "failed")


def test_nobody_waits_for_a_closed_standard_error() -> None:
    done = run("2,", "os.write(2, b'x'); print('went on', flush=True); os._exit(0)")
    assert (done.returncode, done.stdout) == (0, "went on\n")


def test_a_closed_input_is_empty() -> None:
    assert run("0,", "print(repr(os.read(0, 5)), flush=True); os._exit(0)").stdout == "b''\n"
