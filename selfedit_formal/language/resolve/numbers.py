"""Numbers: arithmetic with its rounding, and counting and summing over spans."""

from __future__ import annotations

from dataclasses import replace

from selfedit_formal.core.diagnostics import Location
from selfedit_formal.core.expression import (
    TRUE,
    Before,
    Count,
    Divide,
    Equal,
    Expression,
    Modulo,
    Multiply,
    Not,
    Some,
    Total,
    WindowTerm,
    conjunction,
)
from selfedit_formal.language import syntax
from selfedit_formal.language.resolve import arithmetic, call, expression, function, quantifier, walk
from selfedit_formal.language.resolve.operand import Operand, Value, shown
from selfedit_formal.language.resolve.problems import listing, suggestion
from selfedit_formal.language.resolve.scope import Scope, SpanBinding, Use, WindowBinding

FACTORS = 40
"""At most so many factors and divisors in one product."""


def chain(expr: syntax.Chain, scope: Scope) -> Operand | None:
    if any(o == "/" for o, _ in expr.rest):
        hint = f"write `floor({shown(expr)})` or `ceil({shown(expr)})`"
        scope.report("R022", "a division needs a direction to round in", expr.location, hint)
        for part in (expr.first, *(e for _, e in expr.rest)):
            expression.integer(part, scope)
        return None
    found = _fraction(expr, scope)
    return None if found is None else Value("int", found[0])


def _fraction(expr: syntax.Expr, scope: Scope) -> arithmetic.Fraction | None:
    """A number with the positive denominator it still has to be divided by: what `floor` and `ceil` round."""
    match expr:
        case syntax.Chain(first, rest) if all(o in "+-" for o, _ in rest):
            parts = [_fraction(first, scope)]
            for operator, item in rest:
                part = _fraction(item, scope)
                parts.append(part if part is None or operator == "+" else (arithmetic.negative(part[0]), part[1]))
            kept = tuple(p for p in parts if p is not None)
            return arithmetic.sum_of(kept) if len(kept) == len(parts) else None
        case syntax.Chain(first, rest):
            if len(rest) > FACTORS:
                scope.report("R044", f"more than {FACTORS} numbers are multiplied or divided in one go", expr.location)
                return None
            found = _fraction(first, scope)
            for operator, item in rest:
                found = _scaled(found, operator, item, expr, scope)
            return found
        case syntax.Percent(number, of):
            inner = _fraction(of, scope)
            return None if inner is None else (arithmetic.times(number, inner[0]), inner[1] * 100)
        case syntax.Negative(item):
            inner = _fraction(item, scope)
            return None if inner is None else (arithmetic.negative(inner[0]), inner[1])
        case _:
            whole = expression.integer(expr, scope)
            return None if whole is None else (whole, 1)


def _scaled(
    found: arithmetic.Fraction | None, operator: str, item: syntax.Expr, expr: syntax.Chain, scope: Scope
) -> arithmetic.Fraction | None:
    other = _fraction(item, scope)
    if found is None or other is None:
        return None
    match operator:
        case "*":
            left, right = found[0], other[0]
            if not arithmetic.rigid(left) and not arithmetic.rigid(right):
                scope.report(
                    "R021",
                    f"`{shown(expr)}` multiplies two numbers that hang on the window",
                    expr.location,
                    "one of the two has to be built of constants and parameters",
                )
                return None
            one = arithmetic.constant(left)
            two = arithmetic.constant(right)
            product = (
                arithmetic.times(one, right)
                if one is not None
                else arithmetic.times(two, left)
                if two is not None
                else Multiply(left, right)
            )
            return product, found[1] * other[1]
        case _:
            divisor = _divisor(item, other, operator, scope)
            if divisor is None:
                return None
            if operator == "/":
                return found[0], found[1] * divisor
            if found[1] != 1:
                scope.report("R022", "`mod` needs whole numbers", expr.location, "round with `floor` or `ceil` first")
                return None
            return Modulo(found[0], divisor), 1


def _divisor(item: syntax.Expr, found: arithmetic.Fraction, operator: str, scope: Scope) -> int | None:
    number = arithmetic.constant(found[0]) if found[1] == 1 else None
    if number is not None and number > 0:
        return number
    what = "divided by" if operator == "/" else "taken modulo"
    why = f"`{shown(item)}` is {number}" if number is not None else f"`{shown(item)}` is not a constant"
    scope.report("R023", f"a number is {what} a positive constant, and {why}", item.location)
    return None


def rounded(expr: syntax.Call, scope: Scope) -> Operand | None:
    if not call.count_fits(expr, ("e",), scope):
        return None
    found = _fraction(expr.arguments[0], scope)
    if found is None:
        return None
    numerator, denominator = found
    if denominator == 1:
        return Value("int", numerator)
    return Value("int", Divide(numerator, denominator, "down" if expr.function == "floor" else "up"))


def extreme(expr: syntax.Call, scope: Scope) -> Operand | None:
    if len(expr.arguments) < 2:
        scope.report("R016", f"`{expr.function}` takes two numbers or more", expr.location)
        return None
    items = expression.each(expr.arguments, lambda e: expression.integer(e, scope))
    if items is None:
        return None
    found = arithmetic.extreme("<=" if expr.function == "min" else ">=", items)
    if not walk.smaller(found, quantifier.EXPANSIONS):
        message = f"`{expr.function}` of so much takes more than {quantifier.EXPANSIONS} steps written out in full"
        scope.report("R044", message, expr.location)
        return None
    return Value("int", found)


# ---------- counting


def count(expr: syntax.CountTerm, scope: Scope) -> Operand | None:
    parts: tuple[syntax.Expr, ...] = () if expr.condition is None else (expr.condition,)
    binder = syntax.Binder(expr.variable, expr.domain, None, expr.location)
    bound = quantifier.bind(binder, quantifier.names_in(*parts), scope.mixed())
    if bound is None:
        return None
    core, term, member, inside = bound.core, bound.term, bound.member, bound.inside
    where = TRUE if expr.condition is None else expression.truth(expr.condition, inside)
    return None if where is None else Value("int", Count(core, term, conjunction((member, where))))


def unit_count(expr: syntax.UnitCount, scope: Scope) -> Operand | None:
    which = expression.span_named(expr.span, expr.location, scope)
    unit = _unit(expr.unit, expr.location, scope)
    if which is None or unit is None:
        return None
    core, starts = unit_start(unit, which.home, expr.location, scope)
    if starts is None:
        return None
    pair = (which.core, core) if expr.side == "after" else (core, which.core)
    return Value("int", Count(core, which.home, conjunction((starts, Before(*pair, which.home)))))


def _unit(name: str, location: Location, scope: Scope) -> syntax.UnitDeclaration | None:
    if scope.schema is None:
        return None
    found = scope.schema.units.get(name)
    if found is None:
        units = tuple(scope.schema.units)
        otherwise = f"it has {listing(units)}" if units else "it declares no units"
        message = f"window `{scope.schema.name}` has no unit `{name}`"
        scope.lacks("R010", f"the unit `{name}`", message, location, suggestion(name, units, otherwise))
    return None if ("window", scope.schema.name) in scope.base.broken else found


def unit_start(
    unit: syntax.UnitDeclaration, home: WindowTerm | None, location: Location, scope: Scope
) -> tuple[str, Expression | None]:
    """A variable for spans of the window, and the condition that a unit starts with it."""
    core = scope.fresh(unit.variable)
    frame = Use("unit", unit.name, location)
    if function.recursive(frame, scope):
        return core, None
    inside = call.into(scope, scope.base, {unit.variable: SpanBinding(core, home, unit.location)}, home)
    inside = replace(inside, taken=scope.taken | {core}, frames=(*scope.frames, frame))
    return core, expression.truth(unit.condition, inside)


def same_unit(expr: syntax.Call, scope: Scope) -> Operand | None:
    if not call.count_fits(expr, ("unit", "s", "t"), scope):
        return None
    first, second = expression.span(expr.arguments[1], scope), expression.span(expr.arguments[2], scope)
    name = expr.arguments[0]
    if not isinstance(name, syntax.NameRef):
        scope.report("R017", f"`{shown(name)}` is not the name of a unit", name.location)
        return None
    unit = _unit(name.name, name.location, scope)
    if first is None or second is None or unit is None:
        return None
    place = expression.common_home(first, second, None, expr, scope)
    if place is None:
        return None
    core, starts = unit_start(unit, place.term, expr.location, scope)
    if starts is None:
        return None
    parted = Not(Equal(Before(first.core, core, place.term), Before(second.core, core, place.term)))
    return Value("bool", Not(Some(core, place.term, conjunction((starts, parted)))))


def total(expr: syntax.TotalTerm, scope: Scope) -> Operand | None:
    names = sorted(_attribute_bases(expr.weight) - scope.bindings.keys())
    if len(names) != 1:
        what = "names no span to sum over" if not names else f"could sum over any of {listing(names)}"
        scope.report(
            "R048", f"`{shown(expr)}` {what}", expr.location, "write one new name with a field, as in `total(t.tokens)`"
        )
        return None
    variable = names[0]
    items = _conjuncts(expr.condition)
    domains = [i for i in items if isinstance(i, syntax.InWindow) and _names_window(i, variable, scope)]
    rest = [i for i in items if i not in domains[:1]]
    domain = domains[0].container if domains else None
    binder = syntax.Binder(variable, domain, None, expr.location)
    bound = quantifier.bind(binder, quantifier.names_in(expr.weight, *rest), scope.mixed())
    if bound is None:
        return None
    core, term, member, inside = bound.core, bound.term, bound.member, bound.inside
    weight = expression.integer(expr.weight, inside)
    where = expression.each(tuple(rest), lambda e: expression.truth(e, inside))
    if weight is None or where is None:
        return None
    return Value("int", Total(core, term, weight, conjunction((member, *where))))


def _conjuncts(condition: syntax.Expr | None) -> tuple[syntax.Expr, ...]:
    match condition:
        case None:
            return ()
        case syntax.Junction("and", items):
            return items
        case _:
            return (condition,)


def _names_window(item: syntax.Expr, variable: str, scope: Scope) -> bool:
    """Whether this is `t in W`, which says where the spans of a `total` are."""
    match item:
        case syntax.InWindow(syntax.NameRef(name), container, False) if name == variable:
            match container:
                case syntax.NameRef(place):
                    return isinstance(scope.bindings.get(place), WindowBinding)
                case _:
                    return True
        case _:
            return False


def _attribute_bases(item: object) -> frozenset[str]:
    """The names that have a field read, not counting those bound inside."""
    match item:
        case syntax.Attribute(syntax.NameRef(name), _):
            return frozenset({name})
        case syntax.Quantifier(_, binders, _):
            inside = frozenset[str]().union(*(_attribute_bases(p) for p in quantifier.parts(item)))
            return inside - {b.name for b in binders}
        case syntax.CountTerm(variable, _, _):
            return frozenset[str]().union(*(_attribute_bases(p) for p in quantifier.parts(item))) - {variable}
        case syntax.TotalTerm():
            return frozenset()
        case _:
            return frozenset[str]().union(*(_attribute_bases(p) for p in quantifier.parts(item)))
