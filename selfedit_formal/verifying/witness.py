"""Which windows show that a policy does what it says: one for each rule, each way through a block, each gate and check.

A question is an obligation that the thing never happens. So its counterexample is the witness, and it goes through the
same door as every other: replayed in the interpreter, and shrunk.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from selfedit_formal._frozen import dataclass
from selfedit_formal.core.expression import (
    ASSUMED,
    FALSE,
    TRUE,
    And,
    Expression,
    Fires,
    Input,
    Not,
    Origin,
    Pass,
    Refused,
    WindowTerm,
    conjunction,
)
from selfedit_formal.core.policy import Block, Policy, statements
from selfedit_formal.core.property import Case, Claim, Obligation
from selfedit_formal.core.session import Session, Turns
from selfedit_formal.core.verdict import Bounded, Failed, Proved, Refuted, Result, Unknown, Vacuous
from selfedit_formal.verifying.turns import books, written
from selfedit_formal.verifying.vacuity import rules

if TYPE_CHECKING:
    from selfedit_formal.language.module import Module

Aspect = Literal["fires", "holds", "fails", "refuses", "applies"]
"""A rule fires, a block's condition holds or fails, a gate refuses, a check's condition applies."""


@dataclass(frozen=True, slots=True)
class Question:
    """Whether some window shows it. `subject` is the policy's or check's name, `origin` the rule, block, gate or check.

    `obligation` says that no window does: a case that breaks it is the witness.
    """

    subject: str
    aspect: Aspect
    origin: Origin
    obligation: Obligation


@dataclass(frozen=True, slots=True)
class Shown:
    """The case shows it; no smaller window does if `shortest`. Of a session: after `turns` turns, and none fewer."""

    question: Question
    case: Case
    spans: int
    shortest: bool
    turns: int | None = None


@dataclass(frozen=True, slots=True)
class NeverShown:
    """No window of up to `spans` spans shows it; None: no window at all. Of a session: in up to `turns` turns."""

    question: Question
    spans: int | None
    turns: int | None = None


@dataclass(frozen=True, slots=True)
class NotSettled:
    """No answer, and why."""

    question: Question
    reason: str


@dataclass(frozen=True, slots=True)
class Inconsistent:
    """Two of our own parts disagree; `message` is for a bug report."""

    question: Question
    message: str


Witnessed = Shown | NeverShown | NotSettled | Inconsistent


def questions(module: Module) -> tuple[Question, ...]:
    """Everything worth a window in a module: its policies in the order written, its sessions, then the conditions of
    its checks.

    A plan on a written-out window is asked about that window, if a check says which it is.
    """
    fixed = {o.policies[0].name: o for o in module.obligations if o.fixed is not None}
    asked: list[Question] = []
    for policy in module.policies.values():
        asked += policy_questions(policy, fixed.get(policy.name))
    for session in module.sessions.values():
        asked += session_questions(session)
    for obligation in module.obligations:
        asked += check_questions(obligation)
    return tuple(asked)


def session_questions(session: Session) -> tuple[Question, ...]:
    """Each rule fires in some turn: the environment's, and those of the policies that the session applies."""
    found: list[Question] = []
    for policy in written(session):
        term: WindowTerm = Input(BEFORE)
        for step in session.steps:
            term = Pass(step.policy.name, "", term)
            if step.policy == policy:
                break
        assert isinstance(term, Pass)
        for rule in rules(policy):
            if all(books(session, s) for s in statements(policy.body) if s.site in rule.sites):
                continue
            claim = Claim((BEFORE, ASSUMED), antecedent=rule.fires(term), consequent=FALSE)
            name = f"{session.name}: {rule.origin.text} fires"
            turns = Turns(session, ASSUMED, BEFORE)
            made = Obligation(name, session.schema, session.policies(), "witness", claim, session.parameters)
            found.append(Question(session.name, "fires", rule.origin, replace(made, origin=rule.origin, turns=turns)))
    return tuple(found)


BEFORE = "V"
"""The window before the turn that a question is about."""


def policy_questions(policy: Policy, plan: Obligation | None = None) -> tuple[Question, ...]:
    """Each rule fires, each block goes both ways, each gate refuses. `plan`: a check on the window it stands on."""
    run = Pass(policy.name, "", Input(ASSUMED))

    def ask(aspect: Aspect, origin: Origin, condition: Expression, of: Policy = policy) -> Question:
        claim = Claim((ASSUMED,), (), conjunction(policy.schema.assumptions), condition, FALSE)
        name = f"{policy.name}: {origin.text} {aspect}"
        obligation = Obligation(
            name, policy.schema, (of,), "witness", claim, policy.parameters, policy.spans, origin=origin
        )
        if plan is not None:
            obligation = replace(obligation, parameters=plan.parameters, spans=plan.spans, fixed=plan.fixed)
        return Question(policy.name, aspect, origin, obligation)

    found = [ask("fires", rule.origin, rule.fires(run)) for rule in rules(policy)]
    for statement in statements(policy.body):
        if isinstance(statement, Block):
            found.append(ask("holds", statement.origin, Fires(run, statement.site)))
            found.append(ask("fails", statement.origin, Fires(run, statement.site, otherwise=True)))
    for gate in policy.gates:
        # Alone among the gates: those before it would refuse in its stead.
        alone = And((Refused(run), Not(Refused(replace(run, gated=False)))))
        named = replace(gate.origin, text=f"gate {gate.name}")  # one line may hold several
        found.append(ask("refuses", named, alone, replace(policy, gates=(gate,))))
    return tuple(found)


def check_questions(obligation: Obligation) -> tuple[Question, ...]:
    """The condition of a check is met; none if it has none."""
    claim = obligation.claim
    if claim.antecedent == TRUE and not claim.bound:
        return ()
    asked = replace(
        obligation,
        name=f"{obligation.name} applies",
        claim=replace(claim, consequent=FALSE),
        witnesses=(),
        expect=None,
    )
    return (Question(obligation.name, "applies", obligation.origin, asked),)


def witnessed(question: Question, result: Result) -> Witnessed:
    """What the result of the question's obligation says about the question."""
    match result.verdict:
        case Refuted(case, spans, shortest, turns):
            return Shown(replace(question, obligation=result.obligation), case, spans, shortest, turns)
        case Proved():
            return NeverShown(question, None)
        case Bounded(spans=spans, turns=turns) | Vacuous(spans=spans, turns=turns):
            return NeverShown(question, spans, turns)
        case Unknown(reason=reason):
            return NotSettled(question, reason)
        case Failed(message=message):
            return Inconsistent(question, message)


def witnesses(module: Module, check: Callable[[tuple[Obligation, ...]], tuple[Result, ...]]) -> tuple[Witnessed, ...]:
    """An answer to each question of the module, in order. `check` answers obligations, and need not ask for vacuity."""
    asked = questions(module)
    results = check(tuple(question.obligation for question in asked))
    return tuple(witnessed(question, result) for question, result in zip(asked, results, strict=True))
