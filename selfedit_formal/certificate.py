"""What a proof for windows of every length leaves behind, as a value and as a sealed file.

A scan's certificate is its invariant: it holds at the start, each step keeps it, and it excludes a broken promise at
the end. Checking that needs a plain solver, neither Spacer nor the policy's file. What a certificate does not cover
is the way from the policy to these conditions.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from selfedit_formal._frozen import dataclass

FORMAT = "selfedit-certificate-2"


# ---------- what a proof may rest on


@dataclass(frozen=True, slots=True)
class Rule:
    """The statement of the policy at this site."""

    policy: str
    site: int


@dataclass(frozen=True, slots=True)
class Assumption:
    """The part of the claim's premise with this number, counted from 0."""

    number: int


@dataclass(frozen=True, slots=True)
class ParameterBound:
    """The parameter is at least (or at most) the value, as it was declared."""

    parameter: str
    side: Literal["least", "most"]
    value: int


@dataclass(frozen=True, slots=True)
class FieldBounds:
    """The field of a span of the input is within the bounds that were declared."""

    field: str


Ground = Rule | Assumption | ParameterBound | FieldBounds
"""Something a proof rests on, or not."""


# ---------- certificates


@dataclass(frozen=True, slots=True)
class Certificate:
    """`conditions`: name → SMT-LIB 2 text that must be answered `unsat`.

    `invariant` has its clauses as text (none for a plain query) and `legend` what the names in it stand for. `needed`
    and `unneeded` are the rules, assumptions and bounds that the proof rests on, and the others; both are empty if that
    was too hard to find out.
    """

    argument: str
    conditions: Mapping[str, str]
    invariant: tuple[str, ...] = ()
    legend: Mapping[str, str] = field(default_factory=dict)
    needed: tuple[Ground, ...] = ()
    unneeded: tuple[Ground, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "conditions", MappingProxyType(dict(self.conditions)))
        object.__setattr__(self, "legend", MappingProxyType(dict(self.legend)))

    def __reduce__(self) -> tuple[object, ...]:
        values = (self.argument, dict(self.conditions), self.invariant, dict(self.legend), self.needed, self.unneeded)
        return Certificate, values


class Unreadable(Exception):
    """A certificate file that is not one, or that was changed after it was written."""


def write(certificate: Certificate, about: Mapping[str, object], path: Path) -> None:
    """Keeps the certificate with what it is `about` (JSON values: names, hashes, versions), sealed by a hash of it
    all."""
    document: dict[str, object] = {
        "format": FORMAT,
        "about": dict(about),
        "argument": certificate.argument,
        "invariant": list(certificate.invariant),
        "legend": dict(certificate.legend),
        "needed": [_written(g) for g in certificate.needed],
        "unneeded": [_written(g) for g in certificate.unneeded],
        "conditions": {name: text.splitlines() for name, text in certificate.conditions.items()},
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({**document, "seal": _seal(document)}, indent=1) + "\n", encoding="utf-8")


def read(path: Path) -> tuple[Certificate, Mapping[str, object]]:
    """A certificate from its file, and what it is about. Raises `Unreadable`, `OSError`."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        seal = document.pop("seal")
        if document["format"] != FORMAT:
            raise Unreadable(f"its format is `{document['format']}`, and this version reads `{FORMAT}`")
        certificate = Certificate(
            str(document["argument"]),
            {str(name): "\n".join(lines) + "\n" for name, lines in document["conditions"].items()},
            tuple(document["invariant"]),
            dict(document["legend"]),
            tuple(_ground(g) for g in document["needed"]),
            tuple(_ground(g) for g in document["unneeded"]),
        )
        about = dict(document["about"])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Unreadable("it is not a certificate") from error
    if seal != _seal(document):
        raise Unreadable("its content does not match its seal: it was changed after it was written")
    return certificate, about


def _written(ground: Ground) -> list[str | int]:
    match ground:
        case Rule(policy, site):
            return ["rule", policy, site]
        case Assumption(number):
            return ["assumption", number]
        case ParameterBound(parameter, side, value):
            return ["bound", parameter, side, value]
        case FieldBounds(name):
            return ["field", name]


def _ground(written: object) -> Ground:
    match written:
        case ["rule", str(policy), int(site)]:
            return Rule(policy, site)
        case ["assumption", int(number)]:
            return Assumption(number)
        case ["bound", str(parameter), "least" | "most" as side, int(value)]:
            return ParameterBound(parameter, side, value)
        case ["field", str(name)]:
            return FieldBounds(name)
        case _:
            raise ValueError(f"{written} is nothing that a proof rests on")


def _seal(document: Mapping[str, object]) -> str:
    import hashlib  # it loads a cryptographic library, and most proofs are not kept

    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()
