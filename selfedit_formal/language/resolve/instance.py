"""A policy in the core with what the notation knows of it besides."""

from __future__ import annotations

from collections.abc import Mapping

from selfedit_formal._frozen import dataclass
from selfedit_formal.expression import (
    Expression,
)
from selfedit_formal.language import syntax
from selfedit_formal.language.resolve.names import SchemaNames
from selfedit_formal.language.resolve.scope import PolicyBinding, Reason
from selfedit_formal.policy import (
    Policy,
)
from selfedit_formal.window import Window

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

    def binding(self, *, gated: bool = True) -> PolicyBinding:
        location = self.policy.location
        assert location is not None
        return PolicyBinding(self.policy.name, gated, self.reasons, location)
