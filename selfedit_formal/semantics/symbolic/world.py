"""What holds throughout one encoding (fields, links, choices, elements), and what a term is read in (frame, scope)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Protocol

from selfedit_formal._frozen import dataclass
from selfedit_formal.core.expression import Pass, Triggered, WindowTerm
from selfedit_formal.core.property import ChoiceKey, Obligation
from selfedit_formal.core.window import COVERS, NO_KEY, Field, Kind
from selfedit_formal.semantics.symbolic.counters import Linear, Tally, smaller
from selfedit_formal.semantics.symbolic.state import Ref, Slot, State
from selfedit_formal.semantics.symbolic.terms import Integer, Node, Terms, Truth, entails
from selfedit_formal.semantics.symbolic.values import NO_ENUM, Enum, SymbolicValue, enum_variable

Env = Mapping[str, Ref]
"""What span variables stand for."""

Local = SymbolicValue | Linear
"""What `let n = …` names; an int is kept as a linear expression so that counts stay counts."""


@dataclass(frozen=True, slots=True)
class View:
    """A window that a term stands for. `exists`: every run in its making exists."""

    state: State
    exists: Truth


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a pass; facts by site or span, false where nothing is said."""

    before: State
    after: State
    exists: Truth
    refused: Truth
    fired: Mapping[int, Callable[[], Truth]]
    skipped: Mapping[int, Truth]
    logged: Mapping[Slot, Truth]
    overridden: Mapping[Slot, Truth]


class Frame:
    """What input windows and passes are where a term stands: in a claim, or in a gate around one pass.

    In a gate `subject` is the pass being gated (policy, run key, outcome so far). Remembers every window computed.
    """

    def __init__(
        self, serial: int, inputs: Mapping[str, State], subject: tuple[str, str, Outcome] | None = None
    ) -> None:
        self.serial = serial
        self.inputs = inputs
        self.subject = subject
        self.views: dict[object, View] = {}
        self.outcomes: dict[object, tuple[Outcome, Truth]] = {}


@dataclass(frozen=True, slots=True)
class Scope:
    """What names mean where an expression stands. `serial` tells scopes apart; span variables are in an `Env`.

    In a policy `state` is the current window and `run` the key of the pass; elsewhere there is no current window.
    """

    serial: int
    frame: Frame
    state: State | None = None
    run: str = ""
    sets: Mapping[str, Mapping[Slot, Truth]] = field(default_factory=dict)
    values: Mapping[str, Local] = field(default_factory=dict)


class Windows(Protocol):
    """Who makes windows of terms."""

    def view(self, frame: Frame, term: WindowTerm, env: Env) -> View:
        """The window that the term stands for."""

    def outcome(self, frame: Frame, term: Pass, env: Env) -> tuple[Outcome, Truth]:
        """What came of the pass, and whether it exists."""

    def triggered(self, frame: Frame, expression: Triggered, env: Env) -> Truth:
        """Every `when` before the policy's first edit holds."""

    def closure(self, link: str, state: State) -> Mapping[tuple[Slot, Slot], Truth]:
        """Which spans reach which along the link, all on the way present."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A value left open that some term reads."""

    kind: Kind
    value: SymbolicValue


class World:
    """One encoding in the making."""

    def __init__(self, obligation: Obligation) -> None:
        self.terms = Terms()
        self.obligation = obligation
        self.schema = obligation.schema
        self.fields: dict[str, Field] = {f.name: f for f in self.schema.fields}
        self.recorded = tuple(f for f in self.schema.fields if f.oracle != "window")
        self.policies = {p.name: p for p in obligation.policies}
        self.choices: dict[ChoiceKey, Choice] = {}
        self.keys: dict[str, int] = {NO_KEY: 0}
        self.facts: list[Truth] = []
        self.bounds: dict[Node, tuple[int | None, int | None]] = {}
        self.links: dict[tuple[str, Slot, Slot], Truth] = {}
        self.given: dict[str, Slot] = {}
        self.plan: dict[str, Ref] = {}
        self.link: Callable[[str, Slot, Slot], Truth] = lambda _link, _source, _target: False
        self.made: dict[object, Slot] = {}
        self._tallies: dict[tuple[Slot, ...], list[Tally]] = {}
        self._sums: dict[object, list[tuple[tuple[Truth, ...], tuple[Integer, ...]]]] = {}
        self._serial = 0

    def tally(self, chain: tuple[Slot, ...], tally: Tally) -> Tally:
        """The tally, noted for `lemmas`."""
        self._tallies.setdefault(chain, []).append(tally)
        return tally

    def partial_sums(
        self,
        chain: tuple[Slot, ...],
        members: Sequence[Truth],
        weights: Sequence[Integer],
        sums: Sequence[Integer],
    ) -> None:
        """Notes the sums of the first i weights, of the members among a chain, for `lemmas`."""
        if all(map(self._at_least_zero, weights)):
            self._sums.setdefault((chain, tuple(weights)), []).append((tuple(members), tuple(sums)))

    def _at_least_zero(self, value: Integer) -> bool:
        """Whether the integer is never negative, as far as bounds and form show."""
        if isinstance(value, int):
            return value >= 0
        match value.operator:
            case "variable":
                low, _ = self.bounds.get(value, (None, None))
                return low is not None and low >= 0
            case "ite":
                return all(isinstance(a, int | Node) and self._at_least_zero(a) for a in value.arguments[1:])
            case "+":
                return all(isinstance(a, int | Node) and self._at_least_zero(a) for a in value.arguments)
            case _:
                return False

    def lemmas(self) -> list[Truth]:
        """What follows from the rest anyway, but takes a solver long to see: see NOTE(lemmas)."""
        found: list[Truth] = []
        for tallies in self._tallies.values():
            for one in tallies:
                for other in tallies:
                    if one is not other and all(map(entails, one.members, other.members)):
                        found += smaller(self.terms, one, other)
        for noted in self._sums.values():
            for members, less in noted:
                for others, more in noted:
                    if less is not more and all(map(entails, members, others)):
                        found += [self.terms.at_most(a, b) for a, b in zip(less, more, strict=True)]
        return found

    def serial(self) -> int:
        """A number for a scope."""
        self._serial += 1
        return self._serial

    # ---------- values

    def key(self, name: str) -> int:
        """The number of a key that the obligation names."""
        return self.keys.setdefault(name, len(self.keys))

    def zero(self, kind: Kind) -> SymbolicValue:
        """What a field of this kind reads as on a span that is absent."""
        match kind:
            case "int" | "key":
                return 0
            case "bool":
                return False
            case "enum":
                return NO_ENUM

    def variable(self, declared: Field, *name: object) -> SymbolicValue:
        """A value of the field within its declared bounds, which are not empty."""
        terms = self.terms
        match declared.kind:
            case "bool" | "key" as kind:
                return terms.variable(kind, *name)
            case "enum":
                return enum_variable(terms, declared.names, name)
            case "int":
                value = terms.variable("int", *name)
                self.bounds[value] = (declared.low, declared.high)
                terms.meanings[value] = within(terms, value, declared.low, declared.high)
                return value

    def admits_some(self, declared: Field) -> bool:
        """Whether the declared bounds of a field leave a value."""
        if declared.kind == "enum":
            return bool(declared.names)
        return declared.low is None or declared.high is None or declared.low <= declared.high

    def choice(self, key: ChoiceKey, declared: Field | None) -> SymbolicValue:
        """The value chosen under the key: of the field within its declared bounds, or, without a field, yes or no."""
        known = self.choices.get(key)
        if known is None:
            name = ("choice", key.run, key.site, key.span, key.field)
            if declared is None:
                known = Choice("bool", self.terms.variable("bool", *name))
            else:
                known = Choice(declared.kind, self.variable(declared, *name))
            self.choices[key] = known
        return known.value

    # ---------- spans

    def created(self, what: object, name: str) -> Slot:
        """The span that a pass creates under this name; another name where an input already uses that."""
        known = self.made.get(what)
        if known is None:
            used = {*self.given, *(e.id for e in self.made.values())}
            number, identity = 2, name
            while identity in used:
                identity, number = f"{name}_{number}", number + 1
            known = self.made[what] = Slot(identity, created=True)
        return known

    def linked(self, link: str, source: Slot, target: Slot, state: State | None) -> Truth:
        """The link holds between the two."""
        if link == COVERS:
            assert state is not None
            return state.covers.get((source, target), False)
        return self.link(link, source, target)


def within(terms: Terms, value: Integer, low: Integer | None, high: Integer | None) -> Truth:
    """`low <= value <= high`; None is open."""
    return terms.both(
        True if low is None else terms.at_most(low, value), True if high is None else terms.at_most(value, high)
    )


def enum(value: SymbolicValue) -> Enum:
    """The value, which has listed names."""
    assert isinstance(value, Enum)
    return value


# NOTE(lemmas): in P(P(W)) the second pass counts among the spans that the first one kept, so it never counts more
# than the first; and its totals of what is never negative are no larger. A solver must find this out for each place and
# threshold; told, it needs a second for what took it minutes.
