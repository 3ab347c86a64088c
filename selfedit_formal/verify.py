"""The only door from an obligation to its verdict: an engine answers, and nothing it says is believed unseen.

What an engine found is replayed in the interpreter, shrunk and replayed again; where it found nothing, random windows
attack the promise, and it is asked whether it holds for a reason that matters.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from time import monotonic

from selfedit_formal.attack import attack
from selfedit_formal.certificate import Certificate
from selfedit_formal.diagnostics import Disagreement
from selfedit_formal.engines import Answer, Engine, Found, GaveUp, Limits, NoneFound, unbounded
from selfedit_formal.engines.bounded import Bounded as BoundedEngine
from selfedit_formal.property import Case, Obligation
from selfedit_formal.semantics.interpreter import breaks, judge
from selfedit_formal.shrink import shrink, size
from selfedit_formal.vacuity import Vacuity
from selfedit_formal.vacuity import vacuity as find_vacuity
from selfedit_formal.verdict import Bounded, Failed, Proved, Refuted, Result, Unknown, Vacuous, Verdict

_Proof = Certificate | unbounded.NoProof | unbounded.OutsideFragment | None
"""What came of seeking a proof for every length; None if none was sought."""

ENGINES: tuple[Engine, ...] = (BoundedEngine(),)
"""In the order in which they are asked, until one of them does not give up."""

UNANSWERED = Path("selfedit-unknown")
"""Where queries that were not answered are left, unless the caller says otherwise."""

NEAR = 8
"""Spans up to which windows are looked at before a proof for every length is sought."""
PROOF_ASKED_FOR = 10
"""How much longer a proof is sought where the check expects one."""
LONGEST = 24
"""Spans of the longest windows that are searched past the bound, where a check does not set one."""
REASON_SECONDS = 2.0
"""How long a reason that matters is looked for past the bound, for what was proved for every length."""
SHRINK_SECONDS = 5.0
ATTACK_SPANS = 4
ATTACK_TRIES = 200
ATTACK_SECONDS = 0.03


def verify(
    obligation: Obligation,
    limits: Limits,
    *,
    vacuity: bool = True,
    unanswered: Path | None = UNANSWERED,
    engines: tuple[Engine, ...] = ENGINES,
) -> Result:
    """The verdict, in this process: `limits.seconds` are kept as far as the engines keep them, megabytes are not.

    The obligation's own `within` comes before the limits'. `vacuity` False leaves out whether the promise holds for a
    reason that matters. `unanswered` is the folder for the query of an `Unknown`; it is made if needed; None writes no
    file. Two parts of this tool contradicting each other is a `Failed`, not an exception.
    """
    start = monotonic()
    within = limits.within if obligation.within is None else obligation.within
    bounds = replace(limits, within=within)
    end = None if limits.seconds is None else start + limits.seconds
    name = engines[0].name
    notes: tuple[str, ...] = ()
    verdict: Verdict | Failed
    try:
        near = replace(bounds, within=min(within, NEAR))
        engine, answer = _ask(replace(obligation, within=None), near, end, engines)
        proof = _proof(obligation, answer, limits.proof, end)
        if isinstance(answer, NoneFound) and not isinstance(proof, Certificate) and near.within < within:
            engine, answer = _ask(replace(obligation, within=None), bounds, end, engines)
        name = engine.name
        verdict = _verdict(obligation, engine, answer, proof, limits.proof, end, unanswered)
        if vacuity and isinstance(verdict, Proved | Bounded):
            found = _vacuity(obligation, engine, verdict, bounds, end)
            notes = (*found.notes, *found.unsettled)
            if found.reasons:
                verdict = Vacuous(found.reasons, _spans(answer))
        if isinstance(verdict, Proved) and verdict.certificate is not None:
            name = unbounded.__name__.rpartition(".")[2]
    except Disagreement as disagreement:
        verdict = Failed(str(disagreement))
    return Result(obligation, verdict, monotonic() - start, name, notes)


def _vacuity(
    obligation: Obligation, engine: Engine, verdict: Proved | Bounded, bounds: Limits, end: float | None
) -> Vacuity:
    """What is proved for every length may have its reason in a window longer than the bound."""
    found = find_vacuity(obligation, engine, replace(bounds, seconds=_left(end)))
    if not found.reasons or isinstance(verdict, Bounded) or obligation.fixed is not None:
        return found
    further = replace(bounds, within=max(bounds.within, LONGEST), seconds=_at_most(REASON_SECONDS, end))
    longer = find_vacuity(obligation, engine, further)
    return found if longer.reasons or longer.unsettled else longer


def _left(end: float | None) -> float | None:
    return None if end is None else max(end - monotonic(), 0.0)


def _ask(
    obligation: Obligation, limits: Limits, end: float | None, engines: tuple[Engine, ...]
) -> tuple[Engine, Answer]:
    """The first answer that is one, or else the one that got furthest."""
    answers: list[tuple[Engine, Answer]] = []
    for engine in engines:
        answer = engine.solve(obligation, replace(limits, seconds=_left(end)))
        answers.append((engine, answer))
        if not isinstance(answer, GaveUp):
            return engine, answer
    return max(answers, key=lambda pair: _spans(pair[1]))


def _spans(answer: Answer) -> int:
    return answer.spans


def _verdict(
    obligation: Obligation,
    engine: Engine,
    answer: Answer,
    proof: _Proof,
    seconds: float,
    end: float | None,
    unanswered: Path | None,
) -> Verdict:
    match answer:
        case Found(case=case):
            return _refuted(obligation, engine, answer, case, end)
        case NoneFound(spans=spans, complete=True):
            _attacked(obligation, engine.name, spans)
            return Proved("the window is written out, and every run on it was looked at")
        case NoneFound() | GaveUp() if isinstance(proof, Certificate):
            _attacked(obligation, "unbounded", ATTACK_SPANS)
            return Proved(proof.argument, proof)
        case NoneFound(spans=spans):
            _attacked(obligation, engine.name, spans)
            if obligation.within is None and isinstance(proof, unbounded.NoProof):
                longer = _longer(obligation, engine, spans, seconds, end)
                if longer is not None:
                    return longer
            return Bounded(spans, "no proof for every length was tried" if proof is None else proof.reason)
        case GaveUp(reason=reason, spans=spans, smt2=smt2):
            hit = attack(obligation, max(spans + 2, ATTACK_SPANS), ATTACK_TRIES, ATTACK_SECONDS)
            if hit is not None:
                simple = shrink(obligation, hit, _at_most(SHRINK_SECONDS, end))
                if all(len(window.spans) <= spans for window in simple.inputs.values()):
                    raise Disagreement(_missed(obligation, engine.name, spans, simple))
                return Refuted(simple, size(simple), shortest=len(simple.inputs) == 1 and size(simple) == spans + 1)
            up_to = f"; none found up to {spans} spans" if spans else ""
            return Unknown(f"{reason}{up_to}", _written(obligation, smt2, unanswered))


def _attacked(obligation: Obligation, engine: str, spans: int) -> None:
    """Random windows are thrown at a promise of which an engine says that no window of so many spans breaks it."""
    hit = attack(obligation, min(spans, ATTACK_SPANS), ATTACK_TRIES, ATTACK_SECONDS)
    if hit is not None:
        raise Disagreement(_missed(obligation, engine, spans, hit))


def _proof(obligation: Obligation, answer: Answer, seconds: float, end: float | None) -> _Proof:
    """A proof for every length is sought where nothing smaller spoke against it."""
    if not seconds or isinstance(answer, Found) or obligation.fixed is not None:
        return None
    if obligation.expect == "proved":
        seconds *= PROOF_ASKED_FOR
    return unbounded.prove(obligation, _at_most(seconds, end))


def _longer(obligation: Obligation, engine: Engine, spans: int, seconds: float, end: float | None) -> Refuted | None:
    """A counterexample past the bound."""
    case = unbounded.search_long(obligation, LONGEST, _at_most(seconds, end))
    if case is None:
        return None
    refuted = _refuted(obligation, engine, Found(case, size(case), shortest=False), case, end)
    if refuted.spans <= spans:
        raise Disagreement(_missed(obligation, engine.name, spans, refuted.case))
    return refuted


def _at_most(seconds: float, end: float | None) -> float:
    left = _left(end)
    return seconds if left is None else min(seconds, left)


def _refuted(obligation: Obligation, engine: Engine, found: Found, case: Case, end: float | None) -> Refuted:
    if not breaks(obligation, case):
        raise Disagreement(
            f"the {engine.name} engine found a case of `{obligation.name}` that the interpreter does not confirm "
            f"({judge(obligation, case)})\n{describe(case)}"
        )
    simple = shrink(obligation, case, _at_most(SHRINK_SECONDS, end))
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
