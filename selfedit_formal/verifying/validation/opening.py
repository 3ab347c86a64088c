"""A claim opened: the numbers that windows are measured with become parameters, so that short windows meet them.

`when count(s) > 40` is met by windows of 41 spans and more; with 40 open, by windows of two. What breaks the opened
claim is not yet a counterexample to the one that was written: it is a window to be padded (`padding`), and a question
to ask of whoever claims a proof.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any, TypeVar, cast

from selfedit_formal._frozen import dataclass
from selfedit_formal.core import expression as e
from selfedit_formal.core import policy as p
from selfedit_formal.core.property import Obligation
from selfedit_formal.core.traverse import nodes, rebuilt

SMALLEST = 3
"""Smaller numbers stay as they are: windows of a few spans meet them."""
CLOSE = 2
"""Numbers no further apart than this keep their distance: it is often what they are about (40 and 41)."""

Tree = TypeVar("Tree")


@dataclass(frozen=True, slots=True)
class Opened:
    """`obligation` has a parameter for each of the numbers that were opened; `numbers`: its name → the number as
    written."""

    obligation: Obligation
    written: Obligation
    numbers: Mapping[str, int]


def opened(obligation: Obligation) -> Opened | None:
    """The obligation with each number of at least `SMALLEST` (in size) that is compared with a count, a total or a
    position, or is part of a named value that may be, a parameter between 1 and that number; None if there is none.

    The same number is the same parameter wherever it stands. Larger numbers stay larger, and close ones stay as close.
    """
    found = sorted({abs(n) for tree in _trees(obligation) for n in _measures(tree)})
    if not found:
        return None
    names = {n: f"number {n}" for n in found}
    claim = _opened(obligation.claim, names)
    apart = tuple(_apart(a, b, names) for a, b in pairwise(found))
    opened_policies = tuple(
        replace(policy, body=_opened(policy.body, names), gates=_opened(policy.gates, names))
        for policy in obligation.policies
    )
    asked = replace(
        obligation,
        policies=opened_policies,
        claim=replace(claim, premise=e.conjunction((claim.premise, *apart))),
        parameters=(*obligation.parameters, *(p.ParameterDeclaration(names[n], 1, n) for n in found)),
        witnesses=(),
        within=None,
        expect=None,
    )
    return Opened(asked, obligation, {names[n]: n for n in found})


def _trees(obligation: Obligation) -> Iterator[object]:
    yield obligation.claim
    for policy in obligation.policies:
        yield policy.body
        yield policy.gates


def _apart(a: int, b: int, names: Mapping[int, str]) -> e.Expression:
    """How the parameters for two neighbouring numbers, a < b, stay apart."""
    low, high = e.Parameter(names[a]), e.Parameter(names[b])
    if b - a <= CLOSE:
        return e.Compare("==", high, e.Add((low, e.Int(b - a))))
    return e.Compare("<", low, high)


# ---------- which numbers


def _measures(tree: object) -> Iterator[int]:
    """The numbers that are compared with a count, a total or a position."""

    def noted(number: e.Int) -> e.Expression:
        found.append(number.value)
        return number

    found: list[int] = []
    _changed(tree, noted)
    yield from found


def _opened(tree: Tree, names: Mapping[int, str]) -> Tree:
    def parameter(number: e.Int) -> e.Expression:
        named = e.Parameter(names[abs(number.value)])
        return named if number.value > 0 else e.Multiply(e.Int(-1), named)

    return _changed(tree, parameter)


def _changed(tree: Tree, change: Callable[[e.Int], e.Expression]) -> Tree:
    """The tree with another expression for each number that windows are measured with."""

    def changed(node: Any) -> Any:
        match node:
            case e.Compare(operator, left, right) if _measured(left) or _measured(right):
                return e.Compare(operator, term(left), term(right))
            case e.Add() if _measured(node):
                return term(node)
            case p.LetValue(_, _, "int", value):
                return replace(node, value=term(value))
            case p.Fill():
                return replace(rebuilt(node, changed), cap=term(node.cap))
            case _:
                return rebuilt(node, changed)

    def term(item: e.Expression) -> e.Expression:
        """A side of a comparison: its numbers, unless they are factors or divisors."""
        match item:
            case e.Int(value) if abs(value) >= SMALLEST:
                return change(item)
            case e.Add(items):
                return e.Add(tuple(map(term, items)))
            case e.If(condition, then, otherwise):
                return e.If(changed(condition), term(then), term(otherwise))
            case e.Divide(dividend, divisor, rounding):
                return e.Divide(term(dividend), divisor, rounding)
            case _:
                return cast(e.Expression, rebuilt(item, changed))

    return cast(Tree, changed(tree))


def _measured(item: e.Expression) -> bool:
    """Whether the value depends on a count or a total, as far as the expression shows: a named value may."""
    return any(isinstance(n, e.Count | e.Total) or (isinstance(n, e.Local) and n.kind == "int") for n in nodes(item))
