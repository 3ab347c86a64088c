"""A scan over the window: where it starts, what it does at each element, and where it must not end."""

from __future__ import annotations

from collections.abc import Iterable

import z3

from selfedit_formal._frozen import dataclass
from selfedit_formal.core.budget import Work
from selfedit_formal.core.certificate import Ground
from selfedit_formal.core.property import Obligation
from selfedit_formal.engines.unbounded.compiler.aggregates import Accumulator
from selfedit_formal.engines.unbounded.compiler.compilation import Compilation
from selfedit_formal.engines.unbounded.compiler.mode import LeftOut, Mode
from selfedit_formal.engines.unbounded.compiler.polarity import short
from selfedit_formal.engines.unbounded.flatten import STEP, Trace
from selfedit_formal.engines.unbounded.ir import YES, Element, Fact, Filling, Num, show
from selfedit_formal.engines.unbounded.terms import (
    FALSE,
    TRUE,
    ZERO,
    choice,
    conjunction,
    constants,
    disjunction,
    implication,
    negation,
)


@dataclass(frozen=True, slots=True, eq=False)
class Scan:
    """The claim is broken only if `fin` can be reached from `init` by `step`s, `next` giving the state after each.

    `next` has also variables that nothing reads, which are not part of `state`.
    """

    state: tuple[z3.ExprRef, ...]
    next: dict[z3.ExprRef, z3.ExprRef]
    init: z3.BoolRef
    step: z3.BoolRef
    fin: z3.BoolRef
    legend: dict[str, str]
    products: bool
    approximations: tuple[str, ...]
    left_out: frozenset[LeftOut]
    element: dict[Fact, z3.ExprRef]
    """What is so of the element under the head."""
    places: dict[Element, z3.BoolRef]
    """Mark → the element under the head is this mark."""
    parameters: dict[str, z3.ArithRef]
    rigid: frozenset[str]
    """The names of what does not change in the course of the scan, the parameters too."""
    coming: dict[tuple[str, int], z3.BoolRef]
    """Run and site → whether the span comes that may."""
    trace: Trace
    units: z3.BoolRef
    """Rigids that init forces, which were replaced by their values everywhere."""
    tracks: dict[Ground, z3.BoolRef]


def compile_scan(obligation: Obligation, mode: Mode, tracked: bool = False, work: Work | None = None) -> Scan:
    """A scan over the window. Raises `Outside`, `Spent`. With `tracked` things have the same names."""
    return ScanAssembly(Compilation(obligation, mode, tracked, work or Work())).scan()


class ScanAssembly:
    """A scan being put together. `replace` resolves placeholders."""

    def __init__(self, whole: Compilation) -> None:
        self.whole = whole
        self.step: list[z3.BoolRef] = []
        self.next: dict[z3.ExprRef, z3.ExprRef] = {}
        self.init: list[z3.BoolRef] = []
        self.fin: list[z3.BoolRef] = []
        self.replace: list[tuple[z3.ExprRef, z3.ExprRef]] = []

    def add(self, variable: z3.ExprRef, following: z3.ExprRef, initially: z3.BoolRef) -> None:
        """One more variable of the state."""
        self.next[variable] = following
        self.init.append(initially)

    def scan(self) -> Scan:
        """The whole of it."""
        elements, demands = self.whole.elements, self.whole.demands
        conditions = self._conditions()
        self.step = [*conditions, demands.canonical(elements.head)]
        fresh = [elements.marks[m].place for m in self.whole.inserts]
        self.step += [negation(conjunction((a, b))) for i, a in enumerate(fresh) for b in fresh[:i]]
        for m in elements.marks.values():
            self.add(m.placed, disjunction((m.placed, m.place)), negation(m.placed))
            self.fin.append(implication(m.on, m.placed))
        self._fills()
        late = self._accumulate()
        self._ghosts()
        return self._whole(late)

    def _conditions(self) -> list[z3.BoolRef]:
        """What must hold at each element, once nothing calls for more."""
        elements, values, demands = self.whole.elements, self.whole.values, self.whole.demands
        head, conditions = elements.head, dict[tuple[object, ...], z3.BoolRef]()
        while True:
            size = demands.size()
            for m in list(elements.marks.values()):
                guards = [values.value(g, head) for g in m.guards]
                conditions["place", m.element] = implication(m.place, conjunction([m.on, negation(m.placed), *guards]))
            for u in list(self.whole.polarity.universals):
                conditions["universal", u.index] = demands.everywhere(u, head)
            for (mark, item), constant in list(values.records.items()):
                conditions["record", mark, item] = implication(
                    elements.marks[mark].place, constant == values.value(item, head)
                )
            ScanAssembly(self.whole)._fills()  # for what it calls for
            for a in list(self.whole.aggregates.accumulators.values()):
                a.value = self.whole.aggregates.contribution(a)
            demands.instances()
            if size == demands.size():
                return list(conditions.values())

    def _fills(self) -> None:
        head, values = self.whole.elements.head, self.whole.values
        for version, made in enumerate(self.whole.trace.versions):
            if version == 0 or not isinstance(made.step, Filling):
                continue
            step = made.step
            guard, present = values.value(made.guard, head), self.whole.versions.alive(made.parent, head)
            used = conjunction((guard, present, values.value(step.scope, head)))
            (carry, _), before = values.both_carries(version), values.carry(version, head)
            weight = values.value(step.weight, head)
            fits = before + weight <= values.value(step.cap, head)
            after = choice(conjunction((used, fits)), before + weight, before)
            along = values.fills_along(version)
            self.whole.symbols.explain(carry, "what the fill has kept " + ("so far" if along else "of the rest"))
            if along:
                self.add(carry, after, carry == 0)
            else:
                self.add(carry, before, TRUE)
                self.step.append(carry == after)
                self.fin.append(carry == 0)

    def _accumulate(self) -> list[tuple[z3.ExprRef, z3.ExprRef]]:
        """Gives each accumulator the state its uses need. Returns prophecies of whole-window values with the counters
        that explain them."""
        symbols, accumulators = self.whole.symbols, self.whole.aggregates.accumulators.values()
        texts = [*self.step, *self.next.values()]
        used = constants(*texts, *(a.value for a in accumulators), *self.whole.demands.fixed).keys()
        late = []
        for a in accumulators:
            oldest = self.whole.mode.direction == "oldest"
            behind, ahead = (a.before, a.after) if oldest else (a.after, a.before)
            reads_behind, reads_ahead, reads_whole = (str(c) in used for c in (behind, ahead, a.whole))
            what = _described(a)
            self.replace.append((a.own, a.value))
            # Numbered with the accumulator: which of them are needed hangs on what could be simplified.
            if a.boolean:
                if reads_behind:
                    seen = z3.Bool(f"s{a.index}")
                    symbols.explain(seen, f"{what}, among those passed")
                    self.add(seen, disjunction((seen, a.value)), negation(seen))
                    self.replace.append((behind, seen))
                if reads_ahead:
                    coming, after = z3.Bool(f"r{a.index}"), z3.Bool(f"x{a.index}")
                    symbols.explain(coming, f"{what}, among those still to come")
                    self.add(coming, after, TRUE)
                    self.fin.append(negation(coming))
                    self.step.append(coming == disjunction((after, a.value)))
                    self.replace.append((ahead, after))
                continue
            if reads_ahead and not reads_behind and not reads_whole:
                left = a.left = z3.Int(f"r{a.index}")
                symbols.explain(left, f"{what}, among those still to come")
                self.add(left, left - a.value, left >= 0 if a.weight == Num(1) else TRUE)
                self.fin.append(left == 0)
                self.replace.append((ahead, left - a.value))
                continue
            passed = a.passed = z3.Int(f"n{a.index}")
            symbols.explain(passed, f"{what}, among those passed")
            self.add(passed, passed + a.value, passed == 0)
            self.replace.append((behind, passed))
            if reads_ahead or reads_whole:
                whole = z3.Int(f"N{a.index}")
                symbols.rigid[whole.decl().name()] = whole
                symbols.explain(whole, f"{what}, in the whole window")
                self.replace += [(a.whole, whole), (ahead, whole - passed - a.value)]
                late.append((whole, passed))
        return late

    def _ghosts(self) -> None:
        """NOTE(products): beside every counter c a ghost g = c * m is kept exactly; c <= k then gives g <= k * m, and
        so on.

        These facts are theorems of arithmetic for m >= 0 (`core.certificate.PRODUCTS`), so the scan itself stays
        linear.
        """
        names = {x.decl().name(): name for name, x in self.whole.parameters.items()}
        for x, y, q in self.whole.values.products.values():
            for a in self.whole.aggregates.accumulators.values():
                if a.boolean or a.weight != Num(1):
                    continue
                for counter, down in ((a.passed, False), (a.left, True)):
                    if counter is None:
                        continue
                    for k, m in ((x, y), (y, x)):
                        g = z3.Int(f"g{counter.decl().name()}{m.decl().name()}")
                        self.whole.symbols.explain(g, f"{counter} * {names[m.decl().name()]}")
                        grown = choice(a.value > 0, m, ZERO)
                        facts = implication(
                            m >= 0, conjunction((implication(counter <= k, g <= q), implication(counter >= k, g >= q)))
                        )
                        if down:
                            self.add(g, g - grown, facts)
                            self.fin.append(g == 0)
                        else:
                            self.add(g, g + grown, g == 0)
                        facts = conjunction((facts, implication(conjunction((m >= 0, counter + 1 <= k)), g + m <= q)))
                        self.step.append(facts)
                        self.fin.append(facts)

    def _whole(self, late: list[tuple[z3.ExprRef, z3.ExprRef]]) -> Scan:
        """Placeholders resolved, what is forced put in everywhere, and what nothing reads left out."""
        whole, symbols = self.whole, self.whole.symbols

        def resolve(f: z3.ExprRef) -> z3.ExprRef:
            while True:
                whole.work.spend(STEP)
                g = z3.substitute(f, self.replace)
                if g.eq(f):
                    return g
                f = g

        step = [resolve(f) for f in self.step]
        following = {v: resolve(f) for v, f in self.next.items()}
        init, fin = [resolve(f) for f in self.init], [resolve(f) for f in self.fin]
        fixed, units = _propagate([resolve(f) for f in whole.demands.fixed], symbols.rigid)
        known = list(units.items())

        def reduce(f: z3.ExprRef) -> z3.ExprRef:
            return z3.simplify(z3.substitute(f, known) if known else f)

        step = [f for f in map(reduce, step) if not z3.is_true(f)]
        following = {v: reduce(f) for v, f in following.items()}
        init, fin = [reduce(f) for f in init], [reduce(f) for f in fin]
        # A whole-window value that the scan never reads is compared at the end instead of being guessed at the start.
        inside = constants(*step, *following.values(), *init).keys()
        postponed = [(total, counter) for total, counter in late if str(total) not in inside]
        fin += [counter == total for total, counter in late if str(total) in inside]
        names = {str(total) for total, _ in postponed}
        for f in fixed:
            if constants(f).keys() & names:
                fin.append(z3.substitute(f, postponed))
            else:
                init.append(f)
        rigid = [c for n, c in symbols.rigid.items() if n not in names]
        parameters = list(whole.parameters.values())
        state = _live([*following, *parameters, *rigid], following, [*step, *fin])
        partly = whole.aggregates.joins or whole.demands.weakened
        return Scan(
            tuple(state),
            {v: following.get(v, v) for v in (*following, *parameters, *rigid)},
            conjunction(init),
            conjunction(step),
            conjunction(fin),
            symbols.legend,
            bool(whole.values.products),
            tuple(dict.fromkeys(whole.approximations)),
            frozenset(whole.demands.left_out) if partly else frozenset(),
            dict(whole.elements.head.base),
            {m.element: m.place for m in whole.elements.marks.values()},
            whole.parameters,
            frozenset((*symbols.rigid, *(x.decl().name() for x in parameters))),
            whole.demands.coming,
            whole.trace,
            conjunction([v if z3.is_true(value) else negation(v) for v, value in known]),
            symbols.tracks,
        )


def _described(a: Accumulator) -> str:
    what = f" where {short(show(a.body))}" if a.body != YES else ""
    window = "the input" if a.version == 0 else f"the window after edit {a.version}"
    if a.boolean:
        return f"there is a span of {window}{what}"
    if a.weight == Num(1):
        return f"how many spans of {window}{what}"
    return f"total {show(a.weight)} in {window}{what}"


def _flat(formulas: Iterable[z3.ExprRef]) -> list[z3.ExprRef]:
    found = []
    for f in formulas:
        if z3.is_and(f):
            found += _flat(f.children())
        elif not z3.is_true(f):
            found.append(f)
    return found


def _propagate(
    formulas: list[z3.ExprRef], rigid: dict[str, z3.ExprRef]
) -> tuple[list[z3.ExprRef], dict[z3.ExprRef, z3.ExprRef]]:
    """Rigid Booleans that are forced, replaced everywhere."""
    units: dict[z3.ExprRef, z3.ExprRef] = {}
    flat = _flat(z3.simplify(f) for f in formulas)
    while True:
        new: dict[z3.ExprRef, z3.ExprRef] = {}
        for f in flat:
            if z3.is_const(f) and str(f) in rigid:
                new[f] = TRUE
            elif z3.is_not(f) and z3.is_const(f.arg(0)) and str(f.arg(0)) in rigid:
                new[f.arg(0)] = FALSE
        if not new:
            return flat, units
        units.update(new)
        flat = _flat(z3.simplify(z3.substitute(f, list(new.items()))) for f in flat)


def _live(
    state: list[z3.ExprRef], following: dict[z3.ExprRef, z3.ExprRef], roots: list[z3.ExprRef]
) -> list[z3.ExprRef]:
    """State that something reads: a condition, or the next value of state that is read."""
    read = {v.decl().name(): constants(f).keys() for v, f in following.items()}
    wanted = set(constants(*roots))
    while True:
        more = wanted.union(*(names for name, names in read.items() if name in wanted))
        if more == wanted:
            return [v for v in state if v.decl().name() in wanted]
        wanted = more
