"""The functions of promises of sessions: turns, tombstones, entries, and where the ledger is."""

from __future__ import annotations

import pytest

from selfedit_formal.core.expression import (
    FALSE,
    And,
    Bool,
    Compare,
    Count,
    Expression,
    Input,
    Int,
    Linked,
    Not,
    Read,
    SameWindow,
    Some,
)
from selfedit_formal.language.resolve import load_text
from tests.language.resolve.core import (
    mistake,
    tagged,
)
from tests.language.resolve.loops import APPLY, CLEAR, noted, promised, steps, turned

W = Input("W")


def test_turns_of_a_promise_are_passes() -> None:
    whole = ("loop.environment", "clear", "loop.record")
    assert promised("always W: S^2(W) == S(W)").claim.consequent == SameWindow(
        turned(W, *whole, *whole), turned(W, *whole)
    )
    assert promised("always W: S^0(W) == W").claim.consequent == SameWindow(W, W)


def test_left_alone_the_books_are_kept_and_nothing_else_is_done() -> None:
    found = promised("always W: left_alone(S, 1, W) == W", "each turn { arrive s where s.pinned apply clear(3) }")
    assert found.claim.consequent == SameWindow(turned(W, "loop.offer", "clear", "loop.record"), W)
    assert found.turns is not None
    together = [*found.turns.session.steps]
    assert [s.environment for s in together] == [True, False, False, False]
    assert noted(together[1].policy) == noted(steps("apply clear(3)")["loop.environment"])
    assert noted(together[0].policy) == []
    assert found.policies[0].name == "clear"


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ("", FALSE),
        ("tombstones sidecar", Compare(">", Read("s", "evictions", "int", W), Int(0))),
        (
            "tombstones in_window { tag = summary }",
            Some("t", W, And((tagged("summary", "t", W), Linked("covers", "t", "s", W)))),
        ),
    ],
)
def test_a_tombstone_stands_where_they_live(members: str, expected: Expression) -> None:
    found = promised("always W, s in known(W): tombstone(S, s, W)", f"{APPLY} {members}")
    assert found.claim.consequent == expected


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ("", Int(0)),
        ("ledger sidecar", Read("s", "evictions", "int", W)),
        (
            "ledger in_window { tag = summary }",
            Count("t", W, And((tagged("summary", "t", W), Linked("covers", "t", "s", W)))),
        ),
    ],
)
def test_the_entries_about_a_span_are_counted_where_they_live(members: str, expected: Expression) -> None:
    found = promised("always W, s in known(W): entries(S, s, W) == 1", f"{APPLY} {members}")
    assert found.claim.consequent == Compare("==", expected, Int(1))


@pytest.mark.parametrize("store", ["none", "sidecar", "in_window { tag = summary }"])
def test_the_ledger_is_outside_in_a_sidecar_alone(store: str) -> None:
    found = promised("always W: outside(S)", f"{APPLY} ledger {store}")
    assert found.claim.consequent == Bool(store == "sidecar")


def test_a_known_span_is_of_the_control_set_if_it_is_in_the_window() -> None:
    text = """window C { tag : a | b control s where no t: t before s }
policy p for C { evict s where s.tag == a }
session loop of C { each turn { apply p } }
check loop: control_survives"""
    (found,) = load_text(text).obligations
    assert isinstance(found.claim.consequent, And)
    (quantifier,) = (i.item for i in found.claim.consequent.items if isinstance(i, Not))
    assert isinstance(quantifier, Some)
    assert quantifier.window == W


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "property q(S: session) = always W: S'(W) == W",
            "R017 `S'` would be another run of the session, and a promise of sessions is about one",
        ),
        (
            "property q(S: session) = always W: S^65(W) == W",
            "R044 `S^65(W)` asks for 65 turns, and the number is between 0 and 64",
        ),
        (
            "property q(S: session) = always W: known(W) == W",
            "R013 `known(W)` has spans that left, so it is no window that is compared or that a policy gets",
        ),
        ("property q(S: session) = always W: outside(W)", "R017 `W` is not a session, and one is needed here"),
    ],
)
def test_a_function_of_sessions_may_be_misused(text: str, expected: str) -> None:
    assert mistake(f"{CLEAR}session loop of Chat {{ {APPLY} }}\n{text}") == expected
