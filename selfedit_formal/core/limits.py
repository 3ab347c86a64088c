"""How far to look, and with how much work, memory and time; and where it is left what was not answered within that."""

from __future__ import annotations

from pathlib import Path

from selfedit_formal._frozen import dataclass

UNANSWERED = Path("selfedit-unknown")
"""The folder for queries that were not answered."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How far to look: spans of an input window (`within`), and turns of a session (`turns`).

    `search` and `proof` limit the work, in million solver steps: of looking through the windows up to the bound, and of
    a proof for every length once none of them breaks the promise (0: none is tried). They decide what is found.
    `megabytes` of memory, and wall `seconds`, are the last resort (None: no limit): there is no answer at these limits.
    """

    within: int = 8
    seconds: float | None = 300.0
    megabytes: int | None = 4096
    proof: float = 5.0
    turns: int = 4
    search: float = 50.0
