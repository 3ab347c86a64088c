"""Policies and plans: their statements rewritten into the few of the core."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from selfedit_formal.diagnostics import Location
from selfedit_formal.expression import (
    ASSUMED,
    TRUE,
    Before,
    Equal,
    Expression,
    Input,
    InSet,
    Int,
    Local,
    Name,
    Not,
    Or,
    Origin,
    Read,
    SameSpan,
    Some,
    conjunction,
    disjunction,
)
from selfedit_formal.expression import Parameter as ParameterTerm
from selfedit_formal.language import syntax
from selfedit_formal.language.print import print_reference, print_statement
from selfedit_formal.language.resolve import arithmetic, walk
from selfedit_formal.language.resolve.arguments import matched, within_bounds
from selfedit_formal.language.resolve.claim import claim_of, closed
from selfedit_formal.language.resolve.expression import field_named, integer, operand, span_named, truth, value
from selfedit_formal.language.resolve.function import read_before, selected
from selfedit_formal.language.resolve.names import Names, SchemaNames, schema_of
from selfedit_formal.language.resolve.operand import Expected, SetRef, SpanRef, Value, denied, shown, unfit
from selfedit_formal.language.resolve.problems import Problems, listing, suggestion
from selfedit_formal.language.resolve.quantifier import afford
from selfedit_formal.language.resolve.schema import Bounds, bounds, checked_bounds
from selfedit_formal.language.resolve.scope import (
    Binding,
    Frame,
    LostBinding,
    PolicyBinding,
    PredicateBinding,
    Reason,
    Scope,
    SetBinding,
    SpanBinding,
    Trail,
    ValueBinding,
    WindowBinding,
    unused,
)
from selfedit_formal.language.resolve.shipped import property_named
from selfedit_formal.policy import (
    Assign,
    Assignment,
    Beside,
    Block,
    End,
    Evict,
    Fill,
    Gate,
    Insert,
    Keep,
    LetSet,
    LetSpan,
    LetValue,
    Move,
    NoSpan,
    Open,
    Original,
    ParameterDeclaration,
    Pick,
    Place,
    Policy,
    Readmit,
    Refuse,
    Set,
    SpanIf,
    SpanNamed,
    SpanTerm,
    Statement,
)
from selfedit_formal.window import TAG, Window

Written = syntax.PolicyDeclaration | syntax.PlanDeclaration

REPEATS = 64
"""The greatest n of `repeat n`."""


@dataclass(frozen=True, slots=True)
class Instance:
    """A policy with some parameters given, and what the notation knows of it beyond the core."""

    policy: Policy
    schema: SchemaNames
    reasons: tuple[Reason, ...]
    fixed: Window | None
    parameters: Mapping[str, Expression]
    """What each int parameter stands for: a number, or a parameter left open."""

    def binding(self, *, gated: bool = True) -> PolicyBinding:
        location = self.policy.location
        assert location is not None
        return PolicyBinding(self.policy.name, gated, self.reasons, location)


def instance(
    declaration: Written,
    names: Names,
    problems: Problems,
    *,
    given: Mapping[str, Expression] | None = None,
    name: str | None = None,
) -> Instance | None:
    """The policy in the core. `given` has the parameters that are not left open under their own name. None if something is wrong."""
    before = len(problems)
    schema = schema_of(declaration, names)
    if schema is None:
        _unknown_window(declaration, names, problems)
        return None
    lowering = _Lowering(declaration, names, schema, problems, given or {}, name or declaration.name)
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
                return
    problems.report("R002", f"unknown window `{name}`", declaration.location, suggestion(name, known))


@dataclass(slots=True)
class _Parts:
    """A statement of a group: what it reads, and what it does then."""

    reads: tuple[Statement, ...] = ()
    edits: tuple[Statement, ...] = ()


@dataclass(frozen=True, slots=True)
class _Selected:
    """A variable, the condition that it is selected, and the scope in which it has its name."""

    variable: str
    condition: Expression
    inside: Scope


@dataclass(frozen=True, slots=True)
class _Wish:
    """What a statement of a group wants of the spans it selects, for telling when two want different things."""

    statement: syntax.Stmt
    word: str
    condition: Expression
    assignments: tuple[Assignment, ...]


@dataclass(slots=True)
class _Group:
    """What the statements of an `at once` before this one did."""

    wishes: list[_Wish] = field(default_factory=list)
    assigned: set[str] = field(default_factory=set)
    edited: bool = False


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
    ) -> None:
        self.declaration = declaration
        self.names = names
        self.schema = schema
        self.problems = problems
        self.given = given
        self.name = name
        self.trail = Trail()
        self.kept: list[str] = []
        self.tracks_kept = _summarizes(declaration.body, names, frozenset())
        self.edited = False
        self.leading = True
        self.reasons: list[Reason] = []
        self.gated: list[syntax.Gate] = []
        self.applying: tuple[str, ...] = (declaration.name,)
        self.plan = isinstance(declaration, syntax.PlanDeclaration)

    # ----- the whole

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
            _numbered(body, 0)[0],
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
            ids = tuple(i.id for i in written.items if isinstance(i, syntax.Entry))
            for entry in written.items:
                if isinstance(entry, syntax.Entry) and entry.id not in scope.bindings:
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
                message = f"a {what} has no {word} parameter here"
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

    # ----- gates and reasons

    def _gate(self, reference: syntax.Reference, gate: syntax.Gate, found: Instance) -> Gate | None:
        entry = property_named(reference.name, reference.location, self.names, self.problems)
        if entry is None:
            return None
        declaration, names = entry
        bindings = property_bindings(reference, declaration, found, self.names, self.problems, gate=True)
        if bindings is None:
            return None
        frame = Frame("property", declaration.name, reference.location)
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
        return Gate(print_reference(reference), closed(claim), _origin(gate, reference.location))

    def _check_reason(self, reason: Reason) -> None:
        window = Input(ASSUMED)
        core = reason.scope.fresh("s")
        scope = read_before(reason.scope, window)
        selected(reason.selector, core, window, replace(scope, taken=scope.taken | {core}))

    # ----- statements in order

    def _block(self, body: tuple[syntax.Stmt, ...], scope: Scope, *, top: bool) -> tuple[Statement, ...]:
        found: list[Statement] = []
        for index, statement in enumerate(body):
            if isinstance(statement, syntax.When) and top:
                condition = truth(statement.condition, scope)
                trigger = self.leading and not self.edited
                rest = self._block(body[index + 1 :], scope, top=top)
                made = Block(0, condition or TRUE, rest, trigger, _origin(statement))
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
                return (() if found is None else (Refuse(0, found, reason, _origin(statement)),)), scope
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
                    if s.condition is not None or self._in_window(s.name, s.location, scope)
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
                    around = self._around(scope)
                    condition_ = truth(target, around)
                    body = self._block(tier, around, top=False)
                    if condition_ is not None:
                        made.append(Block(0, denied(condition_), body, False, _origin(statement)))
                return tuple(made), scope
            case _:
                parts = self._edit(statement, scope, None)
                self.edited = self.edited or not isinstance(statement, syntax.Keep)
                return (*parts.reads, *parts.edits), scope

    def _only_at_top(self, statement: syntax.Stmt, word: str, scope: Scope, *, top: bool) -> None:
        if not top:
            message = f"`{word}` speaks of the whole policy, so it cannot stand inside of a block"
            scope.report("R038", message, statement.location, "write it outside of the block")

    def _around(self, scope: Scope) -> Scope:
        """The scope for one more copy of something: its variables differ from every let so far."""
        return replace(scope, taken=scope.taken | self.trail.bound)

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
        then = self._block(statement.then, scope, top=False)
        origin = _origin(statement)
        if statement.otherwise is None:
            return () if condition is None else (Block(0, condition, then, False, origin),)
        name = self._named("holds", scope)
        around = replace(scope, taken=scope.taken | {name})
        otherwise = self._block(statement.otherwise, around, top=False)
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
        rounds: list[tuple[Expression | None, tuple[Statement, ...]]] = []
        for _ in range(statement.times):
            around = self._around(scope)
            condition = None if statement.condition is None else truth(statement.condition, around)
            rounds.append((condition, self._block(statement.body, around, top=False)))
        if statement.condition is None:
            return tuple(s for _, body in rounds for s in body)
        found: tuple[Statement, ...] = ()
        for condition, body in reversed(rounds):
            if condition is None:
                return ()
            found = (Block(0, condition, (*body, *found), False, _origin(statement)),)
        return found

    def _apply(self, statement: syntax.Apply, scope: Scope, *, last: bool) -> tuple[Statement, ...]:
        reference = statement.policy
        declaration = self.names.policies.get(reference.name)
        if declaration is None:
            hint = suggestion(reference.name, self.names.policies)
            scope.report("R003", f"unknown policy `{reference.name}`", reference.location, hint)
            return ()
        given = self._given(reference, declaration, scope)
        if given is None or not self._may_apply(reference, declaration, scope):
            return ()
        reads: list[Statement] = []
        outer = Scope(
            self.names, self.names, self.problems, self.schema, "pass", None, taken=scope.taken, trail=self.trail
        )
        for name, expression in given.items():
            place = declaration.parameters[[p.name for p in declaration.parameters].index(name)].location
            if not arithmetic.rigid(expression):
                local = self._named(name, outer)
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

    # ----- at once

    def _at_once(self, statement: syntax.AtOnce, scope: Scope) -> tuple[Statement, ...]:
        reads: list[Statement] = []
        edits: list[Statement] = []
        group = _Group()
        for inner in statement.body:
            match inner:
                case syntax.Let():
                    made, scope = self._let(inner, scope)
                    reads += made
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
                    parts = self._edit(inner, self._around(scope), group)
                    reads += parts.reads
                    edits += parts.edits
                    if not isinstance(inner, syntax.Keep):
                        group.edited = self.edited = True
                case _:
                    word = _origin(inner).text.split(" ")[0]
                    message = f"`{word}` cannot stand in `at once`, where everything is read before anything is done"
                    scope.report("R040", message, inner.location, "write it before or after the group")
        return (*reads, *edits)

    def _wish(
        self,
        group: _Group | None,
        statement: syntax.Stmt,
        word: str,
        selected_: _Selected,
        record: tuple[Assignment, ...],
    ) -> None:
        """Remembers what a statement of a group wants, and reports it if one before wants the same spans otherwise."""
        if group is None:
            return
        wish = _Wish(
            statement,
            word,
            walk.renamed(selected_.condition, selected_.variable, "·"),
            tuple(walk.renamed(a, selected_.variable, "·") for a in record),
        )
        for other in group.wishes:
            if _clash(other, wish):
                notes = (("the other one is here", other.statement.location),)
                message = f"this group wants to {other.word} and to {wish.word} the same spans"
                self.problems.report(
                    "R039", message, statement.location, "let the conditions exclude each other", notes
                )
                break
        group.wishes.append(wish)

    # ----- edits

    def _edit(self, statement: syntax.Stmt, scope: Scope, group: _Group | None) -> _Parts:
        """One statement that keeps or changes spans. In a group its conditions become sets, read before any edit."""
        if isinstance(statement, syntax.Delete | syntax.Rewrite | syntax.Merge) and not self.plan:
            word = _origin(statement).text.split(" ")[0]
            other = {"delete": "evict", "rewrite": "set", "merge": "summarize"}[word]
            message = f"`{word}` names spans one by one, which only a plan can"
            scope.report("R030", message, statement.location, f"in a policy, write `{other} s where ...`")
            return _Parts()
        origin = _origin(statement)
        match statement:
            case syntax.Keep(selector):
                return self._keep(selector, origin, scope, group)
            case syntax.Evict(selector, may, logged):
                chosen = self._select(selector, scope)
                return self._evict(statement, chosen, scope, group, may=may, logged=logged)
            case syntax.Delete(spans):
                return self._evict(statement, self._listed(spans, statement.location, scope), scope, group)
            case syntax.Set(selector, record, may):
                return self._set(statement, self._select(selector, scope), record, scope, group, may=may)
            case syntax.Rewrite(span, record):
                chosen = self._listed((span,), statement.location, scope)
                return self._set(statement, chosen, record, scope, group)
            case syntax.Summarize(selector, reading, record, place, may):
                chosen = self._select(selector, scope)
                return self._summarize(statement, chosen, reading, record, place, scope, group, may=may)
            case syntax.Merge(spans, record, place):
                chosen = self._listed(spans, statement.location, scope)
                return self._summarize(statement, chosen, None, record, place, scope, group)
            case syntax.Insert(record, place_):
                where = self._place(place_, scope)
                assignments = self._record(record, scope)
                if where is None or assignments is None:
                    return _Parts()
                reads, assignments = self._early(assignments, None, scope, group, statement)
                return _Parts(reads, (Insert(0, where, assignments, None, origin),))
            case syntax.Readmit(selector, place, override, may):
                return self._readmit(selector, place, scope, group, origin, override=override, may=may)
            case syntax.Move(selector, place_):
                chosen = self._select(selector, scope)
                where = self._place(place_, scope)
                if chosen is None or where is None:
                    return _Parts()
                self._wish(group, statement, "move", chosen, ())
                reads, condition = self._settled(chosen, "moved", scope, group)
                return _Parts(reads, (Move(0, chosen.variable, condition, where, origin),))
            case syntax.Fill():
                return self._fill(statement, scope)
            case _:
                raise AssertionError(f"not an edit: {statement}")

    def _select(self, selector: syntax.Selector, scope: Scope) -> _Selected | None:
        if selector.condition is not None:
            variable, inside = scope.bind_span(selector.name, None, selector.location)
            condition = truth(selector.condition, inside)
            return None if condition is None else _Selected(variable, condition, inside)
        if not self._in_window(selector.name, selector.location, scope):
            return None
        found = operand(syntax.NameRef(selector.name, selector.location), scope)
        variable = scope.fresh("s")
        inside = replace(scope, taken=scope.taken | {variable})
        match found:
            case None:
                return None
            case SetRef(core):
                return _Selected(variable, InSet(variable, core), inside)
            case SpanRef(core, _):
                return _Selected(variable, SameSpan(variable, core), inside)
            case _:
                unfit(scope, syntax.NameRef(selector.name, selector.location), found, "a set of spans or a span")
                return None

    def _listed(self, spans: tuple[str, ...], location: Location, scope: Scope) -> _Selected | None:
        """The spans with these names."""
        found = tuple(self._plan_span(name, location, scope) for name in spans)
        known = tuple(f for f in found if f is not None)
        if len(known) != len(found):
            return None
        variable = scope.fresh("s")
        condition = disjunction(tuple(SameSpan(variable, s.core) for s in known))
        return _Selected(variable, condition, replace(scope, taken=scope.taken | {variable}))

    def _plan_span(self, name: str, location: Location, scope: Scope) -> SpanRef | None:
        return span_named(name, location, scope) if self._in_window(name, location, scope) else None

    def _in_window(self, name: str, location: Location, scope: Scope) -> bool:
        """Whether the name may be that of a span; reports one that the window of a plan does not have."""
        declaration = self.declaration
        if name in scope.bindings or not isinstance(declaration, syntax.PlanDeclaration) or declaration.on is None:
            return True
        spans = (n for n, b in scope.bindings.items() if isinstance(b, SpanBinding))
        scope.report("R032", f"window `{declaration.on}` has no span `{name}`", location, suggestion(name, spans))
        return False

    def _named(self, name: str, scope: Scope) -> str:
        """A core name for a let, unique in the whole policy."""
        found = unused(name, scope.taken | self.trail.bound)
        self.trail.bound.add(found)
        return found

    def _settled(
        self,
        chosen: _Selected,
        name: str,
        scope: Scope,
        group: _Group | None,
        *,
        may: bool = False,
        archive: bool = False,
    ) -> tuple[tuple[Statement, ...], Expression]:
        """The condition of a statement; in a group or with `may` as a set that is read beforehand."""
        if group is None and not may:
            return (), chosen.condition
        core = self._named(name, chosen.inside)
        made = LetSet(0, core, chosen.variable, chosen.condition, archive, may)
        return (made,), InSet(chosen.variable, core)

    def _keep(self, selector: syntax.Selector, origin: Origin, scope: Scope, group: _Group | None) -> _Parts:
        chosen = self._select(selector, scope)
        if chosen is None:
            return _Parts()
        if group is None and not self.tracks_kept:
            return _Parts((), (Keep(0, chosen.variable, chosen.condition, origin),))
        core = self._named("kept", chosen.inside)
        self.kept.append(core)
        made = LetSet(0, core, chosen.variable, chosen.condition)
        return _Parts((made,), (Keep(0, chosen.variable, InSet(chosen.variable, core), origin),))

    def _evict(
        self,
        statement: syntax.Stmt,
        chosen: _Selected | None,
        scope: Scope,
        group: _Group | None,
        *,
        may: bool = False,
        logged: bool = False,
    ) -> _Parts:
        if chosen is None:
            return _Parts()
        if not may:
            self._wish(group, statement, "evict", chosen, ())
        reads, condition = self._settled(chosen, "chosen" if may else "evicted", scope, group, may=may)
        return _Parts(reads, (Evict(0, chosen.variable, condition, logged, _origin(statement)),))

    def _set(
        self,
        statement: syntax.Stmt,
        chosen: _Selected | None,
        record: tuple[syntax.AssignmentTerm, ...],
        scope: Scope,
        group: _Group | None,
        *,
        may: bool = False,
    ) -> _Parts:
        assignments = self._record(record, scope if chosen is None else chosen.inside)
        if chosen is None or assignments is None:
            return _Parts()
        if not may:
            self._wish(group, statement, "set", chosen, assignments)
        values, assignments = self._early(assignments, chosen.variable, chosen.inside, group, statement)
        reads, condition = self._settled(chosen, "chosen" if may else "changed", scope, group, may=may)
        if group is not None:
            group.assigned |= {a.field for a in assignments}
        return _Parts((*reads, *values), (Set(0, chosen.variable, condition, assignments, _origin(statement)),))

    def _summarize(
        self,
        statement: syntax.Stmt,
        chosen: _Selected | None,
        reading: syntax.Selector | None,
        record: tuple[syntax.AssignmentTerm, ...],
        place: syntax.PlaceTerm | None,
        scope: Scope,
        group: _Group | None,
        *,
        may: bool = False,
    ) -> _Parts:
        assignments = self._record(record, scope)
        where = None if place is None else self._place(place, scope)
        read = None if reading is None else self._select(reading, scope)
        if chosen is None or assignments is None or (place is not None and where is None) or (reading and read is None):
            return _Parts()
        if not may:
            self._wish(group, statement, "summarize", chosen, ())
        origin = _origin(statement)
        unprotected = tuple(Not(InSet(chosen.variable, k)) for k in self.kept)
        old = self._named("old", chosen.inside)
        reads: list[Statement] = [
            LetSet(0, old, chosen.variable, conjunction((chosen.condition, *unprotected)), may=may)
        ]
        covers = old
        if read is not None:
            covers = self._named("read", read.inside)
            condition = conjunction((InSet(read.variable, old), read.condition))
            reads.append(LetSet(0, covers, read.variable, condition))
        around = self._around(scope)
        variable = around.fresh("s")
        member = InSet(variable, old)
        if where is None:
            first = self._named("first", around)
            reads.append(LetSpan(0, first, Pick("first", variable, member)))
            where = Beside("before", first)
        values, assignments = self._early(assignments, None, scope, group, statement)
        put: Statement = Insert(0, where, assignments, covers, origin)
        if place is not None:
            put = Block(0, Some(variable, None, member), (put,), False, origin)
            if group is not None:
                # What the group reads, it reads before anything is done: so also whether there is anything to summarize.
                some = self._named("some", around)
                reads.append(LetValue(0, some, "bool", Some(variable, None, member)))
                put = replace(put, condition=Local(some, "bool"))
        evict = Evict(0, variable, member, False, origin)
        return _Parts((*reads, *values), (put, evict))

    def _readmit(
        self,
        selector: syntax.Selector,
        place: syntax.PlaceTerm | None,
        scope: Scope,
        group: _Group | None,
        origin: Origin,
        *,
        override: bool,
        may: bool,
    ) -> _Parts:
        chosen = self._select(selector, scope)
        where: Place | None = Original() if place is None else self._place(place, scope)
        if chosen is None or where is None:
            return _Parts()
        reads, condition = self._settled(chosen, "chosen" if may else "readmitted", scope, group, may=may, archive=True)
        return _Parts(reads, (Readmit(0, chosen.variable, condition, where, override, origin),))

    def _fill(self, statement: syntax.Fill, scope: Scope) -> _Parts:
        variable, inside = scope.bind_span(statement.variable, None, statement.location)
        condition, weight = truth(statement.condition, inside), integer(statement.weight, inside)
        cap = integer(statement.cap, scope)
        if condition is None or weight is None or cap is None:
            return _Parts()
        return _Parts((), (Fill(0, variable, statement.newest, condition, weight, cap, _origin(statement)),))

    def _place(self, place: syntax.PlaceTerm, scope: Scope) -> Place | None:
        match place:
            case syntax.PlaceAt(which):
                return End(which)
            case syntax.PlaceBeside(side, name):
                found = self._plan_span(name, place.location, scope)
                return None if found is None else Beside(side, found.core)

    # ----- records

    def _record(self, record: tuple[syntax.AssignmentTerm, ...], scope: Scope) -> tuple[Assignment, ...] | None:
        found: dict[str, Assignment] = {}
        first: dict[str, Location] = {}
        good = True
        for term in record:
            assignment = self._assignment(term, scope)
            if assignment is None:
                good = False
                continue
            known = found.get(term.field)
            joined = assignment if known is None else _joined(known, assignment)
            if joined is None:
                notes = (("it is given here first", first[term.field]),)
                scope.report("R026", f"`{term.field}` is given twice", term.location, notes=notes)
                good = False
                continue
            first.setdefault(term.field, term.location)
            found[term.field] = joined
        return tuple(found.values()) if good else None

    def _assignment(self, term: syntax.AssignmentTerm, scope: Scope) -> Assignment | None:
        field_ = field_named(term.field, term.location, scope)
        if field_ is None:
            if term.value is not None and not isinstance(term.value, syntax.NameRef | syntax.Nothing):
                operand(term.value, scope)
            return None
        if field_.oracle is not None:
            message = f"`{field_.name}` comes from the {field_.oracle}, so a policy cannot set it"
            scope.report("R025", message, term.location)
            return None
        if term.operator == "any" or term.value is None:
            return Open(field_.name)
        if term.operator == "=":
            found = value(term.value, scope, Expected(field_.kind, field_.names, field_.name))
            if found is None:
                return None
            if (
                field_.kind == "enum"
                and not isinstance(found.expression, Name)
                and not set(found.names) <= set(field_.names)
            ):
                message = f"`{shown(term.value)}` may be a name that `{field_.name}` does not have"
                scope.report("R013", message, term.location)
                return None
            return Assign(field_.name, found.expression)
        if field_.kind != "int":
            scope.report("R013", f"`{field_.name}` is not a number, so it has no limits", term.location)
            return None
        limit = integer(term.value, scope)
        if limit is None:
            return None
        match term.operator:
            case "<=":
                return Open(field_.name, None, limit)
            case "<":
                return Open(field_.name, None, _shifted(limit, -1))
            case ">=":
                return Open(field_.name, limit, None)
            case ">":
                return Open(field_.name, _shifted(limit, 1), None)

    def _early(
        self,
        assignments: tuple[Assignment, ...],
        variable: str | None,
        scope: Scope,
        group: _Group | None,
        statement: syntax.Stmt,
    ) -> tuple[tuple[Statement, ...], tuple[Assignment, ...]]:
        """In a group, values that are the same for all spans are read beforehand; others must not hang on earlier edits."""
        if group is None:
            return (), assignments
        reads: list[Statement] = []
        found: list[Assignment] = []

        def early(expression: Expression, kind_of: str) -> Expression:
            if not _reads_state(expression):
                return expression
            fields, other = walk.reads_of(expression, variable) if variable is not None else (frozenset[str](), False)
            if not fields and not other:
                kind = self.schema.schema.field(kind_of).kind
                core = self._named(kind_of, scope)
                reads.append(LetValue(0, core, kind, expression))
                return Local(core, kind)
            plain = not other and not _reads_window(expression)
            if group.edited and not (plain and not fields & group.assigned):
                message = "this value would be read after an earlier statement of the group has changed what it reads"
                scope.report("R041", message, statement.location, "write this statement first, or outside of the group")
            return expression

        for assignment in assignments:
            match assignment:
                case Assign(name, expression):
                    found.append(Assign(name, early(expression, name)))
                case Open(name, low, high):
                    found.append(
                        Open(
                            name,
                            None if low is None else early(low, name),
                            None if high is None else early(high, name),
                        )
                    )
        return tuple(reads), tuple(found)

    # ----- lets

    def _let(self, statement: syntax.Let, scope: Scope) -> tuple[tuple[Statement, ...], Scope]:
        scope.free(statement.name, statement.location)
        location = statement.location
        around = self._around(scope)
        match statement.term:
            case syntax.SetTerm(variable, condition, archived, may):
                core_variable, inside = around.bind_span(variable, None, location)
                found = truth(condition, inside)
                core = self._named(statement.name, scope)
                bound = _rebound(scope, statement.name, SetBinding(core, location), core)
                if found is None:
                    return (), bound
                return (LetSet(0, core, core_variable, found, archived, may),), bound
            case syntax.Snap() as snap:
                term = self._snap(snap, around)
            case expr if _is_span(expr, scope):
                term = self._span_term(expr, around)
            case expr:
                return self._let_value(statement, expr, scope)
        core = self._named(statement.name, scope)
        bound = _rebound(scope, statement.name, SpanBinding(core, None, location), core)
        return (() if term is None else (LetSpan(0, core, term),)), bound

    def _let_value(self, statement: syntax.Let, expr: syntax.Expr, scope: Scope) -> tuple[tuple[Statement, ...], Scope]:
        found = operand(expr, self._around(scope))
        lost = _rebound(scope, statement.name, LostBinding(statement.location), None)
        match found:
            case None:
                return (), lost
            case SetRef(other):
                core = self._named(statement.name, scope)
                variable = self._around(scope).fresh("s")
                bound = _rebound(scope, statement.name, SetBinding(core, statement.location), core)
                return (LetSet(0, core, variable, InSet(variable, other)),), bound
            case Value(kind, expression, names):
                core = self._named(statement.name, scope)
                binding = ValueBinding(kind, Local(core, kind), statement.location, names)
                return (LetValue(0, core, kind, expression),), _rebound(scope, statement.name, binding, core)
            case _:
                unfit(scope, expr, found, "a span, a set of spans or a value")
                return (), lost

    def _span_term(self, expr: syntax.Expr, scope: Scope) -> SpanTerm | None:
        match expr:
            case syntax.PickTerm(which, archived, variable, condition):
                core, inside = scope.bind_span(variable, None, expr.location)
                found = truth(condition, inside)
                return None if found is None else Pick(which, core, found, archived)
            case syntax.Nothing():
                return NoSpan()
            case syntax.Conditional(condition, then, otherwise):
                found = truth(condition, scope)
                first, second = self._span_term(then, scope), self._span_term(otherwise, scope)
                if found is None or first is None or second is None:
                    return None
                return SpanIf(found, first, second)
            case _:
                named = operand(expr, scope)
                if named is None:
                    return None
                if isinstance(named, SpanRef):
                    return SpanNamed(named.core)
                unfit(scope, expr, named, "a span")
                return None

    def _snap(self, snap: syntax.Snap, scope: Scope) -> SpanTerm | None:
        """The nearest legal span on one side of the cut, the cut included; absent if the cut is."""
        cut = span_named(snap.span, snap.location, scope)
        variable, inside = scope.bind_span(snap.variable, None, snap.location)
        legal = truth(snap.condition, inside)
        otherwise = None if snap.otherwise is None else self._span_term(snap.otherwise, scope)
        if cut is None or legal is None or (snap.otherwise is not None and otherwise is None):
            return None
        pair = (variable, cut.core) if snap.direction == "back" else (cut.core, variable)
        reached = conjunction((legal, Or((SameSpan(variable, cut.core), Before(*pair)))))
        pick = Pick("last" if snap.direction == "back" else "first", variable, reached)
        if otherwise is None:
            return pick
        found = SpanIf(Some(variable, None, reached), pick, otherwise)
        return SpanIf(SameSpan(cut.core, cut.core), found, NoSpan())


# ---------- small helpers


def _rebound(scope: Scope, name: str, binding: Binding, core: str | None) -> Scope:
    inside = scope.bound(name, binding)
    return inside if core is None else replace(inside, taken=inside.taken | {core})


def _origin(statement: syntax.Stmt, location: Location | None = None) -> Origin:
    return Origin(" ".join(print_statement(statement).split()), location or statement.location)


def _shifted(limit: Expression, by: int) -> Expression:
    return arithmetic.added((limit, Int(by)))


def _joined(first: Assignment, second: Assignment) -> Assignment | None:
    """Two limits of one field as one; None if the two do not go together."""
    match first, second:
        case Open(name, low, None), Open(_, None, high) if low is not None and high is not None:
            return Open(name, low, high)
        case Open(name, None, high), Open(_, low, None) if low is not None and high is not None:
            return Open(name, low, high)
        case _:
            return None


def _is_span(expr: syntax.Expr, scope: Scope) -> bool:
    """Whether a `let` of this names a span rather than a value."""
    match expr:
        case syntax.PickTerm() | syntax.Nothing():
            return True
        case syntax.NameRef(name):
            return isinstance(scope.bindings.get(name), SpanBinding)
        case syntax.Conditional(_, then, otherwise):
            leaves = [e for e in (then, otherwise) if not isinstance(e, syntax.Nothing)]
            return all(_is_span(e, scope) for e in leaves)
        case _:
            return False


def _reads_state(expression: Expression) -> bool:
    return not arithmetic.rigid(expression) and not isinstance(expression, Name | Local)


def _reads_window(expression: Expression) -> bool:
    return any(hasattr(n, "window") and not isinstance(n, Read) for n in walk.nodes(expression))


def _summarizes(body: tuple[syntax.Stmt, ...], names: Names, visited: frozenset[str]) -> bool:
    """Whether a summary is made anywhere, so that it matters which spans are kept."""
    for statement in body:
        match statement:
            case syntax.Summarize() | syntax.Merge():
                return True
            case syntax.AtOnce(inner) | syntax.Repeat(body=inner):
                if _summarizes(inner, names, visited):
                    return True
            case syntax.Branch(_, then, otherwise):
                if _summarizes(then + (otherwise or ()), names, visited):
                    return True
            case syntax.Tiers(_, tiers):
                if any(_summarizes(t, names, visited) for t in tiers):
                    return True
            case syntax.Apply(reference):
                other = names.policies.get(reference.name)
                inner = other.body if other is not None and reference.name not in visited else ()
                if _summarizes(inner, names, visited | {reference.name}):
                    return True
            case _:
                pass
    return False


def _tags(condition: Expression) -> frozenset[str]:
    """The tags of a condition that tests nothing but the tag; empty for any other."""
    match condition:
        case Equal(Read("·", field_name, "enum"), Name("enum", tag)) if field_name == TAG:
            return frozenset({tag})
        case Or(items):
            parts = [_tags(i) for i in items]
            return frozenset[str]().union(*parts) if all(parts) else frozenset()
        case _:
            return frozenset()


def _clash(one: _Wish, two: _Wish) -> bool:
    if one.condition != two.condition and not _tags(one.condition) & _tags(two.condition):
        return False
    words = {one.word, two.word}
    if words == {"set"}:
        values = {a.field: a for a in one.assignments}
        return any(a.field in values and values[a.field] != a for a in two.assignments)
    if words == {"evict"}:
        return False
    return words <= {"evict", "summarize"} or len(words & {"evict", "summarize"}) == 1 or words == {"move"}


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


# ---------- what a property is given


def property_bindings(
    reference: syntax.Reference,
    declaration: syntax.PropertyDeclaration,
    target: Instance,
    names: Names,
    problems: Problems,
    *,
    gate: bool = False,
    others: dict[str, Instance] | None = None,
    scope: Scope | None = None,
) -> dict[str, Binding] | None:
    """What the property's parameters stand for: the first policy is the target, the rest is given by the reference.

    Further policies are put into `others`, by their name in the obligation. None if something is wrong (reported).
    """
    first = next((p for p in declaration.parameters if p.kind in ("policy", "plan")), None)
    if first is None:
        message = f"property `{declaration.name}` has no policy among its parameters, so it says nothing of `{target.policy.name}`"
        problems.report("R017", message, reference.location)
        return None
    bindings: dict[str, Binding] = {first.name: target.binding(gated=not gate)}
    rest = tuple(p for p in declaration.parameters if p is not first)
    arguments = matched(reference, rest, "property", problems)
    missing = [p.name for p in rest if p.name not in arguments]
    if missing:
        needs = f"property `{declaration.name}` needs {listing(missing)}"
        hint = f"write `{declaration.name}({', '.join(p.name for p in rest)})` with what each stands for"
        problems.report("R016", needs, reference.location, hint, (("it is declared here", declaration.location),))
        return None
    for parameter in rest:
        found = _property_argument(arguments[parameter.name], parameter, target, names, problems, gate, others)
        if found is None:
            return None
        bindings[parameter.name] = found
    return bindings


def _property_argument(
    argument: syntax.Argument,
    parameter: syntax.Parameter,
    target: Instance,
    names: Names,
    problems: Problems,
    gate: bool,
    others: dict[str, Instance] | None,
) -> Binding | None:
    match parameter.kind:
        case "predicate":
            return _predicate_argument(argument, names, problems)
        case "int":
            return _number_argument(argument, parameter, target, names, problems)
        case "policy" | "plan":
            if gate or others is None:
                message = "a gate looks at one policy, and this property compares two"
                problems.report("R045", message, argument.location)
                return None
            return _policy_argument(argument, target, names, problems, others)
        case kind:
            word = kind or "span"
            message = f"`{parameter.name}` is a {word} parameter, and a property has none of these"
            problems.report("R049", message, parameter.location, "take spans and windows with `all`")
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
    argument: syntax.Argument, parameter: syntax.Parameter, target: Instance, names: Names, problems: Problems
) -> Binding | None:
    scope = parameter_scope(target, names, problems)
    found = integer(argument.value, scope)
    if found is None:
        return None
    open_bounds = {d.name: (d.low, d.high) for d in target.policy.parameters}
    if not within_bounds(parameter, found, open_bounds, argument.location, problems):
        return None
    return ValueBinding("int", found, parameter.location)


def parameter_scope(target: Instance, names: Names, problems: Problems) -> Scope:
    """A scope with nothing but the policy's parameters."""
    location = target.policy.location
    assert location is not None
    bindings: dict[str, Binding] = {n: ValueBinding("int", e, location) for n, e in target.parameters.items()}
    return Scope(names, names, problems, target.schema, "assumption", None, bindings)


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
        message = f"`{reference.name}` is for window `{found.schema.name}`, and `{target.policy.name}` for `{target.schema.name}`"
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
    what: str = "policy",
) -> Instance | None:
    """A policy or plan with the constants that a check gives it. Parameters whose names are open already are qualified."""
    declaration = names.policies.get(reference.name)
    if declaration is None:
        hint = suggestion(reference.name, names.policies)
        problems.report("R003", f"unknown policy or plan `{reference.name}`", reference.location, hint)
        return None
    what = "plan" if isinstance(declaration, syntax.PlanDeclaration) else "policy"
    integers = tuple(p for p in declaration.parameters if p.kind == "int")
    arguments = matched(reference, integers, what, problems)
    given: dict[str, Expression] = {}
    good = len(arguments) >= len(reference.arguments or ())
    for parameter in integers:
        argument = arguments.get(parameter.name)
        if argument is None:
            if parameter.name in open_names:
                given[parameter.name] = ParameterTerm(f"{declaration.name}.{parameter.name}")
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
    if not good or ("policy", declaration.name) in names.broken:
        return None
    return instance(declaration, names, problems, given=given, name=unused(declaration.name, set(taken)))
