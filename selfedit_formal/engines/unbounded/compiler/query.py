"""One query over marks: quantifiers instantiated at them, counts and totals free."""

from __future__ import annotations

import z3

from selfedit_formal._frozen import dataclass
from selfedit_formal.core.budget import Work
from selfedit_formal.core.certificate import Ground
from selfedit_formal.core.property import Obligation
from selfedit_formal.engines.unbounded.compiler.compilation import Compilation
from selfedit_formal.engines.unbounded.compiler.elements import ElementView, Mark
from selfedit_formal.engines.unbounded.compiler.mode import LeftOut, Mode
from selfedit_formal.engines.unbounded.flatten import Trace
from selfedit_formal.engines.unbounded.ir import Element, Way
from selfedit_formal.engines.unbounded.terms import TRUE, conjunction, implication


@dataclass(frozen=True, slots=True, eq=False)
class Query:
    """The claim is broken only if this is satisfiable."""

    formula: z3.BoolRef
    approximations: tuple[str, ...]
    left_out: frozenset[LeftOut]
    tracks: dict[Ground, z3.BoolRef]
    views: dict[Element, ElementView]
    """What is so of each mark."""
    on: dict[Element, z3.BoolRef]
    """Mark → it denotes an element."""
    positions: dict[Element, z3.ArithRef]
    related: dict[tuple[Way, Element, Element], z3.BoolRef]
    parameters: dict[str, z3.ArithRef]
    coming: dict[tuple[str, int], z3.BoolRef]
    trace: Trace


def compile_query(obligation: Obligation, mode: Mode, tracked: bool = False, work: Work | None = None) -> Query:
    """One query over marks, quantifiers instantiated at them, counts and totals free. Raises `Outside`, `Spent`.

    `tracked`: what is assumed holds only if its track does (`Query.tracks`), and a rule whose track does not hold
    does anything.
    """
    whole = Compilation(obligation, mode, tracked, work or Work())
    formula = conjunction(QueryAssembly(whole).conditions())
    return Query(
        formula,
        tuple(dict.fromkeys(whole.approximations)),
        frozenset(whole.demands.left_out),
        whole.symbols.tracks,
        whole.elements.views,
        {element: mark.on for element, mark in whole.elements.marks.items()},
        whole.elements.positions,
        whole.values.related,
        whole.parameters,
        whole.demands.coming,
        whole.trace,
    )


class QueryAssembly:
    """A query being put together."""

    def __init__(self, whole: Compilation) -> None:
        self.whole = whole

    def conditions(self) -> list[z3.BoolRef]:
        """All that must hold of the marks."""
        elements, values, demands = self.whole.elements, self.whole.values, self.whole.demands
        self._everywhere()
        conditions = list(demands.fixed)
        marks = list(elements.marks.values())
        for m in marks:
            at = elements.view(m.element)
            holds = [values.value(g, at) for g in m.guards]
            for mark in self.whole.inserts:
                fresh = elements.is_fresh(at, mark)
                if m.element == mark:
                    holds.append(fresh)
                else:
                    same = elements.position(m.element) == elements.position(mark)
                    holds.append(implication(fresh, conjunction((elements.marks[mark].on, same))))
            conditions.append(implication(m.on, conjunction(holds)) if holds else TRUE)
            conditions.append(implication(m.on, demands.canonical(at)))
        for i, m in enumerate(marks):
            for n in marks[:i]:
                conditions.append(self._same_values(m, n))
        return conditions

    def _everywhere(self) -> None:
        """Universals at each mark, until nothing calls for more."""
        elements, demands = self.whole.elements, self.whole.demands
        weak: set[tuple[Element, int]] = set()
        while True:
            size = (demands.size(), len(weak))
            demands.instances()
            for m in list(elements.marks.values()):
                for u in list(self.whole.polarity.universals):
                    if (m.element, u.index) in demands.instantiated or (m.element, u.index) in weak:
                        continue
                    weak.add((m.element, u.index))
                    demands.fixed.append(implication(m.on, demands.everywhere(u, elements.view(m.element))))
            if size == (demands.size(), len(weak)):
                return

    def _same_values(self, m: Mark, n: Mark) -> z3.BoolRef:
        """Two marks that are one element are alike in everything."""
        elements, related = self.whole.elements, self.whole.values.related
        x, y = elements.view(m.element), elements.view(n.element)
        same = [x.base[k] == y.base[k] for k in x.base if k in y.base]
        same += [x.joins[k] == y.joins[k] for k in x.joins if k in y.joins]
        same += [x.fresh[k] == y.fresh[k] for k in x.fresh if k in y.fresh]
        for (way, a, b), r in related.items():
            for old, new in ((m.element, n.element), (n.element, m.element)):
                if a == old and (way, new, b) in related:
                    same.append(r == related[way, new, b])
                if b == old and (way, a, new) in related:
                    same.append(r == related[way, a, new])
        if not same:
            return TRUE
        here = elements.position(m.element) == elements.position(n.element)
        return implication(conjunction((m.on, n.on, here)), conjunction(same))
