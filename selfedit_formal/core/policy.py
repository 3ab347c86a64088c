"""A policy in the core: statements that run in order, each on the result of the one before.

What the language offers beyond these (at once, may, summarize, when, repeat, tiers, plans …) the resolver rewrites
into them; `spec/semantics.md` has the table. A plan is a policy with span parameters.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Literal

from selfedit_formal._frozen import dataclass
from selfedit_formal.core.expression import TRUE, Expression, Origin
from selfedit_formal.core.window import Kind, Schema

if TYPE_CHECKING:
    from selfedit_formal.core.diagnostics import Location


# ---------- which span


@dataclass(frozen=True, slots=True)
class Pick:
    """The first or last span of the window (or archive) that satisfies the condition; absent if there is none."""

    which: Literal["first", "last"]
    variable: str
    condition: Expression
    archive: bool = False


@dataclass(frozen=True, slots=True)
class SpanNamed:
    """A span that already has a name."""

    span: str


@dataclass(frozen=True, slots=True)
class SpanIf:
    condition: Expression
    then: SpanTerm
    otherwise: SpanTerm


@dataclass(frozen=True, slots=True)
class NoSpan:
    """Absent."""


SpanTerm = Pick | SpanNamed | SpanIf | NoSpan


# ---------- where


@dataclass(frozen=True, slots=True)
class End:
    """Before or after every known span, archived ones included."""

    which: Literal["front", "back"]


@dataclass(frozen=True, slots=True)
class Beside:
    """Directly before or after a definite span (which holds its place after it left). Nowhere if it is absent."""

    side: Literal["before", "after"]
    span: str


@dataclass(frozen=True, slots=True)
class Original:
    """Where the archived span stood."""


Place = End | Beside | Original


# ---------- field := value


@dataclass(frozen=True, slots=True)
class Assign:
    """`field = value`. In `set`, the value reads the old record."""

    field: str
    value: Expression


@dataclass(frozen=True, slots=True)
class Open:
    """`field <= high` and the like: any value within these limits (ints) and the field's own bounds.

    With no limits: any value. A run in which no value is admissible does not exist.
    """

    field: str
    low: Expression | None = None
    high: Expression | None = None


Assignment = Assign | Open


# ---------- statements


@dataclass(frozen=True, slots=True)
class LetSet:
    """Names the spans of the window (or archive) that satisfy the condition.

    `may`: a subset of them that the model chooses (one free choice for each of those spans).
    """

    site: int
    name: str
    variable: str
    condition: Expression
    archive: bool = False
    may: bool = False


@dataclass(frozen=True, slots=True)
class LetSpan:
    site: int
    name: str
    term: SpanTerm


@dataclass(frozen=True, slots=True)
class LetValue:
    site: int
    name: str
    kind: Kind
    value: Expression


@dataclass(frozen=True, slots=True)
class Keep:
    """Protects spans from the `Evict`, `Set` and `Fill` statements that follow."""

    site: int
    variable: str
    condition: Expression
    origin: Origin


@dataclass(frozen=True, slots=True)
class Evict:
    """Moves the present, unprotected spans that satisfy the condition to the archive."""

    site: int
    variable: str
    condition: Expression
    logged: bool
    origin: Origin


@dataclass(frozen=True, slots=True)
class Set:
    """Changes fields, in place, of the present, unprotected spans that satisfy the condition. Reads old values.

    `archive`: of the archived spans that do, protected or not.
    """

    site: int
    variable: str
    condition: Expression
    assignments: tuple[Assignment, ...]
    origin: Origin
    archive: bool = False


@dataclass(frozen=True, slots=True)
class Insert:
    """Puts one fresh span at a place; does nothing if the place is nowhere.

    Fields without an assignment: a bool is false; an int, key or enum is open. `covers` names a set: the fresh span
    gets the built-in link `covers` to each of its spans. Its id is `fresh_id(run key, site)`. `may`: a free choice
    decides whether it comes. `condition` speaks of it as `variable`, on the window with it in; a run in which it came
    and the condition is false does not exist.
    """

    site: int
    place: Place
    assignments: tuple[Assignment, ...]
    covers: str | None
    origin: Origin
    may: bool = False
    variable: str = ""
    condition: Expression = TRUE


@dataclass(frozen=True, slots=True)
class Readmit:
    """Brings back the archived spans that satisfy the condition, with their last record.

    If the place is nowhere they come back to where they stood.
    """

    site: int
    variable: str
    condition: Expression
    place: Place
    override: bool
    origin: Origin


@dataclass(frozen=True, slots=True)
class Move:
    """Changes the order, nothing else: the present spans that satisfy the condition go to the place, as they stood.

    Spans named by the place itself stay where they are.
    """

    site: int
    variable: str
    condition: Expression
    place: Place
    origin: Origin


@dataclass(frozen=True, slots=True)
class Fill:
    """Walks the present, unprotected spans in scope from the newest (or oldest), evicting those that do not fit.

    One fits if the weights kept by this walk so far plus its own are at most `cap`. All is read on the window the
    statement starts from.
    """

    site: int
    variable: str
    newest_first: bool
    condition: Expression
    weight: Expression
    cap: Expression
    origin: Origin


@dataclass(frozen=True, slots=True)
class Block:
    """Runs the body if the condition holds. `trigger`: it is a `when` that stands before the policy's first edit."""

    site: int
    condition: Expression
    body: tuple[Statement, ...]
    trigger: bool
    origin: Origin


@dataclass(frozen=True, slots=True)
class Refuse:
    """If the condition holds the result is the *input* window, and nothing after this runs."""

    site: int
    condition: Expression
    reason: str
    origin: Origin


Statement = LetSet | LetSpan | LetValue | Keep | Evict | Set | Insert | Readmit | Move | Fill | Block | Refuse


@dataclass(frozen=True, slots=True)
class Gate:
    """A condition on the whole pass, over `Input(ASSUMED)` and ungated passes of the policy on it.

    If it fails, the result is the input window and a refusal that names it.
    """

    name: str
    condition: Expression
    origin: Origin


GATE_RUN = " gate"
"""In a gate's condition `Pass(policy, "", Input(ASSUMED))` is the pass that is being gated, with its very choices.

Every other pass there is the gate's own trial with choices of its own: where the gated pass has run key K, the trial
with run R and depth D has `run_key(K, GATE_RUN + R, D)`."""


@dataclass(frozen=True, slots=True)
class ParameterDeclaration:
    """An int parameter and its bounds (inclusive, None open)."""

    name: str
    low: int | None = None
    high: int | None = None


@dataclass(frozen=True, slots=True)
class Policy:
    """What maps a window to a window. `spans`: a plan's span parameters, distinct definite spans of the input.

    Sites are unique within a policy and count from 0 in the order written.
    """

    name: str
    schema: Schema
    parameters: tuple[ParameterDeclaration, ...]
    body: tuple[Statement, ...]
    spans: tuple[str, ...] = ()
    gates: tuple[Gate, ...] = ()
    doc: str = field(default="", compare=False)
    location: Location | None = field(default=None, compare=False, repr=False)


def statements(body: tuple[Statement, ...]) -> tuple[Statement, ...]:
    """Every statement, those inside blocks after their block."""
    found: list[Statement] = []
    for statement in body:
        found.append(statement)
        if isinstance(statement, Block):
            found += statements(statement.body)
    return tuple(found)
