"""Why a promise holds for every length: what the proof rests on, its invariant, and what the names in it stand for."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Mapping, Sequence

from selfedit_formal import __version__
from selfedit_formal.core.certificate import (
    Assumption,
    Certificate,
    Clauses,
    FieldBounds,
    Ground,
    KeptProof,
    ParameterBound,
    RuleGround,
)
from selfedit_formal.core.expression import And
from selfedit_formal.core.policy import Statement, statements
from selfedit_formal.core.property import Obligation
from selfedit_formal.core.verdict import Clause, Failed, Induction, Proved
from selfedit_formal.reports.canonical import canonical
from selfedit_formal.reports.formula import Writer
from selfedit_formal.reports.layout import Line, paragraph
from selfedit_formal.reports.names import property_title, subject_title

LABEL = 9


def proof(obligation: Obligation, certificate: Certificate, width: int) -> tuple[Line, ...]:
    """The certificate as a person reads it."""
    lines: list[Line] = []
    lines += _listed("rests on", needs(obligation, certificate.needed), width)
    lines += _listed("not on", needs(obligation, certificate.unneeded), width)
    lines += _listed("always", certificate.invariant, width)
    where = [f"{name}: {meaning}" for name, meaning in certificate.legend.items()]
    lines += _listed("where", where, width)
    return tuple(lines)


def induction_lines(induction: Induction, width: int, *, verbose: bool = False) -> tuple[Line, ...]:
    """What makes a promise hold after any number of turns; if `verbose` with what was proved of it, part by part."""
    if not verbose:
        others = [f"`{clause(c)}`" for c in induction.clauses if c.source != "promise"]
        kept = f"with the invariant {', '.join(others)}" if others else "every turn keeps it"
        return paragraph(kept + (", assumed of two windows in a row" * (induction.windows - 1)), width, "dim")
    numbered = [f"{n}. {clause(c)}  ({SOURCES[c.source]})" for n, c in enumerate(induction.clauses, 1)]
    lines = _listed("always", numbered, width)
    arguments: dict[str, list[str]] = {}
    for name, certificate in induction.parts:
        arguments.setdefault(certificate.argument, []).append(name)
    lines += _listed("proved", [f"{_together(names)}: {argument}" for argument, names in arguments.items()], width)
    return (*lines, ())


SOURCES = {"promise": "the promise", "stated": "stated", "found": "found"}


def clause(of: Clause) -> str:
    """A clause of an invariant as text."""
    return of.text.removeprefix("invariant ") or Writer("", {}).formula(of.condition)


def _together(names: Sequence[str]) -> str:
    """Parts that have one argument: `start 1, 2; turn 1, 2; promise`."""
    numbers: dict[str, list[str]] = {}
    for name in names:
        kind, _, number = name.partition(" ")
        numbers.setdefault(kind if number.isdecimal() else name, []).append(number if number.isdecimal() else "")
    return "; ".join(f"{kind} {', '.join(of)}".rstrip() for kind, of in numbers.items())


def kept(obligation: Obligation, verdict: Proved | Failed) -> KeptProof | None:
    """All that the proof rests on, or one that is contradicted, for a file. None if nothing but the interpreter was
    needed."""
    if isinstance(verdict, Failed):
        return None if verdict.proof is None else KeptProof(about(obligation), (("", verdict.proof),))
    proved, induction = verdict, verdict.induction
    if induction is not None:
        clauses = tuple((c.source, clause(c)) for c in induction.clauses)
        return KeptProof(about(obligation), induction.parts, Clauses(induction.windows, clauses))
    return None if proved.certificate is None else KeptProof(about(obligation), (("", proved.certificate),))


def _listed(label: str, items: Sequence[str], width: int) -> list[Line]:
    lines: list[Line] = []
    for number, item in enumerate(items):
        lines += paragraph(item, width, first=("" if number else label).ljust(LABEL), rest=" " * (LABEL + 2))
    return lines


def needs(obligation: Obligation, grounds: Sequence[Ground]) -> tuple[str, ...]:
    """What a proof rests on, in the words of the policy and the check."""
    return tuple(_need(obligation, ground) for ground in grounds)


def _need(obligation: Obligation, ground: Ground) -> str:
    match ground:
        case RuleGround(name, site):
            found = _statement(obligation, name, site)
            return "the rule " + (
                found.origin.text if found is not None and hasattr(found, "origin") else f"{name} {site}"
            )
        case Assumption(number):
            premise = obligation.claim.premise
            items = premise.items if isinstance(premise, And) else (premise,)
            if number >= len(items):
                return "the order of the numbers written"
            return "the assumption " + Writer(obligation.policies[0].name, {}).formula(items[number])
        case ParameterBound(name, side, value):
            return f"the bound {name} {'>=' if side == 'least' else '<='} {value}"
        case FieldBounds(name):
            return f"the bounds of `{name}`"


def _statement(obligation: Obligation, policy: str, site: int) -> Statement | None:
    return next(
        (s for p in obligation.policies if p.name == policy for s in statements(p.body) if s.site == site), None
    )


def about(obligation: Obligation) -> Mapping[str, object]:
    """What a certificate's file says it is about: names, hashes of the policy and the claim, versions."""
    from importlib.metadata import version

    at = obligation.location
    return {
        "policy": subject_title(obligation),
        "property": property_title(obligation),
        "file": None if at is None else at.source.name,
        "line": None if at is None else at.line,
        **hashes(obligation),
        "selfedit_formal": __version__,
        "z3": version("z3-solver"),
        "python": platform.python_version(),
    }


def hashes(obligation: Obligation) -> Mapping[str, str]:
    """Of the canonical texts of all that the meaning of the obligation depends on."""
    claim = (obligation.schema, obligation.parameters, obligation.spans, obligation.fixed, obligation.claim)
    return {
        "policy_sha256": _hash(obligation.policies),
        "claim_sha256": _hash(claim),
        **({} if obligation.turns is None else {"session_sha256": _hash(obligation.turns)}),
    }


def _hash(noun: object) -> str:
    return hashlib.sha256(canonical(noun).encode()).hexdigest()
