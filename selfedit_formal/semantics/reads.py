"""What an obligation looks at: which fields, which links, whether the archive. The rest need not be varied."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache

from selfedit_formal.diagnostics import Location
from selfedit_formal.expression import Known, Linked, Origin, Reaches, Read, Rescored, SameRecord, SameWindow
from selfedit_formal.policy import Assign, LetSet, Open, Pick, Readmit, Set
from selfedit_formal.property import Obligation
from selfedit_formal.semantics.state import compared_fields
from selfedit_formal.session import Turns
from selfedit_formal.window import COVERS, TAG, Schema, Window


def nodes(root: object) -> Iterator[object]:
    """Every node of a core tree, the root first: of an expression, a statement, a policy, an obligation.

    Schemas, written-out windows, locations and the session that an obligation is about are left out.
    """
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if isinstance(node, tuple):
            waiting += reversed(node)
            continue
        kind: type = type(node)
        parts = _parts(kind)
        if parts is not None:
            yield node
            waiting += [getattr(node, name) for name in parts]


@cache
def _parts(kind: type) -> tuple[str, ...] | None:
    """The attributes of such a node, last first; None if it is none."""
    if not is_dataclass(kind) or kind in (Schema, Window, Location, Origin, Turns):
        return None
    return tuple(f.name for f in reversed(fields(kind)))


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
