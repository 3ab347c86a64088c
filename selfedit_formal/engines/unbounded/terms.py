"""What the parts of this engine share about Z3 formulas."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import z3

TRUE, FALSE, ZERO = z3.BoolVal(True), z3.BoolVal(False), z3.IntVal(0)


def constants(formula: z3.ExprRef) -> dict[str, z3.ExprRef]:
    """The uninterpreted constants in it, by name."""
    found, todo, seen = dict[str, z3.ExprRef](), [formula], set[int]()
    while todo:
        x = todo.pop()
        if x.get_id() in seen:
            continue
        seen.add(x.get_id())
        if z3.is_const(x) and x.decl().kind() == z3.Z3_OP_UNINTERPRETED:
            found[x.decl().name()] = x
        todo += x.children()
    return found


def conjunction(formulas: Sequence[z3.ExprRef]) -> z3.BoolRef:
    """All of them. (Z3 prints an empty `And` as something that no other solver reads.)"""
    return z3.And(formulas) if formulas else TRUE


def primed(variables: Iterable[z3.ExprRef]) -> list[tuple[z3.ExprRef, z3.ExprRef]]:
    """State variables with their names after a step."""
    return [(v, z3.Const(f"{v.decl().name()} next", v.sort())) for v in variables]
