"""The only door from an obligation to its verdict: an engine answers, and nothing it says is believed unseen.

What an engine found is replayed in the interpreter, shrunk and replayed again; where it found nothing, random windows
attack the promise, and it is asked whether it holds for a reason that matters.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Self

from selfedit_formal._frozen import dataclass
from selfedit_formal.core.budget import MILLION, OutOfTime, Work, clock
from selfedit_formal.core.certificate import Certificate
from selfedit_formal.core.diagnostics import Disagreement
from selfedit_formal.core.expression import Triggered
from selfedit_formal.core.files import why_not, write_whole
from selfedit_formal.core.limits import UNANSWERED
from selfedit_formal.core.policy import Block, statements
from selfedit_formal.core.property import Case, Obligation
from selfedit_formal.core.traverse import nodes
from selfedit_formal.core.verdict import (
    Bounded,
    Failed,
    Proved,
    Refuted,
    Result,
    Unknown,
    UnwrittenQuery,
    Vacuous,
    Verdict,
    spans_text,
)
from selfedit_formal.engines import (
    Answer,
    Found,
    GaveUp,
    Limits,
    NoneFound,
    NoProof,
    OutsideFragment,
    Proof,
    Refuter,
    longest,
    prove,
    prover,
    refuters,
    search,
    solve,
)
from selfedit_formal.engines.random import attack
from selfedit_formal.processes.race import begin, possible
from selfedit_formal.semantics.interpreter import breaks, judge
from selfedit_formal.verifying.shrink import shrink, size
from selfedit_formal.verifying.vacuity import Vacuity
from selfedit_formal.verifying.vacuity import vacuity as find_vacuity
from selfedit_formal.verifying.validation.contradiction import Contradicted, Contradiction, NotValidated, describe
from selfedit_formal.verifying.validation.padding import WORK as PADDING
from selfedit_formal.verifying.validation.trial import Trial

NEAR = 8
"""Spans up to which windows are looked at before a proof for every length is sought."""
NEAR_SEARCH = 3.0
"""With how many million solver steps at most: what is not looked through by then is again if there is no proof."""
ASKED_FOR = 10
"""How much more work goes into a proof, or a window past the bound that breaks the promise, where the check expects
it."""
REASON_SEARCH = 40.0
"""Million solver steps for each question about the reason for which a promise holds."""
FAR_SEARCH = 8.0
"""For each such question about windows past the bound, of what was proved for every length."""
ATTACK_SPANS = 4
ATTACK_TRIES = 12


def verify(
    obligation: Obligation,
    limits: Limits,
    *,
    vacuity: bool = True,
    unanswered: Path | None = UNANSWERED,
    engines: tuple[Refuter, ...] = (),
    spare: bool = False,
) -> Result:
    """The verdict, in this process: `limits.seconds` are kept as far as the engines keep them, megabytes are not.

    The obligation's own `within` comes before the limits'. `vacuity` False leaves out whether the promise holds for a
    reason that matters. `unanswered` is the folder for the query of an `Unknown`; it is made if needed; None writes no
    file. `spare`: another processor has nothing to do, so a proof for every length is sought from the start, beside all
    else; the verdict is the same. `engines` are asked in turn until one of them does not give up: those that are there,
    if none is named. Two parts of this tool contradicting each other is a `Failed`, not an exception.
    """
    start = monotonic()
    engines = engines or refuters()
    within = limits.within if obligation.within is None else obligation.within
    asked = _Verification(
        obligation, replace(limits, within=within), clock(limits.seconds), engines, vacuity, unanswered
    )

    def plain(asked: Obligation, limits: Limits) -> Result:
        return verify(asked, replace(limits, proof=0.0), vacuity=False, unanswered=unanswered, engines=engines)

    try:
        if obligation.turns is not None and obligation.turns.taken is None:
            from selfedit_formal.verifying.session import verify_session  # nothing else needs what it loads

            return verify_session(obligation, limits, plain, engines[0], vacuity=vacuity, proof=asked.proof_millions())
        with _Proof(asked, spare) as proof:
            outcome = _answer(asked, proof)
    except OutOfTime:
        outcome = _Found(asked.overdue(), engines[0].name)
    except Contradicted as contradicted:
        failed = Failed(str(contradicted), contradicted.proof)
        return Result(obligation, failed, monotonic() - start, engines[0].name)
    except Disagreement as disagreement:
        return Result(obligation, Failed(str(disagreement)), monotonic() - start, engines[0].name)
    notes = (*_remarks(obligation, outcome.verdict), *outcome.notes)
    return Result(obligation, outcome.verdict, monotonic() - start, outcome.engine, notes)


def _remarks(obligation: Obligation, verdict: Verdict) -> tuple[str, ...]:
    """What may surprise about a case: a promise about a policy's trigger is about every window where it has none."""
    if not isinstance(verdict, Refuted):
        return ()
    named = dict.fromkeys(n.policy for n in nodes(obligation.claim) if isinstance(n, Triggered))
    return tuple(
        f"`{name}` has no `when` before its first edit, so the promise asks it to act on every window"
        f"{', the empty one too' if not verdict.spans else ''}"
        for name in named
        if not any(isinstance(s, Block) and s.trigger for s in statements(obligation.policy(name).body))
    )


class _Verification:
    """What `verify` was asked, `limits.within` being how far to look; when it is to end (monotonic); and what is being
    done about it, for the case that it does."""

    def __init__(
        self,
        obligation: Obligation,
        limits: Limits,
        end: float,
        engines: tuple[Refuter, ...],
        vacuity: bool,
        unanswered: Path | None,
    ) -> None:
        self.obligation, self.limits, self.end = obligation, limits, end
        self.engines, self.vacuity, self.unanswered = engines, vacuity, unanswered
        self.doing = ""
        self.reached: int | None = None

    def near(self) -> int:
        """How far is looked before a proof is sought."""
        return min(self.limits.within, NEAR)

    def up_to(self, spans: int, search: float = inf) -> tuple[Refuter, Answer]:
        """The first answer that is one, or else the one that got furthest; with so many million solver steps."""
        answers: list[tuple[Refuter, Answer]] = []
        self.doing = f"windows of up to {spans_text(spans)} were looked through"
        limits = replace(self.limits, within=spans, search=min(search, self.limits.search))
        for engine in self.engines:
            answer = solve(engine, replace(self.obligation, within=None), limits, Work(end=self.end))
            answers.append((engine, answer))
            if not isinstance(answer, GaveUp):
                break
        engine, answer = answers[-1] if not isinstance(answer, GaveUp) else max(answers, key=lambda a: a[1].spans)
        self.reached = answer.spans if isinstance(answer, NoneFound) else self.reached
        return engine, answer

    def why(self, engine: Refuter, spans: int, proved: bool = False) -> Vacuity:
        """Whether there is a reason that matters in windows of up to so many spans, or of a `proved` promise in any."""
        if not self.vacuity:
            return Vacuity()
        self.doing = "a reason that matters was looked for"
        limits = replace(
            self.limits, within=spans, search=min(self.limits.search, FAR_SEARCH if proved else REASON_SEARCH)
        )
        return find_vacuity(self.obligation, engine, limits, self.end, proofs=proved)

    def proof_millions(self) -> float:
        """How many million solver steps a proof for every length is worth: a written-out window has but one length, and
        a check that says how far it wants to look and that this will do (`within 6 spans expect holds`) gets what it
        asks for."""
        content = self.obligation.within is not None and self.obligation.expect in ("holds", "bounded")
        if self.obligation.fixed is not None or content:
            return 0.0
        return self.limits.proof * (ASKED_FOR if self.obligation.expect in ("proved", "vacuous") else 1)

    def search_millions(self) -> float:
        """What looking for a window past the bound that breaks the promise is worth."""
        return self.limits.proof * (ASKED_FOR if self.obligation.expect == "refuted" else 1)

    def overdue(self) -> Unknown:
        """The verdict where the clock struck."""
        reason = f"{self.limits.seconds:g} s were over while {self.doing}"
        if self.reached is None:
            return Unknown(reason)
        return Unknown(f"{reason}; none found up to {spans_text(self.reached)}", spans=self.reached)


class _Proof:
    """A proof for every length, sought once it is asked for, or from the start in a process of its own.

    A context manager: leaving it ends what is still sought.
    """

    def __init__(self, asked: _Verification, spare: bool) -> None:
        self._asked = asked
        self._millions = asked.proof_millions()
        likely = asked.obligation.expect != "refuted"
        early = spare and self._millions > 0 and likely and possible()
        self._attempt = begin(self._sought, asked.end) if early else None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._attempt is not None:
            self._attempt.end()

    def found(self) -> Proof | None:
        """What came of it; None if none was to be sought. To be asked once."""
        if not self._millions:
            return None
        self._asked.doing = "a proof for every length was sought"
        if self._attempt is None:
            return self._sought()
        answers = self._attempt.found()
        return answers[0] if answers else NO_MEMORY

    def _sought(self) -> Proof:
        try:
            return prove(self._asked.obligation, Work(self._millions * MILLION, self._asked.end))
        except MemoryError:
            return NO_MEMORY
        except RecursionError:
            return NoProof("what is to be proved is nested too deeply")


NO_MEMORY = NoProof("the search for a proof ran out of memory")


@dataclass(frozen=True, slots=True)
class _Found:
    """A verdict, who gave it, and what is to be said beside it."""

    verdict: Verdict
    engine: str
    notes: tuple[str, ...] = ()


def _answer(asked: _Verification, sought: _Proof) -> _Found:
    proves = asked.proof_millions() > 0
    short = proves and asked.obligation.expect != "refuted"
    engine, answer = asked.up_to(asked.near(), NEAR_SEARCH if short else inf)
    match answer:
        case Found():
            return _Found(_refuted(asked, engine, answer), engine.name)
        case GaveUp() if not proves:
            return _Found(_gave_up(asked, engine, answer), engine.name)
        case _:
            spans = answer.spans
    _attacked(asked, engine.name, spans)
    why = asked.why(engine, spans)
    if isinstance(answer, NoneFound) and answer.complete:
        proved = Proved("the window is written out, and every run on it was looked at")
        return _Found(_vacuous_if(why, proved, spans), engine.name, _notes(why))
    return _none_found(asked, engine, answer, why, sought)


def _none_found(
    asked: _Verification, engine: Refuter, answer: NoneFound | GaveUp, why: Vacuity, sought: _Proof
) -> _Found:
    """No short window breaks it: a proof for every length, or a longer window that does, or how far there is none. What
    the check expects is looked for first."""
    unlimited = asked.obligation.within is None
    to_the_bound = isinstance(answer, NoneFound) and answer.spans >= asked.limits.within
    trial = Trial(asked.obligation, answer.spans, end=asked.end)
    longer = _padded(asked, engine, trial)
    if longer is not None:
        return _Found(longer, engine.name)
    first = asked.obligation.expect == "refuted" and unlimited and to_the_bound
    longer = _longer(asked, engine, answer.spans, None) if first and asked.proof_millions() else None
    if longer is not None:
        return _Found(longer, engine.name)
    proof = sought.found()
    if isinstance(proof, Certificate):
        against = _against(asked, trial, proof)
        if against is None:
            return _proved(asked, engine, proof, why, answer.spans)
        proof = NoProof(f"what was proved could not be held against windows: {against.reason}")
    if not to_the_bound:
        near = answer.spans
        engine, further = asked.up_to(asked.limits.within)
        if isinstance(further, Found):
            return _Found(_refuted(asked, engine, further), engine.name)
        if isinstance(further, GaveUp) or further.spans < asked.limits.within:
            return _Found(_gave_up(asked, engine, further), engine.name)
        answer = further
        why = asked.why(engine, answer.spans) if why.reasons or near < asked.near() else why
    if unlimited and isinstance(proof, NoProof) and not (first and proof.case is None):
        longer = _longer(asked, engine, answer.spans, proof.case)
        if longer is not None:
            return _Found(longer, engine.name)
    return _Found(Bounded(answer.spans, _no_proof(asked, proof)), engine.name, _notes(why, bounded=True))


def _proved(asked: _Verification, engine: Refuter, proof: Certificate, why: Vacuity, spans: int) -> _Found:
    """The only place where a proof becomes a verdict; it was held against short windows."""
    name = prover(proof.method).name
    if spans < ATTACK_SPANS:  # else the same windows were thrown at it already
        _attacked(asked, name, ATTACK_SPANS)
    if why.reasons:  # its reason may be in a window longer than those looked at
        spans = max(asked.limits.within, longest())
        why = asked.why(engine, spans, proved=True)
    return _Found(_vacuous_if(why, Proved(proof.argument, proof), spans), name, _notes(why))


def _vacuous_if(why: Vacuity, proved: Proved, spans: int) -> Proved | Vacuous:
    return Vacuous(why.reasons, spans) if why.reasons else proved


def _notes(why: Vacuity, bounded: bool = False) -> tuple[str, ...]:
    """What is worth knowing; of what is bounded also why it would be vacuous, if it held for every window."""
    reasons = tuple(f"this says little: {reason}" for reason in why.reasons) if bounded else ()
    return (*reasons, *why.notes, *why.unsettled)


def _no_proof(asked: _Verification, proof: NoProof | OutsideFragment | None) -> str:
    """Why there is no proof, and what would help."""
    if proof is None:
        return "none was asked for"
    late = isinstance(proof, NoProof) and proof.late
    return f"{proof.reason}{more_proof(asked.limits) if late else ''}"


def more_proof(limits: Limits) -> str:
    """How to have a proof sought for longer."""
    return f"; `--proof {10 * limits.proof:g}` seeks further"


def _gave_up(asked: _Verification, engine: Refuter, answer: GaveUp | NoneFound) -> Refuted | Unknown:
    """A random window may still break it."""
    spans = answer.spans
    asked.doing = "random windows were tried"
    hit = attack(asked.obligation, max(spans + 2, ATTACK_SPANS), ATTACK_TRIES)
    if hit is not None:
        simple = shrink(asked.obligation, hit, end=asked.end)
        if all(len(window.spans) <= spans for window in simple.inputs.values()):
            raise Disagreement(_missed(asked.obligation, engine.name, spans, simple))
        return Refuted(simple, size(simple), shortest=len(simple.inputs) == 1 and size(simple) == spans + 1)
    reason, smt2, more = f"the {engine.name} engine looked no further", None, ""
    if isinstance(answer, GaveUp):
        reason, smt2 = answer.reason, answer.smt2
        more = f"; `--search {10 * asked.limits.search:g}` looks further" if answer.spent else ""
    up_to = f"; none found up to {spans_text(spans)} of {asked.limits.within}" if spans else ""
    return Unknown(f"{reason}{up_to}{more}", _written(asked.obligation, smt2, asked.unanswered), spans)


def _attacked(asked: _Verification, engine: str, spans: int) -> None:
    """Random windows are thrown at a promise of which an engine says that no window of so many spans breaks it."""
    hit = attack(asked.obligation, min(spans, ATTACK_SPANS), ATTACK_TRIES)
    if hit is not None:
        raise Disagreement(_missed(asked.obligation, engine, spans, hit))


def _padded(asked: _Verification, engine: Refuter, trial: Trial) -> Refuted | None:
    """A counterexample that is found short, with the numbers of the promise open, and made longer."""
    limited = asked.obligation.within is not None
    if trial.opened is None or not (limited or asked.proof_millions()):
        return None
    asked.doing = "a longer window that breaks it was looked for"
    case = trial.broken() if asked.obligation.expect == "proved" else trial.broken(PADDING)
    if case is None or (limited and size(case) > asked.limits.within):
        return None
    return _longer(asked, engine, trial.looked_at, case)


def _against(asked: _Verification, trial: Trial, proof: Certificate) -> NotValidated | None:
    """Whether the proof may not be shown. Raises `Contradicted` if it is wrong."""
    asked.doing = "the proof was held against short windows"
    against = trial.against(proof.method)
    if isinstance(against, Contradiction):
        raise Contradicted(against, proof)
    return against


def _longer(asked: _Verification, engine: Refuter, spans: int, case: Case | None) -> Refuted | None:
    """The only place where a counterexample past the bound is looked for: the one that was met on the way to a proof,
    or one that is looked for now."""
    if case is None:
        asked.doing = "a longer window that breaks it was looked for"
        work = Work(asked.search_millions() * MILLION, asked.end)
        case = search(asked.obligation, work)
    if case is None:
        return None
    refuted = _refuted(asked, engine, Found(case, size(case), shortest=False))
    if refuted.spans <= spans:
        raise Disagreement(_missed(asked.obligation, engine.name, spans, refuted.case))
    return refuted


def _refuted(asked: _Verification, engine: Refuter, found: Found) -> Refuted:
    obligation, case = asked.obligation, found.case
    if not breaks(obligation, case):
        raise Disagreement(
            f"the {engine.name} engine found a case of `{obligation.name}` that the interpreter does not confirm "
            f"({judge(obligation, case)})\n{describe(case)}"
        )
    asked.doing = "the window found was made smaller"
    simple = shrink(obligation, case, end=asked.end)
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
    simple = shrink(obligation, hit)
    return (
        f"the {engine} engine says that no window of up to {spans} spans breaks `{obligation.name}`, and this one "
        f"does\n{describe(simple)}"
    )


def _written(obligation: Obligation, smt2: str | None, folder: Path | None) -> Path | UnwrittenQuery | None:
    """The file with the query, named as the check, or why there is none. One of the same query is written over."""
    if smt2 is None or folder is None:
        return None
    path = folder / f"{obligation.file_stem()}.smt2"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(path, smt2)
    except OSError as problem:
        return UnwrittenQuery(path, why_not(problem))
    return path
