"""What a `let` can name besides a set: a span, picked or snapped to, or none."""

from __future__ import annotations

from selfedit_formal.core.expression import (
    Before,
    Or,
    SameSpan,
    Some,
    conjunction,
)
from selfedit_formal.core.policy import (
    NoSpan,
    Pick,
    SpanIf,
    SpanNamed,
    SpanTerm,
)
from selfedit_formal.language import syntax
from selfedit_formal.language.resolve.expression import operand, span_named, truth
from selfedit_formal.language.resolve.operand import SpanRef, unfit
from selfedit_formal.language.resolve.scope import (
    Scope,
    SpanBinding,
)


def span_term(expr: syntax.Expr, scope: Scope) -> SpanTerm | None:
    """The span that an expression picks or names. None if it is wrong (reported)."""
    match expr:
        case syntax.PickTerm(which, archived, variable, condition):
            core, inside = scope.bind_span(variable, None, expr.location)
            found = truth(condition, inside)
            return None if found is None else Pick(which, core, found, archived)
        case syntax.Nothing():
            return NoSpan()
        case syntax.Conditional(condition, then, otherwise):
            found = truth(condition, scope)
            first, second = span_term(then, scope), span_term(otherwise, scope)
            if found is None or first is None or second is None:
                return None
            return SpanIf(found, first, second)
        case _:
            named = operand(expr, scope)
            if named is None:
                return None
            if isinstance(named, SpanRef):
                return SpanNamed(named.core)
            unfit(scope, expr, named, "a span")
            return None


def snapped(snap: syntax.Snap, scope: Scope) -> SpanTerm | None:
    """The nearest legal span on one side of the cut, the cut included; absent if the cut is."""
    cut = span_named(snap.span, snap.location, scope)
    variable, inside = scope.bind_span(snap.variable, None, snap.location)
    legal = truth(snap.condition, inside)
    otherwise = None if snap.otherwise is None else span_term(snap.otherwise, scope)
    if cut is None or legal is None or (snap.otherwise is not None and otherwise is None):
        return None
    pair = (variable, cut.core) if snap.direction == "back" else (cut.core, variable)
    reached = conjunction((legal, Or((SameSpan(variable, cut.core), Before(*pair)))))
    pick = Pick("last" if snap.direction == "back" else "first", variable, reached)
    if otherwise is None:
        return pick
    found = SpanIf(Some(variable, None, reached), pick, otherwise)
    return SpanIf(SameSpan(cut.core, cut.core), found, NoSpan())


def is_span(expr: syntax.Expr, scope: Scope) -> bool:
    """Whether a `let` of this names a span rather than a value."""
    match expr:
        case syntax.PickTerm() | syntax.Nothing():
            return True
        case syntax.NameRef(name):
            return isinstance(scope.bindings.get(name), SpanBinding)
        case syntax.Conditional(_, then, otherwise):
            leaves = [e for e in (then, otherwise) if not isinstance(e, syntax.Nothing)]
            return all(is_span(e, scope) for e in leaves)
        case _:
            return False
