"""Proofs for windows of every length, with the parameters left open. Never refutes: it proves, or says why it does
not.

`ir` is the small language of versions, `flatten` brings an obligation into it, `compiler` makes of it one query over
marks or a scan, `solve` asks Z3, `recheck` asks again, `readable` is how a person reads it; `arguments` are what is
proved in place of a promise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from math import inf
from typing import Literal, get_args

import z3

from selfedit_formal._frozen import dataclass
from selfedit_formal.core.budget import MILLION, Spent, Work
from selfedit_formal.core.certificate import Certificate, Instead, Kind, Method
from selfedit_formal.core.diagnostics import Disagreement
from selfedit_formal.core.property import Case, Obligation
from selfedit_formal.engines import NoProof, OutsideFragment, Proof
from selfedit_formal.engines.unbounded import anew as again
from selfedit_formal.engines.unbounded.arguments.gated import prove_gated
from selfedit_formal.engines.unbounded.arguments.instead import INSTEAD, in_place_of
from selfedit_formal.engines.unbounded.arguments.stepwise import stepwise
from selfedit_formal.engines.unbounded.compiler import LeftOut, Mode, compile_scan
from selfedit_formal.engines.unbounded.flatten import Outside
from selfedit_formal.engines.unbounded.pin import admits
from selfedit_formal.engines.unbounded.solve import prove_by_query, prove_by_scan
from selfedit_formal.engines.unbounded.texts import mode
from selfedit_formal.engines.unbounded.unroll import search
from selfedit_formal.processes.race import in_order, possible
from selfedit_formal.semantics.symbolic.solver import fresh

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
    "prove_within",
    "search_long",
]


@dataclass(frozen=True, slots=True)
class Rung:
    """One attempt: how to compile (a scan both ways, beginning with the one named), and what is proved instead, if the
    obligation has it."""

    mode: Mode
    instead: Instead | None = None

    def ways(self) -> tuple[Mode, ...]:
        """The mode, and of a scan the one from the other end."""
        other = replace(self.mode, direction="oldest" if self.mode.direction == "newest" else "newest")
        return (self.mode, other) if self.mode.scan else (self.mode,)


LADDER: tuple[Rung, ...] = (
    Rung(Mode(scan=False)),
    Rung(Mode(scan=False, half=True)),
    Rung(Mode(scan=True, instances="witnesses"), "no trigger"),
    Rung(Mode(scan=True, instances="witnesses"), "every number"),
    Rung(Mode(scan=True, instances="witnesses")),
    Rung(Mode(scan=True)),
    Rung(Mode(scan=True, half=True)),
)
"""The attempts in turn, each with `FIRST` steps in each of its ways; then those that were late with `MORE` times as
many, and so on as long as there is work left."""

FIRST = 500_000
MORE = 4
LONGEST = 24
"""Spans of the longest windows that are looked through, where a check does not set a bound."""


ALL_MARKS: frozenset[LeftOut] = frozenset(get_args(LeftOut))


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of an attempt, or of a search beside it. `late`: so many steps as it took, `done`, were not enough."""

    proof: Certificate | None = None
    case: Case | None = None
    approximates: bool = False
    left_out: frozenset[LeftOut] = ALL_MARKS
    late: bool = True
    outside: str | None = None
    done: float = 0.0

    def decides(self) -> bool:
        return self.proof is not None or self.case is not None or self.outside is not None


def prove(obligation: Obligation, millions: float, side_by_side: bool = True, end: float = inf) -> Proof:
    """`prove_within` so many million solver steps."""
    return prove_within(obligation, Work(millions * MILLION, end), side_by_side)


def prove_within(obligation: Obligation, work: Work, side_by_side: bool = True) -> Proof:
    """A re-checked certificate that the claim holds for every window and every parameter left open, or why there is
    none.

    `side_by_side`: what takes its time goes on in processes of its own, both directions of a scan at once (where
    processes can be copied), which does not change what is found. Raises Disagreement if the claim is proved and a
    window breaks it, and `OutOfTime`.
    """
    behind_gate = prove_gated(obligation)
    if behind_gate is not None:
        return behind_gate
    step = stepwise(obligation)
    if step is not None:
        proof = prove_within(step, work, side_by_side)
        if isinstance(proof, Certificate):
            return in_place_of(proof, "each step")
        reason = f"`reaches` is proved step by step, and for one step {proof.reason}"
        return NoProof(reason, late=isinstance(proof, NoProof) and proof.late)
    millions, budget = work.left / MILLION, FIRST
    climb = _Climb(obligation, side_by_side and possible())
    while work.left > 0:
        answer = climb.once(work, budget)
        if answer is not None:
            return answer
        if not climb.late():
            what = " (conditions that compare two spans with one another are read only in part)"
            return NoProof(f"no invariant was found{what if climb.approximates else ''}")
        budget *= MORE
    return NoProof(f"no proof was found in {millions:.0f} million solver steps", late=True)


class _Climb:
    """What has been tried of the ladder. `beside`: the ways of a rung are tried side by side where that takes time."""

    def __init__(self, obligation: Obligation, beside: bool) -> None:
        self._obligation, self._beside = obligation, beside
        self._asked = {r: obligation if r.instead is None else INSTEAD[r.instead](obligation) for r in LADDER}
        self._waiting: dict[Rung, tuple[Mode, ...]] = {}
        self._left_out: dict[Rung, frozenset[LeftOut]] = {}
        self._rounds = 0
        self._searched = 1.0
        """The last round in which a window that breaks the promise was looked for."""
        self.approximates = False

    def late(self) -> bool:
        """Whether more work might help."""
        return any(self._waiting.values())

    def once(self, work: Work, budget: int) -> Certificate | NoProof | OutsideFragment | None:
        """Tries every rung, or after the first time what was late, with so many steps for each of its ways."""
        self._rounds += 1
        left_out = ALL_MARKS
        for rung in LADDER:
            asked = self._asked[rung]
            waiting = self._waiting.get(rung, rung.ways())
            skipped = rung.instead is None and rung not in self._waiting and not _reads_more(rung.mode, left_out)
            if asked is None or skipped or not waiting or work.left <= 0:
                left_out = self._left_out.get(rung, left_out)
                continue
            tried, self._waiting[rung] = self._ways(asked, waiting, work, budget)
            if tried.case is not None:
                return NoProof("some window breaks it", tried.case)
            if tried.outside is not None and rung.instead is None:
                return OutsideFragment(f"{tried.outside}, which cannot be proved for every length yet")
            if tried.proof is not None:
                return tried.proof if rung.instead is None else in_place_of(tried.proof, rung.instead)
            if rung.instead is None:
                left_out = self._left_out[rung] = tried.left_out
                self.approximates = self.approximates or (rung.mode.scan and tried.approximates)
        return None

    def _ways(
        self, asked: Obligation, ways: tuple[Mode, ...], work: Work, budget: int
    ) -> tuple[Tried, tuple[Mode, ...]]:
        """What comes of trying it in all ways, and which of them need more; once in each round after the first, of
        looking for a window that breaks the promise, too.

        What an earlier one finds comes before what a later one does, whoever is first.
        """
        attempts: list[Callable[[], Tried]] = [partial(_tried, asked, way, work.part(budget)) for way in ways]
        searches = self._searched < self._rounds
        if searches:
            attempts.append(partial(_searched, self._obligation, work.part(budget)))
            self._searched = self._rounds
        answers = in_order(attempts, Tried.decides, self._beside and self._rounds > 1, work.end)
        work.took(sum(a.done for a in answers if a is not None))
        found = [a for a in answers if a is not None and a.decides()]
        if any(a.proof for a in found) and any(a.case for a in found):
            raise Disagreement(f"`{self._obligation.name}` is proved, and a window breaks it")
        if found:
            return found[0], ()
        if searches and (answers[-1] is None or not answers[-1].late):
            self._searched = inf  # there is none so short
        tried = next((a for a in answers if a is not None), Tried(late=False))
        return tried, tuple(way for way, a in zip(ways, answers, strict=False) if a is not None and a.late)


def _reads_more(mode: Mode, left_out: frozenset[LeftOut]) -> bool:
    """Whether the mode makes a join exact that the one before left out."""
    if mode.half:
        return "the deepest marks" in left_out
    return mode.instances == "witnesses" or "marks that are no witnesses" in left_out


def _searched(obligation: Obligation, work: Work) -> Tried:
    case = search_long(obligation, LONGEST, work)
    return Tried(case=case, late=work.left <= 0, done=work.done)


def _tried(asked: Obligation, mode: Mode, work: Work) -> Tried:
    """What comes of one attempt. Raises `OutOfTime`, and MemoryError."""
    try:
        with fresh():
            proof, compiled = (prove_by_scan if mode.scan else prove_by_query)(asked, mode, work)
            left_out, approximates = compiled.left_out, bool(compiled.approximations)
    except Outside as outside:
        return Tried(outside=str(outside), late=False, done=work.done)
    except Spent:
        return Tried(done=work.done)
    except z3.Z3Exception as error:
        if "out of memory" in str(error):
            raise MemoryError from None
        raise
    return Tried(proof, None, approximates, left_out, work.left <= 0, done=work.done)


def search_long(obligation: Obligation, longest: int, work: Work) -> Case | None:
    """A case of up to `longest` spans that breaks the claim (the interpreter agrees), found by unrolling the scan; None
    if none is found with so much work. Raises `OutOfTime`."""
    directions: tuple[Literal["newest", "oldest"], ...] = ("newest", "oldest")
    for direction in directions:
        part = work.part(work.left / 2 if direction == "newest" else work.left)
        try:
            with fresh():
                scan = compile_scan(obligation, Mode(True, direction, instances="witnesses"), work=part)
                case = search(obligation, scan, direction == "newest", longest, part)
        except Outside:
            return None
        except Spent:
            case = None
        work.took(part.done)
        if case is not None:
            return case
    return None


@dataclass(frozen=True, slots=True)
class Unbounded:
    """The ladder of queries and scans as a prover."""

    name: str = "unbounded"
    kinds: frozenset[Kind] = frozenset(get_args(Kind))
    longest: int = LONGEST

    def prove(self, obligation: Obligation, work: Work) -> Proof:
        """See `prove_within`."""
        return prove_within(obligation, work)

    def search(self, obligation: Obligation, work: Work) -> Case | None:
        """See `search_long`."""
        return search_long(obligation, self.longest, work)

    def finds_broken(self, obligation: Obligation, method: Method, case: Case, end: float) -> bool | str:
        """See `pin`. An argument about a gate does not hang on the case at all."""
        if method.kind == "gate":
            return False
        for instead in method.instead:
            implied = obligation if instead == "every number" else INSTEAD[instead](obligation)
            if implied is None:
                return "its argument does not apply"
            obligation = implied
        try:
            return admits(obligation, mode(method), case, end)
        except Spent:
            return "it is too large"
        except Outside as outside:
            return f"it speaks of {outside}"

    def anew(self, obligation: Obligation, certificate: Certificate) -> Mapping[str, str]:
        """See `anew`."""
        return again.anew(obligation, certificate)


ENGINE = Unbounded()
TURN = 1
