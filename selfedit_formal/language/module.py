"""A file of the language once it is understood: its schemas, windows, policies, properties and what its checks ask."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING

from selfedit_formal._frozen import dataclass
from selfedit_formal.core.diagnostics import Source
from selfedit_formal.core.policy import Policy
from selfedit_formal.core.property import Obligation
from selfedit_formal.core.session import Session
from selfedit_formal.core.window import Schema, Window
from selfedit_formal.language import syntax

if TYPE_CHECKING:
    from selfedit_formal.language.resolve.names import Names


@dataclass(frozen=True, slots=True)
class Module:
    """What a file and its imports declare. Plans are among the policies; parameters of all of them are open.

    `properties` are promises of policies, `promises` those of sessions; `schemas` has those of sessions, too.
    `obligations` are those of the file's own checks, in order. `names` is for asking more of the same policies.
    """

    source: Source
    schemas: Mapping[str, Schema]
    windows: Mapping[str, Window]
    policies: Mapping[str, Policy]
    properties: Mapping[str, syntax.PropertyDeclaration]
    sessions: Mapping[str, Session]
    promises: Mapping[str, syntax.PropertyDeclaration]
    obligations: tuple[Obligation, ...]
    names: Names = field(compare=False, repr=False)
