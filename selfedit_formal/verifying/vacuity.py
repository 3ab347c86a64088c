"""Whether a promise that holds does so for a reason that matters.

Every question is itself an obligation that something never happens: a case that breaks it shows that it does. Random
cases are tried first, then the engine that answered the promise. `spec/decisions/0002-vacuity.md` says what is vacuous.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import inf
from typing import Any, Literal, cast

from selfedit_formal._frozen import dataclass
from selfedit_formal.core.budget import MILLION, Work
from selfedit_formal.core.certificate import Certificate
from selfedit_formal.core.diagnostics import Disagreement
from selfedit_formal.core.expression import (
    FALSE,
    TRUE,
    Expression,
    Fires,
    Input,
    InSet,
    Int,
    Not,
    Origin,
    Pass,
    Refused,
    SameWindow,
    Some,
    Triggered,
    disjunction,
)
from selfedit_formal.core.policy import (
    Assign,
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
    Policy,
    Readmit,
    Refuse,
    Set,
    Statement,
    statements,
)
from selfedit_formal.core.property import Case, Claim, Obligation
from selfedit_formal.core.traverse import nodes, rebuilt
from selfedit_formal.core.window import Field, Schema
from selfedit_formal.engines import Found, GaveUp, Limits, NoneFound, Refuter, prove, solve
from selfedit_formal.engines.random import attack
from selfedit_formal.semantics.interpreter import breaks
from selfedit_formal.semantics.symbolic.equality import follows_from_equality

RANDOM_SPANS = 3
RANDOM_TRIES = 12

PROOF = 5.0
"""Million solver steps for a proof that something never happens."""
TRIVIAL_SPANS = 3
"""How far the two trivial policies are looked at; what is said about them is a remark, not a verdict."""


@dataclass(frozen=True, slots=True)
class Vacuity:
    """`reasons` make the promise vacuous, if it holds for every window; `notes` are worth knowing. Each is a sentence
    without a full stop. `unsettled` are the notes on what there was no answer to.
    """

    reasons: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    unsettled: tuple[str, ...] = ()
    perhaps: tuple[str, ...] = ()
    """Reasons as far as was looked, in a session; of a plain promise they are `reasons` in the end, or `notes`."""


def vacuity(
    obligation: Obligation, engine: Refuter, limits: Limits, end: float = inf, *, proofs: bool = False
) -> Vacuity:
    """Why the obligation, which holds up to `limits.within` spans, would be vacuous, if it is.

    With `proofs` a reason is one only if there is a proof for windows of every length, else it becomes a note: a rule
    that needs a longer window than those looked at acts nevertheless.

    Raises `Disagreement` if a case that the engine found does not replay, and `OutOfTime` at the end (monotonic). What
    `limits.search` did not suffice for, question by question, is told in a note.
    """
    inquiry = Inquiry(engine, limits, end, proofs)
    parts = [_antecedent(obligation, inquiry), _rules(obligation, inquiry), _witnesses(obligation, inquiry)]
    if not any(part.reasons or part.perhaps for part in parts):
        parts.append(_every_policy(obligation, inquiry))
    if not any(part.reasons or part.perhaps for part in parts):
        parts.append(_trivial_policies(obligation, inquiry))
    perhaps = tuple(reason for part in parts for reason in part.perhaps)
    return Vacuity(
        tuple(reason for part in parts for reason in part.reasons) + (() if proofs else perhaps),
        (perhaps if proofs else ()) + tuple(note for part in parts for note in part.notes),
        tuple(question for part in parts for question in part.unsettled),
    )


# ---------- questions


@dataclass(frozen=True, slots=True)
class Seen:
    """It happens: the case shows it."""

    case: Case


@dataclass(frozen=True, slots=True)
class Never:
    """It does not happen with inputs of up to so many spans; None: nor with longer ones."""

    spans: int | None

    def to(self, text: str) -> Vacuity:
        """The reason that this is."""
        return Vacuity((text,)) if self.spans is None else Vacuity(perhaps=(text,))


@dataclass(frozen=True, slots=True)
class Unsettled:
    """No answer, and why."""

    reason: str


Sight = Seen | Never | Unsettled


def happens(obligation: Obligation, what: str, antecedent: Expression) -> Obligation:
    """The question whether something can happen in the obligation, premise included: broken by a case in which it does.

    `antecedent` reads inputs, passes, parameters and a plan's spans.
    """
    claim = Claim(obligation.claim.inputs, (), obligation.claim.premise, antecedent, FALSE)
    return replace(obligation, name=f"{obligation.name}: {what}", claim=claim, witnesses=(), expect=None)


@dataclass(frozen=True, slots=True)
class Inquiry:
    """Who is asked, within which limits, and until when (monotonic). `proofs`: what never happens is proved, if it can
    be."""

    engine: Refuter
    limits: Limits
    end: float = inf
    proofs: bool = False

    def ask(self, question: Obligation) -> Sight:
        """Whether a case breaks the question: random ones first, which nearly always do where some do."""
        drawn = attack(question, min(RANDOM_SPANS, self.limits.within), RANDOM_TRIES)
        if drawn is not None:
            return Seen(drawn)
        return Never(None) if self.proved(question) else self.solve(question, self.limits.within)

    def proved(self, question: Obligation) -> bool:
        """Whether there is a proof that it never happens."""
        return self.proofs and isinstance(prove(question, Work(PROOF * MILLION, self.end)), Certificate)

    def solve(self, question: Obligation, within: int) -> Sight:
        """What the engine says to the question."""
        spans = min(within, self.limits.within)
        limits = replace(self.limits, within=spans)
        answer = solve(self.engine, replace(question, within=spans), limits, Work(end=self.end))
        match answer:
            case Found(case=case):
                if not breaks(question, case):
                    raise Disagreement(
                        f"{self.engine.name} found a case of `{question.name}` that does not replay:\n{case}"
                    )
                return Seen(case)
            case NoneFound(spans=up_to, complete=complete):
                return Never(None if complete else up_to)
            case GaveUp(reason=reason):
                return Unsettled(reason)


def _windows(obligation: Obligation, spans: int | None) -> str:
    if obligation.fixed is not None:
        return "the window written out"
    return "any window" if spans is None else f"windows of up to {spans} spans"


def unsettled_question(question: str, reason: str) -> str:
    """The note on what there was no answer to."""
    return f"whether {question} was not settled: {reason}"


# ---------- the promise's own conditions


def _antecedent(obligation: Obligation, inquiry: Inquiry) -> Vacuity:
    """Vacuous if the claim's condition is never met. Who is to blame: the assumptions, if they alone are never met."""
    claim = obligation.claim
    if (claim.premise, claim.antecedent, claim.bound) == (TRUE, TRUE, ()):
        return Vacuity()
    asked = replace(obligation, name=f"{obligation.name}: antecedent", claim=replace(claim, consequent=FALSE))
    match inquiry.ask(asked):
        case Seen():
            return Vacuity()
        case Unsettled(reason):
            return Vacuity(unsettled=(unsettled_question("the promise's condition is ever met", reason),))
        case Never(spans) as never:
            none = "no window" if spans is None else f"no window of up to {spans} spans"
            if obligation.fixed is not None:
                none = "the window written out never"
    if claim.premise != TRUE and isinstance(inquiry.ask(happens(obligation, "premise", TRUE)), Never):
        return never.to(f"{none} satisfies the assumptions")
    if _kept_by_removal(asked, inquiry):
        return Vacuity(notes=("what the promise speaks of does not come up, which is the policy's doing",))
    if claim.antecedent == TRUE:
        return never.to(f"{none} has the spans that the promise speaks of")
    return never.to(f"{none} meets the promise's condition")


def _kept_by_removal(asked: Obligation, inquiry: Inquiry) -> bool:
    """Whether the condition, which is never met, would be if the policy did nothing: then it is the policy's doing that
    what the promise speaks of does not come up, which is one way of keeping it."""
    policy = asked.policies[0]
    # Those are about the text of the policy, which doing nothing has none of.
    if any(isinstance(node, Triggered | Fires | Refused) for node in nodes(asked.claim)):
        return False
    idle = _with(asked, replace(policy, body=(), gates=()), "what it would be without the policy")
    return isinstance(inquiry.ask(idle), Seen)


def _witnesses(obligation: Obligation, inquiry: Inquiry) -> Vacuity:
    reasons: list[str] = []
    perhaps: list[str] = []
    unsettled: list[str] = []
    for witness in obligation.witnesses:
        match inquiry.ask(happens(obligation, witness.absence, witness.condition)):
            case Seen():
                pass
            case Never(spans):
                (reasons if spans is None else perhaps).append(witness.absence)
            case Unsettled(reason):
                unsettled.append(unsettled_question(f"it is so that {witness.absence}", reason))
    return Vacuity(tuple(reasons), unsettled=tuple(unsettled), perhaps=tuple(perhaps))


# ---------- the policy's rules


@dataclass(frozen=True, slots=True)
class WrittenRule:
    """A statement as its author wrote it, and the core statements that it became. `edits`: it can change a window."""

    origin: Origin
    sites: tuple[int, ...]
    edits: bool

    def fires(self, run: Pass) -> Expression:
        return disjunction(tuple(Fires(run, site) for site in self.sites))


def rules(policy: Policy) -> tuple[WrittenRule, ...]:
    """What the policy was written as, in that order; blocks, which only say when, are left out."""
    found: dict[tuple[str, object], WrittenRule] = {}
    for statement in statements(policy.body):
        match statement:
            case Keep() | Refuse():
                edits = False
            case Evict() | Set() | Insert() | Readmit() | Move() | Fill():
                edits = True
            case LetSet() | LetSpan() | LetValue() | Block():
                continue
        place = statement.origin.location
        key = (statement.origin.text, None if place is None else (place.line, place.column))
        old = found.get(key, WrittenRule(statement.origin, (), False))
        found[key] = replace(old, sites=(*old.sites, statement.site), edits=old.edits or edits)
    return tuple(found.values())


def _rules(obligation: Obligation, inquiry: Inquiry) -> Vacuity:
    policy = obligation.policies[0]
    first = Input(obligation.claim.inputs[0])
    run = Pass(policy.name, "", first)
    written = rules(policy)
    if not any(rule.edits for rule in written):
        return Vacuity((f"`{policy.name}` has no rule that edits",))

    questions = {rule: happens(obligation, f"`{rule.origin.text}` fires", rule.fires(run)) for rule in written}
    changes = happens(obligation, "changes a window", Not(SameWindow(run, first)))
    changed = False
    waiting = written
    unsettled: str | None = None
    never, where = Never(None), ""
    while waiting:
        one_of_them = disjunction(tuple(rule.fires(run) for rule in waiting))
        match inquiry.ask(happens(obligation, "a rule fires", one_of_them)):
            case Seen(case):
                waiting = tuple(rule for rule in waiting if not breaks(questions[rule], case))
                changed = changed or breaks(changes, case)
            case Never(spans) as never:
                where = _windows(obligation, spans)
                break
            case Unsettled(reason):
                unsettled = reason
                break
    silent = tuple(rule.origin.text for rule in waiting)
    named = ", ".join(f"`{text}`" for text in silent)
    if unsettled is not None:
        return Vacuity(unsettled=(unsettled_question(f"every rule can fire ({named})", unsettled),))
    if all(not rule.edits or rule in waiting for rule in written):
        if inquiry.proved(changes):  # whether a rule fires is outside the fragment of what can be proved
            return Vacuity((f"`{policy.name}` changes nothing in any window",))
        return never.to(f"no rule that edits fires in {where}: {named}")
    notes = tuple(f"the rule `{text}` never fires in {where}" for text in silent)
    if not changed:
        match inquiry.ask(changes):
            case Seen():
                pass
            case Never(spans) as still:
                found = still.to(f"`{policy.name}` changes nothing in {_windows(obligation, spans)}")
                return replace(found, notes=notes)
            case Unsettled(reason):
                question = f"`{policy.name}` ever changes a window"
                return Vacuity(notes=notes, unsettled=(unsettled_question(question, reason),))
    return Vacuity(notes=notes)


# ---------- other policies in its stead


def _every_policy(obligation: Obligation, inquiry: Inquiry) -> Vacuity:
    """Vacuous if the claim holds whatever the policy does. A few freedoms are tried first: they mostly break it."""
    says_nothing = f"it would hold of every policy, so it says nothing about `{obligation.policies[0].name}`"
    if follows_from_equality(obligation.claim):
        return Vacuity((says_nothing,))
    claim = unrelated(obligation.claim, obligation.policies[0].name)
    never = Never(None)
    for chaos in (some_chaos(obligation.policies[0]), chaos_of_all_sorts(obligation.policies[0])):
        match inquiry.ask(_with(replace(obligation, claim=claim), chaos, "every policy")):
            case Seen():
                return Vacuity()
            case Unsettled(reason):
                return Vacuity(unsettled=(unsettled_question("every policy would keep this promise", reason),))
            case Never() as never:
                pass
    # What `when` lets through depends on the policy's text, which no free choice stands for.
    if any(isinstance(node, Triggered | Fires) for node in nodes(obligation.claim)):
        return Vacuity()
    return never.to(says_nothing)


def unrelated(claim: Claim, policy: str) -> Claim:
    """The claim with a run of its own for each different pass of the policy.

    Free choices belong to a run and a span, so a chaotic policy does the same to a span of one run whatever window it
    stands in. A real policy may look at the rest of the window.
    """
    runs: dict[Pass, str] = {}

    def renamed(node: Any) -> Any:
        match node:
            case Pass() if node.policy == policy:
                run = runs.setdefault(node, f"{node.run} {len(runs)}")
                return replace(node, run=run, window=renamed(node.window))
            case _:
                return rebuilt(node, renamed)

    return cast(Claim, renamed(claim))


def _trivial_policies(obligation: Obligation, inquiry: Inquiry) -> Vacuity:
    policy = obligation.policies[0]
    drop = Evict(0, "s", TRUE, logged=False, origin=Origin("evict s"))
    for body in ((), (drop,)):
        trivial = replace(policy, body=body, gates=())
        if not isinstance(inquiry.solve(_with(obligation, trivial, "a trivial policy"), TRIVIAL_SPANS), Never):
            return Vacuity()
    return Vacuity(
        notes=(
            "doing nothing and dropping everything would keep this promise too: check it together with one they break",
        )
    )


def _with(obligation: Obligation, policy: Policy, what: str) -> Obligation:
    """The same claim about another policy."""
    return replace(
        obligation,
        name=f"{obligation.name}: {what}",
        policies=(policy, *obligation.policies[1:]),
        witnesses=(),
        expect=None,
    )


def some_chaos(policy: Policy) -> Policy:
    """A policy that puts a span in and may evict, rewrite and move any span."""
    return _made_of(
        policy,
        (*_put("new", "back"), *_evict("out", logged=False), *_rewrite("other", policy.schema), *_move("early")),
    )


def chaos_of_all_sorts(policy: Policy) -> Policy:
    """A policy that may do all that a policy can do to any span, also beyond the bounds of its fields.

    It may put in more spans than `policy` does. What it evicted may have been rewritten before.
    """
    inserts = sum(isinstance(s, Insert) for s in statements(policy.body))
    return _made_of(
        policy,
        (
            *(s for number in range(inserts + 1) for s in _put(f"new{number}", "back")),
            *_refuse("no"),
            *_evict("out", logged=False),
            *_evict("noted", logged=True),
            *_readmit("back", override=False),
            *_readmit("asked", override=True),
            *_rewrite("other", policy.schema),
            *_strays("", policy.schema),
            *_rewrite("other gone", policy.schema, archive=True),
            *_strays(" gone", policy.schema, archive=True),
            *_move("early"),
            *_move("earlier"),
        ),
    )


CHAOS = Origin("anything")


def _made_of(policy: Policy, body: tuple[Statement, ...]) -> Policy:
    return replace(policy, body=tuple(replace(s, site=site) for site, s in enumerate(body)), gates=())


def _any_of(name: str, archive: bool = False) -> LetSet:
    return LetSet(0, name, "s", TRUE, archive=archive, may=True)


def _put(name: str, end: Literal["front", "back"]) -> tuple[Statement, ...]:
    return _any_of(name), Insert(0, End(end), (), covers=name, origin=CHAOS, may=True)


def _refuse(name: str) -> tuple[Statement, ...]:
    return _any_of(name), Refuse(0, Some("s", None, InSet("s", name)), "anything", CHAOS)


def _evict(name: str, logged: bool) -> tuple[Statement, ...]:
    return _any_of(name), Evict(0, "s", InSet("s", name), logged, CHAOS)


def _readmit(name: str, override: bool) -> tuple[Statement, ...]:
    return _any_of(name, archive=True), Readmit(0, "s", InSet("s", name), Original(), override, CHAOS)


def _rewrite(name: str, schema: Schema, archive: bool = False) -> tuple[Statement, ...]:
    anything = tuple(Open(f.name) for f in schema.fields if f.oracle is None)
    return _any_of(name, archive), Set(0, "s", InSet("s", name), anything, CHAOS, archive)


def _strays(which: str, schema: Schema, archive: bool = False) -> tuple[Statement, ...]:
    return (
        *_stray(f"below{which}", schema, lambda f: None if f.low is None else f.low - 1, archive),
        *_stray(f"above{which}", schema, lambda f: None if f.high is None else f.high + 1, archive),
    )


def _stray(name: str, schema: Schema, beyond: Callable[[Field], int | None], archive: bool) -> tuple[Statement, ...]:
    values = tuple(
        Assign(f.name, Int(value)) for f in schema.fields if f.oracle is None and (value := beyond(f)) is not None
    )
    return (_any_of(name, archive), Set(0, "s", InSet("s", name), values, CHAOS, archive)) if values else ()


def _move(name: str) -> tuple[Statement, ...]:
    return _any_of(name), Move(0, "s", InSet("s", name), End("front"), CHAOS)
