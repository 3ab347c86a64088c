"""What may be proved in place of a promise, by name: each implies it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from selfedit_formal.core.certificate import Certificate, Instead
from selfedit_formal.core.property import Obligation
from selfedit_formal.engines.unbounded.arguments.generalise import generalise
from selfedit_formal.engines.unbounded.arguments.settle import settle
from selfedit_formal.engines.unbounded.arguments.stepwise import stepwise

INSTEAD: Mapping[Instead, Callable[[Obligation], Obligation | None]] = {
    "each step": stepwise,
    "no trigger": settle,
    "every number": generalise,
}
"""None of an obligation that has no such thing."""


def in_place_of(proof: Certificate, instead: Instead) -> Certificate:
    """The proof of that, as one of the promise."""
    return replace(proof, method=replace(proof.method, instead=(instead, *proof.method.instead)))
