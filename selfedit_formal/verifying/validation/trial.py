"""A claim on trial before the other meaning: what breaks it if its numbers are open, and what that says.

A proof comes from one compiler, and nobody checks that but itself. So the claim is *opened* (`opening`), and the
bounded engine, which shares nothing with that compiler but the core, looks for short windows that break what is open
(`semantics.symbolic.cases`). *Padded* until they meet the numbers as written (`padding`), they are long
counterexamples; and whatever proved the claim must find each of them broken too, with its own numbers
(`Prover.finds_broken`). Besides, a window in which the policy acts, as long as that takes, is varied at random and
thrown at the promise.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from math import inf
from random import Random

from selfedit_formal.core.certificate import Method
from selfedit_formal.core.diagnostics import Disagreement
from selfedit_formal.core.expression import FALSE, Fires, conjunction, disjunction
from selfedit_formal.core.property import Case, Obligation
from selfedit_formal.engines import prover
from selfedit_formal.engines.random import interesting, tried
from selfedit_formal.semantics.interpreter import breaks
from selfedit_formal.semantics.symbolic.cases import acting, cases
from selfedit_formal.verifying.shrink import shrink
from selfedit_formal.verifying.validation.contradiction import Contradiction, NotValidated, describe
from selfedit_formal.verifying.validation.opening import Opened, opened
from selfedit_formal.verifying.validation.padding import padded
from selfedit_formal.verifying.validation.variation import varied

SPANS = 5
"""Spans of the short windows, at most."""
MOST = 12
"""How many of them, in no two of which the same rules act."""
PADDING = 400
"""How much the interpreter may be asked in order to pad a window (see `padding`) that is thought not to be there."""
VARIED, LEAST_VARIED = 16, 2
"""How many variations of a window in which the policy acts are thrown at the promise; of a long one fewer, as each
takes longer."""


class Trial:
    """An obligation on trial. `looked_at`: no window of up to so many spans breaks it, as the bounded engine says.
    `spans`: how long short windows are at most. Everything raises `OutOfTime` at the end (monotonic)."""

    def __init__(self, obligation: Obligation, looked_at: int, spans: int = SPANS, end: float = inf) -> None:
        self.obligation, self.looked_at, self.spans, self.end = obligation, looked_at, spans, end
        self.opened = opened(obligation)

    @cached_property
    def short(self) -> tuple[Case, ...]:
        """Short cases that break what is open; of a claim without numbers, of the claim itself, if it was not looked
        at. Raises `Disagreement` if the interpreter does not confirm one."""
        if self.opened is not None:
            return _confirmed(self.opened.obligation, cases(self.opened.obligation, self.spans, MOST, self.end))
        if self.obligation.fixed is not None or self.looked_at >= self.spans:
            return ()
        return _confirmed(self.obligation, cases(self.obligation, self.spans, 1, self.end))

    def broken(self, work: int = PADDING) -> Case | None:
        """A case that breaks the obligation as it is written, the interpreter agreeing, if one is found. `work`: how
        much the interpreter may be asked for each that is short."""
        if self.opened is None:
            return next(iter(self.short), None)
        for case in self.short:
            simple = shrink(self.opened.obligation, case, end=self.end)
            for found in padded(self.opened, simple, work, self.end):
                return found
        return None

    def against(self, method: Method) -> Contradiction | NotValidated | None:
        """What speaks against a proof of the obligation by that method; None if nothing does."""
        if self.opened is not None:
            for case in self.short:
                said = _pinned(self.opened, method, case, self.end)
                if said is not None:
                    return said
        found = self.broken()
        if found is None and self.opened is not None:
            found = next(_varied(self.obligation, self.spans, self.end), None)
        if found is None:
            return None
        return Contradiction(f"`{self.obligation.name}` is proved, and a window breaks it", self.obligation, found)


def _confirmed(obligation: Obligation, found: tuple[Case, ...]) -> tuple[Case, ...]:
    for case in found:
        if not breaks(obligation, case):
            told = f"the bounded engine found a case of `{obligation.name}` that the interpreter does not confirm"
            raise Disagreement(f"{told}\n{describe(case)}")
    return found


def _pinned(found: Opened, method: Method, case: Case, end: float) -> Contradiction | NotValidated | None:
    """What the argument of the proof says of a case that breaks the claim with other numbers."""
    says = prover(method).finds_broken(found.obligation, method, case, end)
    if isinstance(says, str):
        return NotValidated(f"with other numbers {says}")
    if says:
        return None
    numbers = ", ".join(f"{n} for {w}" for name, w in found.numbers.items() if (n := case.parameters[name]) != w)
    told = f"what proved `{found.written.name}` finds it kept on a window that breaks it"
    return Contradiction(f"{told} (with {numbers})" if numbers else told, found.obligation, case)


# ---------- a window in which the policy acts


def _varied(obligation: Obligation, short_spans: int, end: float) -> Iterator[Case]:
    """Variations of a window in which the policy acts that break the promise."""
    found = opened(happening(obligation))
    if found is None:
        return
    random, pool = Random(obligation.name), interesting(obligation)
    for short in cases(found.obligation, short_spans, 1, end):
        for case in padded(found, short, PADDING, end):
            spans = sum(len(w.spans) for w in case.inputs.values())
            for _ in range(max(LEAST_VARIED, min(VARIED, 16 * VARIED // max(1, spans * spans // 8)))):
                hit = tried(obligation, varied(obligation, case, random, pool), random, pool)
                if hit is not None:
                    yield hit
            return


def happening(obligation: Obligation) -> Obligation:
    """The obligation that never, where the promise's condition is met, a rule acts in one of its passes."""
    acts = disjunction(tuple(n for n in acting(obligation) if isinstance(n, Fires)))
    claim = replace(obligation.claim, consequent=FALSE)
    claim = replace(claim, antecedent=conjunction((claim.antecedent, acts)) if acts != FALSE else claim.antecedent)
    return replace(obligation, name=f"{obligation.name}: acts", claim=claim, witnesses=())
