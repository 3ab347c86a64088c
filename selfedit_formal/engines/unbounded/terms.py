"""What the parts of this engine share about Z3 formulas: all are terms of the right sort in the main context."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import z3
from z3 import z3core

from selfedit_formal.core.window import Kind
from selfedit_formal.semantics.symbolic.emit import application


class _Everywhere:
    """A term or a sort of whatever context is the main one (NOTE(fresh) in `semantics.symbolic.solver`)."""

    def __init__(self, make: Callable[[], z3.AstRef]) -> None:
        self._make = make

    def __del__(self) -> None:
        """It is not ours to let go of."""

    @property
    def ctx(self) -> z3.Context:
        return z3.main_ctx()

    @property
    def ast(self) -> z3.Ast:
        context = self.ctx
        kept: dict[object, z3.Ast] = context.__dict__.setdefault("everywhere", {})
        if self._make not in kept:
            made = self._make()
            z3core.Z3_inc_ref(context.ref(), made.as_ast())
            kept[self._make] = made.ast
        return kept[self._make]


class _Truth(_Everywhere, z3.BoolRef):  # type: ignore[misc]
    pass


class _Number(_Everywhere, z3.IntNumRef):  # type: ignore[misc]
    pass


class _TruthSort(_Everywhere, z3.BoolSortRef):  # type: ignore[misc]
    pass


class _NumberSort(_Everywhere, z3.ArithSortRef):  # type: ignore[misc]
    pass


BOOL, INT = _TruthSort(z3.BoolSort), _NumberSort(z3.IntSort)
TRUE, FALSE = _Truth(lambda: z3.BoolVal(True)), _Truth(lambda: z3.BoolVal(False))
ZERO = _Number(lambda: z3.IntVal(0))


def _applied(operator: str, *arguments: z3.ExprRef) -> tuple[z3.Ast, z3.Context]:
    context = z3.main_ctx()
    return application(context.ref(), operator, [a.ast for a in arguments]), context


def conjunction(formulas: Sequence[z3.ExprRef]) -> z3.BoolRef:
    """All of them. (Z3 prints an empty `And` as something that no other solver reads.)"""
    return z3.BoolRef(*_applied("and", *formulas)) if formulas else TRUE


def disjunction(formulas: Sequence[z3.ExprRef]) -> z3.BoolRef:
    """Any of them."""
    return z3.BoolRef(*_applied("or", *formulas)) if formulas else FALSE


def negation(formula: z3.ExprRef) -> z3.BoolRef:
    return z3.BoolRef(*_applied("not", formula))


def implication(left: z3.ExprRef, right: z3.ExprRef) -> z3.BoolRef:
    return z3.BoolRef(*_applied("implies", left, right))


def equality(left: z3.ExprRef, right: z3.ExprRef) -> z3.BoolRef:
    return z3.BoolRef(*_applied("=", left, right))


def choice(condition: z3.ExprRef, then: z3.ExprRef, otherwise: z3.ExprRef) -> z3.ExprRef:
    """One of two terms of a sort."""
    sort = z3.BoolRef if isinstance(then, z3.BoolRef) else z3.ArithRef
    return sort(*_applied("ite", condition, then, otherwise))


def constants(*formulas: z3.ExprRef) -> dict[str, z3.ExprRef]:
    """The uninterpreted constants in them, by name."""
    context, found = z3.main_ctx(), dict[str, z3.ExprRef]()
    ref, todo, seen = context.ref(), [f.ast for f in formulas], set[int]()
    while todo:
        ast = todo.pop()
        identity = z3core.Z3_get_ast_id(ref, ast)
        if identity in seen:
            continue
        seen.add(identity)
        if z3core.Z3_get_ast_kind(ref, ast) != z3.Z3_APP_AST:
            continue
        size = z3core.Z3_get_app_num_args(ref, ast)
        todo += [z3core.Z3_get_app_arg(ref, ast, i) for i in range(size)]
        if size == 0:
            declared = z3core.Z3_get_app_decl(ref, ast)
            if z3core.Z3_get_decl_kind(ref, declared) == z3.Z3_OP_UNINTERPRETED:
                name = z3core.Z3_get_symbol_string(ref, z3core.Z3_get_decl_name(ref, declared))
                found[name] = z3.z3._to_expr_ref(ast, context)
    return found


def primed(variables: Iterable[z3.ExprRef]) -> list[tuple[z3.ExprRef, z3.ExprRef]]:
    """State variables with their names after a step."""
    return [(v, z3.Const(f"{v.decl().name()} next", v.sort())) for v in variables]


def sort_of(kind: Kind) -> z3.SortRef:
    """Z3's sort of a field's values; names and keys are numbers."""
    return BOOL if kind == "bool" else INT


def zero_of(kind: Kind) -> z3.ExprRef:
    """What a field has whose span is not there."""
    return FALSE if kind == "bool" else ZERO
