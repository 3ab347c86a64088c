"""What an obligation says, as text that is the same if and only if everything its meaning depends on is: imports,
predicates and arguments are resolved in it, layout, comments and places are not part of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import Field, fields, is_dataclass
from json import dumps

from selfedit_formal.core.diagnostics import Location
from selfedit_formal.core.expression import Origin


def canonical(node: object) -> str:
    """The text of a noun, or of a tuple, set or mapping of them. Raises TypeError for anything else."""
    match node:
        case None | bool() | int() | float():
            return repr(node)
        case str():
            return dumps(node)
        case tuple() | list():
            return f"[{', '.join(map(canonical, node))}]"
        case Set():
            return f"{{{', '.join(sorted(map(canonical, node)))}}}"
        case Mapping():
            return f"{{{', '.join(sorted(f'{canonical(k)}: {canonical(v)}' for k, v in node.items()))}}}"
        case _ if is_dataclass(node) and not isinstance(node, type):
            return f"{type(node).__name__}({', '.join(f'{f.name}={text}' for f, text in _fields(node))})"
        case _:
            raise TypeError(f"{type(node).__name__} has no canonical text")


def _fields(node: object) -> Iterator[tuple[Field[object], str]]:
    for f in fields(node):  # type: ignore[arg-type]
        value = getattr(node, f.name)
        if f.compare and not isinstance(value, Origin | Location):
            yield f, canonical(value)
