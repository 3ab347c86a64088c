"""Values of the variables of an encoding as a case.

Windows, parameters, spans and choices, in the words of the core.
"""

from __future__ import annotations

from collections.abc import Mapping

import z3

from selfedit_formal.core.property import Case
from selfedit_formal.core.window import NO_KEY, NO_NAME, Field, Kind, Span, Value, Window, nearest_to_zero
from selfedit_formal.semantics.symbolic.state import Slot, State
from selfedit_formal.semantics.symbolic.terms import Assignment, Node, Truth, Valuation
from selfedit_formal.semantics.symbolic.values import Enum, SymbolicValue
from selfedit_formal.semantics.symbolic.world import World


class Decoder:
    """Reads one assignment. A field that nothing read has the value closest to zero that its bounds allow."""

    def __init__(self, world: World, assignment: Assignment) -> None:
        self._world = world
        defaults: dict[Node, bool | int] = {
            node: nearest_to_zero(low, high) for node, (low, high) in world.bounds.items()
        }
        self._value = Valuation({**defaults, **assignment})
        self._names = {number: name for name, number in world.keys.items()}

    def case(self, inputs: Mapping[str, State], spans: Mapping[str, str]) -> Case:
        """Everything that the claim leaves open."""
        obligation, terms = self._world.obligation, self._world.terms
        windows: dict[str, Window] = {}
        for index, (name, state) in enumerate(inputs.items()):
            written = obligation.fixed if index == 0 else None
            windows[name] = self.window(state) if written is None else written
        parameters = [terms.variable("int", "parameter", p.name) for p in obligation.parameters]
        return Case(
            inputs=windows,
            parameters={p.name: self.number(node) for p, node in zip(obligation.parameters, parameters, strict=True)},
            spans=spans,
            choices={key: self.value(choice.kind, choice.value) for key, choice in self._world.choices.items()},
        )

    def window(self, state: State) -> Window:
        """The state written out."""
        known = [e for e, truth in state.known.items() if self.truth(truth)]
        order = self.ordered(state, known)
        here = set(order)
        return Window(
            schema=self._world.schema,
            spans=tuple(Span(e.id, self.record(state, e)) for e in order),
            archived=frozenset(e.id for e in order if not self.truth(state.present[e])),
            links=frozenset(
                (link, a.id, b.id)
                for (link, a, b), truth in self._world.links.items()
                if a in here and b in here and self.truth(truth)
            ),
        )

    def ordered(self, state: State, elements: list[Slot]) -> list[Slot]:
        """These elements in the state's order."""
        ahead = {e: sum(self.truth(state.order.before(f, e)) for f in elements if f is not e) for e in elements}
        return sorted(elements, key=ahead.__getitem__)

    def record(self, state: State, element: Slot) -> dict[str, Value]:
        """The fields of one span."""
        found: dict[str, Value] = {}
        for declared in self._world.recorded:
            cell = state.cells[declared.name][element]
            found[declared.name] = self.value(declared.kind, cell.value()) if cell.made else default(declared)
        return found

    def truth(self, truth: Truth) -> bool:
        """Whether it is true."""
        return bool(self._value(truth))

    def number(self, node: int | Node) -> int:
        """Which integer it is."""
        return int(self._value(node))

    def value(self, kind: Kind, value: SymbolicValue) -> Value:
        """The value in the words of the core."""
        match kind:
            case "int":
                assert not isinstance(value, Enum)
                return self.number(value)
            case "bool":
                assert isinstance(value, bool | Node)
                return self.truth(value)
            case "key":
                assert not isinstance(value, Enum)
                return self._key(self.number(value))
            case "enum":
                assert isinstance(value, Enum)
                return next((n for n in sorted(value.names) if self.truth(value.test(n))), NO_NAME)

    def _key(self, number: int) -> str:
        if number not in self._names:
            taken = set(self._names.values())
            index = 1
            while f"k{index}" in taken:
                index += 1
            self._names[number] = f"k{index}"
        return self._names[number]


def default(declared: Field) -> Value:
    """What a field is that nothing reads."""
    match declared.kind:
        case "int":
            return nearest_to_zero(declared.low, declared.high)
        case "bool":
            return False
        case "key":
            return NO_KEY
        case "enum":
            return declared.names[0]


def constant(term: z3.ExprRef) -> bool | int:
    """The Python value of a Z3 constant."""
    if z3.is_bool(term):
        return bool(z3.is_true(term))
    number: int = term.as_long()
    return number
