"""The formula of a property as a claim: what it quantifies over in front, what it supposes, and what it then says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace

from selfedit_formal._frozen import dataclass
from selfedit_formal.diagnostics import Location
from selfedit_formal.expression import ASSUMED, TRUE, All, Expression, Implies, Input, conjunction
from selfedit_formal.language import syntax
from selfedit_formal.language.resolve.call import enter, parameter_kind
from selfedit_formal.language.resolve.expression import truth
from selfedit_formal.language.resolve.names import BUILT_IN, Names, SchemaNames
from selfedit_formal.language.resolve.operand import denied
from selfedit_formal.language.resolve.problems import Problems
from selfedit_formal.language.resolve.quantifier import bind, lost, names_in, quantified
from selfedit_formal.language.resolve.schema import checked_bounds, first_of_each
from selfedit_formal.language.resolve.scope import (
    Binding,
    Frame,
    Inside,
    LostBinding,
    PolicyBinding,
    PredicateBinding,
    Scope,
    Trail,
    Unplaced,
    ValueBinding,
    WindowBinding,
)
from selfedit_formal.property import Bound, Claim


@dataclass(slots=True)
class _Front:
    """What stands in front of a formula, while it is being taken apart."""

    single: bool
    inputs: list[str] = field(default_factory=list)
    bound: list[Bound] = field(default_factory=list)
    supposed: list[tuple[syntax.Expr, Scope]] = field(default_factory=list)
    members: list[Expression] = field(default_factory=list)
    spoiled: bool = False


def claim_of(
    declaration: syntax.PropertyDeclaration,
    bindings: Mapping[str, Binding],
    names: Names,
    base: Names,
    schema: SchemaNames | None,
    problems: Problems,
    *,
    frames: tuple[Frame, ...] = (),
    inside: Inside = "claim",
    taken: frozenset[str] = frozenset(),
    trail: Trail | None = None,
) -> Claim | None:
    """The property's formula with these arguments. A gate's one input is `Input(ASSUMED)`.

    The premise is left to the caller.
    """
    kept = trail if trail is not None else Trail()
    scope = Scope(names, base, problems, schema, inside, Unplaced(), bindings, taken, frames, trail=kept)
    front = _Front(single=inside == "gate")
    consequent = _taken_apart(declaration.body, scope, front)
    names_of_bound = frozenset(b.variable for b in front.bound)
    antecedent: list[Expression | None] = list(front.members)
    for expr, where in front.supposed:
        antecedent.append(truth(expr, replace(where, taken=where.taken | names_of_bound)))
    if not front.inputs and not front.spoiled:
        scope.report(
            "R045",
            f"property `{declaration.name}` does not begin with the windows it is about",
            declaration.body.location,
            "begin with `all W: `",
        )
        return None
    known = tuple(a for a in antecedent if a is not None)
    if consequent is None or front.spoiled or len(known) != len(antecedent):
        return None
    return Claim(tuple(front.inputs), tuple(front.bound), TRUE, conjunction(known), consequent)


def closed(claim: Claim) -> Expression:
    """The claim as one expression, its leading spans as quantifiers."""
    found = claim.consequent if claim.antecedent == TRUE else Implies(claim.antecedent, claim.consequent)
    for bound in reversed(claim.bound):
        found = All(bound.variable, bound.window, found)
    return found


def _taken_apart(expr: syntax.Expr, scope: Scope, front: _Front) -> Expression | None:
    """Moves what stands in front into `front` and gives the rest, which has to be true then."""
    match expr:
        case syntax.Quantifier("all" | "no" as kind, binders, body):
            for index, binder in enumerate(binders):
                if isinstance(binder.domain, syntax.Range):
                    return quantified(kind, binders[index:], body, scope)
                scope = _in_front(binder, binders[index + 1 :], body, scope, front)
            if kind == "all":
                return _taken_apart(body, scope, front)
            found = truth(body, replace(scope.negated(), taken=_taken(scope, front)))
            return None if found is None else denied(found)
        case syntax.Binary("implies", left, right):
            front.supposed.append((left, scope.negated()))
            return _taken_apart(right, scope, front)
        case syntax.Call(function) if _is_predicate(function, scope):
            binding = scope.bindings.get(function)
            if isinstance(binding, PredicateBinding):
                declaration, names = binding.declaration, binding.names
            else:
                declaration, names = scope.names.predicates[function], scope.names
            if declaration is None:
                return truth(expr, scope)
            entered = enter(expr, declaration, names, scope)
            return None if entered is None else _taken_apart(declaration.body, entered, front)
        case _:
            return truth(expr, replace(scope, taken=_taken(scope, front)))


def _taken(scope: Scope, front: _Front) -> frozenset[str]:
    return scope.taken | {b.variable for b in front.bound}


def _is_predicate(function: str, scope: Scope) -> bool:
    binding = scope.bindings.get(function)
    if binding is not None:
        return isinstance(binding, PredicateBinding)
    return function not in BUILT_IN and function in scope.names.predicates


def _in_front(
    binder: syntax.Binder, rest: tuple[syntax.Binder, ...], body: syntax.Expr, scope: Scope, front: _Front
) -> Scope:
    if binder.domain is None and binder.name[:1].isupper():
        inside = _input(binder, scope, front)
    else:
        found = bind(binder, names_in(body, binder.condition, *rest), scope)
        if found is None:
            front.spoiled = True
            return _also(binder, lost(binder, scope), front)
        if found.term is None:
            front.spoiled = True
            scope.report("R013", "a property quantifies over the spans of windows", binder.location)
            return _also(binder, lost(binder, scope), front)
        front.bound.append(Bound(found.core, found.term))
        if found.member != TRUE:
            front.members.append(found.member)
        inside = found.inside
    return _also(binder, inside, front)


def _also(binder: syntax.Binder, inside: Scope, front: _Front) -> Scope:
    if binder.condition is not None:
        front.supposed.append((binder.condition, inside.negated()))
    return inside


def _input(binder: syntax.Binder, scope: Scope, front: _Front) -> Scope:
    scope.free(binder.name, binder.location)
    if front.single and front.inputs:
        scope.report("R045", "a gate looks at one window, and the property speaks of two", binder.location)
        front.spoiled = True
    name = ASSUMED if front.single else binder.name
    front.inputs.append(name)
    return scope.bound(binder.name, WindowBinding(Input(name), binder.location))


def checked_alone(declaration: syntax.PropertyDeclaration, names: Names, problems: Problems) -> None:
    """Looks at a property by itself, for no schema and no policy in particular."""
    bindings: dict[str, Binding] = {}
    first_of_each(tuple((p.name, p.location) for p in declaration.parameters), "parameter", problems)
    for parameter in declaration.parameters:
        if parameter.kind in (None, "span", "window"):
            message = f"a property takes no {parameter_kind(parameter)} parameter"
            hint = "spans and windows are taken with `all`; parameters are `P: policy`, `I: predicate`, `k: int`"
            problems.report("R049", message, parameter.location, hint)
        checked_bounds(parameter.name, parameter.limits, parameter.location, problems)
        bindings[parameter.name] = _unknown_yet(parameter, names)
    claim_of(declaration, bindings, names, names, None, problems)


def _unknown_yet(parameter: syntax.Parameter, names: Names) -> Binding:
    place: Location = parameter.location
    match parameter.kind:
        case "policy" | "plan":
            return PolicyBinding(parameter.name, True, (), place)
        case "predicate":
            return PredicateBinding(None, names, place)
        case "int":
            return ValueBinding("int", None, place)
        case _:
            return LostBinding(place)
