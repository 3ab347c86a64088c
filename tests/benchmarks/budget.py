"""The newest spans that fit into a budget, any cap, idempotent: as a person would put it to Z3, for one length."""

from __future__ import annotations

import sys


def by_hand(size: int) -> None:
    """A slot for each span, oldest first; a sum over the newer ones for each."""
    import z3

    cap = z3.Int("cap")
    tokens = [z3.Int(f"tokens_{i}") for i in range(size)]
    present = [z3.Bool(f"present_{i}") for i in range(size)]

    def passed(before: list[z3.BoolRef]) -> list[z3.BoolRef]:
        def total(i: int) -> z3.ArithRef:
            return z3.Sum([z3.If(before[j], tokens[j], 0) for j in range(i, size)])

        return [z3.And(before[i], total(i) <= cap) for i in range(size)]

    once = passed(present)
    twice = passed(once)
    solver = z3.Solver()
    solver.add(cap >= 0, *(t >= 1 for t in tokens))
    solver.add(z3.Or([a != b for a, b in zip(once, twice, strict=True)]))
    assert solver.check() == z3.unsat


if __name__ == "__main__":
    by_hand(int(sys.argv[1]))
