"""The scan pinned to one concrete run: it must admit what the interpreter says of a span, and, where it is exact,
nothing else.

Comparing verdicts misses encodings that are wrong in a way that few promises show; this asks for each field and each
membership by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from random import Random

import z3

from selfedit_formal.core import expression as e
from selfedit_formal.core.budget import Spent, Work
from selfedit_formal.core.policy import ParameterDeclaration
from selfedit_formal.core.property import Bound, Case, ChoiceKey, Claim, Obligation, fresh_id
from selfedit_formal.core.window import COVERS, NO_KEY, Field, Value, Window
from selfedit_formal.engines.random import Drawn, attack, draw_window, interesting
from selfedit_formal.engines.unbounded.compiler import Mode, Scan, compile_scan
from selfedit_formal.engines.unbounded.flatten import Outside
from selfedit_formal.engines.unbounded.ir import Born, Chosen, Element, Joined, Stays
from selfedit_formal.engines.unbounded.terms import constants
from selfedit_formal.engines.unbounded.unroll import Numbered
from selfedit_formal.semantics.interpreter import NoSuchRun, apply
from selfedit_formal.semantics.reads import reads_archive
from selfedit_formal.semantics.state import from_window, same_record
from tests.fuzz.draw import MOVES, TURNS, obligation
from tests.fuzz.drawer import W

Placed = str | Element
"""What stands in the scan's order: a span of the window, by its id, or a fresh one, by its mark."""
PLACES = 24
"""A run with more ways of placing its fresh spans is left out."""
ATTACKS = 100
PINNED = 20_000_000
"""Steps of Z3 for one run; what it does not exclude in so many is admitted."""
COMPILING = 4_000_000
"""Steps after which a scan is left out."""


@dataclass(frozen=True, slots=True)
class Finding:
    """`kind` "unsound": the scan excludes what the interpreter does. "inexact": it admits something else, and does
    not say that it approximates."""

    kind: str
    seed: int
    what: str


@dataclass(frozen=True, slots=True)
class Tally:
    checks: int
    exact: int
    findings: tuple[Finding, ...]


def check(seed: int, spans: int = 3) -> Tally:
    """One scan of a drawn policy, on one drawn window, for one or two passes: what it must say and may not say of one
    span."""
    random = Random(f"pinned {seed}")
    subject = obligation(seed)
    if subject.spans:
        return Tally(0, 0, ())
    pool = (0, 1, 2, 3)
    schema = subject.schema
    lived, moved = TURNS <= seed < MOVES, seed >= MOVES
    plain = replace(subject, claim=Claim(("W",), consequent=e.TRUE))  # not what the promise reads, but what is asked
    window = draw_window(schema, random.randint(1, spans), random, pool, lived or reads_archive(plain), "s")
    parameters = {p.name: min(random.choice(pool), p.high or max(pool)) for p in subject.parameters}
    choices = Drawn(random, interesting(subject))
    steps = tuple((p, 1) for p in subject.policies)
    if not lived:
        steps = tuple((subject.policies[0], depth) for depth in range(1, random.choice((2, 2, 3))))
    last: e.WindowTerm = W
    for policy, _ in steps:
        last = e.Pass(policy.name, "", last)
    after, exists = window, True
    try:
        for policy, depth in steps:
            after = apply(policy, after, parameters, {}, choices, depth=depth).after
    except NoSuchRun:
        exists = False
    asked_of = [s.id for s in after.spans] if lived else [s.id for s in window.present()]
    if not asked_of or not (exists or lived):
        return Tally(0, 0, ())
    span = random.choice(asked_of)
    mode = _mode(random)
    questions, answers = _questions(span, last, after)
    if lived:
        more, told = _more_questions(span, last, window, after)
        questions, answers = (*questions, *more), {**answers, **told}
    claim = Claim(("W",), (Bound("v", e.Known(last) if lived else W),), consequent=e.Not(e.And(questions)))
    parameters_asked = (*subject.parameters, *(ParameterDeclaration(name) for name in answers))
    asked = Obligation("pinned", schema, subject.policies, "pinned", claim, parameters=parameters_asked)
    try:
        scan = compile_scan(asked, mode, work=Work(COMPILING))
    except (Outside, Spent):
        return Tally(0, 0, ())
    orders = _everywhere(window, scan) if moved else _orders(after, scan)
    if len(orders) > PLACES:
        return Tally(0, 0, ())
    about = f"{span} after {len(steps)} passes, {mode.direction}"
    marked = {scan.trace.spans["v"]: _marks(scan).get(span, span)}
    pinned = _Pinned(scan, mode.direction == "newest", window, parameters, choices.taken, marked, orders)
    exact = not scan.approximations and not scan.products
    if not exists:
        findings = [Finding("inexact", seed, "a run that does not exist")] if exact and pinned.admits({}, {}) else []
        return Tally(int(exact), int(exact), tuple(findings))
    findings = [] if pinned.admits(answers, {}) else [Finding("unsound", seed, about)]
    exact = exact and not findings
    if exact:
        wrong = [name for name, value in answers.items() if pinned.admits({}, {name: value})]
        findings = [Finding("inexact", seed, f"{name} of {about}") for name in wrong]
    return Tally(1 + len(answers) * exact, len(answers) * exact, tuple(findings))


def check_broken(seed: int, spans: int = 3) -> Tally:
    """One drawn promise with a window that breaks it, if one is found: the scan must find it broken there too."""
    asked = obligation(seed)
    case = attack(asked, spans, ATTACKS)
    return Tally(0, 0, ()) if case is None or len(case.inputs) != 1 else check_case(asked, case, seed)


def check_case(asked: Obligation, case: Case, seed: int = 0, order: list[Placed] | None = None) -> Tally:
    """The scan of what is asked, pinned to a case that breaks it. `order`: the elements' own, if it is known."""
    mode = _mode(Random(f"broken {seed}"))
    try:
        scan = compile_scan(asked, mode, work=Work(COMPILING))
    except (Outside, Spent):
        return Tally(0, 0, ())
    (window,) = case.inputs.values()
    orders = _everywhere(window, scan) if order is None else [order]
    if len(orders) > PLACES:
        return Tally(0, 0, ())
    made = _marks(scan)
    marked = {scan.trace.spans[name]: made.get(span, span) for name, span in case.spans.items()}
    pinned = _Pinned(scan, mode.direction == "newest", window, case.parameters, case.choices, marked, orders)
    admitted = pinned.admits({}, {})
    return Tally(1, 0, () if admitted else (Finding("unsound", seed, f"a broken promise, {mode.direction}"),))


FLAGS = ("the presence", "the note", "the pinned", "the met", "the cover", "the record")


def _questions(span: str, last: e.WindowTerm, after: Window) -> tuple[tuple[e.Expression, ...], Mapping[str, int]]:
    """What is said of `v` after the last pass, with a parameter for each answer; and what the interpreter says."""
    found = after.span(span)
    assert found is not None
    total = e.Total("t", last, e.Read("t", "tokens", "int", last), e.TRUE)
    note = e.Equal(e.Read("v", "tag", "enum", last), e.Name("enum", "note"))
    questions = (
        e.Equal(e.Present("v", last), _one("the presence")),
        e.Compare("==", e.Read("v", "tokens", "int", last), e.Parameter("the tokens")),
        e.Equal(note, _one("the note")),
        e.Equal(e.Read("v", "pinned", "bool", last), _one("the pinned")),
        e.Compare("==", total, e.Parameter("the total")),
    )
    answers = {
        "the presence": int(span not in after.archived),
        "the tokens": _number(found["tokens"]),
        "the note": int(found["tag"] == "note"),
        "the pinned": _number(found["pinned"]),
        "the total": sum(_number(s["tokens"]) for s in after.present()),
    }
    return questions, answers


def _more_questions(
    span: str, last: e.WindowTerm, before: Window, after: Window
) -> tuple[tuple[e.Expression, ...], Mapping[str, int]]:
    """What is also asked where there are history, covers and archived spans."""
    found = after.span(span)
    assert found is not None
    known = e.Known(last)
    total = e.Total("a", known, e.Read("a", "times", "int", known), e.TRUE)
    cover = e.Some("m", known, e.Linked("covers", "m", "v", last))
    questions = (
        e.Equal(e.Read("v", "met", "bool", last), _one("the met")),
        e.Compare("==", e.Read("v", "times", "int", last), e.Parameter("the times")),
        e.Compare("==", total, e.Parameter("the total times")),
        e.Equal(cover, _one("the cover")),
        e.Equal(e.SameRecord("v", W, known), _one("the record")),
    )
    answers = {
        "the met": _number(found["met"]),
        "the times": _number(found["times"]),
        "the total times": sum(_number(s["times"]) for s in after.spans),
        "the cover": int(any(name == COVERS and target == span for name, _, target in after.links)),
        "the record": int(same_record(span, from_window(before), from_window(after))),
    }
    return questions, answers


def _one(name: str) -> e.Expression:
    return e.Compare("==", e.Parameter(name), e.Int(1))


def _number(value: Value) -> int:
    assert isinstance(value, int)
    return int(value)


def _mode(random: Random) -> Mode:
    return Mode(
        True,
        random.choice(("newest", "oldest")),
        instances=random.choice(("witnesses", "all")),
        half=random.random() < 0.3,
    )


def _marks(scan: Scan) -> Mapping[str, Element]:
    """The mark of each fresh span, by its id."""
    return {made.span: mark for mark, made in scan.trace.fresh.items()}


def _orders(after: Window, scan: Scan) -> list[list[Placed]]:
    """Every order of the elements that may be that of the run: fresh spans stand where they stood in the end.

    Those that are not known in the end were not made, or their pass was refused: they may stand anywhere.
    """
    marks = _marks(scan)
    orders: list[list[Placed]] = [[marks.get(s.id, s.id) for s in after.spans]]
    for mark in (m for m in marks.values() if m not in orders[0]):
        orders += [[*o[:i], mark, *o[i:]] for o in orders for i in range(len(o) + 1)]
    return orders


def _everywhere(window: Window, scan: Scan) -> list[list[Placed]]:
    """Every order of the elements with the fresh ones at any places, or not made; more than `PLACES` are not told."""
    orders: list[list[Placed]] = [[s.id for s in window.spans]]
    for mark in scan.trace.fresh:
        orders += [[*o[:i], mark, *o[i:]] for o in orders[: PLACES + 1] for i in range(len(o) + 1)]
    return orders


class _Pinned:
    """The scan on exactly this window, with marks at the given elements."""

    def __init__(
        self,
        scan: Scan,
        newest_first: bool,
        window: Window,
        parameters: Mapping[str, int],
        choices: Mapping[ChoiceKey, Value],
        marked: Mapping[Element, Placed],
        orders: list[list[Placed]],
    ) -> None:
        self.solvers = []
        self.parameters = scan.parameters
        numbered, passing = Numbered(scan.rigid), _Passing(scan)
        for order in orders:
            elements = order[::-1] if newest_first else order
            solver = z3.SolverFor("QF_LIA")
            solver.set("rlimit", PINNED)
            solver.add(numbered(scan.init, 0), numbered(scan.fin, len(elements)))
            solver.add([self.parameters[n] == v for n, v in parameters.items()])
            solver.add(scan.units, *_comings(scan, choices))
            for i, element in enumerate(elements):
                known = list(_values(scan, window, choices, element))
                known += [(scan.places[mark], z3.BoolVal(element == mark)) for mark in scan.trace.fresh]
                known += [(scan.places[mark], z3.BoolVal(element == place)) for mark, place in marked.items()]
                # What is read at other places too is also said there.
                solver.add([numbered(term, i) == value for term, value in known])
                solver.add(passing(i, known))
            solver.add(list(_links(scan, window, elements, numbered)))
            self.solvers.append(solver)

    def admits(self, given: Mapping[str, int], excluded: Mapping[str, int]) -> bool:
        """Whether there is a run with these answers and without those."""
        pins = [self.parameters[n] == v for n, v in given.items()]
        # The flags are asked about by being one or not.
        pins += [self.parameters[n] != v for n, v in excluded.items()]
        flags = [self.parameters[n] for n in FLAGS if n in self.parameters]
        pins += [z3.And(flag >= 0, flag <= 1) for flag in flags]
        return any(solver.check(pins) != z3.unsat for solver in self.solvers)


class _Passing:
    """What the scan says of one element, of the state before it and of the one after, in a single formula."""

    def __init__(self, scan: Scan) -> None:
        moving = [v for v in scan.state if v.decl().name() not in scan.rigid]
        # No name that a counter makes has a space.
        self.after = {f"{v.decl().name()} after": v for v in moving}
        following = [z3.Const(name, v.sort()) == scan.next[v] for name, v in self.after.items()]
        self.formula = z3.And(scan.step, *following)
        self.named = [(c, name) for name, c in constants(self.formula).items() if name not in scan.rigid]

    def __call__(self, number: int, known: Iterable[tuple[z3.ExprRef, z3.ExprRef]]) -> z3.BoolRef:
        """The same of the element with this number, of which so much is known."""
        values = {term.decl().name(): value for term, value in known}
        changes = [(c, values[name] if name in values else self._at(name, c, number)) for c, name in self.named]
        return z3.substitute(self.formula, changes) if changes else self.formula

    def _at(self, name: str, constant: z3.ExprRef, number: int) -> z3.ExprRef:
        if name in self.after:
            return z3.Const(f"{self.after[name].decl().name()} {number + 1}", constant.sort())
        return z3.Const(f"{name} {number}", constant.sort())


def _values(
    scan: Scan, window: Window, choices: Mapping[ChoiceKey, Value], element: Placed
) -> Iterator[tuple[z3.ExprRef, z3.ExprRef]]:
    made = scan.trace.fresh[element] if isinstance(element, Element) else None
    identity = element if made is None else made.span
    assert isinstance(identity, str)
    for fact, term in scan.element.items():
        match fact:
            case Born(name):
                field = window.schema.field(name)
                if made is None and field.oracle != "window":
                    span = window.span(identity)
                    assert span is not None
                    yield term, _encoded(scan, field, span[name])
                elif made is not None and (key := ChoiceKey(made.run, made.site, identity, name)) in choices:
                    yield term, _encoded(scan, field, choices[key])
            case Stays() if made is None:
                yield term, z3.BoolVal(identity not in window.archived)
            case Chosen(run, site, name) if (key := ChoiceKey(run, site, identity, name)) in choices:
                yield term, _encoded(scan, window.schema.field(name) if name else None, choices[key])
            case _:
                pass


def _comings(scan: Scan, choices: Mapping[ChoiceKey, Value]) -> list[z3.BoolRef]:
    keys = {made: ChoiceKey(*made, fresh_id(*made), "") for made in scan.coming}
    return [scan.coming[made] == bool(choices[key]) for made, key in keys.items() if key in choices]


def _links(scan: Scan, window: Window, elements: list[Placed], numbered: Numbered) -> Iterator[z3.BoolRef]:
    """The window's links, wherever the scan places the marks whose links it reads."""
    for fact, term in scan.element.items():
        if not (isinstance(fact, Joined) and fact.way.version is None):
            continue
        for i, one in enumerate(elements):
            for j, other in enumerate(elements):
                pair = (other, one) if fact.forth else (one, other)
                linked = z3.BoolVal((fact.way.link, *pair) in window.links)
                if i != j:
                    yield z3.Implies(numbered(scan.places[fact.other], i), numbered(term, j) == linked)


def _encoded(scan: Scan, field: Field | None, value: Value) -> z3.ExprRef:
    """The value of the field; without one, a truth value."""
    if field is None or field.kind == "bool":
        return z3.BoolVal(bool(value))
    match field.kind:
        case "int":
            assert isinstance(value, int)
            return z3.IntVal(value)
        case "enum":
            return z3.IntVal(scan.trace.codes[str(value)])
        case "key":
            return z3.IntVal(0 if value == NO_KEY else int(str(value).removeprefix("k")))
