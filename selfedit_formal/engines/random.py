"""Windows, parameters and choices drawn at random, to see whether one of them breaks an obligation.

What is found is as good as any counterexample; that nothing is found means nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from itertools import islice
from math import inf
from random import Random
from time import monotonic

from selfedit_formal._frozen import dataclass
from selfedit_formal.core.expression import Compare, Int
from selfedit_formal.core.property import Bound, Case, ChoiceKey, Obligation
from selfedit_formal.core.traverse import nodes
from selfedit_formal.core.window import NO_KEY, TAG, Field, Link, Schema, Span, Value, Window, zero
from selfedit_formal.engines import Answer, Found, GaveUp, Limits
from selfedit_formal.semantics.interpreter import Domain, Evaluation, NoSuchRun, breaks
from selfedit_formal.semantics.reads import reads_archive

KEYS = (NO_KEY, "k1", "k2")


BINDINGS = 24
"""How many ways of binding a claim's spans are tried on one draw."""


def attack(obligation: Obligation, spans: int, tries: int, seconds: float = inf) -> Case | None:
    """A case with inputs of up to `spans` spans in all that breaks the obligation, if one of so many random ones does.

    The same obligation and `spans` draw the same cases; `seconds` are for those who do not mind how many.
    """
    end = monotonic() + seconds
    random = Random(f"{obligation.name} {spans}")
    pool = interesting(obligation)
    archive = reads_archive(obligation)
    for _ in range(tries):
        case = draw(obligation, spans, random, pool, archive)
        found = None if case is None else tried(obligation, case, random, pool)
        if found is not None:
            return found
        if monotonic() > end:
            break
    return None


@dataclass(frozen=True, slots=True)
class AtRandom:
    """So many `tries` as an engine: what is not found may still be there."""

    tries: int = 200
    name: str = "random"

    def solve(self, obligation: Obligation, limits: Limits) -> Answer:
        """A case of up to `limits.within` spans in all, if one is drawn."""
        within = limits.within if obligation.within is None else obligation.within
        case = attack(obligation, within, self.tries)
        if case is None:
            return GaveUp(f"{self.tries} random cases break nothing", 0)
        return Found(case, sum(len(w.spans) for w in case.inputs.values()), shortest=False)


ENGINE = AtRandom()
TURN = None


def tried(obligation: Obligation, case: Case, random: Random, pool: tuple[int, ...]) -> Case | None:
    """The case with choices, drawn at random, and bound spans that break the claim, if some of those tried do."""
    found = _broken(obligation, case, Drawn(random, pool))
    return found if found is not None and breaks(obligation, found) else None


def _broken(obligation: Obligation, case: Case, choices: Drawn) -> Case | None:
    claim = obligation.claim
    evaluation = Evaluation(obligation, case.inputs, case.parameters, case.spans, choices)
    try:
        if not evaluation.truth(claim.premise):
            return None
        for spans in islice(_bindings(evaluation, claim.bound, {}), BINDINGS):
            if evaluation.truth(claim.antecedent, spans) and not evaluation.truth(claim.consequent, spans):
                return Case(case.inputs, case.parameters, {**case.spans, **spans}, choices.taken)
    except NoSuchRun:
        pass
    return None


def _bindings(
    evaluation: Evaluation, bounds: tuple[Bound, ...], spans: Mapping[str, str]
) -> Iterator[Mapping[str, str]]:
    if not bounds:
        yield spans
        return
    for span in evaluation.present(bounds[0].window, spans):
        yield from _bindings(evaluation, bounds[1:], {**spans, bounds[0].variable: span})


@dataclass(frozen=True, slots=True)
class Drawn:
    """Choices made at random when they are asked for, and remembered."""

    random: Random
    pool: tuple[int, ...]
    taken: dict[ChoiceKey, Value] = field(default_factory=dict)

    def take(self, key: ChoiceKey, domain: Domain) -> Value:
        if key not in self.taken:
            self.taken[key] = self._draw(domain)
        return self.taken[key]

    def _draw(self, domain: Domain) -> Value:
        match domain.kind:
            case "bool":
                return self.random.random() < 0.5
            case "int":
                return draw_number(self.random, self.pool, domain.low, domain.high)
            case "key":
                return self.random.choice(KEYS)
            case "enum":
                return self.random.choice(domain.names)


def interesting(obligation: Obligation) -> tuple[int, ...]:
    """Numbers near which something may change: those the obligation compares with, their neighbours, and small ones."""
    found = {0, 1, 2, 3}
    for node in nodes(obligation):
        if isinstance(node, Compare):
            found |= {i.value + d for i in (node.left, node.right) if isinstance(i, Int) for d in (-1, 0, 1)}
    found |= {bound for f in obligation.schema.fields for bound in (f.low, f.high) if bound is not None}
    found |= {bound for p in obligation.parameters for bound in (p.low, p.high) if bound is not None}
    return tuple(sorted(found))


def draw_number(random: Random, pool: tuple[int, ...], low: int | None, high: int | None) -> int:
    """A number within the bounds, mostly one of the pool. With `low` above `high`: `low`."""
    fitting = [n for n in pool if (low is None or n >= low) and (high is None or n <= high)]
    if fitting and random.random() < 0.9:
        return random.choice(fitting)
    start = low if low is not None else high - 9 if high is not None else -3
    end = high if high is not None else start + 9
    return random.randint(start, min(end, start + 9)) if end >= start else start


def draw(obligation: Obligation, spans: int, random: Random, pool: tuple[int, ...], archive: bool) -> Case | None:
    """Random inputs of up to `spans` spans together, parameters, a plan's spans; None if these find no place."""
    inputs: dict[str, Window] = {}
    for number, name in enumerate(obligation.claim.inputs):
        if number == 0 and obligation.fixed is not None:
            inputs[name] = obligation.fixed
            continue
        left = spans - sum(len(w.spans) for w in inputs.values())
        length = random.randint(0, max(left, 0))
        inputs[name] = draw_window(obligation.schema, length, random, pool, archive, prefix=f"{name}_")
    parameters = {p.name: draw_number(random, pool, p.low, p.high) for p in obligation.parameters}
    if obligation.fixed is not None or not obligation.spans:
        return Case(inputs, parameters, {}, {})
    present = [s.id for s in inputs[obligation.claim.inputs[0]].present()]
    if len(present) < len(obligation.spans):
        return None
    plan = zip(obligation.spans, random.sample(present, len(obligation.spans)), strict=True)
    return Case(inputs, parameters, dict(plan), {})


def draw_window(
    schema: Schema, spans: int, random: Random, pool: tuple[int, ...], archive: bool, prefix: str
) -> Window:
    """A window of so many spans within the schema's bounds; of a session mostly one to which nothing has happened."""
    unlived = any(f.history for f in schema.fields) and random.random() < 0.8
    archive = archive and not unlived
    drawn = tuple(
        Span(
            f"{prefix}{number}",
            {
                f.name: zero(f.kind) if f.history and unlived else _value(f, random, pool)
                for f in schema.fields
                if f.oracle != "window"
            },
        )
        for number in range(spans)
    )
    archived = frozenset(s.id for s in drawn if archive and random.random() < 0.3)
    links = frozenset(
        (link.name, a.id, b.id) for link in schema.links for a, b in _ends(link, drawn) if random.random() < 0.4
    )
    return Window(schema, drawn, archived, links)


def _ends(link: Link, spans: tuple[Span, ...]) -> Iterator[tuple[Span, Span]]:
    for a in spans:
        for b in spans:
            if a is not b and link.admits(a[TAG], b[TAG]):
                yield a, b


def _value(f: Field, random: Random, pool: tuple[int, ...]) -> Value:
    match f.kind:
        case "int":
            return draw_number(random, pool, f.low, f.high)
        case "bool":
            return random.random() < 0.5
        case "key":
            return random.choice(KEYS)
        case "enum":
            return random.choice(f.names)
