"""A proof for any number of turns: an invariant, found and proved, that a session starts with, that every turn keeps,
and that implies the promise.

How the invariant is found proves nothing: clauses are drawn up, those that sessions or short windows break are thrown
away, and of the rest those that the promise needs are kept. What is proved is each of `turns.parts`, for windows of
every length, with its certificate asked again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from time import monotonic

import z3

from selfedit_formal._frozen import dataclass
from selfedit_formal.certificate import Certificate
from selfedit_formal.engines import Engine, Found, Limits, unbounded
from selfedit_formal.expression import (
    ASSUMED,
    TRUE,
    All,
    And,
    Bool,
    Compare,
    Equal,
    Expression,
    Implies,
    Int,
    Known,
    Name,
    Not,
    Or,
    Parameter,
    Present,
    Read,
    conjunction,
)
from selfedit_formal.property import Case, Obligation, Witness
from selfedit_formal.semantics.reads import nodes
from selfedit_formal.semantics.symbolic import encode
from selfedit_formal.semantics.symbolic.emit import emit
from selfedit_formal.session import Invariant
from selfedit_formal.turns import (
    REST,
    Inductive,
    Part,
    inductive,
    obstacle_of_invariant,
    parts,
    starting,
    substituted,
    turning,
)
from selfedit_formal.verdict import Clause, Induction

SPAN = "s"
"""The known span that a clause speaks of."""
KNOWN = Known(REST)

SHORT = 2
"""Spans of the windows on which clauses are tried before any is proved."""
MOST_LITERALS = 40
"""Of more, clauses of two would be too many to try."""
TURNS = 2
"""So many turns from a start with one span the clauses are tried first: it takes the least time."""
FAILURES = 6
"""How many clauses that hold of short windows may turn out to have no proof before none is sought any more."""

NO_INVARIANT = "no invariant was found that every turn keeps and that implies the promise"
OUT_OF_TIME = "the time ran out while an invariant was looked for"


@dataclass(frozen=True, slots=True)
class NoProof:
    """`reason` is for the user."""

    reason: str


@dataclass(frozen=True, slots=True)
class Refused:
    """An invariant that the user states and that is none, and why; the window of `case` shows it."""

    invariant: Invariant
    reason: str
    case: Case | None = None


Outcome = tuple[Induction | NoProof, tuple[Refused, ...]]


def by_induction(obligation: Obligation, engine: Engine, limits: Limits, seconds: float) -> Outcome:
    """A proof for any number of turns and windows of every length, or why there is none; and which of the invariants
    that the user states are none. `engine` looks for short windows that break something."""
    about = inductive(obligation)
    if isinstance(about, str):
        return NoProof(about), ()
    search = _Search(about, engine, limits, monotonic() + seconds)
    stated, refused = search.stated()
    return search.run(stated), refused


class _Search:
    """One promise, and what has been proved of it so far."""

    def __init__(self, about: Inductive, engine: Engine, limits: Limits, end: float) -> None:
        self.about, self.engine, self.limits, self.end = about, engine, limits, end
        self.proved: dict[Obligation, Certificate | str] = {}

    def left(self) -> float:
        return max(self.end - monotonic(), 0.0)

    # ---------- what the user states

    def stated(self) -> tuple[tuple[Invariant, ...], tuple[Refused, ...]]:
        """The user's invariants that are inductive, all of them together; the others, with what breaks each."""
        able: list[Invariant] = []
        refused: list[Refused] = []
        for invariant in self.about.session.invariants:
            reason = obstacle_of_invariant(self.about.session, invariant.condition)
            if reason is None:
                able.append(invariant)
            else:
                refused.append(Refused(invariant, reason))
        while True:
            broken = next((r for i in able if (r := self.broken(i, able)) is not None), None)
            if broken is None:
                return tuple(able), tuple(refused)
            able.remove(broken.invariant)
            refused.append(broken)

    def broken(self, invariant: Invariant, others: Sequence[Invariant]) -> Refused | None:
        """A short window that shows that the invariant is not inductive beside the others and the promise."""
        condition = self.about.condition
        assumed = (*(i.condition for i in others), *(() if condition is None else (condition,)))
        then = substituted(invariant.condition, {ASSUMED: self.about.session.after(1, REST)})
        for reason, part in (
            ("a session may start from a window without it", starting(self.about, invariant.condition, "start")),
            ("a turn may break it", turning(self.about, conjunction(assumed), then, "turn")),
        ):
            case = self.short(part.obligation)
            if case is not None:
                return Refused(invariant, reason, case)
        return None

    def short(self, obligation: Obligation) -> Case | None:
        answer = self.engine.solve(obligation, replace(self.limits, within=SHORT, seconds=self.left()))
        return answer.case if isinstance(answer, Found) else None

    # ---------- the proof

    def run(self, stated: tuple[Invariant, ...]) -> Induction | NoProof:
        """With what is there already, or else with clauses that are found, or else over two windows."""
        given = tuple(i.condition for i in stated)
        answer = self.with_clauses(stated, ())
        if isinstance(answer, NoProof):
            found = self.candidates(given)
            answer = NoProof(OUT_OF_TIME) if found is None else self.with_clauses(stated, found)
        if isinstance(answer, NoProof) and self.about.condition is not None and self.left():
            asked = parts(self.about, given, windows=2)
            if self.short(asked[-1].obligation) is None and self.prove(asked) is None:
                return self.proof(stated, (), asked, 2)
        return answer

    def with_clauses(self, stated: tuple[Invariant, ...], found: tuple[Expression, ...]) -> Induction | NoProof:
        """A proof with those of the clauses that it needs and that can be proved."""
        given = tuple(i.condition for i in stated)
        reason = NO_INVARIANT
        for _ in range(FAILURES):
            needed = self.needed(given, found)
            if needed is None:
                return NoProof(reason if self.left() else OUT_OF_TIME)
            asked = parts(self.about, self.all_of(given, needed))
            failed = self.prove(asked)
            if failed is None:
                return self.proof(stated, needed, asked, 1)
            reason = f"what holds of short windows has no proof for every length: {self.proved[failed.obligation]}"
            if failed.about not in found:
                break
            found = tuple(c for c in found if c != failed.about)
        return NoProof(reason)

    def all_of(self, given: tuple[Expression, ...], needed: tuple[Expression, ...]) -> tuple[Expression, ...]:
        condition = self.about.condition
        return tuple(dict.fromkeys((*given, *(() if condition is None else (condition,)), *needed)))

    def prove(self, asked: Iterable[Part]) -> Part | None:
        """The first part that has no proof; None if each has one."""
        for part in asked:
            if part.obligation not in self.proved:
                answer = unbounded.prove(part.obligation, self.left())
                self.proved[part.obligation] = answer if isinstance(answer, Certificate) else answer.reason
            if isinstance(self.proved[part.obligation], str):
                return part
        return None

    def proof(
        self, stated: tuple[Invariant, ...], needed: tuple[Expression, ...], asked: Iterable[Part], windows: int
    ) -> Induction:
        """What was proved, put together."""
        condition = self.about.condition
        given = [Clause(i.condition, "stated", i.origin.text) for i in stated]
        if windows == 1 and condition is not None and condition not in (i.condition for i in stated):
            given.append(Clause(condition, "promise"))
        certificates = ((p.name, self.proved[p.obligation]) for p in asked)
        return Induction(
            (*given, *(Clause(c, "found") for c in needed)),
            windows,
            tuple((n, c) for n, c in certificates if isinstance(c, Certificate)),
        )

    # ---------- clauses that hold of short windows

    def candidates(self, given: tuple[Expression, ...]) -> tuple[Expression, ...] | None:
        """Clauses that sessions start with and that turns of short windows keep; None if time ran out."""
        pool = tuple(closed(c) for c in (*bounds(self.about), *clauses(literals(self.about, given))))
        for turns in range(TURNS + 1):
            holds = _Query.reached(self.about, pool, turns, 1).always(self.left())
            if holds is None:
                return None
            pool = tuple(c for c, keep in zip(pool, holds, strict=True) if keep)
        query = _Query.of(self.about, (*self.all_of(given, ()), *pool), SHORT)
        fixed = len(query.conditions) - len(pool)
        live = set(range(fixed, len(query.conditions)))
        while self.left():
            lost = query.lost([*range(fixed), *live], live, self.left())
            if lost is None:
                return None
            if not lost:
                return _simplest([query.conditions[i] for i in sorted(live)])
            live -= lost
        return None

    def needed(self, given: tuple[Expression, ...], found: tuple[Expression, ...]) -> tuple[Expression, ...] | None:
        """Few of the clauses that, with what is given, are kept by turns of short windows and imply the promise; None
        if all of them do not."""
        about = self.about
        base = self.all_of(given, ())
        query = _Query.of(about, (*base, *found), SHORT)
        waiting = list(range(len(base)))
        chosen: set[int] = set()
        if about.condition is None:
            implied = self.implying(given, found)
            if implied is None:
                return None
            chosen |= {len(base) + i for i in implied}
            waiting += sorted(chosen)
        while waiting:
            goal = waiting.pop(0)
            alone = [len(base) + i for i, c in enumerate(found) if not _of_two(c)]
            core = query.core(goal, range(len(base)), alone, chosen, self.left())
            if core is None:
                core = query.core(goal, range(len(base)), range(len(base), len(query.conditions)), chosen, self.left())
            if core is None:
                return None
            waiting += sorted(core - chosen)
            chosen |= core
        return tuple(query.conditions[i] for i in sorted(chosen))

    def implying(self, given: tuple[Expression, ...], found: tuple[Expression, ...]) -> list[int] | None:
        """The clauses that imply the promise where that is no condition on one window; None if all do not."""
        kept = list(found)

        def enough(some: Sequence[Expression]) -> bool:
            part = parts(self.about, (*given, *some))[-1]
            return self.short(part.obligation) is None

        if not enough(kept):
            return None
        if enough(()):
            return []
        for clause in reversed(found):
            fewer = [c for c in kept if c != clause]
            if self.left() and enough(fewer):
                kept = fewer
        return [i for i, c in enumerate(found) if c in kept]


# ---------- drawing clauses up


def literals(about: Inductive, given: tuple[Expression, ...]) -> tuple[Expression, ...]:
    """Conditions on one known span, `SPAN`, that the session, the promise or the user's invariants speak of."""
    tree = (about.session.policies(), about.claim, given, about.session.start)
    read = {n.field for n in nodes(tree) if isinstance(n, Read)}
    named = {n.value for n in nodes(tree) if isinstance(n, Name)}
    found: list[Expression] = [Present(SPAN, REST)]
    for f in about.schema.fields:
        if f.oracle == "window" or f.name not in read:
            continue
        value = Read(SPAN, f.name, f.kind, KNOWN)
        match f.kind:
            case "bool":
                found.append(value)
            case "enum":
                found += [Equal(value, Name("enum", name)) for name in f.names if name in named]
            case "int" if f.history:
                found.append(Compare("==", value, Int(0)))
            case "int" | "key":
                pass
    found += [c for c in dict.fromkeys(_conditions(tree)) if c not in found]
    return tuple(found[:MOST_LITERALS])


def _conditions(tree: object) -> Iterator[Expression]:
    """Alternatives on the record of one span, wherever they stand, as conditions on `SPAN`: `s.tag in {a, b}`."""
    for node in nodes(tree):
        if isinstance(node, Or):
            of_span = _of_one_span(node)
            if of_span is not None:
                yield of_span


def _of_one_span(expression: Expression) -> Expression | None:
    """The condition as one on the record of `SPAN`, if it reads one span and nothing else."""
    spans = {n.span for n in nodes(expression) if isinstance(n, Read)}
    plain = all(
        isinstance(n, Read | Equal | Compare | Name | Int | Bool | Parameter | And | Or | Not | Implies)
        or n in (REST, KNOWN)
        or type(n).__name__ in ("Input", "Known", "Pass")
        for n in nodes(expression)
    )
    if len(spans) != 1 or not plain:
        return None
    return _read_here(expression)


def _read_here(expression: Expression) -> Expression:
    match expression:
        case Read(_, name, kind, _):
            return Read(SPAN, name, kind, KNOWN)
        case And(items):
            return And(tuple(map(_read_here, items)))
        case Or(items):
            return Or(tuple(map(_read_here, items)))
        case Not(item):
            return Not(_read_here(item))
        case Implies(left, right):
            return Implies(_read_here(left), _read_here(right))
        case Equal(left, right):
            return Equal(_read_here(left), _read_here(right))
        case Compare(operator, left, right):
            return Compare(operator, _read_here(left), _read_here(right))
        case _:
            return expression


def bounds(about: Inductive) -> tuple[Expression, ...]:
    """What the session's schema says of numbers and the windows that turns lead to may not keep; a history counts up
    from zero."""
    found: list[Expression] = []
    for wide, f in zip(about.schema.fields, about.session.schema.fields, strict=True):
        value = Read(SPAN, f.name, f.kind, KNOWN)
        low = 0 if f.history and f.kind == "int" else f.low
        found += [Compare(">=", value, Int(n)) for n in (low,) if n is not None and wide.low is None]
        found += [Compare("<=", value, Int(n)) for n in (f.high,) if n is not None and wide.high is None]
    return tuple(found)


def clauses(known: Sequence[Expression]) -> tuple[Expression, ...]:
    """Every literal, its opposite, and every two of them: as conditions on `SPAN`."""
    signed = [(i, sign) for i in range(len(known)) for sign in (True, False)]

    def one(literal: tuple[int, bool]) -> Expression:
        return known[literal[0]] if literal[1] else Not(known[literal[0]])

    singles = [one(literal) for literal in signed]
    pairs = [_either((known[a], x), (known[b], y)) for (a, x), (b, y) in combinations(signed, 2) if a != b]
    return (*singles, *pairs)


def _either(first: tuple[Expression, bool], second: tuple[Expression, bool]) -> Expression:
    """One or the other, written as an implication where one of them is a denial."""
    (a, x), (b, y) = sorted((first, second), key=lambda literal: literal[1])
    if x:
        return Or((a, b))
    return Implies(a, b if y else Not(b))


def closed(condition: Expression) -> Expression:
    """The condition said of every known span."""
    return All(SPAN, KNOWN, condition)


def _of_two(clause: Expression) -> bool:
    """Whether a closed clause was made of two literals."""
    return isinstance(clause, All) and isinstance(clause.condition, Or | Implies)


def _simplest(pool: Sequence[Expression]) -> tuple[Expression, ...]:
    """Without the clauses of two literals of which one alone is there too."""
    alone = {c.condition for c in pool if isinstance(c, All) and not _of_two(c)}

    def weaker(clause: Expression) -> bool:
        match clause:
            case All(_, _, Implies(left, right)):
                return Not(left) in alone or right in alone
            case All(_, _, Or(items)):
                return any(i in alone for i in items)
            case _:
                return False

    return tuple(c for c in pool if not weaker(c))


# ---------- queries about short windows


class _Query:
    """Conditions on a short window and on the one a turn later, asked of one solver many times."""

    def __init__(
        self, obligation: Obligation, conditions: tuple[Expression, ...], then: tuple[Expression, ...], spans: int
    ) -> None:
        self.conditions = conditions
        encoding = encode(obligation, (spans,), (0,))
        terms = encoding.world.terms
        now = [terms.variable("bool", "now", i) for i in range(len(conditions))]
        next_ = [terms.variable("bool", "then", i) for i in range(len(then))]
        meant = [terms.iff(v, encoding.truth(c)) for v, c in zip(now, conditions, strict=True)]
        meant += [terms.iff(v, encoding.truth(c)) for v, c in zip(next_, then, strict=True)]
        told = terms.grounded([*encoding.truths, *encoding.world.facts, *encoding.world.lemmas(), *meant])
        emitted = emit(told)
        self.now = [emitted.variables[v] for v in now]
        self.then = [emitted.variables[v] for v in next_]
        self.solver = z3.SimpleSolver()
        self.solver.add(list(emitted.constraints))

    @staticmethod
    def of(about: Inductive, conditions: tuple[Expression, ...], spans: int) -> _Query:
        """About one turn."""
        then = about.session.after(1, REST)
        later = tuple(substituted(c, {ASSUMED: then}) for c in conditions)
        part = turning(about, TRUE, Not(All(SPAN, then, TRUE)), "clauses")
        witnesses = tuple(Witness("", c) for c in (*conditions, *later))
        return _Query(replace(part.obligation, witnesses=witnesses), conditions, later, spans)

    @staticmethod
    def reached(about: Inductive, conditions: tuple[Expression, ...], turns: int, spans: int) -> _Query:
        """About the windows that so many turns lead to."""
        reached = about.session.after(turns, REST)
        later = tuple(substituted(c, {ASSUMED: reached}) for c in conditions)
        part = starting(about, Not(All(SPAN, reached, TRUE)), "clauses")
        return _Query(replace(part.obligation, witnesses=tuple(Witness("", c) for c in later)), (), later, spans)

    def always(self, seconds: float) -> list[bool] | None:
        """Whether each condition holds of all windows a turn later; None if time ran out."""
        end = monotonic() + seconds
        live = set(range(len(self.then)))
        while live:
            lost = self.lost((), live, end - monotonic())
            if lost is None:
                return None
            if not lost:
                break
            live -= lost
        return [i in live for i in range(len(self.then))]

    def lost(self, assumed: Iterable[int], asked: Iterable[int], seconds: float) -> set[int] | None:
        """Those of the conditions asked that some turn breaks, if all that are assumed hold before it; some of them, if
        there are any. None if time ran out."""
        end = monotonic() + seconds
        wanted = list(asked)
        if not wanted:
            return set()
        try:
            model = self._model([self.now[i] for i in assumed], z3.Or([z3.Not(self.then[i]) for i in wanted]), end)
        except TimeoutError:
            return None
        if model is None:
            return set()
        return {i for i in wanted if not z3.is_true(model.eval(self.then[i], model_completion=True))}

    def core(
        self, goal: int, base: Iterable[int], usable: Iterable[int], already: set[int], seconds: float
    ) -> set[int] | None:
        """Few of the usable conditions that, with the base and those already in use, keep the goal for a turn; None if
        all do not."""
        end = monotonic() + seconds
        fixed = [self.now[i] for i in (*base, *already, goal)]
        waiting = [i for i in usable if i not in already and i != goal]
        try:
            if self._model(fixed, z3.Not(self.then[goal]), end) is None:
                return {goal} & set(usable)
            core = self._core([*fixed, *(self.now[i] for i in waiting)], goal, end)
            if core is None:
                return None
            kept = [i for i in waiting if self.now[i].get_id() in core]
            for i in list(reversed(kept)):
                fewer = [j for j in kept if j != i]
                if self._model([*fixed, *(self.now[j] for j in fewer)], z3.Not(self.then[goal]), end) is None:
                    kept = fewer
        except TimeoutError:
            return None
        return set(kept) | ({goal} & set(usable))

    def _core(self, assumptions: list[z3.BoolRef], goal: int, end: float) -> set[int] | None:
        self._clock(end)
        if self.solver.check([*assumptions, z3.Not(self.then[goal])]) != z3.unsat:
            return None
        return {c.get_id() for c in self.solver.unsat_core()}

    def _model(self, assumptions: list[z3.BoolRef], broken: z3.BoolRef, end: float) -> z3.ModelRef | None:
        """A model in which all this holds; None if there is none. Raises TimeoutError."""
        self._clock(end)
        self.solver.push()
        self.solver.add(broken)
        answer = self.solver.check(assumptions)
        model = self.solver.model() if answer == z3.sat else None
        self.solver.pop()
        if answer == z3.unknown:
            raise TimeoutError
        return model

    def _clock(self, end: float) -> None:
        left = end - monotonic()
        if left <= 0:
            raise TimeoutError
        self.solver.set("timeout", max(1, int(left * 1000)))
