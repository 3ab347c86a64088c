"""What an obligation looks at: which fields, which links, whether the archive. The rest need not be varied."""

from __future__ import annotations

from functools import lru_cache

from selfedit_formal.core.expression import (
    All,
    Arrived,
    Count,
    Input,
    Known,
    Linked,
    Pass,
    Reaches,
    Read,
    Rescored,
    SameRecord,
    SameWindow,
    Some,
    Swapped,
    Total,
    WindowTerm,
    Without,
)
from selfedit_formal.core.policy import Assign, LetSet, Open, Pick, Readmit, Set
from selfedit_formal.core.property import Obligation
from selfedit_formal.core.traverse import by_identity, free, nodes, parts
from selfedit_formal.core.window import COVERS, TAG
from selfedit_formal.semantics.state import compared_fields

_WINDOW_TERMS = (Input, Pass, Without, Swapped, Rescored, Arrived, Known)

Quantified = tuple[str, WindowTerm]
"""A variable and the window whose present spans it stands for."""


@lru_cache(maxsize=1024)
def windows(root: object) -> tuple[tuple[WindowTerm, tuple[Quantified, ...]], ...]:
    """The windows that a tree of a claim names, each with the quantifiers inside the tree that it depends on.

    A window in the making of another one is not told apart from it; what the tokens of one that arrives are counted in
    is.
    """
    found: dict[tuple[WindowTerm, tuple[Quantified, ...]], None] = {}

    def walk(node: object, around: tuple[Quantified, ...]) -> None:
        if isinstance(node, tuple):
            for item in node:
                walk(item, around)
            return
        names = parts(node)
        if names is None:
            return
        if isinstance(node, _WINDOW_TERMS):
            found[node, _needed(free(node), around)] = None
            while not isinstance(node, Input):
                if isinstance(node, Arrived):
                    walk(node.tokens, around)
                node = node.window
            return
        inside = around
        if isinstance(node, Count | Total | Some | All) and node.window is not None:
            walk(node.window, around)
            inside = (*around, (node.variable, node.window))
        for name in names:
            if inside is around or name != "window":
                walk(getattr(node, name), inside)

    walk(root, ())
    return tuple(found)


def _needed(names: frozenset[str], around: tuple[Quantified, ...]) -> tuple[Quantified, ...]:
    """Those of the quantifiers, outer ones first, that bind one of the names or one that such a quantifier's window
    mentions."""
    kept: list[Quantified] = []
    for variable, window in reversed(around):
        if variable in names:
            kept.append((variable, window))
            names |= free(window)
    return tuple(reversed(kept))


@by_identity
def reads_archive(obligation: Obligation) -> bool:
    """Whether something in the obligation looks into the archive; only then do input windows have archived spans.

    A `Set` of archived spans does not look by itself: what it changes is seen by those who do.
    """
    return any(
        isinstance(node, Readmit | Known) or (isinstance(node, Pick | LetSet) and node.archive)
        for node in nodes(obligation)
    )


def read_links(obligation: Obligation) -> frozenset[str]:
    """The links of the schema that something in the obligation tests (the built-in `covers` is not among them)."""
    tested = {node.link for node in nodes(obligation) if isinstance(node, Linked | Reaches)}
    return frozenset(tested - {COVERS})


def read_fields(obligation: Obligation) -> frozenset[str]:
    """The fields whose value in an input window can matter to the claim, its policies or its witnesses.

    These are the fields that are read, those that a `Set` changes (equality of windows sees the change), and `tag` if a
    tested link says which tags its ends have. Where records of different inputs, or of a rescored span, are compared,
    all that are compared. Oracle fields of kind "window" are in no record, so never among them.
    """
    schema = obligation.schema
    recorded = {f.name for f in schema.fields if f.oracle != "window"}
    found = list(nodes(obligation))
    differ = len(obligation.claim.inputs) > 1 or any(isinstance(n, Rescored) for n in found)
    compares = any(isinstance(n, SameWindow | SameRecord) for n in found)
    compared = set(compared_fields(schema)) if differ and compares else set()
    read = {n.field for n in found if isinstance(n, Read)}
    changed = {a.field for n in found if isinstance(n, Set) for a in n.assignments if isinstance(a, Assign | Open)}
    tested = read_links(obligation)
    bound_by_tag = any(link.name in tested and (link.from_tags or link.to_tags) for link in schema.links)
    return frozenset((read | changed | compared | ({TAG} if bound_by_tag else set())) & recorded)
