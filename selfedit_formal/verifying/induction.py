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

from selfedit_formal._frozen import dataclass
from selfedit_formal.core.budget import Spent, Work
from selfedit_formal.core.certificate import Certificate
from selfedit_formal.core.expression import (
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
    Linked,
    Name,
    Not,
    Or,
    Parameter,
    Present,
    Read,
    Some,
    WindowTerm,
    conjunction,
)
from selfedit_formal.core.policy import Assign, Insert
from selfedit_formal.core.property import Case, Obligation
from selfedit_formal.core.session import EVICTIONS, HISTORY, Invariant
from selfedit_formal.core.traverse import nodes
from selfedit_formal.core.verdict import Clause, Induction
from selfedit_formal.core.window import COVERS, TAG
from selfedit_formal.engines import Found, Limits, NoProof, Proof, Refuter, prove, solve
from selfedit_formal.semantics.symbolic.conditions import Conditions
from selfedit_formal.verifying.shrink import shrink
from selfedit_formal.verifying.turns import (
    REST,
    Inductive,
    ProofPart,
    in_a_step,
    inductive,
    obstacle_of_invariant,
    parts,
    starting,
    substituted,
    turning,
)
from selfedit_formal.verifying.validation.contradiction import Contradicted, Contradiction
from selfedit_formal.verifying.validation.trial import Trial

SPAN = "s"
"""The known span that a clause speaks of."""
KNOWN = Known(REST)

SHORT = 2
"""Spans of the windows on which clauses are tried before any is proved."""
SHORT_SEARCH = 5.0
"""Million solver steps for each question about them."""
SHORT_STEPS = 100_000
"""What such a question mostly takes."""
CHOSEN = 3
"""Spans of those by which it is chosen what to prove: a proof that fails takes longest."""
LONGER = 4
"""Spans of the longest of them. What was chosen and has no proof may be false of windows that are a little longer."""
MOST_LITERALS = 40
"""Of more, clauses of two would be too many to try."""
FEW_LITERALS = 16
"""Of more, of the two in a clause one is about presence or history."""
TURNS = 2
"""So many turns from a start with one span the clauses are tried first: it takes the least time."""
FAILURES = 8
"""How many clauses that hold of short windows may turn out to have no proof before none is sought any more."""

SHRINK_TRIES = 1_000

NO_INVARIANT = "no invariant was found that every turn keeps and that implies the promise"
NOT_ENOUGH = "the work allowed was done while an invariant was looked for"


@dataclass(frozen=True, slots=True)
class RefusedInvariant:
    """An invariant that the user states and that is none, and why; the window of `case` shows it."""

    invariant: Invariant
    reason: str
    case: Case | None = None


Outcome = tuple[Induction | NoProof, tuple[RefusedInvariant, ...]]


def by_induction(obligation: Obligation, engine: Refuter, limits: Limits, work: Work) -> Outcome:
    """A proof for any number of turns and windows of every length, or why there is none; and which of the invariants
    that the user states are none. `engine` looks for short windows that break something. Raises `OutOfTime`."""
    about = inductive(obligation)
    if isinstance(about, str):
        return NoProof(about), ()
    search = _InvariantSearch(about, engine, limits, work)
    refused: tuple[RefusedInvariant, ...] = ()
    try:
        stated, refused = search.stated()
        answer = search.run(stated)
        without = tuple(i for i in stated if search.failed(i))
        if isinstance(answer, NoProof) and without:
            refused = (*refused, *(RefusedInvariant(i, "it has no proof for every length") for i in without))
            answer = search.run(tuple(i for i in stated if i not in without))
    except Spent:
        return NoProof(NOT_ENOUGH, late=True), refused
    if isinstance(answer, NoProof) and search.late:
        answer = replace(answer, late=True)
    return answer, refused


class _InvariantSearch:
    """One promise, and what has been proved of it so far (`late`: with more work there might have been a proof).

    Everything raises `Spent` when the work allowed is done, and `OutOfTime`.
    """

    def __init__(self, about: Inductive, engine: Refuter, limits: Limits, work: Work) -> None:
        self.about, self.engine, self.limits, self.work = about, engine, limits, work
        self.proved: dict[Obligation, Certificate | str] = {}
        self.unproved: set[Expression] = set()
        self.late = False

    def failed(self, invariant: Invariant) -> bool:
        """Whether a proof of the invariant was sought and not found."""
        return invariant.condition in self.unproved

    # ---------- what the user states

    def stated(self) -> tuple[tuple[Invariant, ...], tuple[RefusedInvariant, ...]]:
        """The user's invariants that are inductive, all of them together; the others, with what breaks each."""
        able: list[Invariant] = []
        refused: list[RefusedInvariant] = []
        for invariant in self.about.session.invariants:
            reason = obstacle_of_invariant(self.about.session, invariant.condition)
            if reason is None:
                able.append(invariant)
            else:
                refused.append(RefusedInvariant(invariant, reason))
        while True:
            broken = next((r for i in able if (r := self.broken(i, able)) is not None), None)
            if broken is None:
                return tuple(able), tuple(refused)
            able.remove(broken.invariant)
            refused.append(broken)

    def broken(self, invariant: Invariant, others: Sequence[Invariant]) -> RefusedInvariant | None:
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
                return RefusedInvariant(invariant, reason, shrink(part.obligation, case, SHRINK_TRIES, self.work.end))
        return None

    def short(self, obligation: Obligation) -> Case | None:
        """A short window that breaks it, if the engine finds one."""
        self.work.spend(SHORT_STEPS)
        answer = solve(self.engine, obligation, replace(self.limits, within=SHORT, search=SHORT_SEARCH), self.work)
        return answer.case if isinstance(answer, Found) else None

    # ---------- the proof

    def run(self, stated: tuple[Invariant, ...]) -> Induction | NoProof:
        """With what is there already, or else with clauses that are found, or else over two windows."""
        given = tuple(i.condition for i in stated)
        answer = self.with_clauses(stated, ())
        if isinstance(answer, NoProof):
            with_more = self.with_clauses(stated, self.candidates(given))
            answer = answer if with_more == NoProof(NO_INVARIANT) else with_more
        if isinstance(answer, NoProof) and self.about.condition is not None:
            asked = parts(self.about, given, windows=2)
            if self.short(asked[-1].obligation) is None and self.prove(asked) is None:
                return self.proof(stated, (), asked, 2)
        return answer

    def with_clauses(self, stated: tuple[Invariant, ...], found: tuple[Expression, ...]) -> Induction | NoProof:
        """A proof with those of the clauses that it needs and that can be proved."""
        given = tuple(i.condition for i in stated)
        reason = NO_INVARIANT
        spans = CHOSEN
        for _ in range(FAILURES):
            needed = self.needed(given, found, spans)
            if needed is None:
                break
            asked = parts(self.about, self.all_of(given, needed))
            failed = self.prove(asked)
            if failed is None:
                return self.proof(stated, needed, asked, 1)
            reason = f"what holds of short windows has no proof for every length: {self.proved[failed.obligation]}"
            if spans < LONGER:
                spans += 1
                found = self.kept(given, found, spans)
            elif failed.about in found:
                found = tuple(c for c in found if c != failed.about)
            else:
                self.unproved |= set() if failed.about is None else {failed.about}
                break
        return NoProof(reason)

    def all_of(self, given: tuple[Expression, ...], needed: tuple[Expression, ...]) -> tuple[Expression, ...]:
        condition = self.about.condition
        return tuple(dict.fromkeys((*given, *(() if condition is None else (condition,)), *needed)))

    def prove(self, asked: Iterable[ProofPart]) -> ProofPart | None:
        """The first part that has no proof; None if each has one."""
        for part in asked:
            if part.obligation not in self.proved:
                share = self.work.part(self.work.left / 2)
                answer = prove(part.obligation, share)
                self.work.spend(share.done)
                self.late = self.late or (isinstance(answer, NoProof) and answer.late)
                self.proved[part.obligation] = self.held(part.obligation, answer)
            if isinstance(self.proved[part.obligation], str):
                return part
        return None

    def held(self, asked: Obligation, answer: Proof) -> Certificate | str:
        """The proof, held against short windows, or why there is none. Raises `Contradicted`."""
        if not isinstance(answer, Certificate):
            return answer.reason
        against = Trial(asked, SHORT, CHOSEN, self.work.end).against(answer.method)
        if isinstance(against, Contradiction):
            raise Contradicted(against, answer)
        return answer if against is None else f"what was proved could not be held against windows: {against.reason}"

    def proof(
        self, stated: tuple[Invariant, ...], needed: tuple[Expression, ...], asked: Iterable[ProofPart], windows: int
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

    def candidates(self, given: tuple[Expression, ...]) -> tuple[Expression, ...]:
        """Clauses that sessions start with and that turns of short windows keep."""
        pool = tuple(closed(c) for c in (*bounds(self.about), *clauses(literals(self.about, given))))
        for turns in range(TURNS + 1):
            holds = after_turns(self.about, pool, turns, 1, self.work).always()
            pool = tuple(c for c, keep in zip(pool, holds, strict=True) if keep)
        return self.kept(given, _simplest(self.kept(given, pool, SHORT)), CHOSEN)

    def kept(self, given: tuple[Expression, ...], pool: tuple[Expression, ...], spans: int) -> tuple[Expression, ...]:
        """The clauses of the pool that, all together, are kept by turns of windows of so many spans."""
        base = self.all_of(given, ())
        short = over_a_turn(self.about, (*base, *pool), spans, self.work)
        live = set(range(len(base), len(base) + len(pool)))
        while lost := short.lost((*range(len(base)), *live), live):
            live -= lost
        return tuple(pool[i - len(base)] for i in sorted(live))

    def needed(
        self, given: tuple[Expression, ...], found: tuple[Expression, ...], spans: int
    ) -> tuple[Expression, ...] | None:
        """Few of the clauses that, with what is given, are kept by turns of windows of so many spans and imply the
        promise; None if all of them do not."""
        base = self.all_of(given, ())
        every = (*base, *found)
        short = over_a_turn(self.about, every, spans, self.work)
        usable = range(len(base), len(every))
        waiting = list(range(len(base)))
        chosen: set[int] = set()
        if self.about.condition is None:
            implied = self.implying(given, found)
            if implied is None:
                return None
            chosen |= {len(base) + i for i in implied}
            waiting += sorted(chosen)
        while waiting:
            goal = waiting.pop(0)
            fixed = {*range(len(base)), *chosen, goal}
            alone = [i for i in usable if i not in fixed and not _of_two(every[i])]
            core = short.core(goal, fixed, alone)
            if core is None:
                core = short.core(goal, fixed, [i for i in usable if i not in fixed])
            if core is None:
                return None
            waiting += sorted(core - chosen)
            chosen |= core
        return tuple(every[i] for i in sorted(chosen))

    def implying(self, given: tuple[Expression, ...], found: tuple[Expression, ...]) -> list[int] | None:
        """The clauses that imply the promise where that is no condition on one window; None if all do not."""

        def enough(some: Sequence[Expression]) -> bool:
            part = parts(self.about, (*given, *some))[-1]
            return self.short(part.obligation) is None

        kept = list(found)
        if not enough(kept):
            return None
        some = max(len(kept), 1)
        while some:
            for at in reversed(range(0, len(kept), some)):
                fewer = [*kept[:at], *kept[at + some :]]
                if enough(fewer):
                    kept = fewer
            some //= 2
        return [i for i, c in enumerate(found) if c in kept]


# ---------- drawing clauses up


def literals(about: Inductive, given: tuple[Expression, ...]) -> tuple[Expression, ...]:
    """Conditions on one known span, `SPAN`, that the session, the promise or the user's invariants speak of."""
    tree = (about.session.policies(), about.claim, given, about.session.start)
    read = _fields(tree)
    named = {n.value for n in nodes(tree) if isinstance(n, Name)}
    found: list[Expression] = [Present(SPAN, REST)]
    volatile = {f.name for f in about.schema.fields if f.oracle == "window"}  # such a field has a value in a pass only
    for f in about.schema.fields:
        if f.name in volatile or f.name not in read:
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
    found += [
        c
        for c in dict.fromkeys(_conditions(tree))
        if c not in found and not _about_history(c) and _fields(c).isdisjoint(volatile)
    ]
    return tuple(found[:MOST_LITERALS])


def _conditions(tree: object) -> Iterator[Expression]:
    """Alternatives and comparisons on the record of one span, wherever they stand, and what covers it, as conditions on
    `SPAN`."""
    for node in nodes(tree):
        if isinstance(node, Or | Compare):
            inside = tuple(n for n in nodes(node) if not isinstance(n, WindowTerm))
            spans = {n.span for n in inside if isinstance(n, Read)}
            if len(spans) == 1 and all(isinstance(n, OF_ONE_SPAN) for n in inside):
                yield _read_here(node)
        if isinstance(node, Insert) and node.covers is not None:
            for given in node.assignments:
                if isinstance(given, Assign) and given.field == TAG and isinstance(given.value, Name):
                    yield _covered_by(given.value)


def _covered_by(tag: Name) -> Expression:
    """That a span of that tag covers `SPAN`: a summary, a tombstone, an entry of the ledger."""
    tagged = Equal(Read(COVERING, TAG, "enum", REST), tag)
    return Some(COVERING, REST, And((tagged, Linked(COVERS, COVERING, SPAN, REST))))


COVERING = "t"
OF_ONE_SPAN = (Read, Equal, Compare, Name, Int, Bool, Parameter, And, Or, Not, Implies)
"""What a condition on the record of one span is made of."""


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


def _about_history(condition: Expression) -> bool:
    """Whether it compares what a session counts, of which there is a condition already."""
    return isinstance(condition, Compare) and any(
        isinstance(n, Read) and n.field == EVICTIONS for n in nodes(condition)
    )


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
    past = {i for i, literal in enumerate(known) if len(known) <= FEW_LITERALS or _of_the_past(literal)}
    pairs = [
        _either((known[a], x), (known[b], y))
        for (a, x), (b, y) in combinations(signed, 2)
        if a != b and (a in past or b in past)
    ]
    return (*singles, *pairs)


def _fields(tree: object) -> set[str]:
    """The fields that are read in it."""
    return {n.field for n in nodes(tree) if isinstance(n, Read)}


def _of_the_past(literal: Expression) -> bool:
    """Whether it is about presence or history."""
    read = _fields(literal)
    return isinstance(literal, Present) or any(f.name in read for f in HISTORY)


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


def _simplest(pool: tuple[Expression, ...]) -> tuple[Expression, ...]:
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


# ---------- conditions on short windows


def over_a_turn(about: Inductive, conditions: tuple[Expression, ...], spans: int, work: Work) -> Conditions:
    """The conditions on a window, and on the one a turn later."""
    then = about.session.after(1, REST)
    now = in_a_step(about.session, conditions)
    later = tuple(substituted(c, {ASSUMED: then}) for c in now)
    part = turning(about, TRUE, Not(All(SPAN, then, TRUE)), "clauses")
    return Conditions(part.obligation, now, later, spans, work)


def after_turns(about: Inductive, conditions: tuple[Expression, ...], turns: int, spans: int, work: Work) -> Conditions:
    """The conditions on the windows to which so many turns lead."""
    reached = about.session.after(turns, REST)
    later = tuple(substituted(c, {ASSUMED: reached}) for c in conditions)
    part = starting(about, Not(All(SPAN, reached, TRUE)), "clauses")
    return Conditions(part.obligation, (), later, spans, work)
