"""How to compile."""

from __future__ import annotations

from typing import Literal

from selfedit_formal._frozen import dataclass


@dataclass(frozen=True, slots=True)
class Mode:
    """How to compile. `direction` is where the scan starts; `depth` how often marks may call for further marks;

    `instances`: joins are made exact at witnesses only, or at all marks; `half`: at the deepest marks too, without
    further witnesses.
    """

    scan: bool
    direction: Literal["oldest", "newest"] = "newest"
    depth: int = 1
    instances: Literal["witnesses", "all"] = "all"
    half: bool = False


LeftOut = Literal["marks that are no witnesses", "the deepest marks"]
"""Where another mode would have made joins exact, and this one did not."""
