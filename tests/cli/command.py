"""The command as tests run it: in this process, in one of its own, or believing answers that it is given."""

from __future__ import annotations

import gc
import subprocess
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass

import pytest

from selfedit_formal import cli
from selfedit_formal.core.property import Obligation
from selfedit_formal.core.verdict import (
    Result,
)
from selfedit_formal.engines import Limits

GOOD = """\
window Log { tag : rule | dump | note  stale : bool }

policy drop for Log { evict s where s.tag == dump and s.stale }
policy hide for Log { evict s where s.tag == rule }

predicate ruled(W) for Log = some s in W: s.tag == rule

check drop: preserves(ruled)
check hide: preserves(ruled)  expect refuted
"""


@dataclass(frozen=True, slots=True)
class Run:
    code: int
    out: str
    err: str


def selfedit(capsys: pytest.CaptureFixture[str], *arguments: object) -> Run:
    capsys.readouterr()
    threshold = gc.get_threshold()
    try:
        with pytest.raises(SystemExit) as end:
            cli.main([str(a) for a in arguments])
    finally:  # a command ends its process, and so hardly looks for garbage
        gc.set_threshold(*threshold)
        gc.unfreeze()
    said = capsys.readouterr()
    assert "Traceback" not in said.err
    assert isinstance(end.value.code, int)
    return Run(end.value.code, said.out, said.err)


def process(*arguments: str) -> subprocess.Popen[str]:
    """The command in a process group of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "selfedit_formal.cli", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        start_new_session=True,
    )


Answer = Callable[[Sequence[Obligation]], Sequence[Result]]


def answering(monkeypatch: pytest.MonkeyPatch, answer: Answer) -> list[tuple[object, ...]]:
    """Makes the command believe these answers, without any process; returns what it is asked, call by call."""
    asked: list[tuple[object, ...]] = []

    def verify_each(
        obligations: Sequence[Obligation], limits: Limits, jobs: int | None, **more: object
    ) -> Generator[tuple[int, Result], None, None]:
        more.pop("host")
        asked.append((limits, jobs, more))
        yield from enumerate(answer(obligations))

    monkeypatch.setattr("selfedit_formal.verifying.workers.Host", nullcontext)
    monkeypatch.setattr("selfedit_formal.verifying.workers.verify_each", verify_each)
    return asked
