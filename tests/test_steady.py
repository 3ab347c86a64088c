"""The clock decides nothing: the same file has the same report, times apart, however busy the machine is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from selfedit_formal.core.verdict import RunEnd
from selfedit_formal.engines import Limits
from selfedit_formal.language.resolve import load
from selfedit_formal.reports.json import document
from selfedit_formal.verifying.verify import verify

FILE = """
window Chat {
  tag    : system | user | call | result
  tokens : int >= 0
  call   : key
  stale  : bool
}
predicate paired(W) = all r in W where r.tag == result: some c in W: c.tag == call and c.call == r.call and c before r

policy newest(k: int >= 0) for Chat { evict s where count(t: t after s) >= k }
policy long for Chat { when count(s) > 10  evict s where s.stale }
policy never for Chat { evict s where s.tokens < 0 }
policy calls(cap: int >= 0) for Chat { evict s where s.tag == call and s.tokens > cap }
policy ends(a: int >= 0, b: int >= 0) for Chat {
  evict s where s.tag == result and count(t: t after s) >= a and count(t: t before s and t.tag == call) >= b
}
policy product(n: int >= 2, m: int >= 2) for Chat { evict s where n * m * s.tokens == 1000036000099 and s.stale }

property stays(P: policy) = all W: all s in W: s in P(W)

check newest: idempotent
check never: idempotent
check newest(k = 9): preserves(paired)   within 5 spans expect holds
check calls: preserves(paired)
check long: stays
check product: stays
check ends: idempotent
"""
LIMITS = Limits(within=6, proof=0.5, search=0.2)
OPTIONS = ("--within", "6", "--proof", "0.5", "--search", "0.2", "--format", "json")
VERDICTS = {"proved", "bounded", "refuted", "vacuous", "unknown"}


@contextmanager
def busy(loops: int) -> Iterator[None]:
    """So many processes that have nothing to do but do it as fast as they can."""
    spinning = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(loops)]
    try:
        yield
    finally:
        for one in spinning:
            one.kill()
            one.wait()


def checks(report: dict[str, list[dict[str, object]]]) -> list[dict[str, object]]:
    return [{**check, "seconds": 0, "file": "", "smt2": ""} for check in report["checks"]]


def by_command(path: Path, seed: int, jobs: int) -> list[dict[str, object]]:
    command = (sys.executable, "-m", "selfedit_formal", "check", path, *OPTIONS, "-j", str(jobs))
    left = ("--output-dir", path.parent)
    environment = {**os.environ, "PYTHONHASHSEED": str(seed)}
    done = subprocess.run((*command, *left), env=environment, capture_output=True, encoding="utf-8", check=False)
    return checks(json.loads(done.stdout))


def test_a_report_is_the_same_on_an_idle_and_on_a_busy_machine(tmp_path: Path) -> None:
    path = tmp_path / "checks.sef"
    path.write_text(FILE, encoding="utf-8")
    idle = by_command(path, 0, 1)
    assert {check["verdict"] for check in idle} == VERDICTS
    with busy(4):
        assert by_command(path, 1, 4) == idle
        assert by_command(path, 2, 1) == idle


def test_a_check_is_answered_the_same_first_and_last_and_in_this_process(tmp_path: Path) -> None:
    path = tmp_path / "checks.sef"
    path.write_text(FILE, encoding="utf-8")
    obligations = load(path).obligations
    there = by_command(path, 0, 2)
    forwards = [verify(o, LIMITS, unanswered=None) for o in obligations]
    backwards = [verify(o, LIMITS, unanswered=None) for o in reversed(obligations)]
    for here in (forwards, backwards[::-1]):
        assert checks(json.loads(json.dumps(document(here, RunEnd(0.0))))) == there
