"""Elements as Z3 sees them: marks, what is so of an element at the head or at a mark, and where elements stand."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

import z3

from selfedit_formal._frozen import dataclass
from selfedit_formal.core.window import Kind
from selfedit_formal.engines.unbounded.ir import HEAD, Element, Fact, Flat
from selfedit_formal.engines.unbounded.terms import BOOL, INT, TRUE, conjunction, negation, sort_of

if TYPE_CHECKING:
    from selfedit_formal.engines.unbounded.compiler.compilation import Compilation


@dataclass(slots=True, eq=False)
class Mark:
    """A distinguished element: a witness, a `let`-bound span, a fresh span. `on`: it denotes an element; `placed`: the
    scan has passed it; `place`: it is the one under the head."""

    element: Element
    depth: int
    on: z3.BoolRef
    placed: z3.BoolRef
    place: z3.BoolRef
    guards: list[Flat] = field(default_factory=list)
    """Conditions over `HEAD`, read where the mark is placed."""
    rest: z3.BoolRef = field(default_factory=lambda: TRUE)
    """What else holds of it, as a condition on rigids."""


@dataclass(slots=True, eq=False)
class ElementView:
    """One element as Z3 sees it: the one under the head, or (without a scan) a mark's."""

    element: Element
    base: dict[Fact, z3.ExprRef] = field(default_factory=dict)
    fresh: dict[Element, z3.BoolRef] = field(default_factory=dict)
    memo: dict[tuple[object, ...], z3.ExprRef] = field(default_factory=dict)
    joins: dict[Flat, z3.ExprRef] = field(default_factory=dict)
    orders: dict[Element, tuple[z3.BoolRef, z3.BoolRef, z3.BoolRef]] = field(default_factory=dict)


class Elements:
    """The marks by their element, and the views of the head and (in a query) of marks."""

    def __init__(self, whole: Compilation) -> None:
        self.whole = whole
        self.marks: dict[Element, Mark] = {}
        self.head = ElementView(HEAD)
        self.views: dict[Element, ElementView] = {}
        self.positions: dict[Element, z3.ArithRef] = {}

    def add(self, element: Element, depth: int, on: z3.BoolRef) -> Mark:
        """A new mark."""
        symbols = self.whole.symbols
        mark = Mark(element, depth, on, symbols.symbol("seen", BOOL), symbols.symbol("here", BOOL))
        self.marks[element] = mark
        symbols.explain(mark.placed, f"{element.label} was passed")
        return mark

    def view(self, mark: Element) -> ElementView:
        """A mark as the element that is looked at, in a query."""
        return self.views.setdefault(mark, ElementView(mark))

    def is_fresh(self, at: ElementView, mark: Element) -> z3.BoolRef:
        """Whether the element is the fresh span that the mark stands for."""
        if self.whole.mode.scan:
            return self.marks[mark].place
        if mark not in at.fresh:
            at.fresh[mark] = self.whole.symbols.symbol("is", BOOL)
        return at.fresh[mark]

    def position(self, element: Element) -> z3.ArithRef:
        """Where the element stands, in a query."""
        if element not in self.positions:
            self.positions[element] = self.whole.symbols.symbol("pos", INT)
        return self.positions[element]

    def order(self, at: ElementView, mark: Element) -> tuple[z3.BoolRef, z3.BoolRef, z3.BoolRef]:
        """(the element is before the mark, is the mark, is after it); all false if the mark denotes nothing."""
        if mark not in at.orders:
            at.orders[mark] = self._order(at, mark)
        return at.orders[mark]

    def _order(self, at: ElementView, mark: Element) -> tuple[z3.BoolRef, z3.BoolRef, z3.BoolRef]:
        m = self.marks[mark]
        if self.whole.mode.scan:
            passed, here = conjunction((m.on, m.placed)), m.place
            ahead = conjunction((m.on, negation(m.placed), negation(m.place)))
            return (ahead, here, passed) if self.whole.mode.direction == "oldest" else (passed, here, ahead)
        p, q = self.position(at.element), self.position(mark)
        return conjunction((m.on, p < q)), conjunction((m.on, p == q)), conjunction((m.on, p > q))

    def base(self, at: ElementView, fact: Fact, kind: Kind) -> z3.ExprRef:
        """What is so of the element before any edit."""
        if fact not in at.base:
            at.base[fact] = self.whole.symbols.symbol("x", sort_of(kind))
        return at.base[fact]
