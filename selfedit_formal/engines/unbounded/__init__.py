"""Proofs for windows of every length, with the parameters left open. Never refutes: it proves, or says why it does
not.

`trace` is the small language of versions, `flatten` brings an obligation into it, `compile` makes of it one query
over marks or a scan, `solve` asks Z3, `recheck` asks again, `present` how a person reads it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Literal, get_args

from selfedit_formal._frozen import dataclass
from selfedit_formal.certificate import Certificate, Instead
from selfedit_formal.diagnostics import Disagreement
from selfedit_formal.engines.unbounded.compile import LeftOut, Mode, Query, Scan, compile_scan
from selfedit_formal.engines.unbounded.flatten import Outside, TooLong
from selfedit_formal.engines.unbounded.gated import prove_gated
from selfedit_formal.engines.unbounded.instead import INSTEAD, in_place_of
from selfedit_formal.engines.unbounded.race import possible, race
from selfedit_formal.engines.unbounded.solve import prove_by_query, prove_by_scan
from selfedit_formal.engines.unbounded.stepwise import stepwise
from selfedit_formal.engines.unbounded.unroll import search
from selfedit_formal.property import Case, Obligation

__all__ = [
    "LADDER",
    "LONGEST",
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
    """`reason` is for the user. `case`: a window that breaks the claim, if one was met on the way."""

    reason: str
    case: Case | None = None


@dataclass(frozen=True, slots=True)
class OutsideFragment:
    """The obligation says something that the scan cannot; `reason` names it, for the user."""

    reason: str


@dataclass(frozen=True, slots=True)
class Rung:
    """One attempt: how to compile (a scan both ways, beginning with the one named), its share of the time, and what is
    proved instead, if the obligation has it."""

    mode: Mode
    share: float
    instead: Instead | None = None


LADDER: tuple[Rung, ...] = (
    Rung(Mode(scan=False), 0.15),
    Rung(Mode(scan=False, half=True), 0.1),
    Rung(Mode(scan=True, instances="witnesses"), 0.25, "no trigger"),
    Rung(Mode(scan=True, instances="witnesses"), 0.2, "every number"),
    Rung(Mode(scan=True, instances="witnesses"), 0.2),
    Rung(Mode(scan=True), 0.2),
    Rung(Mode(scan=True, half=True), 0.2),
    Rung(Mode(scan=True, instances="witnesses"), 1.0),
)
"""The attempts in turn. Most end long before their share is spent; the last has what is left, if its like was late."""

LEAST_SECONDS = 0.4
"""What an attempt gets at least."""
HEAD_START = 1.5
"""Seconds that the first direction of a scan has to itself, or half of its limit: most proofs need less, and what goes
on side by side begins anew."""
SEARCHING = 0.25
"""Of the time of the other direction, what a search for a window that breaks the claim takes at most, once."""
LONGEST = 24
"""Spans of the longest windows that are looked through, where a check does not set a bound."""


ALL_MARKS: frozenset[LeftOut] = frozenset(get_args(LeftOut))


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of a scan, or of a search beside it. `late`: its time was over."""

    proof: Certificate | None = None
    case: Case | None = None
    approximates: bool = False
    left_out: frozenset[LeftOut] = ALL_MARKS
    late: bool = True
    outside: str | None = None


def prove(obligation: Obligation, seconds: float, side_by_side: bool = True) -> Certificate | NoProof | OutsideFragment:
    """A re-checked certificate that the claim holds for every window and every parameter left open, or why there is
    none.

    `side_by_side`: what takes its time goes on in processes of its own, both directions of a scan at once (where
    processes can be copied). Raises Disagreement if the claim is proved and a window breaks it.
    """
    deadline = time.monotonic() + seconds
    behind_gate = prove_gated(obligation)
    if behind_gate is not None:
        return behind_gate
    step = stepwise(obligation)
    if step is not None:
        proof = prove(step, seconds, side_by_side)
        if isinstance(proof, Certificate):
            return in_place_of(proof, "each step")
        return NoProof(f"`reaches` is proved step by step, and for one step {proof.reason}")
    beside = side_by_side and possible()
    approximates, searched = False, False
    left_out = ALL_MARKS
    late = dict[Mode, bool]()
    for rung in LADDER:
        left = deadline - time.monotonic()
        if left <= 0:
            break
        asked = obligation if rung.instead is None else INSTEAD[rung.instead](obligation)
        if asked is None or (rung.instead is None and not late.get(rung.mode, _reads_more(rung.mode, left_out))):
            continue
        limit = min(left, max(LEAST_SECONDS, rung.share * seconds))
        if rung.mode.scan:
            tried = _both_ways(asked, rung.mode, limit, deadline, beside, None if searched else obligation)
            searched = searched or tried.late
        else:
            tried = _query(asked, rung.mode, limit)
        if tried.case is not None:
            return NoProof("some window breaks it", tried.case)
        if tried.outside is not None and rung.instead is None:
            return OutsideFragment(f"{tried.outside}, which cannot be proved for every length yet")
        if tried.proof is not None:
            return tried.proof if rung.instead is None else in_place_of(tried.proof, rung.instead)
        if rung.instead is None:
            late[rung.mode] = tried.late
            left_out = tried.left_out
            approximates = approximates or (rung.mode.scan and tried.approximates)
    if time.monotonic() >= deadline:
        return NoProof(f"no proof was found within {seconds:g} s")
    what = " (conditions that compare two spans with one another are read only in part)" if approximates else ""
    return NoProof(f"no invariant was found{what}")


def _reads_more(mode: Mode, left_out: frozenset[LeftOut]) -> bool:
    """Whether the mode makes a join exact that the one before left out."""
    if mode.half:
        return "the deepest marks" in left_out
    return mode.instances == "witnesses" or "marks that are no witnesses" in left_out


def _both_ways(
    asked: Obligation, mode: Mode, seconds: float, deadline: float, side_by_side: bool, searched: Obligation | None
) -> Tried:
    """The scan from either end, so many seconds each if there are. Side by side, windows that break the claim of
    `searched` are looked for as well."""
    end = min(time.monotonic() + 2 * seconds, deadline)
    other = replace(mode, direction="oldest" if mode.direction == "newest" else "newest")
    first = _scan(asked, mode, min(seconds / 2, HEAD_START) if side_by_side else seconds)
    if first.proof is not None or first.outside is not None:
        return first
    left = max(end - time.monotonic(), LEAST_SECONDS)
    if not (side_by_side and first.late):
        last = _scan(asked, other, min(left, seconds))
        return replace(last, late=last.late or first.late)

    def second() -> Tried:
        until = time.monotonic() + left
        case = None if searched is None else search_long(searched, LONGEST, SEARCHING * left)
        return _scan(asked, other, until - time.monotonic()) if case is None else Tried(case=case)

    answers: list[Tried] = []
    for found in race((lambda: _scan(asked, mode, left), second), left):
        answers += found
        proof = next((a for a in answers if a.proof is not None), None)
        broken = next((a for a in answers if a.case is not None), None)
        if proof is not None and broken is not None:
            raise Disagreement(f"`{searched.name if searched else asked.name}` is proved, and a window breaks it")
        if proof is not None or broken is not None:
            return proof or broken or Tried()
    return replace(first, late=len(answers) < 2 or any(a.late for a in answers))


def _query(asked: Obligation, mode: Mode, seconds: float) -> Tried:
    return _tried(prove_by_query, asked, mode, seconds)


def _scan(asked: Obligation, mode: Mode, seconds: float) -> Tried:
    return _tried(prove_by_scan, asked, mode, seconds)


def _tried(
    find: Callable[[Obligation, Mode, float], tuple[Certificate | None, Query | Scan]],
    asked: Obligation,
    mode: Mode,
    seconds: float,
) -> Tried:
    """What comes of one attempt."""
    end = time.monotonic() + seconds
    try:
        proof, compiled = find(asked, mode, seconds)
    except Outside as outside:
        return Tried(outside=str(outside))
    except TooLong:
        return Tried()
    return Tried(proof, None, bool(compiled.approximations), compiled.left_out, time.monotonic() >= end)


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
