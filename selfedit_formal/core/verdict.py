"""What was learned about an obligation, and the exit code that says so."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from selfedit_formal._frozen import dataclass
from selfedit_formal.core.certificate import Certificate
from selfedit_formal.core.diagnostics import Diagnostic
from selfedit_formal.core.expression import Expression
from selfedit_formal.core.property import Case, Obligation


@dataclass(frozen=True, slots=True)
class Clause:
    """One condition of an invariant, on `Input(ASSUMED)`, and where it comes from.

    It is the promise itself, or the session's file states it (as `text`), or this tool found it.
    """

    condition: Expression
    source: Literal["promise", "stated", "found"]
    text: str = ""


@dataclass(frozen=True, slots=True)
class Induction:
    """Why a promise holds after any number of turns: together the clauses hold when a session starts, survive every
    turn, and imply the promise.

    With 2 `windows` the promise itself is assumed of two windows in a row. `parts` has a certificate of each part of
    the argument, by name.
    """

    clauses: tuple[Clause, ...]
    windows: int
    parts: tuple[tuple[str, Certificate], ...]


@dataclass(frozen=True, slots=True)
class Proved:
    """For every window of every length and every parameter left open; `argument` says by what reasoning.

    `certificate` is what it rests on, re-checked; None for a written-out window, of which every run was looked at.
    For a session, after any number of turns, it is `induction` instead.
    """

    argument: str
    certificate: Certificate | None = None
    induction: Induction | None = None


@dataclass(frozen=True, slots=True)
class Bounded:
    """For every window of up to `spans` spans, as far as was asked for; `reason` says why there is no proof for every
    length.

    Of a session: up to `turns` turns from such a window.
    """

    spans: int
    reason: str
    turns: int | None = None


@dataclass(frozen=True, slots=True)
class Refuted:
    """This case breaks it; the interpreter replayed it.

    `spans` is its size; no smaller window breaks it if `shortest`. Of a session: the case is one of the claim after
    `turns` turns (`turns.after`), and after fewer no window of the spans looked at breaks it.
    """

    case: Case
    spans: int
    shortest: bool
    turns: int | None = None


@dataclass(frozen=True, slots=True)
class Vacuous:
    """It holds for every window, but for no reason that matters; each reason is a sentence without a full stop.

    One was looked for in windows of up to `spans` spans (and `turns` turns of a session).
    """

    reasons: tuple[str, ...]
    spans: int
    turns: int | None = None


@dataclass(frozen=True, slots=True)
class UnwrittenQuery:
    """A file that could not be written, and why, to stand behind a colon."""

    path: Path
    reason: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """No answer. `reason` names the limit that was hit; `smt2` is the query left to try elsewhere, if there is one, or
    why it could not be left.

    Up to `spans` spans, and `turns` turns of a session, nothing breaks it; None if it did not get so far.
    """

    reason: str
    smt2: Path | UnwrittenQuery | None = None
    spans: int | None = None
    turns: int | None = None


Verdict = Proved | Bounded | Refuted | Vacuous | Unknown


@dataclass(frozen=True, slots=True)
class Failed:
    """Two of our own parts disagree; `message` is for a bug report. `proof`: what one of them proved."""

    message: str
    proof: Certificate | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """An obligation answered. `notes` are remarks that do not change the verdict (a rule that never fires, …).

    Of a refuted session `obligation` is the plain one that the case is of.
    """

    obligation: Obligation
    verdict: Verdict | Failed
    seconds: float
    engine: str
    notes: tuple[str, ...] = ()


def turns_text(number: int) -> str:
    """`1 turn`, `3 turns`."""
    return f"{number} turn{'' if number == 1 else 's'}"


def spans_text(number: int) -> str:
    """`1 span`, `3 spans`."""
    return f"{number} span{'' if number == 1 else 's'}"


def word(verdict: Verdict | Failed) -> str:
    """The verdict's name, as `expect` and the reports write it."""
    return type(verdict).__name__.lower()


def as_expected(result: Result) -> bool:
    """Whether the check's `expect` (or, without one, `holds`) is met."""
    found = word(result.verdict)
    match result.obligation.expect:
        case None | "holds":
            return found in ("proved", "bounded")
        case expected:
            return found == expected


def exit_code(results: tuple[Result, ...]) -> int:
    """0 as expected · 1 a promise broken, or kept where a defect was expected · 3 unknown, or no proof where one was
    asked for · 4 vacuous · 5 two of our parts disagree. The gravest of them all: 5, then 1, 4, 3."""
    codes = {_code(r) for r in results}
    return next((c for c in (5, 1, 4, 3) if c in codes), 0)


def _code(result: Result) -> int:
    if isinstance(result.verdict, Failed):
        return 5
    if as_expected(result):
        return 0
    match result.verdict:
        case Refuted():
            return 1
        case Vacuous():
            return 4
        case Unknown():
            return 3
        case Bounded() if result.obligation.expect in ("proved", "vacuous"):
            return 3
        case Proved() | Bounded():
            return 1


@dataclass(frozen=True, slots=True)
class RunEnd:
    """How a run of checks ended: after so many seconds, with so many checks `left` that were interrupted, and what of
    it could not be written."""

    seconds: float
    left: int = 0
    unwritten: tuple[Diagnostic, ...] = ()

    def code(self, results: Sequence[Result]) -> int:
        """What the command exits with: a contradiction comes first, then that the run is not whole."""
        found = exit_code(tuple(results))
        if found == 5:
            return found
        return 130 if self.left else 2 if self.unwritten else found
