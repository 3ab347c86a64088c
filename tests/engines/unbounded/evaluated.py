"""A trace on a window that is written out: versions and formulas as plain Python, without Z3 and without a scan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import assert_never

from selfedit_formal.core.window import NO_KEY, Value, Window
from selfedit_formal.engines.unbounded.flatten import Trace
from selfedit_formal.engines.unbounded.ir import (
    EVERY,
    HEAD,
    Alive,
    Base,
    Carry,
    Choosing,
    Constant,
    Dropping,
    Element,
    Evicting,
    Exist,
    Exists,
    FieldAt,
    Filling,
    Flat,
    Identical,
    Inserting,
    KnownIn,
    Moving,
    Num,
    Older,
    Op,
    Operator,
    Param,
    Readmitting,
    Recalling,
    Related,
    Rescoring,
    Same,
    Setting,
    Stands,
    Sum,
)

Names = Mapping[Element, str | None]


@dataclass
class Evaluated:
    """Versions that put no span in and move none, of a window."""

    trace: Trace
    window: Window
    parameters: Mapping[str, int]
    keys: dict[str, int] = field(default_factory=lambda: {NO_KEY: 0})

    def __post_init__(self) -> None:
        self.ids = [s.id for s in self.window.spans]

    def broken(self) -> bool:
        """Whether all that must hold of a broken claim does, for some spans that it may be about."""
        witnesses = list(self.trace.witnesses)
        for way in product(self.ids, repeat=len(witnesses)):
            names = dict(zip(witnesses, way, strict=True))
            placed = all(self.holds(c, {**names, HEAD: names[w]}) for w, c in self.trace.witnesses.items())
            if placed and all(self.holds(item, names) for item in (*self.trace.assumed, *self.trace.broken)):
                return True
        return False

    # ---------- versions

    def known(self, version: int, span: str, names: Names) -> bool:
        if version <= 0:
            return True
        made = self.trace.versions[version]
        before = self.known(made.parent, span, names)
        match made.step:
            case Dropping(mark):
                return before and span != self.at(mark, names)
            case Choosing(condition, other):
                return self.known(other, span, names) if self.holds(condition, names) else before
            case _:
                return before

    def alive(self, version: int, span: str, names: Names) -> bool:
        if version == 0:
            return span not in self.window.archived
        made = self.trace.versions[version]
        before, inside = self.alive(made.parent, span, names), {**names, HEAD: span}
        acts = self.holds(made.guard, names)
        match made.step:
            case Evicting(condition):
                return before and not (acts and self.holds(condition, inside))
            case Readmitting(condition):
                return before or (acts and self.holds(condition, inside))
            case Filling():
                return before and not (acts and span in self.overflowing(made.step, names))
            case Choosing(condition, other):
                return self.alive(other, span, names) if self.holds(condition, names) else before
            case Dropping(mark):
                return before and span != self.at(mark, names)
            case Recalling():
                return self.known(made.parent, span, names)
            case Setting() | Rescoring():
                return before
            case Inserting() | Moving():
                raise AssertionError("no window of these tests has that")
        assert_never(made.step)

    def overflowing(self, fill: Filling, names: Names) -> set[str]:
        """What a fill evicts."""
        gone, kept = set[str](), 0
        for span in reversed(self.ids) if fill.newest_first else self.ids:
            inside = {**names, HEAD: span}
            if self.holds(fill.scope, inside):
                weight = self.value(fill.weight, inside)
                if kept + weight <= self.value(fill.cap, names):
                    kept += weight
                else:
                    gone.add(span)
        return gone

    def field(self, version: int, span: str, name: str, names: Names) -> int:
        if version <= 0:
            written = self.window.span(span)
            assert written is not None
            return self.code(name, written[name])
        made = self.trace.versions[version]
        before, inside = self.field(made.parent, span, name, names), {**names, HEAD: span}
        match made.step:
            case Setting(condition, updates, archive) if name in updates:
                there = self.alive(made.parent, span, names) != archive
                hit = there and self.holds(made.guard, names) and self.holds(condition, inside)
                return self.value(updates[name], inside) if hit else before
            case Choosing(condition, other):
                return self.field(other, span, name, names) if self.holds(condition, names) else before
            case _:
                return before

    def code(self, name: str, value: Value) -> int:
        """A value as a number, as the trace has it."""
        if self.window.schema.field(name).kind == "enum":
            return self.trace.codes[str(value)]
        return self.keys.setdefault(value, len(self.keys)) if isinstance(value, str) else int(value)

    # ---------- formulas

    def at(self, element: Element, names: Names) -> str | None:
        """The span that the element is; None if there is none."""
        if element in names:
            return names[element]
        (let,) = (x for x in self.trace.lets if x.mark == element)
        found = [s for s in self.ids if self.holds(let.condition, {**names, HEAD: s})]
        return None if not found else found[0] if let.which == "first" else found[-1]

    def holds(self, item: Flat, names: Names) -> bool:
        return bool(self.value(item, names))

    def value(self, item: Flat, names: Names) -> int:
        """The value of a formula; a truth is 0 or 1."""
        match item:
            case Num(value):
                return value
            case Constant(truth):
                return truth
            case Param(name):
                return self.parameters[name]
            case FieldAt(element, name, version):
                span = self.at(element, names)
                known = span is not None and self.known(version, span, names)
                return self.field(version, str(span), name, names) if known else 0
            case Alive(element, version):
                span = self.at(element, names)
                return span is not None and self.known(version, span, names) and self.alive(version, span, names)
            case KnownIn(element, version):
                span = self.at(element, names)
                return span is not None and self.known(version, span, names)
            case Exists(mark):
                return self.at(mark, names) is not None
            case Same(left, right):
                one, other = self.at(left, names), self.at(right, names)
                return one is not None and one == other
            case Older(left, right):
                one, other = self.at(left, names), self.at(right, names)
                return one is not None and other is not None and self.ids.index(one) < self.ids.index(other)
            case Related(way, source, target):
                return (way.link, self.at(source, names), self.at(target, names)) in self.window.links
            case Identical(body) | Stands(_, _, _, body):
                return self.value(body, names)
            case Exist(variable, version, body):
                return any(self.holds(body, {**names, variable: s}) for s in self.members(version, names))
            case Sum(variable, version, weight, body):
                inside = ({**names, variable: s} for s in self.members(version, names))
                return sum(self.value(weight, i) for i in inside if self.holds(body, i))
            case Op(operator, items):
                return operated(operator, [self.value(i, names) for i in items])
            case Base() | Carry():
                raise AssertionError("no window of these tests has that")
        assert_never(item)

    def members(self, version: int, names: Names) -> list[str]:
        return [s for s in self.ids if version == EVERY or self.alive(version, s, names)]


def operated(operator: Operator, v: list[int]) -> int:
    match operator:
        case "and":
            return all(v)
        case "or":
            return any(v)
        case "not":
            return not v[0]
        case "implies":
            return not v[0] or bool(v[1])
        case "==":
            return v[0] == v[1]
        case "<":
            return v[0] < v[1]
        case "<=":
            return v[0] <= v[1]
        case "+":
            return sum(v)
        case "*":
            return v[0] * v[1]
        case "ite":
            return v[1] if v[0] else v[2]
        case "div":
            return v[0] // v[1]
        case "mod":
            return v[0] % v[1]
    assert_never(operator)
