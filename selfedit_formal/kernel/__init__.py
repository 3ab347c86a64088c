"""A second way from a policy to what a proof of its promise means, which shares nothing with the engines.

`confirm` writes down, from `spec/semantics.md` alone, what a window that breaks the claim would be (`meaning`), writes
out what that says at the positions that matter (`ground`), adds what is true of counts and totals by induction along
the positions (`induction`), and asks Z3 whether it is contradictory. Where it is, no such window exists, of any length.
"""

from __future__ import annotations

from selfedit_formal._frozen import dataclass
from selfedit_formal.core.property import Obligation
from selfedit_formal.kernel.induction import refute
from selfedit_formal.kernel.meaning import Beyond, Meaning

__all__ = ["STEPS", "Confirmed", "NotReached", "Unconfirmed", "confirm"]

STEPS = 2_000_000
"""What one question may cost, in Z3's own unit of work: a second or two."""


@dataclass(frozen=True, slots=True)
class Confirmed:
    """The claim holds for every window, every value of its parameters and every answer. `queries`: in SMT-LIB 2, each
    unsatisfiable: the lemmas in the order in which they rest on one another, then that they exclude a broken claim."""

    queries: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NotReached:
    """The obligation says something that the kernel has no meaning for. `reason` is for the user."""

    reason: str


@dataclass(frozen=True, slots=True)
class Unconfirmed:
    """Nothing was shown, neither that the claim holds nor that it is broken. `reason` is for the user."""

    reason: str


def confirm(obligation: Obligation, steps: int = STEPS) -> Confirmed | NotReached | Unconfirmed:
    """Whether the kernel sees for itself that the claim holds. Equal obligations get equal answers.

    `steps` is what one question may cost; neither the clock nor anything an engine found plays a part.
    """
    try:
        meaning = Meaning(obligation)
        broken = meaning.broken()
    except Beyond as beyond:
        return NotReached(str(beyond))
    answer = refute(meaning.book, broken, steps)
    return Unconfirmed(answer) if isinstance(answer, str) else Confirmed(answer)
