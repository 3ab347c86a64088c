"""Windows written out."""

from __future__ import annotations

from collections.abc import Mapping

from selfedit_formal.core.diagnostics import Location
from selfedit_formal.core.window import COVERS, NO_KEY, TAG, Field, Schema, Span, Value, Window
from selfedit_formal.language import syntax
from selfedit_formal.language.resolve.names import Names, SchemaNames
from selfedit_formal.language.resolve.problems import Problems, listing, suggestion

ARRIVED = "arrived"
FRESH = "new_"


def written(declaration: syntax.WindowDeclaration, names: Names, problems: Problems) -> Window | None:
    """The window in the core; None if its schema is not known. Values that are wrong are reported and left out."""
    found = names.written_schema(declaration.schema)
    if found is None:
        if declaration.schema in names.sessions:
            return None
        hint = suggestion(declaration.schema, (*names.schemas, *names.sessions))
        problems.report("R002", f"unknown window `{declaration.schema}`", declaration.location, hint)
        return None
    entries = tuple(i for i in declaration.items if isinstance(i, syntax.WindowEntry))
    facts = tuple(i for i in declaration.items if isinstance(i, syntax.LinkFact))
    places: dict[str, syntax.WindowEntry] = {}
    for entry in entries:
        _check_id(entry, places, problems)
        places.setdefault(entry.id, entry)
    spans = tuple(Span(e.id, _values(e, found.schema, problems)) for e in entries)
    links = frozenset((f.link, f.source, f.target) for f in facts if _fits(f, places, found, problems))
    archived = frozenset(e.id for e in entries if e.archived)
    created = frozenset(e.id for e in entries if e.created)
    fresh = created | frozenset(source for link, source, _ in links if link == COVERS)
    return Window(found.schema, spans, archived, links, fresh)


def _check_id(entry: syntax.WindowEntry, places: Mapping[str, syntax.WindowEntry], problems: Problems) -> None:
    if entry.id in places:
        notes = (("it stands here first", places[entry.id].location),)
        problems.report("R011", f"two spans are called `{entry.id}`", entry.location, notes=notes)
    made = entry.id == ARRIVED or entry.id.startswith(FRESH)
    if (made and not entry.created) or "'" in entry.id:
        why = f"names like `{FRESH}...` and `{ARRIVED}` are given to spans that a pass makes, and primes to passes"
        problems.report("R012", f"`{entry.id}` cannot name a span", entry.location, why)


def _values(entry: syntax.WindowEntry, schema: Schema, problems: Problems) -> dict[str, Value]:
    values: dict[str, Value] = {TAG: entry.tag}
    tags = schema.field(TAG).names
    if entry.tag not in tags and tags:
        hint = suggestion(entry.tag, tags, f"it has {listing(tags)}")
        problems.report("R007", f"window `{schema.name}` has no tag `{entry.tag}`", entry.location, hint)
    given: dict[str, Location] = {}
    for item in entry.values:
        if item.field in given:
            notes = (("it is given here first", given[item.field]),)
            problems.report("R026", f"`{item.field}` is given twice", item.location, notes=notes)
            continue
        given[item.field] = item.location
        field = next((f for f in schema.fields if f.name == item.field), None)
        if field is None or field.name == TAG:
            known = tuple(f.name for f in schema.fields if f.name != TAG)
            hint = suggestion(item.field, known, f"it has {listing(known)}" if known else None)
            message = f"window `{schema.name}` has no field `{item.field}`"
            if field is not None:
                message, hint = "the tag stands before the brace", None
            problems.report("R006", message, item.location, hint)
            continue
        if field.oracle == "window":
            problems.report(
                "R024",
                f"`{field.name}` comes from the window with every pass, so a span does not carry it",
                item.location,
            )
            continue
        found = _value(item, field, problems)
        if found is not None:
            values[field.name] = found
    for field in schema.fields:
        if field.name in given or field.name == TAG or field.oracle == "window":
            continue
        match field.kind:
            case "bool":
                values[field.name] = False
            case "key":
                values[field.name] = NO_KEY
            case "int" if field.history:
                values[field.name] = 0
            case "int" | "enum":
                problems.report(
                    "R033",
                    f"span `{entry.id}` has no `{field.name}`",
                    entry.location,
                    f"give it between braces: `{field.name} = {_example(field)}`",
                )
    return {f.name: values[f.name] for f in schema.fields if f.name in values}


def _example(field: Field) -> str:
    if field.kind == "enum":
        return field.names[0]
    return str(field.low if field.low is not None else min(0, field.high) if field.high is not None else 0)


def _value(item: syntax.FieldValue, field: Field, problems: Problems) -> Value | None:
    value = item.value
    match field.kind, value:
        case "bool", bool():
            return value
        case "int", int() if not isinstance(value, bool):
            if (field.low is not None and value < field.low) or (field.high is not None and value > field.high):
                problems.report(
                    "R034", f"{value} is outside the limits of `{field.name}`", item.location, _limits(field)
                )
                return None
            return value
        case "key", str():
            return value
        case "enum", str() if value in field.names:
            return value
        case "enum", str():
            hint = suggestion(value, field.names, f"it has {listing(field.names)}")
            problems.report("R007", f"`{field.name}` has no name `{value}`", item.location, hint)
            return None
        case kind, _:
            wanted = {"bool": "true or false", "int": "a number", "key": "a key", "enum": "a name"}[kind]
            problems.report("R034", f"`{field.name}` takes {wanted}", item.location)
            return None


def _limits(field: Field) -> str:
    parts = [f">= {field.low}"] if field.low is not None else []
    parts += [f"<= {field.high}"] if field.high is not None else []
    return f"it is declared {' '.join(parts)}"


def _fits(
    fact: syntax.LinkFact, places: Mapping[str, syntax.WindowEntry], schema: SchemaNames, problems: Problems
) -> bool:
    links = {k.name: k for k in schema.schema.links}
    good = True
    for end in (fact.source, fact.target):
        if end not in places:
            hint = suggestion(end, places)
            problems.report("R036", f"the window has no span `{end}`", fact.location, hint)
            good = False
    if fact.source == fact.target:
        problems.report("R035", f"`{fact.source}` cannot be linked to itself", fact.location)
        good = False
    if fact.link == COVERS:
        return good
    link = links.get(fact.link)
    if link is None:
        otherwise = f"it has {listing(links)}" if links else "it declares no links"
        message = f"window `{schema.name}` has no link `{fact.link}`"
        problems.report("R009", message, fact.location, suggestion(fact.link, (*links, COVERS), otherwise))
        return False
    if not good:
        return False
    for end, tags, word in ((fact.source, link.from_tags, "starts"), (fact.target, link.to_tags, "ends")):
        tag = places[end].tag
        if tags is not None and tag not in tags:
            message = f"`{fact.link}` {word} at {' or '.join(f'`{t}`' for t in tags)}, and `{end}` is `{tag}`"
            problems.report("R035", message, fact.location)
            good = False
    return good
