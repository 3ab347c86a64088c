"""Of core expressions: how large they are, and what of a span they read."""

from __future__ import annotations

from itertools import islice

from selfedit_formal.core.expression import Expression, Read
from selfedit_formal.core.traverse import bound, nodes, used


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
        elif span in used(node) | bound(node):
            other = True
    return frozenset(read), other
