"""The standard streams, put in order where whoever started the process has closed some of them."""

from __future__ import annotations

import os
import sys


def open_standard() -> None:
    """Sees to it that 0, 1 and 2 are open, so that no file that is opened later is taken for one of them.

    What is written to a standard output that was closed fails, as it does on a full disk; for a closed standard error
    nobody waits.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_WRONLY if number == 2 else os.O_RDONLY)  # the least number that is free
    if sys.stdin is None:
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
