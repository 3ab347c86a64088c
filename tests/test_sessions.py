"""R0's session, turns 41 to 52, from the file to every command: refuted without tombstones, proved with them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import z3

from selfedit_formal import replay
from tests.cli.command import selfedit

TEXT = """
window Kubectl {
  tag               : constraint | instruction | tool_output | rationale | paraphrase
  tokens            : int >= 1
  stale, referenced : bool
  link justifies    : rationale -> tool_output
  control s where s.tag in {constraint, instruction}
}

## Turns 41 and 46: the stale dump goes, and with it its own justification. Over the cap the oldest go.
policy prune(cap: int >= 1) for Kubectl {
  keep s where control(s)
  at once {
    evict s where s.tag == tool_output and s.stale
    evict s where s.tag == rationale and some t: s justifies t and t.stale
  }
  evict s where total(t.tokens: t not before s and not control(t)) > cap
}

## Turn 43: no record says that the command was run before, so it is run again.
session kubectl_loop(cap: int >= 1) of Kubectl {
  each turn {
    arrive up to 2 s where s.tag in {tool_output, rationale}
    may set s where s.tag == tool_output { stale = true }
    may readmit s where s.tag == tool_output and s.referenced
    apply prune(cap)
  }
  tombstones none
  ledger     none
}

session kubectl_mended(cap: int >= 1) of Kubectl {
  each turn {
    arrive up to 2 s where s.tag in {tool_output, rationale}
    may set s where s.tag == tool_output { stale = true }
    may readmit s where s.tag == tool_output and s.referenced
    may readmit s where s.tag == tool_output override
    apply prune(cap)
  }
  tombstones sidecar
  ledger     sidecar
}

## Turn 52: the constraint was paraphrased, and the paraphrase pruned.
policy reword for Kubectl {
  may set s where s.tag == constraint { tag = paraphrase, tokens <= s.tokens }
  evict s where s.tag == paraphrase
}
session rewords of Kubectl { each turn { apply reword } }

check kubectl_loop: no_thrash, audited   expect refuted
check kubectl_mended: no_thrash, audited, control_survives   expect proved
check rewords: control_survives   expect refuted
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "kubectl.sef"
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_the_loop_is_refuted_and_what_mends_it_is_proved(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = file.parent / "kept"
    ran = selfedit(capsys, "check", str(file), "--format", "json", "--certificates", str(kept), "--timeout", "0")
    assert ran.code == 0
    checks = {(c["policy"], c["property"]): c for c in json.loads(ran.out)["checks"]}
    loop = checks["kubectl_loop", "no_thrash"]
    assert (loop["verdict"], loop["turns"], loop["spans"]) == ("refuted", 2, 0)
    assert [g["tombstone"] for g in loop["case"]["gone"]] == [None, None]
    mended = checks["kubectl_mended", "no_thrash"]
    assert mended["verdict"] == "proved"
    texts = [c["text"] for c in mended["induction"]["invariant"]]
    assert "all s in known(W): s in W implies not s.evicted" in texts
    assert mended["notes"][0].startswith("the rule `may readmit s where s.tag == tool_output and s.referenced` never")
    assert checks["kubectl_mended", "control_survives"]["verdict"] == "proved"
    assert checks["rewords", "control_survives"]["turns"] == 1
    certificates = sorted(p.name for p in kept.iterdir())
    assert len(certificates) == 3
    assert certificates[-1].endswith("_kubectl_mended_no_thrash.json")
    again = selfedit(capsys, "recheck", str(kept), "--against", str(file))
    assert again.code == 0
    assert again.out.splitlines()[-1] == "3 certificates: 3 check"
    document = json.loads((kept / certificates[-1]).read_text(encoding="utf-8"))
    assert [c["text"] for c in document["induction"]["clauses"]] == texts
    assert {part["name"] for part in document["parts"]} == {
        f"{part} {n}" for part in ("start", "turn") for n in range(1, len(texts) + 1)
    }


def test_a_changed_part_of_a_certificate_does_not_check(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = file.parent / "kept"
    mended = ("--policy", "kubectl_mended", "--property", "audited")
    assert selfedit(capsys, "check", str(file), *mended, "--certificates", str(kept), "--no-vacuity").code == 0
    (path,) = kept.iterdir()
    path.write_text(path.read_text(encoding="utf-8").replace("turn 1", "turn 2", 1), encoding="utf-8")
    assert selfedit(capsys, "recheck", str(path)).code == 2


def test_a_session_is_left_behind_as_a_test_that_passes_once_it_is_mended(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = file.parent / "left"
    ran = selfedit(
        capsys, "regress", str(file), "-o", str(folder), "--policy", "kubectl_loop", "--property", "no_thrash"
    )
    assert ran.code == 0
    (test,) = folder.glob("test_kubectl_loop_no_thrash_*.py")
    text = test.read_text(encoding="utf-8")
    assert "breaks `no_thrash` in 2 turns from this window." in text
    assert "turns=2," in text
    assert "environment1 new1" in text
    assert "of Kubectl = []" in test.with_name(test.name.removeprefix("test_").replace(".py", ".sef")).read_text(
        encoding="utf-8"
    )
    run = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(test)]
    failing = subprocess.run(run, capture_output=True, text=True, check=False)
    assert failing.returncode == 1
    assert "came back and was evicted in turn 2" in failing.stdout
    file.write_text(TEXT.replace("tombstones none", "tombstones sidecar"), encoding="utf-8")
    assert subprocess.run(run, capture_output=True, check=False).returncode == 0


def test_a_replay_needs_to_know_how_many_turns(file: Path) -> None:
    window = "window W0 of Kubectl = [ A: tool_output { tokens = 900, stale, referenced } ]"
    answers = {"kubectl_loop.environment2": {"A": True}}
    outcome = replay(file, "kubectl_loop", "no_thrash", window=window, turns=2, answers=answers)
    assert not outcome.kept
    assert "A was evicted in turn 1, came back and was evicted in turn 2" in outcome.picture
    assert replay(file, "kubectl_loop", "no_thrash", window=window, turns=1).kept
    assert replay(file, "kubectl_mended", "no_thrash", window=window, turns=2, answers=answers).kept
    with pytest.raises(ValueError, match="takes a number of turns"):
        replay(file, "kubectl_loop", "no_thrash", window=window)
    with pytest.raises(ValueError, match="takes no turns"):
        replay(file, "prune", "idempotent", window=window, turns=1)


def test_every_statement_of_a_session_has_its_witness(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ran = selfedit(capsys, "witness", str(file), "--policy", "kubectl_mended", "--proof", "0", "--turns", "2")
    assert ran.code == 0
    assert "acts     arrive up to 2 s where s.tag in {tool_output, rationale}" in ran.out
    assert "1 turn from 0 spans" in ran.out
    told = ran.out.split("may readmit s where s.tag == tool_output and s.referenced")[1].split("acts")[0]
    assert "never, up to 2 turns from windows of up to 4 spans" in " ".join(told.split())
    assert "by an override" in ran.out
    assert "questions: 1 not shown" in ran.out.strip().split("\n")[-1]


def test_the_query_of_some_turns_can_be_printed(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def answer(turns: int) -> z3.CheckSatResult:
        name = ("--check", "kubectl_loop: no_thrash")
        ran = selfedit(capsys, "smt2", str(file), *name, "--turns", str(turns), "--spans", "1")
        solver = z3.Solver()
        solver.from_string(ran.out)
        return solver.check()

    assert answer(1) == z3.unsat
    assert answer(2) == z3.sat
