"""Terms over booleans, integers and keys: built once each, folded while they are built, handed to Z3 at the end.

Building through Z3's own Python operators costs more than solving; these are plain shared nodes, and only those that
the constraints reach become Z3 terms. A truth is a `bool` or a node, an integer an `int` or a node, a key an `int` (0
is no key) or a node.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Literal

from selfedit_formal._frozen import dataclass

Sort = Literal["bool", "int", "key"]


class Node:
    """A term that is not a constant. `serial` grows with creation, so arguments come before what is built of them."""

    __slots__ = ("arguments", "operator", "opposite", "serial", "sort")

    def __init__(self, operator: str, arguments: tuple[object, ...], sort: Sort, serial: int) -> None:
        self.operator = operator
        self.arguments = arguments
        self.sort = sort
        self.serial = serial
        self.opposite: Node | None = None

    def __repr__(self) -> str:
        return f"({self.operator} {' '.join(map(repr, self.arguments))})"


Truth = bool | Node
Integer = int | Node
Key = int | Node


class Terms:
    """The constructors. Equal applications are one node, so terms are compared by identity."""

    def __init__(self) -> None:
        self._known: dict[tuple[object, ...], Node] = {}
        self.meanings: dict[Node, Truth] = {}
        """What must hold of a variable, wherever it is read: its bounds or its definition."""

    def _node(self, operator: str, arguments: tuple[object, ...], sort: Sort) -> Node:
        # A key and an int may be chosen between the same numbers.
        key = (operator, sort, *arguments)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = Node(operator, arguments, sort, len(self._known))
        return found

    # ---------- variables

    def variable(self, sort: Sort, *name: object) -> Node:
        """The variable of this sort with this name; one node for each.

        The first part of a name is a word of ours that says what the variable is, and how many parts follow hangs on it
        alone: what people call their fields and spans stands in parts of its own.
        """
        return self._node("variable", (sort, *name), sort)

    def named(self, value: Integer, *name: object) -> Integer:
        """The integer under a name of its own, so that solvers do not multiply its parts out wherever it is read."""
        if isinstance(value, int) or value.operator == "variable":
            return value
        short = self.variable("int", *name)
        self.meanings[short] = self.equal(short, value)
        return short

    def definitions(self, items: Iterable[Truth | Integer]) -> list[Truth]:
        """What defines the variables that the items, and these definitions, read."""
        found: list[Truth] = []
        known: set[Node] = set()
        fresh = list(items)
        while fresh:
            read = [n for n in reachable(fresh) if n in self.meanings and n not in known]
            known.update(read)
            fresh = [m for n in read if (m := self.meanings[n]) is not True]
            found += fresh  # type: ignore[arg-type]
        return found

    def grounded(self, constraints: Iterable[Truth]) -> list[Truth]:
        """The constraints with the meanings of all variables that they reach."""
        kept = [c for c in constraints if c is not True]
        return kept + self.definitions(kept)

    # ---------- truth

    def no(self, item: Truth) -> Truth:
        if item is True:
            return False
        if item is False:
            return True
        if item.opposite is None:
            item.opposite = self._node("not", (item,), "bool")
            item.opposite.opposite = item
        return item.opposite

    def both(self, left: Truth, right: Truth) -> Truth:
        if left is False or right is False:
            return False
        if left is True or left is right:
            return right
        if right is True:
            return left
        if left.opposite is right:
            return False
        return self._node("and", (left, right) if left.serial < right.serial else (right, left), "bool")

    def either(self, left: Truth, right: Truth) -> Truth:
        if left is True or right is True:
            return True
        if left is False or left is right:
            return right
        if right is False:
            return left
        if left.opposite is right:
            return True
        return self._node("or", (left, right) if left.serial < right.serial else (right, left), "bool")

    def every(self, items: Iterable[Truth]) -> Truth:
        kept: dict[Node, None] = {}
        for item in items:
            if item is True:
                continue
            if item is False:
                return False
            if item.opposite is not None and item.opposite in kept:
                return False
            kept[item] = None
        if not kept:
            return True
        if len(kept) == 1:
            return next(iter(kept))
        return self._node("and", tuple(kept), "bool")

    def any(self, items: Iterable[Truth]) -> Truth:
        kept: dict[Node, None] = {}
        for item in items:
            if item is False:
                continue
            if item is True:
                return True
            if item.opposite is not None and item.opposite in kept:
                return True
            kept[item] = None
        if not kept:
            return False
        if len(kept) == 1:
            return next(iter(kept))
        return self._node("or", tuple(kept), "bool")

    def implies(self, left: Truth, right: Truth) -> Truth:
        return self.either(self.no(left), right)

    def iff(self, left: Truth, right: Truth) -> Truth:
        if left is right:
            return True
        if isinstance(left, bool):
            return right if left else self.no(right)
        if isinstance(right, bool):
            return left if right else self.no(left)
        if left.opposite is right:
            return False
        return self._node("=", (left, right) if left.serial < right.serial else (right, left), "bool")

    def choose(self, condition: Truth, then: Truth, otherwise: Truth) -> Truth:
        """`if condition then … else …`, of truths."""
        if isinstance(condition, bool):
            return then if condition else otherwise
        if then is otherwise:
            return then
        if isinstance(then, bool):
            return self.either(condition, otherwise) if then else self.both(self.no(condition), otherwise)
        if isinstance(otherwise, bool):
            return self.implies(condition, then) if otherwise else self.both(condition, then)
        return self._node("ite", (condition, then, otherwise), "bool")

    # ---------- integers

    def add(self, items: Iterable[Integer]) -> Integer:
        constant = 0
        nodes: list[Node] = []
        for item in items:
            if isinstance(item, int):
                constant += item
            else:
                nodes.append(item)
        if not nodes:
            return constant
        if constant == 0 and len(nodes) == 1:
            return nodes[0]
        return self._node("+", (*nodes, constant) if constant else tuple(nodes), "int")

    def multiply(self, left: Integer, right: Integer) -> Integer:
        if isinstance(left, int) and isinstance(right, int):
            return left * right
        if isinstance(right, int):
            left, right = right, left
        if isinstance(left, int) and left in (0, 1):
            return right if left else 0
        return self._node("*", (left, right), "int")

    def divide(self, dividend: Integer, divisor: int) -> Integer:
        """Rounded down; the divisor is positive."""
        if isinstance(dividend, int):
            return dividend // divisor
        return dividend if divisor == 1 else self._node("div", (dividend, divisor), "int")

    def modulo(self, dividend: Integer, divisor: int) -> Integer:
        if isinstance(dividend, int):
            return dividend % divisor
        return 0 if divisor == 1 else self._node("mod", (dividend, divisor), "int")

    def at_most(self, left: Integer, right: Integer) -> Truth:
        if left is right:
            return True
        if isinstance(left, int) and isinstance(right, int):
            return left <= right
        return self._node("<=", (left, right), "bool")

    def equal(self, left: Integer, right: Integer) -> Truth:
        """Equality of integers, or of keys."""
        if left is right:
            return True
        if isinstance(left, int):
            if isinstance(right, int):
                return left == right
            left, right = right, left
        elif not isinstance(right, int) and right.serial < left.serial:
            left, right = right, left
        return self._node("=", (left, right), "bool")

    def pick(self, condition: Truth, then: Integer, otherwise: Integer, sort: Sort) -> Integer:
        """`if condition then … else …`, of integers or keys."""
        if isinstance(condition, bool):
            return then if condition else otherwise
        if then is otherwise or (isinstance(then, int) and isinstance(otherwise, int) and then == otherwise):
            return then
        return self._node("ite", (condition, then, otherwise), sort)


def conjuncts(item: Truth) -> frozenset[Node]:
    """The truths of which the item is the conjunction, as far as its form shows them."""
    if isinstance(item, bool):
        return frozenset()
    if item.operator != "and":
        return frozenset((item,))
    return frozenset[Node]().union(*(conjuncts(a) for a in item.arguments if isinstance(a, Node)))


def in_order(nodes: Iterable[Node]) -> list[Node]:
    """The nodes, arguments before what is built of them."""
    return sorted(nodes, key=lambda node: node.serial)


def entails(left: Truth, right: Truth) -> bool:
    """Whether the left implies the right by its form."""
    return (
        left is right or left is False or right is True or (right is not False and conjuncts(right) <= conjuncts(left))
    )


def reachable(roots: Iterable[Truth | Integer]) -> list[Node]:
    """The nodes below the roots, arguments before what is built of them."""
    seen: set[Node] = set()
    waiting = [r for r in roots if isinstance(r, Node)]
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        if node.operator != "variable":
            waiting += [a for a in node.arguments if isinstance(a, Node) and a not in seen]
    return in_order(seen)


Assignment = Mapping[Node, bool | int]


class Valuation:
    """The values of terms where the variables have the values of the assignment; one without is false or zero."""

    def __init__(self, assignment: Assignment) -> None:
        self._values: dict[Node, bool | int] = dict(assignment)

    def __call__(self, item: Truth | Integer) -> bool | int:
        """The value of the term."""
        if not isinstance(item, Node):
            return item
        values = self._values
        waiting = [item]
        while waiting:
            node = waiting[-1]
            if node in values:
                waiting.pop()
            elif node.operator == "variable":
                values[node] = False if node.sort == "bool" else 0
            else:
                missing = [a for a in node.arguments if isinstance(a, Node) and a not in values]
                if missing:
                    waiting += missing
                else:
                    values[node] = _apply(node.operator, [self._of(a) for a in node.arguments])
        return values[item]

    def _of(self, item: object) -> bool | int:
        if isinstance(item, Node):
            return self._values[item]
        assert isinstance(item, int)
        return item


def _apply(operator: str, values: list[bool | int]) -> bool | int:
    match operator:
        case "not":
            return not values[0]
        case "and":
            return all(values)
        case "or":
            return any(values)
        case "=":
            return values[0] == values[1]
        case "<=":
            return values[0] <= values[1]
        case "ite":
            return values[1] if values[0] else values[2]
        case "+":
            return sum(values)
        case "*":
            return values[0] * values[1]
        case "div":
            return values[0] // values[1]
        case "mod":
            return values[0] % values[1]
        case _:
            raise AssertionError(operator)


@dataclass(frozen=True, slots=True)
class Shape:
    """What kind of query the constraints are: it decides how keys are written and which solver is asked."""

    nodes: tuple[Node, ...] = field(repr=False)
    integers: bool
    products: bool
    keys: int
    """How many different keys can matter: variables, constants, and no key."""

    @property
    def keyed(self) -> bool:
        """Whether there are keys in it."""
        return any(n.sort == "key" for n in self.nodes)

    @property
    def width(self) -> int:
        """Bits of a key."""
        return max(1, (self.keys - 1).bit_length())


def shape(constraints: Iterable[Truth]) -> Shape:
    """Reads it off the nodes that the constraints reach."""
    nodes = reachable(constraints)
    variables = [n for n in nodes if n.operator == "variable"]
    constants = [
        a
        for n in nodes
        if n.operator in ("=", "ite") and any(isinstance(a, Node) and a.sort == "key" for a in (*n.arguments, n))
        for a in n.arguments
        if isinstance(a, int) and not isinstance(a, bool)
    ]
    return Shape(
        nodes=tuple(nodes),
        integers=any(n.sort == "int" or n.operator == "<=" for n in nodes),
        products=any(n.operator == "*" and all(isinstance(a, Node) for a in n.arguments) for n in nodes),
        keys=sum(n.sort == "key" for n in variables) + max(constants, default=0) + 1,
    )
