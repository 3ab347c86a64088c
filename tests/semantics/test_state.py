"""States made from windows and from one another."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import pytest

from selfedit_formal.core.window import COVERS, Field, Link, Schema, Span, Window
from selfedit_formal.semantics.state import (
    added,
    from_window,
    known,
    moved,
    place_in,
    same_record,
    same_window,
    swapped,
    to_window,
    without,
)

SCHEMA = Schema(
    "Small",
    (Field("tag", "enum", names=("item",)), Field("tokens", "int"), Field("rank", "int", oracle="window")),
    (Link("next"),),
)


def item(identity: str, tokens: int = 0) -> Span:
    return Span(identity, {"tag": "item", "tokens": tokens})


WINDOW = Window(
    SCHEMA,
    (item("A", 1), item("B", 2), item("C", 3)),
    frozenset("B"),
    frozenset({("next", "A", "B"), (COVERS, "C", "A")}),
    frozenset("C"),
)


def test_a_window_and_its_state_say_the_same() -> None:
    state = from_window(WINDOW)
    assert to_window(state) == WINDOW
    assert (state.present(), state.archive()) == (("A", "C"), ("B",))
    assert [state.knows(s) for s in ("A", "B", "Z", None)] == [True, True, False, False]
    assert [state.has(s) for s in ("A", "B", "Z", None)] == [True, False, False, False]


def test_a_record_has_no_field_that_the_window_oracle_gives() -> None:
    asked = Window(SCHEMA, (Span("A", {"tag": "item", "tokens": 1, "rank": 7}),))
    assert dict(from_window(asked).records["A"]) == {"tag": "item", "tokens": 1}


def test_a_span_is_added_at_an_index_of_all_known_spans() -> None:
    state = added(from_window(WINDOW), "D", {"tag": "item", "tokens": 4}, 2, frozenset({(COVERS, "D", "B")}))
    assert state.order == ("A", "B", "D", "C")
    assert state.fresh == {"C", "D"}
    assert (COVERS, "D", "B") in state.links


def test_without_leaves_no_trace() -> None:
    assert to_window(without(from_window(WINDOW), "B")) == Window(
        SCHEMA, (item("A", 1), item("C", 3)), frozenset(), frozenset({(COVERS, "C", "A")}), frozenset("C")
    )
    assert without(from_window(WINDOW), "C").fresh == frozenset()
    assert without(from_window(WINDOW), None) == without(from_window(WINDOW), "Z") == from_window(WINDOW)


def test_swapped_needs_two_known_spans() -> None:
    state = from_window(WINDOW)
    assert swapped(state, "A", "C").order == ("C", "B", "A")
    for first, second in (("A", "A"), ("A", "Z"), (None, "A")):
        assert swapped(state, first, second) == state


def test_known_spans_are_present_where_they_are() -> None:
    assert known(from_window(WINDOW)) == from_window(replace(WINDOW, archived=frozenset()))


@pytest.mark.parametrize(
    ("place", "anchor", "order"),
    [
        ("front", None, "BDAC"),
        ("back", None, "ACBD"),
        ("before", "A", "BDAC"),
        ("after", "A", "ABDC"),
        ("before", "D", "ACBD"),
        ("before", "Z", "ABCD"),
        ("after", None, "ABCD"),
    ],
)
def test_moved_spans_keep_their_order_and_the_anchor_its_place(
    place: Literal["front", "back", "before", "after"], anchor: str | None, order: str
) -> None:
    assert "".join(moved(tuple("ABCD"), frozenset("BD"), place, anchor)) == order


def test_a_place_beside_nothing_is_nowhere() -> None:
    assert place_in((), "before", None) is None
    assert place_in(("A",), "after", "B") is None
    assert place_in((), "front", None) == place_in((), "back", None) == 0


def test_what_a_reader_sees_is_present() -> None:
    state = from_window(WINDOW)
    assert same_window(state, without(state, "B"))
    assert not same_window(state, without(state, "A"))
    assert same_record("B", state, state)
    assert not same_record("B", state, without(state, "B"))
    assert same_record("Z", state, state)
