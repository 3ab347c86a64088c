"""Obligations: one policy (or plan) × one property × its assumptions, and the case that breaks one."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from dataclasses import field
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from selfedit_formal._frozen import dataclass
from selfedit_formal.core.expression import TRUE, Expression, Origin, WindowTerm
from selfedit_formal.core.files import stem
from selfedit_formal.core.policy import ParameterDeclaration, Policy
from selfedit_formal.core.session import Turns
from selfedit_formal.core.window import Schema, Value, Window

if TYPE_CHECKING:
    from selfedit_formal.core.diagnostics import Location


@dataclass(frozen=True, slots=True)
class Bound:
    """An outermost universal span of a claim: any span present in the window."""

    variable: str
    window: WindowTerm


@dataclass(frozen=True, slots=True)
class Claim:
    """For all inputs, parameters, choices and bound spans: premise and antecedent imply consequent.

    It is broken by inputs, parameters, choices and spans with premise and antecedent true and consequent false. The
    premise (assumptions of the schema and of the check) speaks of inputs and parameters alone; field bounds of inputs
    are assumed besides.
    """

    inputs: tuple[str, ...]
    bound: tuple[Bound, ...] = ()
    premise: Expression = TRUE
    antecedent: Expression = TRUE
    consequent: Expression = TRUE


Expectation = Literal["proved", "holds", "bounded", "refuted", "vacuous", "unknown"]


@dataclass(frozen=True, slots=True)
class Witness:
    """Something that must be possible (together with the premise) or the answer is vacuous; `absence` says so in words.

    `condition` may read inputs, passes and parameters; it has no free span variables but a plan's.
    """

    absence: str
    condition: Expression


@dataclass(frozen=True, slots=True)
class Obligation:
    """What an engine answers. `policies[0]` is the subject; names in `Pass` are those of `policies`.

    `parameters` are the open int parameters of all of them. `spans` are a plan's span parameters: distinct spans
    present in `inputs[0]`. `fixed` is the written-out window a plan stands on: then `inputs[0]` is that window, and
    the answer needs no bound.
    `assuming` has what the check assumes, as written (the premise of the claim has it, too).
    `doc` is the documentation of the check, `promise` that of the property, and `formula` its formula as written.
    `turns` makes it one about a session: its claim speaks of windows that turns lead to, or, once `turns.taken` is a
    number, of the passes of so many turns.
    """

    name: str
    schema: Schema
    policies: tuple[Policy, ...]
    property: str
    claim: Claim
    parameters: tuple[ParameterDeclaration, ...] = ()
    spans: tuple[str, ...] = ()
    fixed: Window | None = None
    within: int | None = None
    expect: Expectation | None = None
    witnesses: tuple[Witness, ...] = ()
    origin: Origin = Origin("")
    location: Location | None = field(default=None, compare=False, repr=False)
    doc: str = field(default="", compare=False)
    promise: str = field(default="", compare=False)
    formula: str = field(default="", compare=False)
    turns: Turns | None = None
    within_turns: int | None = None
    assuming: tuple[str, ...] = field(default=(), compare=False)

    def title(self) -> str:
        """What the check is called beside others: its name, and what it assumes."""
        return f"{self.name} assuming {', '.join(self.assuming)}" if self.assuming else self.name

    def file_stem(self) -> str:
        """What files about it are called, without an ending: after the file that it stands in, as that was named."""
        source = "" if self.location is None else self.location.source.name
        return stem(source, self.title())

    def policy(self, name: str) -> Policy:
        return next(p for p in self.policies if p.name == name)

    def plain(self) -> Obligation:
        """The obligation, whose claim is about windows as they are. Raises ValueError if it is about any number of
        turns."""
        if self.turns is not None and self.turns.taken is None:
            raise ValueError(f"`{self.name}` is about any number of turns of a session, and no engine answers that")
        return self


# ---------- a case: everything a claim leaves open, filled in

ORACLE_SITE = -1
ARRIVAL_SITE = -2
RESCORED_SITE = -3


@dataclasses.dataclass(frozen=True, slots=True, order=True)
class ChoiceKey:
    """What is chosen. `run` is `run_key(…)`; `site` the statement, or one of the three constants above.

    * a `may` set at a site: span is the candidate, field "";  bool
    * whether an `Insert` that `may` come does: span is the fresh one's id, field "";  bool
    * an open field at a site: span is the span (for `Insert` the fresh one's id), field its name
    * an oracle field "window": ORACLE_SITE, run of the pass that reads it, span, field
    * an arrived span: ARRIVAL_SITE, run "", span its id, field
    * a rescored span: RESCORED_SITE, run "" for a "query" field and the pass's run for a "window" field, span, field
    """

    run: str
    site: int
    span: str
    field: str


def run_key(policy: str, run: str, depth: int) -> str:
    """The name of a pass as choices know it: `P1`, `P2` for the inner and outer pass of `P(P(W))`."""
    name = policy + run
    return f"{name}{'.' if name[-1].isdigit() else ''}{depth}"


_SPELLED = {"__": "__u", "'": "__p", " ": "__s", ".": "__d"}


def fresh_id(run: str, site: int) -> str:
    """The id of the span that an `Insert` puts in, in one pass; another one for each run and site."""
    return f"new_{re.sub('|'.join(map(re.escape, _SPELLED)), lambda found: _SPELLED[found[0]], run)}_{site}"


ARRIVED_ID = "arrived"


@dataclass(frozen=True, slots=True)
class Case:
    """One way of filling in all that a claim leaves open.

    `spans` has the claim's bound variables and a plan's parameters.
    """

    inputs: Mapping[str, Window]
    parameters: Mapping[str, int]
    spans: Mapping[str, str]
    choices: Mapping[ChoiceKey, Value]

    def __post_init__(self) -> None:
        for name in ("inputs", "parameters", "spans", "choices"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))

    def __reduce__(
        self,
    ) -> tuple[type[Case], tuple[dict[str, Window], dict[str, int], dict[str, str], dict[ChoiceKey, Value]]]:
        return Case, (dict(self.inputs), dict(self.parameters), dict(self.spans), dict(self.choices))
