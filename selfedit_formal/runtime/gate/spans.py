"""Spans as a running agent has them: anything with an id, a content key, a tag, tokens and links.

A window at run time is a sequence of them, oldest first, no id twice.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import field
from itertools import islice
from typing import Protocol

from selfedit_formal._frozen import dataclass
from selfedit_formal.core.window import TAG, Window

JUSTIFIES = "justifies"
"""The link from a span to one that it grounds."""

OVERLAPS = "overlaps"
"""The link between a rationale and a span that it quotes, lies in, or shares text with."""

PRECEDES = "precedes"
"""The link from an entry to one that means what it means only after it (a pre-condition to its post-condition)."""

COVERS = "covers"
"""The link from a span that a merge made to the spans it stands for."""

TOMBSTONE = "tombstone"
"""The tag of a tombstone that is shown in the window."""


class LiveSpan(Protocol):
    """What the gate reads of a span, once for each decision.

    `content` is a key of what the span says: equal keys, equal content. `tokens` is 0 or more. `links` has, by the
    link's name, the ids of the spans it points at; before an edit those that it had then count, after it those that it
    has then.
    """

    @property
    def id(self) -> str: ...
    @property
    def content(self) -> str: ...
    @property
    def tag(self) -> str: ...
    @property
    def tokens(self) -> int: ...
    @property
    def links(self) -> Mapping[str, Collection[str]]: ...


@dataclass(frozen=True, slots=True)
class PlainSpan:
    """A span for those who have no class of their own."""

    id: str
    content: str
    tag: str
    tokens: int = 0
    links: Mapping[str, Collection[str]] = field(default_factory=dict, hash=False)


def content_key(text: str | bytes) -> str:
    """A key for what a span says: 128 bits of its SHA-256, in hexadecimal."""
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    return hashlib.sha256(data).hexdigest()[:32]


def spans_of(window: Window) -> tuple[PlainSpan, ...]:
    """The present spans of a written-out window. Its content is all of the record but the tag and the tokens."""
    links: dict[str, dict[str, list[str]]] = {}
    for name, source, target in sorted(window.links):
        links.setdefault(source, {}).setdefault(name, []).append(target)
    in_no_record = {f.name for f in window.schema.fields if f.oracle == "window"} | {TAG, "tokens"}

    def plain(identity: str, values: Mapping[str, object]) -> PlainSpan:
        rest = sorted((name, value) for name, value in values.items() if name not in in_no_record)
        tokens = values.get("tokens", 0)
        assert isinstance(tokens, int)
        return PlainSpan(identity, content_key(json.dumps(rest)), str(values[TAG]), tokens, links.get(identity, {}))

    return tuple(plain(s.id, s.values) for s in window.present())


Record = tuple[str, str, int]
"""Content, tag and tokens of a span: what an edit may change."""

NOTHING = frozenset({"", content_key("")})


def says_nothing(record: Record) -> bool:
    """Whether the span has no content: the key of the empty text, or no tokens at all."""
    return record[0] in NOTHING or record[2] == 0


def digest(records: Iterable[tuple[str, Record]]) -> str:
    """The address of a window's content: the same for the same ids with the same records in the same order."""
    address = hashlib.sha256()
    ahead = iter(records)
    # A thousand at a time, column by column: what is written stays small, and in the processor's cache.
    while some := tuple(islice(ahead, 1000)):
        ids, values = zip(*some, strict=True)
        address.update(json.dumps((ids, *zip(*values, strict=True))).encode("ascii"))
    return address.hexdigest()[:32]
