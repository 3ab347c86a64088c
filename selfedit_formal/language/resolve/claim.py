"""The formula of a property as a claim: what it quantifies over in front, what it supposes, and what it then says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace

from selfedit_formal._frozen import dataclass
from selfedit_formal.core.diagnostics import Location
from selfedit_formal.core.expression import ASSUMED, TRUE, All, Expression, Implies, Input, conjunction
from selfedit_formal.core.property import Bound, Claim
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
    Inside,
    LostBinding,
    PolicyBinding,
    PredicateBinding,
    Scope,
    SessionBinding,
    StorePlace,
    Trail,
    Unplaced,
    Use,
    ValueBinding,
    WindowBinding,
)


@dataclass(slots=True)
class _Front:
    """What stands in front of a formula, while it is being taken apart."""

    single: bool
    sessions: bool = False
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
    frames: tuple[Use, ...] = (),
    inside: Inside = "claim",
    taken: frozenset[str] = frozenset(),
    trail: Trail | None = None,
) -> Claim | None:
    """The property's formula with these arguments. A gate's one input is `Input(ASSUMED)`.

    The premise is left to the caller.
    """
    kept = trail if trail is not None else Trail()
    scope = Scope(names, base, problems, schema, inside, Unplaced(), bindings, taken, frames, trail=kept)
    if not isinstance(declaration.body, syntax.Always | syntax.AtMostOnce):
        return _claim(declaration, declaration.body, scope, _Front(single=inside == "gate"))
    word = "at most once" if isinstance(declaration.body, syntax.AtMostOnce) else declaration.body.kind
    scope.report(
        "R055",
        f"`{word}` is about turns, and property `{declaration.name}` is about a policy",
        declaration.body.location,
        "make it a promise of sessions, with `S: session`, or begin with `all W: `",
    )
    return None


def promise_of(
    declaration: syntax.PropertyDeclaration,
    body: syntax.Always,
    bindings: Mapping[str, Binding],
    names: Names,
    base: Names,
    schema: SchemaNames | None,
    problems: Problems,
    *,
    frames: tuple[Use, ...] = (),
    taken: frozenset[str] = frozenset(),
    trail: Trail | None = None,
) -> Claim | None:
    """The formula of a promise of sessions. Its inputs are the windows it names, the earlier one first."""
    kept = trail if trail is not None else Trail()
    scope = Scope(names, base, problems, schema, "claim", Unplaced(), bindings, taken, frames, trail=kept)
    front = _Front(single=False, sessions=True)
    earlier = body.start or body.before
    if earlier is not None:
        scope = _named(earlier, body, scope, front)
    if body.condition is not None:
        front.supposed.append((body.condition, scope.negated()))
    scope = _named(body.window, body, scope, front)
    match body.kind, body.binders:
        case "always", ():
            formula = body.body
        case "never", ():
            formula = syntax.Not(body.body, body.body.location)
        case kind, binders:
            formula = syntax.Quantifier("all" if kind == "always" else "no", binders, body.body, body.location)
    return _claim(declaration, formula, scope, front)


def _named(name: str, body: syntax.Always, scope: Scope, front: _Front) -> Scope:
    scope.free(name, body.location)
    front.inputs.append(name)
    return scope.bound(name, WindowBinding(Input(name), body.location))


def _claim(declaration: syntax.PropertyDeclaration, formula: syntax.Expr, scope: Scope, front: _Front) -> Claim | None:
    consequent = _taken_apart(formula, scope, front)
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
    if front.sessions:
        message = f"`{binder.name}` would be any window, and a promise of sessions is about those behind `always`"
        hint = "write `always W from V: ` or `always V then W: `"
        scope.report("R045", message, binder.location, hint)
        front.spoiled = True
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
    sessions = tuple(p for p in declaration.parameters if p.kind == "session")
    for parameter in declaration.parameters:
        if sessions and (parameter.kind in ("policy", "plan") or parameter in sessions[1:]):
            message = f"a promise of sessions is about one, and takes no {parameter.kind} besides"
            problems.report(
                "R049", message, parameter.location, "its parameters are `S: session`, `I: predicate`, `k: int`"
            )
        if parameter.kind in (None, "span", "window"):
            message = f"a property takes no {parameter_kind(parameter)} parameter"
            hint = "spans and windows are taken with `all`; parameters are `P: policy`, `I: predicate`, `k: int`"
            problems.report("R049", message, parameter.location, hint)
        checked_bounds(parameter.name, parameter.limits, parameter.location, problems)
        bindings[parameter.name] = _unknown_yet(parameter, names)
    if not sessions:
        claim_of(declaration, bindings, names, names, None, problems)
        return
    match always(declaration, problems):
        case syntax.Always() as body:
            promise_of(declaration, body, bindings, names, names, None, problems)
        case syntax.AtMostOnce() as body:
            watched(body, Scope(names, names, problems, None, "claim", Unplaced(), bindings))
        case None:
            pass


def always(declaration: syntax.PropertyDeclaration, problems: Problems) -> syntax.Always | syntax.AtMostOnce | None:
    """What a promise of sessions says; None if it does not begin as one (reported)."""
    match declaration.body:
        case syntax.Always() | syntax.AtMostOnce() as body:
            return body
        case body:
            message = f"property `{declaration.name}` is about a session, and does not say in which windows"
            hint = "begin with `always W: `, `never W: ` or `at most once s in W: `"
            problems.report("R055", message, body.location, hint)
            return None


@dataclass(frozen=True, slots=True)
class Watched:
    """What `at most once` is about: the spans of a variable that satisfy the condition, those that left too or not."""

    window: str
    variable: str
    condition: Expression
    archive: bool


def watched(body: syntax.AtMostOnce, scope: Scope) -> Watched | None:
    """The formula as a condition on the window after a turn."""
    binder = body.binder
    match binder.domain:
        case syntax.NameRef(window):
            archive = False
        case syntax.Call("known", (syntax.NameRef(window),)):
            archive = True
        case _:
            message = f"it is not said in which window `{binder.name}` is"
            scope.report("R055", message, binder.location, f"write `at most once {binder.name} in W: `")
            return None
    scope.free(window, binder.location)
    here = replace(scope, standing=None).bound(window, WindowBinding(None, binder.location))
    variable, inside = here.bind_span(binder.name, None, binder.location)
    where = TRUE if binder.condition is None else truth(binder.condition, inside.mixed())
    then = truth(body.body, inside.mixed())
    return None if where is None or then is None else Watched(window, variable, conjunction((where, then)), archive)


def _unknown_yet(parameter: syntax.Parameter, names: Names) -> Binding:
    place: Location = parameter.location
    match parameter.kind:
        case "policy" | "plan":
            return PolicyBinding(parameter.name, True, (), place)
        case "session":
            return SessionBinding(None, StorePlace(), StorePlace(), place)
        case "predicate":
            return PredicateBinding(None, names, place)
        case "int":
            return ValueBinding("int", None, place)
        case _:
            return LostBinding(place)
