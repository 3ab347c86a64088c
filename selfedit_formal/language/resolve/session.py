"""Sessions in the core: each turn as passes of the environment, of the policies applied, and of bookkeeping."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

from selfedit_formal._frozen import dataclass
from selfedit_formal.core.expression import (
    ASSUMED,
    FALSE,
    TRUE,
    And,
    Expression,
    InSet,
    Int,
    Name,
    Not,
    Origin,
    Parameter,
    Read,
    SameSpan,
    conjunction,
)
from selfedit_formal.core.policy import (
    Assign,
    Assignment,
    Block,
    End,
    Insert,
    LetSet,
    LetSpan,
    ParameterDeclaration,
    Pick,
    Policy,
    Set,
    Statement,
)
from selfedit_formal.core.session import (
    BINDING,
    EVICTED,
    EVICTIONS,
    HISTORY,
    MET,
    OFFERED,
    RETURNED,
    THRASHED,
    Invariant,
    Session,
    Step,
)
from selfedit_formal.core.traverse import nodes
from selfedit_formal.core.window import TAG, Field
from selfedit_formal.language import syntax
from selfedit_formal.language.print import print_member
from selfedit_formal.language.resolve import arithmetic
from selfedit_formal.language.resolve.arguments import matched, within_bounds
from selfedit_formal.language.resolve.edit import InSession
from selfedit_formal.language.resolve.expression import integer
from selfedit_formal.language.resolve.function import control
from selfedit_formal.language.resolve.instance import SessionInstance
from selfedit_formal.language.resolve.names import Names, SchemaNames, SessionNames
from selfedit_formal.language.resolve.policy import every, instance, numbered
from selfedit_formal.language.resolve.problems import Problems, listing, suggestion
from selfedit_formal.language.resolve.record import record_of
from selfedit_formal.language.resolve.schema import Bounds, assumption, checked_bounds, first_of_each
from selfedit_formal.language.resolve.scope import Scope, StorePlace, ValueBinding, unused


def outlined(
    declaration: syntax.SessionDeclaration, schemas: Mapping[str, SchemaNames], problems: Problems
) -> SessionNames:
    """The session with the schema of its windows. Reports a window that is not there, or has such fields itself."""
    window = schemas.get(declaration.schema)
    if window is None:
        hint = suggestion(declaration.schema, schemas)
        problems.report("R002", f"unknown window `{declaration.schema}`", declaration.location, hint)
        return SessionNames(declaration, None)
    for written in window.declaration.fields:
        for name in written.fields:
            if name in {f.name for f in HISTORY}:
                notes = ((f"window `{window.name}` has it here", written.location),)
                message = (
                    f"`{name}` is what a session knows of a span's past, and window `{window.name}` has such a field"
                )
                problems.report("R053", message, declaration.location, "give the field another name", notes)
    return SessionNames(declaration, with_history(window, declaration.name, HISTORY))


def with_history(window: SchemaNames, name: str, history: tuple[Field, ...]) -> SchemaNames:
    """The schema under the session's name, its spans with these fields besides."""
    schema = window.schema
    fields = tuple(f for f in schema.fields if not any(f.name == h.name for h in history))
    return replace(window, schema=replace(schema, name=name, fields=(*fields, *history)))


@dataclass(frozen=True, slots=True)
class Watch:
    """What is looked for after each turn: the spans of which it is true, `archive` says whether among those that left.

    `once` and `twice` are the fields that remember them.
    """

    variable: str
    condition: Expression
    archive: bool
    once: Field
    twice: Field


def session_instance(
    session: SessionNames,
    names: Names,
    problems: Problems,
    *,
    given: Mapping[str, Expression] | None = None,
    watch: Watch | None = None,
    apart: bool = False,
) -> SessionInstance | None:
    """The session in the core. `given` has the parameters that are not left open.

    `apart`: the bookkeeping before a policy is a step of its own, and so is done where the environment does nothing.
    Else it is done in the environment's pass, which is one less. None if something is wrong (reported).
    """
    before = len(problems)
    if session.schema is None:
        return None
    made = _Making(session.declaration, session.schema, names, problems, given or {}, watch, apart)
    found = made.whole()
    return found if len(problems) == before and not made.spoiled else None


class _Making:
    """One session on its way into the core."""

    def __init__(
        self,
        declaration: syntax.SessionDeclaration,
        schema: SchemaNames,
        names: Names,
        problems: Problems,
        given: Mapping[str, Expression],
        watch: Watch | None,
        apart: bool,
    ) -> None:
        self.apart = apart
        self.spoiled = False
        self.declaration = declaration
        self.schema = schema
        self.names = names
        self.problems = problems
        self.watch = watch
        if watch is not None:
            self.schema = with_history(schema, declaration.name, (*HISTORY, watch.once, watch.twice))
        self.integers = tuple(p for p in declaration.parameters if p.kind == "int")
        self.parameters = {p.name: given.get(p.name, Parameter(p.name)) for p in self.integers}
        self.open: dict[str, Bounds] = {}

    def whole(self) -> SessionInstance:
        declaration, members = self.declaration, self.declaration.members
        self._check_parameters()
        tombstones, stone = self._keeping("tombstones")
        ledger, entry = self._keeping("ledger")
        steps = self._steps(tombstones, tuple(r for r in (stone, entry) if r is not None))
        scope = self._scope("assumption")
        start = tuple(
            assumption(m.condition, ASSUMED, m.location, scope) for m in members if isinstance(m, syntax.Start)
        )
        invariants = tuple(
            Invariant(found, _origin(m))
            for m in members
            if isinstance(m, syntax.Invariant)
            for found in [assumption(m.condition, ASSUMED, m.location, scope)]
            if found is not None
        )
        session = Session(
            declaration.name,
            self.schema.schema,
            steps,
            tuple(ParameterDeclaration(n, *b) for n, b in self.open.items()),
            conjunction(tuple(s for s in start if s is not None)),
            tombstones.store,
            ledger.store,
            invariants,
            declaration.doc,
            declaration.location,
            self.schema.name,
        )
        return SessionInstance(session, self.schema, self.parameters, tombstones, ledger)

    def _check_parameters(self) -> None:
        first_of_each(tuple((p.name, p.location) for p in self.declaration.parameters), "parameter", self.problems)
        for parameter in self.declaration.parameters:
            if parameter.kind != "int":
                message = f"a session takes no {parameter.kind or 'span'} parameter"
                hint = "its parameters are numbers: `k: int`"
                self.problems.report("R049", message, parameter.location, hint)
            found = checked_bounds(parameter.name, parameter.limits, parameter.location, self.problems)
            if isinstance(self.parameters.get(parameter.name), Parameter):
                self.open[parameter.name] = found

    def _scope(self, inside: Literal["pass", "assumption"]) -> Scope:
        scope = Scope(self.names, self.names, self.problems, self.schema, inside, None)
        for parameter in self.integers:
            binding = ValueBinding("int", self.parameters[parameter.name], parameter.location)
            scope = replace(scope, bindings={**scope.bindings, parameter.name: binding})
        return replace(
            scope, taken=frozenset(self.open) | {SPAN, GONE, ONE} if inside == "pass" else frozenset(self.open)
        )

    # ----- tombstones and the ledger

    def _keeping(self, of: str) -> tuple[StorePlace, _Put | None]:
        """Where they live; and what is put into the window for those that live there."""
        members = [m for m in self.declaration.members if isinstance(m, syntax.Keeping) and m.of == of]
        first_of_each(tuple((of, m.location) for m in members), "the place of", self.problems)
        if not members:
            return StorePlace(), None
        found = members[0]
        if found.store != "in_window":
            return StorePlace(found.store), None
        record = record_of(found.record, self._scope("pass"))
        if record is None:
            return StorePlace("in_window"), None
        tag = next((a.value for a in record if isinstance(a, Assign) and a.field == TAG), None)
        if not isinstance(tag, Name):
            known = self.schema.schema.field(TAG).names
            message = f"what stands in the window for the {of} needs a tag by which it is known"
            hint = f"write `{of} in_window {{ tag = … }}`: window `{self.schema.name}` has {listing(known)}"
            self.problems.report("R056", message, found.location, hint)
            return StorePlace("in_window"), None
        return StorePlace("in_window", tag.value), _Put(record, _origin(found))

    # ----- steps

    def _steps(self, tombstones: StorePlace, puts: tuple[_Put, ...]) -> tuple[Step, ...]:
        turns = [m for m in self.declaration.members if isinstance(m, syntax.Turn)]
        if len(turns) != 1:
            if not turns:
                message = f"session `{self.declaration.name}` does not say what happens in a turn"
                hint = "write `each turn { apply … }`"
                self.problems.report("R050", message, self.declaration.location, hint)
            for other in turns[1:]:
                notes = (("the first one is here", turns[0].location),)
                message = f"session `{self.declaration.name}` has two kinds of turns"
                self.problems.report("R050", message, other.location, "write all of it in one `each turn`", notes)
        found: list[Step] = []
        for turn in turns:
            found += self._turn(turn, tombstones, puts)
        return tuple(found)

    def _turn(self, turn: syntax.Turn, tombstones: StorePlace, puts: tuple[_Put, ...]) -> list[Step]:
        name = self.declaration.name
        if not any(isinstance(s, syntax.Apply) for s in every(turn.body)):
            message = f"session `{name}` applies no policy, so there is nothing to promise of it"
            self.problems.report("R050", message, turn.location, "write `apply` with a policy in it")
        found: list[Step] = []
        applied: dict[tuple[str, tuple[Expression, ...]], Policy] = {}
        run: list[syntax.Stmt] = []
        rounds = 0
        for statement in turn.body:
            if not isinstance(statement, syntax.Apply):
                run.append(statement)
                continue
            rounds += 1
            number = "" if rounds == 1 else str(rounds)
            offering = self._offering()
            environment = self._environment(
                tuple(run), f"{name}.environment{number}", tombstones, () if self.apart else offering
            )
            offer = self._policy(f"{name}.offer{number}", offering) if self.apart else None
            policy = self._applied(statement.policy, tombstones, applied)
            record = self._policy(f"{name}.record{number}", self._recording(puts))
            found += [
                Step(p, p is environment, p is policy) for p in (environment, offer, policy, record) if p is not None
            ]
            run = []
        if run:
            number = "" if rounds == 0 else str(rounds + 1)
            last = self._environment(tuple(run), f"{name}.environment{number}", tombstones, (self._returning(),))
            found += [Step(last, True)] if last is not None else []
        if self.watch is not None:
            found.append(Step(self._policy(f"{name}.watch", _watching(self.watch, self._note("seen"))), False))
        return found

    def _environment(
        self, run: tuple[syntax.Stmt, ...], name: str, tombstones: StorePlace, after: tuple[Statement, ...]
    ) -> Policy | None:
        """What the environment does, and then the bookkeeping."""
        declaration = self.declaration
        written = syntax.PolicyDeclaration(
            declaration.name, self.integers, declaration.schema, run, "", declaration.location
        )
        made = instance(
            written,
            self.names,
            self.problems,
            given=self.parameters,
            name=name,
            schema=self.schema,
            session=InSession(tombstones, True),
        )
        return None if made is None else self._policy(name, (*made.policy.body, *after))

    def _policy(self, name: str, body: tuple[Statement, ...]) -> Policy:
        """A policy of the session's own."""
        return self._with_parameters(
            Policy(name, self.schema.schema, (), numbered(body), location=self.declaration.location)
        )

    def _with_parameters(self, policy: Policy) -> Policy:
        """The policy with the session's open parameters that it reads for its own."""
        read = {n.name for n in nodes((policy.body, policy.gates)) if isinstance(n, Parameter)}
        return replace(policy, parameters=tuple(ParameterDeclaration(n, *b) for n, b in self.open.items() if n in read))

    def _applied(
        self,
        reference: syntax.Reference,
        tombstones: StorePlace,
        applied: dict[tuple[str, tuple[Expression, ...]], Policy],
    ) -> Policy | None:
        """The policy as it is applied with these arguments; the same one where it is applied again with the same."""
        declaration = self.names.policies.get(reference.name)
        if declaration is None and reference.name in self.names.sessions:
            message = f"`{reference.name}` is a session, and only policies can be applied"
            self.problems.report("R046", message, reference.location)
            return None
        if declaration is None:
            hint = suggestion(reference.name, self.names.policies)
            self.problems.report("R003", f"unknown policy `{reference.name}`", reference.location, hint)
            return None
        if not self._may_apply(reference, declaration):
            return None
        given = self._given(reference, declaration)
        if ("policy", declaration.name) in self.names.broken:
            self.spoiled = True
            return None
        if given is None:
            return None
        key = (declaration.name, tuple(given.values()))
        if key in applied:
            return applied[key]
        made = instance(
            declaration,
            self.names,
            self.problems,
            given=given,
            name=unused(declaration.name, {p.name for p in applied.values()}),
            schema=self.schema,
            session=InSession(tombstones, False),
        )
        if made is None:
            return None
        applied[key] = self._with_parameters(made.policy)
        return applied[key]

    def _may_apply(
        self, reference: syntax.Reference, declaration: syntax.PolicyDeclaration | syntax.PlanDeclaration
    ) -> bool:
        if isinstance(declaration, syntax.PlanDeclaration):
            message = f"`{declaration.name}` is a plan, and only policies can be applied"
            self.problems.report("R046", message, reference.location)
            return False
        if declaration.schema != self.schema.name:
            mine, theirs = self.schema.name, declaration.schema
            message = f"policy `{declaration.name}` is for window `{theirs}`, this session of `{mine}`"
            self.problems.report("R046", message, reference.location)
            return False
        return True

    def _given(
        self, reference: syntax.Reference, declaration: syntax.PolicyDeclaration | syntax.PlanDeclaration
    ) -> dict[str, Expression] | None:
        integers = tuple(p for p in declaration.parameters if p.kind == "int")
        arguments = matched(reference, integers, "policy", self.problems)
        missing = [p.name for p in integers if p.name not in arguments]
        if missing:
            message = f"policy `{reference.name}` needs {listing(missing)}"
            hint = f"give it here: `{missing[0]} = ...`"
            self.problems.report("R016", message, reference.location, hint)
            return None
        found: dict[str, Expression] = {}
        good = True
        for parameter in integers:
            argument = arguments[parameter.name]
            number = integer(argument.value, self._scope("assumption"))
            if number is None:
                good = False
            elif not arithmetic.rigid(number):
                message = f"`{parameter.name}` is given a number that hangs on the window"
                hint = "in a session a policy is given numbers and the session's parameters"
                self.problems.report("R043", message, argument.location, hint)
                good = False
            else:
                good &= within_bounds(parameter, number, self.open, argument.location, self.problems)
                found[parameter.name] = number
        return found if good else None

    # ----- bookkeeping: see `spec/semantics.md`, "What a session remembers"

    def _note(self, what: str) -> Origin:
        return Origin(f"session {self.declaration.name}: {what} is noted", self.declaration.location)

    def _returning(self) -> Statement:
        """Present although evicted, and no override was given: it came back by itself."""
        return _set(EVICTED_, (Assign(RETURNED, TRUE),), self._note("what came back"))

    def _offering(self) -> tuple[Statement, ...]:
        """Before the policy gets the window."""
        noted: list[Statement] = [self._returning()]
        if self.schema.controls:
            scope = Scope(self.names, self.names, self.problems, self.schema, "pass", None, taken=frozenset({SPAN}))
            governs = control(SPAN, None, self.declaration.location, scope)
            if governs is not None:
                new = conjunction((Not(_read(MET)), governs))
                noted.append(_set(new, (Assign(BINDING, TRUE),), self._note("what binds")))
        noted.append(_set(TRUE, (Assign(MET, TRUE), Assign(OFFERED, TRUE)), self._note("what the policy is given")))
        return tuple(noted)

    def _recording(self, puts: tuple[_Put, ...]) -> tuple[Statement, ...]:
        """After the policy: those that are gone were evicted by it, since it was given them."""
        left = self._note("what was evicted")
        more = arithmetic.added((Read(SPAN, EVICTIONS, "int"), Int(1)))
        noted: list[Statement] = [
            _set(And((OFFERED_, EVICTED_)), (Assign(THRASHED, TRUE),), left, archive=True),
            _set(OFFERED_, (Assign(EVICTED, TRUE), Assign(EVICTIONS, more)), left, archive=True),
            self._returning(),
        ]
        if puts:
            noted += [
                LetSet(0, GONE, SPAN, OFFERED_, archive=True),
                LetSpan(0, ONE, Pick("first", SPAN, InSet(SPAN, GONE), archive=True)),
            ]
            noted += [
                Block(0, SameSpan(ONE, ONE), (Insert(0, End("back"), p.record, GONE, p.origin),), False, p.origin)
                for p in puts
            ]
        over = (Assign(OFFERED, FALSE),)
        given = self._note("the end of the turn")
        return (*noted, _set(OFFERED_, over, given), _set(OFFERED_, over, given, archive=True))


@dataclass(frozen=True, slots=True)
class _Put:
    """A span that is put into the window for those that left in a turn."""

    record: tuple[Assignment, ...]
    origin: Origin


def _origin(member: syntax.SessionMember) -> Origin:
    return Origin(" ".join(print_member(member).split()), member.location)


SPAN, GONE, ONE = "s", "gone", "one"
"""Names in the session's own policies, which bind nothing else."""


def _read(field: str) -> Expression:
    return Read(SPAN, field, "bool")


OFFERED_, EVICTED_ = _read(OFFERED), _read(EVICTED)


def _set(
    condition: Expression, assignments: tuple[Assignment, ...], origin: Origin, *, archive: bool = False
) -> Statement:
    return Set(0, SPAN, condition, assignments, origin, archive)


def _watching(watch: Watch, origin: Origin) -> tuple[Statement, ...]:
    again = conjunction((watch.condition, Read(watch.variable, watch.once.name, "bool")))
    return tuple(
        Set(0, watch.variable, condition, (Assign(field.name, TRUE),), origin, archive)
        for archive in (False, True)[: 1 + watch.archive]
        for condition, field in ((again, watch.twice), (watch.condition, watch.once))
    )
