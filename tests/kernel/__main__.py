"""How much of what is proved the kernel confirms, file by file; and that it confirms nothing that is refuted.

    python -m tests.kernel [FILE.sef …]

Without files: all of `spec/`, the families of `tests/benchmarks` and the kernel's own promises. Exits with 1 if a check
that says `expect refuted` was confirmed. Takes an hour or so.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from selfedit_formal.kernel import Confirmed, NotReached, Unconfirmed, confirm
from selfedit_formal.language.resolve import load

ROOT = Path(__file__).parents[2]
FILES = (
    *sorted((ROOT / "spec").rglob("*.sef")),
    ROOT / "tests" / "benchmarks" / "any_length.sef",
    ROOT / "tests" / "kernel" / "promises.sef",
)


def measure(files: tuple[Path, ...]) -> bool:
    """Prints a line for each check that was not confirmed, and one for each file. Whether nothing false was."""
    total, sound = Counter[str](), True
    for path in files:
        here = Counter[str]()
        for obligation in load(path).obligations:
            if obligation.expect not in ("proved", "refuted"):
                continue
            answer = confirm(obligation)
            if obligation.expect == "refuted":
                if isinstance(answer, Confirmed):
                    sound = False
                    print(f"WRONG: {path.name}: {obligation.name} is refuted, and was confirmed", flush=True)
                continue
            here["proved"] += 1
            match answer:
                case Confirmed():
                    here["confirmed"] += 1
                case NotReached(reason):
                    here["not reached"] += 1
                    print(f"  {obligation.name}: not reached, {reason}", flush=True)
                case Unconfirmed(reason):
                    print(f"  {obligation.name}: unconfirmed, {reason}", flush=True)
        if here["proved"]:
            print(_line(path.name, here), flush=True)
        total += here
    print(_line("all", total))
    return sound


def _line(name: str, counted: Counter[str]) -> str:
    confirmed, proved = counted["confirmed"], counted["proved"]
    return f"{name}: {confirmed} of {proved} confirmed, {counted['not reached']} not reached"


if __name__ == "__main__":
    sys.exit(0 if measure(tuple(map(Path, sys.argv[1:])) or FILES) else 1)
