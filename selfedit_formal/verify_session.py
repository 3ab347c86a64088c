"""The verdict on a promise about a session: turn by turn from the fewest on, then for any number of turns by induction.

After a number of turns the promise is a plain one about the window that the session starts from, so it is answered,
replayed, shrunk and attacked like any other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from time import monotonic

from selfedit_formal._frozen import dataclass
from selfedit_formal.attack import attack
from selfedit_formal.diagnostics import Disagreement
from selfedit_formal.engines import Engine, Limits
from selfedit_formal.expression import ASSUMED
from selfedit_formal.induction import Refused, by_induction
from selfedit_formal.language.write import write_entry
from selfedit_formal.property import Obligation
from selfedit_formal.turns import after, least
from selfedit_formal.vacuity import Vacuity
from selfedit_formal.vacuity_session import vacuity as find_vacuity
from selfedit_formal.verdict import Bounded, Failed, Induction, Proved, Refuted, Result, Unknown, Vacuous, Verdict

SPANS = 4
"""Spans of the window that a session starts from, at most, where the check does not say more."""
NEAR = 2
"""Turns that are looked at before a proof for any number of turns is sought."""
PROOF = 8
"""How many times longer than a proof of one promise an induction is sought, which is made of several."""
SHARE = 0.6
"""The part of the time that is left for an induction."""
ATTACKED_TURNS = 6
ATTACKED_SPANS = 3
ATTACKS = 100
ATTACK_SECONDS = 0.05

Plain = Callable[[Obligation, Limits], Result]
"""Answers a plain promise within the limits, without asking for vacuity or a proof."""


def verify_session(
    obligation: Obligation,
    limits: Limits,
    plain: Plain,
    engine: Engine,
    *,
    vacuity: bool,
    proof: float,
    so_far: Callable[[Result], None],
) -> Result:
    """The verdict on a promise about any number of turns.

    `limits.within` spans are kept to as far as the check does not say otherwise; `proof` is how many seconds a proof
    of one promise would get (0: none is sought). `so_far` hears what stands while a proof is sought.
    """
    start = monotonic()
    spans = min(limits.within, SPANS) if obligation.within is None else obligation.within
    first = least(obligation)
    most = max(limits.turns if obligation.within_turns is None else obligation.within_turns, first, 1)
    asked = _Asked(obligation, replace(limits, within=spans), start, plain, engine, vacuity)
    near = most if obligation.expect == "refuted" or not proof else min(most, max(NEAR, first))
    result = asked.turn_by_turn(first, near)
    if isinstance(result.verdict, Refuted | Failed):
        return result
    reason = "none was asked for"
    refused: tuple[Refused, ...] = ()
    if proof:
        so_far(asked.result(Bounded(spans, "the induction took too long", near)))
        found, refused = by_induction(obligation, engine, asked.limits, asked.share(PROOF * proof))
        if isinstance(found, Induction):
            asked.attacked(most)
            return asked.why(asked.result(_proved(found)), most, refused)
        reason = found.reason
    if isinstance(result.verdict, Bounded) and near < most:
        result = asked.turn_by_turn(near + 1, most)
    if not isinstance(result.verdict, Bounded):
        return result
    return asked.why(asked.result(Bounded(spans, reason, most)), most, refused)


def _proved(found: Induction) -> Proved:
    return Proved("for any number of turns, by induction", induction=found)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What was asked; `limits.within` is how many spans to look at, and the time began at `start`."""

    obligation: Obligation
    limits: Limits
    start: float
    plain: Plain
    engine: Engine
    vacuity: bool

    def result(self, verdict: Verdict | Failed, engine: str = "", notes: tuple[str, ...] = ()) -> Result:
        name = "induction" if isinstance(verdict, Proved) else engine or self.engine.name
        return Result(self.obligation, verdict, monotonic() - self.start, name, notes)

    def left(self) -> float | None:
        """Seconds until the end; None if there is none."""
        return None if self.limits.seconds is None else max(self.start + self.limits.seconds - monotonic(), 0.0)

    def share(self, seconds: float) -> float:
        """So many seconds, or a share of what is left, so that something remains for more turns."""
        left = self.left()
        return seconds if left is None else min(seconds, SHARE * left)

    def turn_by_turn(self, first: int, last: int) -> Result:
        """After so many turns and then more, until something breaks the promise: what does, or that nothing does."""
        for turns in range(first, last + 1):
            asked = replace(after(self.obligation, turns), within=None, expect=None)
            found = self.plain(asked, replace(self.limits, seconds=self.left()))
            match found.verdict:
                case Bounded():
                    continue
                case Refuted(case, spans, shortest):
                    refuted = self.result(Refuted(case, spans, shortest, turns), found.engine)
                    return replace(refuted, obligation=after(self.obligation, turns))
                case Unknown(reason, smt2):
                    done = f"; none found up to {_turns(turns - 1)}" if turns > first else ""
                    return self.result(Unknown(f"after {_turns(turns)}: {reason}{done}", smt2), found.engine)
                case other:
                    return self.result(other, found.engine)
        return self.result(Bounded(self.limits.within, "", last))

    def attacked(self, turns: int) -> None:
        """Random sessions are thrown at what is proved."""
        asked = after(self.obligation, max(turns, ATTACKED_TURNS))
        hit = attack(asked, ATTACKED_SPANS, ATTACKS, ATTACK_SECONDS)
        if hit is not None:
            raise Disagreement(
                f"`{self.obligation.name}` is proved for any number of turns, and a session breaks it\n{hit}"
            )

    def why(self, result: Result, turns: int, refused: tuple[Refused, ...]) -> Result:
        """With what is worth knowing, and vacuous if it holds for no reason that matters."""
        notes = tuple(_note(r) for r in refused)
        found = Vacuity()
        if self.vacuity:
            limits = replace(self.limits, seconds=self.left())
            found = find_vacuity(self.obligation, self.engine, limits, turns)
        verdict = Vacuous(found.reasons, self.limits.within, turns) if found.reasons else result.verdict
        return replace(self.result(verdict, result.engine), notes=(*notes, *found.notes, *found.unsettled))


def _turns(number: int) -> str:
    return f"{number} turn{'' if number == 1 else 's'}"


def _note(refused: Refused) -> str:
    """What is said of an invariant that is none, with the window that shows it."""
    text = f"`{refused.invariant.origin.text}` is no invariant of the session: {refused.reason}"
    if refused.case is None:
        return text
    window = refused.case.inputs[ASSUMED]
    entries = ", ".join(write_entry(s, window.schema, s.id in window.archived) for s in window.spans)
    return f"{text}, such as [ {entries} ]"
