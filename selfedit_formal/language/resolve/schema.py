"""Window declarations: fields, links, and (once predicates are known) control sets, units and assumptions."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from selfedit_formal.core.diagnostics import Location
from selfedit_formal.core.expression import ASSUMED, Expression, Input
from selfedit_formal.core.window import COVERS, TAG, Field, Kind, Link, Schema
from selfedit_formal.language import syntax
from selfedit_formal.language.resolve.expression import truth
from selfedit_formal.language.resolve.function import control
from selfedit_formal.language.resolve.names import Names, SchemaNames
from selfedit_formal.language.resolve.numbers import unit_start
from selfedit_formal.language.resolve.problems import Problems, listing, suggestion
from selfedit_formal.language.resolve.scope import Scope, WindowBinding

Bounds = tuple[int | None, int | None]


def bounds(limits: tuple[syntax.Limit, ...]) -> Bounds:
    """The least and greatest int that all limits allow; None is open."""
    low: int | None = None
    high: int | None = None
    for limit in limits:
        match limit.operator:
            case ">" | ">=":
                at_least = limit.value + (limit.operator == ">")
                low = at_least if low is None else max(low, at_least)
            case "<" | "<=":
                at_most = limit.value - (limit.operator == "<")
                high = at_most if high is None else min(high, at_most)
    return low, high


def checked_bounds(name: str, limits: tuple[syntax.Limit, ...], location: Location, problems: Problems) -> Bounds:
    """The bounds, reporting those that no number obeys."""
    low, high = bounds(limits)
    if low is not None and high is not None and low > high:
        problems.report("R042", f"no number is within the limits of `{name}`", location)
    return low, high


def first_of_each(items: tuple[tuple[str, Location], ...], what: str, problems: Problems) -> None:
    """Reports every name that stands there twice, pointing at the first."""
    first: dict[str, Location] = {}
    for name, location in items:
        if name in first:
            notes = (("it was declared here first", first[name]),)
            problems.report("R011", f"{what} `{name}` is declared twice", location, notes=notes)
        else:
            first[name] = location


def outline(declaration: syntax.SchemaDeclaration, problems: Problems) -> SchemaNames:
    """The schema with its fields and links; members that hold conditions are kept as written."""
    fields = tuple(f for d in declaration.fields for f in _fields(d, problems))
    first_of_each(tuple((n, d.location) for d in declaration.fields for n in d.fields), "field", problems)
    tag = next((f for f in fields if f.name == TAG), None)
    if tag is None or tag.kind != "enum":
        problems.report(
            "R042",
            f"window `{declaration.name}` has no tags",
            declaration.location,
            "write a field `tag : user | assistant` with the names that fit",
        )
        fields = (*(f for f in fields if f.name != TAG), Field(TAG, "enum"))
    members = declaration.members
    links = tuple(_link(m, tag, problems) for m in members if isinstance(m, syntax.LinkDeclaration))
    units = tuple(m for m in members if isinstance(m, syntax.UnitDeclaration))
    first_of_each(
        tuple((m.name, m.location) for m in members if isinstance(m, syntax.LinkDeclaration)), "link", problems
    )
    first_of_each(tuple((u.name, u.location) for u in units), "unit", problems)
    schema = Schema(declaration.name, fields, links, (), declaration.doc, declaration.location)
    return SchemaNames(
        schema,
        declaration,
        tuple(m for m in members if isinstance(m, syntax.ControlDeclaration)),
        {u.name: u for u in units},
        tuple(m for m in members if isinstance(m, syntax.AssumeDeclaration)),
    )


def _fields(declaration: syntax.FieldDeclaration, problems: Problems) -> tuple[Field, ...]:
    low, high = checked_bounds(declaration.fields[0], declaration.limits, declaration.location, problems)
    first_of_each(tuple((n, declaration.location) for n in declaration.names), "name", problems)
    kind: Kind = declaration.kind
    oracle: Literal["query", "window"] | None = declaration.oracle
    for name in declaration.fields:
        if "'" in name:
            problems.report("R012", f"`{name}` has a prime, which only passes have", declaration.location)
    return tuple(Field(name, kind, low, high, declaration.names, oracle) for name in declaration.fields)


def _link(declaration: syntax.LinkDeclaration, tag: Field | None, problems: Problems) -> Link:
    if declaration.name == COVERS:
        problems.report(
            "R012",
            f"`{COVERS}` is the link from a summary to what it read, which every window has",
            declaration.location,
        )
    known = tag.names if tag is not None else ()
    for name in (*(declaration.from_tags or ()), *(declaration.to_tags or ())):
        if name not in known and known:
            hint = suggestion(name, known, f"it has {listing(known)}")
            hint = f"for spans of all tags leave them out: `link {declaration.name}`" if name == "any" else hint
            problems.report("R007", f"the window has no tag `{name}`", declaration.location, hint)
    return Link(declaration.name, declaration.from_tags, declaration.to_tags)


def completed(outlined: SchemaNames, names: Names, problems: Problems) -> SchemaNames:
    """The schema with its assumptions in the core; its control set and units are looked at besides."""
    window = Input(ASSUMED)
    scope = Scope(names, names, problems, outlined, "pass", window)
    for declaration in outlined.controls[:1]:
        core, inside = scope.bind_span("s", window, declaration.location)
        control(core, window, declaration.location, inside)
    for unit in outlined.units.values():
        unit_start(unit, window, unit.location, scope)
    assumed = tuple(
        assumption(d.condition, ASSUMED, d.location, replace(scope, inside="assumption")) for d in outlined.assumed
    )
    kept = tuple(a for a in assumed if a is not None)
    return replace(outlined, schema=replace(outlined.schema, assumptions=kept))


def assumption(condition: syntax.Expr, name: str, location: Location, scope: Scope) -> Expression | None:
    """An assumption, about the input window of this name; in the text it is called `W`."""
    window = Input(name)
    inside = replace(scope, standing=window, inside="assumption").bound(ASSUMED, WindowBinding(window, location))
    return truth(condition, inside)
