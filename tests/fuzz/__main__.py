"""Long runs of what the tests run shortly: `python -m tests.fuzz [--sessions] --seeds A B [--minutes M] [--jobs N]`.

Prints counts as it goes. Exit 1 if a proof was wrong, a certificate did not check, or the scan excluded a real run.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from time import monotonic

from tests.fuzz import pinned, sessions, verdicts

CHUNK = 50
"""Seeds that one process takes; Z3 does not give all its memory back."""
PATIENCE = 90.0
"""Seconds after which a seed is given up, with its process."""
EVERY = 60.0
"""Seconds between two tallies."""

BAD = (
    "unsound",
    "certificate failures",
    "disagreements between directions",
    "unsound scans",
    "inexact scans",
    "crashes",
)


@dataclass(frozen=True, slots=True)
class Report:
    """What came of one seed."""

    seed: int
    counts: Counter[str]
    lines: tuple[str, ...]


def report(seed: int) -> Report:
    """Everything that is asked of one seed."""
    counts: Counter[str] = Counter(policies=1)
    lines: list[str] = []
    try:
        outcome = verdicts.compare(seed)
        counts[outcome.word] += 1
        counts["unsound"] += bool(outcome.unsound)
        counts["certificate failures"] += outcome.failures
        counts["disagreements between directions"] += bool(outcome.disagreement)
        lines += [f"{seed}: {text}" for text in (outcome.unsound, outcome.disagreement) if text]
        lines += [f"{seed}: a certificate did not check"] * outcome.failures
        for tally in (pinned.check(seed), pinned.check_broken(seed)):
            counts["pinned checks"] += tally.checks
            counts["exact ones"] += tally.exact
            for finding in tally.findings:
                counts[f"{finding.kind} scans"] += 1
                lines.append(f"{seed}: {finding.kind}: {finding.what}")
    except Exception as error:  # whatever it is, the run goes on and tells of it
        counts["crashes"] += 1
        lines.append(f"{seed}: {type(error).__name__}: {error}")
    return Report(seed, counts, tuple(lines))


def session_report(seed: int) -> Report:
    """The same of one drawn session."""
    counts: Counter[str] = Counter(policies=1)
    try:
        outcome = sessions.compare(seed)
    except Exception as error:  # whatever it is, the run goes on and tells of it
        return Report(seed, counts + Counter(crashes=1), (f"{seed}: {type(error).__name__}: {error}",))
    counts[outcome.word] += 1
    counts["unsound"] += bool(outcome.unsound)
    return Report(seed, counts, (f"{seed}: {outcome.unsound}",) if outcome.unsound else ())


def _work(ask: Callable[[int], Report], seeds: tuple[int, ...], sender: Connection) -> None:
    for seed in seeds:
        sender.send(ask(seed))
    sender.close()


def reports(seeds: range, jobs: int, until: float, ask: Callable[[int], Report] = report) -> Iterator[Report]:
    """What is to be told of each seed, in whatever order they come, from so many processes, no new ones being begun
    after `until`."""
    context = get_context("fork")
    todo = [tuple(seeds[i : i + CHUNK]) for i in range(0, len(seeds), CHUNK)][::-1]
    running: dict[Connection, tuple[ForkProcess, list[int], float]] = {}
    while todo or running:
        while todo and len(running) < jobs and monotonic() < until:
            chunk = todo.pop()
            receiver, sender = context.Pipe(duplex=False)
            process = context.Process(target=_work, args=(ask, chunk, sender), daemon=True)
            process.start()
            sender.close()
            running[receiver] = (process, list(chunk), monotonic())
        if not running:
            return
        ready = wait(list(running), timeout=1.0)
        for receiver in [r for r in running if r in ready]:
            process, left, _ = running[receiver]
            try:
                found: Report = receiver.recv()
            except EOFError:
                del running[receiver]
                continue
            left.remove(found.seed)
            running[receiver] = (process, left, monotonic())
            yield found
        for receiver, (process, left, since) in list(running.items()):
            over = monotonic() > until + PATIENCE
            if monotonic() - since > PATIENCE or over:
                process.kill()
                del running[receiver]
                if not over and left:
                    yield Report(left[0], Counter({"policies": 1, "given up": 1}), ())
                    todo.append(tuple(left[1:]))


def text(counts: Counter[str]) -> str:
    """The tally in one line."""
    names = ("policies", "proved", "refuted", "open", "outside", "given up", "pinned checks", "exact ones", *BAD)
    return ", ".join(f"{counts[name]} {name}" for name in names)


def main() -> int:
    """Runs until the seeds or the minutes are over."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("--seeds", nargs=2, type=int, default=(0, 20_000), metavar=("A", "B"))
    parser.add_argument("--sessions", action="store_true", help="sessions instead of policies")
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args()
    start = monotonic()
    counts: Counter[str] = Counter()
    told = start
    ask = session_report if given.sessions else report
    for found in reports(range(*given.seeds), given.jobs, start + given.minutes * 60, ask):
        counts += found.counts
        for line in found.lines:
            print(line, flush=True)
        if monotonic() - told > EVERY:
            told = monotonic()
            print(f"{told - start:.0f} s: {text(counts)}", flush=True)
    print(f"{monotonic() - start:.0f} s, all: {text(counts)}", flush=True)
    return int(any(counts[name] for name in BAD))


if __name__ == "__main__":
    sys.exit(main())
