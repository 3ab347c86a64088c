"""Words that people bring from other languages, and what is written for them here."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

VALUES: Mapping[str, str] = MappingProxyType(
    {
        "True": "true",
        "TRUE": "true",
        "False": "false",
        "FALSE": "false",
        "None": "none",
        "null": "none",
        "nil": "none",
    }
)

FUNCTIONS: Mapping[str, str] = MappingProxyType(
    {
        "len": "count",
        "length": "count",
        "size": "count",
        "sum": "total",
        "any": "some",
        "exists": "some",
        "every": "all",
        "forall": "all",
        "round": "floor",
        "minimum": "min",
        "maximum": "max",
    }
)

OPERATORS: Mapping[str, str] = MappingProxyType({"is": "==", "eq": "==", "ne": "!=", "xor": "!=", "precedes": "before"})

EXPECTATIONS: Mapping[str, str] = MappingProxyType(
    {
        "pass": "holds",
        "passes": "holds",
        "true": "holds",
        "valid": "proved",
        "safe": "proved",
        "fail": "refuted",
        "fails": "refuted",
        "failed": "refuted",
        "false": "refuted",
        "broken": "refuted",
        "invalid": "refuted",
    }
)

STATEMENTS: Mapping[str, str] = MappingProxyType(
    {
        "while": "a loop is written `repeat 10 while total(s.tokens) > 100 { … }`",
        "for": "a statement is about all spans at once, `evict s where …`; a loop is `repeat 10 while … { … }`",
        "foreach": "a statement is about all spans at once: `evict s where …`",
        "loop": "a loop is written `repeat 10 while total(s.tokens) > 100 { … }`",
        "elif": "write `else { if … { … } }`",
        "elsif": "write `else { if … { … } }`",
        "else": "`else` stands behind the `}` of an `if`",
        "return": '`when c` ends the policy where `c` fails, and `refuse when c because "…"` undoes the pass',
        "assert": "`gate` asks a promise of each pass, and `check` proves it",
        "remove": "write `evict`",
        "drop": "write `evict`",
        "prune": "write `evict`",
        "trim": "write `evict`",
        "clear": "write `evict`, or `set` for a field",
        "protect": "write `keep`",
        "pin": "write `keep`",
        "update": "write `set s where … { field = value }`",
        "replace": "write `set`, or `summarize` for spans that become one",
        "compact": "write `summarize s where … into { … }`",
        "summarise": "write `summarize`",
        "restore": "write `readmit`",
        "append": "write `insert { … } at back`",
        "var": "write `let`",
        "const": "write `let`",
    }
)
"""A hint for each word that stands where a statement should."""
