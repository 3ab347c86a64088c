"""The constants that Z3 knows, each with a number of its own, and what they stand for."""

from __future__ import annotations

import z3

from selfedit_formal.core.certificate import Ground
from selfedit_formal.engines.unbounded.terms import TRUE


class Symbols:
    """`rigid` are the values that are guessed at the start and never change, by name; `legend` says what a name stands
    for; `count` is the number given last. `tracked`: what a proof may rest on is told apart (`tracks`)."""

    def __init__(self, tracked: bool) -> None:
        self.tracked, self.tracks = tracked, dict[Ground, z3.BoolRef]()
        self.rigid: dict[str, z3.ExprRef] = {}
        self.legend: dict[str, str] = {}
        self.count = 0

    def symbol(self, hint: str, sort: z3.SortRef) -> z3.ExprRef:
        """A new constant. The hint (letters) is for people, the number is no other's."""
        self.count += 1
        return z3.Const(f"{hint}{self.count}", sort)

    def new(self, hint: str, sort: z3.SortRef, legend: str) -> z3.ExprRef:
        """A new rigid."""
        constant = self.symbol(hint, sort)
        self.rigid[constant.decl().name()] = constant
        self.explain(constant, legend)
        return constant

    def explain(self, constant: z3.ExprRef, legend: str) -> None:
        """Says what the constant stands for."""
        self.legend[constant.decl().name()] = legend

    def track(self, ground: Ground) -> z3.BoolRef:
        """Stands for something the proof may rest on; simply true unless that is asked for."""
        # Numbered apart: with tracks and without, all else has the same names.
        return self.tracks.setdefault(ground, z3.Bool(f"track{len(self.tracks)}")) if self.tracked else TRUE
