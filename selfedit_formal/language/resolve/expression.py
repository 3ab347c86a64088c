"""Expressions: from the notation to the typed core.

Every function reports what is wrong and then returns None, which its callers pass on in silence: one mistake, one
message. `expression`, `number`, `quantifier`, `call` and `function` are one recursion over the notation, in five files.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from selfedit_formal.core.diagnostics import Location
from selfedit_formal.core.expression import (
    Before,
    Bool,
    Compare,
    Equal,
    Expression,
    If,
    Implies,
    InSet,
    Int,
    Known,
    Linked,
    Name,
    Not,
    Present,
    Reaches,
    Read,
    SameRecord,
    SameSpan,
    SameWindow,
    WindowTerm,
    conjunction,
    disjunction,
)
from selfedit_formal.core.session import HISTORY
from selfedit_formal.core.window import COVERS, NO_KEY, TAG, Field, Kind, Schema
from selfedit_formal.language import foreign, syntax
from selfedit_formal.language.resolve import arithmetic, call, function, numbers, quantifier
from selfedit_formal.language.resolve.operand import (
    WANTED,
    Expected,
    NoneTerm,
    Operand,
    Record,
    SetRef,
    SpanRef,
    Value,
    WindowRef,
    denied,
    described,
    shown,
    type_of,
    unfit,
)
from selfedit_formal.language.resolve.problems import listing, suggestion
from selfedit_formal.language.resolve.scope import (
    Binding,
    LostBinding,
    PolicyBinding,
    PredicateBinding,
    Scope,
    SessionBinding,
    SetBinding,
    SpanBinding,
    ValueBinding,
    WindowBinding,
)

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
    unfit(scope, expr, found, WANTED[kind])
    return None


def value(expr: syntax.Expr, scope: Scope, expected: Expected | None = None) -> Value | None:
    """A value, of the kind expected if one is."""
    found = operand(expr, scope, expected)
    if found is None:
        return None
    if isinstance(found, NoneTerm) and (expected is None or expected.kind == "key"):
        return Value("key", Name("key", NO_KEY))
    named = expected is not None and expected.kind == "enum" and expected.of
    wanted = "a value" if expected is None else f"a name of `{expected.of}`" if named else WANTED[expected.kind]
    if not isinstance(found, Value) or (expected is not None and not fits(found, expected)):
        unfit(scope, expr, found, wanted)
        return None
    return found


def fits(found: Value, expected: Expected) -> bool:
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


def window_term(expr: syntax.Expr, scope: Scope) -> WindowTerm | None:
    """A window that has a term of its own: not the current window of a pass, nor all that a window knows."""
    found = window(expr, scope)
    if found is None:
        return None
    if found.term is None:
        where = "the window after a turn, and `at most once` only looks at what stands in it"
        if scope.inside != "claim":
            where = "the current window of the pass, and only properties compare windows"
        scope.report("R013", f"`{shown(expr)}` is {where}", expr.location)
    if isinstance(found.term, Known):
        message = f"`{shown(expr)}` has spans that left, so it is no window that is compared or that a policy gets"
        hint = "it says where spans are taken from: `all s in known(W): …`"
        scope.report("R013", message, expr.location, hint)
        return None
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
            return named(expr, scope, expected)
        case syntax.Attribute():
            return _attribute(expr, scope)
        case syntax.Index(base, name):
            place = window(base, scope)
            which = span_named(name, expr.location, scope)
            if place is None or which is None:
                return None
            return Record(which, place.term.window if isinstance(place.term, Known) else place.term)
        case syntax.Call():
            return call.call(expr, scope)
        case syntax.Power():
            return function.power(expr, scope)
        case syntax.Not(item):
            inner = truth(item, scope.negated())
            return None if inner is None else Value("bool", denied(inner))
        case syntax.Negative(item):
            number_ = integer(item, scope)
            return None if number_ is None else Value("int", arithmetic.negative(number_))
        case syntax.Junction(operator, items):
            parts = each(items, lambda e: truth(e, scope))
            if parts is None:
                return None
            return Value("bool", conjunction(parts) if operator == "and" else disjunction(parts))
        case syntax.Binary():
            return _binary(expr, scope)
        case syntax.Chain():
            return numbers.chain(expr, scope)
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
            found = quantifier.quantified(kind, binders, body, scope)
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
            return numbers.count(expr, scope)
        case syntax.UnitCount():
            return numbers.unit_count(expr, scope)
        case syntax.TotalTerm():
            return numbers.total(expr, scope)


def each(
    items: tuple[syntax.Expr, ...], resolve: Callable[[syntax.Expr], Expression | None]
) -> tuple[Expression, ...] | None:
    found = [resolve(i) for i in items]
    kept = tuple(f for f in found if f is not None)
    return kept if len(kept) == len(found) else None


# ---------- names and fields


def named(
    expr: syntax.NameRef, scope: Scope, expected: Expected | None, otherwise: str | None = None
) -> Operand | None:
    """What is named so. `otherwise`: a hint if nothing is."""
    if expected is not None and expected.kind == "enum" and expr.name in expected.names:
        return Value("enum", Name("enum", expr.name), expected.names, expected.of)
    binding = scope.bindings.get(expr.name)
    if binding is None:
        _unknown_name(expr, scope, expected, otherwise)
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
        case SessionBinding():
            hint = f"write `{expr.name}(W)` for the window after a turn"
            scope.report("R013", f"`{expr.name}` is a session, and a value is needed here", expr.location, hint)
            return None
        case LostBinding():
            return None


def _unknown_name(expr: syntax.NameRef, scope: Scope, expected: Expected | None, hint: str | None) -> None:
    if expected is not None and expected.kind == "enum" and scope.schema is not None and expected.names:
        unknown_enum_name(expr.name, expected, expr.location, scope)
        return
    if expected is not None and expected.kind == "key":
        scope.report(
            "R001",
            f"unknown name `{expr.name}`: a key is compared with the keys of other spans or with `none`",
            expr.location,
        )
        return
    past = scope.trail.past.get(expr.name)
    if past is not None:
        scope.report(
            "R014",
            f"`{expr.name}` is not bound here",
            expr.location,
            "`because` speaks of the window before the pass, where no `let` has run"
            if scope.inside == "condition"
            else "a name holds in its own statement, a `let` up to the end of its block",
            (("it is bound here, for another place", past),),
        )
        return
    if expr.name in scope.trail.unknown:
        return
    scope.trail.unknown.add(expr.name)
    other = foreign.VALUES.get(expr.name)
    near = suggestion(expr.name, scope.bindings, hint) if other is None else f"write `{other}`"
    scope.report("R001", f"unknown name `{expr.name}`", expr.location, near)


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
        message = f"`{name}` is a name of window `{other}`, and this is about window `{scope.schema.name}`"
        scope.lacks("R008", needs, message, location, hint)
    else:
        scope.lacks("R007", needs, f"window `{scope.schema.name}` has no {what} `{name}`", location, hint)


def field_named(name: str, location: Location, scope: Scope) -> Field | None:
    """The schema's field, or a report that there is none."""
    if scope.schema is None:
        return None
    fields = tuple(f for f in scope.schema.schema.fields if not f.history or scope.sees(f))
    found = next((f for f in fields if f.name == name), None)
    if found is not None:
        return found
    past = name in {f.name for f in HISTORY}
    if past and scope.inside in ("pass", "gate", "condition") and scope.base.sessions:
        message = f"`{name}` is what a session knows of a span's past, and a policy sees the window alone"
        scope.report("R053", message, location, "promises of sessions, their `start` and `invariant` may read it")
        return None
    names = tuple(f.name for f in fields)
    hint = suggestion(name, names, f"it has {listing(names)}")
    if past and scope.inside == "claim":
        hint = "it belongs to sessions: ask it of one, with `S: session`"
    scope.lacks("R006", f"the field `{name}`", f"window `{scope.schema.name}` has no field `{name}`", location, hint)
    return None


def _attribute(expr: syntax.Attribute, scope: Scope) -> Operand | None:
    if isinstance(expr.base, syntax.NameRef):
        name = expr.base.name
        hint = f"a span is named where it is chosen: `set {name} where …`, or `some {name}: {shown(expr)}`"
        base = named(expr.base, scope, None, hint)
    else:
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
        case ((Value() as a), (Value() as b)) if fits(a, type_of(b)):
            same: Expression = Equal(a.expression, b.expression)
        case SpanRef(first, _), SpanRef(second, _):
            same = SameSpan(first, second)
        case (SpanRef(core, _), NoneTerm()) | (NoneTerm(), SpanRef(core, _)):
            same = Not(SameSpan(core, core))
        case WindowRef(), WindowRef():
            first_term = window_term(expr.left, scope)
            second_term = None if first_term is None else window_term(expr.right, scope)
            if first_term is None or second_term is None:
                return None
            same = SameWindow(first_term, second_term)
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


def _both(left: syntax.Expr, right: syntax.Expr, scope: Scope) -> tuple[Operand, Operand] | None:
    """Both sides of an equality; the side that knows its type goes first and tells the other what is expected."""
    if not knowstype_of(left, scope) and knowstype_of(right, scope):
        swapped = _both(right, left, scope)
        return None if swapped is None else (swapped[1], swapped[0])
    first = operand(left, scope)
    if first is None:
        if knowstype_of(right, scope):
            operand(right, scope)
        return None
    expected = type_of(first) if isinstance(first, Value) else None
    second = operand(right, scope, expected)
    return None if second is None else (first, second)


def knowstype_of(expr: syntax.Expr, scope: Scope) -> bool:
    match expr:
        case syntax.NameRef(name):
            return False if name not in scope.bindings else not _is_enum_name(name, scope)
        case syntax.Nothing():
            return False
        case syntax.Conditional(_, then, otherwise):
            return knowstype_of(then, scope) or knowstype_of(otherwise, scope)
        case _:
            return True


def _is_enum_name(name: str, scope: Scope) -> bool:
    return scope.schema is not None and any(name in f.names for f in scope.schema.schema.fields)


def _conditional(expr: syntax.Conditional, scope: Scope, expected: Expected | None) -> Operand | None:
    condition = truth(expr.condition, scope.mixed())
    first, second = expr.then, expr.otherwise
    turned = not knowstype_of(first, scope) and knowstype_of(second, scope)
    if turned:
        first, second = second, first
    a = value(first, scope, expected)
    b = value(second, scope, expected if expected is not None or a is None else type_of(a))
    if condition is None or a is None or b is None:
        return None
    if a.kind != b.kind:
        unfit(scope, second, b, WANTED[a.kind])
        return None
    then, otherwise = (b, a) if turned else (a, b)
    names = tuple(dict.fromkeys((*then.names, *otherwise.names)))
    return Value(a.kind, If(condition, then.expression, otherwise.expression), names, a.of or b.of)


def _in_names(expr: syntax.InNames, scope: Scope) -> Operand | None:
    item = value(expr.item, scope)
    if item is None:
        return None
    if item.kind != "enum":
        unfit(scope, expr.item, item, "a field with listed names")
        return None
    expected = type_of(item)
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


def common_home(
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
    place = common_home(left, right, expr.window, expr, scope)
    if place is None:
        return None
    first, second = (left, right) if expr.direction == "before" else (right, left)
    found = Before(first.core, second.core, place.term)
    return Value("bool", denied(found) if expr.negated else found)


def _has_link(name: str, schema: Schema) -> bool:
    return name == COVERS or any(k.name == name for k in schema.links)


def _link_named(name: str, location: Location, scope: Scope) -> bool:
    if scope.schema is None:
        return False
    if _has_link(name, scope.schema.schema):
        return True
    links = tuple(k.name for k in scope.schema.schema.links)
    otherwise = f"it has {listing(links)}" if links else "it declares no links"
    message = f"window `{scope.schema.name}` has no link `{name}`"
    scope.lacks("R009", f"the link `{name}`", message, location, suggestion(name, (*links, COVERS), otherwise))
    return False


def _link_test(expr: syntax.LinkTest, scope: Scope) -> Operand | None:
    operator = foreign.OPERATORS.get(expr.link)
    if operator is not None and scope.schema is not None and not _has_link(expr.link, scope.schema.schema):
        scope.report("R009", f"`{expr.link}` is no operator, and no link", expr.location, f"write `{operator}`")
        return None
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
    place = common_home(left, right, expr.window, expr, scope)
    if place is None or not known:
        return None
    return Value("bool", Reaches(expr.link, left.core, right.core, place.term))
