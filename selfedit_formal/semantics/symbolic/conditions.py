"""Conditions on short windows, and on what passes make of them, asked of one solver many times.

What an invariant is chosen by. It proves nothing: the windows are short. A solver that gives up counts as out of time.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from time import monotonic

import z3

from selfedit_formal.expression import Expression
from selfedit_formal.property import Obligation, Witness
from selfedit_formal.semantics.symbolic import encode
from selfedit_formal.semantics.symbolic.emit import emit


class OutOfTime(Exception):
    """The time was over, or the solver gave up, before the question was answered."""


class Conditions:
    """Conditions on the inputs (`now`) and on windows made of them (`then`), in every case that breaks an obligation.

    The inputs have up to `spans` spans. Whatever the conditions speak of, the claim must mention the passes.
    """

    def __init__(
        self, obligation: Obligation, now: tuple[Expression, ...], then: tuple[Expression, ...], spans: int
    ) -> None:
        read = replace(obligation, witnesses=tuple(Witness("", c) for c in (*now, *then)))
        encoding = encode(read, (spans,), (0,))
        terms = encoding.world.terms
        names = [terms.variable("bool", "now", i) for i in range(len(now))]
        names += [terms.variable("bool", "then", i) for i in range(len(then))]
        meant = [terms.iff(v, encoding.truth(c)) for v, c in zip(names, (*now, *then), strict=True)]
        told = terms.grounded([*encoding.truths, *encoding.world.facts, *encoding.world.lemmas(), *meant])
        emitted = emit(told)
        self._now = [emitted.variables[v] for v in names[: len(now)]]
        self._then = [emitted.variables[v] for v in names[len(now) :]]
        self._not_then = [z3.Not(v) for v in self._then]
        self._solver = z3.SimpleSolver()
        self._solver.add(list(emitted.constraints))

    def lost(self, assumed: Iterable[int], asked: Iterable[int], seconds: float) -> set[int]:
        """Those of `then` asked about that are false in some case in which all of `now` assumed are true; some of them,
        if there are any. Raises `OutOfTime`."""
        wanted = list(asked)
        if not wanted:
            return set()
        end = monotonic() + seconds
        model = self._model([self._now[i] for i in assumed], z3.Or([self._not_then[i] for i in wanted]), end)
        if model is None:
            return set()
        return {i for i in wanted if z3.is_false(model[self._then[i]])}

    def always(self, seconds: float) -> list[bool]:
        """Of each of `then`, whether it is true in every case. Raises `OutOfTime`."""
        end = monotonic() + seconds
        live = set(range(len(self._then)))
        while lost := self.lost((), live, end - monotonic()):
            live -= lost
        return [i in live for i in range(len(self._then))]

    def core(self, goal: int, given: Iterable[int], usable: Iterable[int], seconds: float) -> set[int] | None:
        """Few of `now` that are usable and make `then[goal]` true with those given; None if all of them do not. Raises
        `OutOfTime`."""
        end = monotonic() + seconds
        fixed = [self._now[i] for i in given]
        waiting = list(usable)
        broken = self._not_then[goal]
        self._clock(end)
        answer = self._solver.check([*fixed, *(self._now[i] for i in waiting), broken])
        if answer == z3.unknown:
            raise OutOfTime
        if answer == z3.sat:
            return None
        core = {c.get_id() for c in self._solver.unsat_core()}
        kept = [i for i in waiting if self._now[i].get_id() in core]
        for i in reversed(tuple(kept)):
            fewer = [j for j in kept if j != i]
            if self._model([*fixed, *(self._now[j] for j in fewer)], broken, end) is None:
                kept = fewer
        return set(kept)

    def _model(self, assumptions: list[z3.BoolRef], broken: z3.BoolRef, end: float) -> z3.ModelRef | None:
        """A model in which all this holds; None if there is none."""
        self._clock(end)
        self._solver.push()
        self._solver.add(broken)
        answer = self._solver.check(assumptions)
        model = self._solver.model() if answer == z3.sat else None
        self._solver.pop()
        if answer == z3.unknown:
            raise OutOfTime
        return model

    def _clock(self, end: float) -> None:
        left = end - monotonic()
        if left <= 0:
            raise OutOfTime
        self._solver.set("timeout", max(1, int(left * 1000)))
