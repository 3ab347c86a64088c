"""Sessions: a policy over many turns, in an environment. A turn is a few passes; a session has no meaning of its own.

What the environment does is a policy that makes choices; what tombstones, ledger and promises need to know of the past
is written into `history` fields of the spans by policies of the session's own.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Literal

from selfedit_formal._frozen import dataclass
from selfedit_formal.core.expression import TRUE, Expression, Origin, Pass, WindowTerm
from selfedit_formal.core.policy import ParameterDeclaration, Policy
from selfedit_formal.core.window import Field, Schema

if TYPE_CHECKING:
    from selfedit_formal.core.diagnostics import Location

Store = Literal["none", "in_window", "sidecar"]
"""Where tombstones or the ledger live: nowhere, in the window as spans a policy may drop, or outside of it."""

EVICTED = "evicted"
"""bool: a pass of the session evicted it, and no override has been given for it since."""
RETURNED = "returned"
"""bool: it came back without an override while `evicted`."""
THRASHED = "thrashed"
"""bool: it was evicted again while `evicted`."""
EVICTIONS = "evictions"
"""int: in how many turns the policy's part evicted it."""
BINDING = "binding"
"""bool: it was a control span when it was first in the window that the policy was given."""
MET = "met"
"""bool: it was in a window that the policy was given."""
OFFERED = "offered"
"""bool: it is in the window that the policy is given in this turn; false again at the end of the turn."""

HISTORY: tuple[Field, ...] = (
    Field(EVICTED, "bool", history=True),
    Field(RETURNED, "bool", history=True),
    Field(THRASHED, "bool", history=True),
    Field(EVICTIONS, "int", history=True),
    Field(BINDING, "bool", history=True),
    Field(MET, "bool", history=True),
    Field(OFFERED, "bool", history=True),
)
"""The fields that a session's schema has beyond those of its window: zero or false when the session starts."""


@dataclass(frozen=True, slots=True)
class Step:
    """One pass of a turn. `environment`: what comes from outside, which a session that is left alone does without.
    `applied`: the policy is one that the session applies (`apply`); the others are its own."""

    policy: Policy
    environment: bool
    applied: bool = False


@dataclass(frozen=True, slots=True)
class Invariant:
    """A condition on `Input(ASSUMED)` of which the user says that it holds at the start and after every turn."""

    condition: Expression
    origin: Origin


@dataclass(frozen=True, slots=True)
class Session:
    """A window at rest, then turn after turn. A turn is one pass of each step's policy, in order.

    `schema` is the window's with `HISTORY`. `start` is a condition on `Input(ASSUMED)`, the window a session starts
    from, beside the schema's assumptions; its archive is empty and its history zero. `parameters` are those of all
    steps, each once. `window` is the name of the schema as it was written, without a history.
    """

    name: str
    schema: Schema
    steps: tuple[Step, ...]
    parameters: tuple[ParameterDeclaration, ...] = ()
    start: Expression = TRUE
    tombstones: Store = "none"
    ledger: Store = "none"
    invariants: tuple[Invariant, ...] = ()
    doc: str = field(default="", compare=False)
    location: Location | None = field(default=None, compare=False, repr=False)
    window: str = ""

    def policies(self) -> tuple[Policy, ...]:
        """The policies of the steps, each once, what a user wrote (`apply`) first."""
        found = dict.fromkeys(s.policy for s in sorted(self.steps, key=lambda s: s.environment))
        return tuple(found)

    def applied(self) -> tuple[Policy, ...]:
        """The policies that the session applies, each once; the others are its own."""
        return tuple(dict.fromkeys(s.policy for s in self.steps if s.applied))

    def after(self, turns: int, window: WindowTerm, *, alone: bool = False) -> WindowTerm:
        """The window after so many turns. `alone`: without the environment's steps."""
        for _ in range(turns):
            for step in self.steps:
                if not (alone and step.environment):
                    window = Pass(step.policy.name, "", window)
        return window


@dataclass(frozen=True, slots=True)
class Turns:
    """What the inputs of a claim about a session are.

    `reached`: the window after any number of turns (none included); `before`: the window one turn earlier, of which
    there is none at the start; `start`: the window the session started from. None: the claim does not speak of it.
    `taken`: how many turns it is about; None is any number.
    """

    session: Session
    reached: str
    before: str | None = None
    start: str | None = None
    taken: int | None = None
