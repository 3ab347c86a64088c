"""The monitor, line by line, tells what the definitions say of the whole log, in memory that does not grow with it."""

from __future__ import annotations

import io
import random
import subprocess
import sys
import tracemalloc
from collections import Counter
from collections.abc import Iterator

import pytest

from selfedit_formal.core.diagnostics import Rejected
from selfedit_formal.runtime.monitor import SIGNALS, Monitor, Remembered, Settings, Totals, monitor
from selfedit_formal.runtime.session_log import EditLine, Event, LoggedSpan, PassLine, SessionLine, TurnLine, write
from tests.monitoring import SMALL, session, shown


def lines(*events: Event) -> list[bytes]:
    return [write(e).encode() + b"\n" for e in events]


def note(identity: str, content: str = "", tokens: int = 10, *justifies: str) -> LoggedSpan:
    return LoggedSpan(identity, content or identity.lower(), "note", tokens, justifies)


def wrong(*events: Event | str, **settings: int) -> list[str]:
    """What is wrong with a log, as `line: code message`."""
    text = [e.encode() if isinstance(e, str) else write(e).encode() for e in events]
    with pytest.raises(Rejected) as caught:
        monitor(text, "session.jsonl", Settings(**settings))
    return [f"{d.location.line if d.location else '-'}: {d.code} {d.message}" for d in caught.value.diagnostics]


@pytest.mark.parametrize("seed", range(150))
def test_what_is_told_line_by_line_is_what_the_definitions_say(seed: int) -> None:
    events = session(random.Random(seed), 4 + seed % 12)
    told = monitor(lines(*events), settings=SMALL)
    assert sorted((f.signal, f.turns) for f in told.findings) == shown(events, SMALL)
    assert told.totals.forgotten == 0


def test_the_drawn_sessions_show_every_signal_and_many_show_none_of_a_kind() -> None:
    counts = Counter(
        s for seed in range(150) for s in {s for s, _ in shown(session(random.Random(seed), 4 + seed % 12), SMALL)}
    )
    assert set(counts) == set(SIGNALS)
    assert all(5 <= n <= 145 for n in counts.values()), counts


def test_a_log_may_be_a_file_and_its_last_line_may_lack_its_break() -> None:
    text = b"".join(lines(SessionLine(10), TurnLine(1, (note("A", tokens=30),))))
    found = monitor(io.BytesIO(text.rstrip(b"\n")), "session.jsonl")
    assert [f.signal for f in found.findings] == ["over_cap"]


def test_an_empty_log_is_wrong() -> None:
    with pytest.raises(Rejected, match="L006"):
        monitor([])


def test_the_totals_count() -> None:
    found = monitor(
        lines(
            SessionLine(100),
            TurnLine(1, (note("A", "a", 60), note("B", "b", 20)), ("read", "read")),
            PassLine(1),
            EditLine(1, "evict", ("A",), recorded=True),
            TurnLine(2, (note("A2", "a", 60),), ("read",)),
            EditLine(2, "refuse", ("B",)),
            EditLine(2, "override", contents=("a",)),
            PassLine(2),
        )
    )
    assert found.totals == Totals(
        turns=2,
        passes=2,
        edits=1,
        refusals=1,
        overrides=1,
        removals=1,
        tombstones=1,
        cycles=1,
        cycle_tokens=60,
        calls=3,
        redundant_calls=2,
        novel=80,
        repeated=60,
        most_tokens=80,
        cap=100,
    )


def test_four_cycles_of_the_first_record_cost_what_it_says() -> None:
    events: list[Event] = []
    for n in range(5):
        turn = 41 + 2 * n
        events += [
            TurnLine(turn, (LoggedSpan(f"A{n}", "describe_pod", "tool_output", 900), note(f"R{n}", tokens=140))),
            EditLine(turn, "evict", (f"A{n}", f"R{n}"), rationale=(f"R{n}",)),
        ]
    found = monitor(lines(*events))
    assert (found.totals.cycles, found.totals.cycle_tokens) == (4, 4 * (900 + 140))
    assert {f.signal for f in found.findings} == {"prune_readmit_cycle", "no_tombstones"}


def test_an_agent_that_works_at_its_cap_is_no_deadlock() -> None:
    events: list[Event] = []
    for n in range(1, 40):
        events.append(TurnLine(n, (note(f"S{n}", tokens=100),)))
        if n > 20:
            events.append(EditLine(n, "evict", (f"S{n - 20}",), recorded=True))
    assert monitor(lines(*events)).findings == ()


# ---------- logs that are wrong


def test_what_does_not_fit_is_told_all_at_once_with_its_line() -> None:
    assert wrong(
        EditLine(1, "override", contents=("a",)),
        TurnLine(2, (note("A"),)),
        SessionLine(),
        TurnLine(2),
        TurnLine(3, (note("A"), note("B"))),
        PassLine(2),
        EditLine(3, "evict", ("Z",)),
        EditLine(3, "readmit", made=(note("A"),)),
        EditLine(3, "merge", ("A",), (note("B"),)),
        EditLine(3, "refuse", ("Z",)),
        EditLine(3, "merge", ("B",), (note("B"),)),
    ) == [
        "1: L003 no turn has begun yet",
        "3: L003 a session is the first line",
        "4: L003 turn 2 comes after turn 2",
        "5: L004 `A` arrives and is in the window already",
        "6: L003 this is of turn 2, and turn 3 is under way",
        "7: L004 `Z` is not in the window",
        "8: L004 `A` is in the window already",
        "9: L004 `B` is in the window already",
    ]


def test_lines_after_one_that_cannot_be_read_are_not_blamed_for_it() -> None:
    assert wrong(
        TurnLine(1, (note("A"),)),
        '{"event": "turn", "turn": 2, "arrived": [{"id": "B"}]}',
        EditLine(2, "evict", ("B",)),
        "{",
    ) == [
        "2: L002 the field `content` is missing",
        "4: L001 the line is not JSON: expecting property name enclosed in double quotes",
    ]


def test_lines_after_one_that_does_not_fit_are_not_blamed_for_it() -> None:
    assert wrong(
        TurnLine(5, (note("A"),)),
        TurnLine(4, (note("B"),)),
        EditLine(4, "evict", ("B", "Z")),
        TurnLine(5, (note("B"), note("A"))),
    ) == [
        "2: L003 turn 4 comes after turn 5",
        "3: L004 `Z` is not in the window",
        "4: L004 `A` arrives and is in the window already",
    ]


def test_a_window_without_bounds_is_refused() -> None:
    events = [TurnLine(n, (note(f"S{n}"),)) for n in range(1, 5)]
    assert wrong(*events, spans=3) == ["4: L005 the window has more than 3 spans"]


def test_of_very_many_wrong_lines_the_first_are_told_and_the_others_counted() -> None:
    assert wrong(*["{}"] * 9, wrong=2) == [
        "1: L002 the field `event` is missing",
        "2: L002 the field `event` is missing",
        "-: L002 7 more lines are wrong",
    ]


# ---------- memory


def test_what_was_not_met_for_the_longest_time_is_forgotten() -> None:
    memory: Remembered[int] = Remembered(2)
    memory.put("a", 1)
    memory.put("b", 2)
    assert memory.get("a") == 1
    memory.put("c", 3)
    assert (memory.get("a"), memory.get("b"), memory.get("c"), memory.forgotten) == (1, None, 3, 1)


def test_a_return_after_it_was_forgotten_does_not_show_and_the_report_says_so() -> None:
    events: list[Event] = [TurnLine(1, (note("A"),)), EditLine(1, "evict", ("A",), recorded=True)]
    for n in range(2, 6):
        events += [TurnLine(n, (note(f"S{n}"),)), EditLine(n, "evict", (f"S{n}",), recorded=True)]
    events.append(TurnLine(6, (note("A2", "a"),)))
    assert [f.signal for f in monitor(lines(*events)).findings] == ["prune_readmit_cycle"]
    found = monitor(lines(*events), settings=Settings(remembered=3))
    assert found.findings == ()
    assert found.totals.forgotten > 0


def test_findings_beyond_those_kept_are_counted() -> None:
    events: list[Event] = [TurnLine(n, established={"x": "1"}) for n in range(1, 2)]
    events += [EditLine(1, "rewrite", ("A",), (note("A"),), claims={"x": "2"}) for _ in range(5)]
    events[0] = TurnLine(1, (note("A"),), established={"x": "1"})
    found = monitor(lines(*events), settings=Settings(kept=2))
    assert len([f for f in found.findings if f.signal == "summary_diverges"]) == 2
    assert found.omitted == {"summary_diverges": 3}


def endless(turns: int) -> Iterator[bytes]:
    """A session in which everything is new and everything goes wrong."""
    for n in range(1, turns + 1):
        yield from lines(
            TurnLine(n, (note(f"S{n}", f"c{n}", 10, f"S{n + 1}"),), (f"call {n}",), {f"fact {n}": "1"}),
            PassLine(n, f"digest {n}"),
        )
        if n > 20:
            yield from lines(EditLine(n, "evict", (f"S{n - 20}",), claims={}))


def peak(turns: int) -> int:
    """The most memory in use while a log of so many turns is followed, in bytes."""
    settings = Settings(remembered=50, kept=5)
    tracemalloc.start()
    try:
        monitor(endless(turns), settings=settings)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_log_ten_times_as_long_takes_about_the_same_memory() -> None:
    peak(200)
    assert peak(3_000) < 2 * peak(300)


def test_a_running_agent_can_be_followed_event_by_event() -> None:
    following = Monitor()
    for event in (TurnLine(1, (note("T", "t", 10, "S"), note("S"))), EditLine(1, "evict", ("T",), recorded=True)):
        assert following.problem(event) is None
        assert following.see(event) == ()
    assert [f.signal for f in following.see(TurnLine(2))] == ["orphaned_rationale"]
    assert following.end() == ()


def test_the_monitor_loads_no_solver_and_no_parser() -> None:
    program = (
        "import sys, selfedit_formal.runtime.monitor\n"
        "assert not {'z3', 'lark', 'click', 'rich', 'jsonschema'} & sys.modules.keys()\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
