"""Windows and schemas as values: what is present, what a field may be, and what a link may join."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from selfedit_formal.core.window import NO_KEY, NO_NAME, Field, Link, Schema, Span, Value, Window, nearest_to_zero, zero

SCHEMA = Schema("Chat", (Field("tag", "enum", names=("user", "call")), Field("tokens", "int")))
A, B = Span("A", {"tag": "user", "tokens": 1}), Span("B", {"tag": "call", "tokens": 2})


def test_an_absent_span_reads_as_the_zero_of_each_kind() -> None:
    assert [zero(kind) for kind in ("int", "bool", "key", "enum")] == [0, False, NO_KEY, NO_NAME]
    assert NO_KEY != NO_NAME


@pytest.mark.parametrize(
    ("low", "high", "nearest"),
    [
        (None, None, 0),
        (3, None, 3),
        (-3, None, 0),
        (None, 5, 0),
        (None, -5, -5),
        (-5, -3, -3),
        (2, 4, 2),
        (-2, 4, 0),
        (0, 0, 0),
    ],
)
def test_the_number_nearest_to_zero_is_within_its_bounds(low: int | None, high: int | None, nearest: int) -> None:
    assert nearest_to_zero(low, high) == nearest


@pytest.mark.parametrize(
    ("link", "admitted"),
    [
        (Link("l"), {("a", "a"), ("a", "b"), ("b", "a"), ("b", "b")}),
        (Link("l", ("a",)), {("a", "a"), ("a", "b")}),
        (Link("l", None, ("a",)), {("a", "a"), ("b", "a")}),
        (Link("l", ("a",), ("b",)), {("a", "b")}),
        (Link("l", ()), set()),
    ],
)
def test_a_link_joins_spans_whose_tags_it_names(link: Link, admitted: set[tuple[str, str]]) -> None:
    assert {(s, t) for s in "ab" for t in "ab" if link.admits(s, t)} == admitted


def test_a_field_is_found_by_its_name_or_not_at_all() -> None:
    assert SCHEMA.field("tokens").kind == "int"
    with pytest.raises(KeyError, match="other"):
        SCHEMA.field("other")


def test_a_span_is_its_identity_and_its_record() -> None:
    record: dict[str, Value] = {"tokens": 1, "tag": "user"}
    same = Span("A", record)
    record["tokens"] = 5
    assert same["tokens"] == 1
    assert same == A
    assert hash(same) == hash(A)
    assert same not in {B, Span("C", A.values)}
    values: Any = same.values
    with pytest.raises(TypeError):
        values["tokens"] = 5
    assert pickle.loads(pickle.dumps(A)) == A


def test_archived_spans_hold_their_place_and_are_not_present() -> None:
    window = Window(SCHEMA, (A, B), frozenset("A"))
    assert window.present() == (B,)
    assert window.span("A") is A
    assert window.span("C") is None
    assert Window(SCHEMA, ()).present() == ()
