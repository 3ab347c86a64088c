"""Quantifiers: over the spans of a window, and written out over a range of numbers."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Literal

from selfedit_formal._frozen import dataclass
from selfedit_formal.core.diagnostics import Location
from selfedit_formal.core.expression import (
    TRUE,
    All,
    Expression,
    Implies,
    InSet,
    Int,
    Not,
    Some,
    WindowTerm,
    conjunction,
    disjunction,
)
from selfedit_formal.language import syntax
from selfedit_formal.language.resolve import arithmetic, expression
from selfedit_formal.language.resolve.operand import SetRef, WindowRef, shown, unfit
from selfedit_formal.language.resolve.scope import LostBinding, Scope, SpanBinding, Unplaced, ValueBinding

EXPANSIONS = 5_000
"""At most so many uses of predicates and steps of ranges in one policy or claim."""


def quantified(
    kind: Literal["some", "all", "no"], binders: tuple[syntax.Binder, ...], body: syntax.Expr, scope: Scope
) -> Expression | None:
    """`kind binders: body`, binder after binder."""
    if kind == "no":
        inner = quantified("some", binders, body, scope.negated())
        return None if inner is None else Not(inner)
    if not binders:
        return expression.truth(body, scope)
    first, rest = binders[0], binders[1:]
    if isinstance(first.domain, syntax.Range):
        return _over_range(kind, first, first.domain, rest, body, scope)
    around = scope.at(scope.position.under(kind))
    bound = bind(first, _mentioned(binders, body), around)
    if bound is None:
        quantified(kind, rest, body, lost(first, around))
        return None
    core, term, member, inside = bound.core, bound.term, bound.member, bound.inside
    where: Expression = TRUE
    if first.condition is not None:
        found = expression.truth(first.condition, inside if kind == "some" else inside.negated())
        if found is None:
            quantified(kind, rest, body, inside)
            return None
        where = found
    then = quantified(kind, rest, body, inside)
    if then is None:
        return None
    return close(kind, core, term, conjunction((member, where)), then)


def close(
    kind: Literal["some", "all"], core: str, term: WindowTerm | None, where: Expression, then: Expression
) -> Expression:
    """The core's quantifier over spans that satisfy `where`."""
    if kind == "some":
        return Some(core, term, conjunction((where, then)))
    return All(core, term, then if where == TRUE else Implies(where, then))


@dataclass(frozen=True, slots=True)
class BoundVariable:
    """A variable for spans: core name, window, the condition that it is in its set, the scope inside."""

    core: str
    term: WindowTerm | None
    member: Expression
    inside: Scope


def bind(binder: syntax.Binder, mentioned: frozenset[str], scope: Scope) -> BoundVariable | None:
    """A binder over spans. None if it is wrong (reported)."""
    assert not isinstance(binder.domain, syntax.Range)
    place = _standing(binder, mentioned, scope) if binder.domain is None else expression.operand(binder.domain, scope)
    match place:
        case None:
            return None
        case WindowRef(term):
            core, inside = scope.bind_span(binder.name, term, binder.location)
            return BoundVariable(core, term, TRUE, inside)
        case SetRef(which):
            core, inside = scope.bind_span(binder.name, None, binder.location)
            return BoundVariable(core, None, InSet(core, which), inside)
        case _:
            assert binder.domain is not None
            unfit(scope, binder.domain, place, "a window or a set of spans")
            return None


def lost(binder: syntax.Binder, scope: Scope) -> Scope:
    """The scope inside a binder that is wrong."""
    return replace(scope, bindings={**scope.bindings, binder.name: LostBinding(binder.location)})


def _standing(binder: syntax.Binder, mentioned: frozenset[str], scope: Scope) -> WindowRef | None:
    """The window of a bare quantifier: the current one, or the one that bound all the spans it speaks of."""
    if not isinstance(scope.standing, Unplaced):
        return WindowRef(scope.standing)
    homes = {b.home for n, b in scope.bindings.items() if n in mentioned and isinstance(b, SpanBinding)}
    if len(homes) == 1:
        return WindowRef(homes.pop())
    if binder.name[:1].isupper() and scope.inside in ("claim", "gate"):
        hint = "begin the property with `all W, V: `"
        scope.report("R045", f"`{binder.name}` is a window, and windows are taken in front only", binder.location, hint)
        return None
    scope.report(
        "R027",
        f"it is not clear from which window `{binder.name}` is taken",
        binder.location,
        f"say which one: `{binder.name} in W`",
    )
    return None


def _over_range(
    kind: Literal["some", "all"],
    binder: syntax.Binder,
    limits: syntax.Range,
    rest: tuple[syntax.Binder, ...],
    body: syntax.Expr,
    scope: Scope,
) -> Expression | None:
    steps = range_of(limits, scope)
    if steps is None:
        quantified(kind, rest, body, lost(binder, scope))
        return None
    scope.free(binder.name, binder.location)
    found: list[Expression | None] = []
    for step in steps:
        inside = scope.bound(binder.name, ValueBinding("int", Int(step), binder.location))
        where: Expression | None = TRUE
        if binder.condition is not None:
            where = expression.truth(binder.condition, inside if kind == "some" else inside.negated())
        then = quantified(kind, rest, body, inside)
        if where is None or then is None:
            return None
        found.append(conjunction((where, then)) if kind == "some" else then if where == TRUE else Implies(where, then))
    parts = tuple(f for f in found if f is not None)
    return disjunction(parts) if kind == "some" else conjunction(parts)


def range_of(limits: syntax.Range, scope: Scope) -> range | None:
    """The numbers of a range; None if its ends are no constants or too far apart (reported), or not known yet."""
    low, high = fixed_number(limits.low, "a range", scope), fixed_number(limits.high, "a range", scope)
    if low is None or high is None:
        return None
    steps = range(low, high + 1)
    return steps if afford(len(steps), limits.location, scope) else None


def fixed_number(expr: syntax.Expr, what: str, scope: Scope) -> int | None:
    """A number that is known now. Reports one that is not constant; None in silence for one that a check will give."""
    found = expression.integer(expr, scope)
    if found is None:
        return None
    number = arithmetic.constant(found)
    if number is None:
        scope.report("R043", f"{what} needs a constant, and `{shown(expr)}` is left open", expr.location)
    return number


def afford(steps: int, location: Location, scope: Scope) -> bool:
    """Whether so many more expansions are within limits."""
    if scope.trail.expansions > EXPANSIONS:
        return False
    scope.trail.expansions += steps
    if scope.trail.expansions <= EXPANSIONS:
        return True
    scope.report("R044", f"written out in full this takes more than {EXPANSIONS} steps", location)
    return False


def names_in(*items: object) -> frozenset[str]:
    """Every word of these syntax nodes that could be the name of a span."""
    found: set[str] = set()
    for item in items:
        if isinstance(item, str):
            found.add(item)
        else:
            found |= names_in(*parts(item))
    return frozenset(found)


def _mentioned(binders: tuple[syntax.Binder, ...], body: syntax.Expr) -> frozenset[str]:
    return names_in(body, *(b.condition for b in binders), *(b.domain for b in binders[1:]))


def parts(item: object) -> tuple[object, ...]:
    if isinstance(item, tuple):
        return item
    if is_dataclass(item) and not isinstance(item, Location):
        return tuple(getattr(item, f.name) for f in fields(item) if f.name != "location")
    return ()
