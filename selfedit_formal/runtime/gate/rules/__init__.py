"""What the gate refuses, one rule a file.

A rule's file has `refuse(proposal)`, whose docstring is the sentence of the record that asks for it; `RECORD` says
which record, `PROMISE` which promise of `spec/` it keeps, and `FREEZES` whether the policy is frozen with the refusal.
A new rule is a new file.
"""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Callable
from functools import cache
from importlib import import_module

from selfedit_formal._frozen import dataclass
from selfedit_formal.runtime.gate.proposal import Proposal


@dataclass(frozen=True, slots=True)
class Concern:
    """What a rule has against a proposal: the spans concerned, what is wrong with it, and what to do.

    `lost`: the spans that those concerned are in want of.
    """

    spans: tuple[str, ...]
    what: str
    remedy: str
    lost: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule, as its file has it.

    `promise` is `properties/NAME`, a shipped property, `records/FILE/NAME`, a declaration of a record's file, or
    empty where a promise about windows has nothing to say. `sentence` is empty where Python strips docstrings (`-OO`).
    """

    name: str
    record: str
    promise: str
    sentence: str
    freezes: bool
    refuse: Callable[[Proposal], Concern | None]


@cache
def rules() -> tuple[Rule, ...]:
    """Every rule, sorted by name."""
    found = []
    for module in pkgutil.iter_modules(__path__):
        rule = import_module(f"{__name__}.{module.name}")
        sentence = " ".join(inspect.cleandoc(rule.refuse.__doc__ or "").split())
        found.append(
            Rule(module.name, rule.RECORD, rule.PROMISE, sentence, getattr(rule, "FREEZES", False), rule.refuse)
        )
    return tuple(sorted(found, key=lambda r: r.name))


def named(spans: tuple[str, ...]) -> str:
    """The spans for a message: the first few, and how many more there are."""
    shown = ", ".join(f"`{s}`" for s in spans[:5])
    return f"{shown} and {len(spans) - 5} more" if len(spans) > 5 else shown
