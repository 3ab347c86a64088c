"""The headline numbers of the three records, each without and with its mitigation, over simulated sessions.

`records.sef` has the sessions; sizes, turns and budgets are those of the records, and what these leave out is marked
there as assumed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from selfedit_formal import Window, load
from selfedit_formal.runtime.monitor import RECORDS, Report, monitor
from selfedit_formal.runtime.session_log import TurnLine, write
from selfedit_formal.verifying.simulation import Played, begin, log, play
from tests.benchmarks.timing import table

FILE = Path(__file__).with_name("records.sef")
SEEDS = range(20)
CYCLE = 40
"""R2: "rolling summarization every 40 turns"."""
CONTROL = ("system_policy", "sentence")
"""R2: the tags of the policy block, and of the sentence that it may become."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A pass of the policy: the tokens of the window before and after it, and the spans that it left there."""

    turn: int
    read: int
    left: int
    shown: tuple[str, ...]
    control: bool


@dataclass(frozen=True, slots=True)
class Ran:
    """A simulated session: the passes of the policy, the calls of each turn, and what the monitor says of the log."""

    passes: tuple[Answer, ...]
    calls: tuple[tuple[int, tuple[str, ...]], ...]
    report: Report


def ran(name: str, turns: int, seed: int, cap: int | None = None, start: str | None = None) -> Ran:
    """So many turns of a session of `records.sef`."""
    module = load(FILE)
    session = module.sessions[name]
    parameters = {} if cap is None else {"cap": cap}
    first = begin(session, seed, parameters, None if start is None else module.windows[start])
    passes: list[Answer] = []

    def answered(steps: Iterator[Played]) -> Iterator[Played]:
        for step in steps:
            if not step.step.environment and "." not in step.step.policy.name:
                before, after = step.record.before, step.record.after
                shown = tuple(s.id for s in after.present())
                control = any(s["tag"] in CONTROL for s in after.present())
                passes.append(Answer(step.turn, tokens(before), tokens(after), shown, control))
            yield step

    events = tuple(log(session, first, answered(play(session, first, turns, seed, parameters)), parameters))
    calls = tuple((e.turn, e.calls) for e in events if isinstance(e, TurnLine))
    return Ran(tuple(passes), calls, monitor((write(e).encode() for e in events), name))


def tokens(window: Window) -> int:
    """Of all spans in the window."""
    return sum(int(s["tokens"]) for s in window.present())


# ---------- what is measured


def largest(session: Ran) -> int:
    """The most tokens after a pass."""
    return max(p.left for p in session.passes)


@dataclass(frozen=True, slots=True)
class Deadlock:
    """From some pass on the windows come round again: how many there are, and which part of the budget went there.

    A pass costs the tokens that it reads. `band`: how far from their middle the tokens go, as a part of it.
    """

    period: int
    share: float
    band: float


def deadlock(session: Ran) -> Deadlock | None:
    """The deadlock in which a session ends; None if it comes to rest, or to nothing that repeats."""
    shown = [p.shown for p in session.passes]
    for period in range(1, 5):
        start = len(shown)
        while start > period and shown[start - 1] == shown[start - 1 - period]:
            start -= 1
        first = start - period
        if len(shown) - first < 2 * period:
            continue
        if period == 1:
            return None
        costs = [p.read for p in session.passes]
        sizes = [p.left for p in session.passes[first:]]
        return Deadlock(period, sum(costs[first:]) / sum(costs), (max(sizes) - min(sizes)) / (max(sizes) + min(sizes)))
    return None


def lost(session: Ran) -> int | None:
    """R2: the turn at which nothing was left of the policy block."""
    return next((p.turn for p in session.passes if not p.control), None)


def again(session: Ran, turns: range) -> float:
    """Which part of the calls in these turns had been made before."""
    before: set[str] = set()
    made = redundant = 0
    for turn, calls in session.calls:
        if turn in turns:
            made += len(calls)
            redundant += len(before.intersection(calls))
        before.update(calls)
    return redundant / made if made else 0.0


# ---------- what is printed


def spread(values: Sequence[float], shape: str = ",.0f") -> str:
    """The median, and the smallest and the largest; a dash if there are none."""
    if not values:
        return "-"
    low, middle, high = (format(v, shape) for v in (min(values), median(values), max(values)))
    return low if low == high else f"{middle} ({low} to {high})"


def signals(sessions: Sequence[Ran]) -> str:
    """Of each signal, in how many of the sessions it shows."""
    found = Counter(s for r in sessions for s in {f.signal for f in r.report.findings})
    return ", ".join(f"{n} {found[n]}" for n in RECORDS if found[n]) or "none"


def told(rows: dict[str, list[Ran]]) -> None:
    """Prints the signals of each row below a table."""
    for name, sessions in rows.items():
        print(f"    signals {name}: {signals(sessions)}")


def said(text: str) -> None:
    """Prints a paragraph below a table."""
    print("\n".join(f"  {line}" for line in text.strip().splitlines()))


def r0() -> None:
    """Cycles and the tokens lost to them."""
    rows = {
        "as observed": [ran("r0", 60, s, 24_000, "turn_0") for s in SEEDS],
        "tombstones, override, provenance": [ran("r0_mended", 60, s, 24_000, "turn_0") for s in SEEDS],
    }
    cells = [("the record", "4", "4.2k", "24,000", "1 at least", "")]
    for name, sessions in rows.items():
        totals = [s.report.totals for s in sessions]
        diverging = [sum(f.signal == "summary_diverges" for f in s.report.findings) for s in sessions]
        cells.append(
            (
                name,
                spread([t.cycles for t in totals]),
                spread([t.cycle_tokens for t in totals]),
                spread([largest(s) for s in sessions]),
                spread(diverging),
                spread([t.overrides for t in totals]),
            )
        )
    heads = ("", "cycles", "tokens lost", "most tokens", "summaries that diverge", "overrides")
    table(f"R0: 60 turns, cap 24,000; median (range) of {len(SEEDS)} sessions", heads, cells)
    told(rows)
    said(
        """
Reached: four cycles, 1,040 tokens each (900 and 140), under the cap all the time, a summary at turn 50 that says
otherwise than what turn 41 established. All of it follows from the first prune at turn 41, a rerun two turns later on
average and a prune three turns after that. Not reached: nothing here is read or ranked, so that the dump is
"low-relevance" and that the summary is written from what is left are what the session assumes.
"""
    )


def r1() -> None:
    """The share of the budget that a deadlock takes."""
    rows = {
        "as observed": [ran("r1", 60, s) for s in SEEDS],
        "snapshot, idempotence gate": [ran("r1_gated", 60, s) for s in SEEDS],
        "rationale co-location": [ran("r1_pinned", 60, s) for s in SEEDS],
    }
    cells = [("the record", "40% to 60%", "2", "3% to 8%", "")]
    for name, sessions in rows.items():
        found = [deadlock(s) for s in sessions]
        cells.append(
            (
                name,
                spread([0.0 if d is None else d.share for d in found], ".0%"),
                spread([d.period for d in found if d is not None]),
                spread([d.band for d in found if d is not None], ".1%"),
                spread([s.report.totals.refusals for s in sessions]),
            )
        )
    heads = ("", "budget in deadlock", "period", "band, ±", "refusals")
    table(f"R1: 60 turns; median (range) of {len(SEEDS)} sessions", heads, cells)
    told(rows)
    said(
        """
Reached: the period of two, none of it with either mitigation, and a refusal each turn in place of the drain. The share
is the part of the session after the trace looks stale, since a deadlock never ends by itself. Where it begins the
record does not say: with every turn as likely, half of the budget goes, the middle of the record's range, but the range
is as wide as the session. Not reached: what ends an episode is a wall-clock timeout, and there is no clock here. The
band is the difference of the two spans over the sum of the two windows, and the record gives no sizes. The third signal
(same digest, other decision) does not show: there are no summary embeddings here, a digest is one of all that the
policy is shown, and this policy goes by that.
"""
    )


def r2() -> None:
    """How far the window grows beyond the budget, and which calls are made again."""
    turns, cap = 5 * CYCLE, 180_000
    rows = {
        "as observed": [ran("r2", turns, s, cap, "empty") for s in SEEDS],
        "control set left alone": [ran("r2_anchored", turns, s, cap, "empty") for s in SEEDS],
    }
    lasting = [s for s in rows["as observed"] if lost(s) == 3 * CYCLE]
    rows["as observed, policy gone at turn 120"] = lasting
    cells: list[tuple[str, ...]] = [("the record", "2.3", "120", "few", "more")]
    for name, sessions in rows.items():
        cells.append(
            (
                f"{name} ({len(sessions)})",
                spread([largest(s) / cap for s in sessions], ".2f"),
                spread([turn for s in sessions if (turn := lost(s)) is not None]),
                spread([again(s, range(1, 3 * CYCLE + 1)) for s in sessions], ".0%"),
                spread([again(s, range(4 * CYCLE + 1, turns + 1)) for s in sessions], ".0%"),
            )
        )
    heads = ("", "most tokens / cap", "policy gone at", "calls made again, turns 1-120", "turns 161-200")
    table(f"R2: {turns} turns, cap {cap:,}; median (range) of so many sessions", heads, cells)
    told(rows)
    said(
        """
Reached: growth without end once the policy is gone, calls made again once the notes go, and neither with the control
set left alone. Not reached: where the policy is gone when the record says, the overshoot two cycles later is two
budgets, as forty turns fill one, and 2.3 only where it went earlier or more comes in; the record says neither how much
comes in a turn nor when its 2.3 was measured. That the policy is gone after three cycles is an assumption, at even
odds, as there is no lexical overlap here that would make it so. How often a call is made again hangs on how often the
agent wants something that it knew, which the record does not say. That calls have side effects does not show.
"""
    )


def measure() -> None:
    """Prints the three tables."""
    r0()
    r1()
    r2()
