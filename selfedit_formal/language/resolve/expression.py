"""Expressions: from the notation to the typed core.

Every function reports what is wrong and then returns None, which its callers pass on in silence: one mistake, one message.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Literal

from selfedit_formal.diagnostics import Location
from selfedit_formal.expression import (
    TRUE,
    All,
    And,
    Arrived,
    Before,
    Bool,
    Compare,
    Count,
    Created,
    Divide,
    Equal,
    Expression,
    If,
    Implies,
    InSet,
    Int,
    Linked,
    Logged,
    Modulo,
    Multiply,
    Name,
    Not,
    Overridden,
    Pass,
    Present,
    Reaches,
    Read,
    Refused,
    Rescored,
    SameRecord,
    SameSpan,
    SameWindow,
    Some,
    Swapped,
    Total,
    Triggered,
    WindowTerm,
    Without,
    conjunction,
    disjunction,
)
from selfedit_formal.language import syntax
from selfedit_formal.language.print import print_expression
from selfedit_formal.language.resolve import arithmetic
from selfedit_formal.language.resolve.names import BUILT_IN, Names
from selfedit_formal.language.resolve.problems import listing, suggestion
from selfedit_formal.language.resolve.scope import (
    Binding,
    Frame,
    LostBinding,
    PolicyBinding,
    PredicateBinding,
    Scope,
    SetBinding,
    SpanBinding,
    Unplaced,
    ValueBinding,
    WindowBinding,
)
from selfedit_formal.window import COVERS, NO_KEY, TAG, Field, Kind

EXPANSIONS = 20_000
"""At most so many uses of predicates and steps of ranges in one policy or claim."""

DEPTH = 40
"""At most so many predicates inside one another."""

PASSES = 64
"""The greatest k of `P^k(W)`."""


# ---------- what an expression can be


@dataclass(frozen=True, slots=True)
class Value:
    """A value of the core. `names` are those an enum may have, `of` the field they belong to."""

    kind: Kind
    expression: Expression
    names: tuple[str, ...] = ()
    of: str = ""


@dataclass(frozen=True, slots=True)
class SpanRef:
    core: str
    home: WindowTerm | None


@dataclass(frozen=True, slots=True)
class SetRef:
    core: str


@dataclass(frozen=True, slots=True)
class WindowRef:
    term: WindowTerm | None


@dataclass(frozen=True, slots=True)
class Record:
    """`W[s]`."""

    span: SpanRef
    term: WindowTerm | None


@dataclass(frozen=True, slots=True)
class NoneTerm:
    """`none`, of a span or a key."""


Operand = Value | SpanRef | SetRef | WindowRef | Record | NoneTerm


@dataclass(frozen=True, slots=True)
class Expected:
    """The kind of value wanted, so that a bare name can be told to be a tag or another name of an enum."""

    kind: Kind
    names: tuple[str, ...] = ()
    of: str = ""


def _type(value: Value) -> Expected:
    return Expected(value.kind, value.names, value.of)


def described(operand: Operand) -> str:
    match operand:
        case Value("int"):
            return "a number"
        case Value("bool"):
            return "true or false"
        case Value("key"):
            return "a key"
        case Value("enum", _, _, of):
            return f"a name of `{of}`" if of else "a name"
        case Value():
            return "a value"
        case SpanRef():
            return "a span"
        case SetRef():
            return "a set of spans"
        case WindowRef():
            return "a window"
        case Record():
            return "a record"
        case NoneTerm():
            return "`none`"


_WANTED: Mapping[Kind, str] = {"int": "a number", "bool": "true or false", "key": "a key", "enum": "a name"}


def shown(expr: syntax.Expr) -> str:
    """The expression in one line, cut if it is long."""
    text = " ".join(print_expression(expr).split())
    return text if len(text) <= 60 else text[:57] + "..."


def unfit(scope: Scope, expr: syntax.Expr, found: Operand, wanted: str) -> None:
    scope.report("R013", f"`{shown(expr)}` is {described(found)}, and {wanted} is needed here", expr.location)


# ---------- the kinds of expression one asks for


def truth(expr: syntax.Expr, scope: Scope) -> Expression | None:
    """An expression that is true or false."""
    return _of_kind(expr, scope, "bool")


def integer(expr: syntax.Expr, scope: Scope) -> Expression | None:
    """An expression that is a number."""
    return _of_kind(expr, scope, "int")


def _of_kind(expr: syntax.Expr, scope: Scope, kind: Kind) -> Expression | None:
    found = operand(expr, scope, Expected(kind))
    if found is None:
        return None
    if isinstance(found, Value) and found.kind == kind:
        return found.expression
    unfit(scope, expr, found, _WANTED[kind])
    return None


def value(expr: syntax.Expr, scope: Scope, expected: Expected | None = None) -> Value | None:
    """A value, of the kind expected if one is."""
    found = operand(expr, scope, expected)
    if found is None:
        return None
    if isinstance(found, NoneTerm) and (expected is None or expected.kind == "key"):
        return Value("key", Name("key", NO_KEY))
    wanted = "a value" if expected is None else f"a name of `{expected.of}`" if expected.of else _WANTED[expected.kind]
    if not isinstance(found, Value) or (expected is not None and not _fits(found, expected)):
        unfit(scope, expr, found, wanted)
        return None
    return found


def _fits(found: Value, expected: Expected) -> bool:
    if found.kind != expected.kind:
        return False
    return found.kind != "enum" or not expected.names or bool(set(found.names) & set(expected.names))


def span(expr: syntax.Expr, scope: Scope) -> SpanRef | None:
    """A span, by its name."""
    found = operand(expr, scope)
    if found is None or isinstance(found, SpanRef):
        return found
    unfit(scope, expr, found, "a span")
    return None


def span_named(name: str, location: Location, scope: Scope) -> SpanRef | None:
    return span(syntax.NameRef(name, location), scope)


def window(expr: syntax.Expr, scope: Scope) -> WindowRef | None:
    """A window: an input, a pass, or one of the changes of a window."""
    found = operand(expr, scope)
    if found is None or isinstance(found, WindowRef):
        return found
    unfit(scope, expr, found, "a window")
    return None


def _window_term(expr: syntax.Expr, scope: Scope) -> WindowTerm | None:
    """A window that has a term of its own; the current window of a pass has none."""
    found = window(expr, scope)
    if found is None:
        return None
    if found.term is None:
        scope.report(
            "R013",
            f"`{shown(expr)}` is the current window of the pass, and only properties compare windows",
            expr.location,
        )
    return found.term


# ---------- every expression


def operand(expr: syntax.Expr, scope: Scope, expected: Expected | None = None) -> Operand | None:
    """What the expression is. `expected` tells bare names of an enum from other names."""
    match expr:
        case syntax.Number(number):
            return Value("int", Int(number))
        case syntax.Truth(yes):
            return Value("bool", Bool(yes))
        case syntax.Nothing():
            return Value("key", Name("key", NO_KEY)) if expected is not None and expected.kind == "key" else NoneTerm()
        case syntax.NameRef():
            return _name(expr, scope, expected)
        case syntax.Attribute():
            return _attribute(expr, scope)
        case syntax.Index(base, name):
            place = window(base, scope)
            which = span_named(name, expr.location, scope)
            return None if place is None or which is None else Record(which, place.term)
        case syntax.Call():
            return _call(expr, scope)
        case syntax.Power():
            return _power(expr, scope)
        case syntax.Not(item):
            inner = truth(item, scope.negated())
            return None if inner is None else Value("bool", denied(inner))
        case syntax.Negative(item):
            number_ = integer(item, scope)
            return None if number_ is None else Value("int", arithmetic.negative(number_))
        case syntax.Junction(operator, items):
            parts = _each(items, lambda e: truth(e, scope))
            if parts is None:
                return None
            return Value("bool", conjunction(parts) if operator == "and" else disjunction(parts))
        case syntax.Binary():
            return _binary(expr, scope)
        case syntax.Chain():
            return _chain(expr, scope)
        case syntax.Percent():
            scope.report(
                "R022",
                "a percentage needs a direction to round in",
                expr.location,
                f"write `floor({shown(expr)})` or `ceil({shown(expr)})`",
            )
            integer(expr.of, scope)
            return None
        case syntax.InNames():
            return _in_names(expr, scope)
        case syntax.InWindow():
            return _in_window(expr, scope)
        case syntax.Order():
            return _order(expr, scope)
        case syntax.LinkTest():
            return _link_test(expr, scope)
        case syntax.ReachTest():
            return _reach_test(expr, scope)
        case syntax.Quantifier(kind, binders, body):
            found = quantified(kind, binders, body, scope)
            return None if found is None else Value("bool", found)
        case syntax.Conditional():
            return _conditional(expr, scope, expected)
        case syntax.PickTerm():
            scope.report(
                "R013",
                f"`{shown(expr)}` is a span without a name, and only a `let` can name it",
                expr.location,
                "write `let x = ` before it, and then `x`",
            )
            return None
        case syntax.CountTerm():
            return _count(expr, scope)
        case syntax.UnitCount():
            return _unit_count(expr, scope)
        case syntax.TotalTerm():
            return _total(expr, scope)


def _each(
    items: tuple[syntax.Expr, ...], resolve: Callable[[syntax.Expr], Expression | None]
) -> tuple[Expression, ...] | None:
    found = [resolve(i) for i in items]
    kept = tuple(f for f in found if f is not None)
    return kept if len(kept) == len(found) else None


# ---------- names and fields


def _name(expr: syntax.NameRef, scope: Scope, expected: Expected | None) -> Operand | None:
    if expected is not None and expected.kind == "enum" and expr.name in expected.names:
        return Value("enum", Name("enum", expr.name), expected.names, expected.of)
    binding = scope.bindings.get(expr.name)
    if binding is None:
        _unknown_name(expr, scope, expected)
        return None
    return _bound(expr, binding, scope)


def _bound(expr: syntax.NameRef, binding: Binding, scope: Scope) -> Operand | None:
    match binding:
        case SpanBinding(core, home):
            scope.trail.used.add(core)
            return SpanRef(core, home)
        case SetBinding(core):
            scope.trail.used.add(core)
            return SetRef(core)
        case ValueBinding(kind, expression, _, names):
            return None if expression is None else Value(kind, expression, names)
        case WindowBinding(term):
            return WindowRef(term)
        case PredicateBinding():
            scope.report("R013", f"`{expr.name}` is a predicate, and a value is needed here", expr.location)
            return None
        case PolicyBinding():
            hint = f"write `{expr.name}(W)` for the window after a pass"
            scope.report("R013", f"`{expr.name}` is a policy, and a value is needed here", expr.location, hint)
            return None
        case LostBinding():
            return None


def _unknown_name(expr: syntax.NameRef, scope: Scope, expected: Expected | None) -> None:
    if expected is not None and expected.kind == "enum" and scope.schema is not None and expected.names:
        unknown_enum_name(expr.name, expected, expr.location, scope)
        return
    if expected is not None and expected.kind == "key":
        scope.report(
            "R001",
            f"unknown name `{expr.name}`: a key has no names, it is compared with the keys of other spans or with `none`",
            expr.location,
        )
        return
    past = scope.trail.past.get(expr.name)
    if past is not None:
        scope.report(
            "R014",
            f"`{expr.name}` is not bound here",
            expr.location,
            "a name holds in its own statement, a `let` up to the end of its block",
            (("it is bound here, for another place", past),),
        )
        return
    scope.report("R001", f"unknown name `{expr.name}`", expr.location, suggestion(expr.name, scope.bindings))


def unknown_enum_name(name: str, expected: Expected, location: Location, scope: Scope) -> None:
    """Reports a name that an enum field does not have, saying whose name it is if it is another one's."""
    assert scope.schema is not None
    what = "tag" if expected.of == TAG else f"name of `{expected.of}`"
    hint = suggestion(name, expected.names, f"it has {listing(expected.names)}")
    needs = f"the {what} `{name}`" if expected.of == TAG else f"the name `{name}` of the field `{expected.of}`"
    schema = scope.schema.schema
    field = next((f.name for f in schema.fields if name in f.names), None)
    other = next((s for s, n in scope.base.schemas.items() if any(name in f.names for f in n.schema.fields)), None)
    if field is not None:
        scope.report("R008", f"`{name}` is a name of `{field}`, not of `{expected.of}`", location, hint)
    elif other is not None:
        message = f"`{name}` is a name of window `{other}`, and this is about window `{schema.name}`"
        scope.lacks("R008", needs, message, location, hint)
    else:
        scope.lacks("R007", needs, f"window `{schema.name}` has no {what} `{name}`", location, hint)


def field_named(name: str, location: Location, scope: Scope) -> Field | None:
    """The schema's field, or a report that there is none."""
    if scope.schema is None:
        return None
    schema = scope.schema.schema
    found = next((f for f in schema.fields if f.name == name), None)
    if found is None:
        names = tuple(f.name for f in schema.fields)
        hint = suggestion(name, names, f"it has {listing(names)}")
        message = f"window `{schema.name}` has no field `{name}`"
        scope.lacks("R006", f"the field `{name}`", message, location, hint)
    return found


def _attribute(expr: syntax.Attribute, scope: Scope) -> Operand | None:
    base = operand(expr.base, scope)
    if base is None:
        return None
    match base:
        case SpanRef(core, home):
            term = home
        case Record(SpanRef(core, _), term):
            pass
        case _:
            unfit(scope, expr.base, base, "a span")
            return None
    field = field_named(expr.name, expr.location, scope)
    if field is None:
        return None
    if field.oracle == "window" and scope.inside != "pass":
        scope.report(
            "R024",
            f"`{field.name}` comes from the window with every pass, so outside of a pass it has no value",
            expr.location,
            "speak of what the policy does with it, or declare it `from query`",
        )
        return None
    return Value(field.kind, Read(core, field.name, field.kind, term), field.names, field.name)


# ---------- comparing


def _binary(expr: syntax.Binary, scope: Scope) -> Operand | None:
    match expr.operator:
        case "implies":
            left, right = truth(expr.left, scope.negated()), truth(expr.right, scope)
            return None if left is None or right is None else Value("bool", Implies(left, right))
        case "iff":
            left, right = truth(expr.left, scope.mixed()), truth(expr.right, scope.mixed())
            return None if left is None or right is None else Value("bool", Equal(left, right))
        case "<" | "<=" | ">" | ">=" as operator:
            left, right = integer(expr.left, scope), integer(expr.right, scope)
            return None if left is None or right is None else Value("bool", Compare(operator, left, right))
        case "==" | "!=" as operator:
            same = _same(expr, operator, scope.mixed())
            return None if same is None else Value("bool", same)


def _same(expr: syntax.Binary, operator: Literal["==", "!="], scope: Scope) -> Expression | None:
    pair = _both(expr.left, expr.right, scope)
    if pair is None:
        return None
    match pair:
        case Value("int", left), Value("int", right):
            return Compare(operator, left, right)
        case ((Value() as a), (Value() as b)) if _fits(a, _type(b)):
            same: Expression = Equal(a.expression, b.expression)
        case SpanRef(first, _), SpanRef(second, _):
            same = SameSpan(first, second)
        case (SpanRef(core, _), NoneTerm()) | (NoneTerm(), SpanRef(core, _)):
            same = Not(SameSpan(core, core))
        case WindowRef(), WindowRef():
            terms = _window_term(expr.left, scope), _window_term(expr.right, scope)
            if terms[0] is None or terms[1] is None:
                return None
            same = SameWindow(terms[0], terms[1])
        case Record(first_span, v), Record(second_span, w):
            if first_span.core != second_span.core:
                scope.report("R013", "two records are compared only if they are of one span", expr.location)
                return None
            if v is None or w is None:
                scope.report("R013", "records of the current window of a pass cannot be compared", expr.location)
                return None
            same = SameRecord(first_span.core, v, w)
        case left_, right_:
            message = f"`{shown(expr.left)}` is {described(left_)} and `{shown(expr.right)}` is {described(right_)}"
            scope.report("R013", f"{message}: they cannot be compared", expr.location)
            return None
    return denied(same) if operator == "!=" else same


def denied(item: Expression) -> Expression:
    return item.item if isinstance(item, Not) else Not(item)


def _both(left: syntax.Expr, right: syntax.Expr, scope: Scope) -> tuple[Operand, Operand] | None:
    """Both sides of an equality; the side that knows its type goes first and tells the other what is expected."""
    if not _knows_type(left, scope) and _knows_type(right, scope):
        swapped = _both(right, left, scope)
        return None if swapped is None else (swapped[1], swapped[0])
    first = operand(left, scope)
    if first is None:
        if _knows_type(right, scope):
            operand(right, scope)
        return None
    expected = _type(first) if isinstance(first, Value) else None
    second = operand(right, scope, expected)
    return None if second is None else (first, second)


def _knows_type(expr: syntax.Expr, scope: Scope) -> bool:
    match expr:
        case syntax.NameRef(name):
            return False if name not in scope.bindings else not _is_enum_name(name, scope)
        case syntax.Nothing():
            return False
        case syntax.Conditional(_, then, otherwise):
            return _knows_type(then, scope) or _knows_type(otherwise, scope)
        case _:
            return True


def _is_enum_name(name: str, scope: Scope) -> bool:
    return scope.schema is not None and any(name in f.names for f in scope.schema.schema.fields)


def _in_names(expr: syntax.InNames, scope: Scope) -> Operand | None:
    item = value(expr.item, scope)
    if item is None:
        return None
    if item.kind != "enum":
        unfit(scope, expr.item, item, "a field with listed names")
        return None
    expected = _type(item)
    unknown = [n for n in expr.names if n not in item.names]
    for name in unknown:
        if item.names and scope.schema is not None:
            unknown_enum_name(name, expected, expr.location, scope)
    if unknown:
        return None
    found = disjunction(tuple(Equal(item.expression, Name("enum", n)) for n in expr.names))
    return Value("bool", denied(found) if expr.negated else found)


def _in_window(expr: syntax.InWindow, scope: Scope) -> Operand | None:
    item = span(expr.item, scope)
    container = operand(expr.container, scope)
    if item is None or container is None:
        return None
    match container:
        case SetRef(core):
            found: Expression = InSet(item.core, core)
        case WindowRef(term):
            found = Present(item.core, term)
        case _:
            unfit(scope, expr.container, container, "a window or a set of spans")
            return None
    return Value("bool", denied(found) if expr.negated else found)


# ---------- order and links


def _common_home(
    left: SpanRef, right: SpanRef, explicit: syntax.Expr | None, expr: syntax.Expr, scope: Scope
) -> WindowRef | None:
    if explicit is not None:
        return window(explicit, scope)
    if left.home == right.home:
        return WindowRef(left.home)
    scope.report(
        "R027",
        f"`{shown(expr)}` speaks of spans of two windows",
        expr.location,
        f"say which order is meant: `{shown(expr)} in W`",
    )
    return None


def _order(expr: syntax.Order, scope: Scope) -> Operand | None:
    left, right = span(expr.left, scope), span(expr.right, scope)
    if left is None or right is None:
        return None
    place = _common_home(left, right, expr.window, expr, scope)
    if place is None:
        return None
    first, second = (left, right) if expr.direction == "before" else (right, left)
    found = Before(first.core, second.core, place.term)
    return Value("bool", denied(found) if expr.negated else found)


def _link_named(name: str, location: Location, scope: Scope) -> bool:
    if scope.schema is None:
        return False
    links = tuple(k.name for k in scope.schema.schema.links)
    if name == COVERS or name in links:
        return True
    otherwise = f"it has {listing(links)}" if links else "it declares no links"
    message = f"window `{scope.schema.name}` has no link `{name}`"
    scope.lacks("R009", f"the link `{name}`", message, location, suggestion(name, (*links, COVERS), otherwise))
    return False


def _link_test(expr: syntax.LinkTest, scope: Scope) -> Operand | None:
    left, right = span(expr.left, scope), span(expr.right, scope)
    known = _link_named(expr.link, expr.location, scope)
    if left is None or right is None or not known:
        return None
    return Value("bool", Linked(expr.link, left.core, right.core, left.home))


def _reach_test(expr: syntax.ReachTest, scope: Scope) -> Operand | None:
    left, right = span(expr.left, scope), span(expr.right, scope)
    known = _link_named(expr.link, expr.location, scope)
    if left is None or right is None:
        return None
    place = _common_home(left, right, expr.window, expr, scope)
    if place is None or not known:
        return None
    return Value("bool", Reaches(expr.link, left.core, right.core, place.term))


# ---------- numbers


def _chain(expr: syntax.Chain, scope: Scope) -> Operand | None:
    if any(o == "/" for o, _ in expr.rest):
        hint = f"write `floor({shown(expr)})` or `ceil({shown(expr)})`"
        scope.report("R022", "a division needs a direction to round in", expr.location, hint)
        for part in (expr.first, *(e for _, e in expr.rest)):
            integer(part, scope)
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
            whole = integer(expr, scope)
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


# ---------- quantifiers


def quantified(
    kind: Literal["some", "all", "no"], binders: tuple[syntax.Binder, ...], body: syntax.Expr, scope: Scope
) -> Expression | None:
    """`kind binders: body`, binder after binder."""
    if kind == "no":
        inner = quantified("some", binders, body, scope.negated())
        return None if inner is None else Not(inner)
    if not binders:
        return truth(body, scope)
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
        found = truth(first.condition, inside if kind == "some" else inside.negated())
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
class Bound:
    """A variable for spans: its core name, its window, the set it is restricted to (as a condition), and the scope inside."""

    core: str
    term: WindowTerm | None
    member: Expression
    inside: Scope


def bind(binder: syntax.Binder, mentioned: frozenset[str], scope: Scope) -> Bound | None:
    """A binder over spans. None if it is wrong (reported)."""
    assert not isinstance(binder.domain, syntax.Range)
    place = _standing(binder, mentioned, scope) if binder.domain is None else operand(binder.domain, scope)
    match place:
        case None:
            return None
        case WindowRef(term):
            core, inside = scope.bind_span(binder.name, term, binder.location)
            return Bound(core, term, TRUE, inside)
        case SetRef(which):
            core, inside = scope.bind_span(binder.name, None, binder.location)
            return Bound(core, None, InSet(core, which), inside)
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
            where = truth(binder.condition, inside if kind == "some" else inside.negated())
        then = quantified(kind, rest, body, inside)
        if where is None or then is None:
            return None
        found.append(conjunction((where, then)) if kind == "some" else then if where == TRUE else Implies(where, then))
    parts = tuple(f for f in found if f is not None)
    return disjunction(parts) if kind == "some" else conjunction(parts)


def range_of(limits: syntax.Range, scope: Scope) -> range | None:
    """The numbers of a range between constants; None if they are not constants or too many (reported), or not known yet."""
    low, high = fixed_number(limits.low, "a range", scope), fixed_number(limits.high, "a range", scope)
    if low is None or high is None:
        return None
    steps = range(low, high + 1)
    return steps if afford(len(steps), limits.location, scope) else None


def fixed_number(expr: syntax.Expr, what: str, scope: Scope) -> int | None:
    """A number that is known now. Reports one that is not a constant; a property's own parameter is given by a check."""
    found = integer(expr, scope)
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


def _count(expr: syntax.CountTerm, scope: Scope) -> Operand | None:
    parts: tuple[syntax.Expr, ...] = () if expr.condition is None else (expr.condition,)
    binder = syntax.Binder(expr.variable, expr.domain, None, expr.location)
    bound = bind(binder, names_in(*parts), scope.mixed())
    if bound is None:
        return None
    core, term, member, inside = bound.core, bound.term, bound.member, bound.inside
    where = TRUE if expr.condition is None else truth(expr.condition, inside)
    return None if where is None else Value("int", Count(core, term, conjunction((member, where))))


def _unit_count(expr: syntax.UnitCount, scope: Scope) -> Operand | None:
    which = span_named(expr.span, expr.location, scope)
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
    return found


def unit_start(
    unit: syntax.UnitDeclaration, home: WindowTerm | None, location: Location, scope: Scope
) -> tuple[str, Expression | None]:
    """A variable for spans of the window, and the condition that a unit starts with it."""
    core = scope.fresh(unit.variable)
    inside = _into(scope, scope.base, {unit.variable: SpanBinding(core, home, unit.location)}, home)
    return core, truth(unit.condition, replace(inside, taken=scope.taken | {core}))


def _total(expr: syntax.TotalTerm, scope: Scope) -> Operand | None:
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
    bound = bind(binder, names_in(expr.weight, *rest), scope.mixed())
    if bound is None:
        return None
    core, term, member, inside = bound.core, bound.term, bound.member, bound.inside
    weight = integer(expr.weight, inside)
    where = _each(tuple(rest), lambda e: truth(e, inside))
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
            inside = frozenset[str]().union(*(_attribute_bases(p) for p in _parts(item)))
            return inside - {b.name for b in binders}
        case syntax.CountTerm(variable, _, _):
            return frozenset[str]().union(*(_attribute_bases(p) for p in _parts(item))) - {variable}
        case syntax.TotalTerm():
            return frozenset()
        case _:
            return frozenset[str]().union(*(_attribute_bases(p) for p in _parts(item)))


def names_in(*items: object) -> frozenset[str]:
    """Every word of these syntax nodes that could be the name of a span."""
    found: set[str] = set()
    for item in items:
        if isinstance(item, str):
            found.add(item)
        else:
            found |= names_in(*_parts(item))
    return frozenset(found)


def _mentioned(binders: tuple[syntax.Binder, ...], body: syntax.Expr) -> frozenset[str]:
    return names_in(body, *(b.condition for b in binders), *(b.domain for b in binders[1:]))


def _parts(item: object) -> tuple[object, ...]:
    if isinstance(item, tuple):
        return item
    if is_dataclass(item) and not isinstance(item, Location):
        return tuple(getattr(item, f.name) for f in fields(item) if f.name != "location")
    return ()


def _conditional(expr: syntax.Conditional, scope: Scope, expected: Expected | None) -> Operand | None:
    condition = truth(expr.condition, scope.mixed())
    first, second = expr.then, expr.otherwise
    turned = not _knows_type(first, scope) and _knows_type(second, scope)
    if turned:
        first, second = second, first
    a = value(first, scope, expected)
    b = value(second, scope, expected if expected is not None or a is None else _type(a))
    if condition is None or a is None or b is None:
        return None
    if a.kind != b.kind:
        unfit(scope, second, b, _WANTED[a.kind])
        return None
    then, otherwise = (b, a) if turned else (a, b)
    return Value(a.kind, If(condition, then.expression, otherwise.expression), a.names or b.names, a.of or b.of)


# ---------- calls


def _call(expr: syntax.Call, scope: Scope) -> Operand | None:
    bare = expr.function.rstrip("'")
    binding = scope.bindings.get(bare)
    if isinstance(binding, PolicyBinding):
        return _pass(expr, bare, binding, scope)
    if isinstance(binding, LostBinding):
        return None
    if isinstance(binding, PredicateBinding) and bare == expr.function:
        if binding.declaration is None:
            for argument in expr.arguments:
                operand(argument, scope)
            return None
        return _predicate(expr, binding.declaration, binding.names, scope)
    if expr.function in _FUNCTIONS:
        return _FUNCTIONS[expr.function](expr, scope)
    declaration = scope.names.predicates.get(expr.function)
    if declaration is not None:
        return _predicate(expr, declaration, scope.names, scope)
    _unknown_function(expr, bare, scope)
    return None


def _unknown_function(expr: syntax.Call, bare: str, scope: Scope) -> None:
    if bare in scope.bindings:
        message = f"`{bare}` is neither a predicate nor a policy, so it cannot be applied to anything"
        scope.report("R005", message, expr.location)
    elif expr.function in scope.names.policies:
        scope.report(
            "R005",
            f"`{expr.function}` is a policy of this file, and only a property's own policy makes passes",
            expr.location,
            "give it to the property as a parameter: `P: policy`",
        )
    else:
        candidates = (
            *scope.names.predicates,
            *BUILT_IN,
            *(n for n, b in scope.bindings.items() if isinstance(b, PolicyBinding | PredicateBinding)),
        )
        scope.report(
            "R005", f"unknown predicate `{expr.function}`", expr.location, suggestion(expr.function, candidates)
        )


def count_fits(expr: syntax.Call, expected: tuple[str, ...], scope: Scope) -> bool:
    """Whether a call has as many arguments as there are words here."""
    if len(expr.arguments) == len(expected):
        return True
    few = f"{len(expected)} argument" + ("" if len(expected) == 1 else "s")
    hint = f"write `{expr.function}({', '.join(expected)})`"
    scope.report("R016", f"`{expr.function}` takes {few}, not {len(expr.arguments)}", expr.location, hint)
    return False


def _predicate(
    expr: syntax.Call, declaration: syntax.PredicateDeclaration, names: Names, scope: Scope
) -> Operand | None:
    entered = enter(expr, declaration, names, scope)
    if entered is None:
        return None
    found = truth(declaration.body, entered)
    return None if found is None else Value("bool", found)


def enter(expr: syntax.Call, declaration: syntax.PredicateDeclaration, names: Names, scope: Scope) -> Scope | None:
    """The scope of a predicate's body at this use; None if the use is wrong (reported) or the predicate is."""
    parameters = declaration.parameters
    if not count_fits(expr, tuple(p.name for p in parameters), scope):
        return None
    bindings: dict[str, Binding] = {}
    homes: set[WindowTerm | None] = set()
    for parameter, argument in zip(parameters, expr.arguments, strict=True):
        found = operand(argument, scope)
        if found is None:
            bindings[parameter.name] = LostBinding(parameter.location)
            continue
        match parameter_kind(parameter), found:
            case "span", SpanRef(core, home):
                bindings[parameter.name] = SpanBinding(core, home, parameter.location)
                homes.add(home)
            case "window", WindowRef(term):
                bindings[parameter.name] = WindowBinding(term, parameter.location)
                homes.add(term)
            case "int", Value("int", number):
                bindings[parameter.name] = ValueBinding("int", number, parameter.location)
            case kind, _:
                wanted = {"span": "a span", "window": "a window", "int": "a number"}.get(kind, f"a {kind}")
                message = f"`{shown(argument)}` is {described(found)}, and `{expr.function}` takes {wanted} here"
                note = (("the parameter is declared here", parameter.location),)
                scope.report("R017", message, argument.location, notes=note)
                bindings[parameter.name] = LostBinding(parameter.location)
    if ("predicate", declaration.name) in names.broken:
        return None
    if any(isinstance(b, LostBinding) for b in bindings.values()):
        return None
    if declaration.schema is not None and scope.schema is not None and declaration.schema != scope.schema.name:
        scope.report(
            "R017",
            f"`{expr.function}` is a predicate for window `{declaration.schema}`, and this is about window `{scope.schema.name}`",
            expr.location,
        )
        return None
    if not afford(1, expr.location, scope):
        return None
    if len(scope.frames) > DEPTH:
        scope.report("R044", f"more than {DEPTH} predicates are used inside one another", expr.location)
        return None
    standing = homes.pop() if len(homes) == 1 else scope.standing if not homes else Unplaced()
    inside = _into(scope, names, bindings, standing)
    return replace(inside, frames=(*scope.frames, Frame("predicate", declaration.name, expr.location)))


def _into(scope: Scope, names: Names, bindings: Mapping[str, Binding], standing: WindowTerm | Unplaced | None) -> Scope:
    """The scope of a definition that is used here: it sees its own names alone, and captures none of ours."""
    return replace(scope, names=names, bindings=bindings, standing=standing)


def parameter_kind(parameter: syntax.Parameter) -> str:
    """The declared kind; without one, a window if the name starts in upper case, else a span."""
    return parameter.kind or ("window" if parameter.name[:1].isupper() else "span")


# ---------- passes


def _pass(expr: syntax.Call, bare: str, policy: PolicyBinding, scope: Scope) -> Operand | None:
    if not count_fits(expr, ("W",), scope):
        return None
    term = _window_term(expr.arguments[0], scope)
    return None if term is None else WindowRef(Pass(policy.core, expr.function[len(bare) :], term, policy.gated))


def _power(expr: syntax.Power, scope: Scope) -> Operand | None:
    policy = _policy(expr.policy, expr.location, scope)
    exponent = fixed_number(expr.exponent, "the number of passes", scope)
    term = _window_term(expr.window, scope)
    if policy is None or exponent is None or term is None:
        return None
    if not 0 <= exponent <= PASSES:
        message = f"`{shown(expr)}` asks for {exponent} passes, and the number is between 0 and {PASSES}"
        scope.report("R044", message, expr.location)
        return None
    binding, run = policy
    for _ in range(exponent):
        term = Pass(binding.core, run, term, binding.gated)
    return WindowRef(term)


def _policy(name: str, location: Location, scope: Scope) -> tuple[PolicyBinding, str] | None:
    """A policy of the property with the primes behind it."""
    bare = name.rstrip("'")
    binding = scope.bindings.get(bare)
    if isinstance(binding, PolicyBinding):
        return binding, name[len(bare) :]
    if not isinstance(binding, LostBinding):
        known = tuple(n for n, b in scope.bindings.items() if isinstance(b, PolicyBinding))
        hint = suggestion(bare, known, f"the policies here are {listing(known)}" if known else None)
        scope.report("R017", f"`{name}` is not a policy, and a policy is needed here", location, hint)
    return None


def _policy_argument(expr: syntax.Expr, scope: Scope) -> tuple[PolicyBinding, str] | None:
    if isinstance(expr, syntax.NameRef):
        return _policy(expr.name, expr.location, scope)
    scope.report("R017", f"`{shown(expr)}` is not a policy, and a policy is needed here", expr.location)
    return None


def _made(expr: syntax.Call, argument: int, scope: Scope) -> Pass | None:
    """The pass `P(W)` of a call whose first argument is P and whose other given argument is W."""
    policy = _policy_argument(expr.arguments[0], scope)
    term = _window_term(expr.arguments[argument], scope)
    if policy is None or term is None:
        return None
    return Pass(policy[0].core, policy[1], term, policy[0].gated)


def _prunable(expr: syntax.Call, scope: Scope) -> Operand | None:
    if not count_fits(expr, ("P", "s", "W"), scope):
        return None
    policy = _policy_argument(expr.arguments[0], scope)
    which = span(expr.arguments[1], scope)
    term = _window_term(expr.arguments[2], scope)
    if scope.inside != "claim" or scope.position.sign != -1 or scope.position.existential:
        why = "a gate looks at one pass" if scope.inside == "gate" else "the claim does not deny it here"
        scope.report(
            "R028",
            f"`prunable` asks whether some pass changes the span, and {why}",
            expr.location,
            "it can stand in `… implies not prunable(P, s, W)`, with `all` around it",
        )
        return None
    if policy is None or which is None or term is None:
        return None
    scope.trail.mentioned.add("prunable")
    scope.trail.labels += 1
    run = "~" * scope.trail.labels
    return Value("bool", changed(which.core, term, Pass(policy[0].core, run, term, policy[0].gated)))


def changed(core: str, term: WindowTerm, after: Pass) -> Expression:
    """The span is gone after the pass, or is not what it was."""
    return Not(And((Present(core, after), SameRecord(core, term, after))))


def _triggered(expr: syntax.Call, scope: Scope) -> Operand | None:
    if not count_fits(expr, ("P", "W"), scope):
        return None
    made = _made(expr, 1, scope)
    return None if made is None else Value("bool", Triggered(made.policy, made.run, made.window))


def _refused(expr: syntax.Call, scope: Scope) -> Operand | None:
    if not count_fits(expr, ("P", "W"), scope):
        return None
    made = _made(expr, 1, scope)
    return None if made is None else Value("bool", Refused(made))


def _logged(expr: syntax.Call, scope: Scope) -> Operand | None:
    if not count_fits(expr, ("P", "s", "W"), scope):
        return None
    made, which = _made(expr, 2, scope), span(expr.arguments[1], scope)
    return None if made is None or which is None else Value("bool", Logged(which.core, made))


def _overridden(expr: syntax.Call, scope: Scope) -> Operand | None:
    if not count_fits(expr, ("P", "s", "W"), scope):
        return None
    made, which = _made(expr, 2, scope), span(expr.arguments[1], scope)
    return None if made is None or which is None else Value("bool", Overridden(which.core, made))


def _rationale(expr: syntax.Call, scope: Scope) -> Operand | None:
    if not count_fits(expr, ("P", "s", "W"), scope):
        return None
    policy, which = _policy_argument(expr.arguments[0], scope), span(expr.arguments[1], scope)
    term = _window_term(expr.arguments[2], scope)
    if policy is None or which is None or term is None:
        return None
    scope.trail.mentioned.add("rationale")
    found = rationale(policy[0], which.core, term, scope)
    return None if found is None else Value("bool", found)


def rationale(policy: PolicyBinding, core: str, term: WindowTerm, scope: Scope) -> Expression | None:
    """The span is one of those that the policy's `because` selects in this window."""
    parts: list[Expression] = []
    for reason in policy.reasons:
        home = reason.scope
        inside = replace(
            home,
            problems=scope.problems,
            standing=term,
            inside="condition",
            taken=home.taken | scope.taken,
            frames=scope.frames,
            position=scope.position.mixed(),
        )
        found = selected(reason.selector, core, term, inside)
        if found is None:
            return None
        parts.append(found)
    return disjunction(tuple(parts))


def selected(selector: syntax.Selector, core: str, term: WindowTerm | None, scope: Scope) -> Expression | None:
    """The condition that a selector selects this span of the window."""
    if selector.condition is not None:
        scope.free(selector.name, selector.location)
        inside = scope.bound(selector.name, SpanBinding(core, term, selector.location))
        return truth(selector.condition, inside)
    found = operand(syntax.NameRef(selector.name, selector.location), scope)
    match found:
        case None:
            return None
        case SpanRef(other, _):
            return SameSpan(core, other)
        case SetRef(which):
            return InSet(core, which)
        case _:
            unfit(scope, syntax.NameRef(selector.name, selector.location), found, "a span or a set of spans")
            return None


# ---------- the other functions


def _control(expr: syntax.Call, scope: Scope) -> Operand | None:
    if not count_fits(expr, ("s",), scope):
        return None
    which = span(expr.arguments[0], scope)
    if which is None or scope.schema is None:
        return None
    scope.trail.mentioned.add("control")
    found = control(which.core, which.home, expr.location, scope)
    return None if found is None else Value("bool", found)


def control(core: str, home: WindowTerm | None, location: Location, scope: Scope) -> Expression | None:
    """The span is in the schema's control set, its record read in the window `home`."""
    assert scope.schema is not None
    if not scope.schema.controls:
        message = f"window `{scope.schema.name}` does not say which spans are its control set"
        hint = f"write `control s where ...` in window `{scope.schema.name}`"
        scope.lacks("R006", "a control set", message, location, hint)
        return None
    if ("window", scope.schema.name) in scope.base.broken:
        return None
    parts: list[Expression] = []
    for declaration in scope.schema.controls:
        binding = SpanBinding(core, home, declaration.location)
        inside = _into(scope, scope.base, {declaration.variable: binding}, home)
        inside = replace(inside, frames=(*scope.frames, Frame("function", "control", location)))
        found = truth(declaration.condition, inside)
        if found is None:
            return None
        parts.append(found)
    return disjunction(tuple(parts))


def _created(expr: syntax.Call, scope: Scope) -> Operand | None:
    if not count_fits(expr, ("s",), scope):
        return None
    which = span(expr.arguments[0], scope)
    return None if which is None else Value("bool", Created(which.core))


def _without(expr: syntax.Call, scope: Scope) -> Operand | None:
    if not count_fits(expr, ("W", "s"), scope):
        return None
    term, which = _window_term(expr.arguments[0], scope), span(expr.arguments[1], scope)
    return None if term is None or which is None else WindowRef(Without(term, which.core))


def _swap(expr: syntax.Call, scope: Scope) -> Operand | None:
    if not count_fits(expr, ("W", "s", "t"), scope):
        return None
    term = _window_term(expr.arguments[0], scope)
    first, second = span(expr.arguments[1], scope), span(expr.arguments[2], scope)
    if term is None or first is None or second is None:
        return None
    return WindowRef(Swapped(term, first.core, second.core))


def _rescore(expr: syntax.Call, scope: Scope) -> Operand | None:
    if not count_fits(expr, ("W", "s"), scope):
        return None
    term, which = _window_term(expr.arguments[0], scope), span(expr.arguments[1], scope)
    return None if term is None or which is None else WindowRef(Rescored(term, which.core))


def _arrive(expr: syntax.Call, scope: Scope) -> Operand | None:
    if not count_fits(expr, ("W", "n"), scope):
        return None
    term, tokens = _window_term(expr.arguments[0], scope), integer(expr.arguments[1], scope)
    field = field_named("tokens", expr.location, scope)
    if term is None or tokens is None or field is None:
        return None
    if field.kind != "int":
        scope.lacks(
            "R006",
            "an int field `tokens`",
            f"`tokens` of window `{scope.schema.name if scope.schema else ''}` is not an int",
            expr.location,
            None,
        )
        return None
    return WindowRef(Arrived(term, tokens))


def _rounded(expr: syntax.Call, scope: Scope) -> Operand | None:
    if not count_fits(expr, ("e",), scope):
        return None
    found = _fraction(expr.arguments[0], scope)
    if found is None:
        return None
    numerator, denominator = found
    if denominator == 1:
        return Value("int", numerator)
    return Value("int", Divide(numerator, denominator, "down" if expr.function == "floor" else "up"))


def _extreme(expr: syntax.Call, scope: Scope) -> Operand | None:
    if len(expr.arguments) < 2:
        scope.report("R016", f"`{expr.function}` takes two numbers or more", expr.location)
        return None
    items = _each(expr.arguments, lambda e: integer(e, scope))
    if items is None:
        return None
    return Value("int", arithmetic.least(items) if expr.function == "min" else arithmetic.greatest(items))


def _same_unit(expr: syntax.Call, scope: Scope) -> Operand | None:
    if not count_fits(expr, ("unit", "s", "t"), scope):
        return None
    first, second = span(expr.arguments[1], scope), span(expr.arguments[2], scope)
    name = expr.arguments[0]
    if not isinstance(name, syntax.NameRef):
        scope.report("R017", f"`{shown(name)}` is not the name of a unit", name.location)
        return None
    unit = _unit(name.name, name.location, scope)
    if first is None or second is None or unit is None:
        return None
    place = _common_home(first, second, None, expr, scope)
    if place is None:
        return None
    core, starts = unit_start(unit, place.term, expr.location, scope)
    if starts is None:
        return None
    parted = Not(Equal(Before(first.core, core, place.term), Before(second.core, core, place.term)))
    return Value("bool", Not(Some(core, place.term, conjunction((starts, parted)))))


_FUNCTIONS: Mapping[str, Callable[[syntax.Call, Scope], Operand | None]] = {
    "control": _control,
    "prunable": _prunable,
    "triggered": _triggered,
    "refused": _refused,
    "logged": _logged,
    "overridden": _overridden,
    "rationale": _rationale,
    "created": _created,
    "without": _without,
    "swap": _swap,
    "rescore": _rescore,
    "arrive": _arrive,
    "floor": _rounded,
    "ceil": _rounded,
    "min": _extreme,
    "max": _extreme,
    "same": _same_unit,
}
