"""Constraints as Z3 terms, and as SMT-LIB 2 text; both from the same nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cache

import z3
from z3 import z3core

from selfedit_formal._frozen import dataclass
from selfedit_formal.semantics.symbolic.terms import Node, Shape, Truth, shape


@dataclass(frozen=True, slots=True)
class Emitted:
    """`constraints` are Z3's, and `variables` says which Z3 constant each variable below them became."""

    constraints: tuple[z3.BoolRef, ...]
    variables: Mapping[Node, z3.ExprRef]
    shape: Shape = field(repr=False)


_FIXED = {
    "not": z3core.Z3_mk_not,
    "implies": z3core.Z3_mk_implies,
    "=": z3core.Z3_mk_eq,
    "ite": z3core.Z3_mk_ite,
    "<=": z3core.Z3_mk_le,
    "div": z3core.Z3_mk_div,
    "mod": z3core.Z3_mk_mod,
}
_ANY_NUMBER = {"and": z3core.Z3_mk_and, "or": z3core.Z3_mk_or, "+": z3core.Z3_mk_add, "*": z3core.Z3_mk_mul}
_array_type = cache(lambda size: z3.Ast * size)


def application(ref: z3.ContextObj, operator: str, arguments: Sequence[z3.Ast]) -> z3.Ast:
    """The operator applied to terms of this context, of the sorts that it takes; nobody's reference to it yet.

    Z3's Python operators check and wrap every argument (30 µs a term); its C functions, called directly, take a tenth
    of that.
    """
    fixed = _FIXED.get(operator)
    if fixed is not None:
        return fixed(ref, *arguments)
    size = len(arguments)
    return _ANY_NUMBER[operator](ref, size, _array_type(size)(*arguments))


def emit(constraints: Sequence[Truth]) -> Emitted:
    """The constraints in Z3's main context."""
    found = shape(constraints)
    context = z3.main_ctx()
    ref = context.ref()
    bool_sort, int_sort = z3core.Z3_mk_bool_sort(ref), z3core.Z3_mk_int_sort(ref)
    key_sort = int_sort if found.integers else z3core.Z3_mk_bv_sort(ref, found.width)
    constants: dict[tuple[bool, int], z3.Ast] = {}
    made: dict[Node, z3.Ast] = {}
    kept: list[z3.Ast] = []

    def keep(term: z3.Ast) -> z3.Ast:
        z3core.Z3_inc_ref(ref, term)
        kept.append(term)
        return term

    def constant(value: int, key: bool) -> z3.Ast:
        known = constants.get((key, value))
        if known is None:
            sort = key_sort if key else int_sort
            known = constants[key, value] = keep(z3core.Z3_mk_numeral(ref, str(value), sort))
        return known

    true, false = keep(z3core.Z3_mk_true(ref)), keep(z3core.Z3_mk_false(ref))

    for node in found.nodes:
        operator = node.operator
        if operator == "variable":
            sort = {"bool": bool_sort, "int": int_sort, "key": key_sort}[node.sort]
            symbol = z3core.Z3_mk_string_symbol(ref, called(node))
            made[node] = keep(z3core.Z3_mk_const(ref, symbol, sort))
            continue
        key = node.sort == "key" or (
            operator == "=" and any(isinstance(a, Node) and a.sort == "key" for a in node.arguments)
        )
        arguments = [
            made[a] if isinstance(a, Node) else (true if a else false) if isinstance(a, bool) else constant(a, key)  # type: ignore[arg-type]
            for a in node.arguments
        ]
        made[node] = keep(application(ref, operator, arguments))

    def wrapped(item: Truth) -> z3.BoolRef:
        return z3.BoolRef(made[item] if isinstance(item, Node) else true if item else false, context)

    emitted = Emitted(
        constraints=tuple(wrapped(c) for c in constraints if c is not True),
        variables={n: z3.ExprRef(made[n], context) for n in found.nodes if n.operator == "variable"},
        shape=found,
    )
    for term in kept:
        z3core.Z3_dec_ref(ref, term)
    return emitted


def called(variable: Node) -> str:
    """The name of a variable in Z3 and in SMT-LIB text: its parts for people, and its number, so that no two share one
    whatever else is emitted with them."""
    parts = ".".join(str(part) for part in variable.arguments[1:])
    return f"{parts.translate(_BARRED)}!{variable.serial}"


_BARRED = str.maketrans({" ": "~", "|": "!", "\\": "!"})


def logic(found: Shape) -> str:
    """The SMT-LIB logic of a query of this shape."""
    if not found.integers:
        return "QF_BV" if any(n.sort == "key" for n in found.nodes) else "QF_UF"
    return "QF_NIA" if found.products else "QF_LIA"


def text(constraints: Sequence[Truth], comments: Mapping[str, str]) -> str:
    """The query as SMT-LIB 2. `comments` become `set-info` commands; nodes used more than once are named."""
    found = shape(constraints)
    keys_are_ints = found.integers
    uses: dict[Node, int] = {}
    for node in found.nodes:
        if node.operator != "variable":
            for argument in node.arguments:
                if isinstance(argument, Node):
                    uses[argument] = uses.get(argument, 0) + 1
    sorts = {"bool": "Bool", "int": "Int", "key": "Int" if keys_are_ints else f"(_ BitVec {found.width})"}
    lines = [f"(set-info :{name} {_quoted(value)})" for name, value in comments.items()]
    lines.append(f"(set-logic {logic(found)})")
    written: dict[Node, str] = {}

    def shown(item: object, key: bool) -> str:
        if isinstance(item, Node):
            return written[item]
        if isinstance(item, bool):
            return "true" if item else "false"
        assert isinstance(item, int)
        if key and not keys_are_ints:
            return f"(_ bv{item} {found.width})"
        return str(item) if item >= 0 else f"(- {-item})"

    for node in found.nodes:
        if node.operator == "variable":
            written[node] = f"|{called(node)}|"
            lines.append(f"(declare-const {written[node]} {sorts[node.sort]})")
            continue
        key = node.sort == "key" or any(isinstance(a, Node) and a.sort == "key" for a in node.arguments)
        body = f"({node.operator} {' '.join(shown(a, key) for a in node.arguments)})"
        # A node read in several places, or one whose text would grow long, gets a name.
        if (uses.get(node, 0) > 1 and node.operator != "not") or len(body) > 4000:
            written[node] = f"t{node.serial}"
            lines.append(f"(define-fun {written[node]} () {sorts[node.sort]} {body})")
        else:
            written[node] = body
    lines += [f"(assert {shown(c, False)})" for c in constraints if c is not True]
    lines += ["(check-sat)", "(get-model)"]
    return "\n".join(lines) + "\n"


def _quoted(value: str) -> str:
    # SMT-LIB symbols between bars hold anything but bars and backslashes.
    return f"|{value.replace('|', '!').replace(chr(92), '!')}|"
