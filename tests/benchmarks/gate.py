"""The gate: its own work on windows of a thousand to a hundred thousand spans, beside one pass in plain Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time

from selfedit_formal.gate import Apply, Delete, Ledger, MemoryLedger, PlainSpan, SqliteLedger, Terms, decide
from tests.benchmarks.timing import seconds, table

SIZES = (1_000, 10_000, 100_000)
RUNS = 9


def window(size: int) -> tuple[PlainSpan, ...]:
    """A constraint, then tool outputs, each third of which justifies the next."""
    rest = range(1, size)
    return (
        PlainSpan("s0", "c0", "constraint", 10),
        *(
            PlainSpan(f"s{n}", f"c{n}", "tool_output", 100, {"justifies": (f"s{n + 1}",)} if n % 3 == 1 else {})
            for n in rest
        ),
    )


def stale(spans: Sequence[PlainSpan]) -> list[PlainSpan]:
    """One span in twenty, none of which justifies another."""
    return [s for s in spans if s.tag == "tool_output" and int(s.id[1:]) % 60 in (2, 20, 38)]


def one_pass(spans: Sequence[PlainSpan]) -> int:
    """What every policy does at least: looks at each span once."""
    return sum(s.tokens for s in spans if s.tag != "constraint")


def one_dict(spans: Sequence[PlainSpan]) -> Mapping[str, tuple[str, str, int]]:
    """What everything that is to know a span by its id does at least: how this grows is Python's own doing."""
    return {s.id: (s.content, s.tag, s.tokens) for s in spans}


def deciding(spans: tuple[PlainSpan, ...], plan: list[Delete], ledger: Ledger) -> None:
    """A plan that drops a twentieth of the window, through the gate."""
    assert isinstance(decide(spans, Terms(1, "stale", ledger), plan=plan), Apply)


def in_memory(spans: tuple[PlainSpan, ...], plan: list[Delete]) -> None:
    """The plan, recorded in memory."""
    deciding(spans, plan, MemoryLedger())


def anew(spans: tuple[PlainSpan, ...], output: list[PlainSpan]) -> None:
    """The same as the output of an editor that made its spans anew, so that each must be compared."""
    assert isinstance(decide(spans, Terms(1, "stale", MemoryLedger()), output=output), Apply)


def rerunning(spans: tuple[PlainSpan, ...], gone: frozenset[str]) -> None:
    """The same as a policy, which the gate runs three times."""

    def policy(some: Sequence[PlainSpan]) -> Sequence[PlainSpan]:
        return [s for s in some if s.id not in gone]

    assert isinstance(decide(spans, Terms(1, "stale", MemoryLedger()), policy=policy), Apply)


def on_disk(spans: tuple[PlainSpan, ...], plan: list[Delete], folder: Path) -> float:
    """The median wall time, in seconds, of the plan, recorded in a ledger on disk that is open already."""
    ledgers = [SqliteLedger(folder / f"{run}.db") for run in range(RUNS)]
    waiting = iter(ledgers)
    time = seconds(lambda: deciding(spans, plan, next(waiting)), RUNS)
    for ledger in ledgers:
        ledger.close()
    return time


def own(call: Callable[[], object], size: int) -> float:
    """The median processor time of a call, in seconds: the work itself, however busy the machine is."""
    calls = max(1, SIZES[-1] // size // 5)
    times = []
    for _ in range(RUNS):
        start = process_time()
        for _ in range(calls):
            call()
        times.append((process_time() - start) / calls)
    return median(times)


def measure() -> None:
    """Prints the table: milliseconds of a decision, microseconds a span, and how many plain passes that makes."""
    rows = []
    for size in SIZES:
        spans = window(size)
        plan = [Delete(s.id) for s in stale(spans)]
        gone = frozenset(edit.span for edit in plan)
        output = [replace(s) for s in spans if s.id not in gone]
        plain = own(partial(one_pass, spans), size)
        with TemporaryDirectory() as folder:
            durable = on_disk(spans, plan, Path(folder))
        for way, time in (
            ("one pass in plain Python", plain),
            ("one dict of it in plain Python", own(partial(one_dict, spans), size)),
            ("a plan", own(partial(in_memory, spans, plan), size)),
            ("an output made anew", own(partial(anew, spans, output), size)),
            ("a policy, with its three runs", own(partial(rerunning, spans, gone), size)),
            ("a plan, in a ledger on disk (wall time)", durable),
        ):
            cells = (f"{time * 1e3:.2f} ms", f"{time / size * 1e6:.3f} µs", f"{time / plain:.0f}")
            rows.append((f"{size:,} spans, {way}", *cells))
    table(f"the gate, median processor time of {RUNS}", ("", "time", "a span", "passes"), rows)
