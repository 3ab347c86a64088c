"""`selfedit witness`: each rule is shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import selfedit


def test_a_witness_shows_each_rule(capsys: pytest.CaptureFixture[str], good: Path) -> None:
    done = selfedit(capsys, "witness", "log.sef", "--policy", "drop")
    assert (done.code, done.err) == (0, "")
    assert "acts     evict s where s.tag == dump and s.stale  [log.sef:3]" in done.out
    assert "A: dump { stale }  - evicted (rule 1)" in done.out
    assert "window drop_fires_1 of Log = [" in done.out
    assert done.out.rstrip().endswith("all shown")
