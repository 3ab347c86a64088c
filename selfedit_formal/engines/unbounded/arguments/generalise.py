"""Numbers made parameters: an invariant for every k is found sooner than one for k = 8, whose layers are enumerated.

A proof for all numbers in the same order is a proof for those that were written.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import TypeVar

from selfedit_formal.core.expression import Compare, Expression, Int, Multiply, Parameter, conjunction
from selfedit_formal.core.policy import ParameterDeclaration
from selfedit_formal.core.property import Obligation
from selfedit_formal.core.traverse import children, rebuilt

SMALLEST = 3
"""Smaller numbers stay: they are often part of what a policy means (the last one, one more than)."""

Node = TypeVar("Node")


def generalise(obligation: Obligation) -> Obligation | None:
    """The obligation with each of its larger numbers a parameter of its own; None if it has none."""
    numbers = sorted({n for part in _parts(obligation) for n in _numbers(part) if n >= SMALLEST})
    if not numbers:
        return None
    names = _names(numbers, {p.name for p in obligation.parameters})
    ordered = tuple(Compare("<", Parameter(names[a]), Parameter(names[b])) for a, b in pairwise(numbers))
    claim = _replaced(obligation.claim, names)
    declared = tuple(ParameterDeclaration(names[n], SMALLEST) for n in numbers)
    premise: Expression = conjunction((claim.premise, *ordered))
    return replace(
        obligation,
        policies=tuple(_replaced(p, names) for p in obligation.policies),
        claim=replace(claim, premise=premise),
        parameters=(*obligation.parameters, *declared),
    )


def _names(numbers: list[int], taken: set[str]) -> dict[int, str]:
    """A name of its own for each number, which no parameter has."""
    found = dict[int, str]()
    for n in numbers:
        name = f"number {n}"
        while name in taken:
            name += "'"
        taken.add(name)
        found[n] = name
    return found


def _parts(obligation: Obligation) -> Iterator[object]:
    yield obligation.claim
    for policy in obligation.policies:
        yield policy.body
        yield policy.gates


def _numbers(node: object) -> Iterator[int]:
    match node:
        case Int(value):
            yield value
        case Multiply(left, right):
            yield from (n for item in (left, right) if not isinstance(item, Int) for n in _numbers(item))
        case _:
            for child in children(node):
                yield from _numbers(child)


def _replaced(node: Node, names: dict[int, str]) -> Node:
    found: object
    match node:
        case Int(value):
            found = Parameter(names[value]) if value in names else node
        case Multiply(Int() as number, Parameter() as parameter) | Multiply(Parameter() as parameter, Int() as number):
            found = Multiply(_replaced(number, names), parameter)
        case Multiply(left, right):
            found = Multiply(*(i if isinstance(i, Int) else _replaced(i, names) for i in (left, right)))
        case _:
            found = rebuilt(node, lambda child: _replaced(child, names))
    return found  # type: ignore[return-value]
