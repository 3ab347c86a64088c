"""Core windows to `.sef` text, as `parse` and the resolver read it back.

An identity or key that is no name of the language is written as one that is, another one for each. What an oracle gives
anew with every pass belongs to no span and is not written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache

from selfedit_formal import _resources
from selfedit_formal.core.diagnostics import Location, Source
from selfedit_formal.core.window import NO_KEY, TAG, Field, Schema, Span, Value, Window
from selfedit_formal.language import syntax
from selfedit_formal.language.print import print_entry, print_file

_NOWHERE = Source("", "")


def write_window(window: Window, name: str) -> str:
    """`window w of Chat = [ … ]`, a span a line, each link behind the later of its two spans."""
    names = readable(s.id for s in window.spans)
    keys = readable(_keys(window.spans, window.schema))
    position = {s.id: n for n, s in enumerate(window.spans)}
    items: list[tuple[int, syntax.WindowEntry | syntax.LinkFact]] = []
    for number, span in enumerate(window.spans):
        archived, created = span.id in window.archived, span.id in window.fresh
        items.append((number, _entry(span, window.schema, names, keys, archived, created, _line(number))))
    links = sorted(window.links, key=lambda link: (position[link[1]], position[link[2]], link[0]))
    for link, source, target in links:
        number = max(position[source], position[target])
        items.append((number, syntax.LinkFact(names[source], link, names[target], _line(number))))
    ordered = tuple(item for _, item in sorted(items, key=lambda item: item[0]))
    declaration = syntax.WindowDeclaration(name, window.schema.name, ordered, "", _line(0))
    return print_file(syntax.File(_NOWHERE, (declaration,))).removesuffix("\n")


def write_entry(span: Span, schema: Schema, archived: bool, created: bool = False) -> str:
    """`A: tool_output { tokens = 900, stale }`, on one line."""
    names, keys = readable([span.id]), readable(_keys([span], schema))
    return print_entry(_entry(span, schema, names, keys, archived, created, _line(0)))


def readable(identities: Iterable[str]) -> Mapping[str, str]:
    """A name of the language for each: itself where it is one, else a like one that no other has."""
    wanted = list(dict.fromkeys(identities))
    names = {i: i for i in wanted if _is_name(i)}
    for identity in wanted:
        if identity not in names:
            base = re.sub("[^A-Za-z0-9_]+", "_", identity).strip("_")
            base = base if _is_name(base) else f"x_{base}".rstrip("_")
            number, name = 1, base
            while name in names.values():
                number, name = number + 1, f"{base}_{number + 1}"
            names[identity] = name
    return names


def _is_name(text: str) -> bool:
    return re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", text) is not None and text not in _words()


@cache
def _words() -> frozenset[str]:
    """The words of the language, which a name may be in some places only."""
    grammar = _resources.folder("grammars").joinpath("sef.lark").read_text(encoding="utf-8")
    return frozenset(re.findall('"([a-z]+)"', grammar)) | {"once"}


def _line(number: int) -> Location:
    """Says which items share a line, for the printer."""
    return Location(_NOWHERE, number, 1, number, 1)


def _keys(spans: Iterable[Span], schema: Schema) -> Iterable[str]:
    fields = [f.name for f in schema.fields if f.kind == "key"]
    return (str(s[f]) for s in spans for f in fields if f in s.values and s[f] != NO_KEY)


def _entry(
    span: Span,
    schema: Schema,
    names: Mapping[str, str],
    keys: Mapping[str, str],
    archived: bool,
    created: bool,
    place: Location,
) -> syntax.WindowEntry:
    values = tuple(
        syntax.FieldValue(field.name, keys[str(value)] if field.kind == "key" else value, place)
        for field in schema.fields
        if field.name != TAG and field.oracle != "window" and field.name in span.values
        for value in [span[field.name]]
        if not _is_default(field, value)
    )
    return syntax.WindowEntry(names[span.id], str(span[TAG]), values, archived, place, created=created)


def _is_default(field: Field, value: Value) -> bool:
    """Whether the value is what a field has that is not written."""
    return value is False or (field.kind == "key" and value == NO_KEY) or (field.history and value == 0)
