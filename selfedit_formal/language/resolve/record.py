"""Records: what `{ ... }` behind a `set`, `insert` or `summarize` gives to each field."""

from __future__ import annotations

from selfedit_formal.core.diagnostics import Location
from selfedit_formal.core.expression import (
    Expression,
    Int,
    Name,
)
from selfedit_formal.core.policy import (
    Assign,
    Assignment,
    Open,
)
from selfedit_formal.language import syntax
from selfedit_formal.language.resolve import arithmetic
from selfedit_formal.language.resolve.expression import field_named, integer, operand, value
from selfedit_formal.language.resolve.operand import Expected, shown
from selfedit_formal.language.resolve.scope import (
    Scope,
)


def record_of(record: tuple[syntax.AssignmentTerm, ...], scope: Scope) -> tuple[Assignment, ...] | None:
    """The assignments, each field at most once; two limits of one are joined. None if something is wrong (reported)."""
    found: dict[str, Assignment] = {}
    first: dict[str, Location] = {}
    good = True
    for term in record:
        assignment = _assignment(term, scope)
        if assignment is None:
            good = False
            continue
        known = found.get(term.field)
        joined = assignment if known is None else _joined(known, assignment)
        if joined is None:
            notes = (("it is given here first", first[term.field]),)
            scope.report("R026", f"`{term.field}` is given twice", term.location, notes=notes)
            good = False
            continue
        first.setdefault(term.field, term.location)
        found[term.field] = joined
    return tuple(found.values()) if good else None


def _assignment(term: syntax.AssignmentTerm, scope: Scope) -> Assignment | None:
    field_ = field_named(term.field, term.location, scope)
    if field_ is None:
        if term.value is not None and not isinstance(term.value, syntax.NameRef | syntax.Nothing):
            operand(term.value, scope)
        return None
    if field_.oracle is not None:
        message = f"`{field_.name}` comes from the {field_.oracle}, so a policy cannot set it"
        scope.report("R025", message, term.location)
        return None
    if term.operator == "any" or term.value is None:
        return Open(field_.name)
    if term.operator == "=":
        found = value(term.value, scope, Expected(field_.kind, field_.names, field_.name))
        if found is None:
            return None
        if (
            field_.kind == "enum"
            and not isinstance(found.expression, Name)
            and not set(found.names) <= set(field_.names)
        ):
            message = f"`{shown(term.value)}` may be a name that `{field_.name}` does not have"
            scope.report("R013", message, term.location)
            return None
        return Assign(field_.name, found.expression)
    if field_.kind != "int":
        scope.report("R013", f"`{field_.name}` is not a number, so it has no limits", term.location)
        return None
    limit = integer(term.value, scope)
    if limit is None:
        return None
    match term.operator:
        case "<=":
            return Open(field_.name, None, limit)
        case "<":
            return Open(field_.name, None, _shifted(limit, -1))
        case ">=":
            return Open(field_.name, limit, None)
        case ">":
            return Open(field_.name, _shifted(limit, 1), None)


def _joined(first: Assignment, second: Assignment) -> Assignment | None:
    """Two limits of one field as one; None if the two do not go together."""
    match first, second:
        case Open(name, low, None), Open(_, None, high) if low is not None and high is not None:
            return Open(name, low, high)
        case Open(name, None, high), Open(_, low, None) if low is not None and high is not None:
            return Open(name, low, high)
        case _:
            return None


def _shifted(limit: Expression, by: int) -> Expression:
    return arithmetic.added((limit, Int(by)))
