"""The referee: every window up to a few spans over small domains, and every choice, through the interpreter.

Slow and obviously right. What it does not find may still be there, in values outside its domains: see `Enumerate`.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import field
from itertools import chain, combinations, count, permutations, product
from typing import TypeVar

from selfedit_formal._frozen import dataclass
from selfedit_formal.core.diagnostics import Disagreement
from selfedit_formal.core.expression import Int, Name
from selfedit_formal.core.property import Case, ChoiceKey, Obligation
from selfedit_formal.core.traverse import nodes
from selfedit_formal.core.window import COVERS, NO_KEY, TAG, Field, Span, Value, Window
from selfedit_formal.engines import Answer, Found, GaveUp, Limits, NoneFound
from selfedit_formal.semantics.interpreter import Domain, Evaluation, Given, NoSuchRun, breaks
from selfedit_formal.semantics.reads import read_fields, read_links, reads_archive

T = TypeVar("T")

INTS = 4
"""How many values of an int field (parameter, choice) are tried where the caller does not say which."""


@dataclass(frozen=True, slots=True)
class Domains:
    """The values tried. `fields` has those of a span's field in input windows, `parameters` those of a parameter.

    A field or parameter that is not there gets values from its bounds, zero and the constants of the obligation.
    `ints` are those tried for an open int choice within its limits (besides these limits), `keys` for an open key.
    """

    fields: Mapping[str, tuple[Value, ...]] = field(default_factory=dict)
    parameters: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    ints: tuple[int, ...] = ()
    keys: tuple[str, ...] = ()


def domains(obligation: Obligation, given: Domains | None = None) -> Domains:
    """The given domains, completed for everything that the obligation leaves open.

    Fields that nothing reads get one value. Keys are none, those that the obligation mentions, and k1 and k2.
    """
    given = given or Domains()
    found = tuple(nodes(obligation))
    constants = sorted({n.value for n in found if isinstance(n, Int)}, key=abs)
    mentioned = sorted({n.value for n in found if isinstance(n, Name) and n.kind == "key"} - {NO_KEY})
    keys = given.keys or (NO_KEY, *mentioned, "k1", "k2")
    reads = read_fields(obligation)

    def values(declared: Field) -> tuple[Value, ...]:
        if declared.name in given.fields:
            return given.fields[declared.name]
        every: tuple[Value, ...]
        match declared.kind:
            case "int":
                every = _near(declared.low, declared.high, constants)
            case "bool":
                every = (False, True)
            case "key":
                every = keys
            case "enum":
                every = declared.names
        return every if declared.name in reads else every[:1]

    return Domains(
        fields={f.name: values(f) for f in obligation.schema.fields if f.oracle != "window"},
        parameters={
            p.name: given.parameters.get(p.name, _near(p.low, p.high, constants)) for p in obligation.parameters
        },
        ints=given.ints or _near(None, None, constants),
        keys=keys,
    )


def _near(low: int | None, high: int | None, constants: Sequence[int]) -> tuple[int, ...]:
    """A few ints within the bounds: the smallest in size, the largest constant and one more, then other constants."""
    start = Domain("int", low, high).default()
    assert isinstance(start, int)
    far = constants[-1:]
    around = chain((start, start + 1, start - 1), (c + d for c in (*far, *constants) for d in (0, 1, -1)), (start + 2,))
    admitted = dict.fromkeys(n for n in around if (low is None or low <= n) and (high is None or n <= high))
    return tuple(admitted)[:INTS]


@dataclass(frozen=True, slots=True)
class Enumerate:
    """Tries everything, smallest windows first.

    NoneFound means that nothing breaks the claim *over these domains*. It is `complete` only for a written-out window
    of which every parameter and choice was tried with every value it may have.
    """

    given: Domains | None = None
    name: str = "enumerate"

    def solve(self, obligation: Obligation, limits: Limits) -> Answer:
        """The first case found that breaks the claim. Windows have up to `limits.within` spans each."""
        search = _Enumeration(obligation, domains(obligation, self.given), limits)
        try:
            return search.answer()
        except _OutOfTime:
            return GaveUp(f"no answer within {limits.seconds:g} seconds", search.done)


ENGINE = Enumerate()
TURN = None


class _OutOfTime(Exception):
    """The limit of seconds was reached."""


class _Enumeration:
    """One obligation being tried. `done`: nothing breaks it with windows of up to so many spans."""

    def __init__(self, obligation: Obligation, tried: Domains, limits: Limits) -> None:
        self._obligation = obligation
        self._tried = tried
        self._within = limits.within
        self._end = None if limits.seconds is None else time.monotonic() + limits.seconds
        self._windows = _Windows(obligation, tried)
        self._partial = not all(
            p.low is not None and p.high is not None and set(range(p.low, p.high + 1)) <= set(tried.parameters[p.name])
            for p in obligation.parameters
        )
        self.done = 0

    def answer(self) -> Answer:
        """Raises _OutOfTime."""
        free = len(self._obligation.claim.inputs) - (self._obligation.fixed is not None)
        for total in range(free * self._within + 1):
            for sizes in _sizes(free, total, self._within):
                for inputs in self._windows.inputs(sizes):
                    case = self._broken(inputs)
                    if case is not None:
                        return Found(case, sum(len(w.spans) for w in inputs.values()))
            self.done = total // max(free, 1)
        return NoneFound(self._within, complete=free == 0 and not self._partial)

    def _broken(self, inputs: Mapping[str, Window]) -> Case | None:
        """A case with these inputs that breaks the claim."""
        names = self._obligation.spans
        plans: Iterable[tuple[str, ...]] = (names,)
        if self._obligation.fixed is None:
            first = inputs[self._obligation.claim.inputs[0]]
            plans = permutations([s.id for s in first.present()], len(names))
        settings: list[dict[str, int]] = [{}]
        for name, values in self._tried.parameters.items():
            settings = [{**chosen, name: value} for chosen in settings for value in values]
        for plan in plans:
            spans = dict(zip(names, plan, strict=True))
            for parameters in settings:
                premise = Evaluation(self._obligation, inputs, parameters, spans, Given())
                if premise.truth(self._obligation.claim.premise):
                    case = self._broken_by_choice(inputs, parameters, spans)
                    if case is not None:
                        return case
        return None

    def _broken_by_choice(
        self, inputs: Mapping[str, Window], parameters: Mapping[str, int], spans: Mapping[str, str]
    ) -> Case | None:
        odometer = _Odometer(self._tried)
        while True:
            if self._end is not None and time.monotonic() > self._end:
                raise _OutOfTime
            bound = self._bound_broken(inputs, parameters, spans, odometer)
            if bound is not None:
                case = Case(inputs, parameters, {**spans, **bound}, odometer.answers)
                if not breaks(self._obligation, case):
                    raise Disagreement("the case that enumeration found does not break the claim when it is judged")
                return case
            if not odometer.advance():
                self._partial = self._partial or odometer.partial
                return None

    def _bound_broken(
        self,
        inputs: Mapping[str, Window],
        parameters: Mapping[str, int],
        spans: Mapping[str, str],
        odometer: _Odometer,
    ) -> Mapping[str, str] | None:
        """The bound spans with which the claim breaks, at the odometer's choices."""
        claim = self._obligation.claim
        evaluation = Evaluation(self._obligation, inputs, parameters, spans, odometer)
        bound: dict[str, str] = {}
        try:
            for b in claim.bound:
                there = evaluation.present(b.window, bound)
                if not there:
                    return None
                bound[b.variable] = odometer.pick(there)
            broken = evaluation.truth(claim.antecedent, bound) and not evaluation.truth(claim.consequent, bound)
        except NoSuchRun:
            return None
        return bound if broken else None


def _sizes(windows: int, total: int, most: int) -> Iterator[tuple[int, ...]]:
    """The sizes of so many windows, none above `most`, that make up the total."""
    if windows == 0:
        if total == 0:
            yield ()
        return
    for size in range(min(total, most) + 1):
        for rest in _sizes(windows - 1, total - size, most):
            yield (size, *rest)


class _Odometer:
    """Choices that go through every combination: each `advance` moves the last choice that has values left.

    `answers` are the choices of the current run. `partial`: some choice has admissible values that are not tried.
    """

    def __init__(self, tried: Domains) -> None:
        self._tried = tried
        self._steps: list[tuple[tuple[Value, ...], int]] = []
        self._position = 0
        self.answers: dict[ChoiceKey, Value] = {}
        self.partial = False

    def take(self, key: ChoiceKey, domain: Domain) -> Value:
        value = self._next(self._options(domain))
        self.answers[key] = value
        return value

    def pick(self, spans: tuple[str, ...]) -> str:
        """One of the spans."""
        return str(self._next(spans))

    def advance(self) -> bool:
        """Prepares the next run; False if all have been."""
        while self._steps:
            options, index = self._steps.pop()
            if index + 1 < len(options):
                self._steps.append((options, index + 1))
                self._position, self.answers = 0, {}
                return True
        return False

    def _next(self, options: tuple[Value, ...]) -> Value:
        if self._position == len(self._steps):
            self._steps.append((options, 0))
        known, index = self._steps[self._position]
        assert known == options
        self._position += 1
        return known[index]

    def _options(self, domain: Domain) -> tuple[Value, ...]:
        match domain.kind:
            case "bool":
                return (False, True)
            case "key":
                self.partial = True
                return self._tried.keys
            case "enum":
                return domain.names
            case "int":
                edges = [n for n in (domain.default(), domain.low, domain.high) if n is not None]
                options = tuple(n for n in dict.fromkeys((*edges, *self._tried.ints)) if domain.admits(n))
                if domain.low is None or domain.high is None or domain.high - domain.low >= len(options):
                    self.partial = True
                return options


class _Windows:
    """The input windows over some domains."""

    def __init__(self, obligation: Obligation, tried: Domains) -> None:
        self._obligation = obligation
        self._schema = obligation.schema
        tested = read_links(obligation)
        self._links = tuple(link for link in obligation.schema.links if link.name in tested)
        self._archive = reads_archive(obligation)
        self._records = tuple(
            dict(zip(tried.fields, values, strict=True)) for values in product(*tried.fields.values())
        )
        self._keys = tuple(f.name for f in obligation.schema.fields if f.kind == "key" and f.name in tried.fields)
        same = all(tried.fields[k] in (tried.keys, tried.keys[:1]) for k in self._keys)
        mentioned = {n.value for n in nodes(obligation) if isinstance(n, Name)}
        self._renamable = (
            [k for k in tried.keys if k != NO_KEY and k not in mentioned] if same and obligation.fixed is None else []
        )

    def inputs(self, sizes: tuple[int, ...]) -> Iterator[Mapping[str, Window]]:
        """Every combination of input windows, of these sizes (those of the windows that are not written out)."""
        names = self._obligation.claim.inputs
        if self._obligation.fixed is None:
            return self._more({}, names, sizes)
        return self._more({names[0]: self._obligation.fixed}, names[1:], sizes)

    def _more(
        self, made: Mapping[str, Window], names: tuple[str, ...], sizes: tuple[int, ...]
    ) -> Iterator[Mapping[str, Window]]:
        if not names:
            if self._in_order(made):
                yield made
            return
        known = tuple(dict.fromkeys(s.id for w in made.values() for s in w.spans))
        links = frozenset(link for w in made.values() for link in w.links if link[0] != COVERS)
        together = {(a.id, b.id) for w in made.values() for a in w.spans for b in w.spans}
        for ids in _identities(known, sizes[0]):
            for window in self._of(ids, links, together):
                yield from self._more({**made, names[0]: window}, names[1:], sizes[1:])

    def _of(
        self, ids: tuple[str, ...], links: frozenset[tuple[str, str, str]], together: Set[tuple[str, str]]
    ) -> Iterator[Window]:
        """The windows of these spans that have the given links between spans that were together before."""
        choices = [[Span(identity, record) for record in self._records] for identity in ids]
        for spans in product(*choices):
            fitting = [
                (link.name, a.id, b.id)
                for link in self._links
                for a in spans
                for b in spans
                if a.id != b.id and link.admits(a.values[TAG], b.values[TAG])
            ]
            settled = frozenset(link for link in links if link[1] in ids and link[2] in ids and link[1:] in together)
            if not settled <= set(fitting):
                continue
            for archived in _subsets(ids) if self._archive else ((),):
                for more in _subsets([link for link in fitting if link[1:] not in together]):
                    yield Window(self._schema, spans, frozenset(archived), settled | frozenset(more))

    def _in_order(self, inputs: Mapping[str, Window]) -> bool:
        """Whether interchangeable keys appear in their order: true of one among inputs that differ by renaming keys."""
        if not self._renamable:
            return True
        seen = dict.fromkeys(str(s.values[k]) for w in inputs.values() for s in w.spans for k in self._keys)
        used = [k for k in seen if k in self._renamable]
        return used == self._renamable[: len(used)]


def _identities(known: tuple[str, ...], size: int) -> Iterator[tuple[str, ...]]:
    """Sequences of so many spans, each a known one or a new one (new ones are interchangeable)."""

    def more(chosen: tuple[str, ...], new: int) -> Iterator[tuple[str, ...]]:
        if len(chosen) == size:
            yield chosen
            return
        for identity in known:
            if identity not in chosen:
                yield from more((*chosen, identity), new)
        fresh = next(name for name in (f"s{n}" for n in count(new)) if name not in known)
        yield from more((*chosen, fresh), int(fresh[1:]) + 1)

    return more((), 1)


def _subsets(items: Sequence[T]) -> Iterator[tuple[T, ...]]:
    """Every subset, small ones first."""
    return chain.from_iterable(combinations(items, n) for n in range(len(items) + 1))
