"""What is said between a caller, its host and the workers, see NOTE(host)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from selfedit_formal._frozen import dataclass

if TYPE_CHECKING:
    from selfedit_formal.engines import Limits


@dataclass(frozen=True, slots=True)
class Request:
    """Everything to be done. A task is a pickle that only its worker opens."""

    tasks: tuple[bytes | None, ...]
    limits: Limits
    jobs: int


@dataclass(frozen=True, slots=True)
class Answered:
    """The worker's result, as a pickle of all of it but the obligation."""

    result: bytes


@dataclass(frozen=True, slots=True)
class Crashed:
    """The worker raised an exception that none of our parts should raise."""

    traceback: str


@dataclass(frozen=True, slots=True)
class OutOfMemory:
    """The worker was refused memory."""


@dataclass(frozen=True, slots=True)
class TooDeep:
    """There was not enough stack."""


@dataclass(frozen=True, slots=True)
class Overdue:
    """The worker was ended at its time limit."""


@dataclass(frozen=True, slots=True)
class Died:
    """The worker ended without a word; below zero: by that signal."""

    status: int


@dataclass(frozen=True, slots=True)
class HostDied:
    """There is no host any more; the last that it said."""

    last_words: str


Outcome = Answered | Crashed | OutOfMemory | TooDeep | Overdue | Died | HostDied


@dataclass(frozen=True, slots=True)
class TaskReport:
    task: int
    seconds: float
    outcome: Outcome
