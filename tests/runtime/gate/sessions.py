"""Sessions drawn at random: the same turns decided by the gate, and taken by the interpreter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from random import Random

from selfedit_formal.core.policy import LetSet, Policy, statements
from selfedit_formal.core.property import ChoiceKey, Obligation, run_key
from selfedit_formal.core.session import Session
from selfedit_formal.core.window import Value, Window
from selfedit_formal.gate import Apply, Control, Delete, Entry, MemoryLedger, PlainSpan, Readmit, Refuse, Terms, decide
from selfedit_formal.language.resolve import load_text, obligation
from selfedit_formal.runtime.gate.plan import Edit
from selfedit_formal.semantics.interpreter import Evaluation, Given, apply
from selfedit_formal.verifying.turns import after

SESSION = """
window Live {
  tag     : tool_output | ledger
  content : key
}
policy edit for Live {
  may readmit s where true
  may readmit s where true override
  may evict s where true
}
session live of Live {
  each turn {
    may readmit s where true
    may readmit s where true override
    apply edit
  }
  tombstones TOMBSTONES
  ledger LEDGER
}
window w of live = [
"""
OVER_TURNS = ("no_thrash", "no_silent_readmission", "ledger_outside")
"""The rules whose promise, of the same name, is about sessions."""
NAMES = ("A", "B", "C", "D")
TURNS = 4
SPANS = {name: PlainSpan(name, f"k{name}", "tool_output") for name in NAMES}
IN_WINDOW = "in_window { tag = ledger, content = none }"

CONTROL = Control(tags=frozenset(), outside=frozenset({"policy"}))

Choices = Mapping[ChoiceKey, Value]


@dataclass(frozen=True, repr=False)
class Turn:
    """A turn as the gate decided it.

    The choices are those of all turns so far, without what the gate refused in earlier ones: `before` without the plan
    of this turn, `proposed` with it; `everything` is `proposed` with what was refused, too.
    """

    number: int
    decision: Apply[PlainSpan] | Refuse[PlainSpan]
    before: Choices
    proposed: Choices
    everything: Choices

    @property
    def objections(self) -> dict[str, set[str]]:
        """The spans concerned, by the rule that was broken."""
        return {o.rule: set(o.spans) for o in self.decision.objections} if isinstance(self.decision, Refuse) else {}


@dataclass(frozen=True, repr=False)
class Live:
    """The session, the window that it starts from, and what is asked of it, by promise."""

    session: Session
    window: Window
    asked: Mapping[str, Obligation]

    def breaking(self, promise: str, turns: int, choices: Choices) -> set[str]:
        """The spans of which the promise is broken after so many turns, as the interpreter says; none if it is kept."""
        asked = after(self.asked[promise], turns)
        (start,), (bound,) = asked.claim.inputs, asked.claim.bound
        evaluation = Evaluation(asked, {start: self.window}, {}, {}, Given(choices))
        assert evaluation.truth(asked.claim.premise)
        return {
            span
            for span in evaluation.present(bound.window)
            if evaluation.truth(asked.claim.antecedent, {bound.variable: span})
            and not evaluation.truth(asked.claim.consequent, {bound.variable: span})
        }

    def reached(self, turns: int, choices: Choices, steps: int | None = None) -> Window:
        """The window after so many turns, or after so many steps of the last."""
        window = self.window
        for number in range(1, turns + 1):
            for step in self.session.steps[: steps if number == turns else None]:
                window = apply(step.policy, window, {}, {}, Given(choices), depth=number).after
        return window


def live(tombstones: str, ledger: str) -> Live:
    """The session with its tombstones and its ledger in these places."""
    spans = "".join(f"  {s.id}: {s.tag} {{ content = {s.content} }}\n" for s in SPANS.values())
    module = load_text(SESSION.replace("TOMBSTONES", tombstones).replace("LEDGER", ledger) + spans + "]\n")
    return Live(module.sessions["live"], module.windows["w"], {p: obligation(module, "live", p) for p in OVER_TURNS})


def there(window: Window) -> list[str]:
    """The spans in the window, oldest first."""
    return [s.id for s in window.present()]


def played(of: Live, seed: int, *, most: int, around: bool, ledger: MemoryLedger) -> Iterator[Turn]:
    """A few turns, each with a plan of up to so many edits; `around`: content may come back without an override.

    Overrides are only given for what is gone: in a session they bring something back, and to the gate's ledger it does
    not matter where the span is. One that was given stands until the span is evicted again.
    """
    chance = Random(seed)
    environment, edit, _ = (step.policy for step in of.session.steps)
    left: dict[ChoiceKey, Value] = {}
    everything: dict[ChoiceKey, Value] = {}
    lifted: set[str] = set()
    for number in range(1, TURNS + 1):
        gone = sorted(of.reached(number - 1, left).archived)
        for span in gone:
            if span not in lifted and chance.random() < 0.3:
                lifted.add(span)
                ledger.append([Entry("override", span, SPANS[span].content, "needed again", number)])
        back = [s for s in gone if (around or s in lifted) and chance.random() < 0.3]
        before = {**left, **chosen(environment, number, back, lifted)}
        start = of.reached(number, before, 1)
        touched = chance.sample(NAMES, chance.randint(1, most))
        edits = chosen(edit, number, touched, lifted, frozenset(there(start)))
        proposed = {**before, **edits}
        end = of.reached(number, proposed, 2)
        decision = decide(
            [SPANS[s] for s in there(start)],
            Terms(number, "not needed", ledger, control=CONTROL, tombstones=ledger),
            plan=plan(there(start), there(end)),
        )
        left = before
        if isinstance(decision, Apply):
            assert [s.id for s in decision.window] == there(end)
            left = proposed
            lifted -= end.archived & set(touched)
        everything = {**everything, **proposed}
        yield Turn(number, decision, before, proposed, everything)


def chosen(
    policy: Policy, turn: int, spans: list[str], lifted: set[str], present: frozenset[str] = frozenset()
) -> dict[ChoiceKey, Value]:
    """The choices of a pass that evicts those of the spans that are present, and brings the others back."""
    silent, override, *evict = (s.site for s in statements(policy.body) if isinstance(s, LetSet) and s.may)
    sites = {s: evict[0] if s in present else override if s in lifted else silent for s in spans}
    return {ChoiceKey(run_key(policy.name, "", turn), site, span, ""): True for span, site in sites.items()}


def plan(before: list[str], after: list[str]) -> list[Edit[PlainSpan]]:
    """The plan that makes the one window of the other: what comes back stands where it stood."""
    edits: list[Edit[PlainSpan]] = []
    for here, following in reversed(list(pairwise((*after, "")))):
        if here not in before:
            span = SPANS[here]
            edits.append(Readmit(span, "before", following) if following else Readmit(span))
    return edits + [Delete(s) for s in before if s not in after]
