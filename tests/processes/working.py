"""What a worker may do, for tests of the host: a module that both a caller and its workers can load."""

from __future__ import annotations

import os
import signal
import time

from selfedit_formal.core.property import Obligation
from selfedit_formal.core.verdict import Bounded, Result
from selfedit_formal.engines import Limits

HERE = "tests.processes.working"


def answers(obligation: Obligation, limits: Limits, number: int = 0) -> Result:
    return Result(obligation, Bounded(number, "told"), 0.25, "fake", (obligation.name,))


def kills_the_host(obligation: Obligation, limits: Limits) -> Result:
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(60)
    raise AssertionError


def is_refused_memory(obligation: Obligation, limits: Limits) -> Result:
    raise MemoryError


def says_out_of_memory(obligation: Obligation, limits: Limits) -> Result:
    raise ValueError("the solver is out of memory")


def digs(obligation: Obligation, limits: Limits) -> Result:
    raise RecursionError


def fails(obligation: Obligation, limits: Limits) -> Result:
    raise KeyError("a name of ours")
