"""Walking core trees: expressions, statements, policies, claims, obligations, and tuples of them.

A node's children are all that its fields hold but for text, numbers and `LEAVES`, so a new field is walked as soon as
it is there. What a text in a field means is told here for all of the core: `USES` names a span that is bound elsewhere,
`BINDER` one that the node binds; `tests/core/test_traverse.py` classifies every field that there is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from functools import cache, wraps
from typing import Any, TypeVar

from selfedit_formal.core.diagnostics import Location
from selfedit_formal.core.expression import All, Arrived, Count, Input, Origin, Pass, Some, Total, WindowTerm
from selfedit_formal.core.session import Turns
from selfedit_formal.core.window import Schema, Window

Tree = TypeVar("Tree")
Found = TypeVar("Found")

LEAVES = (Schema, Window, Location, Origin, Turns)
"""What is of the core and not walked: schemas, written-out windows, where something was written, and the session that
an obligation is about."""
USES = ("span", "first", "second", "source", "target")
"""Fields that name a span."""
BINDER = "variable"
"""The field that names the span that a node binds."""
QUANTIFIERS = (Count, Total, Some, All)
"""Expressions that bind their span in all that is inside of them."""


REMEMBERED = 4096
"""How many answers `by_identity` keeps."""


def parts(node: object) -> tuple[str, ...] | None:
    """The names of the node's fields; None if it is none."""
    kind: type = type(node)
    return _names(kind)


@cache
def _names(kind: type) -> tuple[str, ...] | None:
    if not is_dataclass(kind) or kind in LEAVES:
        return None
    return tuple(f.name for f in fields(kind))


def children(node: object) -> tuple[Any, ...]:
    """What a node, or a tuple, holds; of anything else nothing."""
    if isinstance(node, tuple):
        return node
    names = parts(node)
    return () if names is None else tuple(getattr(node, name) for name in names)


def nodes(root: object) -> Iterator[Any]:
    """Every node, the root first."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if isinstance(node, tuple):
            waiting += reversed(node)
            continue
        names = parts(node)
        if names is not None:
            yield node
            waiting += [getattr(node, name) for name in reversed(names)]


def rebuilt(node: Tree, change: Callable[[Any], Any]) -> Tree:
    """The node, or tuple, with each of its children changed; what is neither is left as it is."""
    if isinstance(node, tuple):
        return tuple(change(item) for item in node)  # type: ignore[return-value]
    names = parts(node)
    if names is None:
        return node
    return replace(node, **{name: change(getattr(node, name)) for name in names})  # type: ignore[type-var]


def used(node: object) -> frozenset[str]:
    """The span variables that the node itself names, bound elsewhere."""
    named = (getattr(node, name, None) for name in USES)
    return frozenset(name for name in named if isinstance(name, str))


def bound(node: object) -> frozenset[str]:
    """The span variable that the node itself binds, if it does."""
    name = getattr(node, BINDER, None)
    return frozenset({name}) if isinstance(name, str) else frozenset()


def by_identity(function: Callable[[Any], Found]) -> Callable[[Any], Found]:
    """The function, its answers remembered for some thousand nodes, told apart by identity: to compare two nodes can
    cost more than to ask. The nodes must not change."""
    known: dict[int, tuple[object, Found]] = {}

    @wraps(function)
    def remembered(node: Any) -> Found:
        found = known.get(id(node))
        if found is None:
            answer = function(node)
            if len(known) >= REMEMBERED:
                known.clear()
            found = known[id(node)] = (node, answer)  # with the node, so that nothing else gets its id
        return found[1]

    return remembered


@by_identity
def free(root: object) -> frozenset[str]:
    """The span variables that a tree mentions and does not bind.

    A quantifier's window is read outside its binding, but names are unique where they are visible.
    """
    if isinstance(root, tuple):
        return frozenset[str]().union(*map(free, root))
    found: set[str] = set()
    for name in parts(root) or ():
        value = getattr(root, name)
        if isinstance(value, str):
            found |= {value} if name in USES else set()
        elif not isinstance(value, int | None):
            found |= free(value)
    if isinstance(root, QUANTIFIERS):
        found.discard(root.variable)
    return frozenset(found)


def renamed(root: Tree, old: str, new: str) -> Tree:
    """The tree with a span variable called otherwise wherever it occurs, bindings too."""
    changed = rebuilt(root, lambda child: renamed(child, old, new))
    if parts(root) is None:
        return changed
    names = [name for name in (*USES, BINDER) if getattr(root, name, None) == old]
    return replace(changed, **dict.fromkeys(names, new)) if names else changed  # type: ignore[type-var]


# ---------- windows of windows


def making(window: WindowTerm) -> Iterator[WindowTerm]:
    """The window, the one it is made of, and so on to the input."""
    while not isinstance(window, Input):
        yield window
        window = window.window
    yield window


def depth(term: Pass) -> int:
    """How many passes of its policy and run the term is made of, itself included."""
    return sum(isinstance(w, Pass) and (w.policy, w.run) == (term.policy, term.run) for w in making(term))


def arrivals(window: WindowTerm) -> int:
    """How many spans arrive in the making of the window."""
    return sum(isinstance(w, Arrived) for w in making(window))
