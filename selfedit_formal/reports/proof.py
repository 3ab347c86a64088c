"""Why a promise holds for every length: what the proof rests on, its invariant, and what the names in it stand for."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version

from selfedit_formal import __version__
from selfedit_formal.certificate import Certificate
from selfedit_formal.expression import And
from selfedit_formal.policy import Statement, statements
from selfedit_formal.property import Obligation
from selfedit_formal.reports.formula import Writer
from selfedit_formal.reports.layout import Line, line, paragraph
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


def _listed(label: str, items: Sequence[str], width: int) -> list[Line]:
    lines: list[Line] = []
    for number, item in enumerate(items):
        lines += paragraph(item, width, first=("" if number else label).ljust(LABEL), rest=" " * (LABEL + 2))
    return lines


def needs(obligation: Obligation, tracks: Sequence[str]) -> tuple[str, ...]:
    """What a proof rests on, in the words of the policy and the check."""
    return tuple(_need(obligation, track) for track in tracks)


def _need(obligation: Obligation, track: str) -> str:
    kind, _, rest = track.partition(" ")
    match kind:
        case "rule":
            name, _, site = rest.rpartition(" ")
            found = _statement(obligation, name, int(site))
            return "the rule " + (found.origin.text if found is not None and hasattr(found, "origin") else rest)
        case "assumption":
            premise = obligation.claim.premise
            items = premise.items if isinstance(premise, And) else (premise,)
            number = int(rest)
            if number >= len(items):
                return "the order of the numbers written"
            return "the assumption " + Writer(obligation.policies[0].name, {}).formula(items[number])
        case "bound":
            return "the bound " + rest.replace("number ", "")
        case _:
            return f"the bounds of `{rest}`"


def _statement(obligation: Obligation, policy: str, site: int) -> Statement | None:
    return next(
        (s for p in obligation.policies if p.name == policy for s in statements(p.body) if s.site == site), None
    )


def about(obligation: Obligation) -> Mapping[str, object]:
    """What a certificate's file says it is about: names, hashes of the policy and the claim, versions."""
    at = obligation.location
    return {
        "policy": subject_title(obligation),
        "property": property_title(obligation),
        "file": None if at is None else at.source.name,
        "line": None if at is None else at.line,
        "policy_sha256": _hash(repr(obligation.policies)),
        "claim_sha256": _hash(repr((obligation.schema, obligation.parameters, obligation.spans, obligation.claim))),
        "selfedit_formal": __version__,
        "z3": version("z3-solver"),
        "python": platform.python_version(),
    }


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def rechecked(name: str, about: Mapping[str, object], problem: str | None, solvers: Sequence[str]) -> Line:
    """One line for a certificate's file that was asked again."""
    what = f"{about.get('policy')}: {about.get('property')}"
    if problem is not None:
        return line(f"{name}: {what}: does not check, {problem}", "red")
    return line(f"{name}: {what}: checks with {' and '.join(solvers)}")
