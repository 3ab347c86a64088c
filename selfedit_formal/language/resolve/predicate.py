"""Predicates by themselves: none uses itself, and each means something wherever that can be told."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass

from selfedit_formal.core.diagnostics import Location
from selfedit_formal.core.expression import ASSUMED, Input, Parameter
from selfedit_formal.language import syntax
from selfedit_formal.language.resolve.call import parameter_kind
from selfedit_formal.language.resolve.expression import truth
from selfedit_formal.language.resolve.names import Names, used_first
from selfedit_formal.language.resolve.problems import Problems, suggestion
from selfedit_formal.language.resolve.scope import Binding, LostBinding, Scope, SpanBinding, ValueBinding, WindowBinding


def recursive(names: Names, problems: Problems) -> frozenset[str]:
    """The predicates that use themselves, directly or through others; each way round is reported once."""
    uses = {n: dict(_calls(d.body, names)) for n, d in names.predicates.items()}
    found: set[str] = set()
    for start in names.predicates:
        way = None if start in found else _way_round(start, uses)
        if way is None:
            continue
        found |= set(way)
        text = " -> ".join((*way, start))
        second = way[1] if len(way) > 1 else start
        notes = tuple((f"`{a}` uses `{b}` here", uses[a][b]) for a, b in zip(way, (*way[1:], start), strict=True))
        problems.report(
            "R015", f"predicate `{start}` uses itself: {text}", uses[start][second], None, notes if len(way) > 1 else ()
        )
    return frozenset(found)


def order(names: Names) -> tuple[str, ...]:
    """The predicates, each behind those it uses: what is wrong with one of these is known then."""
    return used_first(tuple(names.predicates), lambda n: tuple(u for u, _ in _calls(names.predicates[n].body, names)))


def _way_round(start: str, uses: dict[str, dict[str, Location]]) -> tuple[str, ...] | None:
    """The shortest way from the predicate back to itself."""
    frontier: list[tuple[str, ...]] = [(start,)]
    seen: set[str] = set()
    while frontier:
        way = frontier.pop(0)
        for other in uses[way[-1]]:
            if other == start:
                return way
            if other not in seen:
                seen.add(other)
                frontier.append((*way, other))
    return None


def _calls(item: object, names: Names) -> Iterator[tuple[str, Location]]:
    if isinstance(item, tuple):
        for part in item:
            yield from _calls(part, names)
    elif is_dataclass(item) and not isinstance(item, Location | type):
        if isinstance(item, syntax.Call) and item.function in names.predicates:
            yield item.function, item.location
        for field in fields(item):
            if field.name != "location":
                yield from _calls(getattr(item, field.name), names)


def checked(declaration: syntax.PredicateDeclaration, names: Names, problems: Problems) -> None:
    """Looks at a predicate for the schema it is written for, or the only one there is, or none in particular."""
    schema = None
    if declaration.schema is not None:
        schema = names.schemas.get(declaration.schema)
        if schema is None:
            hint = suggestion(declaration.schema, names.schemas)
            problems.report("R002", f"unknown window `{declaration.schema}`", declaration.location, hint)
            return
    elif len(names.schemas) == 1:
        schema = next(iter(names.schemas.values()))
    window = Input(ASSUMED)
    scope = Scope(names, names, problems, schema, "pass", window)
    first: dict[str, Location] = {}
    for parameter in declaration.parameters:
        if parameter.name in first:
            notes = (("it was declared here first", first[parameter.name]),)
            message = f"parameter `{parameter.name}` is declared twice"
            problems.report("R011", message, parameter.location, notes=notes)
            continue
        first[parameter.name] = parameter.location
        scope = scope.bound(parameter.name, _binding(parameter, window, problems))
    truth(declaration.body, scope)


def _binding(parameter: syntax.Parameter, window: Input, problems: Problems) -> Binding:
    match parameter_kind(parameter):
        case "span":
            return SpanBinding(parameter.name, window, parameter.location)
        case "window":
            return WindowBinding(window, parameter.location)
        case "int":
            if parameter.limits:
                message = f"`{parameter.name}` of a predicate cannot have limits, which nothing would check"
                problems.report("R049", message, parameter.location, "leave the limits out")
            return ValueBinding("int", Parameter(parameter.name), parameter.location)
        case kind:
            message = f"a predicate takes no {kind} parameter"
            hint = "its parameters are spans, windows and numbers"
            problems.report("R049", message, parameter.location, hint)
            return LostBinding(parameter.location)
