"""What is so of an element in each version of the window: whether it is known, whether it is there, its fields."""

from __future__ import annotations

from typing import TYPE_CHECKING

import z3

from selfedit_formal.engines.unbounded.compiler.elements import ElementView
from selfedit_formal.engines.unbounded.ir import (
    EVERY,
    Born,
    Carry,
    Choosing,
    Dropping,
    Evicting,
    Filling,
    Flat,
    Inserting,
    Moving,
    Op,
    Readmitting,
    Recalling,
    Rescoring,
    Setting,
    Stays,
    Touched,
)
from selfedit_formal.engines.unbounded.terms import TRUE, choice, conjunction, disjunction, negation, zero_of

if TYPE_CHECKING:
    from selfedit_formal.engines.unbounded.compiler.compilation import Compilation


class Versions:
    """Keeps nothing but what views remember."""

    def __init__(self, whole: Compilation) -> None:
        self.whole = whole

    def touched(self, version: int, condition: Flat, at: ElementView) -> z3.BoolRef:
        """The rule of this version concerns the element. A rule whose track does not hold concerns any."""
        rule = self.whole.trace.versions[version].rule
        hit = self.whole.values.value(condition, at)
        if not self.whole.symbols.tracked or rule is None:
            return hit
        fact = Touched(version)
        if fact not in at.base:
            at.base[fact] = z3.Bool(f"any{version}n{at.element.number}")
        return choice(self.whole.symbols.track(rule), hit, at.base[fact])

    def known(self, version: int, at: ElementView) -> z3.BoolRef:
        """Whether the window knows the span, present or archived."""
        memo = ("known", version)
        if memo not in at.memo:
            at.memo[memo] = z3.simplify(self._known(version, at))
        return at.memo[memo]

    def _known(self, version: int, at: ElementView) -> z3.BoolRef:
        elements, inserts = self.whole.elements, self.whole.inserts
        if version == 0:
            return negation(disjunction([elements.is_fresh(at, m) for m in inserts])) if inserts else TRUE
        made = self.whole.trace.versions[version]
        before = self.known(made.parent, at)
        match made.step:
            case Inserting(mark):
                return disjunction((before, elements.is_fresh(at, mark)))
            case Dropping(mark):
                return conjunction((before, negation(elements.order(at, mark)[1])))
            case Choosing(condition, other):
                return choice(self.whole.values.value(condition, at), self.known(other, at), before)
            case Evicting() | Setting() | Readmitting() | Filling() | Moving() | Recalling() | Rescoring():
                return before

    def alive(self, version: int, at: ElementView) -> z3.BoolRef:
        """Whether the span is present."""
        memo = ("alive", version)
        if memo not in at.memo:
            at.memo[memo] = z3.simplify(self._alive(version, at))
        return at.memo[memo]

    def _alive(self, version: int, at: ElementView) -> z3.BoolRef:
        elements, values = self.whole.elements, self.whole.values
        if version == 0:
            known = self.known(0, at)
            return conjunction((known, elements.base(at, Stays(), "bool"))) if self.whole.archive else known
        made = self.whole.trace.versions[version]
        before, guard = self.alive(made.parent, at), values.value(made.guard, at)
        match made.step:
            case Evicting(condition):
                return conjunction((before, negation(conjunction((guard, self.touched(version, condition, at))))))
            case Setting() | Rescoring() | Moving():
                return before
            case Readmitting(condition):
                return disjunction((before, conjunction((guard, self.touched(version, condition, at)))))
            case Inserting(mark):
                return disjunction((before, elements.is_fresh(at, mark)))
            case Filling(_, scope, weight, cap):
                fits = self.touched(version, Op("<=", (Op("+", (Carry(version), weight)), cap)), at)
                return conjunction((before, disjunction((negation(guard), negation(values.value(scope, at)), fits))))
            case Choosing(condition, other):
                return choice(values.value(condition, at), self.alive(other, at), before)
            case Dropping(mark):
                return conjunction((before, negation(elements.order(at, mark)[1])))
            case Recalling():
                return self.known(made.parent, at)

    def field(self, version: int, at: ElementView, name: str) -> z3.ExprRef:
        """The field's value; of `EVERY` version, what it was born with."""
        memo = ("field", version, name)
        if memo not in at.memo:
            at.memo[memo] = z3.simplify(self._field(version, at, name))
        return at.memo[memo]

    def _field(self, version: int, at: ElementView, name: str) -> z3.ExprRef:
        elements, values = self.whole.elements, self.whole.values
        kind = self.whole.schema.field(name).kind
        born = elements.base(at, Born(name), kind)
        if version == EVERY:
            return born
        if version == 0:
            return choice(self.known(0, at), born, zero_of(kind)) if self.whole.inserts else born
        made = self.whole.trace.versions[version]
        before = self.field(made.parent, at, name)
        match made.step:
            case Setting(condition, updates, archive) if name in updates:
                present = self.alive(made.parent, at)
                inside = conjunction((self.known(made.parent, at), negation(present))) if archive else present
                hit = conjunction((values.value(made.guard, at), inside, self.touched(version, condition, at)))
                return choice(hit, values.value(updates[name], at), before)
            case Rescoring(mark, updates) if name in updates:
                hit = conjunction((elements.order(at, mark)[1], self.known(made.parent, at)))
                return choice(hit, values.value(updates[name], at), before)
            case Inserting(mark):
                return choice(elements.is_fresh(at, mark), born, before)
            case Dropping(mark):
                return choice(elements.order(at, mark)[1], zero_of(kind), before)
            case Choosing(condition, other):
                return choice(values.value(condition, at), self.field(other, at, name), before)
            case Setting() | Rescoring() | Evicting() | Readmitting() | Filling() | Moving() | Recalling():
                return before
