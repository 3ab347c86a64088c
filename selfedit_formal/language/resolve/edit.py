"""Statements that keep or change spans, alone or in a group whose conditions are all read first."""

from __future__ import annotations

from dataclasses import field, replace

from selfedit_formal._frozen import dataclass
from selfedit_formal.core.diagnostics import Location
from selfedit_formal.core.expression import (
    FALSE,
    And,
    Equal,
    Expression,
    InSet,
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
from selfedit_formal.core.policy import (
    Assign,
    Assignment,
    Beside,
    Block,
    End,
    Evict,
    Fill,
    Insert,
    Keep,
    LetSet,
    LetSpan,
    LetValue,
    Move,
    Open,
    Original,
    Pick,
    Place,
    Readmit,
    Set,
    Statement,
)
from selfedit_formal.core.session import EVICTED, MET, RETURNED
from selfedit_formal.core.traverse import nodes, renamed
from selfedit_formal.core.window import TAG
from selfedit_formal.language import syntax
from selfedit_formal.language.print import print_statement
from selfedit_formal.language.resolve import arithmetic, walk
from selfedit_formal.language.resolve.expression import integer, named, span_named, truth
from selfedit_formal.language.resolve.function import tombstone
from selfedit_formal.language.resolve.instance import Written
from selfedit_formal.language.resolve.names import SchemaNames
from selfedit_formal.language.resolve.operand import SetRef, SpanRef, unfit
from selfedit_formal.language.resolve.problems import Problems, suggestion
from selfedit_formal.language.resolve.record import record_of
from selfedit_formal.language.resolve.scope import (
    Scope,
    SpanBinding,
    StorePlace,
    Trail,
    unused,
)

ARRIVALS = 16
"""The greatest n of `arrive up to n`."""


@dataclass(slots=True)
class Parts:
    """A statement of a group: what it reads, and what it does then."""

    reads: tuple[Statement, ...] = ()
    edits: tuple[Statement, ...] = ()


@dataclass(frozen=True, slots=True)
class Selected:
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
class Simultaneous:
    """What the statements of an `at once` before this one did."""

    wishes: list[_Wish] = field(default_factory=list)
    assigned: set[str] = field(default_factory=set)
    edited: bool = False


@dataclass(frozen=True, slots=True)
class InSession:
    """What a policy has to heed as a step of a session: its tombstones, and whether it is the environment's."""

    tombstones: StorePlace
    environment: bool


class Edits:
    """The statements of one policy that keep or change spans, each by itself."""

    def __init__(
        self,
        declaration: Written,
        schema: SchemaNames,
        problems: Problems,
        trail: Trail,
        *,
        tracks_kept: bool,
        session: InSession | None,
    ) -> None:
        self._session = session
        self._declaration = declaration
        self._schema = schema
        self._problems = problems
        self._trail = trail
        self._plan = isinstance(declaration, syntax.PlanDeclaration)
        self._tracks_kept = tracks_kept
        self._kept: list[tuple[str, Location]] = []
        self._kept_inside: list[Location] = []

    def inside(self) -> int:
        """Enters a block; `outside` wants the result back."""
        return len(self._kept)

    def outside(self, mark: int) -> None:
        """Leaves a block: what was kept in it is still protected, but its sets have no meaning any more."""
        self._kept_inside += [place for _, place in self._kept[mark:]]
        del self._kept[mark:]

    def around(self, scope: Scope) -> Scope:
        """The scope for one more copy of something: its variables differ from every let so far."""
        return replace(scope, taken=scope.taken | self._trail.bound)

    def edit(self, statement: syntax.Edit, scope: Scope, group: Simultaneous | None) -> Parts:
        """One statement that keeps or changes spans. In a group its conditions become sets, read before any edit."""
        if isinstance(statement, syntax.Delete | syntax.Rewrite | syntax.Merge) and not self._plan:
            word = syntax.keyword(statement)
            other = {"delete": "evict", "rewrite": "set", "merge": "summarize"}[word]
            message = f"`{word}` names spans one by one, which only a plan can"
            scope.report("R030", message, statement.location, f"in a policy, write `{other} s where ...`")
            return Parts()
        origin = origin_of(statement)
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
                assignments = record_of(record, scope)
                if where is None or assignments is None:
                    return Parts()
                reads, assignments = self._early(assignments, None, scope, group, statement)
                return Parts(reads, (Insert(0, where, assignments, None, origin),))
            case syntax.Readmit(selector, place, override, may):
                return self._readmit(selector, place, scope, group, origin, override=override, may=may)
            case syntax.Move(selector, place_):
                chosen = self._select(selector, scope)
                where = self._place(place_, scope)
                if chosen is None or where is None:
                    return Parts()
                self._wish(group, statement, "move", chosen, ())
                reads, condition = self._settled(chosen, "moved", scope, group)
                return Parts(reads, (Move(0, chosen.variable, condition, where, origin),))
            case syntax.Fill():
                return self._fill(statement, scope)
            case syntax.Arrive():
                return self._arrive(statement, scope)

    def _wish(
        self,
        group: Simultaneous | None,
        statement: syntax.Stmt,
        word: str,
        selected_: Selected,
        record: tuple[Assignment, ...],
    ) -> None:
        """Remembers what a statement of a group wants, and reports it if one before wants the same spans otherwise."""
        if group is None:
            return
        wish = _Wish(
            statement,
            word,
            renamed(selected_.condition, selected_.variable, "·"),
            tuple(renamed(a, selected_.variable, "·") for a in record),
        )
        for other in group.wishes:
            if _clash(other, wish):
                notes = (("the other one is here", other.statement.location),)
                message = f"this group wants to {other.word} and to {wish.word} the same spans"
                self._problems.report(
                    "R039", message, statement.location, "let the conditions exclude each other", notes
                )
                break
        group.wishes.append(wish)

    def _select(self, selector: syntax.Selector, scope: Scope) -> Selected | None:
        if selector.condition is not None:
            variable, inside = scope.bind_span(selector.name, None, selector.location)
            condition = truth(selector.condition, inside)
            return None if condition is None else Selected(variable, condition, inside)
        if not self.may_name(selector.name, selector.location, scope):
            return None
        hint = f"say which spans are meant: `{selector.name} where …`"
        found = named(syntax.NameRef(selector.name, selector.location), scope, None, hint)
        variable = scope.fresh("s")
        inside = replace(scope, taken=scope.taken | {variable})
        match found:
            case None:
                return None
            case SetRef(core):
                return Selected(variable, InSet(variable, core), inside)
            case SpanRef(core, _):
                return Selected(variable, SameSpan(variable, core), inside)
            case _:
                unfit(scope, syntax.NameRef(selector.name, selector.location), found, "a set of spans or a span")
                return None

    def _listed(self, spans: tuple[str, ...], location: Location, scope: Scope) -> Selected | None:
        """The spans with these names."""
        found = tuple(self._plan_span(name, location, scope) for name in spans)
        known = tuple(f for f in found if f is not None)
        if len(known) != len(found):
            return None
        variable = scope.fresh("s")
        condition = disjunction(tuple(SameSpan(variable, s.core) for s in known))
        return Selected(variable, condition, replace(scope, taken=scope.taken | {variable}))

    def _plan_span(self, name: str, location: Location, scope: Scope) -> SpanRef | None:
        return span_named(name, location, scope) if self.may_name(name, location, scope) else None

    def may_name(self, name: str, location: Location, scope: Scope) -> bool:
        """Whether the name may be that of a span; reports one that the window of a plan does not have."""
        declaration = self._declaration
        if name in scope.bindings or not isinstance(declaration, syntax.PlanDeclaration) or declaration.on is None:
            return True
        spans = (n for n, b in scope.bindings.items() if isinstance(b, SpanBinding))
        scope.report("R032", f"window `{declaration.on}` has no span `{name}`", location, suggestion(name, spans))
        return False

    def named(self, name: str, scope: Scope) -> str:
        """A core name for a let, unique in the whole policy."""
        found = unused(name, scope.taken | self._trail.bound)
        self._trail.bound.add(found)
        return found

    def _settled(
        self,
        chosen: Selected,
        name: str,
        scope: Scope,
        group: Simultaneous | None,
        *,
        may: bool = False,
        archive: bool = False,
    ) -> tuple[tuple[Statement, ...], Expression]:
        """The condition of a statement; in a group or with `may` as a set that is read beforehand."""
        if group is None and not may:
            return (), chosen.condition
        core = self.named(name, chosen.inside)
        made = LetSet(0, core, chosen.variable, chosen.condition, archive, may)
        return (made,), InSet(chosen.variable, core)

    def _keep(self, selector: syntax.Selector, origin: Origin, scope: Scope, group: Simultaneous | None) -> Parts:
        chosen = self._select(selector, scope)
        if chosen is None:
            return Parts()
        if group is None and not self._tracks_kept:
            return Parts((), (Keep(0, chosen.variable, chosen.condition, origin),))
        core = self.named("kept", chosen.inside)
        self._kept.append((core, selector.location))
        made = LetSet(0, core, chosen.variable, chosen.condition)
        return Parts((made,), (Keep(0, chosen.variable, InSet(chosen.variable, core), origin),))

    def _evict(
        self,
        statement: syntax.Stmt,
        chosen: Selected | None,
        scope: Scope,
        group: Simultaneous | None,
        *,
        may: bool = False,
        logged: bool = False,
    ) -> Parts:
        if chosen is None:
            return Parts()
        if not may:
            self._wish(group, statement, "evict", chosen, ())
        reads, condition = self._settled(chosen, "chosen" if may else "evicted", scope, group, may=may)
        return Parts(reads, (Evict(0, chosen.variable, condition, logged, origin_of(statement)),))

    def _set(
        self,
        statement: syntax.Stmt,
        chosen: Selected | None,
        record: tuple[syntax.AssignmentTerm, ...],
        scope: Scope,
        group: Simultaneous | None,
        *,
        may: bool = False,
    ) -> Parts:
        assignments = record_of(record, scope if chosen is None else chosen.inside)
        if chosen is None or assignments is None:
            return Parts()
        if not may:
            self._wish(group, statement, "set", chosen, assignments)
        values, assignments = self._early(assignments, chosen.variable, chosen.inside, group, statement)
        reads, condition = self._settled(chosen, "chosen" if may else "changed", scope, group, may=may)
        if group is not None:
            group.assigned |= {a.field for a in assignments}
        return Parts((*reads, *values), (Set(0, chosen.variable, condition, assignments, origin_of(statement)),))

    def _summarize(
        self,
        statement: syntax.Stmt,
        chosen: Selected | None,
        reading: syntax.Selector | None,
        record: tuple[syntax.AssignmentTerm, ...],
        place: syntax.PlaceTerm | None,
        scope: Scope,
        group: Simultaneous | None,
        *,
        may: bool = False,
    ) -> Parts:
        assignments = record_of(record, scope)
        where = None if place is None else self._place(place, scope)
        read = None if reading is None else self._select(reading, scope)
        if chosen is None or assignments is None or (place is not None and where is None) or (reading and read is None):
            return Parts()
        if not may:
            self._wish(group, statement, "summarize", chosen, ())
        if self._kept_inside:
            notes = tuple(("kept in a block here", place) for place in self._kept_inside)
            message = "what is kept inside of a block cannot be told from what a later `summarize` may take"
            hint = "write the `keep` outside of the block: `keep s where ... and ...`"
            scope.report("R037", message, statement.location, hint, notes)
            return Parts()
        origin = origin_of(statement)
        unprotected = tuple(Not(InSet(chosen.variable, k)) for k, _ in self._kept)
        old = self.named("old", chosen.inside)
        reads: list[Statement] = [
            LetSet(0, old, chosen.variable, conjunction((chosen.condition, *unprotected)), may=may)
        ]
        covers = old
        if read is not None:
            covers = self.named("read", read.inside)
            condition = conjunction((InSet(read.variable, old), read.condition))
            reads.append(LetSet(0, covers, read.variable, condition))
        around = self.around(scope)
        variable = around.fresh("s")
        member = InSet(variable, old)
        if where is None:
            first = self.named("first", around)
            reads.append(LetSpan(0, first, Pick("first", variable, member)))
            where = Beside("before", first)
        values, assignments = self._early(assignments, None, scope, group, statement)
        put: Statement = Insert(0, where, assignments, covers, origin)
        if place is not None:
            put = Block(0, Some(variable, None, member), (put,), False, origin)
            if group is not None:
                # A group reads everything before it does anything: so also whether there is anything to summarize.
                some = self.named("some", around)
                reads.append(LetValue(0, some, "bool", Some(variable, None, member)))
                put = replace(put, condition=Local(some, "bool"))
        evict = Evict(0, variable, member, False, origin)
        return Parts((*reads, *values), (put, evict))

    def _readmit(
        self,
        selector: syntax.Selector,
        place: syntax.PlaceTerm | None,
        scope: Scope,
        group: Simultaneous | None,
        origin: Origin,
        *,
        override: bool,
        may: bool,
    ) -> Parts:
        chosen = self._select(selector, scope)
        where: Place | None = Original() if place is None else self._place(place, scope)
        if chosen is None or where is None:
            return Parts()
        if self._session is None:
            reads, condition = self._settled(
                chosen, "chosen" if may else "readmitted", scope, group, may=may, archive=True
            )
            return Parts(reads, (Readmit(0, chosen.variable, condition, where, override, origin),))
        chosen = replace(
            chosen, condition=conjunction((chosen.condition, *_admissible(chosen, override, self._session)))
        )
        core = self.named("chosen" if may else "readmitted", chosen.inside)
        read = LetSet(0, core, chosen.variable, chosen.condition, archive=True, may=may)
        member = InSet(chosen.variable, core)
        back = Readmit(0, chosen.variable, member, where, override, origin)
        if not override:
            return Parts((read,), (back,))
        forgiven = (Assign(EVICTED, FALSE), Assign(RETURNED, FALSE))
        return Parts((read,), (back, Set(0, chosen.variable, member, forgiven, origin)))

    def _arrive(self, statement: syntax.Arrive, scope: Scope) -> Parts:
        if self._session is None or not self._session.environment:
            message = "`arrive` is what happens to a session, and a policy can only `insert`"
            hint = "write it in `each turn { … }` of a session"
            scope.report("R052", message, statement.location, hint)
            return Parts()
        most = 1 if statement.most is None else statement.most
        if not 1 <= most <= ARRIVALS:
            message = f"`arrive up to` is followed by a number between 1 and {ARRIVALS}, not {most}"
            scope.report("R044", message, statement.location)
            most = 1
        # A fresh span's other fields are open by themselves, but its bools are false.
        fields = self._schema.schema.fields
        open_ = tuple(Open(f.name) for f in fields if f.kind == "bool" and f.oracle != "window" and not f.history)
        found: list[Statement] = []
        for _ in range(most):
            variable, inside = self.around(scope).bind_span(statement.variable, None, statement.location)
            condition = truth(statement.condition, inside)
            if condition is None:
                return Parts()
            found.append(
                Insert(
                    0, End("back"), open_, None, origin_of(statement), may=True, variable=variable, condition=condition
                )
            )
        return Parts((), tuple(found))

    def _fill(self, statement: syntax.Fill, scope: Scope) -> Parts:
        variable, inside = scope.bind_span(statement.variable, None, statement.location)
        condition, weight = truth(statement.condition, inside), integer(statement.weight, inside)
        cap = integer(statement.cap, scope)
        if condition is None or weight is None or cap is None:
            return Parts()
        return Parts((), (Fill(0, variable, statement.newest, condition, weight, cap, origin_of(statement)),))

    def _place(self, place: syntax.PlaceTerm, scope: Scope) -> Place | None:
        match place:
            case syntax.PlaceAt(which):
                return End(which)
            case syntax.PlaceBeside(side, name):
                found = self._plan_span(name, place.location, scope)
                return None if found is None else Beside(side, found.core)

    def _early(
        self,
        assignments: tuple[Assignment, ...],
        variable: str | None,
        scope: Scope,
        group: Simultaneous | None,
        statement: syntax.Stmt,
    ) -> tuple[tuple[Statement, ...], tuple[Assignment, ...]]:
        """In a group, values that are the same for all spans are read beforehand; others must not hang on its edits."""
        if group is None:
            return (), assignments
        reads: list[Statement] = []
        found: list[Assignment] = []

        def early(expression: Expression, kind_of: str) -> Expression:
            if not _reads_state(expression):
                return expression
            fields, other = walk.reads_of(expression, variable) if variable is not None else (frozenset[str](), False)
            if not fields and not other:
                kind = self._schema.schema.field(kind_of).kind
                core = self.named(kind_of, scope)
                reads.append(LetValue(0, core, kind, expression))
                return Local(core, kind)
            all_fields = {n.field for n in nodes(expression) if isinstance(n, Read)}
            plain = not other and not _reads_window(expression)
            if group.edited and not (plain and not all_fields & group.assigned):
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


def _admissible(chosen: Selected, override: bool, session: InSession) -> tuple[Expression, ...]:
    """What a span must be for a `readmit` to bring it back in a session, beyond what the statement says.

    Nothing comes back from outside that was never there, and nothing silently where a tombstone stands.
    """
    span = chosen.variable
    met = (Read(span, MET, "bool"),) if session.environment else ()
    if override:
        return met
    match session.tombstones.store:
        case "none":
            return met
        case "sidecar":
            return (*met, Not(Read(span, EVICTED, "bool")))
        case "in_window":
            stands = tombstone(session.tombstones, span, None, chosen.inside)
            return (*met, Not(And((Read(span, EVICTED, "bool"), stands))))


def origin_of(statement: syntax.Stmt, location: Location | None = None) -> Origin:
    return Origin(" ".join(print_statement(statement).split()), location or statement.location)


def _reads_state(expression: Expression) -> bool:
    return not arithmetic.rigid(expression) and not isinstance(expression, Name | Local)


def _reads_window(expression: Expression) -> bool:
    return any(hasattr(n, "window") and not isinstance(n, Read) for n in nodes(expression))


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
