"""Arguments: which parameter each is for, and whether it may be that."""

from __future__ import annotations

from collections.abc import Mapping

from selfedit_formal.core.diagnostics import Location
from selfedit_formal.core.expression import Expression, Parameter
from selfedit_formal.language import syntax
from selfedit_formal.language.resolve import arithmetic
from selfedit_formal.language.resolve.problems import Problems, listing, suggestion
from selfedit_formal.language.resolve.schema import Bounds, bounds


def matched(
    reference: syntax.Reference, parameters: tuple[syntax.Parameter, ...], what: str, problems: Problems
) -> Mapping[str, syntax.Argument]:
    """The argument for each parameter that has one. Reports arguments too many, unknown names and names given twice."""
    found: dict[str, syntax.Argument] = {}
    known = {p.name: p for p in parameters}
    arguments = reference.arguments or ()
    positional = tuple(a for a in arguments if a.name is None)
    if len(positional) > len(parameters):
        count = len(parameters)
        takes = "no arguments" if count == 0 else "1 argument" if count == 1 else f"{count} arguments"
        given = f"{len(positional)} {'is' if len(positional) == 1 else 'are'} given"
        message = f"{what} `{reference.name}` takes {takes}, and {given}"
        hint = f"its parameters are {listing(known)}" if known else None
        problems.report("R016", message, reference.location, hint)
    for parameter, argument in zip(parameters, positional, strict=False):
        found[parameter.name] = argument
    for argument in arguments:
        if argument.name is None:
            continue
        if argument.name not in known:
            hint = suggestion(argument.name, known, f"its parameters are {listing(known)}" if known else None)
            message = f"{what} `{reference.name}` has no parameter `{argument.name}`"
            problems.report("R018", message, argument.location, hint)
        elif argument.name in found:
            notes = (("it is given here first", found[argument.name].location),)
            problems.report("R018", f"parameter `{argument.name}` is given twice", argument.location, notes=notes)
        else:
            found[argument.name] = argument
    return found


def within_bounds(
    parameter: syntax.Parameter,
    given: Expression,
    open_bounds: Mapping[str, Bounds],
    location: Location,
    problems: Problems,
) -> bool:
    """Whether the number is within the declared limits, for certain. `open_bounds`: of parameters left open."""
    low, high = bounds(parameter.limits)
    number = arithmetic.constant(given)
    least, most = (number, number) if number is not None else _range(given, open_bounds)
    if (low is None or (least is not None and least >= low)) and (high is None or (most is not None and most <= high)):
        return True
    limits = " and ".join(f"{m.operator} {m.value}" for m in parameter.limits)
    message = (
        f"`{parameter.name}` is {limits}, and {number} is not"
        if number is not None
        else f"`{parameter.name}` is {limits}, and this number may be outside of that"
    )
    notes = (("it is declared here", parameter.location),)
    problems.report("R019", message, location, notes=notes)
    return False


def _range(given: Expression, open_bounds: Mapping[str, Bounds]) -> Bounds:
    match given:
        case Parameter(name):
            return open_bounds.get(name, (None, None))
        case _:
            return None, None
