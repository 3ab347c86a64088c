"""Policies and plans: their statements rewritten into the few of the core."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from selfedit_formal.core.diagnostics import Location
from selfedit_formal.core.expression import (
    ASSUMED,
    TRUE,
    Expression,
    Input,
    InSet,
    Local,
    Not,
)
from selfedit_formal.core.expression import Parameter as ParameterTerm
from selfedit_formal.core.policy import (
    Block,
    Gate,
    LetSet,
    LetSpan,
    LetValue,
    ParameterDeclaration,
    Policy,
    Refuse,
    Statement,
)
from selfedit_formal.core.window import Window
from selfedit_formal.language import syntax
from selfedit_formal.language.print import print_reference
from selfedit_formal.language.resolve import arithmetic
from selfedit_formal.language.resolve.arguments import matched, within_bounds
from selfedit_formal.language.resolve.claim import claim_of, closed
from selfedit_formal.language.resolve.edit import Edits, InSession, Simultaneous, origin_of
from selfedit_formal.language.resolve.expression import integer, operand, truth
from selfedit_formal.language.resolve.function import read_before, selected
from selfedit_formal.language.resolve.given import property_bindings
from selfedit_formal.language.resolve.instance import Instance, Written
from selfedit_formal.language.resolve.lets import is_span, snapped, span_term
from selfedit_formal.language.resolve.names import Names, SchemaNames, schema_of
from selfedit_formal.language.resolve.operand import SetRef, Value, denied, unfit
from selfedit_formal.language.resolve.problems import Problems, listing, suggestion
from selfedit_formal.language.resolve.quantifier import afford
from selfedit_formal.language.resolve.schema import Bounds, bounds, checked_bounds
from selfedit_formal.language.resolve.scope import (
    Binding,
    LostBinding,
    Reason,
    Scope,
    SetBinding,
    SpanBinding,
    Trail,
    Use,
    ValueBinding,
    WindowBinding,
)
from selfedit_formal.language.resolve.shipped import property_named

APPLIED = 20
"""At most so many policies applied inside one another."""

BLOCKS = 100
"""At most so many blocks inside one another."""

REPEATS = 64
"""The greatest n of `repeat n`."""


def instance(
    declaration: Written,
    names: Names,
    problems: Problems,
    *,
    given: Mapping[str, Expression] | None = None,
    name: str | None = None,
    schema: SchemaNames | None = None,
    session: InSession | None = None,
) -> Instance | None:
    """The policy in the core. `given` has the parameters that are not left open under their own name.

    `schema` is that of a session which it is a step of, `session` what it has to heed there. None if something is wrong
    (reported).
    """
    before = len(problems)
    schema = schema or schema_of(declaration, names)
    if schema is None:
        _unknown_window(declaration, names, problems)
        return None
    lowering = _Lowering(declaration, names, schema, problems, given or {}, name or declaration.name, session)
    found = lowering.whole()
    return found if len(problems) == before else None


def _unknown_window(declaration: Written, names: Names, problems: Problems) -> None:
    match declaration:
        case syntax.PolicyDeclaration(schema=name):
            known: tuple[str, ...] = tuple(names.schemas)
        case syntax.PlanDeclaration(on=None, schema=schema):
            name, known = schema or "", tuple(names.schemas)
        case syntax.PlanDeclaration(on=on):
            name, known = on or "", tuple(names.written)
            if name in names.written:
                if names.written[name].schema in names.sessions:
                    message = f"`{name}` is a window of a session, and a plan stands on one of a declared window"
                    problems.report("R032", message, declaration.location)
                return
    problems.report("R002", f"unknown window `{name}`", declaration.location, suggestion(name, known))


class _Lowering:
    """One policy on its way into the core."""

    def __init__(
        self,
        declaration: Written,
        names: Names,
        schema: SchemaNames,
        problems: Problems,
        given: Mapping[str, Expression],
        name: str,
        session: InSession | None,
    ) -> None:
        self.declaration = declaration
        self.names = names
        self.schema = schema
        self.problems = problems
        self.given = given
        self.name = name
        self.trail = Trail()
        tracks_kept = _summarizes(declaration.body, names)
        self.edits = Edits(declaration, schema, problems, self.trail, tracks_kept=tracks_kept, session=session)
        self.environment = session is not None and session.environment
        self.edited = False
        self.leading = True
        self.reasons: list[Reason] = []
        self.gated: list[syntax.Gate] = []
        self.applying: tuple[str, ...] = (declaration.name,)
        self.depth = 0
        self.plan = isinstance(declaration, syntax.PlanDeclaration)

    def whole(self) -> Instance | None:
        declaration = self.declaration
        integers = tuple(p for p in declaration.parameters if p.kind == "int")
        parameters = {p.name: self.given.get(p.name, ParameterTerm(p.name)) for p in integers}
        declarations = tuple(
            ParameterDeclaration(term.name, *checked_bounds(p.name, p.limits, p.location, self.problems))
            for p in integers
            if isinstance(term := parameters[p.name], ParameterTerm)
        )
        scope, fixed, ids = self._outer(parameters)
        body = self._block(declaration.body, scope, top=True)
        spans = self._spans(scope, ids)
        policy = Policy(
            self.name,
            self.schema.schema,
            declarations,
            numbered(body),
            spans,
            (),
            declaration.doc,
            declaration.location,
        )
        found = Instance(policy, self.schema, tuple(self.reasons), fixed, parameters)
        gates = tuple(
            g for gate in self.gated for r in gate.properties if (g := self._gate(r, gate, found)) is not None
        )
        return replace(found, policy=replace(policy, gates=gates))

    def _outer(self, parameters: Mapping[str, Expression]) -> tuple[Scope, Window | None, tuple[str, ...]]:
        declaration = self.declaration
        scope = Scope(self.names, self.names, self.problems, self.schema, "pass", None, trail=self.trail)
        fixed: Window | None = None
        ids: tuple[str, ...] = ()
        first: dict[str, Location] = {}
        for parameter in declaration.parameters:
            if parameter.name in first:
                notes = (("it was declared here first", first[parameter.name]),)
                message = f"parameter `{parameter.name}` is declared twice"
                self.problems.report("R011", message, parameter.location, notes=notes)
                continue
            first[parameter.name] = parameter.location
            scope = self._parameter(parameter, parameters, scope)
        if isinstance(declaration, syntax.PlanDeclaration) and declaration.on is not None:
            fixed = self.names.windows.get(declaration.on)
            written = self.names.written[declaration.on]
            ids = tuple(i.id for i in written.items if isinstance(i, syntax.WindowEntry))
            for entry in written.items:
                if isinstance(entry, syntax.WindowEntry) and entry.id not in scope.bindings:
                    scope = scope.bound(entry.id, SpanBinding(entry.id, None, entry.location))
            self.trail.past.clear()
        if ASSUMED not in scope.bindings:
            scope = scope.bound(ASSUMED, WindowBinding(None, declaration.location))
        return scope, fixed, ids

    def _parameter(self, parameter: syntax.Parameter, given: Mapping[str, Expression], scope: Scope) -> Scope:
        match parameter.kind:
            case "int":
                term = given[parameter.name]
                inside = scope.bound(parameter.name, ValueBinding("int", term, parameter.location))
                core = term.name if isinstance(term, ParameterTerm) else parameter.name
                return replace(inside, taken=inside.taken | {core})
            case None | "span" if isinstance(self.declaration, syntax.PlanDeclaration) and self.declaration.on is None:
                return scope.bound(parameter.name, SpanBinding(parameter.name, None, parameter.location))
            case kind:
                what = "plan" if self.plan else "policy"
                word = "span" if kind is None else kind
                hint = "its parameters are numbers: `k: int`"
                if self.plan:
                    hint = "a plan on a written-out window names its spans, and takes numbers: `k: int`"
                elif word == "span":
                    hint = "write `k: int` for a number; spans are parameters of plans"
                message = f"a {what} takes no {word} parameter here"
                self.problems.report("R049", message, parameter.location, hint)
                return scope.bound(parameter.name, LostBinding(parameter.location))

    def _spans(self, scope: Scope, ids: tuple[str, ...]) -> tuple[str, ...]:
        """The plan's spans: its span parameters, or the spans of its window that it names."""
        if not isinstance(self.declaration, syntax.PlanDeclaration):
            return ()
        if self.declaration.on is not None:
            return tuple(i for i in ids if i in self.trail.used)
        found: list[str] = []
        for parameter in self.declaration.parameters:
            if parameter.kind not in (None, "span"):
                continue
            found.append(parameter.name)
            if parameter.name not in self.trail.used:
                message = f"the plan never uses its span `{parameter.name}`"
                self.problems.report("R031", message, parameter.location, "leave it out")
        return tuple(found)

    def _gate(self, reference: syntax.Reference, gate: syntax.Gate, found: Instance) -> Gate | None:
        entry = property_named(reference.name, reference.location, self.names, self.problems)
        if entry is None:
            return None
        declaration, names = entry
        bindings = property_bindings(reference, declaration, found, self.names, self.problems)
        if bindings is None:
            return None
        frame = Use("property", declaration.name, reference.location)
        claim = claim_of(
            declaration,
            bindings,
            names,
            self.names,
            self.schema,
            self.problems,
            frames=(frame,),
            inside="gate",
            taken=frozenset(found.policy.spans),
        )
        if claim is None:
            return None
        return Gate(print_reference(reference), closed(claim), origin_of(gate, reference.location))

    def _check_reason(self, reason: Reason) -> None:
        window = Input(ASSUMED)
        core = reason.scope.fresh("s")
        scope = read_before(reason.scope, window)
        selected(reason.selector, core, window, replace(scope, taken=scope.taken | {core}))

    def _block(self, body: tuple[syntax.Stmt, ...], scope: Scope, *, top: bool) -> tuple[Statement, ...]:
        if self.depth >= BLOCKS and body:
            message = f"more than {BLOCKS} blocks and `when`s stand inside one another"
            scope.report("R044", message, body[0].location)
            return ()
        self.depth += 1
        found = self._each(body, scope, top=top)
        self.depth -= 1
        return found

    def _each(self, body: tuple[syntax.Stmt, ...], scope: Scope, *, top: bool) -> tuple[Statement, ...]:
        found: list[Statement] = []
        for index, statement in enumerate(body):
            if isinstance(statement, syntax.When) and top:
                condition = truth(statement.condition, scope)
                trigger = self.leading and not self.edited
                mark = self.edits.inside()
                rest = self._block(body[index + 1 :], scope, top=top)
                self.edits.outside(mark)  # an applied policy may end here, and the one that applies it goes on
                made = Block(0, condition or TRUE, rest, trigger, origin_of(statement))
                return (*found, made)
            if not afford(1, statement.location, scope):
                return tuple(found)
            last = index == len(body) - 1
            made_, scope = self._statement(statement, scope, top=top, last=last)
            found += made_
        return tuple(found)

    def _statement(
        self, statement: syntax.Stmt, scope: Scope, *, top: bool, last: bool
    ) -> tuple[tuple[Statement, ...], Scope]:
        if self.environment and not self._happens(statement, scope):
            return (), scope
        match statement:
            case syntax.AtOnce():
                return self._at_once(statement, scope), scope
            case syntax.When():
                hint = "write `if` for what only a part of the policy hangs on"
                message = "`when` ends the whole policy, so it cannot stand inside of a block"
                scope.report("R038", message, statement.location, hint)
                truth(statement.condition, scope)
                return (), scope
            case syntax.Let():
                return self._let(statement, scope)
            case syntax.Refuse(condition, reason):
                found = truth(condition, scope)
                return (() if found is None else (Refuse(0, found, reason, origin_of(statement)),)), scope
            case syntax.Gate():
                self._only_at_top(statement, "gate", scope, top=top)
                self.gated.append(statement)
                return (), scope
            case syntax.Because(selectors):
                self._only_at_top(statement, "because", scope, top=top)
                outer = self._without_lets(scope)
                reasons = tuple(
                    Reason(s, outer)
                    for s in selectors
                    if s.condition is not None or self.edits.may_name(s.name, s.location, scope)
                )
                for given in reasons:
                    self._check_reason(given)
                self.reasons += reasons
                return (), scope
            case syntax.Apply():
                return self._apply(statement, scope, last=last and top), scope
            case syntax.Branch():
                return self._branch(statement, scope), scope
            case syntax.Repeat():
                return self._repeat(statement, scope), scope
            case syntax.Tiers(target, tiers):
                made: list[Statement] = []
                for tier in tiers:
                    around = self.edits.around(scope)
                    condition_ = truth(target, around)
                    body = self._inner(tier, around)
                    if condition_ is not None:
                        made.append(Block(0, denied(condition_), body, False, origin_of(statement)))
                return tuple(made), scope
            case (
                syntax.Keep()
                | syntax.Evict()
                | syntax.Set()
                | syntax.Summarize()
                | syntax.Insert()
                | syntax.Readmit()
                | syntax.Move()
                | syntax.Fill()
                | syntax.Delete()
                | syntax.Rewrite()
                | syntax.Merge()
                | syntax.Arrive()
            ):
                parts = self.edits.edit(statement, scope, None)
                self.edited = self.edited or not isinstance(statement, syntax.Keep)
                return (*parts.reads, *parts.edits), scope

    def _happens(self, statement: syntax.Stmt, scope: Scope) -> bool:
        """Whether the statement can be something that the environment of a session does; reports it otherwise."""
        match statement:
            case syntax.Apply():
                message = "`apply` stands in `each turn` itself, and not inside of a block of it"
                scope.report("R050", message, statement.location)
                return False
            case syntax.Keep() | syntax.Gate() | syntax.Because() | syntax.Refuse():
                message = f"`{syntax.keyword(statement)}` is for policies, and the environment of a session is none"
                hint = "write it in the policy that is applied"
                scope.report("R051", message, statement.location, hint)
                return False
            case (
                syntax.Evict()
                | syntax.Set()
                | syntax.Summarize()
                | syntax.Insert()
                | syntax.Readmit()
                | syntax.Move()
                | syntax.Fill()
                | syntax.Delete()
                | syntax.Rewrite()
                | syntax.Merge()
                | syntax.Arrive()
                | syntax.AtOnce()
                | syntax.When()
                | syntax.Let()
                | syntax.Branch()
                | syntax.Repeat()
                | syntax.Tiers()
            ):
                return True

    def _inner(self, body: tuple[syntax.Stmt, ...], scope: Scope) -> tuple[Statement, ...]:
        """The body of a block that may not run."""
        mark = self.edits.inside()
        found = self._block(body, scope, top=False)
        self.edits.outside(mark)
        return found

    def _only_at_top(self, statement: syntax.Stmt, word: str, scope: Scope, *, top: bool) -> None:
        if not top:
            message = f"`{word}` speaks of the whole policy, so it cannot stand inside of a block"
            scope.report("R038", message, statement.location, "write it outside of the block")

    def _without_lets(self, scope: Scope) -> Scope:
        """What a `because` may read: parameters and the plan's spans, but nothing that a pass computes."""
        kept: dict[str, Binding] = {}
        for name, binding in scope.bindings.items():
            core = getattr(binding, "core", None)
            local = isinstance(binding, ValueBinding) and isinstance(binding.expression, Local)
            if not local and core not in self.trail.bound:
                kept[name] = binding
        return replace(scope, bindings=kept, trail=Trail(used=self.trail.used, past=dict(self.trail.past)))

    def _branch(self, statement: syntax.Branch, scope: Scope) -> tuple[Statement, ...]:
        condition = truth(statement.condition, scope)
        then = self._inner(statement.then, scope)
        origin = origin_of(statement)
        if statement.otherwise is None:
            return () if condition is None else (Block(0, condition, then, False, origin),)
        name = self.edits.named("holds", scope)
        around = replace(scope, taken=scope.taken | {name})
        otherwise = self._inner(statement.otherwise, around)
        if condition is None:
            return ()
        local = Local(name, "bool")
        return (
            LetValue(0, name, "bool", condition),
            Block(0, local, then, False, origin),
            Block(0, Not(local), otherwise, False, origin),
        )

    def _repeat(self, statement: syntax.Repeat, scope: Scope) -> tuple[Statement, ...]:
        if not 1 <= statement.times <= REPEATS:
            message = f"`repeat` runs its body between 1 and {REPEATS} times, not {statement.times}"
            scope.report("R044", message, statement.location)
            self._block(statement.body, scope, top=False)
            return ()
        mark = self.edits.inside()
        rounds: list[tuple[Expression | None, tuple[Statement, ...]]] = []
        for _ in range(statement.times):
            around = self.edits.around(scope)
            condition = None if statement.condition is None else truth(statement.condition, around)
            rounds.append((condition, self._block(statement.body, around, top=False)))
        if statement.condition is not None:
            self.edits.outside(mark)
        if statement.condition is None:
            return tuple(s for _, body in rounds for s in body)
        found: tuple[Statement, ...] = ()
        for condition, body in reversed(rounds):
            if condition is None:
                return ()
            found = (Block(0, condition, (*body, *found), False, origin_of(statement)),)
        return found

    def _apply(self, statement: syntax.Apply, scope: Scope, *, last: bool) -> tuple[Statement, ...]:
        reference = statement.policy
        declaration = self.names.policies.get(reference.name)
        if declaration is None:
            hint = suggestion(reference.name, self.names.policies)
            scope.report("R003", f"unknown policy `{reference.name}`", reference.location, hint)
            return ()
        given = self._given(reference, declaration, scope) if self._may_apply(reference, declaration, scope) else None
        if given is None:
            return ()
        reads: list[Statement] = []
        outer = Scope(
            self.names, self.names, self.problems, self.schema, "pass", None, taken=scope.taken, trail=self.trail
        )
        for name, expression in given.items():
            place = declaration.parameters[[p.name for p in declaration.parameters].index(name)].location
            if not arithmetic.rigid(expression):
                local = self.edits.named(name, outer)
                reads.append(LetValue(0, local, "int", expression))
                expression = Local(local, "int")
                outer = replace(outer, taken=outer.taken | {local})
            outer = outer.bound(name, ValueBinding("int", expression, place))
        outer = outer.bound(ASSUMED, WindowBinding(None, declaration.location))
        outer = replace(outer, frames=scope.frames)
        before, leading = self.applying, self.leading
        self.applying = (*before, declaration.name)
        self.leading = leading and last
        gates = len(self.gated)
        body = self._block(declaration.body, outer, top=True)
        self.applying, self.leading = before, leading
        del self.gated[gates:]
        return (*reads, *body)

    def _may_apply(self, reference: syntax.Reference, declaration: Written, scope: Scope) -> bool:
        if ("policy", declaration.name) in self.names.broken:
            return False
        if len(self.applying) > APPLIED:
            scope.report("R044", f"more than {APPLIED} policies are applied inside one another", reference.location)
            return False
        if declaration.name in self.applying:
            way = " -> ".join((*self.applying[self.applying.index(declaration.name) :], declaration.name))
            scope.report("R046", f"policy `{declaration.name}` applies itself: {way}", reference.location)
            return False
        if isinstance(declaration, syntax.PlanDeclaration):
            scope.report(
                "R046", f"`{declaration.name}` is a plan, and only policies can be applied", reference.location
            )
            return False
        if declaration.schema != self.schema.name:
            message = (
                f"policy `{declaration.name}` is for window `{declaration.schema}`, this one for `{self.schema.name}`"
            )
            scope.report("R046", message, reference.location)
            return False
        gate = next((s for s in declaration.body if isinstance(s, syntax.Gate)), None)
        if gate is not None:
            hint = "apply a policy without gates, and write the gates in the policy that applies it"
            notes = (("the gate is here", gate.location),)
            message = f"policy `{declaration.name}` has gates, which look at a whole pass"
            scope.report("R046", message, reference.location, hint, notes)
            return False
        return True

    def _given(self, reference: syntax.Reference, declaration: Written, scope: Scope) -> dict[str, Expression] | None:
        arguments = matched(reference, declaration.parameters, "policy", self.problems)
        missing = [p.name for p in declaration.parameters if p.name not in arguments]
        if missing:
            message = f"policy `{reference.name}` needs {listing(missing)}"
            scope.report("R016", message, reference.location, f"give it here: `{missing[0]} = ...`")
            return None
        found: dict[str, Expression] = {}
        good = True
        for parameter in declaration.parameters:
            argument = arguments[parameter.name]
            expression = integer(argument.value, scope)
            if expression is None:
                good = False
                continue
            if arithmetic.rigid(expression):
                good &= within_bounds(parameter, expression, self._open_bounds(), argument.location, self.problems)
            elif parameter.limits:
                good &= within_bounds(parameter, expression, {}, argument.location, self.problems)
            found[parameter.name] = expression
        return found if good else None

    def _open_bounds(self) -> Mapping[str, Bounds]:
        return {
            term.name: bounds(p.limits)
            for p in self.declaration.parameters
            if p.kind == "int" and isinstance(term := self.given.get(p.name, ParameterTerm(p.name)), ParameterTerm)
        }

    def _at_once(self, statement: syntax.AtOnce, scope: Scope) -> tuple[Statement, ...]:
        reads: list[Statement] = []
        edits: list[Statement] = []
        group = Simultaneous()
        for inner in statement.body:
            match inner:
                case syntax.Let():
                    made, scope = self._let(inner, scope)
                    reads += made
                case syntax.Keep() if self.environment:
                    self._happens(inner, scope)
                case (
                    syntax.Keep()
                    | syntax.Evict()
                    | syntax.Set()
                    | syntax.Summarize()
                    | syntax.Insert()
                    | syntax.Readmit()
                    | syntax.Move()
                    | syntax.Delete()
                    | syntax.Rewrite()
                    | syntax.Merge()
                ):
                    parts = self.edits.edit(inner, self.edits.around(scope), group)
                    reads += parts.reads
                    edits += parts.edits
                    if not isinstance(inner, syntax.Keep):
                        group.edited = self.edited = True
                case syntax.Refuse() | syntax.Gate() | syntax.Apply() | syntax.Because() if self.environment:
                    self._happens(inner, scope)
                case (
                    syntax.Fill()
                    | syntax.Arrive()
                    | syntax.AtOnce()
                    | syntax.When()
                    | syntax.Refuse()
                    | syntax.Gate()
                    | syntax.Apply()
                    | syntax.Branch()
                    | syntax.Repeat()
                    | syntax.Tiers()
                    | syntax.Because()
                ):
                    word = syntax.keyword(inner)
                    message = f"`{word}` cannot stand in `at once`, where everything is read before anything is done"
                    scope.report("R040", message, inner.location, "write it before or after the group")
        return (*reads, *edits)

    def _let(self, statement: syntax.Let, scope: Scope) -> tuple[tuple[Statement, ...], Scope]:
        scope.free(statement.name, statement.location)
        location = statement.location
        around = self.edits.around(scope)
        match statement.term:
            case syntax.SetTerm(variable, condition, archived, may):
                core_variable, inside = around.bind_span(variable, None, location)
                found = truth(condition, inside)
                core = self.edits.named(statement.name, scope)
                bound = _rebound(scope, statement.name, SetBinding(core, location), core)
                if found is None:
                    return (), bound
                return (LetSet(0, core, core_variable, found, archived, may),), bound
            case syntax.Snap() as snap:
                term = snapped(snap, around)
            case expr if is_span(expr, scope):
                term = span_term(expr, around)
            case expr:
                return self._let_value(statement, expr, scope)
        core = self.edits.named(statement.name, scope)
        bound = _rebound(scope, statement.name, SpanBinding(core, None, location), core)
        return (() if term is None else (LetSpan(0, core, term),)), bound

    def _let_value(self, statement: syntax.Let, expr: syntax.Expr, scope: Scope) -> tuple[tuple[Statement, ...], Scope]:
        found = operand(expr, self.edits.around(scope))
        lost = _rebound(scope, statement.name, LostBinding(statement.location), None)
        match found:
            case None:
                return (), lost
            case SetRef(other):
                core = self.edits.named(statement.name, scope)
                variable = self.edits.around(scope).fresh("s")
                bound = _rebound(scope, statement.name, SetBinding(core, statement.location), core)
                return (LetSet(0, core, variable, InSet(variable, other)),), bound
            case Value(kind, expression, names):
                core = self.edits.named(statement.name, scope)
                binding = ValueBinding(kind, Local(core, kind), statement.location, names)
                return (LetValue(0, core, kind, expression),), _rebound(scope, statement.name, binding, core)
            case _:
                unfit(scope, expr, found, "a span, a set of spans or a value")
                return (), lost


# ---------- small parts


def _rebound(scope: Scope, name: str, binding: Binding, core: str | None) -> Scope:
    inside = scope.bound(name, binding)
    return inside if core is None else replace(inside, taken=inside.taken | {core})


def applied(body: tuple[syntax.Stmt, ...], names: Names) -> tuple[str, ...]:
    """The policies that these statements apply."""
    found = (s.policy.name for s in every(body) if isinstance(s, syntax.Apply))
    return tuple(dict.fromkeys(n for n in found if n in names.policies))


def _summarizes(body: tuple[syntax.Stmt, ...], names: Names) -> bool:
    """Whether a summary is made anywhere, so that it matters which spans are kept."""
    level = [body]
    seen: set[str] = set()
    for _ in range(APPLIED + 1):
        if any(isinstance(s, syntax.Summarize | syntax.Merge) for here in level for s in every(here)):
            return True
        ahead = dict.fromkeys(n for here in level for n in applied(here, names) if n not in seen)
        seen |= ahead.keys()
        level = [names.policies[n].body for n in ahead]
    return False


def every(body: tuple[syntax.Stmt, ...]) -> Iterator[syntax.Stmt]:
    """These statements and all inside of them."""
    for statement in body:
        yield statement
        match statement:
            case syntax.AtOnce(inner) | syntax.Repeat(body=inner):
                yield from every(inner)
            case syntax.Branch(_, then, otherwise):
                yield from every(then + (otherwise or ()))
            case syntax.Tiers(_, tiers):
                for tier in tiers:
                    yield from every(tier)
            case _:
                pass


def numbered(body: tuple[Statement, ...]) -> tuple[Statement, ...]:
    """The statements with their sites, from 0 in the order written."""
    return _numbered(body, 0)[0]


def _numbered(body: tuple[Statement, ...], start: int) -> tuple[tuple[Statement, ...], int]:
    """The statements with their sites, from `start` on, those inside a block after their block; and the next site."""
    found: list[Statement] = []
    for statement in body:
        if isinstance(statement, Block):
            inner, after = _numbered(statement.body, start + 1)
            found.append(replace(statement, site=start, body=inner))
            start = after
        else:
            found.append(replace(statement, site=start))
            start += 1
    return tuple(found), start
