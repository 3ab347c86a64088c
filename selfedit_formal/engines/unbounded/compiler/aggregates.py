"""Quantifiers, counts and totals as values: from accumulators of the scan, or free where spans are compared."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

import z3

from selfedit_formal._frozen import dataclass
from selfedit_formal.engines.unbounded.compiler.elements import ElementView
from selfedit_formal.engines.unbounded.ir import (
    EVERY,
    HEAD,
    YES,
    Element,
    Exist,
    Flat,
    Older,
    Op,
    Same,
    Sum,
    both,
    conjuncts,
    free,
    rename,
    show,
)
from selfedit_formal.engines.unbounded.terms import (
    BOOL,
    FALSE,
    INT,
    TRUE,
    ZERO,
    choice,
    conjunction,
    disjunction,
    implication,
    negation,
)

if TYPE_CHECKING:
    from selfedit_formal.engines.unbounded.compiler.compilation import Compilation


@dataclass(slots=True, eq=False)
class Accumulator:
    """A positional count, total or "some" of one version. The placeholders are resolved once all uses are known."""

    index: int
    boolean: bool
    version: int
    weight: Flat
    body: Flat
    before: z3.ExprRef
    after: z3.ExprRef
    whole: z3.ExprRef
    own: z3.ExprRef
    value: z3.ExprRef = field(default_factory=lambda: FALSE)
    passed: z3.ArithRef | None = None
    left: z3.ArithRef | None = None
    """What counts the spans passed, and those still to come, if something does."""


class Aggregates:
    """`joins` are the terms that compare their spans with the one that is looked at, and `closed` the rigids of those
    that speak of no element."""

    def __init__(self, whole: Compilation) -> None:
        self.whole = whole
        self.accumulators: dict[tuple[Flat, Flat, int, bool], Accumulator] = {}
        self.joins: dict[Flat, None] = {}
        self.closed: dict[Flat, z3.ExprRef] = {}

    def split(self, body: Flat, variable: Element, focus: Element) -> tuple[list[bool], Flat, bool]:
        """The conjuncts that only order the variable against the focus → which of (before, same, after) they admit;
        the rest; and whether they are false if the focus is absent (which stands nowhere, so no negation is)."""
        admitted, rest, there = [True, True, True], [], False
        for c in conjuncts(body):
            negated = isinstance(c, Op) and c.operator == "not"
            atom = c.items[0] if isinstance(c, Op) and negated else c
            match atom:
                case Older(left, right) if (left, right) == (variable, focus):
                    only = [True, False, False]
                case Older(left, right) if (left, right) == (focus, variable):
                    only = [False, False, True]
                case Same(left, right) if {left, right} == {variable, focus}:
                    only = [False, True, False]
                case _:
                    rest.append(c)
                    continue
            there = there or not negated
            admitted = [x and (y != negated) for x, y in zip(admitted, only, strict=True)]
        return admitted, both(*rest), there

    def exist(self, item: Exist, at: ElementView) -> z3.ExprRef:
        """The truth of a quantifier of which both polarities matter."""
        names = free(item)
        if HEAD not in names:
            if item not in self.closed:
                b = self.whole.symbols.new("q", BOOL, show(item))
                self.closed[item] = b
                imply = self.whole.polarity.imply
                self.whole.demands.fixed += [
                    implication(b, imply(item, True, None, 0)),
                    implication(negation(b), imply(item, False, None, 0)),
                ]
            return self.closed[item]
        admitted, rest, _ = self.split(item.body, item.variable, HEAD)
        if self.whole.mode.scan and HEAD not in free(rest):
            a = self.accumulator(YES, rest, item.variable, item.version, True)
            parts = [n for n, x in zip((a.before, a.own, a.after), admitted, strict=True) if x]
            return disjunction(parts) if parts else FALSE
        return self._join(item, at, BOOL)

    def _join(self, item: Flat, at: ElementView, sort: z3.SortRef) -> z3.ExprRef:
        """A quantifier or aggregate that compares its spans with the one under the head: free here, made exact at
        marks (`instances`)."""
        if item not in self.joins:
            self.joins[item] = None
            self.whole.approximations.append("free at unmarked spans: " + show(item))
        if item not in at.joins:
            at.joins[item] = self.whole.symbols.symbol("j", sort)
        return at.joins[item]

    def sum(self, item: Sum, at: ElementView) -> z3.ExprRef:
        """A count or total."""
        names = free(item)
        if HEAD not in names:
            for mark in sorted(names, key=lambda m: (m.kind == "let", m.number)):
                admitted, rest, there = self.split(item.body, item.variable, mark)
                alone = mark not in free(rest) and mark not in free(item.weight) and admitted != [True] * 3
                if alone and (there or mark.kind == "witness"):
                    return self.whole.values.at_mark(mark, rename(item, {mark: HEAD}))
            return self.closed_sum(item)
        admitted, rest, _ = self.split(item.body, item.variable, HEAD)
        if HEAD in free(rest) or HEAD in free(item.weight):
            return self._join(item, at, INT)
        if not self.whole.mode.scan:
            self.whole.approximations.append("free: " + show(item))
            memo = ("sum", item)
            if memo not in at.memo:
                at.memo[memo] = self.whole.symbols.symbol("T", INT)
            return at.memo[memo]
        a = self.accumulator(item.weight, rest, item.variable, item.version, False)
        if all(admitted):
            return a.whole
        if admitted == [True, False, True]:
            return a.whole - a.own
        parts = [n for n, x in zip((a.before, a.own, a.after), admitted, strict=True) if x]
        return z3.Sum(parts) if len(parts) > 1 else parts[0] if parts else ZERO

    def closed_sum(self, item: Sum) -> z3.ExprRef:
        """A count or total that speaks of no element."""
        if not self.whole.mode.scan:
            self.whole.approximations.append("free: " + show(item))
            if item not in self.closed:
                self.closed[item] = self.whole.symbols.new("T", INT, show(item))
            return self.closed[item]
        return self.accumulator(item.weight, item.body, item.variable, item.version, False).whole

    def accumulator(self, weight: Flat, body: Flat, variable: Element, version: int, boolean: bool) -> Accumulator:
        """The one for this body and weight, whatever their variable is."""
        weight, body = rename(weight, {variable: HEAD}), rename(body, {variable: HEAD})
        key = (weight, body, version, boolean)
        if key not in self.accumulators:
            symbols, sort = self.whole.symbols, BOOL if boolean else INT
            names = [symbols.symbol(hint, sort) for hint in ("before", "after", "whole", "own")]
            self.accumulators[key] = Accumulator(symbols.count, boolean, version, weight, body, *names)
        return self.accumulators[key]

    def contribution(self, a: Accumulator) -> z3.ExprRef:
        """What the element under the head adds."""
        head, values = self.whole.elements.head, self.whole.values
        inside = TRUE if a.version == EVERY else self.whole.versions.alive(a.version, head)
        hit = conjunction((inside, values.value(a.body, head)))
        return hit if a.boolean else choice(hit, values.value(a.weight, head), ZERO)
