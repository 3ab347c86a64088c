"""The properties of `spec/properties`, one a file named like it. A file is read when its property is asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Literal

from selfedit_formal import _resources
from selfedit_formal._frozen import dataclass
from selfedit_formal.core.diagnostics import Location, Source
from selfedit_formal.language import syntax
from selfedit_formal.language.parse import parse
from selfedit_formal.language.resolve.names import Names, of_sessions
from selfedit_formal.language.resolve.problems import Problems, listing, suggestion

FOLDER = "spec/properties"


Kind = Literal["policy", "session"]
"""Whose promise a property is. One file, and one name, may hold a promise of both."""


def shipped_properties(kind: Kind = "policy") -> Mapping[str, syntax.PropertyDeclaration]:
    """Every shipped promise of policies, or of sessions, by its name; parsed when it is looked up."""
    return _Shipped(_names(kind), kind)


@dataclass(frozen=True, slots=True)
class _Shipped(Mapping[str, syntax.PropertyDeclaration]):
    names: tuple[str, ...]
    kind: Kind

    def __getitem__(self, name: str) -> syntax.PropertyDeclaration:
        if name not in self.names:
            raise KeyError(name)
        return shipped(name, self.kind)[0]

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)


_SUBJECT = re.compile(r"^property \w+\(\w+ *: *(policy|plan|session)\b", re.MULTILINE)


@cache
def _stems() -> tuple[str, ...]:
    folder = _resources.folder("spec").joinpath("properties")
    return tuple(sorted(f.name.removesuffix(".sef") for f in folder.iterdir() if f.name.endswith(".sef")))


def _text(name: str) -> str:
    return _resources.folder("spec").joinpath("properties", f"{name}.sef").read_text(encoding="utf-8")


@cache
def _kinds(name: str) -> frozenset[Kind]:
    """Whose promises a file has, told from its text without parsing it."""
    return frozenset(_KINDS[k] for k in _SUBJECT.findall(_text(name)))


def _names(kind: Kind) -> tuple[str, ...]:
    return tuple(n for n in _stems() if kind in _kinds(n))


def kind_named(name: str, names: Names) -> Kind:
    """Whose promise it is, if it is one of sessions alone; else a policy's."""
    if name in names.properties or is_shipped(name, "policy"):
        return "policy"
    return "session" if name in names.promises or is_shipped(name, "session") else "policy"


def is_shipped(name: str, kind: Kind) -> bool:
    """Whether there is a shipped promise of this name and kind."""
    return name in _stems() and kind in _kinds(name)


_KINDS: Mapping[str, Kind] = {"policy": "policy", "plan": "policy", "session": "session"}


@cache
def shipped(name: str, kind: Kind = "policy") -> tuple[syntax.PropertyDeclaration, Names]:
    """A shipped property with the names of its file. Raises Rejected if that file is wrong."""
    file = parse(Source(f"{FOLDER}/{name}.sef", _text(name)))
    declared = [d for d in file.declarations if isinstance(d, syntax.PropertyDeclaration)]
    properties = {d.name: d for d in declared if not of_sessions(d)}
    promises = {d.name: d for d in declared if of_sessions(d)}
    predicates = {d.name: d for d in file.declarations if isinstance(d, syntax.PredicateDeclaration)}
    found = properties if kind == "policy" else promises
    return found[name], Names(predicates=predicates, properties=properties, promises=promises, shipped=True)


def property_named(
    name: str, location: Location, names: Names, problems: Problems, kind: Kind = "policy", asked: str = ""
) -> tuple[syntax.PropertyDeclaration, Names] | None:
    """The property of this file, or the shipped one, of this name; None if there is none (reported) or it is wrong.

    `kind` says whose promise it has to be, `asked` the name of the one of whom it is asked.
    """
    own, others = (names.properties, names.promises) if kind == "policy" else (names.promises, names.properties)
    if name in own:
        broken = "property" if kind == "policy" else "promise"
        return None if (broken, name) in names.broken else (own[name], names)
    if is_shipped(name, kind):
        return shipped(name, kind)
    other: Kind = "session" if kind == "policy" else "policy"
    if name in others or is_shipped(name, other):
        _of_other_kind(name, location, kind, asked, names, problems)
        return None
    hint = suggestion(name, (*own, *_names(kind)), suggestion(name, (*others, *_names(other))))
    if name in names.predicates:
        hint = f"`{name}` is a predicate; `preserves({name})` promises that a pass keeps it true"
    problems.report("R004", f"unknown property `{name}`", location, hint)
    return None


def _of_other_kind(name: str, location: Location, kind: Kind, asked: str, names: Names, problems: Problems) -> None:
    if kind == "session":
        message = f"`{name}` is a promise of policies, and `{asked}` is a session"
        hint = f"a session can be asked {listing(dict.fromkeys((*names.promises, *_names('session'))))}"
    else:
        message = f"`{name}` is a promise of sessions" + (f", and `{asked}` is a policy" if asked else "")
        hint = "ask it of a session, which applies the policy turn after turn"
        if names.sessions:
            hint = f"ask it of a session: {listing(names.sessions)}"
    problems.report("R054", message, location, hint)
