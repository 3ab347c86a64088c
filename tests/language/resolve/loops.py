"""What tests of sessions share: a session `loop` of a few lines, its steps, and what it is asked to promise."""

from __future__ import annotations

from selfedit_formal.core.expression import (
    Expression,
    Pass,
    WindowTerm,
)
from selfedit_formal.core.policy import (
    Policy,
    Set,
    Statement,
)
from selfedit_formal.core.property import Obligation
from selfedit_formal.core.session import Session
from tests.language.resolve.core import module

CLEAR = "policy clear(k: int >= 0) for Chat { evict s where s.tag == result and s.turn > k }\n"
"""A policy for the session to apply."""
APPLY = "each turn { apply clear(3) }"
"""What the session does in a turn where nothing else is said."""


def session(members: str, parameters: str = "", more: str = CLEAR) -> Session:
    """The session `loop` with these members."""
    return module(f"{more}session loop({parameters}) of Chat {{ {members} }}\n").sessions["loop"]


def steps(turn: str, members: str = "", more: str = CLEAR) -> dict[str, Policy]:
    """The policies of a session's steps, by name."""
    return {s.policy.name: s.policy for s in session(f"each turn {{ {turn} }} {members}", more=more).steps}


def environment(turn: str, members: str = "") -> tuple[Statement, ...]:
    """What the environment does in a turn, without the bookkeeping behind it (three statements)."""
    return steps(f"{turn} apply clear(3)", members)["loop.environment"].body[:-3]


def asked(promise: str, more: str = "", members: str = APPLY) -> Obligation:
    """The obligation that `loop` keeps the promise."""
    found = module(f"{CLEAR}{more}\nsession loop of Chat {{ {members} }}\ncheck loop: {promise}\n")
    return found.obligations[0]


def promised(formula: str, members: str = APPLY) -> Obligation:
    """The obligation that `loop` keeps a promise with this formula."""
    return asked("q", f"property q(S: session) = {formula}", members)


def turned(window: WindowTerm, *names: str) -> WindowTerm:
    """The window after passes of these policies."""
    for name in names:
        window = Pass(name, "", window)
    return window


def noted(policy: Policy) -> list[tuple[bool, Expression, tuple[str, ...]]]:
    """Of each `set`: whether of the archive, the condition, the fields."""
    return [(s.archive, s.condition, tuple(a.field for a in s.assignments)) for s in policy.body if isinstance(s, Set)]
