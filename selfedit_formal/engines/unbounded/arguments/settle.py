"""A promise that implies idempotence and is often easier to prove: what a pass leaves triggers nothing."""

from __future__ import annotations

from dataclasses import replace

from selfedit_formal.core import policy as p
from selfedit_formal.core.expression import Not, Pass, SameWindow, Triggered
from selfedit_formal.core.property import Obligation


def settle(obligation: Obligation) -> Obligation | None:
    """The obligation that the second pass of `P(P(W)) == P(W)` is not triggered; None if the promise is another one,
    or if the policy changes something although it is not triggered.

    A pass that is not triggered, whatever its choices, leaves its window as it is.
    """
    match obligation.claim.consequent:
        case SameWindow(Pass(name, run, Pass(inner, same) as once, True), left) if (
            (inner, same) == (name, run) and left == once and _waits(obligation.policy(name).body)
        ):
            return replace(obligation, claim=replace(obligation.claim, consequent=Not(Triggered(name, run, once))))
        case _:
            return None


def _waits(body: tuple[p.Statement, ...]) -> bool:
    """Whether nothing is changed unless all the triggers hold that `Triggered` speaks of: each of them is all that its
    surroundings do."""
    match [s for s in body if not isinstance(s, p.LetSet | p.LetSpan | p.LetValue | p.Keep | p.Refuse)]:
        case [p.Block(_, _, inner, True)]:
            return _waits(inner) or not any(isinstance(s, p.Block) and s.trigger for s in p.statements(inner))
        case _:
            return False
