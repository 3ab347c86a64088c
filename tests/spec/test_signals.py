"""`spec/signals.md` runs: what it says of each log is what is said, and every signal has its section and a log."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from selfedit_formal.reports.layout import plain
from selfedit_formal.reports.monitor import report
from selfedit_formal.runtime.monitor import DEFAULT, RECORDS, SIGNALS, monitor
from tests.documents import Block, blocks, rewritten

PATH = Path(__file__).parents[2] / "spec" / "signals.md"


def sections(page: str) -> dict[str, str]:
    return dict(re.findall(r"^### (\w+)\n(.*?)(?=^##|\Z)", page, re.MULTILINE | re.DOTALL))


def test_what_the_page_says_of_each_log_is_what_is_said(update_spec: bool) -> None:
    page = PATH.read_text(encoding="utf-8")
    shown = [b for b in blocks(page) if b.kind in ("jsonl", "text")]
    assert [b.kind for b in shown] == ["jsonl", "text"] * (len(shown) // 2)
    found: dict[Block, str] = {}
    for log, told in zip(shown[::2], shown[1::2], strict=True):
        lines = log.text.encode().splitlines(keepends=True)
        found[told] = plain(report(monitor(lines, "session.jsonl"), "session.jsonl", 100)) + "\n"
    if update_spec:
        PATH.write_text(rewritten(page, found), encoding="utf-8")
        return
    for block, text in found.items():
        assert block.text == text


def test_every_signal_has_its_section_with_a_sentence_of_its_record_and_a_log_that_shows_it() -> None:
    found = sections(PATH.read_text(encoding="utf-8"))
    assert tuple(found) == SIGNALS
    for signal, section in zip(SIGNALS, found.values(), strict=True):
        assert re.search(rf"^> {RECORDS[signal]}\b", section, re.MULTILINE)
        log, told = (b for b in blocks(section) if b.kind in ("jsonl", "text"))
        assert f"{RECORDS[signal]}  {signal}\n" in told.text
        assert signal in {f.signal for f in monitor(log.text.encode().splitlines()).findings}


@pytest.mark.parametrize(
    ("signal", "said"),
    [
        ("rewrites_without_progress", f"the last {DEFAULT.passes} passes"),
        ("rewrites_without_progress", f"than {DEFAULT.band:.0%} of their sum"),
        ("rewrites_without_progress", "at most a quarter"),
        ("reachability_lost", f"at least {DEFAULT.coverage:.0%}"),
        ("no_tombstones", f"{DEFAULT.removals} or more removals"),
        ("redundant_calls", f"The last {DEFAULT.turns} turns are compared with the {DEFAULT.turns} before"),
    ],
)
def test_the_numbers_on_the_page_are_the_ones_used(signal: str, said: str) -> None:
    assert DEFAULT.progress == 0.25
    assert said in " ".join(sections(PATH.read_text(encoding="utf-8"))[signal].split())


def test_the_bounds_on_the_page_are_the_ones_used() -> None:
    page = " ".join(PATH.read_text(encoding="utf-8").split())
    assert f"for {DEFAULT.remembered:,} keys" in page
    assert f"the first {DEFAULT.kept:,} findings" in page
    assert f"up to {DEFAULT.spans:,} spans" in page
