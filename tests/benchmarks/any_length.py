"""(e) Every shape of `any_length.sef`: its verdict, and how long a cold `selfedit check` takes to prove it for every
length, beside the same question put to Z3 by hand: for one length, and with quantifiers.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage

from tests.benchmarks.timing import command, seconds, table

SHAPES = Path(__file__).with_suffix(".sef")
RUNS = 3
CUT_OFF = 120.0
"""For the way by hand."""
PEERS = (
    ("1", "24 spans, k = 8", ("counters", "24")),
    ("1", "40 spans, k = 8", ("counters", "40")),
    ("2a", "12 spans", ("budget", "12")),
    ("2a", "24 spans", ("budget", "24")),
    ("1", "quantifiers, k = 8", ("quantified", "last_results", "8")),
    ("1", "quantifiers, k = 32", ("quantified", "last_results", "32")),
    ("14c", "quantifiers", ("quantified", "newest_of_key")),
    ("15b", "quantifiers", ("quantified", "pinned_traces")),
)
"""A shape, of how much of it the way by hand is, and the module that goes this way with its arguments."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A check of `any_length.sef` in a file of its own, `text`."""

    identity: str
    title: str
    expected: str
    text: str


def shapes() -> tuple[Shape, ...]:
    """In the order of the file."""
    parts = tuple(_parts(SHAPES.read_text(encoding="utf-8")))
    declared = {name: text for kind, name, text in parts if kind != "check"}
    return tuple(_shape(text, declared) for kind, _, text in parts if kind == "check")


def _parts(text: str) -> Iterator[tuple[str, str, str]]:
    """(kind, name, text) of each declaration."""
    for part in re.split(r"^(?=(?:window|predicate|property|policy|check) )", text, flags=re.MULTILINE)[1:]:
        kind, name = part.split(maxsplit=2)[:2]
        yield kind, re.split(r"\W", name)[0], part


def _shape(check: str, declared: Mapping[str, str]) -> Shape:
    needed, text = [*re.findall(r"\w+", check), "Chat"], {}
    while needed:
        name = needed.pop()
        if name in declared and name not in text:
            text[name] = declared[name]
            needed += re.findall(r"\w+", declared[name])
    found = re.search(r"^check (.*?)\s*expect (\w+)\s*# (\S+)", check, flags=re.DOTALL)
    assert found is not None
    title, expected, identity = found.groups()
    return Shape(identity, " ".join(title.split()), expected, "\n".join([*text.values(), found.group(0)]) + "\n")


def check(path: Path) -> str:
    """The verdict of `selfedit check` on the one check of this file, in a process of its own."""
    told = command("selfedit", "check", path, "--format", "json")
    verdict: str = json.loads(told or "{}")["checks"][0]["verdict"]
    return verdict


def own(call: Callable[[], object]) -> float:
    """The processor time of the processes that a call starts, in seconds: the work itself, however busy the machine
    is."""
    before = getrusage(RUSAGE_CHILDREN)
    call()
    after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure() -> None:
    """Prints two tables: verdict and times of every shape, and the way by hand beside it."""
    rows, times, proved = [], dict[str, float](), list[float]()
    with tempfile.TemporaryDirectory() as folder:
        for shape in shapes():
            path = Path(folder, f"{shape.identity}.sef")
            path.write_text(shape.text, encoding="utf-8")
            answering = partial(check, path)
            found = answering()
            verdict = found if found == shape.expected else f"{found}, not {shape.expected}"
            times[shape.identity] = seconds(answering, RUNS)
            wall, processor = f"{times[shape.identity]:.2f} s", f"{own(answering):.2f} s"
            if found == "proved":
                proved.append(times[shape.identity])
            rows.append((f"{shape.identity:4} {shape.title}", verdict, wall, processor))
    heads = ("", "verdict", "answer", "processor")
    table(f"windows of every length, `selfedit check` from a cold start, medians of {RUNS}", heads, rows)
    within = [f"{sum(t <= limit for t in proved)} of {len(proved)}" for limit in (0.5, 2.0)]
    print(f"  proved: {within[0]} within 0.5 s, {within[1]} within 2 s")
    peers = []
    for identity, what, (module, *arguments) in PEERS:
        hand = seconds(partial(command, "python", "-m", f"tests.benchmarks.{module}", *arguments, limit=CUT_OFF))
        cut = ">" if hand >= CUT_OFF else ""
        ours = times[identity]
        peers.append((f"{identity:4} {what}", f"{ours:.2f} s", f"{cut}{hand:.2f} s", f"{cut}{hand / ours:.1f}"))
    table(
        "every length and every number, beside one length by hand and beside quantifiers",
        ("", "check", "by hand", "ratio"),
        peers,
    )
