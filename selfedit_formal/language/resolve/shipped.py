"""The properties of `spec/properties`, one a file named like it. A file is read when its property is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from selfedit_formal import _resources
from selfedit_formal._frozen import dataclass
from selfedit_formal.diagnostics import Location, Source
from selfedit_formal.language import syntax
from selfedit_formal.language.parse import parse
from selfedit_formal.language.resolve.names import Names
from selfedit_formal.language.resolve.problems import Problems, suggestion

FOLDER = "spec/properties"


def shipped_properties() -> Mapping[str, syntax.PropertyDeclaration]:
    """Every shipped property by its name, each parsed when it is looked up."""
    return _Shipped(_names())


@dataclass(frozen=True, slots=True)
class _Shipped(Mapping[str, syntax.PropertyDeclaration]):
    names: tuple[str, ...]

    def __getitem__(self, name: str) -> syntax.PropertyDeclaration:
        if name not in self.names:
            raise KeyError(name)
        return shipped(name)[0]

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)


@cache
def _names() -> tuple[str, ...]:
    folder = _resources.folder("spec").joinpath("properties")
    return tuple(sorted(f.name.removesuffix(".sef") for f in folder.iterdir() if f.name.endswith(".sef")))


@cache
def shipped(name: str) -> tuple[syntax.PropertyDeclaration, Names]:
    """A shipped property with the names of its file. Raises Rejected if that file is wrong."""
    text = _resources.folder("spec").joinpath("properties", f"{name}.sef").read_text(encoding="utf-8")
    file = parse(Source(f"{FOLDER}/{name}.sef", text))
    properties = {d.name: d for d in file.declarations if isinstance(d, syntax.PropertyDeclaration)}
    predicates = {d.name: d for d in file.declarations if isinstance(d, syntax.PredicateDeclaration)}
    return properties[name], Names(predicates=predicates, properties=properties, shipped=True)


def property_named(
    name: str, location: Location, names: Names, problems: Problems
) -> tuple[syntax.PropertyDeclaration, Names] | None:
    """The property of this file, or the shipped one, of this name; None if there is none (reported) or it is wrong."""
    if name in names.properties:
        return None if ("property", name) in names.broken else (names.properties[name], names)
    if name in _names():
        return shipped(name)
    hint = suggestion(name, (*names.properties, *_names()))
    if name in names.predicates:
        hint = f"`{name}` is a predicate; `preserves({name})` promises that a pass keeps it true"
    problems.report("R004", f"unknown property `{name}`", location, hint)
    return None
