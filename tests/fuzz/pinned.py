"""The scan pinned to one concrete run: it must admit what the interpreter says of a span, and, where it is exact,
nothing else.

Comparing verdicts misses encodings that are wrong in a way that few promises show; this asks for each field and each
membership by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random

import z3

from selfedit_formal import expression as e
from selfedit_formal.attack import Drawn, draw_window, interesting
from selfedit_formal.engines.unbounded.compile import Mode, Scan, compile_scan
from selfedit_formal.engines.unbounded.flatten import Outside
from selfedit_formal.engines.unbounded.unroll import _Numbered as Numbered
from selfedit_formal.property import Bound, ChoiceKey, Claim, Obligation, fresh_id
from selfedit_formal.semantics.interpreter import NoSuchRun, apply
from selfedit_formal.semantics.reads import reads_archive
from selfedit_formal.window import NO_KEY, Field, Value, Window
from tests.fuzz.draw import P1, P2, PARAMETERS, SCHEMA, W, obligation

PLACES = 12
"""Runs with more ways of placing their fresh spans are left out."""


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


def check(seed: int, spans: int = 4) -> Tally:
    """Several questions about one drawn policy on one drawn window, one or two passes."""
    random = Random(f"pinned {seed}")
    subject = obligation(seed)
    policy = subject.policies[0]
    pool = (0, 1, 2, 3)
    window = draw_window(SCHEMA, random.randint(1, spans), random, pool, reads_archive(subject), "s")
    parameters = {p.name: random.choice(pool) for p in PARAMETERS}
    choices = Drawn(random, interesting(subject))
    passes = random.choice((1, 1, 2))
    try:
        after = window
        for depth in range(1, passes + 1):
            after = apply(policy, after, parameters, {}, choices, depth=depth).after
    except NoSuchRun:
        return Tally(0, 0, ())
    last = P1 if passes == 1 else P2
    checks = exact = 0
    findings: list[Finding] = []
    present = [s.id for s in window.present()]
    for span in random.sample(present, min(2, len(present))):
        for what, condition, holds in _questions(span, last, after, random):
            mode = Mode(
                True,
                random.choice(("newest", "oldest")),
                instances=random.choice(("witnesses", "all")),
                half=random.random() < 0.3,
            )
            for wanted in (True, False):
                claim = Claim(("W",), (Bound("v", W),), consequent=_not(condition, wanted))
                asked = Obligation("pinned", SCHEMA, (policy,), "pinned", claim, parameters=PARAMETERS)
                try:
                    scan = compile_scan(asked, mode)
                except Outside:
                    return Tally(checks, exact, tuple(findings))
                if (len(window.spans) + 1) ** len(scan.trace.fresh) > PLACES:
                    return Tally(checks, exact, tuple(findings))
                possible = admits(scan, mode.direction == "newest", window, parameters, choices.taken, span)
                checks += 1
                exact += not scan.approximations
                about = f"{what} of {span} after {passes} passes, {mode.direction}"
                if wanted == holds and not possible:
                    findings.append(Finding("unsound", seed, about))
                if wanted != holds and possible and not scan.approximations:
                    findings.append(Finding("inexact", seed, about))
    return Tally(checks, exact, tuple(findings))


def _not(condition: e.Expression, wanted: bool) -> e.Expression:
    """The claim that is broken exactly if the condition has the wanted truth."""
    return e.Not(condition) if wanted else condition


def _questions(span: str, last: e.Pass, after: Window, random: Random) -> Iterator[tuple[str, e.Expression, bool]]:
    present = span not in after.archived and after.span(span) is not None
    yield "presence", e.Present("v", last), present
    found = after.span(span)
    assert found is not None
    tokens, tag = found["tokens"], found["tag"]
    assert isinstance(tokens, int)
    assert isinstance(tag, str)
    field = random.choice(("tokens", "tag", "pinned"))
    match field:
        case "tokens":
            asked = random.choice((tokens, tokens + 1))
            yield "tokens", e.Compare("==", e.Read("v", "tokens", "int", last), e.Int(asked)), asked == tokens
        case "tag":
            yield "tag", e.Equal(e.Read("v", "tag", "enum", last), e.Name("enum", tag)), True
        case _:
            yield "pinned", e.Read("v", "pinned", "bool", last), bool(found["pinned"])
    total = sum(int(s["tokens"]) for s in after.present())
    sum_of = e.Total("t", last, e.Read("t", "tokens", "int", last), e.TRUE)
    yield "total", e.Compare("==", sum_of, e.Int(total)), True


def admits(
    scan: Scan,
    newest_first: bool,
    window: Window,
    parameters: Mapping[str, int],
    choices: Mapping[ChoiceKey, Value],
    marked: str,
) -> bool:
    """Whether the scan has a run on exactly this window, with `v` at the marked span. Every place of the fresh spans
    is tried."""
    rigid = {v.decl().name() for v in scan.state if scan.next[v].eq(v)}
    numbered = Numbered(rigid)
    ids = [s.id for s in window.spans]
    for order in _interleaved(ids, list(scan.trace.fresh)):
        elements = order[::-1] if newest_first else order
        solver = z3.Solver()
        solver.set("timeout", 10_000)
        solver.add(numbered(scan.init, 0), numbered(scan.fin, len(elements)))
        solver.add([z3.Int(f"param {n}") == v for n, v in parameters.items()])
        for i, element in enumerate(elements):
            solver.add(numbered(scan.step, i))
            for v in scan.state:
                if v.decl().name() not in rigid:
                    solver.add(numbered(v, i + 1) == numbered(scan.next[v], i))
            for mark in scan.trace.fresh:
                solver.add(numbered(scan.places[mark], i) == (element == mark))
            solver.add(numbered(scan.places["v"], i) == (element == marked))
            solver.add([numbered(term, i) == value for term, value in _values(scan, window, choices, element)])
            solver.add([numbered(term, i) == value for term, value in _links(scan, window, element, marked)])
        if solver.check() != z3.unsat:
            return True
    return False


def _interleaved(ids: list[str], fresh: list[str]) -> Iterator[list[str]]:
    orders = [ids]
    for mark in fresh:
        orders += [[*o[:i], mark, *o[i:]] for o in orders for i in range(len(o) + 1)]
    yield from orders


def _values(
    scan: Scan, window: Window, choices: Mapping[ChoiceKey, Value], element: str
) -> Iterator[tuple[z3.ExprRef, z3.ExprRef]]:
    made = scan.trace.fresh.get(element)
    identity = element if made is None else fresh_id(*made)
    for field in SCHEMA.fields:
        term = scan.element.get(f"field {field.name}")
        if term is None or field.oracle == "window":
            continue
        if made is None:
            span = window.span(element)
            assert span is not None
            yield term, _encoded(field, span[field.name])
        elif (made_key := ChoiceKey(*made, identity, field.name)) in choices:
            yield term, _encoded(field, choices[made_key])
    if "present" in scan.element and made is None:
        yield scan.element["present"], z3.BoolVal(element not in window.archived)
    for key, (run, site, name) in scan.trace.choices.items():
        chosen = ChoiceKey(run, site, identity, name)
        if key in scan.element and chosen in choices:
            value = choices[chosen]
            encoded = _encoded(SCHEMA.field(name), value) if name else z3.BoolVal(bool(value))
            yield scan.element[key], encoded


def _links(scan: Scan, window: Window, element: str, marked: str) -> Iterator[tuple[z3.ExprRef, z3.ExprRef]]:
    """The links between the element and the span that `v` stands for; those with other marks stay free."""
    for name, term in scan.element.items():
        if name == "justifies v" and element != marked:
            yield term, z3.BoolVal(("justifies", element, marked) in window.links)
        if name == "v justifies" and element != marked:
            yield term, z3.BoolVal(("justifies", marked, element) in window.links)


def _encoded(field: Field, value: Value) -> z3.ExprRef:
    match field.kind:
        case "bool":
            return z3.BoolVal(bool(value))
        case "int":
            assert isinstance(value, int)
            return z3.IntVal(value)
        case "enum":
            return z3.IntVal(field.names.index(str(value)) + 1)
        case "key":
            return z3.IntVal(0 if value == NO_KEY else int(str(value).removeprefix("k")))
