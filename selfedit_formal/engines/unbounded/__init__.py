"""Proofs for windows of every length, with the parameters left open. Never refutes: it proves, or says why it does
not.

`trace` is the small language of versions, `flatten` brings an obligation into it, `compile` makes of it one query
over marks or a scan, `solve` asks Z3, `recheck` asks again, `present` how a person reads it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Literal

from selfedit_formal._frozen import dataclass
from selfedit_formal.certificate import Certificate
from selfedit_formal.engines.unbounded.compile import Mode, compile_scan
from selfedit_formal.engines.unbounded.flatten import Outside, TooLong
from selfedit_formal.engines.unbounded.generalise import generalise
from selfedit_formal.engines.unbounded.settle import settle
from selfedit_formal.engines.unbounded.solve import prove_by_query, prove_by_scan
from selfedit_formal.engines.unbounded.unroll import search
from selfedit_formal.property import Case, Obligation

__all__ = [
    "LADDER",
    "Certificate",
    "Mode",
    "NoProof",
    "Outside",
    "OutsideFragment",
    "prove",
    "prove_by_query",
    "prove_by_scan",
    "search_long",
]


@dataclass(frozen=True, slots=True)
class NoProof:
    """`reason` is for the user."""

    reason: str


@dataclass(frozen=True, slots=True)
class OutsideFragment:
    """The obligation says something that the scan cannot; `reason` names it, for the user."""

    reason: str


@dataclass(frozen=True, slots=True)
class Rung:
    """One attempt: how to compile, its share of the time, and what is proved instead, if the obligation has it."""

    mode: Mode
    share: float
    instead: Callable[[Obligation], Obligation | None] | None = None


LADDER: tuple[Rung, ...] = (
    Rung(Mode(scan=False), 0.15),
    Rung(Mode(scan=False, half=True), 0.1),
    Rung(Mode(scan=True, direction="newest", instances="witnesses"), 0.25, settle),
    Rung(Mode(scan=True, direction="newest", instances="witnesses"), 0.2, generalise),
    Rung(Mode(scan=True, direction="oldest", instances="witnesses"), 0.2, generalise),
    Rung(Mode(scan=True, direction="newest", instances="witnesses"), 0.2),
    Rung(Mode(scan=True, direction="oldest", instances="witnesses"), 0.2),
    Rung(Mode(scan=True, direction="oldest", instances="witnesses"), 0.2, settle),
    Rung(Mode(scan=True, direction="newest"), 0.2),
    Rung(Mode(scan=True, direction="oldest"), 0.2),
    Rung(Mode(scan=True, direction="newest", half=True), 0.2),
    Rung(Mode(scan=True, direction="oldest", half=True), 0.2),
)
"""The attempts in turn. Most end long before their share is spent."""

MORE = ", of more than is promised: what a pass leaves triggers nothing"
LEAST_SECONDS = 0.4
"""What an attempt gets at least."""


def prove(obligation: Obligation, seconds: float) -> Certificate | NoProof | OutsideFragment:
    """A re-checked certificate that the claim holds for every window and every parameter left open, or why there is
    none."""
    deadline = time.monotonic() + seconds
    approximations: tuple[str, ...] = ()
    for rung in LADDER:
        left = deadline - time.monotonic()
        if left <= 0:
            return NoProof(f"no proof was found within {seconds:g} s")
        asked = obligation if rung.instead is None else rung.instead(obligation)
        if asked is None:
            continue
        limit = min(left, max(LEAST_SECONDS, rung.share * seconds))
        try:
            if rung.mode.scan:
                found, scan = prove_by_scan(asked, rung.mode, limit)
                approximations = scan.approximations
            else:
                found = prove_by_query(asked, rung.mode, limit)
        except Outside as outside:
            if rung.instead is not None:
                continue
            return OutsideFragment(f"{outside}, which cannot be proved for every length yet")
        except TooLong:
            continue
        if found is not None:
            return replace(found, argument=found.argument + MORE) if rung.instead is settle else found
    what = " (conditions that compare two spans with one another are read only in part)" if approximations else ""
    return NoProof(f"no invariant was found{what}")


def search_long(obligation: Obligation, longest: int, seconds: float) -> Case | None:
    """A case of up to `longest` spans that breaks the claim (the interpreter agrees), found by unrolling the scan."""
    end = time.monotonic() + seconds
    directions: tuple[Literal["newest", "oldest"], ...] = ("newest", "oldest")
    try:
        for direction in directions:
            scan = compile_scan(obligation, Mode(scan=True, direction=direction, instances="witnesses"), deadline=end)
            left = (end - time.monotonic()) / (2 if direction == "newest" else 1)
            case = search(obligation, scan, direction == "newest", longest, left)
            if case is not None:
                return case
    except (Outside, TooLong):
        pass
    return None
