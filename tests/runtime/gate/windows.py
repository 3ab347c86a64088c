"""A window of an agent's, and the terms on which edits of it are asked for, for the tests of the gate."""

from __future__ import annotations

from selfedit_formal.gate import Entry, MemoryLedger, PlainSpan, Terms

RULE = PlainSpan("C", "no_etc", "constraint", 12)
DUMP = PlainSpan("A", "describe_pod", "tool_output", 900)
WHY = PlainSpan("R", "dump_is_noise", "rationale", 140)
TRACE = PlainSpan("T", "trace", "tool_output", 60, {"justifies": ("S",)})
SOURCE = PlainSpan("S", "source", "tool_output", 300)

WINDOW = (RULE, DUMP, WHY, TRACE, SOURCE)


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
