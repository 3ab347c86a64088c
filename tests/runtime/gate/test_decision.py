"""The door: what is handed out, what is recorded, and what happens when somebody else was faster."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace

import pytest

from selfedit_formal.gate import (
    Apply,
    Delete,
    Entry,
    MemoryLedger,
    Merge,
    Overtaken,
    PlainSpan,
    Readmit,
    Receipt,
    Refuse,
    Rewrite,
    Unwritten,
    content_key,
    decide,
    digest,
    override,
)
from selfedit_formal.runtime.gate.proposal import records
from tests.runtime.gate.windows import DUMP, RULE, SOURCE, TRACE, WHY, WINDOW, asked, pruned


def test_an_applied_edit_is_in_the_ledger_with_span_content_reason_turn_and_kind() -> None:
    ledger = MemoryLedger()
    done = decide(WINDOW, asked(ledger=ledger), plan=[Delete("A")])
    assert isinstance(done, Apply)
    assert done.window == (RULE, WHY, TRACE, SOURCE)
    assert list(ledger.entries()) == [Entry("evict", "A", "describe_pod", "stale dump", 41)]
    assert done.receipt == ledger.head()


def test_merges_and_rewrites_say_what_became_of_a_span() -> None:
    done = decide(
        WINDOW,
        asked(),
        plan=[
            Merge(("A", "R"), PlainSpan("M", "both", "summary", 9)),
            Rewrite("T", PlainSpan("T", "short", "tool_output", 9, {"justifies": ("S",)})),
        ],
    )
    assert isinstance(done, Apply)
    assert [(e.kind, e.span, e.into) for e in done.recorded] == [
        ("merge", "A", "M"),
        ("merge", "R", "M"),
        ("rewrite", "T", "short"),
    ]
    assert [s.id for s in done.window] == ["C", "M", "T", "S"]


def test_what_is_rewritten_to_nothing_is_evicted() -> None:
    ledger = MemoryLedger()
    for nothing in (replace(DUMP, content=content_key("")), replace(DUMP, content="gone", tokens=0)):
        done = decide(WINDOW, asked(ledger=ledger), plan=[Rewrite("A", nothing)])
        assert isinstance(done, Apply)
        assert [(e.kind, e.span, e.content) for e in done.recorded] == [("evict", "A", "describe_pod")]
        assert "describe_pod" in ledger.tombstones(["describe_pod"])
        again = decide(WINDOW, asked(ledger=ledger), plan=[Rewrite("A", nothing)])
        assert isinstance(again, Refuse)
        assert [o.rule for o in again.objections] == ["no_thrash"]
        override(asked(ledger=ledger), ["describe_pod"])


def test_other_links_are_a_rewrite_and_recorded_as_one() -> None:
    pointing = replace(WHY, links={"overlaps": ("A",)})
    done = decide(WINDOW, asked(), output=[pointing if s is WHY else s for s in WINDOW])
    assert isinstance(done, Apply)
    assert [(e.kind, e.span) for e in done.recorded] == [("rewrite", "R")]


@dataclass
class Loose:
    """A span whose links its owner can change."""

    id: str
    content: str
    tag: str
    tokens: int
    links: dict[str, list[str]]


def test_links_that_a_policy_clears_in_place_are_found_out() -> None:
    window = [Loose("C", "no_etc", "constraint", 9, {}), Loose("T", "trace", "note", 9, {"justifies": ["S"]})]
    window.append(Loose("S", "source", "note", 9, {}))

    def forgetful(spans: Sequence[Loose]) -> Sequence[Loose]:
        for span in spans:
            span.links.clear()
        return [s for s in spans if s.id != "T"]

    done = decide(window, asked(), policy=forgetful)
    assert isinstance(done, Refuse)
    assert [(o.rule, o.spans) for o in done.objections] == [("snapshot", ("T",))]


def test_the_system_prompt_binds_without_being_named() -> None:
    prompt = PlainSpan("P", "you are careful", "system", 40)
    for plan in ([Delete("P")], [Rewrite("P", replace(prompt, content="you are quick"))], [Merge(("P", "R"), WHY)]):
        done = decide((prompt, DUMP, WHY), asked(), plan=plan)
        assert isinstance(done, Refuse)
        assert "control_unchanged" in {o.rule for o in done.objections}


def test_what_stays_in_another_span_leaves_no_tombstone() -> None:
    twin = PlainSpan("B", "describe_pod", "tool_output", 900)
    ledger = MemoryLedger()
    done = decide((RULE, DUMP, twin), asked(ledger=ledger), plan=[Delete("A")])
    assert isinstance(done, Apply)
    assert done.recorded[0].into == "B"
    assert isinstance(decide(done.window, asked(ledger=ledger), plan=[Delete("B")]), Apply)


def test_an_edit_that_changes_nothing_is_applied_and_not_recorded() -> None:
    done = decide(WINDOW, asked(ledger=None), output=WINDOW)
    assert isinstance(done, Apply)
    assert done == Apply(WINDOW, digest(records(WINDOW).items()))


def test_what_was_pruned_comes_back_after_an_override_and_may_be_pruned_once_more() -> None:
    ledger = pruned(DUMP)
    rest = (RULE, WHY)
    assert isinstance(decide(rest, asked(ledger=ledger), plan=[Readmit(DUMP)]), Refuse)
    override(asked(ledger=ledger, reason="the user asks for it"), ["describe_pod"])
    back = decide(rest, asked(ledger=ledger), plan=[Readmit(DUMP)])
    assert isinstance(back, Apply)
    assert [e.kind for e in back.recorded] == ["readmit"]
    gone = decide(back.window, asked(ledger=ledger), plan=[Delete("A")])
    assert isinstance(gone, Apply)
    assert isinstance(decide(gone.window, asked(ledger=ledger), plan=[Readmit(DUMP)]), Refuse)


def test_a_refusal_names_every_rule_and_is_recorded_and_can_be_sent_to_the_supervisor() -> None:
    ledger = MemoryLedger()
    plan = [Delete("A"), Delete("R"), Delete("C")]
    refused = decide(WINDOW, asked(ledger=ledger, rationale=frozenset("R")), plan=plan)
    assert isinstance(refused, Refuse)
    assert refused.window is WINDOW
    assert [o.rule for o in refused.objections] == ["control_disjoint", "control_unchanged", "keeps_rationale"]
    assert [(e.kind, e.span, e.reason.split(":")[0]) for e in ledger.entries()] == [
        ("refuse", "C", "control_disjoint"),
        ("refuse", "C", "control_unchanged"),
        ("refuse", "R", "keeps_rationale"),
    ]
    assert refused.receipt == ledger.head()
    message = json.loads(json.dumps(refused.message()))
    assert message["plan"] == [{"edit": "delete", "span": s} for s in "ARC"]
    assert message["changes"]["remove"] == ["C", "A", "R"]
    assert message["objections"][2]["sentence"] == "The plan must not delete the reasoning that produced it."


def test_a_refusal_leaves_no_tombstone() -> None:
    ledger = MemoryLedger()
    decide(WINDOW, asked(ledger=ledger), plan=[Delete("T")])
    assert not ledger.tombstones(["trace"])


def endless(spans: Sequence[PlainSpan]) -> list[PlainSpan]:
    """Drops whatever comes last, each time."""
    return list(spans[:-1])


def never(spans: Sequence[PlainSpan]) -> list[PlainSpan]:
    """Must not be asked."""
    raise AssertionError("a frozen policy was run")


def test_a_policy_that_changes_its_own_output_is_frozen_until_another_one_is_supplied() -> None:
    ledger = MemoryLedger()
    first = decide(WINDOW, asked(ledger=ledger, policy="judge"), policy=endless)
    assert isinstance(first, Refuse)
    assert {o.rule: o.freezes for o in first.objections} == {"idempotent": True}
    second = decide(WINDOW, asked(ledger=ledger, policy="judge", turn=42), policy=never)
    assert isinstance(second, Refuse)
    assert [o.rule for o in second.objections] == ["frozen"]
    assert "frozen at turn 41 (idempotent: " in second.objections[0].what
    assert isinstance(decide(WINDOW, asked(ledger=ledger, policy="judge/2"), policy=lambda w: w), Apply)
    assert isinstance(decide(WINDOW, asked(ledger=ledger), policy=lambda w: w), Apply)


def test_a_refusal_over_one_edit_freezes_nothing() -> None:
    ledger = MemoryLedger()
    assert isinstance(decide(WINDOW, asked(ledger=ledger, policy="judge"), plan=[Delete("T")]), Refuse)
    assert isinstance(decide(WINDOW, asked(ledger=ledger, policy="judge"), plan=[Delete("A")]), Apply)


def test_a_refusal_says_what_the_ledger_has_of_the_spans_concerned_and_of_those_they_want() -> None:
    ledger = MemoryLedger()
    shorter = PlainSpan("T", "shorter", "tool_output", 20, TRACE.links)
    done = decide(WINDOW, asked(ledger=ledger, turn=40, reason="too long"), plan=[Rewrite("T", shorter)])
    assert isinstance(done, Apply)
    refused = decide(done.window, asked(ledger=ledger), plan=[Delete("T")])
    assert isinstance(refused, Refuse)
    (objection,) = refused.objections
    assert (objection.rule, objection.spans, objection.lost) == ("justified", ("S",), ("T",))
    assert refused.history == {"T": Entry("rewrite", "T", "trace", "too long", 40, "shorter")}
    assert refused.message()["history"] == {
        "T": {"kind": "rewrite", "reason": "too long", "turn": 40, "into": "shorter"}
    }


class Busy(MemoryLedger):
    """Somebody else prunes the dump just before the first append."""

    def __init__(self) -> None:
        super().__init__()
        self.others = [Entry("evict", "A2", "describe_pod", "stale", 40)]

    def append(self, entries: Sequence[Entry], after: Receipt | None = None) -> Receipt:
        while self.others:
            super().append([self.others.pop()])
        return super().append(entries, after)


def test_what_somebody_else_recorded_meanwhile_is_taken_into_account() -> None:
    with pytest.raises(Overtaken):
        Busy().append([], after=MemoryLedger().head())
    refused = decide(WINDOW, asked(ledger=Busy()), plan=[Delete("A")])
    assert isinstance(refused, Refuse)
    assert [o.rule for o in refused.objections] == ["no_thrash"]


class Full(MemoryLedger):
    """Cannot be written to."""

    def append(self, entries: Sequence[Entry], after: Receipt | None = None) -> Receipt:
        raise Unwritten("the disk is full")


def test_an_edit_that_cannot_be_recorded_is_refused() -> None:
    refused = decide(WINDOW, asked(ledger=Full()), plan=[Delete("A")])
    assert isinstance(refused, Refuse)
    assert refused.window is WINDOW
    assert [o.what for o in refused.objections] == ["the ledger cannot be used: the disk is full"]
    assert isinstance(decide(WINDOW, asked(ledger=Full()), plan=[Delete("C")]), Refuse)


def test_what_the_caller_got_wrong_is_an_error() -> None:
    with pytest.raises(ValueError, match="same id: A"):
        decide((*WINDOW, DUMP), asked(), plan=[])
    with pytest.raises(ValueError, match="an edit is"):
        decide(WINDOW, asked())
    with pytest.raises(ValueError, match="an edit is"):
        decide(WINDOW, asked(), plan=[], output=WINDOW)
    with pytest.raises(ValueError, match="at least once"):
        decide(WINDOW, asked(), policy=lambda w: w, trials=0)
    with pytest.raises(ValueError, match="name"):
        decide(WINDOW, asked(policy="\0"), plan=[])
    with pytest.raises(ValueError, match="ledger"):
        override(asked(ledger=None), ["describe_pod"])


def test_without_docstrings_the_rules_still_refuse() -> None:
    program = (
        "from selfedit_formal.gate import *\n"
        "made = decide([PlainSpan('C', 'c', 'constraint')], Terms(1, 'why', MemoryLedger()), plan=[Delete('C')])\n"
        "if type(made) is not Refuse or made.objections[0].sentence: raise SystemExit(1)\n"
    )
    subprocess.run([sys.executable, "-OO", "-c", program], check=True)


def test_what_is_no_span_or_no_edit_is_told() -> None:
    given = {"id": "A", "content": "a", "tag": "note", "tokens": 1}
    told = "a span has `id`, `content`, `tag`, `tokens`, `links`, and this `dict` has no `id`.*`PlainSpan`"
    with pytest.raises(TypeError, match=told):
        decide([given], asked(), plan=[Delete("A")])  # type: ignore[type-var]
    with pytest.raises(TypeError, match=told):
        decide(WINDOW, asked(), output=[given])  # type: ignore[type-var]
    with pytest.raises(TypeError, match=r"a plan has edits such as `Delete\(\"A\"\)`, not {'delete': 'A'}"):
        decide(WINDOW, asked(), plan=[{"delete": "A"}])  # type: ignore[list-item]
