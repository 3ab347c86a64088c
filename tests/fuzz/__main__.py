"""Long runs of what the tests run shortly: `python -m tests.fuzz [--quick] [--sessions] [--numbers A B | --seeds A B]
[--minutes M] [--jobs N]`.

Numbers draw of all kinds in turn; seeds are taken as they are. `--quick` asks the compilers the most in the least time,
the deep flavour asks all of it and lets every proof take its time. Prints counts as it goes, and in the end what was
drawn of each feature and what came of it. Exit 1 if a proof was wrong, a certificate did not check, or the scan
excluded a real run.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from time import monotonic

import z3

from selfedit_formal.engines import Limits
from tests.fuzz import quick, sessions, verdicts
from tests.fuzz.census import FEATURES

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
    "unlike texts",
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
    counts: Counter[str] = Counter()
    lines: list[str] = []
    try:
        told = quick.ask(seed, thorough=True)
        counts, lines = told.counts, told.lines
        outcome = verdicts.compare(seed)
        for word in ("proved", "refuted", "open", "outside"):
            counts[word] = int(word == outcome.word)
        counts["unsound"] += bool(outcome.unsound)
        counts["certificate failures"] += outcome.failures
        counts["disagreements between directions"] += bool(outcome.disagreement)
        lines += [f"{seed}: {text}" for text in (outcome.unsound, outcome.disagreement) if text]
        lines += [f"{seed}: a certificate did not check"] * outcome.failures
    except Exception as error:  # whatever it is, the run goes on and tells of it
        counts["crashes"] += 1
        lines.append(f"{seed}: {type(error).__name__}: {error}")
    return Report(seed, counts + Counter(policies=1), tuple(lines))


def quick_report(seed: int) -> Report:
    """The most of it in the least time."""
    try:
        told = quick.ask(seed)
        return Report(seed, told.counts + Counter(policies=1), tuple(told.lines))
    except Exception as error:  # whatever it is, the run goes on and tells of it
        return Report(seed, Counter(policies=1, crashes=1), (f"{seed}: {type(error).__name__}: {error}",))


def session_report(seed: int, limits: Limits = sessions.NEAR) -> Report:
    """The same of one drawn session."""
    counts: Counter[str] = Counter(policies=1)
    try:
        outcome = sessions.compare(seed, limits)
    except Exception as error:  # whatever it is, the run goes on and tells of it
        return Report(seed, counts + Counter(crashes=1), (f"{seed}: {type(error).__name__}: {error}",))
    counts[outcome.word] += 1
    counts["unsound"] += bool(outcome.unsound)
    return Report(seed, counts, (f"{seed}: {outcome.unsound}",) if outcome.unsound else ())


def _work(ask: Callable[[int], Report], seeds: tuple[int, ...], sender: Connection) -> None:
    z3.z3.Z3_DEBUG = False  # its checks of every argument take a third of the time
    for seed in seeds:
        sender.send(ask(seed))
    sender.close()


def reports(seeds: Sequence[int], jobs: int, until: float, ask: Callable[[int], Report] = report) -> Iterator[Report]:
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
    words = ("policies", "proved", "refuted", "open", "outside", "given up", "too long", "pinned checks", "exact ones")
    names = (*words, "padded", "padded proofs", "read again", *BAD)
    return ", ".join(f"{counts[name]} {name}" for name in names)


def table(counts: Counter[str]) -> str:
    """What was drawn of each feature, and what came of it."""
    columns = ("drawn", "refuted", "proved", "open", "outside", "found")
    rows = [f"{'':40}" + "".join(f"{c:>9}" for c in columns)]
    rows += [f"{name:40}" + "".join(f"{counts[f'{name}: {c}']:9}" for c in columns) for name in FEATURES]
    return "\n".join(rows)


def main() -> int:
    """Runs until the seeds or the minutes are over."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("--numbers", nargs=2, type=int, default=(0, 20_000), metavar=("A", "B"))
    parser.add_argument("--seeds", nargs=2, type=int, metavar=("A", "B"), help="these, instead of all kinds in turn")
    parser.add_argument("--quick", action="store_true", help="the most in the least time")
    parser.add_argument("--sessions", action="store_true", help="sessions instead of policies")
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args()
    start = monotonic()
    counts: Counter[str] = Counter()
    told = start
    ask = quick_report if given.quick else report
    if given.sessions:
        ask = partial(session_report, limits=sessions.QUICK if given.quick else sessions.NEAR)
    numbers = range(*given.numbers)
    plain = numbers if given.sessions else [quick.seed_of(number) for number in numbers]
    for found in reports(range(*given.seeds) if given.seeds else plain, given.jobs, start + given.minutes * 60, ask):
        counts += found.counts
        for line in found.lines:
            print(line, flush=True)
        if monotonic() - told > EVERY:
            told = monotonic()
            print(f"{told - start:.0f} s: {text(counts)}", flush=True)
    print(f"{monotonic() - start:.0f} s, all: {text(counts)}", flush=True)
    if not given.sessions:
        print(table(counts))
    return int(any(counts[name] for name in BAD))


if __name__ == "__main__":
    sys.exit(main())
