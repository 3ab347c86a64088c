"""The durable ledger: killed in the middle of an append, shared by processes, and tampered with."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from selfedit_formal.gate import Apply, Broken, Delete, Entry, Intact, Receipt, SqliteLedger, Unwritten, decide
from tests.runtime.gate.windows import WINDOW, asked

APPENDING = Path(__file__).with_name("appending.py")


def evict(span: str, turn: int = 1) -> Entry:
    return Entry("evict", span, span.lower(), "stale", turn)


def start(path: Path, name: str, count: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, APPENDING, path, name, str(count)], stdout=subprocess.PIPE, encoding="utf-8"
    )


def acknowledged(output: str) -> list[tuple[Receipt, int]]:
    """What a process said, but for a line that it did not come to the end of."""
    lines = [line.split() for line in output.splitlines(keepends=True) if line.endswith("\n")]
    return [(Receipt(int(position), seal), int(number)) for position, seal, number in lines]


def test_nothing_acknowledged_is_lost_when_the_process_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    chance = random.Random(4)
    receipts: list[Receipt] = []
    for life in range(6):
        process = start(path, f"life{life}-", 100_000)
        assert process.stdout is not None
        first = process.stdout.readline()
        time.sleep(chance.random() * 0.15)
        process.send_signal(signal.SIGKILL)
        output, _ = process.communicate()
        assert process.returncode == -signal.SIGKILL
        said = acknowledged(first + output)
        receipts += [receipt for receipt, _ in said]
        with SqliteLedger(path) as ledger:
            whole = ledger.verify(*receipts)
            assert isinstance(whole, Intact), whole
            appends = [e for e in ledger.entries() if e.span.startswith(f"life{life}-")]
            # All three rows of an append are there or none, and at most one append was not acknowledged.
            assert len(appends) % 3 == 0
            assert len(said) <= len(appends) // 3 <= len(said) + 1


def test_several_processes_append_at_once(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    processes = [start(path, f"p{n}-", 25) for n in range(4)]
    receipts = []
    for process in processes:
        output, _ = process.communicate(timeout=120)
        assert process.returncode == 0
        receipts += [receipt for receipt, _ in acknowledged(output)]
    with SqliteLedger(path) as ledger:
        assert ledger.head().position == 4 * 25 * 3
        assert isinstance(ledger.verify(*receipts), Intact)
        assert len({r.position for r in receipts}) == 100
        for n in range(4):
            mine = [e.turn for e in ledger.entries() if e.span.startswith(f"p{n}-")]
            assert mine == sorted(mine)


def test_several_threads_append_at_once(tmp_path: Path) -> None:
    with SqliteLedger(tmp_path / "ledger.db") as ledger:
        threads = [threading.Thread(target=lambda: [ledger.append([evict("A")]) for _ in range(10)]) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert ledger.head().position == 40
        assert isinstance(ledger.verify(), Intact)


def test_a_child_of_a_fork_has_a_connection_of_its_own(tmp_path: Path) -> None:
    with SqliteLedger(tmp_path / "ledger.db") as ledger:
        ledger.append([evict("A")])
        child = os.fork()
        if child == 0:
            try:
                ledger.append([evict("B")])
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        ledger.append([evict("C")])
        assert [e.span for e in ledger.entries()] == ["A", "B", "C"]
        assert isinstance(ledger.verify(), Intact)


def test_the_gate_records_in_it(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    with SqliteLedger(path) as ledger:
        done = decide(WINDOW, asked(ledger=ledger), plan=[Delete("A")])
        assert isinstance(done, Apply)
    with SqliteLedger(path) as ledger:
        assert list(ledger.entries()) == list(done.recorded)


def test_updates_deletions_and_insertions_out_of_turn_are_forbidden(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    with SqliteLedger(path) as ledger:
        ledger.append([evict("A"), evict("B")])
    connection = sqlite3.connect(path)
    for statement in (
        "UPDATE entry SET reason = 'other' WHERE position = 1",
        "DELETE FROM entry",
        "DELETE FROM entry WHERE position = 2",
        "INSERT OR REPLACE INTO entry SELECT 1, kind, span, content, 'other', turn, target, seal FROM entry LIMIT 1",
        "INSERT INTO entry SELECT 9, kind, span, content, reason, turn, target, seal FROM entry LIMIT 1",
        "UPDATE head SET position = 1",
        "DELETE FROM head",
        "INSERT OR REPLACE INTO head VALUES (1, 0, x'00')",
    ):
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            connection.execute(statement)
    connection.close()


def tampered(path: Path, *statements: str) -> None:
    """Somebody who takes the triggers away, does it, and puts them back."""
    connection = sqlite3.connect(path, isolation_level=None)
    triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
    for name, _ in triggers:
        connection.execute(f"DROP TRIGGER {name}")
    for statement in statements:
        connection.execute(statement)
    for _, sql in triggers:
        connection.execute(sql)
    connection.close()


COPY = "kind, span, content, reason, turn, target"
TAMPERINGS: dict[str, tuple[list[str], Broken]] = {
    "a removed row": (["DELETE FROM entry WHERE position = 2"], Broken(2, "an entry is missing")),
    "a removed first row": (["DELETE FROM entry WHERE position = 1"], Broken(1, "an entry is missing")),
    "a removed last row": (["DELETE FROM entry WHERE position = 4"], Broken(4, "an entry is missing")),
    "all rows removed": (["DELETE FROM entry"], Broken(1, "an entry is missing")),
    "an altered reason": (
        ["UPDATE entry SET reason = 'other' WHERE position = 3"],
        Broken(3, "the entry was altered or moved"),
    ),
    "an altered turn": (["UPDATE entry SET turn = 7 WHERE position = 1"], Broken(1, "the entry was altered or moved")),
    "an altered kind": (
        ["UPDATE entry SET kind = 'override' WHERE position = 1"],
        Broken(1, "the entry was altered or moved"),
    ),
    "an altered seal": (
        ["UPDATE entry SET seal = x'00' WHERE position = 2"],
        Broken(2, "the entry was altered or moved"),
    ),
    "a reason that is none": (
        ["UPDATE entry SET reason = '' WHERE position = 2"],
        Broken(2, "the entry was altered or moved: a reason is one line of text"),
    ),
    "two rows that changed places": (
        [
            "UPDATE entry SET position = 9 WHERE position = 2",
            "UPDATE entry SET position = 2 WHERE position = 3",
            "UPDATE entry SET position = 3 WHERE position = 9",
        ],
        Broken(2, "the entry was altered or moved"),
    ),
    "a removed row, and the others moved up": (
        ["DELETE FROM entry WHERE position = 2", "UPDATE entry SET position = position - 1 WHERE position > 2"],
        Broken(2, "the entry was altered or moved"),
    ),
    "a row too many": (
        [f"INSERT INTO entry SELECT 5, {COPY}, seal FROM entry WHERE position = 4"],
        Broken(5, "the entry was altered or moved"),
    ),
    "another end": (["UPDATE head SET position = 3"], Broken(4, "the recorded end is not that of the chain")),
    "no end": (["DELETE FROM head"], Broken(0, "")),
}


@pytest.mark.parametrize(("statements", "found"), TAMPERINGS.values(), ids=TAMPERINGS)
def test_what_was_tampered_with_is_noticed(statements: list[str], found: Broken, tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    with SqliteLedger(path) as ledger:
        ledger.append([evict(s, n) for n, s in enumerate("ABCD")])
        assert isinstance(ledger.verify(), Intact)
    tampered(path, *statements)
    with SqliteLedger(path) as ledger:
        told = ledger.verify()
    assert isinstance(told, Broken)
    assert told == found or (found.position == 0 and "the recorded end is missing" in told.what)


def test_a_missing_trigger_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    SqliteLedger(path).close()
    connection = sqlite3.connect(path)
    connection.execute("DROP TRIGGER entry_stays")
    connection.close()
    with SqliteLedger(path) as ledger:
        assert ledger.verify() == Broken(0, "`entry_stays` of the file is missing")


def test_only_a_receipt_tells_that_the_end_was_cut_off_with_care(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    with SqliteLedger(path) as ledger:
        ledger.append([evict("A"), evict("B")])
        receipt = ledger.append([evict("C")])
    tampered(
        path,
        "DELETE FROM entry WHERE position = 3",
        "UPDATE head SET position = 2, seal = (SELECT seal FROM entry WHERE position = 2)",
    )
    with SqliteLedger(path) as ledger:
        assert isinstance(ledger.verify(), Intact)
        assert ledger.verify(receipt) == Broken(3, "an acknowledged entry is missing")


def garbage(path: Path) -> None:
    path.write_bytes(b"no database at all, but long enough to be taken for one " * 40)


def another(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE other (x)")
    connection.close()


def newer(path: Path) -> None:
    SqliteLedger(path).close()
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 2")
    connection.close()


@pytest.mark.parametrize("make", [garbage, another, newer, Path.mkdir])
def test_what_is_no_ledger_is_not_opened(make: Callable[[Path], None], tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    make(path)
    with pytest.raises(Unwritten, match=r"ledger\.db"):
        SqliteLedger(path)


def test_a_ledger_that_somebody_holds_is_not_written_and_nothing_is_half_there(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    with SqliteLedger(path, wait=0.05) as ledger:
        ledger.append([evict("A")])
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(Unwritten, match="locked"):
            ledger.append([evict("B")])
        other.execute("ROLLBACK")
        other.close()
        ledger.append([evict("C")])
        assert [e.span for e in ledger.entries()] == ["A", "C"]


def test_a_closed_ledger_says_so(tmp_path: Path) -> None:
    ledger = SqliteLedger(tmp_path / "ledger.db")
    ledger.close()
    ledger.close()
    with pytest.raises(Unwritten, match="closed"):
        ledger.head()
    assert isinstance(ledger.verify(), Broken)
