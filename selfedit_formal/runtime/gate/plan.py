"""Plans at run time: a list of edits on spans that they name, and the window that comes of one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Generic, Literal, TypeVar

from selfedit_formal._frozen import dataclass
from selfedit_formal.runtime.gate.spans import LiveSpan

S = TypeVar("S", bound=LiveSpan)


@dataclass(frozen=True, slots=True)
class Delete:
    """The span leaves."""

    span: str


@dataclass(frozen=True, slots=True)
class Rewrite(Generic[S]):
    """The span becomes `into`, which has the same id."""

    span: str
    into: S


@dataclass(frozen=True, slots=True)
class Merge(Generic[S]):
    """The spans leave, and `into` stands where the first of them stood."""

    spans: tuple[str, ...]
    into: S


@dataclass(frozen=True, slots=True)
class Move:
    """The spans go, in the order named, to an end of the window or beside another span."""

    spans: tuple[str, ...]
    place: Literal["front", "back", "before", "after"]
    beside: str = ""


@dataclass(frozen=True, slots=True)
class Readmit(Generic[S]):
    """A span comes (back) in, at an end of the window or beside a span."""

    span: S
    place: Literal["front", "back", "before", "after"] = "back"
    beside: str = ""


Edit = Delete | Rewrite[S] | Merge[S] | Move | Readmit[S]


def described(edit: Edit[S]) -> dict[str, object]:
    """The edit as what JSON can say: ids, not what the spans say."""
    match edit:
        case Delete(span):
            return {"edit": "delete", "span": span}
        case Rewrite(span, into):
            return {"edit": "rewrite", "span": span, "content": into.content}
        case Merge(spans, into):
            return {"edit": "merge", "spans": list(spans), "into": into.id}
        case Move(spans, place, beside):
            return {"edit": "move", "spans": list(spans), "place": place, "beside": beside}
        case Readmit(span, place, beside):
            return {"edit": "readmit", "span": span.id, "content": span.content, "place": place, "beside": beside}


@dataclass(frozen=True, slots=True)
class Unfit:
    """Why a plan (or an output) is no edit of the window, and the span ids that do not fit."""

    spans: tuple[str, ...]
    what: str


@dataclass(frozen=True, slots=True)
class Performed(Generic[S]):
    """The window after the edits, and which span each merged one went into."""

    window: tuple[S, ...]
    merged: Mapping[str, str]


def perform(window: Sequence[S], edits: Sequence[Edit[S]]) -> Performed[S] | Unfit:
    """The edits in order, each on what the one before left. Time is linear but for `before` and `after`.

    Deletions, rewrites and merges, and what goes to an end, cost their own size; an edit beside a span costs a pass
    over the window.
    """
    # A plan that puts nothing anywhere needs to find the spans that it names, and no others.
    named = {e.span for e in edits if isinstance(e, Delete | Rewrite)}
    in_place = all(isinstance(e, Delete | Rewrite) for e in edits)
    spans = {s.id: s for s in window if not in_place or s.id in named}
    # Places are ints that only ever need to be compared: what goes to an end gets one beyond all others.
    places = {identity: place for place, identity in enumerate(spans)}
    low, high = -1, len(places)
    merged: dict[str, str] = {}
    for edit in edits:
        match edit:
            case Delete(span):
                if span not in spans:
                    return _unknown(span)
                del spans[span]
            case Rewrite(span, into):
                if span not in spans:
                    return _unknown(span)
                if into.id != span:
                    return Unfit((span, into.id), f"the plan rewrites `{span}` into a span with another id")
                spans[span] = into
            case Merge(names, into):
                missing = tuple(s for s in dict.fromkeys(names) if s not in spans)
                if missing or not names:
                    return _unknown(*missing) if missing else Unfit((into.id,), "the plan merges no spans")
                place = min(places[s] for s in names)
                for span in dict.fromkeys(names):
                    del spans[span]
                    merged[span] = into.id
                if into.id in spans:
                    return _twice(into.id)
                spans[into.id] = into
                places[into.id] = place
            case Move(names, place_named, beside):
                missing = tuple(s for s in (*names, *([beside] if _is_beside(place_named) else [])) if s not in spans)
                if missing:
                    return _unknown(*missing)
                moving = tuple(s for s in dict.fromkeys(names) if not (_is_beside(place_named) and s == beside))
                low, high = _put(moving, place_named, beside, spans, places, low, high)
            case Readmit(span_object, place_named, beside):
                if span_object.id in spans:
                    return _twice(span_object.id)
                if _is_beside(place_named) and beside not in spans:
                    return _unknown(beside)
                spans[span_object.id] = span_object
                low, high = _put((span_object.id,), place_named, beside, spans, places, low, high)
    if in_place:
        return Performed(tuple([spans.get(s.id, s) for s in window if s.id not in named or s.id in spans]), merged)
    return Performed(tuple(spans[s] for s in sorted(spans, key=places.__getitem__)), merged)


def _is_beside(place: str) -> bool:
    return place in ("before", "after")


def _put(
    moving: tuple[str, ...],
    place: str,
    beside: str,
    spans: Mapping[str, object],
    places: dict[str, int],
    low: int,
    high: int,
) -> tuple[int, int]:
    """Gives the spans their places; returns the next free places before and after all."""
    if place == "front":
        for span in reversed(moving):
            places[span] = low
            low -= 1
        return low, high
    if place == "back":
        for span in moving:
            places[span] = high
            high += 1
        return low, high
    chosen = set(moving)
    others = sorted((s for s in spans if s not in chosen), key=places.__getitem__)
    index = others.index(beside) + (place == "after")
    for number, span in enumerate((*others[:index], *moving, *others[index:])):
        places[span] = number
    return -1, len(spans)


def _unknown(*spans: str) -> Unfit:
    named = ", ".join(f"`{s}`" for s in spans)
    return Unfit(spans, f"the plan names {named}, and there is no such span in the window")


def _twice(span: str) -> Unfit:
    return Unfit((span,), f"the plan puts in a second span `{span}`")
