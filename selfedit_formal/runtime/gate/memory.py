"""A ledger in memory: outside the window, and gone with the process."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from selfedit_formal.runtime.gate.ledger import (
    START,
    Broken,
    Entry,
    Intact,
    Overtaken,
    Receipt,
    Tombstone,
    is_edit,
    lays_tombstone,
    seal,
)


class MemoryLedger:
    """For tests, and for agents whose supervisor keeps the process. Safe for several threads."""

    outside = True

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._entries: list[Entry] = []
        self._seals: list[bytes] = [START]
        self._tombstones: dict[str, Tombstone] = {}
        self._about: dict[str, Entry] = {}
        self._frozen: dict[str, Entry] = {}

    def head(self) -> Receipt:
        """Where the ledger ends now."""
        with self._lock:
            return self._head()

    def _head(self) -> Receipt:
        return Receipt(len(self._entries), self._seals[-1].hex())

    def append(self, entries: Sequence[Entry], after: Receipt | None = None) -> Receipt:
        """All of the entries. Raises Overtaken if the ledger does not end at `after` any more."""
        with self._lock:
            if after is not None and after != self._head():
                raise Overtaken
            for entry in entries:
                self._entries.append(entry)
                self._seals.append(seal(self._seals[-1], len(self._entries), entry))
                self._note(entry)
            return self._head()

    def _note(self, entry: Entry) -> None:
        if is_edit(entry):
            self._about[entry.span] = entry
        if entry.kind == "merge":
            self._about[entry.into] = entry
        elif entry.kind == "refuse":
            self._frozen[entry.into] = entry
        if lays_tombstone(entry):
            self._tombstones[entry.content] = Tombstone(
                entry.span, entry.content, entry.reason, entry.turn, lifted=False
            )
        elif entry.kind == "override" and entry.content in self._tombstones:
            self._tombstones[entry.content] = replace(self._tombstones[entry.content], lifted=True)

    def tombstones(self, contents: Collection[str]) -> Mapping[str, Tombstone]:
        """The last tombstone of each of these contents that has one."""
        with self._lock:
            return {c: self._tombstones[c] for c in contents if c in self._tombstones}

    def about(self, spans: Collection[str]) -> Mapping[str, Entry]:
        """The last edit of each of these spans, or that made it."""
        with self._lock:
            return {s: self._about[s] for s in spans if s in self._about}

    def frozen(self, policy: str) -> Entry | None:
        """The last refusal that froze the policy of this name, which is not empty."""
        with self._lock:
            return self._frozen.get(policy)

    def entries(self, since: int = 0) -> Iterator[Entry]:
        """The entries after that position, oldest first, as they are now."""
        with self._lock:
            return iter(self._entries[since:])

    def verify(self, *receipts: Receipt) -> Intact | Broken:
        """Whether the chain is whole, and goes through each of these receipts."""
        with self._lock:
            last = START
            for position, entry in enumerate(self._entries, 1):
                last = seal(last, position, entry)
                if last != self._seals[position]:
                    return Broken(position, "the entry is not the one that was appended")
            for receipt in receipts:
                if not (0 <= receipt.position < len(self._seals)):
                    return Broken(receipt.position, "an acknowledged entry is missing")
                if self._seals[receipt.position].hex() != receipt.seal:
                    return Broken(receipt.position, "the entry is not the one that was acknowledged")
            return Intact(self._head())
