"""What a proof for windows of every length leaves behind.

A scan's certificate is its invariant: it holds at the start, each step keeps it, and it excludes a broken promise at
the end. Checking that needs a plain solver, neither Spacer nor the policy's file. That start, step and end are those
of a policy is another question, which takes the policy's file (`selfedit recheck --against`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from selfedit_formal._frozen import dataclass

if TYPE_CHECKING:
    from selfedit_formal.core.smtlib import Sort

Kind = Literal["query", "scan", "gate"]
Instead = Literal["each step", "no trigger", "every number"]
"""What is proved instead of the promise, because it implies it and is easier: that each step of a way is kept
(`stepwise`), that what a pass leaves triggers nothing (`settle`), the same for every value of the numbers
(`generalise`)."""
Direction = Literal["oldest", "newest"]
Instances = Literal["witnesses", "all"]
Source = Literal["promise", "stated", "found"]

ARGUMENTS: Mapping[Kind, str] = {
    "query": "one query over the spans that matter",
    "scan": "an invariant of a scan over the window",
    "gate": "the gate lets through only what one more pass leaves alone, whatever the policy does",
}
MORE: Mapping[Instead, str] = {
    "each step": ", of more than is promised: each step of the way is kept",
    "no trigger": ", of more than is promised: what a pass leaves triggers nothing",
    "every number": "",
}

TEXTS: Mapping[Kind, tuple[str, ...]] = {
    "query": ("query",),
    "scan": ("init", "step", "safe", "invariant"),
    "gate": (),
}
"""The texts that a certificate has, by its kind."""

GATE = """(set-logic ALL)
(declare-sort State 0)
(declare-fun pass (State) State)
(declare-fun refuses (State) Bool)
(declare-fun other_gates (State) Bool)
(declare-fun same_window (State State) Bool)
(define-fun gated ((s State)) State
  (ite (and (not (refuses s)) (same_window (pass (pass s)) (pass s)) (other_gates s)) (pass s) s))
(declare-const window State)
(assert (forall ((s State)) (same_window s s)))
(assert (not (same_window (gated (gated window)) (gated window))))
(check-sat)
"""
"""What the argument about a gate rests on. It is the same for every policy, so no file has it."""

_PRODUCTS = "(set-logic ALL)\n(declare-fun c () Int)\n(declare-fun k () Int)\n(declare-fun m () Int)\n"
PRODUCTS: Mapping[str, str] = {
    "product facts": _PRODUCTS
    + "(assert (>= m 0))\n"
    + "(assert (or (and (<= c k) (> (* c m) (* k m))) (and (>= c k) (< (* c m) (* k m)))\n"
    + "  (and (<= (+ c 1) k) (> (+ (* c m) m) (* k m)))))\n(check-sat)\n",
    "product signs": _PRODUCTS
    + "(assert (or (and (>= c 0) (>= k 0) (< (* c k) 0)) (and (>= c 1) (>= k 0) (< (* c k) k))\n"
    + "  (and (>= k 1) (>= c 0) (< (* c k) c))))\n(check-sat)\n",
}
"""The facts that the ghost counters of a product rest on (NOTE(products) in `engines.unbounded.compiler.scan`)."""


# ---------- what a proof may rest on


@dataclass(frozen=True, slots=True)
class RuleGround:
    """The statement of the policy at this site."""

    policy: str
    site: int


@dataclass(frozen=True, slots=True)
class Assumption:
    """The part of the claim's premise with this number, counted from 0."""

    number: int


@dataclass(frozen=True, slots=True)
class ParameterBound:
    """The parameter is at least (or at most) the value, as it was declared."""

    parameter: str
    side: Literal["least", "most"]
    value: int


@dataclass(frozen=True, slots=True)
class FieldBounds:
    """The field of a span of the input is within the bounds that were declared."""

    field: str


Ground = RuleGround | Assumption | ParameterBound | FieldBounds
"""Something a proof rests on, or not."""


# ---------- certificates


@dataclass(frozen=True, slots=True)
class Method:
    """By what argument, exactly enough that the conditions can be compiled anew.

    `instead`: what was proved in place of the promise, in order. The others are the compiler's `Mode`; `products`: the
    scan tracks products of parameters by ghost counters.
    """

    kind: Kind
    instead: tuple[Instead, ...] = ()
    direction: Direction = "newest"
    depth: int = 1
    instances: Instances = "all"
    half: bool = False
    products: bool = False

    def text(self) -> str:
        """For a person."""
        return ARGUMENTS[self.kind] + "".join(MORE[i] for i in reversed(self.instead))


@dataclass(frozen=True, slots=True)
class Certificate:
    """`conditions`: name → SMT-LIB 2 text that must be answered `unsat`.

    They are made of the `texts` (`TEXTS`): a query, or what a scan starts with, does at each step and ends with, and
    its invariant over the `state`, constants by name.

    `invariant` has its clauses for a person (none for a plain query) and `legend` what the names in it stand for.
    `needed` and `unneeded` are the rules, assumptions and bounds that the proof rests on, and the others; both are
    empty if that was too hard to find out.
    """

    method: Method
    conditions: Mapping[str, str]
    texts: Mapping[str, str] = field(default_factory=dict)
    state: tuple[tuple[str, Sort], ...] = ()
    invariant: tuple[str, ...] = ()
    legend: Mapping[str, str] = field(default_factory=dict)
    needed: tuple[Ground, ...] = ()
    unneeded: tuple[Ground, ...] = ()

    def __post_init__(self) -> None:
        for name in ("conditions", "texts", "legend"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))

    def __reduce__(self) -> tuple[object, ...]:
        conditions, texts, legend = dict(self.conditions), dict(self.texts), dict(self.legend)
        values = (self.method, conditions, texts, self.state, self.invariant, legend, self.needed, self.unneeded)
        return Certificate, values

    @property
    def argument(self) -> str:
        """By what reasoning, for a person."""
        return self.method.text()


@dataclass(frozen=True, slots=True)
class Clauses:
    """The invariant of an induction over turns, as text of the language, each with where it comes from; `windows`: of
    how many windows in a row the promise is assumed."""

    windows: int
    clauses: tuple[tuple[Source, str], ...]


@dataclass(frozen=True, slots=True)
class KeptProof:
    """All that a proof rests on: a certificate for each part, by the part's name; the only part of what is no induction
    has the name "". `about`: names, hashes and versions, as JSON values."""

    about: Mapping[str, object]
    parts: tuple[tuple[str, Certificate], ...]
    induction: Clauses | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "about", MappingProxyType(dict(self.about)))
