"""What a proof for windows of every length leaves behind: conditions in SMT-LIB 2, each of which must be
unsatisfiable.

A scan's certificate is its invariant: it holds at the start, each step keeps it, and it excludes a broken promise at
the end. Checking that needs a plain solver, neither Spacer nor the policy's file. What a certificate does not cover
is the way from the policy to these conditions.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

import z3

FORMAT = "selfedit-certificate-1"


@dataclass(frozen=True, slots=True)
class Certificate:
    """`conditions`: name → SMT-LIB 2 text that must be answered `unsat`. `invariant`: its clauses as text, none for a
    plain query.

    `legend` explains the names in the invariant. `needed` and `unneeded`: the rules, assumptions and bounds that the
    proof rests on, and the others.
    """

    argument: str
    conditions: Mapping[str, str]
    invariant: tuple[str, ...] = ()
    legend: Mapping[str, str] = field(default_factory=dict)
    needed: tuple[str, ...] = ()
    unneeded: tuple[str, ...] = ()


class Unreadable(Exception):
    """A certificate file that is not one, or that was changed after it was written."""


def script(formulas: list[z3.BoolRef]) -> str:
    """The conjunction of the formulas as a self-contained SMT-LIB 2 script."""
    solver = z3.Solver()
    solver.add(formulas)
    lines = [x for x in solver.to_smt2().splitlines() if not x.startswith("; ") and "(set-info" not in x]
    return "\n".join(["(set-logic ALL)", *lines]) + "\n"


def recheck(certificate: Certificate, seconds: float = 10.0, solvers: tuple[str, ...] | None = None) -> str | None:
    """None if every solver answers `unsat` to every condition, else who answered what to which.

    `solvers` are out of "z3" and "cvc5"; by default those that are installed.
    """
    if not certificate.conditions:
        return "it has no conditions"
    for solver in available() if solvers is None else solvers:
        for name, text in certificate.conditions.items():
            answer = _z3(text, seconds) if solver == "z3" else _cvc5(text, seconds)
            if answer != "unsat":
                return f"{solver} answers {answer} to `{name}`"
    return None


def available() -> tuple[str, ...]:
    """The solvers that can re-check here."""
    return ("z3", "cvc5") if find_spec("cvc5") is not None else ("z3",)


def _z3(text: str, seconds: float) -> str:
    solver = z3.Solver()
    solver.set("timeout", max(1, int(seconds * 1000)))
    try:
        solver.add(z3.parse_smt2_string(text))
    except z3.Z3Exception:
        return "that it cannot read it"
    return str(solver.check())


def _cvc5(text: str, seconds: float) -> str:
    import cvc5

    solver = cvc5.Solver(cvc5.TermManager())
    solver.setOption("tlimit-per", str(max(1, int(seconds * 1000))))
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "certificate")
    symbols, answer = parser.getSymbolManager(), ""
    try:
        while not (command := parser.nextCommand()).isNull():
            answer += command.invoke(solver, symbols)
    except RuntimeError:
        return "that it cannot read it"
    return answer.strip()


# ---------- files


def write(certificate: Certificate, about: Mapping[str, object], path: Path) -> None:
    """Keeps the certificate with what it is `about` (names, hashes, versions: JSON values), sealed by a hash of all
    of it."""
    document: dict[str, object] = {
        "format": FORMAT,
        "about": dict(about),
        "argument": certificate.argument,
        "invariant": list(certificate.invariant),
        "legend": dict(certificate.legend),
        "needed": list(certificate.needed),
        "unneeded": list(certificate.unneeded),
        "conditions": {name: text.splitlines() for name, text in certificate.conditions.items()},
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({**document, "seal": _seal(document)}, indent=1) + "\n", encoding="utf-8")


def read(path: Path) -> tuple[Certificate, Mapping[str, object]]:
    """A certificate from its file, and what it is about. Raises `Unreadable`, `OSError`."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        assert isinstance(document, dict)
        seal = document.pop("seal")
        assert document["format"] == FORMAT
        certificate = Certificate(
            str(document["argument"]),
            {str(name): "\n".join(lines) + "\n" for name, lines in document["conditions"].items()},
            tuple(document["invariant"]),
            dict(document["legend"]),
            tuple(document["needed"]),
            tuple(document["unneeded"]),
        )
        about = dict(document["about"])
    except (ValueError, KeyError, AssertionError, TypeError, AttributeError) as error:
        raise Unreadable("this is not a certificate of selfedit") from error
    if seal != _seal(document):
        raise Unreadable("its content does not match its seal: it was changed after it was written")
    return certificate, about


def _seal(document: Mapping[str, object]) -> str:
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()
