"""Windows and the schemas they follow: what a span is made of.

A window is an ordered sequence of spans. Spans that left it stay known, at their place, in its *archive*,
because a policy may readmit them. Window, Span and Schema are plain values; nothing here computes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from selfedit_formal._frozen import dataclass

if TYPE_CHECKING:
    from selfedit_formal.core.diagnostics import Location
    from selfedit_formal.core.expression import Expression

Kind = Literal["int", "bool", "key", "enum"]
"""What a field or a value is. `enum` is a field with listed names, of which `tag` is the one every schema has."""

Value = int | bool | str
"""int for `int`, bool for `bool`, str for `key` (`NO_KEY` or any other name) and `enum` (one of its names)."""

NO_KEY = "none"
"""The key of a span that has none. It equals itself."""

NO_NAME = ""
"""What an `enum` field of an absent span reads as: equal to no name."""

TAG = "tag"
"""The enum field every schema has."""


def zero(kind: Kind) -> Value:
    """What a field of this kind reads as on a span that is absent."""
    match kind:
        case "int":
            return 0
        case "bool":
            return False
        case "key":
            return NO_KEY
        case "enum":
            return NO_NAME


def nearest_to_zero(low: int | None, high: int | None) -> int:
    """The number between these (None: open) that is closest to zero."""
    return max(low or 0, 0) if high is None or high >= 0 else high


@dataclass(frozen=True, slots=True)
class Field:
    """A field of every span. `low`/`high` bound an int (inclusive) in *input* windows, None is open.

    `oracle` says that the value comes from outside: "query" is one value per span, the same in every pass;
    "window" may be another one in every pass. A `history` field records what a session did to the span: no reader of
    a window sees it, so two windows or records that differ in nothing else are the same.
    """

    name: str
    kind: Kind
    low: int | None = None
    high: int | None = None
    names: tuple[str, ...] = ()
    oracle: Literal["query", "window"] | None = None
    history: bool = False


@dataclass(frozen=True, slots=True)
class Link:
    """A relation between spans, fixed for a span's life. Tags None: any span may stand at that end."""

    name: str
    from_tags: tuple[str, ...] | None = None
    to_tags: tuple[str, ...] | None = None

    def admits(self, source: Value, target: Value) -> bool:
        """Whether spans with these tags may be linked so."""
        return (self.from_tags is None or source in self.from_tags) and (self.to_tags is None or target in self.to_tags)


COVERS = "covers"
"""The built-in link from a summary to the spans that its summariser read; a policy's `summarize` makes it."""


@dataclass(frozen=True, slots=True)
class Schema:
    """What spans of a window look like.

    `assumptions` hold of every input window; each reads the window `Input(ASSUMED)`.
    """

    name: str
    fields: tuple[Field, ...]
    links: tuple[Link, ...] = ()
    assumptions: tuple[Expression, ...] = ()
    doc: str = field(default="", compare=False)
    location: Location | None = field(default=None, compare=False, repr=False)

    def field(self, name: str) -> Field:
        """The field with this name; KeyError if there is none."""
        for candidate in self.fields:
            if candidate.name == name:
                return candidate
        raise KeyError(name)


@dataclass(frozen=True, slots=True)
class Span:
    """One entry of a window: its identity and the value of every field of its schema."""

    id: str
    values: Mapping[str, Value]

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", MappingProxyType(dict(self.values)))

    def __hash__(self) -> int:
        return hash((self.id, tuple(sorted(self.values.items()))))

    def __reduce__(self) -> tuple[type[Span], tuple[str, dict[str, Value]]]:
        return Span, (self.id, dict(self.values))

    def __getitem__(self, name: str) -> Value:
        return self.values[name]


@dataclass(frozen=True, slots=True)
class Window:
    """Spans oldest first. Those whose id is in `archived` left earlier and only hold their place.

    `links` has (link name, from id, to id). `fresh` names the spans that a run created: in comparing two windows,
    fresh spans with equal records are the same to a reader (`spec/semantics.md`, "When two windows are equal").
    """

    schema: Schema
    spans: tuple[Span, ...]
    archived: frozenset[str] = frozenset()
    links: frozenset[tuple[str, str, str]] = frozenset()
    fresh: frozenset[str] = frozenset()

    def present(self) -> tuple[Span, ...]:
        """The spans in the window, oldest first."""
        return tuple(s for s in self.spans if s.id not in self.archived)

    def span(self, identity: str) -> Span | None:
        """The known span with this id, present or archived."""
        return next((s for s in self.spans if s.id == identity), None)
