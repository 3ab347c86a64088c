"""An obligation's negated claim as constraints over so many input spans, and a solver's model of them as a case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import z3

from selfedit_formal.core.expression import And, Expression, Not, Some, WindowTerm
from selfedit_formal.core.property import Bound, Case, Claim, Obligation
from selfedit_formal.core.traverse import free
from selfedit_formal.core.window import COVERS, TAG, Field, Link, Value, Window
from selfedit_formal.semantics.reads import reads_archive, windows
from selfedit_formal.semantics.symbolic.counters import Tally
from selfedit_formal.semantics.symbolic.decode import Decoder, constant
from selfedit_formal.semantics.symbolic.emit import Emitted, emit, text
from selfedit_formal.semantics.symbolic.passes import Passes
from selfedit_formal.semantics.symbolic.state import Order, Ref, Slot, State, has
from selfedit_formal.semantics.symbolic.terms import Assignment, Truth, Valuation
from selfedit_formal.semantics.symbolic.values import Cell, Enum, SymbolicValue, constant_enum, enum_variable
from selfedit_formal.semantics.symbolic.world import Frame, Scope, World, within


class Encoding:
    """Satisfiable if and only if a case with inputs of these sizes breaks the claim.

    `truths` says so in terms; `constraints` in Z3's (existence of the runs, premise, antecedent, and not the
    consequent).
    """

    def __init__(self, obligation: Obligation, sizes: tuple[int, ...], least: tuple[int, ...] | None = None) -> None:
        self.obligation = obligation.plain()
        self.sizes = sizes
        self.least = sizes if least is None else least
        self.world = World(obligation)
        self.passes = Passes(self.world)
        self.inputs = _inputs(self.world, sizes, self.least)
        self.frame = Frame(self.world.serial(), self.inputs)
        self.scope = Scope(self.frame.serial, self.frame)
        self.env: dict[str, Ref] = {}
        self._spread: tuple[Bound, ...] = ()
        self.truths = tuple(self.world.terms.grounded(self._constraints(obligation.claim)))
        self._emitted: Emitted | None = None

    @property
    def emitted(self) -> Emitted:
        """The constraints in Z3."""
        if self._emitted is None:
            self._emitted = emit(self.truths)
        return self._emitted

    @property
    def constraints(self) -> list[z3.BoolRef]:
        return list(self.emitted.constraints)

    def at_most(self, spans: int) -> z3.BoolRef:
        """The inputs have no more than so many spans together."""
        known = [truth for state in self.inputs.values() for truth in state.known.values()]
        many = Tally(self.world.terms, known).at_least(spans + 1, len(known))
        return z3.And(*emit([self.world.terms.no(many)]).constraints)

    # ---------- the negated claim

    def _constraints(self, claim: Claim) -> list[Truth]:
        world, passes, terms = self.world, self.passes, self.world.terms
        facts = _plan(world, self.inputs)
        self.env.update(world.plan)
        facts += [
            within(terms, terms.variable("int", "parameter", p.name), p.low, p.high)
            for p in world.obligation.parameters
        ]
        picked = _read_by_windows(claim)
        spread: list[Bound] = []
        for bound in claim.bound:
            view = passes.view(self.frame, bound.window, self.env)
            facts.append(view.exists)
            if bound.variable in picked:
                self.env[bound.variable] = _any_of(world, [*view.state.known], "bound", bound.variable)
                facts.append(has(terms, view.state, self.env[bound.variable]))
            else:
                spread.append(bound)
        self._spread = tuple(spread)
        parts = (claim.premise, claim.antecedent, claim.consequent)
        facts += [passes.existence(self.frame, part, self.env) for part in parts]
        facts.append(self.truth(claim.premise))
        facts.append(self.truth(_spread(self._spread, _broken(claim))))
        return facts + world.facts + world.lemmas()

    def truth(self, expression: Expression, env: Mapping[str, Ref] | None = None) -> Truth:
        """The truth of an expression of the claim, which may speak of the spans of `env` too."""
        spans = env or {}
        return self.passes.compiler.condition(expression, *sorted(spans))(self.scope, {**self.env, **spans})

    def state(self, window: WindowTerm) -> State:
        """The window that a term of the claim stands for."""
        return self.passes.view(self.frame, window, self.env).state

    # ---------- from a model to a case

    def decode(self, model: z3.ModelRef) -> Case:
        """The case that the model describes. Raises ValueError if it is none of the constraints' models."""
        return self.case(self.assignment(self.emitted, model))

    @staticmethod
    def assignment(emitted: Emitted, model: z3.ModelRef) -> Assignment:
        """The values of the variables."""
        return {n: constant(model.eval(term, model_completion=True)) for n, term in emitted.variables.items()}

    def case(self, assignment: Assignment) -> Case:
        """The case that the values of the variables describe."""
        return Decoder(self.world, assignment).case(self.inputs, self._spans(assignment))

    def _spans(self, assignment: Assignment) -> dict[str, str]:
        """What the claim's bound variables and a plan's spans stand for."""
        value = Valuation(assignment)
        spans: dict[str, str] = {}
        env = dict(self.env)
        for name, ref in env.items():
            spans.update((name, e.id) for e, guard in ref.choices if value(guard))
        for i, bound in enumerate(self._spread):
            rest = _spread(self._spread[i + 1 :], _broken(self.obligation.claim))
            body = self.passes.compiler.condition(rest, *(b.variable for b in self._spread[: i + 1]))
            for element, present in self.state(bound.window).present.items():
                env[bound.variable] = element.ref
                if present is not False and value(present) and value(body(self.scope, env)):
                    spans[bound.variable] = element.id
                    break
            else:
                raise ValueError(f"no span for `{bound.variable}`: not a model of these constraints")
        return spans


def encode(obligation: Obligation, sizes: tuple[int, ...], least: tuple[int, ...] | None = None) -> Encoding:
    """The obligation over inputs of exactly these many spans each, archived ones included.

    With `least`, over inputs of any number of spans from that up to the size. With a written-out window the first size
    is that window's, whatever is said here.
    """
    return Encoding(obligation, sizes, least)


def smt2(obligation: Obligation, spans: int) -> str:
    """The query for inputs of so many spans each as standard SMT-LIB 2.

    Sat if and only if one of them breaks the claim.
    """
    encoding = encode(obligation, (spans,) * len(obligation.claim.inputs))
    return query(encoding)


def query(encoding: Encoding) -> str:
    """The encoding's constraints as SMT-LIB 2."""
    obligation = encoding.obligation
    comments = {
        "source": f"selfedit_formal: {obligation.name}",
        "property": obligation.property,
        "spans": ", ".join(
            str(most) if least == most else f"{least} to {most}"
            for least, most in zip(encoding.least, encoding.sizes, strict=True)
        ),
    }
    return text(encoding.truths, comments)


# ---------- the claim


def _read_by_windows(claim: Claim) -> frozenset[str]:
    """The variables that windows of the claim depend on."""
    return frozenset[str]().union(*(free(term) for term, _ in windows(claim)))


def _broken(claim: Claim) -> Expression:
    return And((claim.antecedent, Not(claim.consequent)))


def _spread(bound: Sequence[Bound], body: Expression) -> Expression:
    for b in reversed(bound):
        body = Some(b.variable, b.window, body)
    return body


def _any_of(world: World, elements: list[Slot], *name: object) -> Ref:
    """One of the elements, left open."""
    if not elements:
        return Ref(())
    chosen = enum_variable(world.terms, tuple(e.id for e in elements), name)
    return Ref([(e, chosen.test(e.id)) for e in elements])


def _plan(world: World, inputs: Mapping[str, State]) -> list[Truth]:
    """Gives a plan's spans their meaning; what must hold of them."""
    obligation, terms = world.obligation, world.terms
    if not obligation.spans:
        return []
    if obligation.fixed is not None:
        world.plan.update({s: world.given[s].ref for s in obligation.spans if s in world.given})
        return [all(s in world.given for s in obligation.spans)]
    first = inputs[obligation.claim.inputs[0]]
    world.plan.update({s: _any_of(world, [*first.known], "plan", s) for s in obligation.spans})
    refs = [world.plan[s] for s in obligation.spans]
    distinct = [
        terms.no(terms.any(terms.both(g, h) for e, g in a.choices for f, h in b.choices if e is f))
        for i, a in enumerate(refs)
        for b in refs[i + 1 :]
    ]
    return [*(has(terms, first, ref) for ref in refs), *distinct]


# ---------- inputs


def _inputs(world: World, sizes: tuple[int, ...], least: tuple[int, ...]) -> dict[str, State]:
    obligation, terms = world.obligation, world.terms
    inputs: dict[str, State] = {}
    fixed_links: frozenset[tuple[str, str, str]] = frozenset()
    for index, (name, size, low) in enumerate(zip(obligation.claim.inputs, sizes, least, strict=True)):
        if index == 0 and obligation.fixed is not None:
            inputs[name] = _written(world, obligation.fixed)
            fixed_links = obligation.fixed.links
        elif index == 0:
            inputs[name] = _open(world, name, size, low)
        else:
            inputs[name] = _overlapping(world, name, size, low)
        if not (index == 0 and obligation.fixed) and not all(map(world.admits_some, world.recorded)):
            world.facts += [terms.no(known) for known in inputs[name].known.values()]
    _link(world, inputs, fixed_links, obligation.claim.inputs[0] if obligation.fixed is not None else None)
    return inputs


def _new(world: World, size: int) -> tuple[Slot, ...]:
    """So many spans that no input has so far."""
    start = sum(not e.created for e in world.given.values())
    fresh: list[Slot] = []
    while len(fresh) < size:
        start += 1
        if f"s{start}" not in world.given:
            fresh.append(Slot(f"s{start}", created=False))
    world.given.update({e.id: e for e in fresh})
    return tuple(fresh)


def _open(world: World, name: str, size: int, least: int) -> State:
    """Any window of so many spans, the last of which may be missing."""
    elements = _new(world, size)
    terms = world.terms
    known: dict[Slot, Truth] = {
        e: i < least or terms.variable("bool", "known", name, e.id) for i, e in enumerate(elements)
    }
    world.facts += [terms.implies(known[b], known[a]) for a, b in pairwise(elements)]
    return State(
        order=Order(elements, {}),
        known=known,
        present=_presence(world, name, known),
        cells=_open_cells(world, name, elements),
        covers={},
        rescored={},
    )


def _presence(world: World, name: str, known: Mapping[Slot, Truth]) -> dict[Slot, Truth]:
    if not reads_archive(world.obligation):
        return dict(known)
    terms = world.terms
    return {e: terms.both(k, terms.no(terms.variable("bool", "archived", name, e.id))) for e, k in known.items()}


def _open_cells(world: World, name: str, elements: Sequence[Slot]) -> dict[str, dict[Slot, Cell]]:
    def cell(field: Field, element: Slot) -> Cell:
        return Cell(lambda: world.variable(field, "field", name, element.id, field.name))

    return {f.name: {e: cell(f, e) for e in elements} for f in world.recorded}


def _written(world: World, window: Window) -> State:
    """The window, constant throughout."""
    elements = {s.id: Slot(s.id, created=s.id in window.fresh) for s in window.spans}
    world.given.update(elements)

    def cell(field: Field, value: Value) -> Cell:
        symbolic = _symbolic(world, field, value)
        return Cell(lambda: symbolic)

    return State(
        order=Order(tuple(elements.values()), {}),
        known=dict.fromkeys(elements.values(), True),
        present={e: i not in window.archived for i, e in elements.items()},
        cells={f.name: {elements[s.id]: cell(f, s.values[f.name]) for s in window.spans} for f in world.recorded},
        covers={(elements[a], elements[b]): True for link, a, b in window.links if link == COVERS},
        rescored={},
    )


def _symbolic(world: World, field: Field, value: Value) -> SymbolicValue:
    if field.kind == "enum":
        return constant_enum(str(value))
    return world.key(str(value)) if field.kind == "key" else value  # type: ignore[return-value]


def _overlapping(world: World, name: str, size: int, least: int) -> State:
    """Any window of so many spans, some of which may be spans of the inputs before it, in any order.

    NOTE(shared spans): two input windows may have spans in common, with different records, in another order. So a
    second window knows any of the spans that came before, and fills up with new ones.
    """
    terms = world.terms
    shared = tuple(world.given.values())
    own = _new(world, size)
    known: dict[Slot, Truth] = {e: terms.variable("bool", "known", name, e.id) for e in (*shared, *own)}
    # New spans are used from the first on, and stand in that order: which is which makes no difference.
    facts = [terms.implies(known[b], known[a]) for a, b in pairwise(own)]
    tally = Tally(terms, list(known.values()))
    facts += [tally.at_least(least, len(known)), terms.no(tally.at_least(size + 1, len(known)))]
    pairs: dict[tuple[Slot, Slot], Truth] = {}
    everyone = (*shared, *own)
    for i, e in enumerate(everyone):
        for f in everyone[i + 1 :]:
            if e not in own:
                ahead = terms.variable("bool", "before", name, e.id, f.id)
                pairs[e, f], pairs[f, e] = ahead, terms.no(ahead)
    order = Order(own, pairs)
    for a in everyone:
        for b in everyone:
            for c in everyone:
                if a is not b and b is not c and a is not c:
                    facts.append(terms.implies(terms.both(order.before(a, b), order.before(b, c)), order.before(a, c)))
    world.facts += facts
    return State(
        order=order,
        known=known,
        present=_presence(world, name, known),
        cells=_open_cells(world, name, everyone),
        covers={},
        rescored={},
    )


def _link(
    world: World, inputs: Mapping[str, State], fixed: frozenset[tuple[str, str, str]], written: str | None
) -> None:
    """Says which links hold.

    Any that fit, between spans that some input has both of; those of a written-out window as written.
    """
    terms = world.terms
    declared = {link.name: link for link in world.schema.links}
    given = set(world.given.values())
    constant = set(inputs[written].known) if written is not None else set()
    memory = world.links

    def fits(link: Link, state: State, source: Slot, target: Slot) -> Truth:
        ends = ((link.from_tags, source), (link.to_tags, target))
        return terms.every(
            terms.any(_tag(state, element).test(tag) for tag in tags) for tags, element in ends if tags is not None
        )

    def linked(name: str, source: Slot, target: Slot) -> Truth:
        if source is target or source not in given or target not in given or name not in declared:
            return source in constant and target in constant and (name, source.id, target.id) in fixed
        key = (name, source, target)
        if key not in memory:
            memory[key] = made(name, source, target)
        return memory[key]

    def made(name: str, source: Slot, target: Slot) -> Truth:
        knows = {
            n: terms.both(s.known.get(source, False), s.known.get(target, False))
            for n, s in inputs.items()
            if n != written
        }
        fit = terms.every(
            terms.implies(both, fits(declared[name], inputs[n], source, target))
            for n, both in knows.items()
            if both is not False
        )
        if source in constant and target in constant:
            holds = (name, source.id, target.id) in fixed
            if holds:
                world.facts.append(fit)
            return holds
        return terms.every((terms.variable("bool", "link", name, source.id, target.id), terms.any(knows.values()), fit))

    world.link = linked
    if len(inputs) > 1:
        for name, source, target in fixed:
            linked(name, world.given[source], world.given[target])


def _tag(state: State, element: Slot) -> Enum:
    value = state.cells[TAG][element].value()
    assert isinstance(value, Enum)
    return value
