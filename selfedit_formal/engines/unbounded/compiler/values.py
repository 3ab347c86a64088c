"""The value of a term at an element, exact but for joins."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

import z3

from selfedit_formal.engines.unbounded.compiler.elements import ElementView
from selfedit_formal.engines.unbounded.flatten import STEP, Outside
from selfedit_formal.engines.unbounded.ir import (
    HEAD,
    Alive,
    Base,
    Carry,
    Constant,
    Element,
    Exist,
    Exists,
    FieldAt,
    Filling,
    Flat,
    Identical,
    Joined,
    KeptSoFar,
    KnownIn,
    Num,
    Older,
    Op,
    Operator,
    Param,
    Related,
    Same,
    Stands,
    Sum,
    Way,
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
    constants,
    disjunction,
    implication,
    negation,
)

if TYPE_CHECKING:
    from selfedit_formal.engines.unbounded.compiler.compilation import Compilation


class Values:
    """`records` are the rigids that stand for terms at marks; `products` and `quotients` those that stand for what is
    not linear; `related` says of a query's marks how they are linked; `carries` are what fills have kept."""

    def __init__(self, whole: Compilation) -> None:
        self.whole = whole
        self.records: dict[tuple[Element, Flat], z3.ExprRef] = {}
        self.products: dict[tuple[Flat, Flat], tuple[z3.ArithRef, z3.ArithRef, z3.ArithRef]] = {}
        self.quotients: dict[tuple[str, int], z3.ArithRef] = {}
        self.related: dict[tuple[Way, Element, Element], z3.BoolRef] = {}
        self.matched: set[tuple[Way, Element, Element]] = set()
        """Pairs of marks of a scan whose link is recorded alike at both."""
        self.carries: dict[int, tuple[z3.ArithRef, z3.ArithRef]] = {}

    def at_mark(self, mark: Element, item: Flat) -> z3.ExprRef:
        """The value of a term over `HEAD` at a mark; in a scan a rigid, recorded where the mark is placed."""
        elements = self.whole.elements
        if not self.whole.mode.scan:
            here = self.value(item, elements.view(mark))
            if mark.kind == "witness":
                return here
            return choice(elements.marks[mark].on, here, FALSE if here.sort() == BOOL else ZERO)
        key = (mark, item)
        if key not in self.records:
            sort = self.value(item, elements.head).sort()
            constant = self.whole.symbols.new("v", sort, show(rename(item, {HEAD: mark})))
            self.records[key] = constant
            if mark.kind != "witness":
                absent = negation(constant) if sort == BOOL else constant == 0
                self.whole.demands.fixed.append(disjunction((elements.marks[mark].on, absent)))
        return self.records[key]

    def value(self, item: Flat, at: ElementView) -> z3.ExprRef:
        """The value at the element that is looked at. Raises `Outside`, and `Spent`."""
        self.whole.work.spend(STEP)
        elements, versions = self.whole.elements, self.whole.versions
        match item:
            case Num(number):
                return z3.IntVal(number)
            case Constant(truth):
                return z3.BoolVal(truth)
            case Param(name):
                return self.whole.parameters[name]
            case Base(element, fact, kind):
                if element == HEAD:
                    return elements.base(at, fact, kind)
                return self.at_mark(element, rename(item, {element: HEAD}))
            case FieldAt(element, name, version):
                if element == HEAD:
                    return versions.field(version, at, name)
                return self.at_mark(element, FieldAt(HEAD, name, version))
            case Alive(element, version):
                return versions.alive(version, at) if element == HEAD else self.at_mark(element, Alive(HEAD, version))
            case KnownIn(element, version):
                return versions.known(version, at) if element == HEAD else self.at_mark(element, KnownIn(HEAD, version))
            case Exists(mark):
                return elements.marks[mark].on
            case Older(left, right):
                return self._order(left, right, at, 0)
            case Same(left, right):
                return self._order(left, right, at, 1)
            case Related(way, source, target):
                return self._related(way, source, target, at)
            case Carry(version):
                return self.carry(version, at)
            case Exist():
                return self.whole.aggregates.exist(item, at)
            case Stands(_, _, _, body):
                return self.value(body, at)
            case Identical(body):
                raise Outside("an equality of windows with fresh spans is used both ways: " + show(body))
            case Sum():
                return self.whole.aggregates.sum(item, at)
            case Op("*", (left, right)):
                return self._product(left, right, at)
            case Op(operator, items):
                return self._operate(operator, [self.value(i, at) for i in items])

    def _operate(self, operator: Operator, v: list[z3.ExprRef]) -> z3.ExprRef:
        match operator:
            case "and":
                return conjunction(v)
            case "or":
                return disjunction(v)
            case "not":
                return negation(v[0])
            case "implies":
                return implication(v[0], v[1])
            case "ite":
                return choice(v[0], v[1], v[2])
            case "+":
                return z3.Sum(v) if len(v) > 1 else v[0]
            case "*":
                raise AssertionError("a product is not a function of two values")
            case "div":
                return self._quotient(v[0], v[1].as_long())
            case "mod":
                return v[0] - v[1] * self._quotient(v[0], v[1].as_long())
            case "<":
                return v[0] < v[1]
            case "<=":
                return v[0] <= v[1]
            case "==":
                return v[0] == v[1]
        assert_never(operator)

    def _product(self, left: Flat, right: Flat, at: ElementView) -> z3.ExprRef:
        """A constant factor stays linear; of two parameters the product is a rigid, tracked by ghosts beside the
        counters (NOTE(products)). Nothing else has a product in a scan."""
        x, y = self.value(left, at), self.value(right, at)
        if not self.whole.mode.scan or _constant(left) is not None or _constant(right) is not None:
            return x * y
        if not (isinstance(left, Param) and isinstance(right, Param)):
            raise Outside("a product of something else than parameters and numbers")
        if (left, right) not in self.products:
            q = self.whole.symbols.new("Q", INT, f"{left.name} * {right.name}")
            self.products[left, right] = (x, y, q)
            self.whole.demands.fixed += [
                implication(conjunction((x >= 0, y >= 0)), q >= 0),
                implication(conjunction((x >= 1, y >= 0)), q >= y),
                implication(conjunction((y >= 1, x >= 0)), q >= x),
            ]
        return self.products[left, right][2]

    def _quotient(self, x: z3.ArithRef, divisor: int) -> z3.ArithRef:
        """Division rounded down. Of parameters: a rigid between two linear bounds, so that the scan stays linear."""
        named = constants(x)
        if named and all(any(v.eq(p) for p in self.whole.parameters.values()) for v in named.values()):
            key = (x.sexpr(), divisor)
            if key not in self.quotients:
                q = self.whole.symbols.new("d", INT, f"{x} / {divisor}")
                self.quotients[key] = q
                self.whole.demands.fixed += [divisor * q <= x, x <= divisor * q + divisor - 1]
            return self.quotients[key]
        return x / divisor

    def _order(self, left: Element, right: Element, at: ElementView, which: int) -> z3.ExprRef:
        elements = self.whole.elements
        if left == HEAD and right == HEAD:
            return FALSE if which == 0 else TRUE
        if left == HEAD:
            return elements.order(at, right)[which]
        if right == HEAD:
            return elements.order(at, left)[2 if which == 0 else 1]
        if left == right:
            return FALSE if which == 0 else elements.marks[left].on
        return self.at_mark(right, Older(left, HEAD) if which == 0 else Same(left, HEAD))

    def _related(self, way: Way, source: Element, target: Element, at: ElementView) -> z3.ExprRef:
        elements = self.whole.elements
        if source == HEAD and target == HEAD:
            return FALSE
        if self.whole.mode.scan:
            if source == HEAD:
                return elements.base(at, Joined(way, target, True), "bool")
            if target == HEAD:
                return elements.base(at, Joined(way, source, False), "bool")
            one = self.at_mark(target, Related(way, source, HEAD))
            two = self.at_mark(source, Related(way, HEAD, target))
            if (way, source, target) not in self.matched:
                self.matched.add((way, source, target))
                self.whole.demands.fixed.append(one == two)
            return one
        a, b = (at.element if end == HEAD else end for end in (source, target))
        elements.view(a), elements.view(b)
        if (way, a, b) not in self.related:
            self.related[way, a, b] = self.whole.symbols.symbol("l", BOOL)
        return self.related[way, a, b]

    def carry(self, version: int, at: ElementView) -> z3.ExprRef:
        """What a fill has kept before it comes to the element."""
        if not self.whole.mode.scan:
            self.whole.approximations.append("what a fill has kept is free")
            return self.whole.elements.base(at, KeptSoFar(version), "int")
        carry, rest = self.both_carries(version)
        return carry if self.fills_along(version) else rest

    def both_carries(self, version: int) -> tuple[z3.ArithRef, z3.ArithRef]:
        """What a fill has kept at the head, and (if it goes the other way) behind it."""
        if version not in self.carries:
            symbols = self.whole.symbols
            self.carries[version] = symbols.symbol("c", INT), symbols.symbol("x", INT)
        return self.carries[version]

    def fills_along(self, version: int) -> bool:
        """Whether the fill goes the way that the scan goes."""
        step = self.whole.trace.versions[version].step
        assert isinstance(step, Filling)
        return step.newest_first == (self.whole.mode.direction == "newest")


def _constant(item: Flat) -> int | None:
    """The number that the term is, if it is built of numbers only."""
    match item:
        case Num(value):
            return value
        case Op("+", items):
            found = [_constant(i) for i in items]
            numbers = [n for n in found if n is not None]
            return sum(numbers) if len(numbers) == len(found) else None
        case _:
            return None
