"""Conditions on short windows, and on what passes make of them, asked of one solver many times.

What an invariant is chosen by. It proves nothing: the windows are short. A solver that gives up counts as spent.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import z3

from selfedit_formal.core.budget import Spent, Work
from selfedit_formal.core.expression import Expression
from selfedit_formal.core.property import Obligation, Witness
from selfedit_formal.semantics.symbolic import encode
from selfedit_formal.semantics.symbolic.emit import emit
from selfedit_formal.semantics.symbolic.solver import ask, fresh


class Conditions:
    """Conditions on the inputs (`now`) and on windows made of them (`then`), in every case that breaks an obligation.

    The inputs have up to `spans` spans. Whatever the conditions speak of, the claim must mention the passes. Questions
    raise `Spent` if there was not enough `work` for an answer, and `OutOfTime`.
    """

    def __init__(
        self, obligation: Obligation, now: tuple[Expression, ...], then: tuple[Expression, ...], spans: int, work: Work
    ) -> None:
        read = replace(obligation, witnesses=tuple(Witness("", c) for c in (*now, *then)))
        encoding = encode(read, (spans,), (0,))
        terms = encoding.world.terms
        names = [terms.variable("bool", "now", i) for i in range(len(now))]
        names += [terms.variable("bool", "then", i) for i in range(len(then))]
        meant = [terms.iff(v, encoding.truth(c)) for v, c in zip(names, (*now, *then), strict=True)]
        facts = terms.grounded([*encoding.truths, *encoding.world.facts, *encoding.world.lemmas(), *meant])
        self._work = work
        with fresh():
            emitted = emit(facts)
            self._now = [emitted.variables[v] for v in names[: len(now)]]
            self._then = [emitted.variables[v] for v in names[len(now) :]]
            self._not_then = [z3.Not(v) for v in self._then]
            self._solver = z3.SimpleSolver()
            self._solver.add(list(emitted.constraints))

    def lost(self, assumed: Iterable[int], asked: Iterable[int]) -> set[int]:
        """Those of `then` asked about that are false in some case in which all of `now` assumed are true; some of them,
        if there are any."""
        wanted = list(asked)
        if not wanted:
            return set()
        model = self._model([self._now[i] for i in assumed], z3.Or([self._not_then[i] for i in wanted]))
        if model is None:
            return set()
        return {i for i in wanted if z3.is_false(model[self._then[i]])}

    def always(self) -> list[bool]:
        """Of each of `then`, whether it is true in every case."""
        live = set(range(len(self._then)))
        while lost := self.lost((), live):
            live -= lost
        return [i in live for i in range(len(self._then))]

    def core(self, goal: int, given: Iterable[int], usable: Iterable[int]) -> set[int] | None:
        """Few of `now` that are usable and make `then[goal]` true with those given; None if all of them do not."""
        fixed = [self._now[i] for i in given]
        waiting = list(usable)
        broken = self._not_then[goal]
        answer = self._answer(*fixed, *(self._now[i] for i in waiting), broken)
        if answer == z3.sat:
            return None
        core = {c.get_id() for c in self._solver.unsat_core()}
        kept = [i for i in waiting if self._now[i].get_id() in core]
        for i in reversed(tuple(kept)):
            fewer = [j for j in kept if j != i]
            if self._model([*fixed, *(self._now[j] for j in fewer)], broken) is None:
                kept = fewer
        return set(kept)

    def _model(self, assumptions: list[z3.BoolRef], broken: z3.BoolRef) -> z3.ModelRef | None:
        """A model in which all this holds; None if there is none."""
        self._solver.push()
        self._solver.add(broken)
        try:
            return self._solver.model() if self._answer(*assumptions) == z3.sat else None
        finally:
            self._solver.pop()

    def _answer(self, *assumptions: z3.BoolRef) -> z3.CheckSatResult:
        if self._work.left <= 0:
            raise Spent
        answer = ask(self._solver, self._work, *assumptions)
        if answer == z3.unknown:
            raise Spent
        return answer
