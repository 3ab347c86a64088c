"""A run's state: every known span at its place, with its record. Functions make new states; none changes one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import Literal

from selfedit_formal._frozen import dataclass
from selfedit_formal.core.window import Schema, Span, Value, Window

Record = Mapping[str, Value]
"""The fields of one span, except oracle fields of kind "window": those are in no record."""


@dataclass(frozen=True, slots=True)
class State:
    """`order` has all known spans, archived ones too; `records` has one record for each.

    `links` has the pairs of the built-in `covers` and, for writing the state out, those of the schema's links.
    Window oracles answer anew about the spans in `rescored`. `places` (made, not given) says where each stands.
    """

    schema: Schema
    order: tuple[str, ...]
    archived: frozenset[str]
    records: Mapping[str, Record]
    links: frozenset[tuple[str, str, str]]
    fresh: frozenset[str]
    rescored: frozenset[str] = frozenset()
    places: Mapping[str, int] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "places", {span: place for place, span in enumerate(self.order)})

    def knows(self, span: str | None) -> bool:
        """Whether the span is present or archived."""
        return span in self.places

    def has(self, span: str | None) -> bool:
        """Whether the span is present."""
        return span in self.places and span not in self.archived

    def present(self) -> tuple[str, ...]:
        """The spans in the window, oldest first."""
        return tuple(s for s in self.order if s not in self.archived) if self.archived else self.order

    def archive(self) -> tuple[str, ...]:
        """The spans in the archive, in the order of their places."""
        return tuple(s for s in self.order if s in self.archived)


def recorded_fields(schema: Schema) -> tuple[str, ...]:
    """The fields that a record has."""
    return tuple(f.name for f in schema.fields if f.oracle != "window")


def compared_fields(schema: Schema) -> tuple[str, ...]:
    """The fields that make two records different: all that a record has but those of the history."""
    return tuple(f.name for f in schema.fields if f.oracle != "window" and not f.history)


def from_window(window: Window) -> State:
    """The state that a window writes out."""
    names = recorded_fields(window.schema)
    return State(
        schema=window.schema,
        order=tuple(s.id for s in window.spans),
        archived=window.archived,
        records={s.id: {n: s.values[n] for n in names} for s in window.spans},
        links=window.links,
        fresh=window.fresh,
    )


def to_window(state: State) -> Window:
    """The state written out (what is `rescored` is not part of a window)."""
    return Window(
        schema=state.schema,
        spans=tuple(Span(s, state.records[s]) for s in state.order),
        archived=state.archived,
        links=state.links,
        fresh=state.fresh,
    )


# ---------- one state from another


def added(
    state: State, span: str, record: Record, index: int, covers: frozenset[tuple[str, str, str]] = frozenset()
) -> State:
    """With a fresh span at that index of the order."""
    return replace(
        state,
        order=(*state.order[:index], span, *state.order[index:]),
        records={**state.records, span: record},
        links=state.links | covers,
        fresh=state.fresh | {span},
    )


def without(state: State, span: str | None) -> State:
    """With the span taken out of everything."""
    if span is None or not state.knows(span):
        return state
    return replace(
        state,
        order=tuple(s for s in state.order if s != span),
        archived=state.archived - {span},
        records={s: record for s, record in state.records.items() if s != span},
        links=frozenset(link for link in state.links if span not in link[1:]),
        fresh=state.fresh - {span},
        rescored=state.rescored - {span},
    )


def swapped(state: State, first: str | None, second: str | None) -> State:
    """With the two at each other's place; unchanged if one is not known."""
    if first is None or second is None or not state.knows(first) or not state.knows(second):
        return state
    other = {first: second, second: first}
    return replace(state, order=tuple(other.get(s, s) for s in state.order))


def known(state: State) -> State:
    """With every archived span present again, at its place and with its last record."""
    return replace(state, archived=frozenset())


def moved(
    order: tuple[str, ...],
    chosen: frozenset[str],
    place: Literal["front", "back", "before", "after"],
    anchor: str | None,
) -> tuple[str, ...]:
    """The chosen spans, but the anchor, in their old order at the place; the order itself if the place is nowhere."""
    moving = tuple(s for s in order if s in chosen and s != anchor)
    staying = tuple(s for s in order if s not in chosen or s == anchor)
    index = place_in(staying, place, anchor)
    return order if index is None else (*staying[:index], *moving, *staying[index:])


def place_in(
    order: tuple[str, ...], place: Literal["front", "back", "before", "after"], anchor: str | None
) -> int | None:
    """Where in the order something put at the place goes; None if the place is beside a span that is not there."""
    match place:
        case "front":
            return 0
        case "back":
            return len(order)
        case "before":
            return order.index(anchor) if anchor in order else None
        case "after":
            return order.index(anchor) + 1 if anchor in order else None


# ---------- two states compared


def same_window(left: State, right: State) -> bool:
    """Whether a reader sees the same: equally many present spans, and at each position the same, with equal records.

    Two created spans are the same to a reader if their records are.
    """
    lefts, rights = left.present(), right.present()
    names = compared_fields(left.schema)
    return len(lefts) == len(rights) and all(
        (a == b or (a in left.fresh and b in right.fresh)) and _agree(names, left.records[a], right.records[b])
        for a, b in zip(lefts, rights, strict=True)
    )


def same_record(span: str | None, left: State, right: State) -> bool:
    """Whether the two states have the same last record of the span. True if neither knows it, false if one does."""
    if span is None or not (left.knows(span) and right.knows(span)):
        return left.knows(span) == right.knows(span)
    return _agree(compared_fields(left.schema), left.records[span], right.records[span])


def _agree(names: tuple[str, ...], left: Record, right: Record) -> bool:
    return all(left[name] == right[name] for name in names)
