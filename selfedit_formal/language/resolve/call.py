"""Calls: predicates, which are expanded, passes, and the functions of the language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from selfedit_formal.core.expression import WindowTerm
from selfedit_formal.language import foreign, syntax
from selfedit_formal.language.resolve import expression, function, quantifier
from selfedit_formal.language.resolve.names import BUILT_IN, Names
from selfedit_formal.language.resolve.operand import Operand, SpanRef, Value, WindowRef, described, shown
from selfedit_formal.language.resolve.problems import suggestion
from selfedit_formal.language.resolve.scope import (
    Binding,
    LostBinding,
    PolicyBinding,
    PredicateBinding,
    Scope,
    SessionBinding,
    SpanBinding,
    Unplaced,
    Use,
    ValueBinding,
    WindowBinding,
)

DEPTH = 40
"""At most so many predicates inside one another."""


def call(expr: syntax.Call, scope: Scope) -> Operand | None:
    bare = expr.function.rstrip("'")
    binding = scope.bindings.get(bare)
    if isinstance(binding, PolicyBinding):
        return function.passed(expr, bare, binding, scope)
    if isinstance(binding, SessionBinding):
        return function.turned(expr, bare, binding, scope)
    if isinstance(binding, LostBinding):
        return None
    if isinstance(binding, PredicateBinding) and bare == expr.function:
        if binding.declaration is None:
            for argument in expr.arguments:
                expression.operand(argument, scope)
            return None
        return _predicate(expr, binding.declaration, binding.names, scope)
    if expr.function in BUILT_IN:
        return function.applied(expr, scope)
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
        other = foreign.FUNCTIONS.get(bare)
        hint = suggestion(expr.function, candidates) if other is None else f"write `{other}`"
        scope.report("R005", f"unknown predicate `{expr.function}`", expr.location, hint)


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
    found = expression.truth(declaration.body, entered)
    return None if found is None else Value("bool", found)


def enter(expr: syntax.Call, declaration: syntax.PredicateDeclaration, names: Names, scope: Scope) -> Scope | None:
    """The scope of a predicate's body at this use; None if the use is wrong (reported) or the predicate is."""
    parameters = declaration.parameters
    if not count_fits(expr, tuple(p.name for p in parameters), scope):
        return None
    bindings: dict[str, Binding] = {}
    homes: set[WindowTerm | None] = set()
    for parameter, argument in zip(parameters, expr.arguments, strict=True):
        found = expression.operand(argument, scope)
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
            f"`{expr.function}` is for window `{declaration.schema}`, and this is about `{scope.schema.name}`",
            expr.location,
        )
        return None
    if not quantifier.afford(1, expr.location, scope):
        return None
    if len(scope.frames) > DEPTH:
        scope.report("R044", f"more than {DEPTH} predicates are used inside one another", expr.location)
        return None
    standing = homes.pop() if len(homes) == 1 else scope.standing if not homes else Unplaced()
    inside = into(scope, names, bindings, standing)
    return replace(inside, frames=(*scope.frames, Use("predicate", declaration.name, expr.location)))


def into(scope: Scope, names: Names, bindings: Mapping[str, Binding], standing: WindowTerm | Unplaced | None) -> Scope:
    """The scope of a definition that is used here: it sees its own names alone, and captures none of ours."""
    return replace(scope, names=names, bindings=bindings, standing=standing)


def parameter_kind(parameter: syntax.Parameter) -> str:
    """The declared kind; without one, a window if the name starts in upper case, else a span."""
    return parameter.kind or ("window" if parameter.name[:1].isupper() else "span")
