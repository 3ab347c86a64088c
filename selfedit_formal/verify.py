"""The only door from an obligation to its verdict: an engine answers, and nothing it says is believed unseen.

What an engine found is replayed in the interpreter, shrunk and replayed again; where it found nothing, random windows
attack the promise, and it is asked whether it holds for a reason that matters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from math import inf
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Self

from selfedit_formal._frozen import dataclass
from selfedit_formal.attack import attack
from selfedit_formal.certificate import Certificate
from selfedit_formal.diagnostics import Disagreement
from selfedit_formal.engines import Answer, Engine, Found, GaveUp, Limits, NoneFound, unbounded
from selfedit_formal.engines.bounded import Bounded as BoundedEngine
from selfedit_formal.engines.unbounded.race import begin, possible
from selfedit_formal.property import Case, Obligation
from selfedit_formal.semantics.interpreter import breaks, judge
from selfedit_formal.shrink import shrink, size
from selfedit_formal.vacuity import Vacuity
from selfedit_formal.vacuity import vacuity as find_vacuity
from selfedit_formal.verdict import Bounded, Failed, Proved, Refuted, Result, Unknown, Vacuous, Verdict

ENGINES: tuple[Engine, ...] = (BoundedEngine(),)
"""In the order in which they are asked, until one of them does not give up."""

SoFar = Callable[[Result, float], None]
"""Hears a result that stands unless a better one comes within so many seconds."""

UNANSWERED = Path("selfedit-unknown")
"""Where queries that were not answered are left, unless the caller says otherwise."""

NEAR = 8
"""Spans up to which windows are looked at before a proof for every length is sought."""
NEAR_SECONDS = 1.0
"""How long at most: what is not found by then is looked for again if there is no proof."""
PROOF_ASKED_FOR = 10
"""How much longer a proof, or a window past the bound that breaks the promise, is sought where the check expects it."""
REASON_SECONDS = 2.0
"""How long a reason that matters is looked for past the bound, for what was proved for every length."""
PATIENCE = 4
"""How many times longer than it was given, and seconds more, a proof may take before it is not waited for."""
SHRINK_SECONDS = 5.0
ATTACK_SPANS = 4
ATTACK_TRIES = 200
ATTACK_SECONDS = 0.01


def verify(
    obligation: Obligation,
    limits: Limits,
    *,
    vacuity: bool = True,
    unanswered: Path | None = UNANSWERED,
    engines: tuple[Engine, ...] = ENGINES,
    so_far: SoFar | None = None,
    spare: bool = False,
) -> Result:
    """The verdict, in this process: `limits.seconds` are kept as far as the engines keep them, megabytes are not.

    The obligation's own `within` comes before the limits'. `vacuity` False leaves out whether the promise holds for a
    reason that matters. `unanswered` is the folder for the query of an `Unknown`; it is made if needed; None writes no
    file. `so_far` hears the result that stands while a proof for every length is sought. `spare`: another
    processor has nothing to do, so that proof is sought from the start, beside all else. Two parts of this tool
    contradicting each other is a `Failed`, not an exception.
    """
    start = monotonic()
    within = limits.within if obligation.within is None else obligation.within
    end = None if limits.seconds is None else start + limits.seconds
    asked = _Asked(obligation, replace(limits, within=within), end, engines, vacuity, unanswered)

    def result(outcome: _Outcome) -> Result:
        notes = (*outcome.why.notes, *outcome.why.unsettled)
        verdict = outcome.verdict
        if isinstance(verdict, Proved | Bounded) and outcome.why.reasons:
            verdict = Vacuous(outcome.why.reasons, outcome.spans)
        return Result(obligation, verdict, monotonic() - start, outcome.engine, notes)

    def late(outcome: _Outcome, seconds: float) -> None:
        if so_far is not None:
            so_far(result(outcome), seconds)

    def plain(asked: Obligation, limits: Limits) -> Result:
        return verify(asked, replace(limits, proof=0.0), vacuity=False, unanswered=unanswered, engines=engines)

    def stands(result: Result) -> None:
        if so_far is not None:
            so_far(result, inf)

    try:
        if obligation.turns is not None and obligation.turns.taken is None:
            from selfedit_formal.verify_session import verify_session  # nothing else needs what it loads

            return verify_session(
                obligation, limits, plain, engines[0], vacuity=vacuity, proof=asked.proof_seconds(), so_far=stands
            )
        with _Proof(asked, spare) as proof:
            return result(_answer(asked, proof, late))
    except Disagreement as disagreement:
        return Result(obligation, Failed(str(disagreement)), monotonic() - start, engines[0].name)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What `verify` was asked, `limits.within` being how far to look, and when it is to end."""

    obligation: Obligation
    limits: Limits
    end: float | None
    engines: tuple[Engine, ...]
    vacuity: bool
    unanswered: Path | None

    def near(self) -> int:
        """How far is looked before a proof is sought."""
        return min(self.limits.within, NEAR)

    def up_to(self, spans: int, seconds: float = inf) -> tuple[Engine, Answer]:
        """The first answer that is one, or else the one that got furthest."""
        answers: list[tuple[Engine, Answer]] = []
        for engine in self.engines:
            left = self.at_most(seconds)
            limits = replace(self.limits, within=spans, seconds=None if left == inf else left)
            answer = engine.solve(replace(self.obligation, within=None), limits)
            answers.append((engine, answer))
            if not isinstance(answer, GaveUp):
                return engine, answer
        return max(answers, key=lambda pair: _spans(pair[1]))

    def why(self, engine: Engine, spans: int, seconds: float | None = None) -> Vacuity:
        """Whether there is a reason that matters in windows of up to so many spans."""
        if not self.vacuity:
            return Vacuity()
        left = self.left() if seconds is None else self.at_most(seconds)
        return find_vacuity(self.obligation, engine, replace(self.limits, within=spans, seconds=left))

    def proof_seconds(self) -> float:
        """How long a proof for every length is sought: a written-out window has but one length, and a check that says
        how far it wants to look and that this will do (`within 6 spans expect holds`) gets what it asks for."""
        content = self.obligation.within is not None and self.obligation.expect in ("holds", "bounded")
        if self.obligation.fixed is not None or content:
            return 0.0
        return self.limits.proof * (PROOF_ASKED_FOR if self.obligation.expect == "proved" else 1)

    def search_seconds(self) -> float:
        """How long a window past the bound that breaks the promise is looked for."""
        return self.limits.proof * (PROOF_ASKED_FOR if self.obligation.expect == "refuted" else 1)

    def left(self) -> float | None:
        """Seconds until the end; None if there is none."""
        return None if self.end is None else max(self.end - monotonic(), 0.0)

    def at_most(self, seconds: float) -> float:
        """So many seconds, or what is left."""
        left = self.left()
        return seconds if left is None else min(seconds, left)


class _Proof:
    """A proof for every length, sought once it is asked for, or from the start in a process of its own.

    A context manager: leaving it ends what is still sought.
    """

    def __init__(self, asked: _Asked, spare: bool) -> None:
        self._asked = asked
        self._seconds = asked.proof_seconds()
        likely = asked.obligation.expect != "refuted"
        early = spare and self._seconds > 0 and likely and possible()
        self._attempt = begin(self._sought, asked.at_most(self._seconds)) if early else None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._attempt is not None:
            self._attempt.end()

    def found(self) -> Certificate | unbounded.NoProof | unbounded.OutsideFragment | None:
        """What came of it; None if none was to be sought. To be asked once."""
        if not self._seconds:
            return None
        if self._attempt is None:
            return self._sought()
        answers = self._attempt.found()
        return answers[0] if answers else unbounded.NoProof("the search for a proof ran out of memory or time")

    def _sought(self) -> Certificate | unbounded.NoProof | unbounded.OutsideFragment:
        return unbounded.prove(self._asked.obligation, self._asked.at_most(self._seconds))


NOT_ASKED = Vacuity()


@dataclass(frozen=True, slots=True)
class _Outcome:
    """A verdict; who gave it; why it would be vacuous, having looked at windows of up to `spans` spans."""

    verdict: Verdict
    engine: str
    why: Vacuity = NOT_ASKED
    spans: int = 0


def _spans(answer: Answer) -> int:
    return answer.spans


def _answer(asked: _Asked, sought: _Proof, so_far: Callable[[_Outcome, float], None]) -> _Outcome:
    proves = asked.proof_seconds() > 0
    engine, answer = asked.up_to(asked.near(), NEAR_SECONDS if proves and asked.obligation.expect != "refuted" else inf)
    if proves and isinstance(answer, GaveUp):
        answer = NoneFound(answer.spans)
    match answer:
        case Found():
            return _Outcome(_refuted(asked, engine, answer), engine.name)
        case GaveUp():
            return _Outcome(_gave_up(asked, engine, answer), engine.name)
        case NoneFound(spans=spans, complete=complete):
            _attacked(asked, engine.name, spans)
            why = asked.why(engine, spans)
            if complete:
                proved = Proved("the window is written out, and every run on it was looked at")
                return _Outcome(proved, engine.name, why, spans)
            return _none_found(asked, engine, spans, why, sought, so_far)


def _none_found(
    asked: _Asked,
    engine: Engine,
    spans: int,
    why: Vacuity,
    sought: _Proof,
    so_far: Callable[[_Outcome, float], None],
) -> _Outcome:
    """No short window breaks it: a proof for every length, or a longer window that does, or how far there is none. What
    the check expects is looked for first."""
    unlimited = asked.obligation.within is None
    first = asked.obligation.expect == "refuted" and unlimited and spans >= asked.limits.within
    longer = _longer(asked, engine, spans, None) if first and asked.proof_seconds() else None
    if longer is not None:
        return _Outcome(longer, engine.name)
    if asked.proof_seconds():
        late = Bounded(spans, "the proof for every length took too long")
        settled = why if spans == asked.near() else NOT_ASKED
        so_far(_Outcome(late, engine.name, settled, spans), PATIENCE * asked.proof_seconds() + PATIENCE)
    proof = sought.found()
    if isinstance(proof, Certificate):
        if spans < ATTACK_SPANS:  # else the same windows were thrown at it already
            _attacked(asked, "unbounded", ATTACK_SPANS)
        return _proved(asked, engine, proof, why, spans)
    if spans < asked.limits.within:
        engine, answer = asked.up_to(asked.limits.within)
        match answer:
            case Found():
                return _Outcome(_refuted(asked, engine, answer), engine.name)
            case GaveUp():
                return _Outcome(_gave_up(asked, engine, answer), engine.name)
            case NoneFound(spans=spans):
                why = asked.why(engine, spans) if why.reasons else why
    if unlimited and isinstance(proof, unbounded.NoProof) and not (first and proof.case is None):
        longer = _longer(asked, engine, spans, proof.case)
        if longer is not None:
            return _Outcome(longer, engine.name)
    reason = "none was asked for" if proof is None else proof.reason
    return _Outcome(Bounded(spans, reason), engine.name, why, spans)


def _proved(asked: _Asked, engine: Engine, proof: Certificate, why: Vacuity, spans: int) -> _Outcome:
    """What is proved for every length may have its reason in a window longer than those looked at."""
    if why.reasons and asked.obligation.fixed is None:
        further = max(asked.limits.within, unbounded.LONGEST)
        longer = asked.why(engine, further, REASON_SECONDS)
        if not longer.reasons and not longer.unsettled:
            return _Outcome(Proved(proof.argument, proof), "unbounded", longer, further)
    return _Outcome(Proved(proof.argument, proof), "unbounded", why, spans)


def _gave_up(asked: _Asked, engine: Engine, answer: GaveUp) -> Refuted | Unknown:
    """A random window may still break it."""
    spans = answer.spans
    hit = attack(asked.obligation, max(spans + 2, ATTACK_SPANS), ATTACK_TRIES, ATTACK_SECONDS)
    if hit is not None:
        simple = shrink(asked.obligation, hit, asked.at_most(SHRINK_SECONDS))
        if all(len(window.spans) <= spans for window in simple.inputs.values()):
            raise Disagreement(_missed(asked.obligation, engine.name, spans, simple))
        return Refuted(simple, size(simple), shortest=len(simple.inputs) == 1 and size(simple) == spans + 1)
    up_to = f"; none found up to {spans} spans" if spans else ""
    return Unknown(f"{answer.reason}{up_to}", _written(asked.obligation, answer.smt2, asked.unanswered))


def _attacked(asked: _Asked, engine: str, spans: int) -> None:
    """Random windows are thrown at a promise of which an engine says that no window of so many spans breaks it."""
    hit = attack(asked.obligation, min(spans, ATTACK_SPANS), ATTACK_TRIES, ATTACK_SECONDS)
    if hit is not None:
        raise Disagreement(_missed(asked.obligation, engine, spans, hit))


def _longer(asked: _Asked, engine: Engine, spans: int, case: Case | None) -> Refuted | None:
    """A counterexample past the bound: the one that was met, or one that is looked for now."""
    if case is None:
        case = unbounded.search_long(asked.obligation, unbounded.LONGEST, asked.at_most(asked.search_seconds()))
    if case is None:
        return None
    refuted = _refuted(asked, engine, Found(case, size(case), shortest=False))
    if refuted.spans <= spans:
        raise Disagreement(_missed(asked.obligation, engine.name, spans, refuted.case))
    return refuted


def _refuted(asked: _Asked, engine: Engine, found: Found) -> Refuted:
    obligation, case = asked.obligation, found.case
    if not breaks(obligation, case):
        raise Disagreement(
            f"the {engine.name} engine found a case of `{obligation.name}` that the interpreter does not confirm "
            f"({judge(obligation, case)})\n{describe(case)}"
        )
    simple = shrink(obligation, case, asked.at_most(SHRINK_SECONDS))
    if not breaks(obligation, simple):
        raise Disagreement(
            f"a case of `{obligation.name}` broke it no more once it was made simpler\n"
            f"before: {describe(case)}\nafter: {describe(simple)}"
        )
    if found.shortest and size(simple) < found.spans:
        raise Disagreement(
            f"the {engine.name} engine calls {found.spans} spans the shortest case of `{obligation.name}`, and there "
            f"is one of {size(simple)}\n{describe(simple)}"
        )
    return Refuted(simple, size(simple), found.shortest)


def _missed(obligation: Obligation, engine: str, spans: int, hit: Case) -> str:
    simple = shrink(obligation, hit, SHRINK_SECONDS)
    return (
        f"the {engine} engine says that no window of up to {spans} spans breaks `{obligation.name}`, and this one "
        f"does\n{describe(simple)}"
    )


def describe(case: Case) -> str:
    """Everything about a case that a report of a bug of ours needs, as text."""
    from importlib.metadata import version

    parts: Mapping[str, object] = {
        **{f"input {name}": [*window.spans] for name, window in case.inputs.items()},
        **{f"archived in {name}": sorted(window.archived) for name, window in case.inputs.items()},
        **{f"links in {name}": sorted(window.links) for name, window in case.inputs.items()},
        "parameters": dict(case.parameters),
        "spans": dict(case.spans),
        "choices": dict(case.choices),
        "versions": f"selfedit-formal {version('selfedit-formal')}, z3-solver {version('z3-solver')}",
    }
    return "\n".join(f"  {name}: {value}" for name, value in parts.items())


def _written(obligation: Obligation, smt2: str | None, folder: Path | None) -> Path | None:
    """The file with the query, named after the obligation; a file of the same query is written over."""
    if smt2 is None or folder is None:
        return None
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{re.sub(r'[^A-Za-z0-9_.-]+', '-', obligation.name).strip('-')}.smt2"
    path.write_text(smt2, encoding="utf-8")
    return path
