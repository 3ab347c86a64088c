"""The verdict on a promise about a session: turn by turn from the fewest on, then for any number of turns by induction.

After a number of turns the promise is a plain one about the window that the session starts from, so it is answered,
replayed, shrunk and attacked like any other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import inf
from pathlib import Path
from time import monotonic

from selfedit_formal.core.budget import MILLION, OutOfTime, Work
from selfedit_formal.core.certificate import Method
from selfedit_formal.core.diagnostics import Disagreement
from selfedit_formal.core.expression import ASSUMED
from selfedit_formal.core.property import Obligation
from selfedit_formal.core.verdict import (
    Bounded,
    Failed,
    Induction,
    Proved,
    Refuted,
    Result,
    Unknown,
    UnwrittenQuery,
    Vacuous,
    Verdict,
    turns_text,
)
from selfedit_formal.engines import Limits, Refuter
from selfedit_formal.engines.random import attack
from selfedit_formal.language.write import write_entry
from selfedit_formal.verifying.induction import RefusedInvariant, by_induction
from selfedit_formal.verifying.session_vacuity import vacuity as find_vacuity
from selfedit_formal.verifying.turns import after, least
from selfedit_formal.verifying.vacuity import Vacuity
from selfedit_formal.verifying.validation.contradiction import Contradicted, Contradiction
from selfedit_formal.verifying.validation.trial import Trial

SPANS = 4
"""Spans of the window that a session starts from, at most, where the check does not say more."""
NEAR = 2
"""Turns that are looked at before a proof for any number of turns is sought."""
PROOF = 4
"""How much more work than into a proof of one promise goes into an induction, which is made of several."""
REASON_SEARCH = 40.0
"""Million solver steps for each question about the reason for which a promise holds."""
HELD_TURNS, HELD_SPANS = 3, 3
"""Turns and spans of the short sessions that a proof is held against."""
ATTACKED_TURNS = 6
ATTACKED_SPANS = 3
ATTACKS = 20

Plain = Callable[[Obligation, Limits], Result]
"""Answers a plain promise within the limits, without asking for vacuity or a proof."""


def verify_session(
    obligation: Obligation,
    limits: Limits,
    plain: Plain,
    engine: Refuter,
    *,
    vacuity: bool,
    proof: float,
) -> Result:
    """The verdict on a promise about any number of turns.

    `limits.within` spans are kept to as far as the check does not say otherwise; `proof` is how many million solver
    steps a proof of one promise would get (0: none is sought).
    """
    start = monotonic()
    spans = min(limits.within, SPANS) if obligation.within is None else obligation.within
    first = least(obligation)
    most = max(limits.turns if obligation.within_turns is None else obligation.within_turns, first, 1)
    asked = _SessionVerification(obligation, replace(limits, within=spans), start, plain, engine, vacuity)
    try:
        return _answer(asked, first, most, proof)
    except OutOfTime:
        return asked.overdue()


def _answer(asked: _SessionVerification, first: int, most: int, proof: float) -> Result:
    obligation, spans = asked.obligation, asked.limits.within
    near = most if obligation.expect == "refuted" or not proof else min(most, max(NEAR, first))
    result = asked.turn_by_turn(first, near)
    if isinstance(result.verdict, Refuted | Failed):
        return result
    reason = "none was asked for"
    refused: tuple[RefusedInvariant, ...] = ()
    if proof:
        asked.doing = "an induction over the turns was sought"
        work = Work(PROOF * proof * MILLION, asked.end)
        found, refused = by_induction(obligation, asked.engine, asked.limits, work)
        if isinstance(found, Induction):
            asked.attacked(most)
            asked.held(first)
            return asked.why(asked.result(_proved(found)), most, refused)
        reason = found.reason
        if found.late:
            reason += f"; `--proof {10 * asked.limits.proof:g}` seeks further"
    if isinstance(result.verdict, Bounded) and near < most:
        result = asked.turn_by_turn(near + 1, most)
    if not isinstance(result.verdict, Bounded):
        return result
    return asked.why(asked.result(Bounded(spans, reason, most)), most, refused)


def _proved(found: Induction) -> Proved:
    return Proved("for any number of turns, by induction", induction=found)


class _SessionVerification:
    """What was asked, and what is being done about it; `limits.within` is how many spans to look at, and the time began
    at `start`."""

    def __init__(
        self, obligation: Obligation, limits: Limits, start: float, plain: Plain, engine: Refuter, vacuity: bool
    ) -> None:
        self.obligation, self.limits, self.start = obligation, limits, start
        self.plain, self.engine, self.vacuity = plain, engine, vacuity
        self.end = inf if limits.seconds is None else start + limits.seconds
        self.doing = ""
        self.reached: int | None = None
        """Turns."""

    def result(self, verdict: Verdict | Failed, engine: str = "", notes: tuple[str, ...] = ()) -> Result:
        name = "induction" if isinstance(verdict, Proved) else engine or self.engine.name
        return Result(self.obligation, verdict, monotonic() - self.start, name, notes)

    def overdue(self) -> Result:
        """The verdict where the clock struck."""
        return self.unknown(f"{self.limits.seconds:g} s were over while {self.doing}")

    def unknown(self, reason: str, smt2: Path | UnwrittenQuery | None = None, engine: str = "") -> Result:
        """Neither, and how many turns were looked at."""
        if self.reached is None:
            return self.result(Unknown(reason, smt2), engine)
        so_far = f"{reason}; none found up to {turns_text(self.reached)}"
        return self.result(Unknown(so_far, smt2, self.limits.within, self.reached), engine)

    def turn_by_turn(self, first: int, last: int) -> Result:
        """After so many turns and then more, until something breaks the promise: what does, or that nothing does."""
        for turns in range(first, last + 1):
            self.doing = f"sessions of {turns_text(turns)} were looked through"
            Work(end=self.end).in_time()
            asked = replace(after(self.obligation, turns), within=None, expect=None)
            left = None if self.end == inf else self.end - monotonic()
            found = self.plain(asked, replace(self.limits, seconds=left))
            Work(end=self.end).in_time()
            match found.verdict:
                case Bounded():
                    self.reached = turns
                case Refuted(case, spans, shortest):
                    refuted = self.result(Refuted(case, spans, shortest, turns), found.engine)
                    return replace(refuted, obligation=after(self.obligation, turns))
                case Unknown(reason, smt2):
                    return self.unknown(f"after {turns_text(turns)}: {reason}", smt2, found.engine)
                case other:
                    return self.result(other, found.engine)
        return self.result(Bounded(self.limits.within, "", last))

    def attacked(self, turns: int) -> None:
        """Random sessions are thrown at what is proved."""
        asked = after(self.obligation, max(turns, ATTACKED_TURNS))
        hit = attack(asked, ATTACKED_SPANS, ATTACKS)
        if hit is not None:
            raise Disagreement(
                f"`{self.obligation.name}` is proved for any number of turns, and a session breaks it\n{hit}"
            )

    def held(self, first: int) -> None:
        """What is proved is held against sessions of a few turns that break it with other numbers: each has to be found
        broken by what proves. Raises `Contradicted`."""
        self.doing = "the proof was held against short sessions"
        for turns in range(first, HELD_TURNS + 1):
            trial = Trial(after(self.obligation, turns), self.limits.within, HELD_SPANS, self.end)
            against = trial.against(Method("scan", instances="witnesses"))
            if isinstance(against, Contradiction):
                raise Contradicted(against)

    def why(self, result: Result, turns: int, refused: tuple[RefusedInvariant, ...]) -> Result:
        """With what is worth knowing, and vacuous if it holds for no reason that matters."""
        notes = tuple(_note(r) for r in refused)
        found = Vacuity()
        if self.vacuity:
            self.doing = "a reason that matters was looked for"
            limits = replace(self.limits, search=min(self.limits.search, REASON_SEARCH))
            found = find_vacuity(self.obligation, self.engine, limits, turns, self.end)
        verdict = result.verdict
        little = (*found.reasons, *found.perhaps)
        if found.reasons and isinstance(verdict, Proved):
            verdict, little = Vacuous(found.reasons, self.limits.within, turns), ()
        told = (*notes, *(f"this says little: {reason}" for reason in little), *found.notes, *found.unsettled)
        return replace(self.result(verdict, result.engine), notes=told)


def _note(refused: RefusedInvariant) -> str:
    """What is said of an invariant that is none, with the window that shows it."""
    text = f"`{refused.invariant.origin.text}` is no invariant of the session: {refused.reason}"
    if refused.case is None:
        return text
    window = refused.case.inputs[ASSUMED]
    entries = ", ".join(write_entry(s, window.schema, s.id in window.archived) for s in window.spans)
    return f"{text}, such as [ {entries} ]"
