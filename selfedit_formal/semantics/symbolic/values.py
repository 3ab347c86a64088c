"""Values of fields: integers, truths and keys are terms; a value with listed names is a test for each name."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from selfedit_formal.core.window import Kind
from selfedit_formal.semantics.symbolic.terms import Integer, Key, Terms, Truth


class Enum:
    """A value of listed names.

    `test` says when it is a name; equal to none of `names`, it is the `NO_NAME` of an absent span.
    """

    __slots__ = ("_known", "_test", "names")

    def __init__(self, names: frozenset[str], test: Callable[[str], Truth]) -> None:
        self.names = names
        self._test = test
        self._known: dict[str, Truth] = {}

    def test(self, name: str) -> Truth:
        if name not in self.names:
            return False
        found = self._known.get(name)
        if found is None:
            found = self._known[name] = self._test(name)
        return found


SymbolicValue = bool | int | Enum | Truth | Integer | Key


class Cell:
    """A field of a span, made only when it is read. Two cells that are one object hold equal values."""

    __slots__ = ("_make", "_value")

    def __init__(self, make: Callable[[], SymbolicValue]) -> None:
        self._make: Callable[[], SymbolicValue] | None = make
        self._value: SymbolicValue = False

    @property
    def made(self) -> bool:
        """Whether anything has read it."""
        return self._make is None

    def value(self) -> SymbolicValue:
        """The field's value."""
        if self._make is not None:
            self._value = self._make()
            self._make = None
        return self._value


def constant_enum(name: str) -> Enum:
    """The value that is this name."""
    return Enum(frozenset((name,)), lambda _name: True)


NO_ENUM = Enum(frozenset(), lambda _name: False)


def enum_variable(terms: Terms, names: tuple[str, ...], name: tuple[object, ...]) -> Enum:
    """A free value among these names.

    The path to a leaf of a binary tree of truths, so that no combination is left over.
    """
    paths: dict[str, Truth] = {}

    def grow(part: tuple[str, ...], path: Truth, bits: tuple[int, ...]) -> None:
        if len(part) < 2:
            paths.update(dict.fromkeys(part, path))
            return
        middle = (len(part) + 1) // 2
        bit = terms.variable("bool", *name, *bits)
        grow(part[:middle], terms.both(path, terms.no(bit)), (*bits, 0))
        grow(part[middle:], terms.both(path, bit), (*bits, 1))

    grow(names, True, ())
    return Enum(frozenset(names), paths.__getitem__)


def choose(terms: Terms, kind: Kind, condition: Truth, then: SymbolicValue, otherwise: SymbolicValue) -> SymbolicValue:
    """`if condition then … else …`, of values of one kind."""
    if condition is True or then is otherwise:
        return then
    if condition is False:
        return otherwise
    match kind:
        case "bool":
            return terms.choose(condition, then, otherwise)  # type: ignore[arg-type]
        case "int" | "key":
            return terms.pick(condition, then, otherwise, kind)  # type: ignore[arg-type]
        case "enum":
            assert isinstance(then, Enum)
            assert isinstance(otherwise, Enum)
            return Enum(
                then.names | otherwise.names,
                lambda name: terms.choose(condition, then.test(name), otherwise.test(name)),
            )


def equal(terms: Terms, kind: Kind, left: SymbolicValue, right: SymbolicValue) -> Truth:
    """Equality of values of one kind."""
    if left is right:
        return True
    match kind:
        case "bool":
            return terms.iff(left, right)  # type: ignore[arg-type]
        case "int" | "key":
            return terms.equal(left, right)  # type: ignore[arg-type]
        case "enum":
            assert isinstance(left, Enum)
            assert isinstance(right, Enum)
            return terms.every(terms.iff(left.test(n), right.test(n)) for n in sorted(left.names | right.names))


def among(terms: Terms, kind: Kind, choices: Iterable[tuple[Truth, SymbolicValue]]) -> SymbolicValue:
    """The value whose guard is true; guards exclude each other, and where none is true it is the zero of the kind."""
    held = [(guard, value) for guard, value in choices if guard is not False]
    if len(held) == 1 and held[0][0] is True:
        return held[0][1]
    match kind:
        case "bool":
            return terms.any(terms.both(guard, value) for guard, value in held)  # type: ignore[arg-type]
        case "int" | "key":
            result: SymbolicValue = 0
            for guard, value in held:
                result = choose(terms, kind, guard, value, result)
            return result
        case "enum":
            names = frozenset[str]().union(*(value.names for _, value in held if isinstance(value, Enum)))
            return Enum(
                names,
                lambda name: terms.any(terms.both(guard, value.test(name)) for guard, value in held),  # type: ignore[union-attr]
            )
