"""The functions of the language, and the passes of a policy."""

from __future__ import annotations

from dataclasses import replace

from selfedit_formal.core.diagnostics import Location
from selfedit_formal.core.expression import (
    ASSUMED,
    And,
    Arrived,
    Bool,
    Compare,
    Count,
    Created,
    Equal,
    Expression,
    InSet,
    Int,
    Known,
    Linked,
    Logged,
    Name,
    Not,
    Overridden,
    Pass,
    Present,
    Read,
    Refused,
    Rescored,
    SameRecord,
    SameSpan,
    Some,
    Swapped,
    Triggered,
    WindowTerm,
    Without,
    disjunction,
)
from selfedit_formal.core.session import EVICTIONS
from selfedit_formal.core.window import COVERS, TAG
from selfedit_formal.language import syntax
from selfedit_formal.language.resolve import call, expression, numbers, quantifier
from selfedit_formal.language.resolve.operand import Operand, SetRef, SpanRef, Value, WindowRef, shown, unfit
from selfedit_formal.language.resolve.problems import listing, suggestion
from selfedit_formal.language.resolve.scope import (
    LostBinding,
    PolicyBinding,
    Scope,
    SessionBinding,
    SpanBinding,
    StorePlace,
    Use,
    WindowBinding,
)

PASSES = 64
"""The greatest k of `P^k(W)`."""


def applied(expr: syntax.Call, scope: Scope) -> Operand | None:
    """A use of one of the functions of `BUILT_IN`."""
    match expr.function:
        case "control":
            return _control(expr, scope)
        case "prunable":
            return _prunable(expr, scope)
        case "triggered":
            return _triggered(expr, scope)
        case "refused":
            return _refused(expr, scope)
        case "logged":
            return _logged(expr, scope)
        case "overridden":
            return _overridden(expr, scope)
        case "rationale":
            return _rationale(expr, scope)
        case "created":
            return _created(expr, scope)
        case "without":
            return _without(expr, scope)
        case "swap":
            return _swap(expr, scope)
        case "rescore":
            return _rescore(expr, scope)
        case "arrive":
            return _arrive(expr, scope)
        case "known":
            return _known(expr, scope)
        case "left_alone":
            return _left_alone(expr, scope)
        case "tombstone":
            return _tombstone(expr, scope)
        case "entries":
            return _entries(expr, scope)
        case "outside":
            return _outside(expr, scope)
        case "floor" | "ceil":
            return numbers.rounded(expr, scope)
        case "min" | "max":
            return numbers.extreme(expr, scope)
        case "same":
            return numbers.same_unit(expr, scope)
        case name:
            raise AssertionError(f"not a function of the language: {name}")


# ---------- passes


def passed(expr: syntax.Call, bare: str, policy: PolicyBinding, scope: Scope) -> Operand | None:
    if not call.count_fits(expr, ("W",), scope):
        return None
    term = expression.window_term(expr.arguments[0], scope)
    return None if term is None else WindowRef(Pass(policy.core, expr.function[len(bare) :], term, policy.gated))


def power(expr: syntax.Power, scope: Scope) -> Operand | None:
    session = scope.bindings.get(expr.policy.rstrip("'"))
    if isinstance(session, SessionBinding):
        if not _unprimed(expr.policy, expr.location, scope):
            return None
        return _turns(session, expr.exponent, expr.window, expr, scope, alone=False)
    policy = _policy(expr.policy, expr.location, scope)
    exponent = quantifier.fixed_number(expr.exponent, "the number of passes", scope)
    term = expression.window_term(expr.window, scope)
    if policy is None or exponent is None or term is None:
        return None
    if not _few(exponent, "passes", expr, scope):
        return None
    binding, run = policy
    for _ in range(exponent):
        term = Pass(binding.core, run, term, binding.gated)
    return WindowRef(term)


def _few(exponent: int, what: str, expr: syntax.Expr, scope: Scope) -> bool:
    if 0 <= exponent <= PASSES:
        return True
    message = f"`{shown(expr)}` asks for {exponent} {what}, and the number is between 0 and {PASSES}"
    scope.report("R044", message, expr.location)
    return False


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
    if policy is None:
        expression.window(expr.arguments[argument], scope)
        return None
    term = expression.window_term(expr.arguments[argument], scope)
    return None if term is None else Pass(policy[0].core, policy[1], term, policy[0].gated)


def _prunable(expr: syntax.Call, scope: Scope) -> Operand | None:
    if not call.count_fits(expr, ("P", "s", "W"), scope):
        return None
    policy = _policy_argument(expr.arguments[0], scope)
    which = expression.span(expr.arguments[1], scope)
    term = expression.window_term(expr.arguments[2], scope)
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


# ---------- turns of a session


def turned(expr: syntax.Call, bare: str, session: SessionBinding, scope: Scope) -> Operand | None:
    """`S(W)`, the window one turn later."""
    if not call.count_fits(expr, ("W",), scope) or not _unprimed(expr.function, expr.location, scope):
        return None
    one = syntax.Number(1, expr.location)
    return _turns(session, one, expr.arguments[0], expr, scope, alone=False)


def _unprimed(name: str, location: Location, scope: Scope) -> bool:
    if not name.endswith("'"):
        return True
    message = f"`{name}` would be another run of the session, and a promise of sessions is about one"
    scope.report("R017", message, location)
    return False


def _turns(
    session: SessionBinding, turns: syntax.Expr, window: syntax.Expr, expr: syntax.Expr, scope: Scope, *, alone: bool
) -> Operand | None:
    number = quantifier.fixed_number(turns, "the number of turns", scope)
    term = expression.window_term(window, scope)
    if number is None or term is None or not _few(number, "turns", expr, scope):
        return None
    return WindowRef(term if session.session is None else session.session.after(number, term, alone=alone))


def _session(expr: syntax.Expr, scope: Scope) -> SessionBinding | None:
    """The session of a promise, by its name."""
    binding = scope.bindings.get(expr.name) if isinstance(expr, syntax.NameRef) else None
    if isinstance(binding, SessionBinding):
        return binding
    if not isinstance(binding, LostBinding):
        known = tuple(n for n, b in scope.bindings.items() if isinstance(b, SessionBinding))
        hint = f"the session here is {listing(known)}" if known else "a promise has one as `S: session`"
        scope.report("R017", f"`{shown(expr)}` is not a session, and one is needed here", expr.location, hint)
    return None


def _known(expr: syntax.Call, scope: Scope) -> Operand | None:
    if not call.count_fits(expr, ("W",), scope):
        return None
    term = expression.window_term(expr.arguments[0], scope)
    return None if term is None else WindowRef(Known(term))


def _left_alone(expr: syntax.Call, scope: Scope) -> Operand | None:
    if not call.count_fits(expr, ("S", "k", "W"), scope):
        return None
    session = _session(expr.arguments[0], scope)
    if session is None:
        return None
    scope.trail.mentioned.add("left_alone")
    return _turns(session, expr.arguments[1], expr.arguments[2], expr, scope, alone=True)


def _about(expr: syntax.Call, scope: Scope) -> tuple[SessionBinding, str, WindowTerm] | None:
    """The arguments of `tombstone(S, s, W)` and `entries(S, s, W)`."""
    if not call.count_fits(expr, ("S", "s", "W"), scope):
        return None
    session, which = _session(expr.arguments[0], scope), expression.span(expr.arguments[1], scope)
    term = expression.window_term(expr.arguments[2], scope)
    return None if session is None or which is None or term is None else (session, which.core, term)


def _tombstone(expr: syntax.Call, scope: Scope) -> Operand | None:
    found = _about(expr, scope)
    return None if found is None else Value("bool", tombstone(found[0].tombstones, found[1], found[2], scope))


def tombstone(tombstones: StorePlace, core: str, term: WindowTerm | None, scope: Scope) -> Expression:
    """A tombstone of the span stands: in the window, or beside it since the span was first evicted."""
    match tombstones.store:
        case "none":
            return Bool(False)
        case "sidecar":
            return Compare(">", Read(core, EVICTIONS, "int", term), Int(0))
        case "in_window":
            variable = scope.fresh("t")
            return Some(variable, term, _covering(tombstones, variable, core, term))


def _covering(kept: StorePlace, variable: str, core: str, term: WindowTerm | None) -> Expression:
    tagged = Equal(Read(variable, TAG, "enum", term), Name("enum", kept.tag))
    return And((tagged, Linked(COVERS, variable, core, term)))


def _entries(expr: syntax.Call, scope: Scope) -> Operand | None:
    found = _about(expr, scope)
    if found is None:
        return None
    session, core, term = found
    match session.ledger.store:
        case "none":
            number: Expression = Int(0)
        case "sidecar":
            number = Read(core, EVICTIONS, "int", term)
        case "in_window":
            variable = scope.fresh("t")
            number = Count(variable, term, _covering(session.ledger, variable, core, term))
    return Value("int", number)


def _outside(expr: syntax.Call, scope: Scope) -> Operand | None:
    if not call.count_fits(expr, ("S",), scope):
        return None
    session = _session(expr.arguments[0], scope)
    return None if session is None else Value("bool", Bool(session.ledger.store == "sidecar"))


# ---------- what a pass did


def _triggered(expr: syntax.Call, scope: Scope) -> Operand | None:
    if not call.count_fits(expr, ("P", "W"), scope):
        return None
    made = _made(expr, 1, scope)
    return None if made is None else Value("bool", Triggered(made.policy, made.run, made.window))


def _refused(expr: syntax.Call, scope: Scope) -> Operand | None:
    if not call.count_fits(expr, ("P", "W"), scope):
        return None
    made = _made(expr, 1, scope)
    return None if made is None else Value("bool", Refused(made))


def _logged(expr: syntax.Call, scope: Scope) -> Operand | None:
    if not call.count_fits(expr, ("P", "s", "W"), scope):
        return None
    made, which = _made(expr, 2, scope), expression.span(expr.arguments[1], scope)
    return None if made is None or which is None else Value("bool", Logged(which.core, made))


def _overridden(expr: syntax.Call, scope: Scope) -> Operand | None:
    if not call.count_fits(expr, ("P", "s", "W"), scope):
        return None
    made, which = _made(expr, 2, scope), expression.span(expr.arguments[1], scope)
    return None if made is None or which is None else Value("bool", Overridden(which.core, made))


def _rationale(expr: syntax.Call, scope: Scope) -> Operand | None:
    if not call.count_fits(expr, ("P", "s", "W"), scope):
        return None
    policy, which = _policy_argument(expr.arguments[0], scope), expression.span(expr.arguments[1], scope)
    term = expression.window_term(expr.arguments[2], scope)
    if policy is None or which is None or term is None:
        return None
    scope.trail.mentioned.add("rationale")
    found = rationale(policy[0], which.core, term, scope)
    return None if found is None else Value("bool", found)


def rationale(policy: PolicyBinding, core: str, term: WindowTerm, scope: Scope) -> Expression | None:
    """The span is one of those that the policy's `because` selects in this window."""
    parts: list[Expression] = []
    for reason in policy.reasons:
        home = read_before(reason.scope, term)
        inside = replace(home, problems=scope.problems, taken=home.taken | scope.taken, frames=scope.frames)
        found = selected(reason.selector, core, term, inside)
        if found is None:
            return None
        parts.append(found)
    return disjunction(tuple(parts))


def read_before(scope: Scope, term: WindowTerm) -> Scope:
    """The scope of a `because`, which speaks of the window before the pass."""
    bindings = dict(scope.bindings)
    current = bindings.get(ASSUMED)
    if isinstance(current, WindowBinding):
        bindings[ASSUMED] = replace(current, term=term)
    return replace(scope, standing=term, inside="condition", bindings=bindings, position=scope.position.mixed())


def selected(selector: syntax.Selector, core: str, term: WindowTerm | None, scope: Scope) -> Expression | None:
    """The condition that a selector selects this span of the window."""
    if selector.condition is not None:
        scope.free(selector.name, selector.location)
        inside = scope.bound(selector.name, SpanBinding(core, term, selector.location))
        return expression.truth(selector.condition, inside)
    found = expression.operand(syntax.NameRef(selector.name, selector.location), scope)
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


# ---------- spans and windows


def _control(expr: syntax.Call, scope: Scope) -> Operand | None:
    if not call.count_fits(expr, ("s",), scope):
        return None
    which = expression.span(expr.arguments[0], scope)
    if which is None or scope.schema is None:
        return None
    scope.trail.mentioned.add("control")
    # The control set is the window's, also for a span that is only known to it.
    home = which.home.window if isinstance(which.home, Known) else which.home
    found = control(which.core, home, expr.location, scope)
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
    frame = Use("function", "control", location)
    if recursive(frame, scope):
        return None
    parts: list[Expression] = []
    for declaration in scope.schema.controls:
        binding = SpanBinding(core, home, declaration.location)
        inside = call.into(scope, scope.base, {declaration.variable: binding}, home)
        inside = replace(inside, frames=(*scope.frames, frame))
        found = expression.truth(declaration.condition, inside)
        if found is None:
            return None
        parts.append(found)
    return disjunction(tuple(parts))


def recursive(frame: Use, scope: Scope) -> bool:
    """Whether a control set or unit that is used here is used in its own condition (reported)."""
    if all((f.kind, f.name) != (frame.kind, frame.name) for f in scope.frames):
        return False
    scope.report("R015", f"the condition of `{frame.name}` uses `{frame.name}` itself", frame.location)
    return True


def _created(expr: syntax.Call, scope: Scope) -> Operand | None:
    if not call.count_fits(expr, ("s",), scope):
        return None
    which = expression.span(expr.arguments[0], scope)
    return None if which is None else Value("bool", Created(which.core))


def _without(expr: syntax.Call, scope: Scope) -> Operand | None:
    if not call.count_fits(expr, ("W", "s"), scope):
        return None
    term, which = expression.window_term(expr.arguments[0], scope), expression.span(expr.arguments[1], scope)
    return None if term is None or which is None else WindowRef(Without(term, which.core))


def _swap(expr: syntax.Call, scope: Scope) -> Operand | None:
    if not call.count_fits(expr, ("W", "s", "t"), scope):
        return None
    term = expression.window_term(expr.arguments[0], scope)
    first, second = expression.span(expr.arguments[1], scope), expression.span(expr.arguments[2], scope)
    if term is None or first is None or second is None:
        return None
    return WindowRef(Swapped(term, first.core, second.core))


def _rescore(expr: syntax.Call, scope: Scope) -> Operand | None:
    if not call.count_fits(expr, ("W", "s"), scope):
        return None
    term, which = expression.window_term(expr.arguments[0], scope), expression.span(expr.arguments[1], scope)
    return None if term is None or which is None else WindowRef(Rescored(term, which.core))


def _arrive(expr: syntax.Call, scope: Scope) -> Operand | None:
    if not call.count_fits(expr, ("W", "n"), scope):
        return None
    term, tokens = expression.window_term(expr.arguments[0], scope), expression.integer(expr.arguments[1], scope)
    field = expression.field_named("tokens", expr.location, scope)
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
