"""What a `.sef` text says, as written: the parser's result and the printer's and resolver's input.

Nothing here is checked for meaning. Locations never take part in equality, so `parse(print(x)) == x` is a plain
comparison.
"""

from __future__ import annotations

from dataclasses import field
from typing import Literal

from selfedit_formal._frozen import dataclass
from selfedit_formal.core.diagnostics import Location, Source


def _place() -> Location:
    """A field that holds where a node was written (always given by the parser)."""
    return field(compare=False, repr=False)  # type: ignore[no-any-return]


# ---------- expressions


@dataclass(frozen=True, slots=True)
class Number:
    value: int
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class Truth:
    value: bool
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class Nothing:
    """`none`: no span, or no key."""

    location: Location = _place()


@dataclass(frozen=True, slots=True)
class NameRef:
    name: str
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class Attribute:
    """`base.name`; the base is a name or an `Index`."""

    base: Expr
    name: str
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class Index:
    """`W[s]`: the record of a span in a window."""

    window: Expr
    span: str
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class Call:
    """A predicate, a pass `P(W)`, or one of the built-in functions."""

    function: str
    arguments: tuple[Expr, ...]
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class Power:
    """`P^k(W)`."""

    policy: str
    exponent: Expr
    window: Expr
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class Not:
    item: Expr
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class Negative:
    item: Expr
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class Junction:
    """`a and b and c` or `a or b or c`, two items at least."""

    operator: Literal["and", "or"]
    items: tuple[Expr, ...]
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class Binary:
    operator: Literal["implies", "iff", "==", "!=", "<", "<=", ">", ">="]
    left: Expr
    right: Expr
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class Chain:
    """`a + b - c` (or `* / mod`): the first operand, then operators with theirs, read from the left."""

    first: Expr
    rest: tuple[tuple[Literal["+", "-", "*", "/", "mod"], Expr], ...]
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class Percent:
    """`30% of e`: `e * 30 / 100`."""

    number: int
    of: Expr
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class InNames:
    """`x in {a, b}`."""

    item: Expr
    names: tuple[str, ...]
    negated: bool
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class InWindow:
    """`s in W`, `s in old`: a window or a set."""

    item: Expr
    container: Expr
    negated: bool
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class Order:
    """`a before b`, `a not after b`, `a before b in W`."""

    left: Expr
    direction: Literal["before", "after"]
    right: Expr
    negated: bool
    window: Expr | None
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class LinkTest:
    """`a justifies b`."""

    left: Expr
    link: str
    right: Expr
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class ReachTest:
    """`a reaches b along justifies in W`."""

    left: Expr
    right: Expr
    link: str
    window: Expr | None
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class Range:
    low: Expr
    high: Expr
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class Binder:
    """`s in W where c`.

    No domain: the current window in a policy; an input window for an upper-case name in a property.
    """

    name: str
    domain: Expr | Range | None
    condition: Expr | None
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class Quantifier:
    kind: Literal["some", "all", "no"]
    binders: tuple[Binder, ...]
    body: Expr
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class Conditional:
    """`if c then a else b`, of values or of spans."""

    condition: Expr
    then: Expr
    otherwise: Expr
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class PickTerm:
    """`first s where c`: only as (part of) what a `let` names."""

    which: Literal["first", "last"]
    archived: bool
    variable: str
    condition: Expr
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class CountTerm:
    """`count(t in W: c)`."""

    variable: str
    domain: Expr | None
    condition: Expr | None
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class UnitCount:
    """`count(turn after s)`: how many units start after (or before) the span."""

    unit: str
    side: Literal["before", "after"]
    span: str
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class TotalTerm:
    """`total(t.tokens: c)`; the bound variable is the one free name with an attribute in the weight.

    A conjunct `t in W` of the condition says which window.
    """

    weight: Expr
    condition: Expr | None
    location: Location = _place()


Expr = (
    Number
    | Truth
    | Nothing
    | NameRef
    | Attribute
    | Index
    | Call
    | Power
    | Not
    | Negative
    | Junction
    | Binary
    | Chain
    | Percent
    | InNames
    | InWindow
    | Order
    | LinkTest
    | ReachTest
    | Quantifier
    | Conditional
    | PickTerm
    | CountTerm
    | UnitCount
    | TotalTerm
)


@dataclass(frozen=True, slots=True)
class Always:
    """`always W from V where c, s in W: e`, `always V then W: e`, and `never`: of every window that turns lead to.

    `start`: the window the session started from, `condition` what holds of it. `before`: the window one turn earlier.
    """

    kind: Literal["always", "never"]
    window: str
    start: str | None
    condition: Expr | None
    before: str | None
    binders: tuple[Binder, ...]
    body: Expr
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class AtMostOnce:
    """`at most once s in W: e`: of no span of the window after a turn more than once."""

    binder: Binder
    body: Expr
    location: Location = _place()


Promise = Expr | Always | AtMostOnce
"""What a property says. The last two are of sessions, and stand nowhere else."""


# ---------- parts shared by declarations


@dataclass(frozen=True, slots=True)
class Limit:
    """`>= 1` in a declaration."""

    operator: Literal["<", "<=", ">", ">="]
    value: int
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class Parameter:
    """`k: int >= 0`, `P: policy`, `s`, `W`. Without a kind: a window if its first letter is upper case, else a span."""

    name: str
    kind: Literal["int", "policy", "plan", "session", "predicate", "span", "window"] | None
    limits: tuple[Limit, ...]
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class Argument:
    """`4000`, `paired`, `cap = 4000`."""

    name: str | None
    value: Expr
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class Reference:
    """A policy, plan, session or property by name, with arguments. `arguments` None: written without parentheses."""

    name: str
    arguments: tuple[Argument, ...] | None
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class Selector:
    """`s where c`, or (condition None) a set or span by its name."""

    name: str
    condition: Expr | None
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class PlaceAt:
    """`at front`, `at back`."""

    which: Literal["front", "back"]
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class PlaceBeside:
    """`just before x`, `just after x`."""

    side: Literal["before", "after"]
    span: str
    location: Location = _place()


PlaceTerm = PlaceAt | PlaceBeside


@dataclass(frozen=True, slots=True)
class AssignmentTerm:
    """`f = e` · `f <= e` (left open) · `f = any` (operator "any") · `f` (operator "=", True) · `not f`."""

    field: str
    operator: Literal["=", "<", "<=", ">", ">=", "any"]
    value: Expr | None
    location: Location = _place()


# ---------- statements


@dataclass(frozen=True, slots=True)
class AtOnce:
    body: tuple[Stmt, ...]
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class When:
    condition: Expr
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class Keep:
    selector: Selector
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class Evict:
    selector: Selector
    may: bool
    logged: bool
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class Set:
    selector: Selector
    record: tuple[AssignmentTerm, ...]
    may: bool
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class Summarize:
    selector: Selector
    reading: Selector | None
    record: tuple[AssignmentTerm, ...]
    place: PlaceTerm | None
    may: bool
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class Insert:
    record: tuple[AssignmentTerm, ...]
    place: PlaceTerm
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class Readmit:
    selector: Selector
    place: PlaceTerm | None
    override: bool
    may: bool
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class Move:
    selector: Selector
    place: PlaceTerm
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class SetTerm:
    """`may archived s where c` as what a `let` names."""

    variable: str
    condition: Expr
    archived: bool
    may: bool
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class Snap:
    """`snap cut back to c where legal(c) else e`: the nearest span in that direction, the cut itself included."""

    span: str
    direction: Literal["back", "forward"]
    variable: str
    condition: Expr
    otherwise: Expr | None
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class Let:
    name: str
    term: SetTerm | Snap | Expr
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class Refuse:
    condition: Expr
    reason: str
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class Gate:
    properties: tuple[Reference, ...]
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class Apply:
    policy: Reference
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class Branch:
    """`if c { … } else { … }`. `otherwise` None: no else."""

    condition: Expr
    then: tuple[Stmt, ...]
    otherwise: tuple[Stmt, ...] | None
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class Repeat:
    """`repeat 4 while c { … }`: the body at most so many times, while the condition holds."""

    times: int
    condition: Expr | None
    body: tuple[Stmt, ...]
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class Tiers:
    """`until c { … } then { … }`: each tier runs if the target does not hold yet."""

    target: Expr
    tiers: tuple[tuple[Stmt, ...], ...]
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class Fill:
    """`fill newest s where c by w up to cap`."""

    newest: bool
    variable: str
    condition: Expr
    weight: Expr
    cap: Expr
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class Because:
    """The rationale: spans whose content is the reason for what the policy or plan does."""

    selectors: tuple[Selector, ...]
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class Delete:
    """A plan's `delete a, b`."""

    spans: tuple[str, ...]
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A plan's `rewrite a { … }`."""

    span: str
    record: tuple[AssignmentTerm, ...]
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class Merge:
    """A plan's `merge a, b into { … }`: where the first of them stood unless told otherwise."""

    spans: tuple[str, ...]
    record: tuple[AssignmentTerm, ...]
    place: PlaceTerm | None
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class Arrive:
    """A session's `arrive up to 2 s where c`. Without a number: up to one."""

    most: int | None
    variable: str
    condition: Expr
    location: Location = _place()


Edit = Keep | Evict | Set | Summarize | Insert | Readmit | Move | Fill | Delete | Rewrite | Merge | Arrive
"""What keeps or changes spans."""
Stmt = Edit | AtOnce | When | Let | Refuse | Gate | Apply | Branch | Repeat | Tiers | Because


def keyword(statement: Stmt) -> str:
    """What it is called, which is the word that it begins with after a `may`."""
    match statement:
        case Keep():
            return "keep"
        case Evict():
            return "evict"
        case Set():
            return "set"
        case Summarize():
            return "summarize"
        case Insert():
            return "insert"
        case Readmit():
            return "readmit"
        case Move():
            return "move"
        case Fill():
            return "fill"
        case Delete():
            return "delete"
        case Rewrite():
            return "rewrite"
        case Merge():
            return "merge"
        case Arrive():
            return "arrive"
        case AtOnce():
            return "at once"
        case When():
            return "when"
        case Let():
            return "let"
        case Refuse():
            return "refuse"
        case Gate():
            return "gate"
        case Apply():
            return "apply"
        case Branch():
            return "if"
        case Repeat():
            return "repeat"
        case Tiers():
            return "until"
        case Because():
            return "because"


# ---------- declarations


@dataclass(frozen=True, slots=True)
class FieldDeclaration:
    """`a, b : int >= 1 from query`. `names` are those of an enum."""

    fields: tuple[str, ...]
    kind: Literal["int", "bool", "key", "enum"]
    limits: tuple[Limit, ...]
    names: tuple[str, ...]
    oracle: Literal["query", "window"] | None
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class LinkDeclaration:
    name: str
    from_tags: tuple[str, ...] | None
    to_tags: tuple[str, ...] | None
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class ControlDeclaration:
    variable: str
    condition: Expr
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class AssumeDeclaration:
    """Holds of every input window; the window is called `W`."""

    condition: Expr
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class UnitDeclaration:
    """`unit turn starts s where s.tag == user`."""

    name: str
    variable: str
    condition: Expr
    location: Location = _place()


Member = LinkDeclaration | ControlDeclaration | AssumeDeclaration | UnitDeclaration


@dataclass(frozen=True, slots=True)
class Import:
    """`import "other.sef"` (beside this file) or `import library "policies/chat.sef"` (shipped)."""

    path: str
    library: bool
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class SchemaDeclaration:
    name: str
    fields: tuple[FieldDeclaration, ...]
    members: tuple[Member, ...]
    doc: str
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class FieldValue:
    """`f = 3`, `f = name`, `f` (True), `not f` (False), `f = none`."""

    field: str
    value: int | bool | str
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class WindowEntry:
    """`archived A: tool_output { tokens = 900, stale }`. `created`: a run put it in (`created M: summary { … }`)."""

    id: str
    tag: str
    values: tuple[FieldValue, ...]
    archived: bool
    location: Location = _place()
    created: bool = False


@dataclass(frozen=True, slots=True)
class LinkFact:
    """`R justifies A`."""

    source: str
    link: str
    target: str
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class WindowDeclaration:
    """`window w41 of Kubectl = [ … ]`, entries and link facts in the order written."""

    name: str
    schema: str
    items: tuple[WindowEntry | LinkFact, ...]
    doc: str
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class PredicateDeclaration:
    name: str
    parameters: tuple[Parameter, ...]
    schema: str | None
    body: Expr
    doc: str
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class PropertyDeclaration:
    name: str
    parameters: tuple[Parameter, ...]
    body: Promise
    doc: str
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class PolicyDeclaration:
    name: str
    parameters: tuple[Parameter, ...]
    schema: str
    body: tuple[Stmt, ...]
    doc: str
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class PlanDeclaration:
    """`on`: the written-out window it stands on.

    Else `schema`, and span parameters are distinct spans of any window.
    """

    name: str
    parameters: tuple[Parameter, ...]
    on: str | None
    schema: str | None
    body: tuple[Stmt, ...]
    doc: str
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class Start:
    """Holds of the window that a session starts from; the window is called `W`."""

    condition: Expr
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class Turn:
    """`each turn { … }`: what the environment may do, and the policies that are applied."""

    body: tuple[Stmt, ...]
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class Keeping:
    """`tombstones in_window { tag = tombstone }`: where tombstones or the ledger live, and what is in the window."""

    of: Literal["tombstones", "ledger"]
    store: Literal["none", "in_window", "sidecar"]
    record: tuple[AssignmentTerm, ...]
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class Invariant:
    """Is to hold of every window `W` that turns lead to."""

    condition: Expr
    location: Location = _place()


SessionMember = Start | Turn | Keeping | Invariant


@dataclass(frozen=True, slots=True)
class SessionDeclaration:
    """A policy over many turns of windows of a schema, its members in the order written."""

    name: str
    parameters: tuple[Parameter, ...]
    schema: str
    members: tuple[SessionMember, ...]
    doc: str
    location: Location = _place()


@dataclass(frozen=True, slots=True)
class CheckDeclaration:
    """`within` is in spans, `turns` in turns."""

    target: Reference
    properties: tuple[Reference, ...]
    assumptions: tuple[Expr, ...]
    within: int | None
    turns: int | None
    expect: str | None
    doc: str
    location: Location = _place()


Declaration = (
    Import
    | SchemaDeclaration
    | WindowDeclaration
    | PredicateDeclaration
    | PropertyDeclaration
    | PolicyDeclaration
    | PlanDeclaration
    | SessionDeclaration
    | CheckDeclaration
)


@dataclass(frozen=True, slots=True)
class Comment:
    """A `#` comment, its text from the `#` on. `own_line`: nothing else stands before it on its line."""

    text: str
    line: int
    own_line: bool


@dataclass(frozen=True, slots=True)
class File:
    """A parsed file. Comments (documentation comments too) are kept beside the tree, for the printer."""

    source: Source = field(compare=False, repr=False)
    declarations: tuple[Declaration, ...] = ()
    comments: tuple[Comment, ...] = field(default=(), compare=False)
