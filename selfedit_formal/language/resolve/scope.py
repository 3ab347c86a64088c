"""What an expression is resolved in: the names bound around it, the window it reads, and the uses that led to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import Literal

from selfedit_formal._frozen import dataclass
from selfedit_formal.core.diagnostics import Location
from selfedit_formal.core.expression import Expression, WindowTerm
from selfedit_formal.core.session import HISTORY, Session, Store
from selfedit_formal.core.window import Field, Kind
from selfedit_formal.language import syntax
from selfedit_formal.language.resolve.names import Names, SchemaNames
from selfedit_formal.language.resolve.problems import Problems

# ---------- what a name can stand for


@dataclass(frozen=True, slots=True)
class SpanBinding:
    """A span. `home` is the window that bound it (None: the current window of a pass)."""

    core: str
    home: WindowTerm | None
    location: Location


@dataclass(frozen=True, slots=True)
class SetBinding:
    core: str
    location: Location


@dataclass(frozen=True, slots=True)
class ValueBinding:
    """A value. `expression` None: it is known when a check gives it, and until then nothing that needs it is judged."""

    kind: Kind
    expression: Expression | None
    location: Location
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WindowBinding:
    """A window; `term` None is the current window of a pass."""

    term: WindowTerm | None
    location: Location


@dataclass(frozen=True, slots=True)
class PredicateBinding:
    """A predicate with the names of the file it was written in. `declaration` None: a check will give it."""

    declaration: syntax.PredicateDeclaration | None
    names: Names
    location: Location


@dataclass(frozen=True, slots=True)
class Reason:
    """One selector of a `because`, with what is needed to read it on any window."""

    selector: syntax.Selector
    scope: Scope


@dataclass(frozen=True, slots=True)
class PolicyBinding:
    """A policy of the obligation, by its name there."""

    core: str
    gated: bool
    reasons: tuple[Reason, ...]
    location: Location


@dataclass(frozen=True, slots=True)
class StorePlace:
    """Where a session's tombstones or ledger live, and the tag of those in the window."""

    store: Store = "none"
    tag: str = ""


@dataclass(frozen=True, slots=True)
class SessionBinding:
    """A session. `session` None: a check will give it."""

    session: Session | None
    tombstones: StorePlace
    ledger: StorePlace
    location: Location


@dataclass(frozen=True, slots=True)
class LostBinding:
    """A name whose meaning was wrong and has been reported: its uses stay silent."""

    location: Location


Binding = (
    SpanBinding
    | SetBinding
    | ValueBinding
    | WindowBinding
    | PredicateBinding
    | PolicyBinding
    | SessionBinding
    | LostBinding
)


# ---------- where an expression stands


@dataclass(frozen=True, slots=True)
class Unplaced:
    """No one window is meant: a bare quantifier has to say which."""


@dataclass(frozen=True, slots=True)
class Position:
    """How the whole formula hangs on an expression in it: it grows with it (1), shrinks (-1), or neither is sure (0).

    `existential`: a "there is" stands around it.
    """

    sign: Literal[1, 0, -1] = 1
    existential: bool = False

    def negated(self) -> Position:
        return replace(self, sign=-self.sign)

    def mixed(self) -> Position:
        return replace(self, sign=0)

    def under(self, kind: Literal["some", "all"]) -> Position:
        """The position of the body of a quantifier that stands here."""
        universal = self.sign != 0 and (kind == "all") == (self.sign == 1)
        return self if universal else replace(self, existential=True)


@dataclass(frozen=True, slots=True)
class Use:
    """A use that led here: the expression being resolved is inside this property, predicate or the like."""

    kind: Literal["property", "predicate", "function", "unit"]
    name: str
    location: Location


@dataclass(slots=True)
class Trail:
    """What a resolution leaves behind besides its result."""

    mentioned: set[str] = field(default_factory=set)
    """Built-in functions that were used: `control`, `prunable`, `rationale`, `left_alone`."""
    used: set[str] = field(default_factory=set)
    """Core names that were read."""
    bound: set[str] = field(default_factory=set)
    """Core names of lets: unique in the whole policy."""
    past: dict[str, Location] = field(default_factory=dict)
    """Names that were bound once, in the text."""
    unknown: set[str] = field(default_factory=set)
    """Names that nothing has, each told once."""
    labels: int = 0
    """How many runs of their own `prunable` has taken."""
    expansions: int = 0
    """How many uses have been expanded."""


Inside = Literal["pass", "claim", "gate", "assumption", "condition"]
"""A statement of a policy, the formula of a check or of a gate, an assumption, or a `because`."""


@dataclass(frozen=True, slots=True)
class Scope:
    """An environment. `schema` None: checked for no schema in particular, so that what hangs on one is not judged."""

    names: Names
    """What can be named here: those of the file in which the expression was written."""
    base: Names
    """Those of the file in which the schema was written."""
    problems: Problems
    schema: SchemaNames | None
    inside: Inside
    standing: WindowTerm | Unplaced | None
    bindings: Mapping[str, Binding] = field(default_factory=dict)
    taken: frozenset[str] = frozenset()
    frames: tuple[Use, ...] = ()
    position: Position = Position()
    trail: Trail = field(default_factory=Trail)

    # ----- binding

    def fresh(self, name: str) -> str:
        """A core name like this one that nothing visible has."""
        return unused(name, self.taken)

    def bound(self, name: str, binding: Binding) -> Scope:
        """The scope with one more name; its core name is taken from now on."""
        core = getattr(binding, "core", None)
        if all(f.kind == "property" for f in self.frames):
            self.trail.past.setdefault(name, binding.location)
        taken = self.taken | {core} if isinstance(core, str) else self.taken
        return replace(self, bindings={**self.bindings, name: binding}, taken=taken)

    def bind_span(self, name: str, home: WindowTerm | None, location: Location) -> tuple[str, Scope]:
        """A new variable for spans of a window; a name that is visible already is reported."""
        self.free(name, location)
        core = self.fresh(name)
        return core, self.bound(name, SpanBinding(core, home, location))

    def free(self, name: str, location: Location) -> bool:
        """Whether the name is not bound yet; otherwise reports that it is."""
        known = self.bindings.get(name)
        if known is None:
            return True
        if isinstance(known, WindowBinding) and known.term is None:
            self.report("R011", f"`{name}` is the current window here and cannot name anything else", location)
        else:
            notes = (("it is bound here", known.location),)
            self.report("R011", f"`{name}` has a meaning here already", location, self._another(location), notes)
        return False

    def _another(self, location: Location) -> str:
        """A hint with a name that is not bound."""
        other = next((n for n in ("t", "u", "v", "other") if n not in self.bindings), "another")
        counts = location.source.line(location.line)[location.column - 1 :].startswith("count(")
        return f"take another name, as in `count({other})`" if counts else f"take another name, such as `{other}`"

    def sees(self, field: Field) -> bool:
        """Whether a field of a session's history has a name here."""
        return self.inside in ("claim", "assumption") and field in HISTORY

    # ----- moving

    def at(self, position: Position) -> Scope:
        return replace(self, position=position)

    def negated(self) -> Scope:
        return replace(self, position=self.position.negated())

    def mixed(self) -> Scope:
        return replace(self, position=self.position.mixed())

    # ----- reporting

    def report(
        self,
        code: str,
        message: str,
        location: Location,
        hint: str | None = None,
        notes: tuple[tuple[str, Location], ...] = (),
    ) -> None:
        """Reports a mistake at this place; inside a property or predicate, with the uses that led to it."""
        last = self.frames[-1] if self.frames else None
        if last is not None and last.kind == "property":
            message = f"property `{last.name}` does not fit here: {message}"
            notes = (*notes, ("in the property, here", location))
            location = last.location
            frames = self.frames[:-1]
        else:
            frames = self.frames
        used = tuple((f"{f.kind} `{f.name}` is used here", f.location) for f in reversed(frames))
        self.problems.report(code, message, location, hint, notes + used)

    def lacks(self, code: str, what: str, message: str, location: Location, hint: str | None) -> None:
        """Reports that the schema has no such field, tag, link, unit or control.

        If it is a property that asks for `what`, the report points at the check, which put the two together.
        """
        assert self.schema is not None
        owner = next((f for f in reversed(self.frames) if f.kind == "property"), None)
        if owner is None or not (self.frames[-1] is owner or self.names.shipped):
            self.report(code, message, location, hint)
            return
        self.problems.report(
            "R029",
            f"property `{owner.name}` needs {what}, which window `{self.schema.name}` does not have",
            owner.location,
            hint,
            (("the property needs it here", location),),
        )


def unused(name: str, taken: frozenset[str] | set[str]) -> str:
    """The name, or the first of `name_2`, `name_3` … that is not taken."""
    if name not in taken:
        return name
    number = 2
    while f"{name}_{number}" in taken:
        number += 1
    return f"{name}_{number}"
