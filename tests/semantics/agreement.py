"""Holds the symbolic meaning against the interpreter on one case, to whose values the variables are pinned."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from itertools import product
from random import Random

import z3

from selfedit_formal.core.expression import (
    All,
    And,
    Before,
    Compare,
    Equal,
    Expression,
    Implies,
    InSet,
    Linked,
    Not,
    Or,
    Pass,
    Present,
    Reaches,
    SameRecord,
    SameSpan,
    SameWindow,
    Some,
)
from selfedit_formal.core.property import Case, ChoiceKey, Obligation
from selfedit_formal.core.traverse import free
from selfedit_formal.core.window import COVERS, Field, Span, Value, Window
from selfedit_formal.engines.random import draw, interesting
from selfedit_formal.semantics.interpreter import Domain, Evaluation, NoSuchRun, breaks, judge
from selfedit_formal.semantics.reads import reads_archive
from selfedit_formal.semantics.symbolic.decode import Decoder
from selfedit_formal.semantics.symbolic.emit import emit
from selfedit_formal.semantics.symbolic.encoding import Encoding, encode
from selfedit_formal.semantics.symbolic.state import Ref, State
from selfedit_formal.semantics.symbolic.terms import Truth
from selfedit_formal.semantics.symbolic.values import Cell, SymbolicValue, constant_enum, equal
from tests.semantics.generated import Drawn, case, obligation, value

TRUTHS = (All, And, Before, Compare, Equal, Implies, InSet, Linked, Not, Or, Present, Reaches, SameRecord, SameSpan)


class Differs(AssertionError):
    """The two meanings say different things about a case."""


# ---------- pinning


def pins(encoding: Encoding, env: Mapping[str, Ref], case: Case, random: Random) -> list[Truth]:
    """What makes the encoding's variables those of the case. Choices that the case does not make are made at random."""
    world, terms = encoding.world, encoding.world.terms
    found: list[Truth] = []
    for name, window in case.inputs.items():
        found += _pinned_window(encoding, encoding.inputs[name], window)
    for (link, a, b), _ in world.links.items():
        held = any((link, a.id, b.id) in w.links for w in case.inputs.values())
        found.append(terms.iff(terms.variable("bool", "link", link, a.id, b.id), held))
    for parameter, number in case.parameters.items():
        found.append(terms.equal(terms.variable("int", "parameter", parameter), number))
    for key, choice in world.choices.items():
        chosen = case.choices[key] if key in case.choices else value(random, domain(encoding, key))
        found.append(equal(terms, choice.kind, choice.value, symbolic(encoding, choice.kind, chosen)))
    for name, ref in env.items():
        found.append(terms.any(g for e, g in ref.choices if e.id == case.spans.get(name)))
    return found


def _pinned_window(encoding: Encoding, state: State, window: Window) -> Iterator[Truth]:
    terms = encoding.world.terms
    ids = [s.id for s in window.spans]
    elements = {e.id: e for e in state.known}
    for identity, element in elements.items():
        yield terms.iff(state.known[element], identity in ids)
    for i, first in enumerate(ids):
        for second in ids[i + 1 :]:
            yield state.order.before(elements[first], elements[second])
    for span in window.spans:
        element = elements[span.id]
        yield terms.iff(state.present[element], span.id not in window.archived)
        for declared in encoding.world.recorded:
            cell = state.cells[declared.name][element]
            wanted = symbolic(encoding, declared.kind, span.values[declared.name])
            yield equal(terms, declared.kind, cell.value(), wanted)


def symbolic(encoding: Encoding, kind: str, given: Value) -> SymbolicValue:
    """A value of the core as a term."""
    match kind:
        case "key":
            return encoding.world.key(str(given))
        case "enum":
            return constant_enum(str(given))
        case _:
            return given  # type: ignore[return-value]


def domain(encoding: Encoding, key: ChoiceKey) -> Domain:
    """What may be chosen under a key, limits of a statement aside."""
    if not key.field:
        return Domain("bool")
    declared: Field = encoding.world.fields[key.field]
    return Domain(declared.kind, declared.low, declared.high, declared.names)


# ---------- states and truths


def check_states(made: Obligation, given: Case, random: Random) -> bool:
    """Every pass and every closed part of the claim, on this case with choices drawn as the interpreter asks for them.

    False if the case does not exist (then the symbolic meaning must say so too). Raises Differs.
    """
    drawn = Drawn(random)
    evaluation = Evaluation(made, given.inputs, given.parameters, given.spans, drawn)
    claim = made.claim
    parts = [
        p for whole in (claim.premise, claim.antecedent, claim.consequent) for p in closed(whole, set(given.spans))
    ]
    exists, truths = True, list[bool]()
    try:
        truths = [evaluation.truth(p) for p in parts]
    except NoSuchRun:
        exists = False
    full = Case(given.inputs, given.parameters, given.spans, drawn.taken)
    records = evaluation.records() if exists else ()
    encoding = encode(made, tuple(len(w.spans) for w in given.inputs.values()))
    env = dict(encoding.env)
    terms = encoding.world.terms
    elements = {e.id: e for e in encoding.world.given.values()}
    for name, identity in given.spans.items():
        if name not in env or all(e.id != identity for e, _ in env[name].choices):
            env[name] = elements[identity].ref
    said = [encoding.passes.compiler.condition(p)(encoding.scope, env) for p in parts]
    existence = terms.every(encoding.passes.existence(encoding.frame, p, env) for p in parts)
    told = [(r, r.term) for r in records if isinstance(r.term, Pass) and free(r.term) <= set(env)]
    outcomes = [encoding.passes.outcome(encoding.frame, term, env)[0] for _, term in told]
    facts: list[Truth] = [existence, *said]
    for outcome in outcomes:
        for state in (outcome.before, outcome.after):
            facts += [*state.known.values(), *state.present.values(), *state.order.pairs.values(), outcome.refused]
            for name, column in state.cells.items():
                facts += [_read(encoding, name, cell) for cell in column.values()]
    pinned = pins(encoding, env, full, random)
    emitted = emit(terms.grounded([*pinned, *terms.definitions(facts)]))
    solver = z3.SimpleSolver()
    solver.add(list(emitted.constraints))
    if solver.check() != z3.sat:
        raise Differs("no model has the values of the case")
    model = solver.model()
    decoder = Decoder(encoding.world, encoding.assignment(emitted, model))
    if decoder.truth(existence) != exists:
        raise Differs(f"exists: {exists}")
    for part, expected, truth in zip(parts if exists else (), truths, said, strict=exists):
        if decoder.truth(truth) != expected:
            raise Differs(f"{part} is {expected}")
    for (record, _), outcome in zip(told, outcomes, strict=True):
        if decoder.truth(outcome.refused) != (record.refused is not None):
            raise Differs(f"{record.term} refused: {record.refused}")
        for state, window in ((outcome.before, record.before), (outcome.after, record.after)):
            _same(decoder, state, window, f"{record.term}")
    return exists


def _read(encoding: Encoding, name: str, cell: Cell) -> Truth:
    """Some truth that reads the cell, so that all of its choices are made."""
    kind = encoding.world.fields[name].kind
    return equal(encoding.world.terms, kind, cell.value(), encoding.world.zero(kind))


def _same(decoder: Decoder, state: State, window: Window, what: str) -> None:
    known = decoder.ordered(state, [e for e, t in state.known.items() if decoder.truth(t)])
    if [e.id for e in known] != [s.id for s in window.spans]:
        raise Differs(f"{what} knows {[s.id for s in window.spans]}, not {known}")
    for element, span in zip(known, window.spans, strict=True):
        if decoder.truth(state.present[element]) != (span.id not in window.archived):
            raise Differs(f"{what}: {span.id} is present: {span.id not in window.archived}")
        if element.created != (span.id in window.fresh):
            raise Differs(f"{what}: {span.id} is created: {span.id in window.fresh}")
        record = decoder.record(state, element)
        for name, given in record.items():
            if span.values[name] != given:
                raise Differs(f"{what}: {span.id}.{name} is {span.values[name]}, not {given}")
    covers = {(a.id, b.id) for (a, b), truth in state.covers.items() if decoder.truth(truth)}
    if covers != {link[1:] for link in window.links if link[0] == COVERS}:
        raise Differs(f"{what} covers {covers}")


def closed(node: object, names: set[str]) -> Iterator[Expression]:
    """The truths in a claim that mention only these spans."""
    if isinstance(node, tuple):
        for item in node:
            yield from closed(item, names)
    elif is_dataclass(node):
        if isinstance(node, (*TRUTHS, Some, SameWindow)) and free(node) <= names:
            yield node
        for f in fields(node):
            yield from closed(getattr(node, f.name), names)


# ---------- the verdict on a case


def check_verdict(made: Obligation, given: Case, random: Random) -> bool:
    """Whether the case breaks the claim with some bound spans, by both meanings. Raises Differs."""
    encoding = encode(made, tuple(len(w.spans) for w in given.inputs.values()))
    chosen = dict(given.spans)
    choices: Mapping[ChoiceKey, Value] = {
        key: given.choices.get(key, value(random, domain(encoding, key))) for key in encoding.world.choices
    }
    everyone = [e.id for e in encoding.world.given.values()]
    inserted = sorted({key.span for key in choices} - set(everyone))
    picked = [b.variable for b in made.claim.bound if b.variable in encoding.env]
    if picked:
        # Windows depend on these: the encoding has one of them at a time.
        chosen |= {name: given.spans[name] for name in picked}
    rest = [b.variable for b in made.claim.bound if b.variable not in encoding.env]
    full = Case(given.inputs, given.parameters, chosen, choices)
    candidates = product([*everyone, *inserted, *_created(encoding)], repeat=len(rest))
    expected = any(
        breaks(made, Case(given.inputs, given.parameters, {**chosen, **dict(zip(rest, ids, strict=True))}, choices))
        for ids in candidates
    )
    terms = encoding.world.terms
    truths = terms.grounded([*encoding.truths, *pins(encoding, encoding.env, full, random)])
    solver = z3.SimpleSolver()
    emitted = emit(truths)
    solver.add(list(emitted.constraints))
    answer = solver.check()
    if (answer == z3.sat) != expected:
        raise Differs(f"broken: {expected}")
    if expected:
        decoded = encoding.case(encoding.assignment(emitted, solver.model()))
        if not breaks(made, decoded):
            raise Differs(f"the case of the model does not break the claim: {judge(made, decoded)}")
    return expected


def _created(encoding: Encoding) -> list[str]:
    return [e.id for e in encoding.world.made.values()]


# ---------- examples


def example(random: Random, inputs: int = 1) -> tuple[Obligation, Case]:
    """An obligation and a case of it (or nearly one: its bound spans may not be where they must)."""
    while True:
        made = obligation(random, inputs)
        drawn = case(random, made, 4 if inputs == 1 else 3)
        ids = [s.id for w in drawn.inputs.values() for s in w.spans]
        if len(drawn.spans) == len(made.spans) and (ids or not made.claim.bound):
            break
    spans = {b.variable: ids[random.randrange(len(ids))] for b in made.claim.bound}
    return made, replace(drawn, spans={**drawn.spans, **spans})


def difference(seeds: Iterable[int], about: Callable[[Obligation], bool] | None = None) -> str | None:
    """What the two meanings first say differently about the examples with these seeds.

    `about`: only examples whose obligation is such a one.
    """
    for seed in seeds:
        random = Random(seed)
        made, drawn = example(random, 2 if seed % 8 == 7 else 1)
        if about is not None and not about(made):
            continue
        try:
            check_states(made, drawn, random)
            check_verdict(made, drawn, random)
        except Differs as differs:
            return f"seed {seed}: {differs}"
    return None


def at_random(made: Obligation, most: int, random: Random) -> Case | None:
    """A random case without choices, its spans called as an encoding calls them; None if none fits what it asks for."""
    drawn = draw(made, most, random, interesting(made), reads_archive(made))
    if drawn is None:
        return None
    ids = dict.fromkeys(s.id for w in drawn.inputs.values() for s in w.spans)
    called = {identity: f"s{number}" for number, identity in enumerate(ids, 1)}
    inputs = {
        name: Window(
            w.schema,
            tuple(Span(called[s.id], s.values) for s in w.spans),
            frozenset(called[s] for s in w.archived),
            frozenset((link, called[a], called[b]) for link, a, b in w.links),
        )
        for name, w in drawn.inputs.items()
    }
    spans = {name: called[s] for name, s in drawn.spans.items() if name in made.spans}
    return replace(drawn, inputs=inputs, spans=spans, choices={})
