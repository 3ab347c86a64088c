"""Engines: each one way of answering an obligation, one file or folder each, found by being here.

A *refuter* looks for a case that breaks a promise, a *prover* for a proof that no window of any length does. Neither
decides a verdict: it reports what it found, and `verify` replays, shrinks and words it. A module here has its engine
as `ENGINE`, and as `TURN` when it is asked (None: by name only); `tests/engines/test_conformance.py` admits it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib import import_module
from math import inf
from pkgutil import iter_modules
from time import monotonic
from typing import Protocol, runtime_checkable

from selfedit_formal._frozen import dataclass
from selfedit_formal.core.budget import MILLION, OutOfTime, Work
from selfedit_formal.core.certificate import Certificate, Kind, Method
from selfedit_formal.core.limits import Limits as Limits
from selfedit_formal.core.property import Case, Obligation


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


@dataclass(frozen=True, slots=True)
class NoProof:
    """`reason` is for the user. `case`: a window that breaks the claim, if one was met on the way. `late`: with more
    work there might be a proof."""

    reason: str
    case: Case | None = None
    late: bool = False


@dataclass(frozen=True, slots=True)
class OutsideFragment:
    """The obligation says something that no prover can; `reason` names it, for the user."""

    reason: str


Proof = Certificate | NoProof | OutsideFragment


@runtime_checkable
class Refuter(Protocol):
    """What looks for a case that breaks an obligation. `name` is what reports call it."""

    @property
    def name(self) -> str: ...

    def solve(self, obligation: Obligation, limits: Limits) -> Answer:
        """The obligation's own `within` comes before the limits'."""


@runtime_checkable
class Prover(Protocol):
    """What proves for windows of every length, and can say what its argument makes of a single case: without that no
    proof of it would be shown (`verifying.validation`), nor asked again. `name` is what reports call it."""

    @property
    def name(self) -> str: ...

    @property
    def kinds(self) -> frozenset[Kind]:
        """The arguments that are its own, as its certificates name them."""

    @property
    def longest(self) -> int:
        """Spans of the longest windows that `search` looks through."""

    def prove(self, obligation: Obligation, work: Work) -> Proof:
        """A re-checked certificate, or why there is none. Raises `OutOfTime`."""

    def search(self, obligation: Obligation, work: Work) -> Case | None:
        """A long case that breaks the claim, the interpreter agreeing, if one is found. Raises `OutOfTime`."""

    def finds_broken(self, obligation: Obligation, method: Method, case: Case, end: float) -> bool | str:
        """Whether the argument finds the claim broken by a case that breaks it; or why it cannot be asked, for the
        user. Raises `OutOfTime` at the end (monotonic)."""

    def anew(self, obligation: Obligation, certificate: Certificate) -> Mapping[str, str]:
        """The conditions that must hold so that the certificate proves the obligation. Raises `Differs`."""


class Differs(Exception):
    """The certificate is no proof of the obligation; the message says in what they differ."""


Engine = Refuter | Prover


@cache
def engines() -> tuple[tuple[int | None, Engine], ...]:
    """All that are here, in the order in which they are asked, each with its turn."""
    modules = [import_module(f"{__name__}.{m.name}") for m in iter_modules(__path__)]
    found = [(m.TURN, m.ENGINE) for m in modules]
    return tuple(sorted(found, key=lambda f: (f[0] is None, f[0] or 0, f[1].name)))


def refuters() -> tuple[Refuter, ...]:
    """Those that are asked without being named, in their turn."""
    return tuple(e for turn, e in engines() if turn is not None and isinstance(e, Refuter))


def provers() -> tuple[Prover, ...]:
    """Those that are asked without being named, in their turn."""
    return tuple(e for turn, e in engines() if turn is not None and isinstance(e, Prover))


def prover(method: Method) -> Prover:
    """Whose argument it is."""
    return next(p for p in provers() if method.kind in p.kinds)


def prove(obligation: Obligation, work: Work) -> Proof:
    """The first proof that a prover finds, or why the last of them found none. Raises `OutOfTime`."""
    answer: Proof = NoProof("there is no prover")
    for each in provers():
        answer = each.prove(obligation, work)
        if isinstance(answer, Certificate):
            break
    return answer


def search(obligation: Obligation, work: Work) -> Case | None:
    """The first long case that a prover finds. Raises `OutOfTime`."""
    found = (each.search(obligation, work) for each in provers())
    return next((case for case in found if case is not None), None)


def longest() -> int:
    """Spans of the longest windows that `search` looks through."""
    return max((each.longest for each in provers()), default=0)


def solve(engine: Refuter, obligation: Obligation, limits: Limits, work: Work) -> Answer:
    """What the engine says within what is left of the work. Raises `OutOfTime`."""
    work.in_time()
    seconds = None if work.end == inf else work.end - monotonic()
    search = min(limits.search, work.left / MILLION)
    answer = engine.solve(obligation, replace(limits, seconds=seconds, search=search))
    if isinstance(answer, GaveUp) and answer.overdue:
        raise OutOfTime
    return answer
