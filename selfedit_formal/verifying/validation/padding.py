"""A short case of an opened claim, padded with spans that do no harm until it meets the numbers as they are written.

A *step* is a change of the window that, with some of the numbers one larger, leaves the claim broken: none at all, one
more span somewhere, or a field of a span one larger; or two such changes, with the numbers two larger. It is tried a
few times in a row, on the short window; then it is taken as often as the numbers are short of what is written. What
comes of it counts only if the interpreter finds the claim as written broken.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import combinations, count
from math import inf

from selfedit_formal._frozen import dataclass
from selfedit_formal.core.budget import Spent, Work
from selfedit_formal.core.property import Case, Obligation
from selfedit_formal.core.window import NO_KEY, TAG, Field, Span, Value, Window
from selfedit_formal.semantics.interpreter import breaks
from selfedit_formal.verifying.validation.opening import Opened

WORK = 4000
TRIED = 5
"""How often a step is tried: a short window may have room for one or two that it has no room for in the long run."""
STEPS = 4
"""Ways of growing that are followed at each turn of the search."""
MOST_SPANS = 400
"""A window with more spans is not made: the interpreter would take too long over it."""


Record = tuple[tuple[str, Value], ...]


@dataclass(frozen=True, slots=True)
class Inserted:
    """One more span like this before the span with that number of the input (or at its end)."""

    input: str
    place: int
    values: Record


@dataclass(frozen=True, slots=True)
class Raised:
    """The field of that span of the input one larger."""

    input: str
    place: int
    field: str


Step = tuple[Inserted | Raised, ...]
"""Changes that are made together; none at all, if the window has room for larger numbers."""


@dataclass(frozen=True, slots=True)
class Growth:
    """Some of the numbers, and by how much they are to grow."""

    numbers: frozenset[str]
    times: int


def padded(opened: Opened, case: Case, work: int = WORK, end: float = inf) -> Iterator[Case]:
    """Cases that break the obligation as it is written, made of one that breaks the opened obligation. The interpreter
    has confirmed each. `work`: how much it may be asked in all, a short window costing 1 and a longer one by the square
    of its length. Raises `OutOfTime` at the end (monotonic)."""
    left = Work(work, end)
    try:
        for grown in _grown(opened, case, left):
            found = _written(opened, grown)
            if _breaks(opened.written, found, left):
                yield found
    except Spent:
        return


def _breaks(obligation: Obligation, case: Case, left: Work) -> bool:
    """Whether the case breaks the claim. Raises `Spent`, `OutOfTime`."""
    spans = sum(len(w.spans) for w in case.inputs.values())
    left.spend(max(1, spans * spans // 16))
    return breaks(obligation, case)


def _grown(opened: Opened, case: Case, left: Work) -> Iterator[Case]:
    """The case grown until its numbers are those that are written: all together as far as the first is behind, then
    those that are further behind; or else each by itself, the one that is furthest behind first."""
    short = {name: number - case.parameters[name] for name, number in opened.numbers.items()}
    behind = {name: by for name, by in short.items() if by > 0}
    alone = tuple(Growth(frozenset((n,)), by) for n, by in sorted(behind.items(), key=lambda item: -item[1]))
    for parts in dict.fromkeys((_together(behind), alone)):
        for taken in _plans(opened.obligation, case, parts, (), left):
            grown = _after(opened.obligation, case, taken, inf)
            if grown is not None:
                yield grown


def _together(behind: Mapping[str, int]) -> tuple[Growth, ...]:
    levels = sorted(set(behind.values()))
    return tuple(
        Growth(frozenset(name for name, by in behind.items() if by >= level), level - below)
        for below, level in zip((0, *levels), levels, strict=False)
    )


Plan = tuple[tuple[Step, Growth], ...]
"""Steps, each with the part of the growth that it is taken for."""


def _plans(obligation: Obligation, case: Case, parts: tuple[Growth, ...], taken: Plan, left: Work) -> Iterator[Plan]:
    """Ways of growing by all the parts: each step leaves the claim broken after those that were taken before it, as far
    as they are tried."""
    if not parts:
        yield taken
        return
    found = 0
    for step in _steps(obligation, case):
        if found == STEPS:
            return
        more = (*taken, (step, parts[0]))
        further = _after(obligation, case, more, TRIED if not taken else TRIED * 3)
        if further is not None and _breaks(obligation, further, left):
            found += 1
            yield from _plans(obligation, case, parts[1:], more, left)


def _steps(obligation: Obligation, case: Case) -> Iterator[Step]:
    """No change; larger numbers in the spans that are there; then spans of each tag that are otherwise as simple as may
    be, and others like those that are there, at the end and before each; then two of one kind at two places."""
    yield ()
    free = obligation.claim.inputs[obligation.fixed is not None :]
    numbers = [f.name for f in obligation.schema.fields if f.kind == "int" and not f.history and f.oracle is None]
    pairs: list[Step] = []
    for name in free:
        window = case.inputs[name]
        places = (len(window.spans), *range(len(window.spans)))
        records = [_plain(obligation, tag) for tag in obligation.schema.field(TAG).names]
        records += [tuple(s.values.items()) for s in window.spans]
        yield from ((Raised(name, place, field),) for place in places[1:] for field in numbers)
        yield from ((Inserted(name, place, values),) for values in dict.fromkeys(records) for place in places)
        pairs += [
            (Inserted(name, a, values), Inserted(name, b, values))
            for a, b in combinations(places, 2)
            for values in dict.fromkeys(records)
        ]
    yield from pairs


def _plain(obligation: Obligation, tag: str) -> Record:
    """The simplest record with that tag."""
    fields = (f for f in obligation.schema.fields if f.oracle != "window")
    return tuple((f.name, tag if f.name == TAG else _simplest(f)) for f in fields)


def _simplest(declared: Field) -> Value:
    match declared.kind:
        case "bool":
            return False
        case "key":
            return NO_KEY
        case "enum":
            return declared.names[0]
        case "int":
            low, high = declared.low, declared.high
            return low if low is not None and low > 0 else high if high is not None and high < 0 else 0


def _after(obligation: Obligation, case: Case, plan: Plan, most: float) -> Case | None:
    """The case grown as planned, by at most so much for each part; None if a window gets too long, or a field too
    large."""
    put_in = dict[tuple[str, int], list[Record]]()
    raised = dict[tuple[str, int, str], int]()
    parameters = dict(case.parameters)
    for step, part in plan:
        times = int(min(part.times, most))
        parameters |= {name: parameters[name] + times for name in part.numbers}
        for number, change in enumerate(step):
            often = (times + len(step) - 1 - number) // len(step)
            match change:
                case Inserted(name, place, values):
                    put_in.setdefault((name, place), []).extend([values] * often)
                case Raised(name, place, field):
                    raised[name, place, field] = raised.get((name, place, field), 0) + often
    inputs = dict[str, Window]()
    unused = _unused(case)
    for name, window in case.inputs.items():
        spans: list[Span] = []
        for place, span in enumerate((*window.spans, None)):
            spans += [Span(next(unused), dict(values)) for values in put_in.get((name, place), ())]
            if span is not None:
                larger = {f: int(span[f]) + by for (w, p, f), by in raised.items() if (w, p) == (name, place)}
                spans.append(Span(span.id, {**span.values, **larger}))
        highest = {f.name: f.high for f in obligation.schema.fields if f.high is not None}
        if len(spans) > MOST_SPANS or any(int(s[f]) > high for s in spans for f, high in highest.items()):
            return None
        inputs[name] = Window(window.schema, tuple(spans), window.archived, window.links, window.fresh)
    return replace(case, inputs=inputs, parameters=parameters)


def _unused(case: Case) -> Iterator[str]:
    """Ids that no input has."""
    used = {s.id for w in case.inputs.values() for s in w.spans}
    return (name for n in count(1) if (name := f"pad{n}") not in used)


def _written(opened: Opened, case: Case) -> Case:
    """The case without the numbers that were opened."""
    parameters: Mapping[str, int] = {n: v for n, v in case.parameters.items() if n not in opened.numbers}
    return replace(case, parameters=parameters)
