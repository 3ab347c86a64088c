"""How the signals of a log are shown, to a person and to a machine."""

from __future__ import annotations

import json

from selfedit_formal.reports.layout import plain
from selfedit_formal.reports.monitor import document, report
from selfedit_formal.runtime.monitor import Finding, Report, Settings, Totals, monitor

CYCLE = Finding("prune_readmit_cycle", (41, 43), ("A", "dump"), "`A` came back", {"tokens": 900})


def test_a_log_without_signals_says_so() -> None:
    text = plain(report(monitor([b'{"event": "turn", "turn": 1}\n']), "session.jsonl", 80))
    assert text.startswith("session.jsonl\n    no signals\n\n    1 turn, 0 passes, 0 edits\n")


def test_signals_stand_in_the_order_of_the_records_with_what_was_left_out() -> None:
    over = Finding("over_cap", (7, 7), (), "too much")
    text = plain(report(Report((over, CYCLE), {"over_cap": 2}, Totals(cap=10)), "log", 80))
    assert text.splitlines()[:8] == [
        "log",
        "",
        "R0  prune_readmit_cycle",
        "    turns 41, 43: `A` came back",
        "",
        "R2  over_cap",
        "    turn 7: too much",
        "    and 2 more",
    ]


def test_what_was_forgotten_is_said() -> None:
    lines = [f'{{"event": "turn", "turn": {n}, "calls": ["c{n}"]}}'.encode() for n in range(9)]
    text = plain(report(monitor(lines, settings=Settings(remembered=3)), "log", 200))
    assert "6 keys forgotten: what goes back to them does not show" in text


def test_the_document_says_the_same() -> None:
    made = json.loads(json.dumps(document(Report((CYCLE,), {}, Totals(cycles=1)), "log")))
    assert made["findings"] == [
        {
            "signal": "prune_readmit_cycle",
            "record": "R0",
            "turns": [41, 43],
            "about": ["A", "dump"],
            "text": "`A` came back",
            "numbers": {"tokens": 900},
        }
    ]
    assert (made["schema"], made["log"], made["omitted"], made["totals"]["cycles"]) == (1, "log", {}, 1)
