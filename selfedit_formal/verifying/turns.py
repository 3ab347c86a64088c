"""A claim about a session as plain claims that engines answer: after so many turns, and by induction over turns.

Induction is about one window of which nothing is known but an invariant, so the windows it quantifies over must be at
least those that turns lead to: `spec/decisions/0013-induction-over-turns.md` says what that takes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeVar, cast

from selfedit_formal._frozen import dataclass
from selfedit_formal.core.expression import (
    ASSUMED,
    TRUE,
    All,
    And,
    Compare,
    Created,
    Equal,
    Expression,
    If,
    Implies,
    Input,
    Int,
    Known,
    Linked,
    Name,
    Not,
    Or,
    Pass,
    Present,
    Reaches,
    Read,
    SameWindow,
    Some,
    WindowTerm,
    Without,
    conjunction,
)
from selfedit_formal.core.policy import Assign, Insert, Policy, Set, Statement, statements
from selfedit_formal.core.property import Claim, Obligation
from selfedit_formal.core.session import Session, Turns
from selfedit_formal.core.traverse import nodes, rebuilt, used
from selfedit_formal.core.window import COVERS, TAG, Field, Link, Schema

STARTED = "W0"
"""What the window a session starts from is called where the promise has no name for it."""

REST = Input(ASSUMED)
"""The window of which a turn of induction knows nothing but the invariant."""

Tree = TypeVar("Tree")


def substituted(tree: Tree, windows: Mapping[str, WindowTerm]) -> Tree:
    """The tree with these input windows replaced, all at once; what they are replaced by is left as it is."""

    def changed(node: Any) -> Any:
        match node:
            case Input(name):
                return windows.get(name, node)
            case _:
                return rebuilt(node, changed)

    return cast(Tree, changed(tree))


# ---------- after so many turns


def start_name(turns: Turns) -> str:
    """What the window a session starts from is called in the claims of `after`."""
    return STARTED if turns.start is None else turns.start


def started(session: Session, window: WindowTerm) -> Expression:
    """That a session may start from the window: what is assumed of it, and that nothing has happened yet."""
    variable = "s"
    nothing_yet = conjunction(
        (
            Present(variable, window),
            *(
                Compare("==", Read(variable, f.name, "int", Known(window)), Int(0))
                if f.kind == "int"
                else Not(Read(variable, f.name, "bool", Known(window)))
                for f in session.schema.fields
                if f.history
            ),
        )
    )
    assumed = substituted((*session.schema.assumptions, session.start), {ASSUMED: window})
    return conjunction((*assumed, All(variable, Known(window), nothing_yet)))


def after(obligation: Obligation, turns: int) -> Obligation:
    """The claim after exactly so many turns (at least one, if it speaks of the window before), as a plain one about the
    window the session starts from."""
    about = _about(obligation)
    if about.before is not None and turns < 1:
        raise ValueError("no window stands before the first turn")
    name = start_name(about)
    first = Input(name)
    windows = {about.reached: about.session.after(turns, first)}
    if about.before is not None:
        windows[about.before] = about.session.after(turns - 1, first)
    claim = substituted(obligation.claim, windows)
    premise = conjunction((started(about.session, first), claim.premise))
    return replace(
        obligation,
        claim=replace(claim, inputs=(name,), premise=premise),
        witnesses=substituted(obligation.witnesses, windows),
        turns=replace(about, taken=turns),
    )


def least(obligation: Obligation) -> int:
    """The fewest turns that the claim can be about."""
    return 0 if _about(obligation).before is None else 1


def window_after(obligation: Obligation, turns: int, policy: Policy | None = None) -> WindowTerm:
    """The window after so many turns in the claim of an `after`, or what that policy left in the last of these turns
    (the last of its passes, if it is applied more than once in a turn)."""
    assert obligation.turns is not None
    session = obligation.turns.session
    (name,) = obligation.claim.inputs
    if policy is None:
        return session.after(turns, Input(name))
    last = max(n for n, step in enumerate(session.steps) if step.policy == policy)
    window = session.after(turns - 1, Input(name))
    for step in session.steps[: last + 1]:
        window = Pass(step.policy.name, "", window)
    return window


def written(session: Session) -> tuple[Policy, ...]:
    """The policies of the session that its file has, without those that only keep its books: what the environment may
    do, as policies, and then those that the session applies."""
    return (*dict.fromkeys(s.policy for s in session.steps if s.environment), *session.applied())


def books(session: Session, statement: Statement) -> bool:
    """Whether the statement only keeps the session's books: nobody wrote it."""
    return isinstance(statement, Set) and all(session.schema.field(a.field).history for a in statement.assignments)


def _about(obligation: Obligation) -> Turns:
    if obligation.turns is None or obligation.turns.taken is not None:
        raise ValueError(f"`{obligation.name}` is not about any number of turns of a session")
    return obligation.turns


# ---------- induction


@dataclass(frozen=True, slots=True)
class ProofPart:
    """One of the plain obligations that together are a proof for any number of turns. `about`: the invariant that it
    is about."""

    name: str
    obligation: Obligation
    about: Expression | None = None


@dataclass(frozen=True, slots=True)
class Inductive:
    """A claim about a session as induction takes it.

    `schema` is as wide as the windows that turns lead to. `facts`: what is assumed of parameters; `assumed`: what the
    claim asks of the window the session starts from (on `REST`). `claim` is without them. `condition`: the claim as a
    condition on `REST`, if it is one that an invariant may contain.
    """

    obligation: Obligation
    session: Session
    schema: Schema
    facts: Expression
    assumed: Expression
    claim: Claim
    condition: Expression | None


def inductive(obligation: Obligation) -> Inductive | str:
    """The claim as induction over turns takes it, or why induction cannot be about it, in words."""
    about = _about(obligation)
    session = about.session
    schema = reachable_schema(session)
    if isinstance(schema, str):
        return schema
    facts, assumed, conditions = _sorted(obligation.claim, about.start)
    facts = conjunction((facts, *(i for i in _items(session.start) if not _inputs(i))))
    claim = replace(
        obligation.claim,
        inputs=tuple(i for i in obligation.claim.inputs if i != about.start),
        premise=TRUE,
        antecedent=conditions,
    )
    if about.start in _inputs(claim):
        return "the promise compares a window with the one that the session started from"
    unseen = obstacle(session, claim)
    if unseen is not None:
        return unseen
    condition = None if about.before is not None else substituted(_closed(claim), {about.reached: REST})
    if condition is not None and obstacle_of_invariant(session, condition) is not None:
        condition = None
    return Inductive(obligation, session, schema, facts, assumed, claim, condition)


def _sorted(claim: Claim, start: str | None) -> tuple[Expression, Expression, Expression]:
    """What the claim takes for granted: of parameters alone, of the window a session starts from (on `REST`), and the
    rest."""
    facts: list[Expression] = []
    assumed: list[Expression] = []
    rest: list[Expression] = []
    for item in (*_items(claim.premise), *_items(claim.antecedent)):
        closed = not any(b.variable in _spans(item) for b in claim.bound)
        if closed and not _inputs(item):
            facts.append(item)
        elif closed and start is not None and _inputs(item) == {start}:
            assumed.append(substituted(item, {start: REST}))
        else:
            rest.append(item)
    return conjunction(tuple(facts)), conjunction(tuple(assumed)), conjunction(tuple(rest))


def _items(condition: Expression) -> tuple[Expression, ...]:
    return condition.items if isinstance(condition, And) else () if condition == TRUE else (condition,)


def _closed(claim: Claim) -> Expression:
    """The claim as one condition."""
    formula: Expression = claim.consequent
    if claim.antecedent != TRUE:
        formula = Implies(claim.antecedent, formula)
    for bound in reversed(claim.bound):
        formula = All(bound.variable, bound.window, formula)
    return formula


def parts(about: Inductive, invariants: tuple[Expression, ...], windows: int = 1) -> tuple[ProofPart, ...]:
    """What has to be proved so that the claim holds after any number of turns.

    `invariants` are conditions on `REST`, free of passes. They hold of the windows that sessions start from, all of
    them together survive a turn, and they imply the claim. With two `windows` the claim, which must then be a condition
    on one window, is assumed of a window and of the one a turn later besides, and holds after no turn and after one.
    """
    before = conjunction(invariants)
    then = about.session.after(1, REST)
    found: list[ProofPart] = []
    for number, invariant in enumerate(invariants, 1):
        starts = starting(about, invariant, f"start {number}")
        turns = turning(about, before, substituted(invariant, {ASSUMED: then}), f"turn {number}")
        found += [replace(part, about=invariant) for part in (starts, turns)]
    if windows == 1:
        if about.condition is None or about.condition not in invariants:
            found.append(promised(about, before))
        return tuple(found)
    condition = about.condition
    if condition is None:
        raise ValueError("the promise is no condition on one window")
    for number in range(windows):
        found.append(ProofPart(f"after {number} turn{'s' * (number != 1)}", _plain(after(about.obligation, number))))
    several = [substituted(condition, {ASSUMED: about.session.after(n, REST)}) for n in range(windows + 1)]
    found.append(turning(about, conjunction((before, *several[:-1])), several[-1], f"turn after {windows} windows"))
    return tuple(found)


def starting(about: Inductive, invariant: Expression, name: str) -> ProofPart:
    """The invariant holds of every window that a session starts from (of those that the claim is about)."""
    premise = conjunction((started(about.session, REST), about.facts, about.assumed))
    claim = Claim((ASSUMED,), premise=premise, consequent=invariant)
    return ProofPart(name, _plain(replace(about.obligation, claim=claim, name=f"{about.obligation.name}: {name}")))


def turning(about: Inductive, before: Expression, then: Expression, name: str) -> ProofPart:
    """One or more turns from any window with `before` lead to one with `then`."""
    claim = Claim((ASSUMED,), premise=conjunction((about.facts, before)), consequent=then)
    return ProofPart(name, _anywhere(about, claim, name))


def promised(about: Inductive, invariant: Expression) -> ProofPart:
    """The invariant implies the claim."""
    turns = _about(about.obligation)
    windows: dict[str, WindowTerm] = {turns.reached: REST}
    if turns.before is not None:
        windows = {turns.before: REST, turns.reached: about.session.after(1, REST)}
    claim = substituted(about.claim, windows)
    premise = conjunction((about.facts, invariant))
    return ProofPart("promise", _anywhere(about, replace(claim, inputs=(ASSUMED,), premise=premise), "promise"))


def _anywhere(about: Inductive, claim: Claim, name: str) -> Obligation:
    """A claim about every window that turns may lead to."""
    asked = about.obligation
    policies = tuple(replace(p, schema=about.schema) for p in in_a_step(about.session, asked.policies))
    claim = in_a_step(about.session, claim)
    return _plain(
        replace(asked, name=f"{asked.name}: {name}", schema=about.schema, policies=policies, claim=claim),
    )


def covered_link(session: Session) -> str | None:
    """The link that says, in a step of induction, what spans cover since earlier turns; None if none cover any."""
    if all(s.covers is None for s in _inserts(session)):
        return None
    name = "covered_before"
    while any(k.name == name for k in session.schema.links):
        name += "_"
    return name


def in_a_step(session: Session, tree: Tree) -> Tree:
    """The tree as it reads in a step of induction, where a link says what spans cover since earlier turns."""
    before = covered_link(session)

    def changed(node: Any) -> Any:
        match node:
            case Linked(link, source, target) if link == COVERS and before is not None:
                return Or((rebuilt(node, changed), Linked(before, source, target)))
            case _:
                return rebuilt(node, changed)

    return cast(Tree, changed(tree))


def _plain(obligation: Obligation) -> Obligation:
    """An obligation that is about no session, and says nothing of what was expected."""
    return replace(obligation, turns=None, within=None, within_turns=None, expect=None, witnesses=())


# ---------- which windows turns lead to


def reachable_schema(session: Session) -> Schema | str:
    """The session's schema with what its policies may break left out, or what they do that no schema says.

    Nothing is assumed; a number has bounds only if every value that a policy gives it is within them; links may stand
    between any two spans if a policy changes tags; there is one more, `covered_link`.
    """
    schema = session.schema
    covered = covered_link(session)
    edits = [(p, s) for p in session.policies() for s in statements(p.body) if isinstance(s, Set | Insert)]
    wide: set[str] = set()
    for policy, statement in edits:
        for assigned in statement.assignments:
            declared = schema.field(assigned.field)
            if isinstance(assigned, Assign) and not _within(assigned.value, declared, statement):
                if declared.kind == "enum":
                    return f"`{policy.name}` gives `{declared.name}` a name that it reads from another span"
                wide.add(declared.name)
    retagged = any(isinstance(s, Set) and a.field == TAG for _, s in edits for a in s.assignments)
    return replace(
        schema,
        fields=tuple(replace(f, low=None, high=None) if f.name in wide else f for f in schema.fields),
        links=(
            *(replace(k, from_tags=None, to_tags=None) if retagged else k for k in schema.links),
            *(() if covered is None else (Link(covered),)),
        ),
        assumptions=(),
    )


def _within(value: Expression, declared: Field, statement: Statement) -> bool:
    """Whether the value is plainly one that the field's declaration admits, if the span's own old one was."""
    match value:
        case _ if declared.kind in ("bool", "key"):
            return True
        case Int(number):
            return (declared.low is None or declared.low <= number) and (
                declared.high is None or number <= declared.high
            )
        case Name(_, name):
            return name in declared.names
        case If(_, then, otherwise):
            return _within(then, declared, statement) and _within(otherwise, declared, statement)
        case Read(span, name, _, None):
            return isinstance(statement, Set) and (span, name) == (statement.variable, declared.name)
        case _:
            return declared.kind == "int" and declared.low is None and declared.high is None


def obstacle(session: Session, claim: Claim) -> str | None:
    """What the session or the claim reads of a window's past that no input window has: which spans passes made."""
    makes = _inserts(session)
    policies = session.policies()
    read = tuple(nodes((policies, claim)))
    if any(isinstance(n, Reaches) and n.link == COVERS for n in read) and covered_link(session) is not None:
        return "what is reached over what spans cover is only known of the turns looked at"
    if any(isinstance(n, Without) for n in read) and any(isinstance(n, Linked) and n.link == COVERS for n in read):
        return "the promise takes spans out of a window in which spans cover others"
    if makes and any(isinstance(n, Created) for n in nodes((policies, claim))):
        return "which spans were put in is only known of the turns looked at"
    if makes and any(isinstance(n, SameWindow) for n in nodes(policies)):
        return "a gate compares windows into which spans were put"
    if makes and _negative(session, claim):
        return "the promise speaks of windows being equal into which spans were put"
    return None


def obstacle_of_invariant(session: Session, condition: Expression) -> str | None:
    """Why the condition cannot be part of an invariant; None if it can."""
    if any(isinstance(n, Pass) for n in nodes(condition)):
        return "it speaks of passes"
    if _inserts(session) and any(isinstance(n, SameWindow) for n in nodes(condition)):
        return "it compares windows into which spans were put"
    return obstacle(session, Claim((ASSUMED,), consequent=condition))


def _inserts(session: Session) -> tuple[Insert, ...]:
    return tuple(s for p in session.policies() for s in statements(p.body) if isinstance(s, Insert))


def _negative(session: Session, claim: Claim) -> bool:
    """Whether it may matter to the claim that windows are unequal.

    Two windows may be equal because passes put equal spans into them, which induction does not know: then more are
    equal than it thinks, which is harmless only where equality is what is claimed.
    """
    return bool(_inserts(session)) and _equality(_closed(claim), positive=True)


def _equality(expression: Expression, positive: bool) -> bool:
    """Whether some equality of windows, if it held after all, could make the expression false (`positive`), or true."""
    match expression:
        case SameWindow():
            return not positive
        case Not(item):
            return _equality(item, not positive)
        case Implies(left, right):
            return _equality(left, not positive) or _equality(right, positive)
        case And(items) | Or(items):
            return any(_equality(item, positive) for item in items)
        case All(_, _, condition) | Some(_, _, condition):
            return _equality(condition, positive)
        case If(condition, then, otherwise):
            return _mentioned(condition) or _equality(then, positive) or _equality(otherwise, positive)
        case Equal(left, right):
            return _mentioned(left) or _mentioned(right)
        case _:
            return _mentioned(expression)


def _mentioned(expression: Expression) -> bool:
    return any(isinstance(n, SameWindow) for n in nodes(expression))


def _spans(tree: object) -> set[str]:
    """The span variables that it speaks of."""
    return set().union(*map(used, nodes(tree)))


def _inputs(tree: object) -> set[str]:
    """The input windows that it reads."""
    return {n.name for n in nodes(tree) if isinstance(n, Input)}


def conjuncts(expression: Expression) -> Iterator[Expression]:
    """The conditions that it says hold together, each on its own; `true` has none."""
    match expression:
        case And(items):
            for item in items:
                yield from conjuncts(item)
        case All(variable, window, And(items)):
            for item in items:
                yield from conjuncts(All(variable, window, item))
        case _:
            if expression != TRUE:
                yield expression
