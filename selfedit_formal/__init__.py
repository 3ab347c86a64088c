"""Proves what a context-pruning policy promises, or shows the smallest window that breaks it.

The few functions and values below are the public interface; what they return is documented where it is defined. Names
load on first use, so importing the package is cheap and only what verifies loads the solver.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selfedit_formal.api import check, check_policy, load, simulate
    from selfedit_formal.core.diagnostics import Diagnostic, Rejected
    from selfedit_formal.core.property import Case, Obligation
    from selfedit_formal.core.verdict import Bounded, Failed, Proved, Refuted, Result, Unknown, Vacuous
    from selfedit_formal.core.window import Schema, Span, Window
    from selfedit_formal.regression import Replay, replay

__version__ = "0.1.0"

__all__ = [
    "Bounded",
    "Case",
    "Diagnostic",
    "Failed",
    "Obligation",
    "Proved",
    "Refuted",
    "Rejected",
    "Replay",
    "Result",
    "Schema",
    "Span",
    "Unknown",
    "Vacuous",
    "Window",
    "check",
    "check_policy",
    "load",
    "replay",
    "simulate",
]

_HOMES = {
    "api": ("check", "check_policy", "load", "simulate"),
    "core.diagnostics": ("Diagnostic", "Rejected"),
    "core.property": ("Case", "Obligation"),
    "regression": ("Replay", "replay"),
    "core.verdict": ("Bounded", "Failed", "Proved", "Refuted", "Result", "Unknown", "Vacuous"),
    "core.window": ("Schema", "Span", "Window"),
}


def __getattr__(name: str) -> object:
    from importlib import import_module

    home = next((h for h, names in _HOMES.items() if name in names), None)
    if home is None:
        raise AttributeError(f"module `selfedit_formal` has no attribute `{name}`")
    found: object = getattr(import_module(f"selfedit_formal.{home}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
