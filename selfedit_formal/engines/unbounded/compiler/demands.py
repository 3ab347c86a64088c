"""What must hold of a run that breaks the claim: what the trace says, and what marks and joins have to agree in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import z3

from selfedit_formal.core.certificate import Assumption, FieldBounds, ParameterBound
from selfedit_formal.engines.unbounded.compiler.elements import ElementView
from selfedit_formal.engines.unbounded.compiler.mode import LeftOut
from selfedit_formal.engines.unbounded.compiler.polarity import Universal
from selfedit_formal.engines.unbounded.flatten import within_bounds
from selfedit_formal.engines.unbounded.ir import (
    EVERY,
    HEAD,
    Alive,
    Born,
    Element,
    Exists,
    FieldAt,
    Flat,
    Inserting,
    KnownIn,
    Older,
    Op,
    Same,
    Sum,
    both,
    either,
    negate,
    rename,
    show,
)
from selfedit_formal.engines.unbounded.terms import BOOL, TRUE, conjunction, implication, negation

if TYPE_CHECKING:
    from selfedit_formal.engines.unbounded.compiler.compilation import Compilation


class Demands:
    """`fixed` are conditions on rigids. `coming` are the choices whether a span comes that may. `weakened` are the
    universals of which something is left out where no mark is; `left_out`: where else that could be made up for."""

    def __init__(self, whole: Compilation) -> None:
        self.whole = whole
        self.fixed: list[z3.BoolRef] = []
        self.coming: dict[tuple[str, int], z3.BoolRef] = {}
        self.weakened: set[int] = set()
        self.left_out: set[LeftOut] = set()
        self.joined: set[tuple[Element, Flat]] = set()
        """Joins that are exact at a mark."""
        self.instantiated: set[tuple[Element, int]] = set()
        """Universals that are exact at a mark."""

    def make(self) -> None:
        """Everything that the trace says."""
        whole, trace = self.whole, self.whole.trace
        symbols, elements, polarity = whole.symbols, whole.elements, whole.polarity
        for mark in whole.inserts:
            elements.add(mark, 0, symbols.new("on", BOOL, f"{mark.label} is put in"))
        for let in trace.lets:
            elements.add(let.mark, 0, symbols.new("on", BOOL, f"there is {let.mark.label}"))
        for witness in trace.witnesses:
            elements.add(witness, 0, TRUE)
        for witness, condition in trace.witnesses.items():
            polarity.describe(elements.marks[witness], condition)
            self.fixed.append(elements.marks[witness].rest)
        for let in trace.lets:
            m = elements.marks[let.mark]
            polarity.describe(m, let.condition)
            self.fixed.append(implication(m.on, m.rest))
            other = Older(HEAD, let.mark) if let.which == "first" else Older(let.mark, HEAD)
            polarity.add_universal(TRUE, EVERY, Op("implies", (let.condition, both(Exists(let.mark), negate(other)))))
        for version in whole.inserts.values():
            self._place(version)
        for constraint in trace.constraints:
            polarity.add_universal(TRUE, EVERY, constraint)
        for parameter in whole.obligation.parameters:
            x = whole.parameters[parameter.name]
            symbols.explain(x, f"the parameter {parameter.name}")
            if parameter.low is not None:
                bound = ParameterBound(parameter.name, "least", parameter.low)
                self.fixed.append(implication(symbols.track(bound), x >= parameter.low))
            if parameter.high is not None:
                bound = ParameterBound(parameter.name, "most", parameter.high)
                self.fixed.append(implication(symbols.track(bound), x <= parameter.high))
        for i, item in enumerate(trace.assumed):
            self.fixed.append(implication(symbols.track(Assumption(i)), polarity.imply(item, True, None, 0)))
        for item in trace.broken:
            self.fixed.append(polarity.imply(item, True, None, 0))

    def _place(self, version: int) -> None:
        """Where a fresh span stands, and when there is one."""
        made = self.whole.trace.versions[version]
        assert isinstance(made.step, Inserting)
        mark, where, beside = made.step.mark, made.step.where, made.step.beside
        m = self.whole.elements.marks[mark]
        asked = [self.whole.values.value(made.guard, self.whole.elements.head)]
        if made.step.may:
            asked.append(self._comes(mark))
        self.fixed.append(m.on == conjunction(asked))
        m.guards = [made.step.constraint]
        self.whole.polarity.describe(m, made.step.condition)
        self.fixed.append(implication(m.on, m.rest))
        match where:
            case "front":
                relative: Flat = Older(mark, HEAD)
            case "back":
                relative = Older(HEAD, mark)
            case "before" | "after":
                assert beside is not None
                older: Flat = Older(HEAD, beside)
                if where == "after":
                    older = either(older, Same(HEAD, beside))
                relative = either(both(older, Older(HEAD, mark)), both(negate(older), Older(mark, HEAD)))
        self.whole.polarity.add_universal(m.on, EVERY, Op("implies", (KnownIn(HEAD, made.parent), relative)))

    def _comes(self, mark: Element) -> z3.BoolRef:
        """The choice whether the fresh span comes: one for its run and statement, whatever the window."""
        made = self.whole.trace.fresh[mark]
        key = (made.run, made.site)
        if key not in self.coming:
            self.coming[key] = self.whole.symbols.new("may", BOOL, f"{mark.label} may come")
        return self.coming[key]

    def canonical(self, at: ElementView) -> z3.BoolRef:
        """An element of the input obeys the bounds of its fields (a fresh one those of the statement that made it)."""
        declared = (f for f in self.whole.schema.fields if Born(f.name) in at.base)
        bounds = [
            implication(self.whole.symbols.track(FieldBounds(f.name)), self.whole.values.value(b, at))
            for f in declared
            for b in within_bounds(FieldAt(HEAD, f.name, EVERY), f, self.whole.trace.codes)
        ]
        return implication(self.whole.versions.known(0, at), conjunction(bounds)) if bounds else TRUE

    def instances(self) -> None:
        """Joins, and universals that a join weakened, made exact at the marks."""
        mode, head = self.whole.mode, self.whole.elements.head
        values, aggregates, imply = self.whole.values, self.whole.aggregates, self.whole.polarity.imply
        for m in list(self.whole.elements.marks.values()):
            if m.depth > 0 and m.depth >= mode.depth and not mode.half:
                self.left_out.add("the deepest marks")
                continue
            if mode.instances == "witnesses" and m.element.kind != "witness":
                self.left_out.add("marks that are no witnesses")
                continue
            for item in list(aggregates.joins):
                if (m.element, item) in self.joined:
                    continue
                self.joined.add((m.element, item))
                here = values.at_mark(m.element, item)
                at_mark = rename(item, {HEAD: m.element})
                if isinstance(at_mark, Sum):
                    if mode.scan:
                        self.fixed.append(implication(m.on, here == aggregates.closed_sum(at_mark)))
                    continue
                yes, no = imply(at_mark, True, None, m.depth + 1), imply(at_mark, False, None, m.depth + 1)
                self.fixed += [
                    implication(conjunction((m.on, here)), yes),
                    implication(conjunction((m.on, negation(here))), no),
                ]
            for u in list(self.whole.polarity.universals):
                if (m.element, u.index) in self.instantiated or (mode.scan and u.index not in self.weakened):
                    continue
                self.instantiated.add((m.element, u.index))
                body = imply(rename(u.body, {HEAD: m.element}), True, None, m.depth + 1)
                inside = TRUE if u.version == EVERY else values.value(Alive(m.element, u.version), head)
                self.fixed.append(implication(conjunction((m.on, u.assumed, inside)), body))

    def everywhere(self, u: Universal, at: ElementView) -> z3.BoolRef:
        """The universal at the element that is looked at."""
        polarity = self.whole.polarity
        polarity.weak = False
        body = polarity.imply(u.body, True, at, 0)
        if polarity.weak and u.index not in self.weakened:
            self.weakened.add(u.index)
            self.whole.approximations.append("used at marks only: " + show(u.body))
        inside = TRUE if u.version == EVERY else self.whole.versions.alive(u.version, at)
        return implication(conjunction((u.assumed, inside)), body)

    def size(self) -> tuple[int, ...]:
        """How much there is of all that one thing may call for: once it stays, nothing calls for more."""
        parts = (
            self.whole.elements.marks,
            self.whole.polarity.universals,
            self.whole.values.records,
            self.whole.values.matched,
            self.whole.aggregates.accumulators,
            self.whole.aggregates.joins,
            self.whole.polarity.denied,
            self.joined,
            self.instantiated,
            self.fixed,
            self.weakened,
        )
        return tuple(len(p) for p in parts)
