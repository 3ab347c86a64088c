"""Checks: each pair of a policy and a property as an obligation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import cast, get_args

from selfedit_formal.core.diagnostics import Location
from selfedit_formal.core.expression import (
    ASSUMED,
    Expression,
    Input,
    Int,
    Known,
    Not,
    Origin,
    Parameter,
    Pass,
    Read,
    Some,
    conjunction,
)
from selfedit_formal.core.property import Bound, Claim, Expectation, Obligation, Witness
from selfedit_formal.core.session import Session, Turns
from selfedit_formal.core.window import Field
from selfedit_formal.language import foreign, syntax
from selfedit_formal.language.print import print_expression, print_promise, print_reference
from selfedit_formal.language.resolve import arithmetic
from selfedit_formal.language.resolve.arguments import matched, within_bounds
from selfedit_formal.language.resolve.claim import Watched, always, claim_of, promise_of, watched
from selfedit_formal.language.resolve.expression import integer
from selfedit_formal.language.resolve.function import changed, control, rationale
from selfedit_formal.language.resolve.given import parameter_scope, property_bindings
from selfedit_formal.language.resolve.instance import Instance, SessionInstance
from selfedit_formal.language.resolve.names import Names, SchemaNames, SessionNames
from selfedit_formal.language.resolve.operand import shown
from selfedit_formal.language.resolve.policy import instance
from selfedit_formal.language.resolve.problems import Problems, listing, suggestion
from selfedit_formal.language.resolve.schema import assumption
from selfedit_formal.language.resolve.scope import Binding, Scope, Trail, Unplaced, Use, unused
from selfedit_formal.language.resolve.session import Watch, session_instance
from selfedit_formal.language.resolve.shipped import kind_named, property_named

EXPECTATIONS: tuple[str, ...] = get_args(Expectation)


def obligations(check: syntax.CheckDeclaration, names: Names, problems: Problems) -> tuple[Obligation, ...]:
    """One for each property of the check. What is wrong is reported and left out."""
    if check.expect is not None and check.expect not in EXPECTATIONS:
        other = foreign.EXPECTATIONS.get(check.expect)
        hint = suggestion(check.expect, EXPECTATIONS, f"it is one of {listing(EXPECTATIONS)}")
        hint = hint if other is None else f"did you mean `{other}`?"
        problems.report("R020", f"unknown expectation `{check.expect}`", check.location, hint)
        check = replace(check, expect=None)
    target = asked(check.target, names, problems)
    if target is None:
        for reference in check.properties:
            kind = kind_named(reference.name, names)
            if check.target.name in names.sessions:
                kind = "session"
            elif check.target.name in names.policies:
                kind = "policy"
            property_named(reference.name, reference.location, names, problems, kind, check.target.name)
        return ()
    found = (obligation_of(check, target, reference, names, problems) for reference in check.properties)
    return tuple(o for o in found if o is not None)


def asked(reference: syntax.Reference, names: Names, problems: Problems) -> Instance | SessionInstance | None:
    """The policy, plan or session that a check is about, with the constants that it gives. None if it is wrong."""
    session = names.sessions.get(reference.name)
    if session is not None:
        return _session(reference, session, names, problems)
    if reference.name not in names.policies:
        hint = suggestion(reference.name, (*names.policies, *names.sessions))
        message = f"unknown policy, plan or session `{reference.name}`"
        problems.report("R003", message, reference.location, hint)
        return None
    return called(reference, names, problems)


def obligation_of(
    check: syntax.CheckDeclaration,
    target: Instance | SessionInstance,
    reference: syntax.Reference,
    names: Names,
    problems: Problems,
) -> Obligation | None:
    """The obligation that the target keeps this promise; None if something is wrong (reported)."""
    match target:
        case Instance():
            return _of_policy(check, target, reference, names, problems)
        case SessionInstance():
            return _of_session(check, target, reference, names, problems)


def _of_policy(
    check: syntax.CheckDeclaration, target: Instance, reference: syntax.Reference, names: Names, problems: Problems
) -> Obligation | None:
    if check.turns is not None:
        message = f"`{check.target.name}` is no session, and only sessions have turns"
        problems.report("R057", message, check.location, "leave the turns out, or check a session that applies it")
    entry = property_named(reference.name, reference.location, names, problems, "policy", target.name)
    if entry is None:
        return None
    declaration, home = entry
    others: dict[str, Instance] = {}
    bindings = property_bindings(
        reference,
        declaration,
        target,
        names,
        problems,
        policies=lambda argument: _policy_argument(argument, target, names, problems, others),
    )
    if bindings is None:
        return None
    instances = (target, *others.values())
    spans = tuple(dict.fromkeys(s for i in instances for s in i.policy.spans))
    trail = Trail()
    claim = claim_of(
        declaration,
        bindings,
        home,
        names,
        target.schema,
        problems,
        frames=(Use("property", declaration.name, reference.location),),
        taken=frozenset(spans),
        trail=trail,
    )
    if claim is None:
        return None
    if target.fixed is not None and len(claim.inputs) != 1:
        message = f"`{target.policy.name}` stands on one window, and `{declaration.name}` is about {len(claim.inputs)}"
        problems.report("R045", message, reference.location)
        return None
    taken = frozenset(spans) | {b.variable for b in claim.bound}
    premise = _premise(check, target, claim.inputs, taken, names, problems)
    if premise is None:
        return None
    made = _obligation(check, reference, declaration, target.schema, replace(claim, premise=premise))
    return replace(
        made,
        policies=tuple(i.policy for i in instances),
        parameters=tuple(p for i in instances for p in i.policy.parameters),
        spans=spans,
        fixed=target.fixed,
        witnesses=_witnesses(target, claim.inputs[0], trail, reference.location, names, problems),
    )


def _obligation(
    check: syntax.CheckDeclaration,
    reference: syntax.Reference,
    declaration: syntax.PropertyDeclaration,
    schema: SchemaNames,
    claim: Claim,
) -> Obligation:
    """What an obligation has from its check and promise. Its policies are still to come."""
    text = print_reference(reference)
    name = f"{print_reference(check.target)}: {text}"
    return Obligation(
        name=name,
        schema=schema.schema,
        policies=(),
        property=text,
        claim=claim,
        within=check.within,
        expect=cast("Expectation | None", check.expect),
        origin=Origin(f"check {name}", reference.location),
        location=reference.location,
        doc=check.doc,
        promise=declaration.doc,
        formula=print_promise(declaration.body),
        within_turns=check.turns,
        assuming=tuple(map(print_expression, check.assumptions)),
    )


# ---------- sessions


def _session(
    reference: syntax.Reference, session: SessionNames, names: Names, problems: Problems
) -> SessionInstance | None:
    integers = tuple(p for p in session.declaration.parameters if p.kind == "int")
    given = _given(reference, integers, "session", names, problems, {})
    if given is None or ("session", session.declaration.name) in names.broken:
        return None
    return session_instance(session, names, problems, given=given)


def _of_session(
    check: syntax.CheckDeclaration,
    target: SessionInstance,
    reference: syntax.Reference,
    names: Names,
    problems: Problems,
    *,
    apart: bool = False,
) -> Obligation | None:
    """With `left_alone` in the promise, once more for the session whose books are kept where nothing else happens."""
    entry = property_named(reference.name, reference.location, names, problems, "session", target.name)
    if entry is None:
        return None
    declaration, home = entry
    bindings = property_bindings(reference, declaration, target, names, problems)
    body = always(declaration, problems)
    if bindings is None or body is None:
        return None
    frames = (Use("property", declaration.name, reference.location),)
    trail = Trail()
    match body:
        case syntax.Always():
            found = promise_of(
                declaration, body, bindings, home, names, target.schema, problems, frames=frames, trail=trail
            )
            claim, session = found, target.session
            about = Turns(session, body.window, body.before, body.start)
        case syntax.AtMostOnce():
            scope = Scope(home, names, problems, target.schema, "claim", Unplaced(), bindings, frozenset(), frames)
            watch = watched(body, replace(scope, trail=trail))
            made = None if watch is None else _watching(watch, target, names, problems)
            if watch is None or made is None:
                return None
            claim, session = made
            about = Turns(session, watch.window)
    if claim is None:
        return None
    if "left_alone" in trail.mentioned and not apart:
        again = session_instance(names.sessions[target.name], names, problems, given=target.parameters, apart=True)
        return None if again is None else _of_session(check, again, reference, names, problems, apart=True)
    start = _premise(check, target, (ASSUMED,), frozenset(), names, problems, assumed=False)
    if start is None:
        return None
    session = replace(session, start=conjunction((session.start, start)))
    return replace(
        _obligation(check, reference, declaration, target.schema, claim),
        schema=session.schema,
        policies=tuple(dict.fromkeys((*session.applied(), *session.policies()))),
        parameters=session.parameters,
        witnesses=_witnesses(target, about.reached, trail, reference.location, names, problems),
        turns=replace(about, session=session),
    )


def _watching(
    found: Watched, target: SessionInstance, names: Names, problems: Problems
) -> tuple[Claim, Session] | None:
    """The claim that no span was seen twice, and the session that remembers which spans were."""
    known = frozenset(f.name for f in target.schema.schema.fields)
    once, twice = (Field(unused(name, known), "bool", history=True) for name in ("once", "twice"))
    watch = Watch(found.variable, found.condition, found.archive, once, twice)
    made = session_instance(names.sessions[target.name], names, problems, given=target.parameters, watch=watch)
    if made is None:
        return None
    window = Known(Input(found.window))
    bound = Bound(found.variable, window)
    return Claim(
        (found.window,), (bound,), consequent=Not(Read(found.variable, twice.name, "bool", window))
    ), made.session


# ---------- what is assumed, and what must be possible


def _premise(
    check: syntax.CheckDeclaration,
    target: Instance | SessionInstance,
    inputs: tuple[str, ...],
    taken: frozenset[str],
    names: Names,
    problems: Problems,
    *,
    assumed: bool = True,
) -> Expression | None:
    """The schema's assumptions (if wanted) and the check's, each of every input window."""
    found: dict[Expression, None] = {}
    before = len(problems)
    schema_scope = Scope(names, names, problems, target.schema, "assumption", None, taken=taken)
    scope = replace(parameter_scope(target, names, problems), taken=taken)
    for name in inputs:
        for declared in target.schema.assumed if assumed else ():
            item = assumption(declared.condition, name, declared.location, schema_scope)
            if item is not None:
                found.setdefault(item)
        for condition in check.assumptions:
            item = assumption(_applied(condition, names), name, condition.location, scope)
            if item is not None:
                found.setdefault(item)
    return conjunction(tuple(found)) if len(problems) == before else None


def _applied(condition: syntax.Expr, names: Names) -> syntax.Expr:
    """A predicate's name alone is the predicate of the window."""
    match condition:
        case syntax.NameRef(name, location) if name in names.predicates:
            return syntax.Call(name, (syntax.NameRef(ASSUMED, location),), location)
        case _:
            return condition


def _witnesses(
    target: Instance | SessionInstance, name: str, trail: Trail, location: Location, names: Names, problems: Problems
) -> tuple[Witness, ...]:
    """What must be possible for the promise to say anything: the sets it speaks of are not empty."""
    window = Input(name)
    spans = frozenset(target.policy.spans) if isinstance(target, Instance) else frozenset()
    scope = Scope(names, names, problems, target.schema, "claim", window, taken=spans)
    variable = scope.fresh("s")
    inside = replace(scope, taken=spans | {variable})
    found: list[Witness] = []
    if "control" in trail.mentioned:
        condition = control(variable, window, location, inside)
        if condition is not None:
            found.append(Witness("no window has a control span", Some(variable, window, condition)))
    if isinstance(target, SessionInstance):
        return tuple(found)
    policy = target.policy.name
    if "prunable" in trail.mentioned:
        prunable = changed(variable, window, Pass(policy, "~", window))
        found.append(Witness(f"`{policy}` can change no span", Some(variable, window, prunable)))
    if "rationale" in trail.mentioned:
        reason = rationale(target.binding(), variable, window, inside)
        if reason is not None:
            found.append(Witness(f"`{policy}` gives no span as its reason", Some(variable, window, reason)))
    return tuple(found)


def given_numbers(arguments: Mapping[str, int], location: Location) -> tuple[syntax.Argument, ...] | None:
    """Arguments as a check would give them; None if there are none."""
    found = tuple(syntax.Argument(name, syntax.Number(value, location), location) for name, value in arguments.items())
    return found or None


def _policy_argument(
    argument: syntax.Argument, target: Instance, names: Names, problems: Problems, others: dict[str, Instance]
) -> Binding | None:
    match argument.value:
        case syntax.NameRef(name, location):
            reference = syntax.Reference(name, None, location)
        case syntax.Call(name, arguments, location):
            given = tuple(syntax.Argument(None, a, a.location) for a in arguments)
            reference = syntax.Reference(name, given, location)
        case other:
            problems.report("R017", f"`{shown(other)}` is not a policy, and one is needed here", argument.location)
            return None
    taken = {target.policy.name} | others.keys()
    open_names = {d.name for i in (target, *others.values()) for d in i.policy.parameters}
    found = called(reference, names, problems, taken=taken, open_names=open_names)
    if found is None:
        return None
    if found.schema.name != target.schema.name:
        mine, theirs = target.schema.name, found.schema.name
        message = f"`{reference.name}` is for window `{theirs}`, and `{target.policy.name}` for `{mine}`"
        problems.report("R047", message, argument.location)
        return None
    if found.fixed is not None:
        message = f"`{reference.name}` stands on one window, so it cannot be compared on others"
        problems.report("R047", message, argument.location)
        return None
    others[found.policy.name] = found
    return found.binding()


def called(
    reference: syntax.Reference,
    names: Names,
    problems: Problems,
    *,
    taken: set[str] | frozenset[str] = frozenset(),
    open_names: set[str] | frozenset[str] = frozenset(),
) -> Instance | None:
    """A policy or plan with the constants that a check gives it. Parameters called like open ones are qualified, by a
    name that none of those has: the policy may be one of them already."""
    declaration = names.policies.get(reference.name)
    if declaration is None:
        hint = suggestion(reference.name, names.policies)
        problems.report("R003", f"unknown policy or plan `{reference.name}`", reference.location, hint)
        return None
    what = "plan" if isinstance(declaration, syntax.PlanDeclaration) else "policy"
    integers = tuple(p for p in declaration.parameters if p.kind == "int")
    name = unused(declaration.name, set(taken))
    qualified = {n: Parameter(f"{name}.{n}") for n in open_names}
    given = _given(reference, integers, what, names, problems, qualified)
    if given is None or ("policy", declaration.name) in names.broken:
        return None
    return instance(declaration, names, problems, given=given, name=name)


def _given(
    reference: syntax.Reference,
    parameters: tuple[syntax.Parameter, ...],
    what: str,
    names: Names,
    problems: Problems,
    qualified: Mapping[str, Parameter],
) -> dict[str, Expression] | None:
    """What a check gives for these parameters, or `qualified` has for those it leaves open. None if it is wrong."""
    arguments = matched(reference, parameters, what, problems)
    given: dict[str, Expression] = {}
    good = len(arguments) >= len(reference.arguments or ())
    for parameter in parameters:
        argument = arguments.get(parameter.name)
        if argument is None:
            if parameter.name in qualified:
                given[parameter.name] = qualified[parameter.name]
            continue
        found = integer(argument.value, Scope(names, names, problems, None, "assumption", None))
        if found is None:
            good = False
            continue
        number = arithmetic.constant(found)
        if number is None:
            message = f"`{parameter.name}` is given a number that is not a constant"
            problems.report("R043", message, argument.location)
            good = False
            continue
        good &= within_bounds(parameter, found, {}, argument.location, problems)
        given[parameter.name] = Int(number)
    return given if good else None
