"""A ledger in one SQLite file: durable, append-only, and shared by any number of processes.

What `append` acknowledged survives the process (kill -9) and, as far as the disk keeps its word, the machine: every
append is one transaction in WAL mode with `synchronous = FULL`. Triggers forbid updates and deletions; whoever gets
around them is found by `verify`. Only a receipt that was kept elsewhere tells that a file was replaced, or its end
cut off, by somebody who made all seals and the recorded end anew.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType

from selfedit_formal.runtime.gate.ledger import (
    KINDS,
    START,
    Broken,
    Entry,
    Intact,
    Overtaken,
    Receipt,
    Tombstone,
    Unwritten,
    seal,
)

APPLICATION = 0x53454C46
VERSION = 1
AT_ONCE = 500
"""How many values one query asks for: SQLite limits them."""

COLUMNS = "kind, span, content, reason, turn, target"
_KINDS = ", ".join(f"'{k}'" for k in KINDS)
_EDITS = "kind NOT IN ('refuse', 'override')"
_LAYS = "(kind = 'merge' OR (kind = 'evict' AND target = ''))"

SCHEMA = {
    "entry": f"""CREATE TABLE entry (
  position INTEGER PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ({_KINDS})),
  span TEXT NOT NULL,
  content TEXT NOT NULL,
  reason TEXT NOT NULL,
  turn INTEGER NOT NULL,
  target TEXT NOT NULL,
  seal BLOB NOT NULL
) STRICT""",
    "head": """CREATE TABLE head (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  position INTEGER NOT NULL,
  seal BLOB NOT NULL
) STRICT""",
    "entry_content": f"CREATE INDEX entry_content ON entry (content, position) WHERE {_LAYS} OR kind = 'override'",
    "entry_span": f"CREATE INDEX entry_span ON entry (span, position) WHERE {_EDITS}",
    "entry_target": "CREATE INDEX entry_target ON entry (target, position) WHERE kind = 'merge'",
    "entry_frozen": "CREATE INDEX entry_frozen ON entry (target, position) WHERE kind = 'refuse'",
    "entry_stays": """CREATE TRIGGER entry_stays BEFORE DELETE ON entry
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END""",
    "entry_is_fixed": """CREATE TRIGGER entry_is_fixed BEFORE UPDATE ON entry
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END""",
    # REPLACE deletes without asking the trigger above, so a position that is taken must not get that far.
    "entry_is_next": """CREATE TRIGGER entry_is_next BEFORE INSERT ON entry
WHEN NEW.position IS NOT (SELECT coalesce(max(position), 0) + 1 FROM entry)
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END""",
    "head_stays": """CREATE TRIGGER head_stays BEFORE DELETE ON head
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END""",
    "head_advances": """CREATE TRIGGER head_advances BEFORE UPDATE ON head
WHEN NEW.position <= OLD.position OR NEW.one <> OLD.one
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END""",
    "head_is_one": """CREATE TRIGGER head_is_one BEFORE INSERT ON head
WHEN EXISTS (SELECT 1 FROM head)
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END""",
}


class SqliteLedger:
    """The ledger in that file, which is made if it is not there. Safe for several threads and across a fork.

    `wait` is how many seconds to wait for another process that is writing. Raises Unwritten if the file is no ledger.
    """

    outside = True

    def __init__(self, path: str | os.PathLike[str], wait: float = 30.0) -> None:
        self._path = Path(path)
        self._wait = wait
        self._lock = threading.RLock()
        self._process = os.getpid()
        self._forked: list[sqlite3.Connection] = []
        self._connection: sqlite3.Connection | None = self._open()

    def __enter__(self) -> SqliteLedger:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the file. Whatever was acknowledged is in it already."""
        with self._lock:
            if self._connection is not None and self._process == os.getpid():
                self._connection.close()
            self._connection = None

    # ---------- the file

    def _open(self) -> sqlite3.Connection:
        patience = time.monotonic() + self._wait
        while True:
            try:
                return self._opened()
            except sqlite3.Error as error:
                # Two processes that turn a new file to WAL at once are told "locked" without any waiting.
                if "locked" not in str(error) or time.monotonic() > patience:
                    raise Unwritten(f"{self._path}: {error}") from error
                time.sleep(0.01)

    def _opened(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, timeout=self._wait, isolation_level=None, check_same_thread=False)
        try:
            self._prepare(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        with _transaction(connection, "DEFERRED"):
            (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            (application,) = connection.execute("PRAGMA application_id").fetchone()
            if application != APPLICATION and (application or tables):
                raise Unwritten(f"{self._path}: this is another database, not a ledger")
        (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
        if mode != "wal":
            raise Unwritten(f"{self._path}: no write-ahead log is possible here")
        connection.execute("PRAGMA synchronous = FULL")
        with _transaction(connection, "IMMEDIATE"):
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            if version == 0:
                for statement in SCHEMA.values():
                    connection.execute(statement)
                connection.execute("INSERT INTO head VALUES (1, 0, ?)", (START,))
                connection.execute(f"PRAGMA application_id = {APPLICATION}")
                connection.execute(f"PRAGMA user_version = {VERSION}")
            elif version != VERSION:
                raise Unwritten(f"{self._path}: a ledger of version {version}, and this is for version {VERSION}")

    @contextmanager
    def _using(self) -> Iterator[sqlite3.Connection]:
        """The connection, one thread at a time; what SQLite raises becomes Unwritten."""
        with self._lock:
            if self._connection is None:
                raise Unwritten(f"{self._path}: the ledger is closed")
            if self._process != os.getpid():
                # SQLite: a connection must not be used, nor closed, on the other side of a fork.
                self._forked.append(self._connection)
                self._connection = self._open()
                self._process = os.getpid()
            try:
                yield self._connection
            except sqlite3.Error as error:
                raise Unwritten(f"{self._path}: {error}") from error

    # ---------- writing

    def append(self, entries: Sequence[Entry], after: Receipt | None = None) -> Receipt:
        """All of the entries or none, on disk when this returns.

        Raises Overtaken if the ledger does not end at `after` any more, and Unwritten if it cannot be written.
        """
        with self._using() as connection, _transaction(connection, "IMMEDIATE"):
            position, last = _head(connection)
            if after is not None and after != Receipt(position, last.hex()):
                raise Overtaken
            rows = []
            for entry in entries:
                position += 1
                last = seal(last, position, entry)
                rows.append((position, *_row(entry), last))
            if rows:
                connection.executemany("INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
                connection.execute("UPDATE head SET position = ?, seal = ?", (position, last))
        return Receipt(position, last.hex())

    # ---------- reading

    def head(self) -> Receipt:
        """Where the ledger ends now."""
        with self._using() as connection:
            position, last = _head(connection)
            return Receipt(position, last.hex())

    def tombstones(self, contents: Collection[str]) -> Mapping[str, Tombstone]:
        """The last tombstone of each of these contents that has one."""
        found: dict[str, Tombstone] = {}
        with self._using() as connection, _transaction(connection, "DEFERRED"):
            for some in _parts(contents):
                marks = ", ".join("?" * len(some))
                laid = connection.execute(
                    "SELECT content, span, reason, turn, max(position) FROM entry"
                    f" WHERE {_LAYS} AND content IN ({marks}) GROUP BY content",
                    some,
                ).fetchall()
                lifted = dict(
                    connection.execute(
                        "SELECT content, max(position) FROM entry"
                        f" WHERE kind = 'override' AND content IN ({marks}) GROUP BY content",
                        some,
                    ).fetchall()
                )
                for content, span, reason, turn, position in laid:
                    found[content] = Tombstone(span, content, reason, turn, lifted.get(content, 0) > position)
        return found

    def about(self, spans: Collection[str]) -> Mapping[str, Entry]:
        """The last edit of each of these spans, or that made it."""
        found: dict[str, tuple[int, Entry]] = {}
        with self._using() as connection, _transaction(connection, "DEFERRED"):
            for some in _parts(spans):
                marks = ", ".join("?" * len(some))
                for column, which in (("span", _EDITS), ("target", "kind = 'merge'")):
                    for name, position, *row in connection.execute(
                        f"SELECT {column}, max(position), {COLUMNS} FROM entry"
                        f" WHERE {column} IN ({marks}) AND {which} GROUP BY {column}",
                        some,
                    ):
                        if name not in found or found[name][0] < position:
                            found[name] = (position, Entry(*row))
        return {name: entry for name, (_, entry) in found.items()}

    def frozen(self, policy: str) -> Entry | None:
        """The last refusal that froze the policy of this name, which is not empty."""
        with self._using() as connection:
            row = connection.execute(
                f"SELECT {COLUMNS} FROM entry WHERE kind = 'refuse' AND target = ? ORDER BY position DESC LIMIT 1",
                (policy,),
            ).fetchone()
        return None if row is None else Entry(*row)

    def entries(self, since: int = 0) -> Iterator[Entry]:
        """The entries after that position, oldest first; those that are appended meanwhile may be among them."""
        while True:
            with self._using() as connection:
                rows = connection.execute(
                    f"SELECT position, {COLUMNS} FROM entry WHERE position > ? ORDER BY position LIMIT ?",
                    (since, AT_ONCE),
                ).fetchall()
            if not rows:
                return
            for position, *row in rows:
                since = position
                yield Entry(*row)

    def verify(self, *receipts: Receipt) -> Intact | Broken:
        """Whether the file is sound, the chain whole up to the recorded end, and through each of these receipts.

        Takes memory for the receipts, not for the ledger. Does not raise Unwritten for a file that is damaged.
        """
        try:
            with self._using() as connection, _transaction(connection, "DEFERRED"):
                return _verify(connection, receipts)
        except Unwritten as error:
            return Broken(0, str(error))


def _verify(connection: sqlite3.Connection, receipts: Sequence[Receipt]) -> Intact | Broken:
    there = dict(connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"))
    for name, statement in SCHEMA.items():
        if there.get(name) != statement:
            return Broken(0, f"`{name}` of the file is {'another one' if name in there else 'missing'}")
    (sound,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    if sound != "ok":
        return Broken(0, f"the file is damaged: {sound}")
    expected = {r.position: r.seal for r in receipts}
    contradicting = next((r for r in receipts if expected[r.position] != r.seal), None)
    if contradicting is not None:
        return Broken(contradicting.position, "two receipts for this position contradict each other")
    position, last = 0, START
    problem = _unacknowledged(expected, position, last)
    for place, *row, stored in connection.execute(f"SELECT position, {COLUMNS}, seal FROM entry ORDER BY position"):
        if problem is not None:
            return problem
        if place != position + 1:
            return Broken(position + 1, "an entry is missing")
        position = place
        try:
            last = seal(last, position, Entry(*row))
        except (ValueError, TypeError) as wrong:
            return Broken(position, f"the entry was altered or moved: {wrong}")
        if stored != last:
            return Broken(position, "the entry was altered or moved")
        problem = _unacknowledged(expected, position, last)
    if problem is not None:
        return problem
    end, sealed = _head(connection)
    if end > position:
        return Broken(position + 1, "an entry is missing")
    if (end, sealed) != (position, last):
        return Broken(position, "the recorded end is not that of the chain")
    missing = min((p for p in expected if not 0 <= p <= position), default=None)
    if missing is not None:
        return Broken(missing, "an acknowledged entry is missing")
    return Intact(Receipt(position, last.hex()))


def _unacknowledged(expected: Mapping[int, str], position: int, last: bytes) -> Broken | None:
    if expected.get(position, last.hex()) != last.hex():
        return Broken(position, "the entry is not the one that was acknowledged")
    return None


def _head(connection: sqlite3.Connection) -> tuple[int, bytes]:
    row = connection.execute("SELECT position, seal FROM head").fetchone()
    if row is None:
        raise sqlite3.DatabaseError("the recorded end is missing")
    position, last = row
    return position, last


def _row(entry: Entry) -> tuple[str, str, str, str, int, str]:
    return entry.kind, entry.span, entry.content, entry.reason, entry.turn, entry.into


def _parts(values: Collection[str]) -> Iterator[list[str]]:
    every = list(values)
    for start in range(0, len(every), AT_ONCE):
        yield every[start : start + AT_ONCE]


@contextmanager
def _transaction(connection: sqlite3.Connection, kind: str) -> Iterator[None]:
    connection.execute(f"BEGIN {kind}")
    try:
        yield
    except BaseException:
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise
    try:
        connection.execute("COMMIT")
    except sqlite3.Error:
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise
