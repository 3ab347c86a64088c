"""Engines: each one way of answering an obligation, one file each, all behind the same call.

An engine never decides a verdict. It reports what it found; `verify` replays, shrinks and words it.
"""

from __future__ import annotations

from typing import Protocol

from selfedit_formal._frozen import dataclass
from selfedit_formal.property import Case, Obligation


@dataclass(frozen=True, slots=True)
class Limits:
    """How far to look: spans of an input window (`within`), wall seconds, and megabytes of memory (None: no limit).

    `proof`: seconds for a proof for every length, once no window up to the bound breaks the promise (0: none is tried).
    `turns`: how many turns of a session.
    """

    within: int = 8
    seconds: float | None = 60.0
    megabytes: int | None = 4096
    proof: float = 2.0
    turns: int = 4


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
    """Neither, and why. Up to `spans` spans there is none; `smt2` is the query that was not answered, in SMT-LIB 2."""

    reason: str
    spans: int
    smt2: str | None = None


Answer = Found | NoneFound | GaveUp


class Engine(Protocol):
    """One way of answering. `name` is what reports call it."""

    @property
    def name(self) -> str: ...

    def solve(self, obligation: Obligation, limits: Limits) -> Answer: ...
