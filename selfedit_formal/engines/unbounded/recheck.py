"""A certificate's conditions, asked again of every solver that is installed: a fresh Z3, and cvc5."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from math import inf

import z3

from selfedit_formal._frozen import dataclass
from selfedit_formal.core.budget import Work
from selfedit_formal.core.certificate import Certificate
from selfedit_formal.semantics.symbolic.solver import fresh

STEPS = 40_000_000
"""Of Z3, for each condition of a proof that was just found."""
CVC5_STEPS = 2_000_000
"""Of cvc5, which counts others."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition put to a solver, and what it answers: `unsat` is what proves."""

    solver: str
    condition: str
    text: str

    def ask(self, seconds: float | None) -> str:
        """`seconds` None: steps are counted instead."""
        return _z3(self.text, seconds) if self.solver == "z3" else _cvc5(self.text, seconds)


def script(formulas: list[z3.BoolRef]) -> str:
    """The conjunction of the formulas as a self-contained SMT-LIB 2 script."""
    solver = z3.Solver()
    solver.add(formulas)
    lines = [x for x in solver.to_smt2().splitlines() if not x.startswith("; ") and "(set-info" not in x]
    return "\n".join(["(set-logic ALL)", *lines]) + "\n"


def questions(certificate: Certificate, solvers: tuple[str, ...] | None = None) -> Iterator[Condition]:
    """Every condition to every one of the solvers, out of "z3" and "cvc5"; by default to those that are installed."""
    for solver in available() if solvers is None else solvers:
        for name, text in certificate.conditions.items():
            yield Condition(solver, name, text)


def checks(certificate: Certificate, end: float = inf) -> bool:
    """Whether every solver that is installed answers `unsat` to every condition within `STEPS`. Raises `OutOfTime` if
    that was not by `end` (monotonic)."""
    answer = recheck(certificate, None)
    Work(end=end).in_time()
    return answer is None


def recheck(
    certificate: Certificate, seconds: float | None = 10.0, solvers: tuple[str, ...] | None = None
) -> str | None:
    """None if every solver answers `unsat` to every condition, else who answered what to which.

    `seconds` are for each condition; None: steps are counted instead.
    """
    if not certificate.conditions:
        return "it has no conditions"
    for question in questions(certificate, solvers):
        answer = question.ask(seconds)
        if answer != "unsat":
            return f"{question.solver} answers {answer} to `{question.condition}`"
    return None


def available() -> tuple[str, ...]:
    """The solvers that can re-check here."""
    return ("z3", "cvc5") if find_spec("cvc5") is not None else ("z3",)


def version(solver: str) -> str:
    """Which release of it is installed."""
    from importlib.metadata import version as released

    return released({"z3": "z3-solver"}.get(solver, solver))


def _z3(text: str, seconds: float | None) -> str:
    with fresh():
        solver = z3.Solver()
        if seconds is None:
            solver.set("rlimit", STEPS)
        else:
            solver.set("timeout", max(1, int(seconds * 1000)))
        try:
            formulas = z3.parse_smt2_string(text)
        except z3.Z3Exception:
            return "that it cannot read it"
        solver.add(formulas)
        return str(solver.check())


def _cvc5(text: str, seconds: float | None) -> str:
    import cvc5

    solver = cvc5.Solver(cvc5.TermManager())
    if seconds is None:
        solver.setOption("rlimit-per", str(CVC5_STEPS))
    else:
        solver.setOption("tlimit-per", str(max(1, int(seconds * 1000))))
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "certificate")
    symbols, answer = parser.getSymbolManager(), ""
    try:
        while not (command := parser.nextCommand()).isNull():
            answer += str(command.invoke(solver, symbols))
    except RuntimeError:
        return "that it cannot read it"
    return answer.strip()
