"""Each rule on one window that it refuses, and on one like it that it lets through."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from selfedit_formal.gate import (
    Apply,
    Control,
    Delete,
    Entry,
    MemoryLedger,
    Merge,
    Move,
    PlainSpan,
    Readmit,
    Refuse,
    Rewrite,
    Scoring,
    Terms,
    decide,
    rules,
)
from selfedit_formal.runtime.gate.plan import Edit
from tests.runtime.gate.windows import DUMP, RULE, SOURCE, TRACE, WHY, WINDOW, asked, pruned

FOLDER = Path(__file__).parents[3] / "selfedit_formal" / "runtime" / "gate" / "rules"

SHORTER = replace(RULE, content="avoid_system_config")
SCORED = {"A": 0.1, "T": 0.4, "S": 0.3}


class InWindow(MemoryLedger):
    """A ledger that is kept where the editor edits."""

    outside = False


@dataclass(frozen=True)
class Example:
    """An edit that breaks the rule, naming these spans, and one like it that keeps it."""

    rule: str
    plan: Sequence[Edit[PlainSpan]]
    terms: Terms
    spans: tuple[str, ...]
    mended_plan: Sequence[Edit[PlainSpan]]
    mended_terms: Terms
    window: tuple[PlainSpan, ...] = WINDOW


def frozen(policy: str) -> MemoryLedger:
    """A ledger in which this policy was frozen at turn 40."""
    ledger = MemoryLedger()
    ledger.append([Entry("refuse", "A", DUMP.content, "idempotent: it goes on", 40, policy)])
    return ledger


def merged() -> MemoryLedger:
    """A ledger in which the dump was merged into a note, that note pruned, and the dump asked for again."""
    ledger = MemoryLedger()
    ledger.append([Entry("merge", "A", DUMP.content, "condensed", 38, "M"), Entry("evict", "M", "both", "stale", 39)])
    ledger.append([Entry("override", "", DUMP.content, "asked for", 40)])
    return ledger


DROP = [Delete("A")]
TOMB = PlainSpan("X", "describe_pod", "tombstone", 3)
SEQUENCE = (
    RULE,
    PlainSpan("P", "before", "note", 5, {"precedes": ("Q",)}),
    PlainSpan("Q", "after", "note", 5),
    PlainSpan("N", "aside", "note", 5),
    PlainSpan("O", "aside_too", "note", 5),
)
BOTH = PlainSpan("M", "both", "summary", 4)
QUOTING = (RULE, DUMP, replace(WHY, links={"overlaps": ("A",)}))
CLAIM = PlainSpan("K", "claim", "note", 9)
CHAIN = (
    RULE,
    PlainSpan("G", "task", "task", 9, {"justifies": ("J",)}),
    PlainSpan("J", "finding", "note", 9, {"justifies": ("K",)}),
    PlainSpan("L", "rumour", "note", 9, {"justifies": ("K",)}),
    CLAIM,
)

EXAMPLES = [
    Example("authorised", DROP, asked(authorised=False), (), DROP, asked()),
    Example("plan_fits", [Delete("Z")], asked(), ("Z",), DROP, asked()),
    Example(
        "keeps_rationale",
        [Delete("A"), Delete("R")],
        asked(rationale=frozenset("R")),
        ("R",),
        DROP,
        asked(rationale=frozenset("R")),
    ),
    Example("overlap_kept", DROP, asked(rationale=frozenset("R")), ("A",), DROP, asked(), QUOTING),
    Example("control_unchanged", [Rewrite("C", SHORTER)], asked(), ("C",), [Move(("C",), "back")], asked()),
    Example(
        "control_unscored",
        DROP,
        asked(scoring=Scoring({**SCORED, "C": 0.0})),
        ("C",),
        DROP,
        asked(scoring=Scoring(SCORED)),
    ),
    Example(
        "no_silent_readmission",
        [Readmit(DUMP)],
        asked(ledger=pruned(DUMP)),
        ("A",),
        [Readmit(DUMP)],
        asked(ledger=pruned(DUMP, lifted=True)),
        (RULE, WHY),
    ),
    Example("no_thrash", DROP, asked(ledger=pruned(DUMP)), ("A",), DROP, asked(ledger=pruned(DUMP, lifted=True))),
    Example("ledger_outside", DROP, asked(tombstones=InWindow()), (), DROP, asked(tombstones=MemoryLedger())),
    Example("tombstones_stay", [Delete("X")], asked(), ("X",), [Delete("T"), Delete("S")], asked(), (*WINDOW, TOMB)),
    Example("reason_given", DROP, asked(reason="stale\nand long"), (), DROP, asked(reason="stale and long")),
    Example(
        "own_output",
        DROP,
        asked(scoring=Scoring(SCORED, own=frozenset("S"))),
        ("S",),
        DROP,
        asked(scoring=Scoring(SCORED, own=frozenset("S")), ledger=pruned(SOURCE)),
    ),
    Example(
        "control_disjoint", DROP, asked(candidates=frozenset("AC")), ("C",), DROP, asked(candidates=frozenset("A"))
    ),
    Example(
        "grounded",
        DROP,
        asked(control=Control(tags=frozenset())),
        (),
        DROP,
        asked(control=Control(tags=frozenset(), outside=frozenset({"policy"}))),
    ),
    Example("audited", DROP, asked(ledger=InWindow()), ("A",), DROP, asked()),
    Example(
        "self_scoring",
        DROP,
        asked(scoring=Scoring(SCORED, feeds_back=True)),
        (),
        DROP,
        asked(scoring=Scoring(SCORED)),
    ),
    Example(
        "transactional",
        DROP,
        asked(scoring=Scoring({**SCORED, "R": 0.1}, depends={"R": ("A",)})),
        ("A", "R"),
        [Delete("A"), Delete("R")],
        asked(scoring=Scoring({**SCORED, "R": 0.1}, depends={"R": ("A",)})),
    ),
    Example(
        "external_score",
        DROP,
        asked(scoring=Scoring({**SCORED, "A": None})),
        ("A",),
        DROP,
        asked(scoring=Scoring(SCORED)),
    ),
    Example(
        "frozen",
        DROP,
        asked(policy="judge", ledger=frozen("judge")),
        (),
        DROP,
        asked(policy="judge/2", ledger=frozen("judge")),
    ),
    Example("recoverable", DROP, asked(recoverable={"trace"}), ("A",), DROP, asked(recoverable={"describe_pod"})),
    Example(
        "reason_stands",
        [Readmit(DUMP)],
        asked(ledger=merged(), rationale=frozenset("M")),
        ("A",),
        [Readmit(DUMP)],
        asked(ledger=merged(), rationale=frozenset("R")),
        (RULE, WHY),
    ),
    Example("justified", [Delete("T")], asked(), ("S",), [Delete("T"), Delete("S")], asked()),
    Example(
        "rooted",
        [Delete("J")],
        asked(ground=frozenset({"task"})),
        ("K",),
        [Delete("L")],
        asked(ground=frozenset({"task"})),
        CHAIN,
    ),
    Example(
        "order_kept",
        [Move(("A",), "back")],
        asked(),
        ("A",),
        [Move(("A",), "back")],
        asked(order_free=frozenset({"tool_output"})),
        (RULE, DUMP, WHY, TRACE),
    ),
    Example(
        "sequence_survives",
        [Merge(("P", "Q"), BOTH)],
        asked(),
        ("P", "Q"),
        [Merge(("N", "O"), BOTH)],
        asked(),
        SEQUENCE,
    ),
    Example(
        "sequence_survives",
        [Merge(("N", "T"), BOTH)],
        asked(),
        ("T",),
        [Merge(("T", "S"), BOTH)],
        asked(),
        (*SEQUENCE[3:4], *WINDOW),
    ),
]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: e.rule)
def test_a_rule_refuses_what_breaks_it_and_lets_the_rest_through(example: Example) -> None:
    refused = decide(example.window, example.terms, plan=example.plan)
    assert isinstance(refused, Refuse)
    (objection,) = [o for o in refused.objections if o.rule == example.rule]
    assert objection.spans == example.spans
    assert refused.window is example.window
    again = decide(example.window, example.terms, plan=example.plan)
    assert isinstance(again, Refuse)
    assert example.rule in {o.rule for o in again.objections}
    mended = decide(example.window, example.mended_terms, plan=example.mended_plan)
    assert isinstance(mended, Apply), mended.objections


def changing(spans: Sequence[PlainSpan]) -> list[PlainSpan]:
    """Drops the first tool output, whichever it is."""
    victim = next((s for s in spans if s.tag == "tool_output"), None)
    return [s for s in spans if s is not victim]


def test_a_policy_that_changes_its_own_output_is_refused() -> None:
    refused = decide(WINDOW, asked(), policy=changing)
    assert isinstance(refused, Refuse)
    assert [(o.rule, o.spans) for o in refused.objections] == [("idempotent", ("T",))]


def test_a_policy_that_leaves_its_own_output_alone_is_applied() -> None:
    done = decide(WINDOW, asked(), policy=lambda spans: [s for s in spans if s.content != "describe_pod"])
    assert isinstance(done, Apply)
    assert done.window == tuple(s for s in WINDOW if s is not DUMP)


def test_a_policy_that_answers_the_same_window_in_two_ways_is_not_pure() -> None:
    answers = iter([WINDOW, WINDOW, tuple(s for s in WINDOW if s is not WHY)])
    refused = decide(WINDOW, asked(), policy=lambda _: next(answers))
    assert isinstance(refused, Refuse)
    assert {o.rule for o in refused.objections} == {"idempotent", "pure"}


def test_one_trial_does_not_see_an_answer_at_random() -> None:
    answers = iter([WINDOW, WINDOW, ()])
    assert isinstance(decide(WINDOW, asked(), policy=lambda _: next(answers), trials=1), Apply)


@dataclass
class Loose:
    """A span that can be changed in place."""

    id: str
    content: str
    tag: str
    tokens: int
    links: dict[str, tuple[str, ...]]


def test_a_policy_that_changes_spans_in_place_is_found_out() -> None:
    window = [Loose("A", "a", "tool_output", 1, {}), Loose("C", "c", "constraint", 1, {})]

    def shorten(spans: Sequence[Loose]) -> Sequence[Loose]:
        spans[0].content = "shorter"
        return spans

    refused = decide(window, asked(), policy=shorten)
    assert isinstance(refused, Refuse)
    assert [(o.rule, o.spans) for o in refused.objections] == [("snapshot", ("A",))]


def test_every_rule_has_an_example_here() -> None:
    assert {e.rule for e in EXAMPLES} | {"idempotent", "pure", "snapshot"} == {r.name for r in rules()}


def test_every_file_of_the_folder_is_a_rule() -> None:
    assert {r.name for r in rules()} == {p.stem for p in FOLDER.glob("*.py")} - {"__init__"}


def test_every_rule_has_its_sentence() -> None:
    assert all(r.sentence.endswith(".") for r in rules())
    assert {r.record for r in rules()} == {"R0", "R1", "R2"}
