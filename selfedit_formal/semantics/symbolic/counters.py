"""Counts as rows of thresholds ("at least j of these"), and linear expressions over them.

A row for all first i members of a list is made from the row for i - 1, so the counts seen from every span of a window
share their work. Only thresholds that a comparison asks for are made.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from selfedit_formal._frozen import dataclass
from selfedit_formal.semantics.symbolic.terms import Integer, Node, Terms, Truth


class Tally:
    """Thresholds for every prefix of a list of truths."""

    __slots__ = ("_terms", "columns", "members")

    def __init__(self, terms: Terms, members: Sequence[Truth]) -> None:
        self._terms = terms
        self.members = tuple(members)
        self.columns: list[list[Truth]] = [[True] * (len(members) + 1)]
        """For each threshold asked for so far, the truth for each length."""

    def at_least(self, threshold: int, length: int) -> Truth:
        """At least so many of the first `length` members are true."""
        if threshold <= 0:
            return True
        if threshold > length:
            return False
        terms, columns = self._terms, self.columns
        while len(columns) <= threshold:
            below = columns[-1]
            column: list[Truth] = [False]
            for place, member in enumerate(self.members):
                column.append(terms.either(column[-1], terms.both(member, below[place])))
            columns.append(column)
        return columns[threshold][length]


def smaller(terms: Terms, less: Tally, more: Tally) -> Iterable[Truth]:
    """What follows where each member of one tally is a member of the other.

    It reaches no threshold that the other does not.
    """
    for one, other in zip(less.columns[1:], more.columns[1:], strict=False):
        yield from (terms.implies(a, b) for a, b in zip(one, other, strict=True))


class Counter:
    """How many of the first `length` members of a tally, if the guard is true, and of some further truths, are true."""

    __slots__ = ("_extra", "_guard", "_known", "_length", "_tally", "_terms", "most")

    def __init__(
        self, terms: Terms, tally: Tally, length: int, extra: Sequence[Truth] = (), guard: Truth = True
    ) -> None:
        self._guard = guard
        self._terms = terms
        self._tally = tally
        self._length = length
        self._extra = tuple(e for e in extra if e is not False)
        self._known: dict[tuple[int, int], Truth] = {}
        self.most = sum(m is not False for m in tally.members[:length]) + len(self._extra)

    def at_least(self, threshold: int) -> Truth:
        """At least so many are true."""
        return self._with(threshold, len(self._extra))

    def _with(self, threshold: int, extra: int) -> Truth:
        if threshold <= 0:
            return True
        if extra == 0:
            return self._terms.both(self._guard, self._tally.at_least(threshold, self._length))
        known = self._known.get((threshold, extra))
        if known is None:
            terms = self._terms
            more = terms.both(self._extra[extra - 1], self._with(threshold - 1, extra - 1))
            known = self._known[threshold, extra] = terms.either(self._with(threshold, extra - 1), more)
        return known

    def integer(self) -> Integer:
        """The count as an integer."""
        terms = self._terms
        members = terms.add(terms.pick(m, 1, 0, "int") for m in self._tally.members[: self._length])
        extra = (terms.pick(e, 1, 0, "int") for e in self._extra)
        return terms.add((terms.pick(self._guard, members, 0, "int"), *extra))


@dataclass(frozen=True, slots=True)
class Linear:
    """`constant` + the sum of each coefficient times its node or counter."""

    constant: int
    items: tuple[tuple[int, Node | Counter], ...] = ()


def linear(value: Integer) -> Linear:
    """A plain integer as one."""
    return Linear(value) if isinstance(value, int) else Linear(0, ((1, value),))


def plus(left: Linear, right: Linear, times: int = 1) -> Linear:
    """`left + times * right`, equal parts taken together."""
    coefficients: dict[Node | Counter, int] = {}
    for coefficient, item in left.items:
        coefficients[item] = coefficients.get(item, 0) + coefficient
    for coefficient, item in right.items:
        coefficients[item] = coefficients.get(item, 0) + times * coefficient
    return Linear(
        left.constant + times * right.constant, tuple((c, item) for item, c in coefficients.items() if c != 0)
    )


def scaled(value: Linear, factor: int) -> Linear:
    return plus(Linear(0), value, factor)


def integer(terms: Terms, value: Linear) -> Integer:
    """The expression as a plain integer."""
    parts = [terms.multiply(c, item.integer() if isinstance(item, Counter) else item) for c, item in value.items]
    return terms.add((*parts, value.constant))


def not_negative(terms: Terms, value: Linear) -> Truth:
    """`value >= 0`, with thresholds where one counter meets integers, or two counters meet each other."""
    counters = [(c, item) for c, item in value.items if isinstance(item, Counter)]
    rest = Linear(value.constant, tuple((c, item) for c, item in value.items if not isinstance(item, Counter)))
    match counters:
        case [(coefficient, counter)] if coefficient > 0:
            return _reaches(terms, coefficient, counter, scaled(rest, -1))
        case [(coefficient, counter)]:
            return terms.no(_reaches(terms, -coefficient, counter, plus(rest, Linear(1))))
        case [(1, more), (-1, less)] | [(-1, less), (1, more)] if not rest.items:
            return terms.every(
                terms.implies(less.at_least(j), more.at_least(j - rest.constant)) for j in range(less.most + 1)
            )
        case _:
            left = integer(terms, Linear(0, tuple((-c, item) for c, item in value.items if c < 0)))
            right = integer(terms, Linear(value.constant, tuple((c, item) for c, item in value.items if c > 0)))
            return terms.at_most(left, right)


def _reaches(terms: Terms, coefficient: int, counter: Counter, goal: Linear) -> Truth:
    """`coefficient * counter >= goal`, the coefficient positive and the goal without counters."""
    if not goal.items:
        return counter.at_least(-(-goal.constant // coefficient))
    target = integer(terms, goal)
    steps = (
        terms.implies(terms.at_most(coefficient * (j - 1) + 1, target), counter.at_least(j))
        for j in range(1, counter.most + 1)
    )
    return terms.every((*steps, terms.at_most(target, coefficient * counter.most)))


def compare(terms: Terms, operator: str, left: Linear, right: Linear) -> Truth:
    """An order or equality test of two integers."""
    match operator:
        case "<=":
            return not_negative(terms, plus(right, left, -1))
        case ">=":
            return not_negative(terms, plus(left, right, -1))
        case "<":
            return terms.no(not_negative(terms, plus(left, right, -1)))
        case ">":
            return terms.no(not_negative(terms, plus(right, left, -1)))
        case "==" | "!=":
            if any(isinstance(item, Counter) for _, item in (*left.items, *right.items)):
                same = terms.both(
                    not_negative(terms, plus(left, right, -1)), not_negative(terms, plus(right, left, -1))
                )
            else:
                same = terms.equal(integer(terms, left), integer(terms, right))
            return same if operator == "==" else terms.no(same)
        case _:
            raise AssertionError(operator)
