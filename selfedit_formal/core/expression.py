"""Core expressions: closed, typed, first order over windows. Both meanings are total functions of these.

Names of span variables, sets and locals are unique where they are visible (the resolver renames), so an environment
is a flat mapping. A *definite* span (`let x = first s where …`, a plan's parameter) may be absent; a bound variable
never is.

`window` is the window an expression reads: a `WindowTerm`, or None for the policy's current window, read where the
statement stands.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Literal

from selfedit_formal._frozen import dataclass
from selfedit_formal.core.window import Kind

if TYPE_CHECKING:
    from selfedit_formal.core.diagnostics import Location


# ---------- windows


@dataclass(frozen=True, slots=True)
class Input:
    """A universally quantified input window, `W`."""

    name: str


@dataclass(frozen=True, slots=True)
class Pass:
    """`P(W)`: one pass of a policy. `run` is "" or primes: passes of other runs make other choices.

    Choices belong to (policy, run, depth, span): `P(W)` and `P(V)` meet the same model answers, `P'(W)` others, and in
    `P(P(W))` each of the two passes has its own. Depth is how many passes of the same policy and run stand inside,
    plus one. `gated` False ignores the policy's gates (a gate's own formula speaks of the policy without them).

    In a case every window that its claim names exists, whether or not it matters where it is named.
    """

    policy: str
    run: str
    window: WindowTerm
    gated: bool = True


@dataclass(frozen=True, slots=True)
class Without:
    """The window with one span taken out of everything: neither present nor archived."""

    window: WindowTerm
    span: str


@dataclass(frozen=True, slots=True)
class Swapped:
    """The window with two spans at each other's place. Every reordering is a sequence of such swaps."""

    window: WindowTerm
    first: str
    second: str


@dataclass(frozen=True, slots=True)
class Rescored:
    """The window with one span's oracle fields given other, arbitrary values (in all passes on it)."""

    window: WindowTerm
    span: str


@dataclass(frozen=True, slots=True)
class Arrived:
    """The window with one more span at its end: `tokens` as given, its other fields arbitrary within their bounds.

    There is no such window if `tokens` is out of the bounds of the field.
    """

    window: WindowTerm
    tokens: Expression


@dataclass(frozen=True, slots=True)
class Known:
    """The window with every span that left it present again, at its place and with its last record."""

    window: WindowTerm


WindowTerm = Input | Pass | Without | Swapped | Rescored | Arrived | Known

ASSUMED = "W"
"""The input window a schema's assumptions speak of."""


# ---------- values


@dataclass(frozen=True, slots=True)
class Int:
    value: int


@dataclass(frozen=True, slots=True)
class Bool:
    value: bool


@dataclass(frozen=True, slots=True)
class Name:
    """A constant of a `key` or `enum` type."""

    kind: Literal["key", "enum"]
    value: str


@dataclass(frozen=True, slots=True)
class Parameter:
    """An int parameter that the check leaves open."""

    name: str


@dataclass(frozen=True, slots=True)
class Local:
    """A value named by `let n = …`: computed once, where the `let` stands."""

    name: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class Read:
    """`s.f`. Zero of its kind on an absent span; on an archived one the last record."""

    span: str
    field: str
    kind: Kind
    window: WindowTerm | None = None


# ---------- integers


@dataclass(frozen=True, slots=True)
class Add:
    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Multiply:
    """One of the two is built of constants and parameters only."""

    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Divide:
    """Division by a positive constant, rounded down or up (towards the infinities, also below zero)."""

    dividend: Expression
    divisor: int
    rounding: Literal["down", "up"]


@dataclass(frozen=True, slots=True)
class Modulo:
    """Remainder of division rounded down by a positive constant: 0 <= result < divisor."""

    dividend: Expression
    divisor: int


@dataclass(frozen=True, slots=True)
class Count:
    """How many spans present in the window satisfy the condition."""

    variable: str
    window: WindowTerm | None
    condition: Expression


@dataclass(frozen=True, slots=True)
class Total:
    """The sum of `weight` over the spans present in the window that satisfy the condition."""

    variable: str
    window: WindowTerm | None
    weight: Expression
    condition: Expression


@dataclass(frozen=True, slots=True)
class If:
    """`if c then a else b`, for any kind of value (both branches of one kind)."""

    condition: Expression
    then: Expression
    otherwise: Expression


# ---------- truth


@dataclass(frozen=True, slots=True)
class Not:
    item: Expression


@dataclass(frozen=True, slots=True)
class And:
    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Or:
    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Implies:
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Compare:
    """An order or equality test of two ints."""

    operator: Literal["<", "<=", ">", ">=", "==", "!="]
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Equal:
    """Equality of two values of one kind other than int (of bools: if and only if)."""

    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Before:
    """The first span stands before the second (strictly) in the window's order. Archived spans hold their place.

    False if either is absent, or not known to that window.
    """

    first: str
    second: str
    window: WindowTerm | None = None


@dataclass(frozen=True, slots=True)
class SameSpan:
    """Identity. False if either is absent."""

    first: str
    second: str


@dataclass(frozen=True, slots=True)
class Linked:
    """`a justifies b`: the link holds between the two. False if either is absent.

    `window` matters to the built-in `covers` alone, whose pairs are those of the passes that made the window.
    """

    link: str
    source: str
    target: str
    window: WindowTerm | None = None


@dataclass(frozen=True, slots=True)
class Reaches:
    """`source` gets to `target` along one or more links, all the spans on the way present in the window."""

    link: str
    source: str
    target: str
    window: WindowTerm | None = None


@dataclass(frozen=True, slots=True)
class Present:
    """`s in W`: the span is in the window (not absent, not archived)."""

    span: str
    window: WindowTerm | None = None


@dataclass(frozen=True, slots=True)
class InSet:
    """`s in old`: the span is in a set named by a `let`. False if absent."""

    span: str
    set: str


@dataclass(frozen=True, slots=True)
class Some:
    variable: str
    window: WindowTerm | None
    condition: Expression


@dataclass(frozen=True, slots=True)
class All:
    variable: str
    window: WindowTerm | None
    condition: Expression


@dataclass(frozen=True, slots=True)
class SameWindow:
    """`V == W`: equal as sequences of spans (`spec/semantics.md`, "When two windows are equal")."""

    left: WindowTerm
    right: WindowTerm


@dataclass(frozen=True, slots=True)
class SameRecord:
    """`V[s] == W[s]`: both windows know the span with equal records, or neither does (so of an absent span).

    Oracle fields of kind "query" are in the record and compared, those of kind "window" are in none; fields of the
    history are not compared.
    """

    span: str
    left: WindowTerm
    right: WindowTerm


@dataclass(frozen=True, slots=True)
class Triggered:
    """Every `when` that stands before the policy's first edit holds on the window: a pass would get to edit."""

    policy: str
    run: str
    window: WindowTerm


@dataclass(frozen=True, slots=True)
class Refused:
    """The pass that made this window refused (by `refuse` or a gate), so the window came out as it went in."""

    window: Pass


@dataclass(frozen=True, slots=True)
class Logged:
    """The pass that made this window wrote the span to the ledger (`evict … logged`)."""

    span: str
    window: Pass


@dataclass(frozen=True, slots=True)
class Overridden:
    """The pass that made this window readmitted the span with an explicit override."""

    span: str
    window: Pass


@dataclass(frozen=True, slots=True)
class Created:
    """The span was put in by a pass (or arrived): no input window had it. False if absent."""

    span: str


@dataclass(frozen=True, slots=True)
class Fires:
    """The pass that made this window reached the statement and it did something.

    `Keep` protected a span, `Evict`/`Fill` evicted one, `Set` changed a field's value, `Insert` placed one, `Readmit`
    brought one back, `Move` changed the order, `Refuse` refused, a `Block`'s condition was true. `otherwise`: a block
    was reached with its condition false.
    """

    window: Pass
    site: int
    otherwise: bool = False


Expression = (
    Int
    | Bool
    | Name
    | Parameter
    | Local
    | Read
    | Add
    | Multiply
    | Divide
    | Modulo
    | Count
    | Total
    | If
    | Not
    | And
    | Or
    | Implies
    | Compare
    | Equal
    | Before
    | SameSpan
    | Linked
    | Reaches
    | Present
    | InSet
    | Some
    | All
    | SameWindow
    | SameRecord
    | Triggered
    | Refused
    | Logged
    | Overridden
    | Created
    | Fires
)

TRUE = Bool(True)
FALSE = Bool(False)


def conjunction(items: tuple[Expression, ...]) -> Expression:
    """All of them; `TRUE` if there are none."""
    kept = tuple(i for i in items if i != TRUE)
    return TRUE if not kept else kept[0] if len(kept) == 1 else And(kept)


def disjunction(items: tuple[Expression, ...]) -> Expression:
    """Any of them; `FALSE` if there are none."""
    kept = tuple(i for i in items if i != FALSE)
    return FALSE if not kept else kept[0] if len(kept) == 1 else Or(kept)


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a piece of the core came from: `text` is one canonical line of the source, for reports."""

    text: str
    location: Location | None = field(default=None, compare=False, repr=False)
