"""A file, with the files it imports, as a module."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from selfedit_formal.core.diagnostics import Location, Source
from selfedit_formal.core.property import Obligation
from selfedit_formal.core.session import Session
from selfedit_formal.core.window import Window
from selfedit_formal.language import syntax
from selfedit_formal.language.module import Module
from selfedit_formal.language.parse import parse_reference, read
from selfedit_formal.language.resolve import predicate
from selfedit_formal.language.resolve.check import asked, given_numbers, obligation_of, obligations
from selfedit_formal.language.resolve.claim import checked_alone
from selfedit_formal.language.resolve.imports import Loaded, loaded
from selfedit_formal.language.resolve.instance import Instance
from selfedit_formal.language.resolve.names import BUILT_IN, Names, SchemaNames, of_sessions, used_first
from selfedit_formal.language.resolve.policy import applied, instance
from selfedit_formal.language.resolve.problems import Problems
from selfedit_formal.language.resolve.schema import completed, outline
from selfedit_formal.language.resolve.session import outlined, session_instance
from selfedit_formal.language.resolve.shipped import Kind, is_shipped, shipped, shipped_properties
from selfedit_formal.language.resolve.written import written

Declared = TypeVar(
    "Declared",
    syntax.SchemaDeclaration,
    syntax.WindowDeclaration,
    syntax.PredicateDeclaration,
    syntax.PropertyDeclaration,
    syntax.SessionDeclaration,
)


def load(path: Path) -> Module:
    """The module of a file. Raises Rejected: unreadable or wrong text (S), imports (I), meaning (R)."""
    return _module(read(path), path.parent)


def load_text(text: str, name: str = "<text>", folder: Path | None = None) -> Module:
    """The module of a text. `folder` is where its imports are looked for. Raises Rejected."""
    return _module(Source(name, text), folder)


def obligation(
    module: Module,
    policy: str,
    property: str,
    *,
    arguments: Mapping[str, int] | None = None,
    within: int | None = None,
    turns: int | None = None,
) -> Obligation:
    """What `check policy: property within N spans, K turns` asks, without writing it into a file. Raises Rejected.

    `policy` may be a session, and have arguments of its own, as in a check; `arguments` come after them.
    """
    reference = parse_reference(property)
    target = parse_reference(policy)
    place = target.location
    if arguments:
        given = given_numbers(arguments, place) or ()
        target = replace(target, arguments=(*(target.arguments or ()), *given))
    check = syntax.CheckDeclaration(target, (reference,), (), within, turns, None, "", place)
    problems = Problems()
    found = asked(target, module.names, problems)
    made = None if found is None else obligation_of(check, found, reference, module.names, problems)
    problems.stop_if_any()
    assert made is not None
    return made


def subjects(module: Module, property: str) -> tuple[str, ...]:
    """The policies, plans and sessions of the module that the promise, written as in a check, can be asked of."""
    name = property.partition("(")[0].strip()
    policies = module.policies if name in module.properties or is_shipped(name, "policy") else ()
    sessions = module.sessions if name in module.promises or is_shipped(name, "session") else ()
    return (*policies, *sessions)


def _module(source: Source, folder: Path | None) -> Module:
    problems = Problems()
    files = loaded(source, folder, problems)
    problems.stop_if_any()
    names = _names(files, problems)
    names = _schemas(names, problems)
    names = replace(names, windows=_windows(names, problems))
    names = _properties(names, problems)
    names, instances = _policies(names, problems)
    names, sessions = _sessions(names, problems)
    obliged = tuple(
        o
        for d in files.own.declarations
        if isinstance(d, syntax.CheckDeclaration)
        for o in obligations(d, names, problems)
    )
    problems.stop_if_any()
    policies = {n: instances[n].policy for n in names.policies}
    return Module(
        source,
        {n: s.schema for n, s in _all_schemas(names).items()},
        names.windows,
        policies,
        names.properties,
        sessions,
        names.promises,
        obliged,
        names,
    )


# ---------- who has which name


def _names(files: Loaded, problems: Problems) -> Names:
    """Everything declared in any of the files, by kind and name."""
    all_ = files.declarations()
    schemas = _table(all_, syntax.SchemaDeclaration, "window", files, problems)
    windows = _table(all_, syntax.WindowDeclaration, "window", files, problems)
    predicates = _table(all_, syntax.PredicateDeclaration, "predicate", files, problems)
    declared = tuple(d for d in all_ if isinstance(d, syntax.PropertyDeclaration))
    of_policies, of_others = (tuple(d for d in declared if of_sessions(d) is kind) for kind in (False, True))
    properties = _table(of_policies, syntax.PropertyDeclaration, "property", files, problems)
    promises = _table(of_others, syntax.PropertyDeclaration, "property", files, problems)
    sessions = _table(all_, syntax.SessionDeclaration, "session", files, problems)
    policies: dict[str, syntax.PolicyDeclaration | syntax.PlanDeclaration] = {}
    for declaration in all_:
        if isinstance(declaration, syntax.PolicyDeclaration | syntax.PlanDeclaration):
            _add(declaration, policies, "policy", files, problems)
    for name in schemas.keys() & windows.keys():
        _clash("window", name, windows[name].location, schemas[name].location, files, problems)
    for name in sessions.keys() & (schemas.keys() | windows.keys() | policies.keys()):
        other = schemas.get(name) or windows.get(name) or policies[name]
        _clash("the name", name, sessions[name].location, other.location, files, problems)
    for name, property_ in (*properties.items(), *promises.items()):
        _like_shipped(name, property_, problems)
    schemas_ = {n: outline(d, problems) for n, d in schemas.items()}
    sessions_ = {n: outlined(d, schemas_, problems) for n, d in sessions.items()}
    return Names(schemas_, windows, {}, predicates, properties, policies, sessions=sessions_, promises=promises)


def _table(
    declarations: tuple[syntax.Declaration, ...],
    kind: type[Declared],
    word: str,
    files: Loaded,
    problems: Problems,
) -> dict[str, Declared]:
    found: dict[str, Declared] = {}
    for declaration in declarations:
        if isinstance(declaration, kind):
            _add(declaration, found, word, files, problems)
    return found


Named = TypeVar("Named", bound=syntax.Declaration)


def _add(declaration: Named, table: dict[str, Named], word: str, files: Loaded, problems: Problems) -> None:
    name = getattr(declaration, "name", "")
    location = declaration.location
    if name in BUILT_IN and word in ("predicate", "property", "policy", "session"):
        problems.report("R012", f"`{name}` is a function of the language and cannot name a {word}", location)
    if "'" in name:
        problems.report("R012", f"`{name}` has a prime, which only passes have", location)
    if name in table:
        _clash(word, name, location, table[name].location, files, problems)
    else:
        table[name] = declaration


def _clash(word: str, name: str, location: Location, first: Location, files: Loaded, problems: Problems) -> None:
    notes = (("it was declared here first", first),)
    if location.source is first.source:
        problems.report("R011", f"{word} `{name}` is declared twice", location, notes=notes)
        return
    place = files.imported.get(location.source.name) or files.imported.get(first.source.name)
    assert place is not None
    message = f"{word} `{name}` is declared in `{location.source.name}` and in `{first.source.name}`"
    where = (("one is here", location), ("and one is here", first))
    hint = "give one of them another name"
    if location.source.text == first.source.text:
        hint = "these are one text: import it in one way everywhere, all from the library or all from the file"
    problems.report("I002", message, place, hint, where)


def _like_shipped(name: str, declaration: syntax.PropertyDeclaration, problems: Problems) -> None:
    """A property of a shipped name must be the shipped one: a reader takes it for that."""
    kind: Kind = "session" if of_sessions(declaration) else "policy"
    if name not in shipped_properties(kind):
        return
    known, _ = shipped(name, kind)
    if replace(declaration, doc="") != replace(known, doc=""):
        notes = (("the shipped one is here", known.location),)
        message = f"property `{name}` is shipped with the tool, and this is another one"
        problems.report("R011", message, declaration.location, "give it another name", notes)


# ---------- what is wrong by itself


def _with_broken(names: Names, kind: str, broken: frozenset[str]) -> Names:
    return replace(names, broken=names.broken | {(kind, n) for n in broken})


def _schemas(names: Names, problems: Problems) -> Names:
    names = _with_broken(names, "predicate", predicate.recursive(names, problems))
    for name in predicate.order(names):
        before = len(problems)
        if ("predicate", name) not in names.broken:
            predicate.checked(names.predicates[name], names, problems)
        if len(problems) != before:
            names = _with_broken(names, "predicate", frozenset({name}))
    spoiled: set[str] = set()
    schemas = dict(names.schemas)
    for name, schema in names.schemas.items():
        before = len(problems)
        schemas[name] = completed(schema, names, problems)
        if len(problems) != before:
            spoiled.add(name)
    sessions = {
        n: s if s.schema is None else replace(s, schema=_completed(s.schema, schemas))
        for n, s in names.sessions.items()
    }
    return _with_broken(replace(names, schemas=schemas, sessions=sessions), "window", frozenset(spoiled))


def _completed(schema: SchemaNames, schemas: Mapping[str, SchemaNames]) -> SchemaNames:
    """A session's schema with what the window assumes."""
    return replace(schema, schema=replace(schema.schema, assumptions=schemas[schema.name].schema.assumptions))


def _all_schemas(names: Names) -> dict[str, SchemaNames]:
    """Those of windows and those of sessions."""
    return {**names.schemas, **{n: s.schema for n, s in names.sessions.items() if s.schema is not None}}


def _windows(names: Names, problems: Problems) -> dict[str, Window]:
    found = {n: written(d, names, problems) for n, d in names.written.items()}
    return {n: w for n, w in found.items() if w is not None}


def _properties(names: Names, problems: Problems) -> Names:
    broken: set[tuple[str, str]] = set()
    for kind, declared in (("property", names.properties), ("promise", names.promises)):
        for name, declaration in declared.items():
            before = len(problems)
            checked_alone(declaration, names, problems)
            if len(problems) != before:
                broken.add((kind, name))
    return replace(names, broken=names.broken | broken)


def _policies(names: Names, problems: Problems) -> tuple[Names, dict[str, Instance]]:
    declared = names
    found: dict[str, Instance] = {}
    for name in used_first(tuple(declared.policies), lambda n: applied(declared.policies[n].body, declared)):
        made = instance(declared.policies[name], names, problems)
        if made is None:
            names = _with_broken(names, "policy", frozenset({name}))
        else:
            found[name] = made
    return names, found


def _sessions(names: Names, problems: Problems) -> tuple[Names, dict[str, Session]]:
    found: dict[str, Session] = {}
    for name, session in names.sessions.items():
        made = session_instance(session, names, problems)
        if made is None:
            names = _with_broken(names, "session", frozenset({name}))
        else:
            found[name] = made.session
    return names, found
