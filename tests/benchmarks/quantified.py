"""Windows of any length the way of mypyvy: an uninterpreted sort of spans in a total order, one state after another,
first-order formulas. What is counted has to be a small constant, and nothing can be summed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import z3

    Test = Callable[[z3.ExprRef], z3.BoolRef]
    """A condition on a span."""


class _Setting:
    """Spans in a total order."""

    def __init__(self) -> None:
        import z3

        self.sort = sort = z3.DeclareSort("Span")
        self.before = before = z3.Function("before", sort, sort, z3.BoolSort())
        x, y, w = z3.Consts("x y w", sort)
        self.solver = z3.Solver()
        self.solver.add(z3.ForAll([x], z3.Not(before(x, x))))
        self.solver.add(z3.ForAll([x, y, w], z3.Implies(z3.And(before(x, y), before(y, w)), before(x, w))))
        self.solver.add(z3.ForAll([x, y], z3.Or(before(x, y), x == y, before(y, x))))

    def flag(self, name: str) -> z3.FuncDeclRef:
        import z3

        return z3.Function(name, self.sort, z3.BoolSort())

    def then(self, name: str, kept: Test) -> z3.FuncDeclRef:
        """The spans present in the next state."""
        import z3

        present, x = self.flag(name), z3.Const("x", self.sort)
        self.solver.add(z3.ForAll([x], present(x) == kept(x)))
        return present

    def proves(self, *broken: z3.BoolRef) -> None:
        import z3

        self.solver.add(*broken)
        answer = self.solver.check()
        if answer != z3.unsat:
            print(f"no proof: {answer}", file=sys.stderr)
            raise SystemExit(5)


def last_results(kept: int) -> None:
    """Keeping the last so many results is idempotent."""
    import z3

    setting = _Setting()
    result, first = setting.flag("result"), setting.flag("present")

    def several_after(span: z3.ExprRef, present: z3.FuncDeclRef) -> z3.BoolRef:
        newer = [z3.Const(f"t{i}", setting.sort) for i in range(kept)]
        chain = [setting.before(a, b) for a, b in zip([span, *newer], newer, strict=False)]
        return z3.Exists(newer, z3.And(*chain, *(z3.And(present(t), result(t)) for t in newer)))

    def kept_of(present: z3.FuncDeclRef) -> Test:
        return lambda s: z3.And(present(s), z3.Not(z3.And(result(s), several_after(s, present))))

    once = setting.then("once", kept_of(first))
    twice = setting.then("twice", kept_of(once))
    span = z3.Const("span", setting.sort)
    setting.proves(once(span) != twice(span))


def newest_of_key() -> None:
    """Keeping the newest span of each key is idempotent."""
    import z3

    setting = _Setting()
    key = z3.Function("key", setting.sort, z3.DeclareSort("Key"))
    first, t = setting.flag("present"), z3.Const("t", setting.sort)

    def kept_of(present: z3.FuncDeclRef) -> Test:
        def newer(s: z3.ExprRef) -> z3.BoolRef:
            return z3.Exists([t], z3.And(present(t), setting.before(s, t), key(t) == key(s)))

        return lambda s: z3.And(present(s), z3.Not(newer(s)))

    once = setting.then("once", kept_of(first))
    twice = setting.then("twice", kept_of(once))
    span = z3.Const("span", setting.sort)
    setting.proves(once(span) != twice(span))


def pinned_traces() -> None:
    """What is kept is still justified, if stale traces go only where they justify nothing."""
    import z3

    setting = _Setting()
    trace, stale, first = setting.flag("trace"), setting.flag("stale"), setting.flag("present")
    justifies = z3.Function("justifies", setting.sort, setting.sort, z3.BoolSort())
    t = z3.Const("t", setting.sort)

    def some(present: z3.FuncDeclRef, holds: Test) -> z3.BoolRef:
        return z3.Exists([t], z3.And(present(t), holds(t)))

    once = setting.then(
        "once",
        lambda s: z3.And(first(s), z3.Not(z3.And(trace(s), stale(s), z3.Not(some(first, lambda u: justifies(s, u)))))),
    )
    span = z3.Const("span", setting.sort)
    justified = [some(present, lambda u: justifies(u, span)) for present in (first, once)]
    setting.proves(once(span), justified[0], z3.Not(justified[1]))


WAYS: dict[str, Callable[..., None]] = {
    "last_results": last_results,
    "newest_of_key": newest_of_key,
    "pinned_traces": pinned_traces,
}

if __name__ == "__main__":
    way, *numbers = sys.argv[1:]
    WAYS[way](*map(int, numbers))
