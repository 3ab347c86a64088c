"""Engines: each one way of answering an obligation, one file each, all behind the same call.

An engine never decides a verdict. It reports what it found; `verify` replays, shrinks and words it.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf
from time import monotonic
from typing import Protocol

from selfedit_formal._frozen import dataclass
from selfedit_formal.core.budget import MILLION, OutOfTime, Work
from selfedit_formal.core.property import Case, Obligation


@dataclass(frozen=True, slots=True)
class Limits:
    """How far to look: spans of an input window (`within`), and turns of a session (`turns`).

    `search` and `proof` limit the work, in million solver steps: of looking through the windows up to the bound, and of
    a proof for every length once none of them breaks the promise (0: none is tried). They decide what is found.
    `megabytes` of memory, and wall `seconds`, are the last resort (None: no limit): there is no answer at these limits.
    """

    within: int = 8
    seconds: float | None = 300.0
    megabytes: int | None = 4096
    proof: float = 5.0
    turns: int = 4
    search: float = 50.0


@dataclass(frozen=True, slots=True)
class Found:
    """A case that breaks the claim; no case with a smaller input window breaks it if `shortest`."""

    case: Case
    spans: int
    shortest: bool = True


@dataclass(frozen=True, slots=True)
class NoneFound:
    """No case with input windows of up to `spans` spans breaks the claim.

    `complete`: there are no others (a written-out window).
    """

    spans: int
    complete: bool = False


@dataclass(frozen=True, slots=True)
class GaveUp:
    """Neither, and why. Up to `spans` spans there is none; `smt2` is the query that was not answered, in SMT-LIB 2.

    `overdue`: because the time was over. `spent`: because `Limits.search` was, so more of that might help.
    """

    reason: str
    spans: int
    smt2: str | None = None
    overdue: bool = False
    spent: bool = False


Answer = Found | NoneFound | GaveUp


class Engine(Protocol):
    """One way of answering. `name` is what reports call it."""

    @property
    def name(self) -> str: ...

    def solve(self, obligation: Obligation, limits: Limits) -> Answer: ...


def solve(engine: Engine, obligation: Obligation, limits: Limits, work: Work) -> Answer:
    """What the engine says within what is left of the work. Raises `OutOfTime`."""
    work.in_time()
    seconds = None if work.end == inf else work.end - monotonic()
    search = min(limits.search, work.left / MILLION)
    answer = engine.solve(obligation, replace(limits, seconds=seconds, search=search))
    if isinstance(answer, GaveUp) and answer.overdue:
        raise OutOfTime
    return answer
