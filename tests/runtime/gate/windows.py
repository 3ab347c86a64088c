"""A window of an agent's, the terms on which its edits are asked for, and what becomes of them, for the tests."""

from __future__ import annotations

from collections.abc import Sequence

from selfedit_formal.gate import (
    Apply,
    Delete,
    Entry,
    MemoryLedger,
    Objection,
    PlainSpan,
    Refuse,
    Terms,
    decide,
)
from selfedit_formal.runtime.gate.plan import Edit

RULE = PlainSpan("C", "no_etc", "constraint", 12)
DUMP = PlainSpan("A", "describe_pod", "tool_output", 900)
WHY = PlainSpan("R", "dump_is_noise", "rationale", 140)
TRACE = PlainSpan("T", "trace", "tool_output", 60, {"justifies": ("S",)})
SOURCE = PlainSpan("S", "source", "tool_output", 300)

WINDOW = (RULE, DUMP, WHY, TRACE, SOURCE)

DROP = (Delete("A"),)
"""A plan that nothing is wrong with."""

SCORED = {"A": 0.1, "T": 0.4, "S": 0.3}
"""Scores of everything in the window that neither binds the agent nor gives reasons."""


class InWindow(MemoryLedger):
    """A ledger that is kept where the editor edits."""

    outside = False


def asked(**how: object) -> Terms:
    """Terms that nothing is wrong with, but for what is said."""
    given: dict[str, object] = {"turn": 41, "reason": "stale dump", "ledger": MemoryLedger(), **how}
    return Terms(**given)  # type: ignore[arg-type]


def pruned(*spans: PlainSpan, lifted: bool = False) -> MemoryLedger:
    """A ledger in which these spans were pruned at turn 40, and perhaps overridden."""
    ledger = MemoryLedger()
    ledger.append([Entry("evict", s.id, s.content, "stale", 40) for s in spans])
    if lifted:
        ledger.append([Entry("override", "", s.content, "asked for", 40) for s in spans])
    return ledger


def objections(
    plan: Sequence[Edit[PlainSpan]], terms: Terms, window: tuple[PlainSpan, ...] = WINDOW
) -> list[Objection]:
    """What the rules have against the plan, by name: the same when asked again, and the window is as it was."""
    first, second = (decide(window, terms, plan=plan) for _ in range(2))
    assert isinstance(first, Refuse)
    assert isinstance(second, Refuse)
    assert first.objections == second.objections
    assert first.window is window
    return list(first.objections)


def objection(
    rule: str, plan: Sequence[Edit[PlainSpan]], terms: Terms, window: tuple[PlainSpan, ...] = WINDOW
) -> Objection:
    """What this rule has against the plan; others may have something against it, too."""
    (found,) = [o for o in objections(plan, terms, window) if o.rule == rule]
    return found


def applied(plan: Sequence[Edit[PlainSpan]], terms: Terms, window: tuple[PlainSpan, ...] = WINDOW) -> list[str]:
    """The ids in the window that comes of a plan to which no rule objects."""
    done = decide(window, terms, plan=plan)
    assert isinstance(done, Apply), done.objections
    return [s.id for s in done.window]
