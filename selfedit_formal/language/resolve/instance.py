"""A policy in the core with what the notation knows of it besides."""

from __future__ import annotations

from collections.abc import Mapping

from selfedit_formal._frozen import dataclass
from selfedit_formal.core.diagnostics import Location
from selfedit_formal.core.expression import Expression
from selfedit_formal.core.policy import ParameterDeclaration, Policy
from selfedit_formal.core.session import Session
from selfedit_formal.core.window import Window
from selfedit_formal.language import syntax
from selfedit_formal.language.resolve.names import SchemaNames
from selfedit_formal.language.resolve.scope import PolicyBinding, Reason, SessionBinding, StorePlace

Written = syntax.PolicyDeclaration | syntax.PlanDeclaration


@dataclass(frozen=True, slots=True)
class Instance:
    """A policy with some parameters given, and what the notation knows of it beyond the core."""

    policy: Policy
    schema: SchemaNames
    reasons: tuple[Reason, ...]
    fixed: Window | None
    parameters: Mapping[str, Expression]
    """What each int parameter stands for: a number, or a parameter left open."""

    @property
    def name(self) -> str:
        return self.policy.name

    @property
    def location(self) -> Location:
        assert self.policy.location is not None
        return self.policy.location

    @property
    def open(self) -> tuple[ParameterDeclaration, ...]:
        """The parameters that are left open."""
        return self.policy.parameters

    def binding(self, *, gated: bool = True) -> PolicyBinding:
        return PolicyBinding(self.policy.name, gated, self.reasons, self.location)


@dataclass(frozen=True, slots=True)
class SessionInstance:
    """A session with some parameters given, and what the notation knows of it beyond the core."""

    session: Session
    schema: SchemaNames
    parameters: Mapping[str, Expression]
    """What each parameter stands for: a number, or a parameter left open."""
    tombstones: StorePlace
    ledger: StorePlace

    @property
    def name(self) -> str:
        return self.session.name

    @property
    def location(self) -> Location:
        assert self.session.location is not None
        return self.session.location

    @property
    def open(self) -> tuple[ParameterDeclaration, ...]:
        """The parameters that are left open."""
        return self.session.parameters

    def binding(self) -> SessionBinding:
        return SessionBinding(self.session, self.tombstones, self.ledger, self.location)
