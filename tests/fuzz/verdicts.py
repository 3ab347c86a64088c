"""What is proved for every length, beside what the interpreter and Z3 on short windows say, and the other direction."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from random import Random
from typing import Literal
from unittest.mock import patch

import z3

from selfedit_formal.core.budget import Spent, Work
from selfedit_formal.core.certificate import Certificate
from selfedit_formal.core.property import Case, Obligation
from selfedit_formal.engines import Found, Limits
from selfedit_formal.engines.bounded import BoundedRefuter
from selfedit_formal.engines.random import attack
from selfedit_formal.engines.unbounded import LADDER, OutsideFragment, Rung, prove, recheck, solve
from selfedit_formal.engines.unbounded.arguments.instead import INSTEAD
from selfedit_formal.engines.unbounded.arguments.stepwise import stepwise
from selfedit_formal.engines.unbounded.compiler import Mode, Scan, compile_scan
from selfedit_formal.engines.unbounded.flatten import Outside
from selfedit_formal.engines.unbounded.unroll import Numbered
from selfedit_formal.semantics.interpreter import breaks
from tests.fuzz.draw import obligation

Word = Literal["proved", "refuted", "open", "outside"]

PROOF_MILLIONS = 4.0
RUNG_STEPS = 1_500_000
"""For each attempt to prove what is known to be false."""
DIRECTIONS: tuple[Literal["newest", "oldest"], ...] = ("newest", "oldest")
NEAR = 2
"""Spans of the windows that Z3 looks through."""
UNROLLING = 2_000_000
"""Steps of Z3 for each of them."""
UNROLLED = 2
"""Elements up to which the scan is unrolled to compare its directions."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """`unsound`: why a proof is wrong. `failures`: invariants that did not pass their re-check."""

    word: Word
    unsound: str = ""
    failures: int = 0
    disagreement: str = ""


def compare(seed: int) -> Outcome:
    """The verdicts on one drawn obligation."""
    return compare_on(obligation(seed), seed)


def compare_on(asked: Obligation, seed: int = 0) -> Outcome:
    """A proof and a case of the same obligation are both sought, however the other search ends."""
    case = find(asked, 150)
    with _recheck_failures() as failures:
        try:
            proof = (
                prove(asked, PROOF_MILLIONS, side_by_side=False)
                if case is None
                else _prove_what_is_false(stepwise(asked) or asked, seed)
            )
        except (Outside, Spent):
            proof = OutsideFragment("")
    proved = isinstance(proof, Certificate)
    if proved and case is None:
        case = attack(asked, 6, 300)
    word: Word = "refuted" if case is not None else "proved" if proved else "open"
    if isinstance(proof, OutsideFragment):
        return Outcome("outside" if case is None else "refuted")
    unsound = f"proved, but {case}" if proved and case is not None else ""
    return Outcome(word, unsound, failures(), directions(asked))


def find(asked: Obligation, tries: int) -> Case | None:
    """A small case that breaks the promise; the interpreter agrees that it does."""
    case = attack(asked, 4, tries)
    if case is None:
        answer = BoundedRefuter().solve(asked, Limits(within=NEAR, search=2.0))
        case = answer.case if isinstance(answer, Found) else None
    return case if case is not None and breaks(asked, case) else None


def _prove_what_is_false(asked: Obligation, seed: int) -> Certificate | None:
    """A few rungs of the ladder, none for long."""
    scans = [r for r in LADDER if r.mode.scan and _asked(asked, r) is not None]
    random = Random(seed)
    scan = random.choice(scans)
    direction = random.choice(DIRECTIONS)
    for rung in [LADDER[0], LADDER[1], replace(scan, mode=replace(scan.mode, direction=direction))]:
        found = _attempt(asked, rung)
        if found is not None:
            return found
    return None


def _asked(asked: Obligation, rung: Rung) -> Obligation | None:
    return asked if rung.instead is None else INSTEAD[rung.instead](asked)


def _attempt(asked: Obligation, rung: Rung) -> Certificate | None:
    subject = _asked(asked, rung)
    assert subject is not None
    if rung.mode.scan:
        return solve.prove_by_scan(subject, rung.mode, Work(RUNG_STEPS))[0]
    return solve.prove_by_query(subject, rung.mode, Work(RUNG_STEPS))[0]


def directions(asked: Obligation) -> str:
    """Where the scan from the newest span and the one from the oldest differ, unless they approximate."""
    try:
        newest = compile_scan(asked, Mode(True, "newest"))
        if newest.approximations or newest.products:
            return ""
        oldest = compile_scan(asked, Mode(True, "oldest"))
    except Outside:
        return ""
    for length, (one, two) in enumerate(zip(_reaches(newest), _reaches(oldest), strict=False)):
        if {one, two} == {"sat", "unsat"}:
            return f"with {length} elements, from the newest {one}, from the oldest {two}"
    return ""


def _reaches(scan: Scan) -> Iterator[str]:
    """For each number of elements, whether the scan can end in `fin`: "sat", "unsat" or "unknown"."""
    numbered = Numbered(scan.rigid)
    solver = z3.Solver()
    solver.set("rlimit", UNROLLING)
    solver.add(numbered(scan.init, 0))
    for length in range(UNROLLED + 1):
        yield str(solver.check(numbered(scan.fin, length)))
        solver.add(numbered(scan.step, length))
        for v in scan.state:
            if v.decl().name() not in scan.rigid:
                solver.add(numbered(v, length + 1) == numbered(scan.next[v], length))


@contextmanager
def _recheck_failures() -> Iterator[Callable[[], int]]:
    """How many certificates did not check, of those made meanwhile."""
    answers: list[str | None] = []

    def listening(certificate: Certificate, seconds: float | None) -> str | None:
        answers.append(original(certificate, seconds))
        return answers[-1]

    original = recheck.recheck
    with patch.object(recheck, "recheck", listening):
        yield lambda: sum(answer is not None and "answers unknown" not in answer for answer in answers)
