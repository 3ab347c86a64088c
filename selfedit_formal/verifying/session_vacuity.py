"""Whether a promise about a session holds for a reason that matters: does what it speaks of happen in any session?

The questions are those of `vacuity`, asked of every number of turns up to the bound.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf

from selfedit_formal.core.budget import MILLION, Work
from selfedit_formal.core.certificate import Certificate
from selfedit_formal.core.expression import (
    ASSUMED,
    FALSE,
    TRUE,
    Compare,
    Expression,
    Fires,
    Input,
    Int,
    Known,
    Origin,
    Pass,
    Read,
    SameWindow,
    Some,
    WindowTerm,
    disjunction,
)
from selfedit_formal.core.policy import Evict, Policy, statements
from selfedit_formal.core.property import Claim, Obligation
from selfedit_formal.core.session import BINDING, EVICTED, EVICTIONS, RETURNED, THRASHED, Session
from selfedit_formal.core.traverse import nodes
from selfedit_formal.engines import Limits, Refuter, prove
from selfedit_formal.semantics.interpreter import breaks
from selfedit_formal.verifying.turns import after, books, least, started, window_after, written
from selfedit_formal.verifying.vacuity import (
    PROOF,
    TRIVIAL_SPANS,
    Inquiry,
    Never,
    Seen,
    Sight,
    Unsettled,
    Vacuity,
    WrittenRule,
    happens,
    rules,
    unsettled_question,
)

TRIVIAL_TURNS = 2
"""How many turns the two trivial policies are looked at; what is said about them is a remark, not a verdict."""


def vacuity(obligation: Obligation, engine: Refuter, limits: Limits, turns: int, end: float = inf) -> Vacuity:
    """Why the promise, which holds up to `limits.within` spans and so many turns, would be vacuous, if it is.

    Raises `Disagreement` if a case that the engine found does not replay, and `OutOfTime` at the end (monotonic). What
    `limits.search` did not suffice for, question by question, is told in a note.
    """
    inquiry = Inquiry(engine, limits, end)
    asked = _VacuityQuestion(obligation, inquiry, turns)
    found = [asked.condition()]
    if not found[0].perhaps:
        found += [asked.rules(), asked.history(), asked.witnesses()]
    if not any(part.reasons or part.perhaps for part in found):
        found.append(asked.trivial())
    return Vacuity(
        tuple(reason for part in found for reason in part.reasons),
        tuple(note for part in found for note in part.notes),
        tuple(question for part in found for question in part.unsettled),
        tuple(reason for part in found for reason in part.perhaps),
    )


class _VacuityQuestion:
    """A promise about a session, and how far it is looked at."""

    def __init__(self, obligation: Obligation, inquiry: Inquiry, turns: int) -> None:
        assert obligation.turns is not None
        self.obligation, self.inquiry, self.turns = obligation, inquiry, turns
        self.session: Session = obligation.turns.session
        self.where = (
            f"sessions of up to {turns} turn{'' if turns == 1 else 's'} "
            f"from windows of up to {inquiry.limits.within} spans"
        )

    def question(self, turns: int, what: str, condition: Expression) -> Obligation:
        """Whether the condition, on the passes of so many turns, is ever true."""
        plain = after(self.obligation, max(turns, least(self.obligation)))
        claim = replace(plain.claim, premise=started(self.session, window_after(plain, 0)))
        return happens(replace(plain, claim=claim), what, condition)

    def ever(self, ask: dict[int, Obligation]) -> Sight:
        """What there is to see after one of these numbers of turns."""
        never: Sight = Never(self.inquiry.limits.within)
        for question in ask.values():
            seen = self.inquiry.ask(question)
            if isinstance(seen, Seen):
                return seen
            never = seen if isinstance(seen, Unsettled) else never
        return never

    # ---------- the questions

    def condition(self) -> Vacuity:
        """Vacuous if no session may start, or none meets the promise's condition."""
        claim = self.obligation.claim
        match self.ever({0: self.question(0, "a session starts", TRUE)}):
            case Never(spans):
                return Vacuity(perhaps=(f"no window of up to {spans} spans is one that a session may start from",))
            case Unsettled(reason):
                return Vacuity(unsettled=(unsettled_question("a session may start", reason),))
            case Seen():
                pass
        if (claim.premise, claim.antecedent, claim.bound) == (TRUE, TRUE, ()):
            return Vacuity()
        asked = {k: after(self.obligation, k) for k in range(least(self.obligation), self.turns + 1)}
        never = {
            k: replace(o, name=f"{o.name}: condition", claim=replace(o.claim, consequent=FALSE), expect=None)
            for k, o in asked.items()
        }
        match self.ever(never):
            case Seen():
                return Vacuity()
            case Unsettled(reason):
                return Vacuity(unsettled=(unsettled_question("the promise's condition is ever met", reason),))
            case Never():
                what = "has the spans that the promise speaks of" if claim.antecedent == TRUE else "meets its condition"
                return Vacuity(perhaps=(f"none of the {self.where} {what}",))

    def rules(self) -> Vacuity:
        """Which rules, of the environment and of the policies, never fire; vacuous if none of a policy's that edits
        does."""
        written = self.written()
        waiting = dict(written)
        for turns in range(1, self.turns + 1):
            while waiting:
                asked = {rule: self.fires(turns, rule, owner) for rule, owner in waiting.items()}
                some = self.question(turns, "a rule fires", disjunction(tuple(asked.values())))
                match self.inquiry.ask(some):
                    case Seen(case):
                        waiting = {
                            rule: owner
                            for rule, owner in waiting.items()
                            if not breaks(self.question(turns, "it fires", asked[rule]), case)
                        }
                    case Never():
                        break
                    case Unsettled(reason):
                        named = ", ".join(f"`{rule.origin.text}`" for rule in waiting)
                        return Vacuity(unsettled=(unsettled_question(f"every rule can fire ({named})", reason),))
        mine = [rule for rule, owner in written.items() if owner in self.session.applied() and rule.edits]
        if all(rule in waiting for rule in mine):
            if all(self.changes_nothing(policy) for policy in self.session.applied()):
                return Vacuity(("no policy of the session changes anything in any window",))
            named = ", ".join(f"`{rule.origin.text}`" for rule in mine)
            return Vacuity(perhaps=(f"no rule of a policy that edits fires in {self.where}: {named}",))
        return Vacuity(notes=tuple(f"the rule `{rule.origin.text}` never fires in {self.where}" for rule in waiting))

    def changes_nothing(self, policy: Policy) -> bool:
        """Whether there is a proof that the policy leaves every window as it is."""
        window = Input(ASSUMED)
        claim = Claim((ASSUMED,), consequent=SameWindow(Pass(policy.name, "", window), window))
        question = replace(after(self.obligation, 1), claim=claim, witnesses=(), turns=None)
        return isinstance(prove(question, Work(PROOF * MILLION, self.inquiry.end)), Certificate)

    def written(self) -> dict[WrittenRule, Policy]:
        """What the user wrote, and which step's policy has it."""
        return {
            rule: policy
            for policy in written(self.session)
            for rule in rules(policy)
            if not all(books(self.session, s) for s in statements(policy.body) if s.site in rule.sites)
        }

    def fires(self, turns: int, rule: WrittenRule, owner: Policy) -> Expression:
        """The rule fires in one of so many turns."""
        windows = (window_after(after(self.obligation, turns), n, owner) for n in range(1, turns + 1))
        passes = (w for w in windows if isinstance(w, Pass))
        return disjunction(tuple(Fires(w, site) for w in passes for site in rule.sites))

    def history(self) -> Vacuity:
        """Vacuous if the promise is about what was evicted and nothing ever is, or about control spans and none is
        met."""
        read = {n.field for n in nodes(self.obligation.claim) if isinstance(n, Read)}
        reasons: list[str] = []
        unsettled: list[str] = []
        for about, text, condition in (
            ({EVICTED, RETURNED, THRASHED, EVICTIONS}, "nothing is ever evicted", _evicted),
            ({BINDING}, "no control span is ever met", _binding),
        ):
            if not read & about:
                continue
            asked = {
                k: self.question(k, text, condition(window_after(after(self.obligation, max(k, 1)), k)))
                for k in range(1, self.turns + 1)
            }
            match self.ever(asked):
                case Never():
                    reasons.append(f"{text} in {self.where}")
                case Unsettled(reason):
                    unsettled.append(unsettled_question(text, reason))
                case Seen():
                    pass
        return Vacuity(perhaps=tuple(reasons), unsettled=tuple(unsettled))

    def witnesses(self) -> Vacuity:
        reasons: list[str] = []
        unsettled: list[str] = []
        for number, witness in enumerate(self.obligation.witnesses):
            asked = {
                k: self.question(k, witness.absence, after(self.obligation, k).witnesses[number].condition)
                for k in range(least(self.obligation), self.turns + 1)
            }
            match self.ever(asked):
                case Never():
                    reasons.append(witness.absence)
                case Unsettled(reason):
                    unsettled.append(unsettled_question(f"it is so that {witness.absence}", reason))
                case Seen():
                    pass
        return Vacuity(perhaps=tuple(reasons), unsettled=tuple(unsettled))

    def trivial(self) -> Vacuity:
        """Whether policies that do nothing, and ones that drop everything, keep the promise too."""
        drop = Evict(0, "s", TRUE, logged=False, origin=Origin("evict s"))
        mine = self.session.applied()
        for body in ((), (drop,)):
            for turns in range(least(self.obligation), min(self.turns, TRIVIAL_TURNS) + 1):
                plain = after(self.obligation, turns)
                policies = tuple(replace(p, body=body, gates=()) if p in mine else p for p in plain.policies)
                asked = replace(plain, policies=policies, name=f"{plain.name}: a trivial policy", expect=None)
                if not isinstance(self.inquiry.solve(asked, TRIVIAL_SPANS), Never):
                    return Vacuity()
        return Vacuity(
            notes=(
                "in this session, policies that do nothing and that drop everything would keep this promise too: check "
                "it together with one they break",
            )
        )


def _evicted(window: WindowTerm) -> Expression:
    return Some("s", Known(window), Compare(">", Read("s", EVICTIONS, "int", Known(window)), Int(0)))


def _binding(window: WindowTerm) -> Expression:
    return Some("s", Known(window), Read("s", BINDING, "bool", Known(window)))
