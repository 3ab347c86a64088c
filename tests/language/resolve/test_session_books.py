"""The books of a session: what is noted before and after a policy, and that it is what was seen to happen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random
from zlib import crc32

import pytest

from selfedit_formal.core.expression import (
    TRUE,
    And,
    Name,
    Not,
    Or,
    SameSpan,
)
from selfedit_formal.core.policy import (
    Assign,
    Block,
    End,
    Insert,
    LetSet,
    Policy,
    Readmit,
    statements,
)
from selfedit_formal.core.property import ChoiceKey
from selfedit_formal.core.session import HISTORY, Session
from selfedit_formal.core.window import Value, Window, zero
from selfedit_formal.language.resolve import load_text, obligation
from selfedit_formal.semantics.interpreter import Domain, NoSuchRun, PassRecord, apply
from tests.language.resolve.core import flag, tagged
from tests.language.resolve.loops import noted, steps


def test_before_the_policy_the_session_notes_what_it_is_given() -> None:
    control = And((Not(flag("met")), Or((tagged("system"), flag("pinned")))))
    assert noted(steps("apply clear(3)")["loop.environment"]) == [
        (False, flag("evicted"), ("returned",)),
        (False, control, ("binding",)),
        (False, TRUE, ("met", "offered")),
    ]


def test_without_a_control_set_nothing_binds() -> None:
    text = (
        "window C { tag : a } policy p for C { evict s where s.tag == a } session loop of C { each turn { apply p } }"
    )
    found = load_text(text).sessions["loop"]
    assert [fields for _, _, fields in noted(found.steps[0].policy)] == [("returned",), ("met", "offered")]


def test_after_the_policy_it_notes_what_is_gone() -> None:
    record = steps("apply clear(3)")["loop.record"]
    assert noted(record) == [
        (True, And((flag("offered"), flag("evicted"))), ("thrashed",)),
        (True, flag("offered"), ("evicted", "evictions")),
        (False, flag("evicted"), ("returned",)),
        (False, flag("offered"), ("offered",)),
        (True, flag("offered"), ("offered",)),
    ]
    assert [s.site for s in statements(record.body)] == list(range(5))


def test_tombstones_and_ledger_in_the_window_are_a_span_each_that_covers_what_is_gone() -> None:
    stones = "tombstones in_window { tag = summary, tokens = 2 } ledger in_window { tag = assistant, not pinned }"
    body = steps("apply clear(3)", stones)["loop.record"].body
    gone, one, first, second = body[3:7]
    assert isinstance(gone, LetSet)
    assert (gone.archive, gone.condition) == (True, flag("offered"))
    for block, tag in ((first, "summary"), (second, "assistant")):
        assert isinstance(block, Block)
        assert block.condition == SameSpan(one.name, one.name)  # type: ignore[union-attr]
        (insert,) = block.body
        assert isinstance(insert, Insert)
        assert (insert.place, insert.covers, insert.may) == (End("back"), gone.name, False)
        assert insert.assignments[0] == Assign("tag", Name("enum", tag))


# ---------- what the books say, against what was seen to happen


SEEN = """
window Log {
  tag    : note | task | call | mark
  stale  : bool
  pinned : bool
  control s where s.tag == task or s.pinned
}
policy prune for Log {
  may evict s where s.tag in {call, note, mark}
  may readmit s where s.tag == call override
  may readmit s where s.tag == note
  may set s where s.pinned { not pinned }
  evict s where s.stale
}
policy fold for Log {
  refuse when no s: s.tag == task because "nothing to do"
  may summarize s where s.tag == note into { tag = note }
  gate control_unchanged
}
session loop of Log {
  each turn {
    arrive up to 2 s where s.tag in {call, task}
    may readmit s where s.tag in {call, note}
    may readmit s where s.tag == call override
    may evict s where s.tag == call
    apply prune
    may readmit s where s.tag == note
    apply fold
    may readmit s where s.tag == note
  }
  TOMBSTONES
}
"""
STORES = ("tombstones none", "tombstones sidecar", "tombstones in_window { tag = mark, not stale, not pinned }")


@dataclass
class Dice:
    """Answers drawn at random, mostly no."""

    random: Random

    def take(self, key: ChoiceKey, domain: Domain) -> Value:
        match domain.kind:
            case "bool":
                return self.random.random() < 0.4
            case "enum":
                return self.random.choice(domain.names)
            case _:
                return domain.default()


@dataclass
class Seen:
    """What a person who watches the passes would write down of each span."""

    past: dict[str, dict[str, Value]] = field(default_factory=dict)
    given: frozenset[str] = frozenset()

    def of(self, span: str) -> dict[str, Value]:
        return self.past.setdefault(span, {f.name: zero(f.kind) for f in HISTORY})

    def watch(self, policy: Policy, done: PassRecord) -> None:
        """The overrides of a pass: what they bring back is forgiven."""
        if done.refused is not None:
            return
        overrides = {s.site for s in statements(policy.body) if isinstance(s, Readmit) and s.override}
        for event in done.events:
            for span in event.spans if event.kind == "readmit" and event.site in overrides else ():
                self.of(span).update(evicted=False, returned=False)

    def returned(self, window: Window) -> None:
        for span in window.present():
            self.of(span.id)["returned"] = self.of(span.id)["returned"] or self.of(span.id)["evicted"]

    def offered(self, window: Window) -> None:
        """The window as a policy is given it."""
        self.returned(window)
        for span in window.present():
            past = self.of(span.id)
            if not past["met"]:
                past["binding"] = span["tag"] == "task" or span["pinned"]
            past["met"] = True
        self.given = frozenset(s.id for s in window.present())

    def left(self, window: Window) -> frozenset[str]:
        """The window as the policy left it: what of the given is gone."""
        gone = self.given & window.archived
        for span in gone:
            past = self.of(span)
            past["thrashed"] = past["thrashed"] or past["evicted"]
            past["evicted"] = True
            past["evictions"] = int(past["evictions"]) + 1
        self.returned(window)
        return gone


def as_seen(window: Window, seen: Seen) -> bool:
    return all({f.name: s[f.name] for f in HISTORY} == seen.of(s.id) for s in window.spans)


def watched(of: Session, dice: Dice, turns: int) -> Iterator[tuple[Window, Seen]]:
    """A session from the empty window, with what was seen after each turn."""
    window, seen, depths = Window(of.schema, ()), Seen(), Counter[str]()
    for _ in range(turns):
        for step in of.steps:
            depths[step.policy.name] += 1
            done = apply(step.policy, window, {}, {}, dice, depth=depths[step.policy.name])
            if step.policy.name.startswith("loop.record"):
                gone = seen.left(window)
                marks = {(b, a) for _, b, a in done.after.links if b not in {s.id for s in window.spans}}
                stands = of.tombstones == "in_window"
                assert {a for _, a in marks} == (gone if stands else frozenset())
                assert len({b for b, _ in marks}) == (stands and bool(gone))
            elif step.environment:
                seen.watch(step.policy, done)
                seen.returned(done.after)
                if step.policy.name != "loop.environment3":
                    seen.offered(done.after)
            else:
                seen.watch(step.policy, done)
            window = done.after
        yield window, seen


@pytest.mark.parametrize("store", STORES)
def test_the_books_say_what_was_seen_to_happen(store: str) -> None:
    of = load_text(SEEN.replace("TOMBSTONES", store)).sessions["loop"]
    found: set[str] = set()
    for seed in range(60):
        with suppress(NoSuchRun):
            for window, seen in watched(of, Dice(Random(seed)), 3):
                assert as_seen(window, seen), seed
                found |= {n for past in seen.past.values() for n, value in past.items() if value}
    silent = {"returned", "thrashed"} if store != STORES[1] else set()
    assert found == {"met", "binding", "evicted", "evictions"} | silent


@dataclass(frozen=True)
class Fixed:
    """Answers that hang on the question alone."""

    seed: int

    def take(self, key: ChoiceKey, domain: Domain) -> Value:
        return Dice(Random(crc32(repr((self.seed, key)).encode()))).take(key, domain)


def lived(of: Session, choices: Fixed, turns: int) -> Window:
    window, depths = Window(of.schema, ()), Counter[str]()
    for _ in range(turns):
        for step in of.steps:
            depths[step.policy.name] += 1
            window = apply(step.policy, window, {}, {}, choices, depth=depths[step.policy.name]).after
    return window


def test_books_kept_apart_say_the_same() -> None:
    text = f"{SEEN.replace('TOMBSTONES', STORES[2])}\nproperty alone(S: session) = always W: left_alone(S, 1, W) == W"
    found = obligation(load_text(text), "loop", "alone").turns
    assert found is not None
    together = load_text(text).sessions["loop"]
    assert len(found.session.steps) == len(together.steps) + 2
    compared = 0
    for seed in range(100):
        with suppress(NoSuchRun):
            window = lived(together, Fixed(seed), 3)
            assert lived(found.session, Fixed(seed), 3) == window
            compared += bool(window.archived)
    assert compared > 10
