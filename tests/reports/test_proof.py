"""A proof is shown in the words of the policy, and its certificate can be asked again from the command line."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.command import selfedit

TEXT = """
window Chat {
  tag    : user | result
  tokens : int >= 1
}
policy recent(cap: int >= 0) for Chat {
  evict s where total(t.tokens: t not before s) > cap
}
check recent: never_grows                  expect proved
check recent: within(cap)                  expect proved
check recent: within(cap) assuming no s in W: s.tag == result
"""


LESS = re.compile(r"n\d+ <= n\d+")
"""One counter is at most another."""


@pytest.fixture
def checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[Path, str]:
    file = tmp_path / "recent.sef"
    file.write_text(TEXT, encoding="utf-8")
    ran = selfedit(capsys, "check", str(file), "-v", "--certificates", str(tmp_path / "kept"))
    assert ran.code == 0
    return tmp_path / "kept", ran.out


def test_what_a_proof_rests_on_is_said_in_the_words_of_the_policy(checked: tuple[Path, str]) -> None:
    _, out = checked
    assert "rests on the bounds of `tokens`" in out
    assert "the bound cap >= 0" in out
    assert "the rule evict s where total(t.tokens: t not before s) > cap" in out
    assert LESS.search(out)
    assert "total s.tokens" in out


def test_certificates_are_kept_and_check_again(checked: tuple[Path, str], capsys: pytest.CaptureFixture[str]) -> None:
    folder, _ = checked
    files = sorted(folder.iterdir())
    assert [re.sub("_[0-9a-f]{8}_", "_", f.name) for f in files] == [
        "recent_recent_never_grows.json",
        "recent_recent_within_cap.json",
        "recent_recent_within_cap_assuming_no_s_in_W_s_tag_result.json",
    ]
    about = json.loads(files[0].read_text(encoding="utf-8"))["about"]
    assert about["policy"] == "recent"
    assert len(about["policy_sha256"]) == 64
    ran = selfedit(capsys, "recheck", *map(str, files), "--against", str(folder.parent / "recent.sef"))
    assert ran.code == 0
    assert ran.out.count("; its conditions are those of `") == len(files)


def test_a_tampered_certificate_is_refused(checked: tuple[Path, str], capsys: pytest.CaptureFixture[str]) -> None:
    folder, _ = checked
    file = next(f for f in folder.iterdir() if "never_grows" in f.name)
    file.write_text(LESS.sub("true", file.read_text(encoding="utf-8")), encoding="utf-8")
    ran = selfedit(capsys, "recheck", str(file), str(folder / "missing.json"))
    assert ran.code == 2
    assert "changed after it was written" in ran.out
    assert "missing.json: cannot be read" in ran.out


def test_json_says_what_a_proof_rests_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "recent.sef"
    file.write_text(TEXT, encoding="utf-8")
    ran = selfedit(capsys, "check", str(file), "--format", "json")
    proof = json.loads(ran.out)["checks"][0]["proof"]
    assert proof["rests_on"] == ["the bounds of `tokens`"]
    assert proof["invariant"]
