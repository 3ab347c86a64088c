"""What is declared where: the names of a file with those of the files it imports, and what a schema offers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field

from selfedit_formal._frozen import dataclass
from selfedit_formal.core.window import Schema, Window
from selfedit_formal.language import syntax


@dataclass(frozen=True, slots=True)
class SchemaNames:
    """A schema in the core beside what only the notation knows of it."""

    schema: Schema
    declaration: syntax.SchemaDeclaration
    controls: tuple[syntax.ControlDeclaration, ...] = ()
    units: Mapping[str, syntax.UnitDeclaration] = field(default_factory=dict)
    assumed: tuple[syntax.AssumeDeclaration, ...] = ()

    @property
    def name(self) -> str:
        """The window's name, also where its fields are joined by a session's history."""
        return self.declaration.name


@dataclass(frozen=True, slots=True)
class SessionNames:
    """A session as written beside the schema of its windows, which have a history; None if it has no window."""

    declaration: syntax.SessionDeclaration
    schema: SchemaNames | None


@dataclass(frozen=True, slots=True)
class Names:
    """Everything that may be named in a file. `broken` has what was found to be wrong already: its uses stay silent."""

    schemas: Mapping[str, SchemaNames] = field(default_factory=dict)
    written: Mapping[str, syntax.WindowDeclaration] = field(default_factory=dict)
    windows: Mapping[str, Window] = field(default_factory=dict)
    predicates: Mapping[str, syntax.PredicateDeclaration] = field(default_factory=dict)
    properties: Mapping[str, syntax.PropertyDeclaration] = field(default_factory=dict)
    policies: Mapping[str, syntax.PolicyDeclaration | syntax.PlanDeclaration] = field(default_factory=dict)
    broken: frozenset[tuple[str, str]] = frozenset()
    """Pairs of a kind ("window", "predicate", "property", "promise", "policy", "session") and a name."""
    shipped: bool = False
    """These are the names of a file of `spec/properties`."""
    sessions: Mapping[str, SessionNames] = field(default_factory=dict)
    promises: Mapping[str, syntax.PropertyDeclaration] = field(default_factory=dict)
    """The properties of sessions; those of policies are `properties`."""

    def written_schema(self, name: str) -> SchemaNames | None:
        """The schema of a written-out window: a declared one, or a session's."""
        session = self.sessions.get(name)
        return session.schema if session is not None else self.schemas.get(name)


BUILT_IN = (
    "control",
    "prunable",
    "triggered",
    "refused",
    "logged",
    "overridden",
    "rationale",
    "created",
    "without",
    "swap",
    "rescore",
    "arrive",
    "known",
    "left_alone",
    "tombstone",
    "entries",
    "outside",
    "floor",
    "ceil",
    "min",
    "max",
    "same",
)
"""The functions of the notation; nothing else may have these names where a call could mean either."""


def schema_of(policy: syntax.PolicyDeclaration | syntax.PlanDeclaration, names: Names) -> SchemaNames | None:
    """The schema a policy or plan is written for; None if there is none of that name."""
    match policy:
        case syntax.PolicyDeclaration():
            return names.schemas.get(policy.schema)
        case syntax.PlanDeclaration(on=None):
            return names.schemas.get(policy.schema) if policy.schema is not None else None
        case syntax.PlanDeclaration(on=window):
            written = names.written.get(window) if window is not None else None
            return names.schemas.get(written.schema) if written is not None else None


def of_sessions(declaration: syntax.PropertyDeclaration) -> bool:
    """Whether a property is a promise of sessions."""
    return any(p.kind == "session" for p in declaration.parameters)


def used_first(names: tuple[str, ...], uses: Callable[[str], tuple[str, ...]]) -> tuple[str, ...]:
    """The names, each behind those it uses, as far as they do not use each other."""
    found: dict[str, None] = {}
    entered: set[str] = set()
    for start in names:
        waiting = [start]
        while waiting:
            name = waiting[-1]
            ahead = [] if name in entered else [u for u in uses(name) if u not in entered]
            entered.add(name)
            if ahead:
                waiting += ahead
            else:
                found.setdefault(waiting.pop())
    return tuple(found)
