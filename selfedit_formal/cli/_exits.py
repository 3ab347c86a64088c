"""Exit codes beside those of verdicts: the input or the output is wrong, the tool is, Ctrl-C, nobody reads any more."""

from __future__ import annotations

WRONG, BROKE, INTERRUPTED, CLOSED = 2, 5, 130, 141
