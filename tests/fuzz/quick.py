"""The most that can be asked of the compilers about one seed in the least time.

What a short window breaks must be broken there to the scan too, must not be proved, not behind a trigger that only long
windows reach, and must be broken as well when its text is read again. What none breaks is asked of the scan on one run,
and a proof of it is attacked.
"""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Literal

from selfedit_formal.core.budget import Spent, Work
from selfedit_formal.core.certificate import Certificate
from selfedit_formal.core.diagnostics import Rejected
from selfedit_formal.core.property import Case, Obligation
from selfedit_formal.engines.random import attack
from selfedit_formal.engines.unbounded import prove, solve
from selfedit_formal.engines.unbounded.arguments.instead import INSTEAD
from selfedit_formal.engines.unbounded.compiler import Mode
from selfedit_formal.engines.unbounded.flatten import Outside
from selfedit_formal.language.resolve import load_text
from tests.fuzz import pinned
from tests.fuzz.census import features
from tests.fuzz.draw import KINDS, obligation
from tests.fuzz.padded import deep, pad, waiting
from tests.fuzz.written import NoText, breaks_what_was_read, text

SPANS, TRIES = 4, 40
MORE_SPANS, MORE_TRIES = 6, 100
"""For what is proved."""
QUERY_STEPS, THOROUGH_STEPS, PROOF_MILLIONS = 400_000, 3_000_000, 2.0
PROVED, READ = 8, 8
"""One of so many is asked of the whole ladder behind its trigger, and read again from its text."""
QUERIES = (Mode(scan=False), Mode(scan=False, half=True))

Word = Literal["refuted", "proved", "open", "outside"]


class Told:
    """What came of a seed, as it comes."""

    def __init__(self, seed: int, steps: int = QUERY_STEPS) -> None:
        self.seed, self.word, self.steps = seed, "open", steps
        self.counts: Counter[str] = Counter()
        self.lines: list[str] = []

    def bad(self, kind: str, what: str) -> None:
        self.counts[kind] += 1
        self.lines.append(f"{self.seed}: {kind}: {what}")

    def tally(self, tally: pinned.Tally, where: str) -> None:
        self.counts["pinned checks"] += tally.checks
        self.counts["exact ones"] += tally.exact
        for finding in tally.findings:
            self.bad(f"{finding.kind} scans", f"{finding.what}{where}")


def seed_of(number: int) -> int:
    """The seeds of all kinds in turn, the last twice as often."""
    kinds = (*KINDS, KINDS[-1])
    turn, kind = divmod(number, len(kinds))
    return kinds[kind] + (turn if kind < len(KINDS) - 1 else 2 * turn + kind - len(KINDS) + 1)


def ask(seed: int, thorough: bool = False) -> Told:
    """What is asked of one seed. `thorough`: also what else is asked of one of several."""
    steps = THOROUGH_STEPS if thorough else QUERY_STEPS
    told, asked, random = Told(seed, steps), obligation(seed), Random(f"quick {seed}")
    case = attack(asked, SPANS, TRIES)
    if case is None:
        _not_broken(asked, told)
    else:
        told.word = "refuted"
        _broken(asked, case, told, random, thorough)
    told.counts[told.word] += 1
    for feature in features(asked):
        told.counts[f"{feature}: drawn"] += 1
        told.counts[f"{feature}: {told.word}"] += 1
        told.counts[f"{feature}: found"] += bool(told.lines)
    return told


def _not_broken(asked: Obligation, told: Told) -> None:
    told.tally(pinned.check(told.seed), "")
    proved = _proved_by_query(asked, QUERIES[0], told)
    if proved is None:
        told.word = "outside"
    elif proved:
        case = attack(asked, MORE_SPANS, MORE_TRIES) if not deep(asked) else None
        told.word = "proved" if case is None else "refuted"
        if case is not None:
            told.bad("unsound", f"{asked.property}: proved by a query, but {case}")


def _broken(asked: Obligation, case: Case, told: Told, random: Random, thorough: bool) -> None:
    if len(case.inputs) == 1:
        told.tally(pinned.check_case(asked, case, told.seed), "")
    mode = random.choice(QUERIES)
    _must_not_be_proved(asked, mode, told, case)
    if thorough or random.randrange(READ) == 0:
        _read_again(asked, case, told)
    if deep(asked) or told.counts["too long"]:
        return
    longer, longer_case = waiting(asked), pad(asked, case, random)
    if longer_case is None:
        return
    told.counts["padded"] += 1
    _must_not_be_proved(longer, mode, told, longer_case, "behind its trigger ")
    if thorough or random.randrange(PROVED) == 0:
        told.counts["padded proofs"] += 1
        if isinstance(prove(longer, PROOF_MILLIONS, side_by_side=False), Certificate):
            told.bad("unsound", f"{asked.property}: behind its trigger proved, but {longer_case}")


def _must_not_be_proved(asked: Obligation, mode: Mode, told: Told, case: Case, where: str = "") -> None:
    """Neither what is broken, nor what the engine asks instead because it implies it."""
    asked_for = [("itself", asked), *((name, instead(asked)) for name, instead in INSTEAD.items())]
    for name, other in asked_for:
        if other is not None and _proved_by_query(other, mode, told):
            told.bad("unsound", f"{asked.property}: {where}{name} proved by a query, but {case}")


def _proved_by_query(asked: Obligation, mode: Mode, told: Told) -> bool | None:
    """None if the engine has no query for it."""
    try:
        return solve.prove_by_query(asked, mode, Work(told.steps))[0] is not None
    except Spent:
        told.counts["too long"] += 1
        return False
    except Outside:
        return None


def _read_again(asked: Obligation, case: Case, told: Told) -> None:
    """The same from its text: the names are now the resolver's."""
    try:
        written = text(asked)
        (read,) = load_text(written, "drawn").obligations
    except (NoText, Rejected):
        return
    told.counts["read again"] += 1
    if not breaks_what_was_read(asked, case, read):
        told.bad("unlike texts", f"{asked.property}: not broken by {case} when read from\n{written}")
    elif _proved_by_query(read, QUERIES[0], told):
        told.bad("unsound", f"{asked.property}: read from its text proved by a query, but {case}\n{written}")
