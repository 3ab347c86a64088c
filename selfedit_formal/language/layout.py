"""Text that may be broken over lines: strings, possible breaks and groups, and their rendering within a width.

A group is written on one line where it fits, else at every break that belongs to it directly.
"""

from __future__ import annotations

from collections.abc import Iterable

from selfedit_formal._frozen import dataclass


@dataclass(frozen=True, slots=True)
class Break:
    """A place where a line may end; `flat` stands there if it does not."""

    flat: str = " "


@dataclass(frozen=True, slots=True)
class Nest:
    """Lines that begin inside are indented by so many more columns."""

    columns: int
    doc: Doc


@dataclass(frozen=True, slots=True)
class Group:
    """Breaks all of its own breaks or none."""

    doc: Doc


Doc = str | Break | Nest | Group | tuple["Doc", ...]


def joined(separator: Doc, docs: Iterable[Doc]) -> Doc:
    """The documents with the separator between each two."""
    items: list[Doc] = []
    for doc in docs:
        items += [separator, doc] if items else [doc]
    return tuple(items)


def flat(doc: Doc) -> str:
    """The whole on one line."""
    text: list[str] = []
    todo: list[Doc] = [doc]
    while todo:
        match todo.pop():
            case str(part) | Break(part):
                text.append(part)
            case Nest(_, inner) | Group(inner):
                todo.append(inner)
            case tuple(parts):
                todo.extend(reversed(parts))
    return "".join(text)


def lines(doc: Doc, indent: int, width: int) -> list[str]:
    """The text from column `indent` on, no line longer than `width` where a break can help."""
    done: list[str] = []
    line = ""
    start = indent  # the column where `line` begins
    todo: list[tuple[int, bool, Doc]] = [(indent, False, doc)]
    while todo:
        column, is_flat, part = todo.pop()
        match part:
            case str():
                line += part
            case Break(text) if is_flat:
                line += text
            case Break():
                done.append((" " * start + line).rstrip())
                line, start = "", column
            case Nest(columns, inner):
                todo.append((column + columns, is_flat, inner))
            case Group(inner):
                room = width - start - len(line)
                todo.append((column, is_flat or _fits(inner, todo, room), inner))
            case tuple():
                todo.extend((column, is_flat, inner) for inner in reversed(part))
    done.append((" " * start + line).rstrip())
    return done


def _fits(doc: Doc, after: list[tuple[int, bool, Doc]], room: int) -> bool:
    """Whether the document, flat, and what follows it up to the next line's end have room."""
    rest = len(after)
    todo: list[tuple[bool, Doc]] = [(True, doc)]
    while room >= 0:
        if not todo:
            if rest == 0:
                return True
            rest -= 1
            todo.append((after[rest][1], after[rest][2]))
        is_flat, part = todo.pop()
        match part:
            case str(text):
                room -= len(text)
            case Break(text):
                if not is_flat:
                    return True
                room -= len(text)
            case Nest(_, inner) | Group(inner):
                todo.append((is_flat, inner))
            case tuple(parts):
                todo.extend((is_flat, inner) for inner in reversed(parts))
    return False
