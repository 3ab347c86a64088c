"""Long counterexamples: the scan's own steps, written out one after another (linear in the length, no quantifier is
expanded).

The scan is an over-approximation, so what it finds is only a candidate: the interpreter decides.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping

import z3

from selfedit_formal.core.budget import Work
from selfedit_formal.core.property import Case, ChoiceKey, Obligation
from selfedit_formal.core.window import NO_KEY, TAG, Field, Span, Value, Window, nearest_to_zero, zero
from selfedit_formal.engines.unbounded.compiler import Scan
from selfedit_formal.engines.unbounded.ir import Born, Chosen, Element, Fact, Joined, Stays, Way
from selfedit_formal.engines.unbounded.terms import constants, disjunction
from selfedit_formal.semantics.interpreter import breaks
from selfedit_formal.semantics.symbolic.solver import ask

LENGTH = 4_000
"""Solver steps that take as long as writing one step of the scan out."""
CANDIDATE = 60_000
"""Those that take as long as reading a candidate and asking the interpreter about it."""


def search(obligation: Obligation, scan: Scan, newest_first: bool, longest: int, work: Work) -> Case | None:
    """A case of at most `longest` elements that breaks the claim, the interpreter agreeing; None if there is none, or
    none was found with so much work. Raises `OutOfTime`."""
    solver = z3.Solver()
    numbered = Numbered(scan.rigid)
    solver.add(numbered(scan.init, 0))
    for length in range(longest + 1):
        solver.push()
        solver.add(numbered(scan.fin, length))
        for filler in _fillers(obligation, scan, numbered, length):
            work.took(LENGTH)
            if work.left <= 0:
                return None
            answer = ask(solver, work, *filler)
            if answer == z3.unknown:
                return None
            if answer == z3.unsat and not filler:
                break
            if answer == z3.unsat:
                continue
            work.took(CANDIDATE)
            model = solver.model()
            case = _decode(obligation, scan, model, numbered, length, newest_first)
            if case is not None and breaks(obligation, case):
                return case
        solver.pop()
        solver.add(numbered(scan.step, length))
        for v in scan.state:
            if v.decl().name() not in scan.rigid:
                solver.add(numbered(v, length + 1) == numbered(scan.next[v], length))
    return None


class Numbered:
    """Copies of a scan's formulas, one for each place of a window of known length.

    A scan speaks of the span that it is at. Its copy for place 3 says the same of the span at place 3: each constant
    that belongs to a span becomes one with the number behind its name. `rigid` constants, which are the same at every
    place (parameters, and which spans the marks stand for), keep theirs.
    """

    def __init__(self, rigid: Collection[str]) -> None:
        self.rigid = rigid
        self.found: dict[int, list[z3.ExprRef]] = {}

    def __call__(self, formula: z3.ExprRef, number: int) -> z3.ExprRef:
        key = formula.get_id()
        if key not in self.found:
            self.found[key] = [c for name, c in constants(formula).items() if name not in self.rigid]
        # No name that a counter makes has a space.
        changes = [(c, z3.Const(f"{c.decl().name()} {number}", c.sort())) for c in self.found[key]]
        return z3.substitute(formula, changes) if changes else formula


def _fillers(obligation: Obligation, scan: Scan, numbered: Numbered, length: int) -> Iterator[list[z3.BoolRef]]:
    """Ways of looking for a candidate: any; and for each tag, one whose spans that do not matter have that tag, which
    may do no harm where the scan looks at those that matter only."""
    tag = scan.element.get(Born(TAG))
    yield []
    if tag is not None:
        for name in (scan.trace.codes[n] for n in obligation.schema.field(TAG).names):
            matters = [[numbered(place, i) for place in scan.places.values()] for i in range(length)]
            yield [disjunction([*marks, numbered(tag, i) == name]) for i, marks in enumerate(matters)]


def _decode(
    obligation: Obligation, scan: Scan, model: z3.ModelRef, numbered: Numbered, length: int, newest_first: bool
) -> Case | None:
    def at(value: z3.ExprRef, i: int) -> z3.ExprRef:
        return model.eval(numbered(value, i), model_completion=True)

    spans: list[Span] = []
    archived, links = set[str](), set[tuple[str, str, str]]()
    choices: dict[ChoiceKey, Value] = {}
    ids: dict[int, str] = {}
    marked: dict[Element, int] = {}
    meant = {number: name for name, number in scan.trace.codes.items()}
    order = range(length - 1, -1, -1) if newest_first else range(length)
    for i in order:
        marks = [m for m, place in scan.places.items() if z3.is_true(at(place, i))]
        marked |= dict.fromkeys(marks, i)
        made = next((scan.trace.fresh[m] for m in marks if m in scan.trace.fresh), None)
        values = {f.name: _field(f, scan.element, meant, i, at) for f in obligation.schema.fields}
        if made is not None:
            ids[i] = made.span
            choices |= {ChoiceKey(made.run, made.site, made.span, name): value for name, value in values.items()}
            choices[ChoiceKey(made.run, made.site, made.span, "")] = True
        else:
            ids[i] = f"s{len(spans) + 1}"
            spans.append(Span(ids[i], values))
            if Stays() in scan.element and z3.is_false(at(scan.element[Stays()], i)):
                archived.add(ids[i])
        for fact, term in scan.element.items():
            if isinstance(fact, Chosen):
                chosen = obligation.schema.field(fact.field) if fact.field else None
                choices[ChoiceKey(fact.run, fact.site, ids[i], fact.field)] = _value(at(term, i), chosen, meant)
    for fact, term in scan.element.items():
        if isinstance(fact, Joined) and fact.way == Way(fact.way.link) and fact.other in marked:
            i = marked[fact.other]
            for j in range(length):
                if i != j and z3.is_true(at(term, j)):
                    ends = (ids[j], ids[i]) if fact.forth else (ids[i], ids[j])
                    links.add((fact.way.link, *ends))
    known = {s.id for s in spans}
    links = {k for k in links if k[1] in known and k[2] in known and _fits(obligation, spans, k)}
    window = Window(obligation.schema, tuple(spans), frozenset(archived), frozenset(links))
    if any(mark not in marked for mark in scan.trace.spans.values()):
        return None
    parameters = {
        p.name: model.eval(scan.parameters[p.name], model_completion=True).as_long() for p in obligation.parameters
    }
    bound = {name: ids[marked[mark]] for name, mark in scan.trace.spans.items()}
    return Case({obligation.claim.inputs[0]: window}, parameters, bound, choices)


def _fits(obligation: Obligation, spans: list[Span], link: tuple[str, str, str]) -> bool:
    declared = next(k for k in obligation.schema.links if k.name == link[0])
    tags = {s.id: s["tag"] for s in spans}
    return declared.admits(tags[link[1]], tags[link[2]])


def _field(
    field: Field,
    element: Mapping[Fact, z3.ExprRef],
    meant: Mapping[int, str],
    i: int,
    at: Callable[[z3.ExprRef, int], z3.ExprRef],
) -> Value:
    if Born(field.name) in element:
        return _value(at(element[Born(field.name)], i), field, meant)
    match field.kind:
        case "enum":
            return field.names[0]
        case "int":
            return nearest_to_zero(field.low, field.high)
        case "bool" | "key":
            return zero(field.kind)


def _value(value: z3.ExprRef, field: Field | None, meant: Mapping[int, str]) -> Value:
    """The value of the field; without one, a truth value."""
    if field is None or field.kind == "bool":
        return bool(z3.is_true(value))
    number = int(value.as_long())
    match field.kind:
        case "enum":
            return meant.get(number, field.names[0])
        case "key":
            return NO_KEY if number == 0 else f"k{number}"
        case "int":
            return number
