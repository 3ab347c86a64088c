"""A query or a scan pinned to one case: whether it finds the claim broken there.

Every run on every window is a run of the scan (NOTE(over-approximation) in `compiler`), so of a case that breaks the
claim it must say so. What does not is wrong, and so is whatever it proved.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import inf

import z3

from selfedit_formal.core.budget import MILLION, Work
from selfedit_formal.core.property import Case, ChoiceKey, Obligation
from selfedit_formal.core.window import NO_KEY, Field, Span, Value
from selfedit_formal.engines.unbounded.compiler import ElementView, Mode, Query, Scan, compile_query, compile_scan
from selfedit_formal.engines.unbounded.flatten import Made
from selfedit_formal.engines.unbounded.ir import Born, Chosen, Element, Fact, Joined, Stays, Way
from selfedit_formal.engines.unbounded.terms import (
    FALSE,
    TRUE,
    choice,
    conjunction,
    disjunction,
    equality,
    implication,
    negation,
)
from selfedit_formal.engines.unbounded.unroll import Numbered
from selfedit_formal.semantics.interpreter import taken
from selfedit_formal.semantics.symbolic.solver import ask, fresh

STEPS = 4 * MILLION
"""Solver steps for each question, and for what is compiled."""


def admits(obligation: Obligation, mode: Mode, case: Case, end: float = inf) -> bool:
    """Whether what is compiled from the obligation finds its claim broken on the case, as far as the solver can tell:
    False only if it says that it is not. The claim has one input. Raises `Outside`, `Spent`, and `OutOfTime` at the end
    (monotonic).

    Spans and choices of the case that the obligation does not speak of are left out; those that it speaks of and that
    are not in the case are left open.
    """
    with fresh():
        if not mode.scan:
            query = compile_query(obligation, mode, work=Work(STEPS, end))
            return _satisfiable([query.formula, *_PinnedQuery(obligation, query, case).conditions()], end)
        scan = compile_scan(obligation, mode, work=Work(STEPS, end))
        pinned = _PinnedScan(obligation, scan, case, mode.direction == "newest")
        return any(_satisfiable(pinned.conditions(extra), end) for extra in range(len(scan.trace.fresh) + 1))


def _satisfiable(conditions: list[z3.BoolRef], end: float) -> bool:
    solver = z3.SimpleSolver()
    solver.add(conditions)
    return bool(ask(solver, Work(STEPS, end)) != z3.unsat)


class _Pinned:
    """What a case says of elements, parameters and choices, in Z3's terms."""

    def __init__(self, obligation: Obligation, case: Case, compiled: Query | Scan) -> None:
        self.obligation, self.case = obligation, case
        self.trace, self.compiled = compiled.trace, compiled
        (self.window,) = case.inputs.values()
        self.choices = {**taken(obligation, case), **case.choices}
        self.keys: dict[Value, int] = {NO_KEY: 0}
        self.fields = {f.name: f for f in obligation.schema.fields}
        self.made: dict[str, Element] = {made.span: mark for mark, made in self.trace.fresh.items()}

    def given(self) -> Iterator[z3.BoolRef]:
        """The parameters, and which of the spans come that may."""
        for name, value in self.case.parameters.items():
            if name in self.compiled.parameters:
                yield equality(self.compiled.parameters[name], z3.IntVal(value))
        for mark, made in self.trace.fresh.items():
            key = ChoiceKey(made.run, made.site, made.span, "")
            if (made.run, made.site) in self.compiled.coming and key in self.choices:
                assert mark in self.trace.fresh
                yield equality(self.compiled.coming[made.run, made.site], z3.BoolVal(bool(self.choices[key])))

    def of_span(self, span: Span, facts: Mapping[Fact, z3.ExprRef]) -> Iterator[z3.BoolRef]:
        """What is so of an element that is this span of the window."""
        for fact, term in facts.items():
            match fact:
                case Born(name) if name in span.values:
                    yield equality(term, self.encoded(self.fields[name], span[name]))
                case Stays():
                    yield equality(term, z3.BoolVal(span.id not in self.window.archived))
                case Chosen(run, site, name):
                    yield from self.chosen(ChoiceKey(run, site, span.id, name), term)
                case _:
                    pass

    def of_made(self, made: Made, facts: Mapping[Fact, z3.ExprRef]) -> Iterator[z3.BoolRef]:
        """What is so of an element that a statement puts in."""
        for fact, term in facts.items():
            match fact:
                case Born(name):
                    yield from self.chosen(ChoiceKey(made.run, made.site, made.span, name), term)
                case Chosen(run, site, name):
                    yield from self.chosen(ChoiceKey(run, site, made.span, name), term)
                case _:
                    pass

    def chosen(self, key: ChoiceKey, term: z3.ExprRef) -> Iterator[z3.BoolRef]:
        if key in self.choices:
            value = self.choices[key]
            yield equality(term, self.encoded(self.fields[key.field], value) if key.field else z3.BoolVal(bool(value)))

    def encoded(self, declared: Field, value: Value) -> z3.ExprRef:
        match declared.kind:
            case "bool":
                return z3.BoolVal(bool(value))
            case "int":
                return z3.IntVal(int(value))
            case "enum":
                return z3.IntVal(self.trace.codes[str(value)])
            case "key":
                return z3.IntVal(self.keys.setdefault(value, len(self.keys)))

    def linked(self, way: Way, source: z3.ArithRef, target: z3.ArithRef) -> z3.BoolRef:
        """The link leads from the span with the one number to that with the other."""
        number = {span.id: i for i, span in enumerate(self.window.spans)}
        return disjunction(
            [
                conjunction((source == number[a], target == number[b]))
                for name, a, b in sorted(self.window.links)
                if name == way.link
            ]
        )

    def bound(self) -> Iterator[tuple[Element, str]]:
        """The marks of the claim's bound spans and a plan's, each with the id of what it is in the case."""
        for name, mark in self.trace.spans.items():
            if name in self.case.spans:
                yield mark, self.case.spans[name]


class _PinnedScan(_Pinned):
    def __init__(self, obligation: Obligation, scan: Scan, case: Case, newest_first: bool) -> None:
        super().__init__(obligation, case, scan)
        self.scan, self.numbered = scan, Numbered(scan.rigid)
        numbers = range(len(self.window.spans))
        self.first_to_last = list(reversed(numbers) if newest_first else numbers)

    def conditions(self, extra: int) -> list[z3.BoolRef]:
        """The scan over the window's spans and so many more, which are put in."""
        scan, numbered, spans = self.scan, self.numbered, self.window.spans
        length = len(spans) + extra
        found = [*self.given(), numbered(scan.init, 0), numbered(scan.units, 0), numbered(scan.fin, length)]
        passed: z3.ArithRef = z3.IntVal(0)
        numbers: list[z3.ArithRef] = []
        for i in range(length):
            found.append(numbered(scan.step, i))
            for v in scan.state:
                if v.decl().name() not in scan.rigid:
                    found.append(numbered(v, i + 1) == numbered(scan.next[v], i))
            fresh = {mark: numbered(scan.places[mark], i) for mark in self.trace.fresh}
            put_in = disjunction(list(fresh.values()))
            facts = {fact: numbered(term, i) for fact, term in scan.element.items()}
            for turn, number in enumerate(self.first_to_last):
                here = conjunction((negation(put_in), passed == turn))
                found += [implication(here, c) for c in self.of_span(spans[number], facts)]
            for mark, place in fresh.items():
                found += [implication(place, c) for c in self.of_made(self.trace.fresh[mark], facts)]
            number = self._number(passed, put_in)
            numbers.append(number)
            for mark, span in self.bound():
                found += self._stands(mark, span, i, number, fresh)
            passed = choice(put_in, passed, passed + 1)
        found.append(passed == len(spans))
        found += self._links(numbers)
        return found

    def _number(self, passed: z3.ArithRef, put_in: z3.BoolRef) -> z3.ArithRef:
        """The number of the window's span that stands here; -1 if none does."""
        number: z3.ExprRef = z3.IntVal(-1)
        for turn, which in enumerate(self.first_to_last):
            number = choice(passed == turn, z3.IntVal(which), number)
        return choice(put_in, z3.IntVal(-1), number)

    def _stands(
        self, mark: Element, span: str, i: int, number: z3.ArithRef, fresh: Mapping[Element, z3.BoolRef]
    ) -> Iterator[z3.BoolRef]:
        place = self.numbered(self.scan.places[mark], i)
        which = next((n for n, s in enumerate(self.window.spans) if s.id == span), None)
        if which is not None:
            yield equality(place, number == which)
        elif span in self.made:
            yield equality(place, fresh[self.made[span]])

    def _links(self, numbers: list[z3.ArithRef]) -> Iterator[z3.BoolRef]:
        for fact, term in self.scan.element.items():
            if not isinstance(fact, Joined) or fact.way.version is not None:
                continue
            for j, there in enumerate(numbers):
                placed = self.numbered(self.scan.places[fact.other], j)
                for i, here in enumerate(numbers):
                    ends = (here, there) if fact.forth else (there, here)
                    both = conjunction((placed, here >= 0, there >= 0)) if i != j else FALSE
                    yield implication(both, equality(self.numbered(term, i), self.linked(fact.way, *ends)))


class _PinnedQuery(_Pinned):
    def __init__(self, obligation: Obligation, query: Query, case: Case) -> None:
        super().__init__(obligation, case, query)
        self.query = query
        # No name that a counter makes has a space.
        self.places = [z3.Int(f"span {i}") for i in range(len(self.window.spans))]
        self.numbers = {mark: z3.Int(f"number {mark.number}") for mark in query.views}

    def conditions(self) -> list[z3.BoolRef]:
        """Each mark is one of the window's spans, or one that is put in."""
        query = self.query
        found = [*self.given(), *(a < b for a, b in zip(self.places, self.places[1:], strict=False))]
        for mark, view in query.views.items():
            if mark in query.positions:
                found.append(implication(query.on[mark], conjunction(list(self._stands(mark, view)))))
        for mark, span in self.bound():
            found += self._is(mark, span)
        for (way, source, target), related in query.related.items():
            if way.version is None:
                a, b = self.numbers[source], self.numbers[target]
                both = conjunction((query.on[source], query.on[target], a >= 0, b >= 0))
                found.append(implication(both, equality(related, self.linked(way, a, b))))
        return found

    def _stands(self, mark: Element, view: ElementView) -> Iterator[z3.BoolRef]:
        position, number = self.query.positions[mark], self.numbers[mark]
        fresh = disjunction([view.fresh[m] for m in view.fresh])
        yield number >= -1
        yield number < len(self.places)
        yield equality(fresh, number == -1)
        for i, place in enumerate(self.places):
            yield equality(number == i, position == place)
            yield from (implication(number == i, c) for c in self.of_span(self.window.spans[i], view.base))
        for made, is_made in view.fresh.items():
            yield from (implication(is_made, c) for c in self.of_made(self.trace.fresh[made], view.base))

    def _is(self, mark: Element, span: str) -> Iterator[z3.BoolRef]:
        if mark not in self.query.positions:
            return
        which = next((i for i, s in enumerate(self.window.spans) if s.id == span), None)
        if which is not None:
            yield self.numbers[mark] == which
        elif span in self.made:
            yield self.query.views[mark].fresh.get(self.made[span], TRUE)
