"""What a reference to a property or a policy gives: numbers, predicates and further policies."""

from __future__ import annotations

from collections.abc import Callable

from selfedit_formal.language import syntax
from selfedit_formal.language.resolve import arithmetic
from selfedit_formal.language.resolve.arguments import matched, within_bounds
from selfedit_formal.language.resolve.expression import integer
from selfedit_formal.language.resolve.instance import Instance, SessionInstance
from selfedit_formal.language.resolve.names import Names
from selfedit_formal.language.resolve.operand import shown
from selfedit_formal.language.resolve.problems import Problems, listing, suggestion
from selfedit_formal.language.resolve.scope import (
    Binding,
    PredicateBinding,
    Scope,
    ValueBinding,
)


def property_bindings(
    reference: syntax.Reference,
    declaration: syntax.PropertyDeclaration,
    target: Instance | SessionInstance,
    names: Names,
    problems: Problems,
    *,
    policies: Callable[[syntax.Argument], Binding | None] | None = None,
) -> dict[str, Binding] | None:
    """What the parameters stand for: the first policy or session is the target, the rest is given by the reference.

    `policies` resolves further policies; without it the property is a gate's, which sees ungated passes alone.
    None if something is wrong (reported).
    """
    kinds = ("session",) if isinstance(target, SessionInstance) else ("policy", "plan")
    first = next((p for p in declaration.parameters if p.kind in kinds), None)
    if first is None:
        message = f"property `{declaration.name}` takes no policy, so it says nothing of `{target.name}`"
        problems.report("R017", message, reference.location)
        return None
    binding = target.binding() if isinstance(target, SessionInstance) else target.binding(gated=policies is not None)
    bindings: dict[str, Binding] = {first.name: binding}
    rest = tuple(p for p in declaration.parameters if p is not first)
    before = len(problems)
    arguments = matched(reference, rest, "property", problems)
    if len(problems) != before:
        return None
    missing = [p.name for p in rest if p.name not in arguments]
    if missing:
        needs = f"property `{declaration.name}` needs {listing(missing)}"
        hint = f"write `{declaration.name}({', '.join(p.name for p in rest)})` with what each stands for"
        problems.report("R016", needs, reference.location, hint, (("it is declared here", declaration.location),))
        return None
    for parameter in rest:
        found = _property_argument(arguments[parameter.name], parameter, target, names, problems, policies)
        if found is None:
            return None
        bindings[parameter.name] = found
    return bindings


def _property_argument(
    argument: syntax.Argument,
    parameter: syntax.Parameter,
    target: Instance | SessionInstance,
    names: Names,
    problems: Problems,
    policies: Callable[[syntax.Argument], Binding | None] | None,
) -> Binding | None:
    match parameter.kind:
        case "predicate":
            return _predicate_argument(argument, names, problems)
        case "int":
            return _number_argument(argument, parameter, target, names, problems)
        case "policy" | "plan":
            if policies is None:
                message = "a gate looks at one policy, and this property compares two"
                problems.report("R045", message, argument.location)
                return None
            return policies(argument)
        case _:
            return None


def _predicate_argument(argument: syntax.Argument, names: Names, problems: Problems) -> Binding | None:
    if isinstance(argument.value, syntax.NameRef):
        found = names.predicates.get(argument.value.name)
        if found is not None:
            broken = ("predicate", found.name) in names.broken
            return None if broken else PredicateBinding(found, names, found.location)
        name = argument.value.name
        hint = suggestion(name, names.predicates)
        problems.report("R005", f"unknown predicate `{name}`", argument.location, hint)
        return None
    message = f"`{shown(argument.value)}` is not the name of a predicate, and one is needed here"
    problems.report("R017", message, argument.location)
    return None


def _number_argument(
    argument: syntax.Argument,
    parameter: syntax.Parameter,
    target: Instance | SessionInstance,
    names: Names,
    problems: Problems,
) -> Binding | None:
    scope = parameter_scope(target, names, problems)
    found = integer(argument.value, scope)
    if found is None:
        return None
    if not arithmetic.rigid(found):
        message = f"`{parameter.name}` is given a number that hangs on the window"
        hint = "a promise is given numbers and the parameters of what it is asked of"
        problems.report("R043", message, argument.location, hint)
        return None
    open_bounds = {d.name: (d.low, d.high) for d in target.open}
    if not within_bounds(parameter, found, open_bounds, argument.location, problems):
        return None
    return ValueBinding("int", found, parameter.location)


def parameter_scope(target: Instance | SessionInstance, names: Names, problems: Problems) -> Scope:
    """A scope with nothing but the parameters of the policy or session."""
    bindings: dict[str, Binding] = {n: ValueBinding("int", e, target.location) for n, e in target.parameters.items()}
    return Scope(names, names, problems, target.schema, "assumption", None, bindings)
