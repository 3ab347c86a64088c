"""The append-only record of edits, kept outside the window, and the tombstones that it holds.

Every entry is sealed with a checksum of itself and of the seal before it, so a row that was removed, altered or put
elsewhere breaks the chain. `memory.py` and `sqlite.py` have the two ledgers that come with the gate.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Literal, Protocol, get_args

from selfedit_formal._frozen import dataclass

Kind = Literal["evict", "rewrite", "move", "merge", "readmit", "refuse", "override"]
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the ledger. `reason` is one line of text; `turn` counts as the caller counts.

    `content` is the key of what the span said before the edit. `into` is, for a merge, the id of the span it went into;
    for a rewrite, the new content key; for an eviction, the id of another span that stays and says the same (then it
    is no tombstone); for a refusal, the name of the policy that is frozen by it. An override concerns a content key; a
    refusal names its rule at the start of its reason.
    """

    kind: Kind
    span: str
    content: str
    reason: str
    turn: int
    into: str = ""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"no such kind of edit: {self.kind!r}")
        if not is_reason(self.reason):
            raise ValueError("a reason is one line of text")
        if type(self.turn) is not int or not -(2**63) <= self.turn < 2**63:
            raise ValueError("a turn is an int of at most 64 bits")
        if not all(map(is_text, (self.span, self.content, self.into))):
            raise ValueError("ids and contents are text that UTF-8 can say, without null characters")


def is_text(text: str) -> bool:
    """Whether a ledger can hold it: what UTF-8 can say, without null characters."""
    return "\0" not in text and (text.isascii() or text.encode("utf-8", "replace").decode("utf-8") == text)


def is_reason(text: str) -> bool:
    """Whether it is one line of such text that says something."""
    return bool(text.strip()) and text.splitlines() == [text] and is_text(text)


@dataclass(frozen=True, slots=True)
class Receipt:
    """What an append is acknowledged with: how many entries there are, and the seal of the last, in hexadecimal.

    Kept elsewhere, it tells later that nothing up to there was taken away or made anew (`Ledger.verify`).
    """

    position: int
    seal: str


@dataclass(frozen=True, slots=True)
class Tombstone:
    """That a content was pruned: from which span, when and why. `lifted`: an override was recorded since."""

    span: str
    content: str
    reason: str
    turn: int
    lifted: bool

    def line(self) -> str:
        """One line that may stand in the window in place of what left."""
        return f"[{self.span} ({self.content}) was pruned at turn {self.turn}: {self.reason}]"


@dataclass(frozen=True, slots=True)
class Intact:
    """Nothing is missing, altered or out of place."""

    head: Receipt


@dataclass(frozen=True, slots=True)
class Broken:
    """What is wrong, and the position (from 1) at which it shows; 0 if it is none in particular."""

    position: int
    what: str


class Overtaken(Exception):
    """Somebody else appended after the receipt was given, so what was decided on it must be decided again."""


class Unwritten(Exception):
    """The ledger could not be written (or read): nothing of what was to be appended is in it."""


class Tombstones(Protocol):
    """Where it is known what was pruned."""

    @property
    def outside(self) -> bool:
        """Whether it is kept where no edit of the window reaches it."""
        ...

    def tombstones(self, contents: Collection[str]) -> Mapping[str, Tombstone]:
        """The last tombstone of each of these contents that has one. Raises Unwritten."""
        ...


class Ledger(Tombstones, Protocol):
    """An append-only record of edits that also knows the tombstones in it. Every method may raise Unwritten."""

    def head(self) -> Receipt:
        """Where the ledger ends now."""
        ...

    def append(self, entries: Sequence[Entry], after: Receipt | None = None) -> Receipt:
        """All of the entries or none, and they are there to stay when this returns.

        `after`: raise Overtaken unless the ledger still ends there.
        """
        ...

    def about(self, spans: Collection[str]) -> Mapping[str, Entry]:
        """The last edit of each of these spans, or that made it: no refusals, and no overrides."""
        ...

    def frozen(self, policy: str) -> Entry | None:
        """The last refusal that froze the policy of this name, which is not empty."""
        ...

    def entries(self, since: int = 0) -> Iterator[Entry]:
        """The entries after that position, oldest first."""
        ...

    def verify(self, *receipts: Receipt) -> Intact | Broken:
        """Whether the chain is whole, and still goes through each of these receipts."""
        ...


# ---------- the chain

START = hashlib.sha256(b"selfedit ledger, version 1").digest()
"""The seal before the first entry."""


def seal(before: bytes, position: int, entry: Entry) -> bytes:
    """The seal of an entry at a position, given the one before it."""
    row = [position, entry.kind, entry.span, entry.content, entry.reason, entry.turn, entry.into]
    return hashlib.sha256(before + json.dumps(row).encode("ascii")).digest()


def is_edit(entry: Entry) -> bool:
    """Whether the entry says that a window was changed."""
    return entry.kind not in ("refuse", "override")


def lays_tombstone(entry: Entry) -> bool:
    """Whether the entry says that a content left the window."""
    return entry.kind == "merge" or (entry.kind == "evict" and not entry.into)
