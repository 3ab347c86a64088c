"""Walking core expressions without a case for each: what of a span they read, and the same with another variable."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from itertools import islice
from typing import Any, TypeVar

from selfedit_formal.core.expression import Expression, Read

Node = TypeVar("Node")

SPANS = ("variable", "span", "first", "second", "source", "target")
"""Attributes of core nodes that name a span."""


def nodes(item: object) -> Iterator[Any]:
    """The node and every node inside it."""
    if isinstance(item, tuple):
        for part in item:
            yield from nodes(part)
    elif is_dataclass(item) and not isinstance(item, type):
        yield item
        for field in fields(item):
            if field.name != "location":
                yield from nodes(getattr(item, field.name))


def smaller(item: object, limit: int) -> bool:
    """Whether the node, written out as a tree, has fewer nodes than that."""
    return next(islice(nodes(item), limit - 1, None), None) is None


def reads_of(expression: Expression, span: str) -> tuple[frozenset[str], bool]:
    """The fields of the span that the expression reads, and whether it asks anything else about it."""
    read: set[str] = set()
    other = False
    for node in nodes(expression):
        if isinstance(node, Read):
            if node.span == span:
                read.add(node.field)
        elif any(getattr(node, name, None) == span for name in SPANS):
            other = True
    return frozenset(read), other


def renamed(item: Node, old: str, new: str) -> Node:
    """The node with a span variable called otherwise, for comparing two of them."""
    if isinstance(item, tuple):
        return tuple(renamed(part, old, new) for part in item)  # type: ignore[return-value]
    if not is_dataclass(item) or isinstance(item, type):
        return item
    changes: dict[str, Any] = {}
    for field in fields(item):
        value = getattr(item, field.name)
        if isinstance(value, str):
            if field.name in SPANS and value == old:
                changes[field.name] = new
        elif field.name != "location":
            changes[field.name] = renamed(value, old, new)
    return replace(item, **changes)
