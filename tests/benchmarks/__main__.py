"""All benchmarks, or those named, for instance `python -m tests.benchmarks startup corpus`."""

from __future__ import annotations

import importlib
import sys

NAMES = ("startup", "counters", "overhead", "gate", "any_length", "corpus", "validation", "records")

if __name__ == "__main__":
    for name in sys.argv[1:] or NAMES:
        importlib.import_module(f"tests.benchmarks.{name}").measure()
