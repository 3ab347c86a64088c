"""`selfedit simulate` as a person runs it: to a file, to standard output, and with arguments that are wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from selfedit_formal import simulate
from selfedit_formal.runtime.monitor import monitor
from selfedit_formal.runtime.session_log import write
from tests.cli.command import selfedit

CHAT = """\
window Chat {
  tag    : user | result
  tokens : int >= 1
}

policy trim(cap: int >= 1) for Chat {
  fill newest s where true by s.tokens up to cap
}

session trimmed(cap: int >= 1) of Chat {
  each turn {
    arrive s where s.tag == result and s.tokens <= 9
    apply trim(cap)
  }
  tombstones none
  ledger none
}
"""


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    path = tmp_path / "chat.sef"
    path.write_text(CHAT, encoding="utf-8")
    return path


def test_the_log_goes_to_a_file_or_to_standard_output(
    chat: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ("simulate", str(chat), "trimmed", "--turns", "20", "--seed", "3", "--set", "cap=15")
    shown = selfedit(capsys, *arguments)
    assert shown.code == 0
    path = tmp_path / "log.jsonl"
    kept = selfedit(capsys, *arguments, "-o", str(path))
    assert (kept.code, kept.out) == (0, "")
    assert path.read_text(encoding="utf-8") == shown.out
    assert selfedit(capsys, *arguments, "-o", "-").out == shown.out
    events = simulate(chat, "trimmed", turns=20, seed=3, parameters={"cap": 15})
    assert shown.out.splitlines() == [write(e) for e in events]
    assert monitor(shown.out.encode().splitlines()).totals.turns == 20


def test_a_value_that_is_no_number_is_a_mistake_in_the_command(chat: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ran = selfedit(capsys, "simulate", str(chat), "--set", "cap", "--set", "cap=many")
    assert ran.code == 2
    for given in ("cap", "cap=many"):
        assert f"`{given}` is not a name, `=`, and a whole number" in ran.err


def test_what_cannot_be_simulated_is_told_and_no_log_is_written(
    chat: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "log.jsonl"
    ran = selfedit(capsys, "simulate", str(chat), "-o", str(path))
    assert ran.code == 2
    assert "error[E001]: the parameter `cap` of `trimmed` has no value" in ran.err
    assert not path.exists()


def test_a_file_that_cannot_be_written_is_a_mistake_in_the_command(
    chat: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ran = selfedit(capsys, "simulate", str(chat), "--set", "cap=9", "-o", str(tmp_path / "nowhere" / "log.jsonl"))
    assert ran.code == 2
    assert "nowhere" in ran.err
