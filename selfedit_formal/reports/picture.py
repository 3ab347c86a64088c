"""A case as a picture: one row per span, one column per pass, and what each rule did to it.

Text, JSON and generated tests all draw from this, so they cannot tell different stories. Nothing here is laid out yet.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field, replace
from typing import TYPE_CHECKING, Literal

from selfedit_formal._frozen import dataclass
from selfedit_formal.core.expression import (
    Input,
    InSet,
    Parameter,
    Pass,
    WindowTerm,
)
from selfedit_formal.core.policy import (
    Block,
    Evict,
    Fill,
    Insert,
    Keep,
    LetSet,
    LetSpan,
    LetValue,
    Move,
    Policy,
    Readmit,
    Refuse,
    Set,
    statements,
)
from selfedit_formal.core.property import (
    ARRIVED_ID,
    ORACLE_SITE,
    RESCORED_SITE,
    Case,
    Obligation,
    run_key,
)
from selfedit_formal.core.traverse import depth, nodes
from selfedit_formal.core.window import Schema, Span, Value, Window
from selfedit_formal.language.write import write_entry
from selfedit_formal.reports.formula import Writer

if TYPE_CHECKING:
    from selfedit_formal.core.expression import Origin
    from selfedit_formal.semantics.interpreter import Event, PassRecord

Mark = Literal["", "kept", "evicted", "changed", "inserted", "readmitted", "moved", "archived", "elsewhere"]


@dataclass(frozen=True, slots=True)
class ActingRule:
    """A statement that acted in some pass. Numbers count from 1 in the order written. `who`: of a session, whose."""

    number: int
    text: str
    place: str
    who: str = ""


@dataclass(frozen=True, slots=True)
class PassCell:
    """What one pass did to one span. `text` says it in a few words, without the rules."""

    mark: Mark
    text: str
    rules: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Row:
    """A span: its name in the picture, its record when first seen, the claim's variables that stand for it.

    `given`: the input window has it; otherwise it came later.
    """

    id: str
    entry: str
    given: bool
    variables: tuple[str, ...]
    cells: tuple[PassCell, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """All passes on one input window, and the spans they know, oldest first."""

    input: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Gone:
    """A span that a turn of a session evicted: its tag and keys, the rules, and what is left of it.

    `tombstone` and `ledger` say where: the span of the window that it is, or that it is outside of it; None: nowhere.
    """

    turn: str
    span: str
    record: tuple[str, ...]
    rules: tuple[int, ...]
    tombstone: str | None
    ledger: str | None


@dataclass(frozen=True, slots=True)
class Picture:
    """`names` has what this picture calls the spans that passes created; other spans go by their ids.

    Of a session: what was evicted, how spans went and came, and what its windows are called.
    """

    tables: tuple[Table, ...]
    rules: tuple[ActingRule, ...]
    broken_links: tuple[str, ...]
    remarks: tuple[str, ...]
    parameters: tuple[str, ...]
    choices: tuple[str, ...]
    names: Mapping[str, str]
    gone: tuple[Gone, ...] = ()
    stories: tuple[str, ...] = ()
    terms: Mapping[WindowTerm, str] = field(default_factory=dict)


def picture(obligation: Obligation, case: Case, passes: tuple[PassRecord, ...]) -> Picture:
    """The case drawn. `passes` are those of `interpreter.passes(obligation, case)`."""
    shown = without_gates(passes)
    names = created_names(case, shown)
    variables = {**names, **{v: names.get(i, i) for v, i in case.spans.items()}}
    writer = Writer(obligation.policies[0].name, variables, lone=lone_run(passes))
    rules = _rules(shown)
    numbers = {(r.text, r.place): r.number for r in rules}
    return Picture(
        tuple(_table(n, case, shown, writer, names, numbers) for n in case.inputs),
        rules,
        tuple(dict.fromkeys(line for p in shown for line in broken_links(p, writer, names))),
        _remarks(case, shown, writer, numbers),
        parameters(obligation, case),
        choices_made(obligation, case, shown, writer, names, numbers),
        names,
    )


def parameters(obligation: Obligation, case: Case) -> tuple[str, ...]:
    """The values of those that are open. One that is called as something else in the promise is told apart from it."""
    said = {n.name for n in nodes(obligation.claim) if isinstance(n, Parameter)}
    written = set(re.findall(r"\w+", obligation.formula))
    return tuple(
        f"{n} = {v}" + (f" (not the {n} of the promise)" if n in written - said else "")
        for n, v in case.parameters.items()
    )


def without_gates(passes: tuple[PassRecord, ...]) -> tuple[PassRecord, ...]:
    """The passes a promise speaks of, without those that a gate tries."""
    return tuple(p for p in passes if isinstance(p.term, Pass) and p.term.gated)


def lone_run(passes: tuple[PassRecord, ...]) -> str:
    """The run of all passes, if there is but one."""
    runs = {p.term.run for p in passes if isinstance(p.term, Pass)}
    return runs.pop() if len(runs) == 1 else ""


def root(term: WindowTerm) -> str:
    """The input window a term is made from."""
    while not isinstance(term, Input):
        term = term.window
    return term.name


# ---------- names and rules


def created_names(case: Case, passes: tuple[PassRecord, ...]) -> dict[str, str]:
    """Short names for the spans that passes create, in the order they come up."""
    taken = {s.id for w in case.inputs.values() for s in w.spans}
    made = dict.fromkeys(s.id for p in passes for s in p.after.spans if s.id in p.after.fresh and s.id not in taken)
    made.pop(ARRIVED_ID, None)
    free = (f"new{n}" for n in range(1, len(made) + len(taken) + 1) if f"new{n}" not in taken)
    return dict(zip(made, free, strict=False))


def _rules(passes: tuple[PassRecord, ...]) -> tuple[ActingRule, ...]:
    acted: dict[tuple[str, str], tuple[int, int]] = {}
    order = list(dict.fromkeys(p.term.policy for p in passes if isinstance(p.term, Pass)))
    for p in passes:
        for event in p.events:
            if _acts(event) and isinstance(p.term, Pass):
                at = (order.index(p.term.policy), event.site)
                key = (event.origin.text, place(event.origin))
                acted[key] = min(at, acted.get(key, at))
    ranked = sorted(acted, key=lambda k: acted[k])
    return tuple(ActingRule(n, text, where) for n, (text, where) in enumerate(ranked, 1))


def _acts(event: Event) -> bool:
    return event.kind in ("refuse", "gate") or (event.kind != "block" and bool(event.spans))


def place(origin: Origin) -> str:
    """`file:line` of an origin, or nothing."""
    at = origin.location
    return "" if at is None else f"{at.source.name}:{at.line}"


# ---------- the table


def first_record(span: str, windows: list[Window]) -> tuple[Span, Schema]:
    """The span as it is in the first of the windows that knows it, and that window's schema."""
    first = next(w for w in windows if w.span(span) is not None)
    record = first.span(span)
    assert record is not None
    return record, first.schema


def row(span: str, entry: str, start: Window, case: Case, names: Mapping[str, str], cells: tuple[PassCell, ...]) -> Row:
    """The row of a span, whose `entry` calls it by its id."""
    shown = names.get(span, span)
    return Row(
        shown,
        entry.replace(f"{span}:", f"{shown}:", 1),
        start.span(span) is not None,
        tuple(v for v, i in case.spans.items() if i == span and v != shown),
        cells,
    )


def _table(
    name: str,
    case: Case,
    passes: tuple[PassRecord, ...],
    writer: Writer,
    names: Mapping[str, str],
    numbers: Mapping[tuple[str, str], int],
) -> Table:
    mine = tuple(p for p in passes if root(p.term) == name)
    start = case.inputs[name]
    windows = [start, *(w for p in mine for w in (p.before, p.after))]
    rows = []
    for span in all_ids(windows):
        record, schema = first_record(span, windows)
        entry = write_entry(record, schema, span in start.archived)
        rows.append(row(span, entry, start, case, names, tuple(_cell(span, p, start, names, numbers) for p in mine)))
    return Table(name, tuple(writer.term(p.term) for p in mine), tuple(rows))


def all_ids(windows: list[Window]) -> list[str]:
    """Every span any of the windows knows, each where it stands in the first that knows it."""
    order: list[str] = []
    for window in windows:
        before: str | None = None
        for span in window.spans:
            if span.id not in order:
                order.insert(0 if before is None else order.index(before) + 1, span.id)
            before = span.id
    return order


def _cell(
    span: str, record: PassRecord, start: Window, names: Mapping[str, str], numbers: Mapping[tuple[str, str], int]
) -> PassCell:
    before, after = record.before, record.after
    was, now = before.span(span), after.span(span)
    events = () if record.refused is not None else tuple(e for e in record.events if span in e.spans)

    def by(*kinds: str) -> tuple[int, ...]:
        """The last rule of these kinds that named the span; an earlier one was undone or repeated."""
        found = [numbers[e.origin.text, place(e.origin)] for e in events if e.kind in kinds]
        return tuple(found[-1:])

    if was is None and now is None:
        return PassCell("elsewhere", "" if start.span(span) is None else "taken out")
    was_in = was is not None and span not in before.archived
    now_in = now is not None and span not in after.archived
    if not was_in and not now_in:
        came = "" if now is None else "+ inserted" if was is None else "< readmitted" if by("readmit") else ""
        if not came:
            return PassCell("archived", "")
        text = ", ".join((came, *new_links(span, record, names), "- evicted"))
        return PassCell("evicted", text, tuple(dict.fromkeys(by("insert", "readmit") + by("evict"))))
    if now is None:
        return PassCell("evicted", "- gone")
    differs = () if was is None else differences(was.values, now.values)
    changes = tuple(f"~ {d}" for d in differs)
    changers = by("set") if differs else ()
    if was_in and not now_in:
        return PassCell("evicted", ", ".join((*changes, "- evicted")), tuple(dict.fromkeys(changers + by("evict"))))
    changes += (f"> moved to {position(span, after)}",) if by("move") else ()
    changers = tuple(dict.fromkeys(changers + by("move")))
    if not was_in:
        mark: Mark = "inserted" if was is None else "readmitted"
        word = "+ inserted" if was is None else "< readmitted"
        changers = changers if was is not None else by("set")
        parts = (word, *new_links(span, record, names), *changes)
        return PassCell(mark, ", ".join(parts), by("insert", "readmit") + changers)
    if changes:
        return PassCell("changed" if differs else "moved", ", ".join(changes), changers)
    return PassCell("kept", "kept", by("keep"))


def new_links(span: str, record: PassRecord, names: Mapping[str, str]) -> tuple[str, ...]:
    """The links that a pass made from the span: what a summary covers, for instance, as far as that is easily read."""
    made: dict[str, list[str]] = {}
    for link, source, target in record.after.links - record.before.links:
        if source == span:
            made.setdefault(link, []).append(target)
    order = [s.id for s in record.after.spans]
    told = {link: [names.get(t, t) for t in sorted(targets, key=order.index)] for link, targets in made.items()}
    return tuple(
        f"{link} {', '.join(targets[:MOST_TARGETS])}"
        + (f" and {len(targets) - MOST_TARGETS} more" if len(targets) > MOST_TARGETS else "")
        for link, targets in sorted(told.items())
    )


MOST_TARGETS = 5


def position(span: str, window: Window) -> int:
    return [s.id for s in window.present()].index(span) + 1


def differences(was: Mapping[str, Value], now: Mapping[str, Value]) -> tuple[str, ...]:
    return tuple(f"{f} {shown_value(was[f])} -> {shown_value(now[f])}" for f in now if f in was and was[f] != now[f])


def shown_value(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


# ---------- what is said beside the table


def broken_links(record: PassRecord, writer: Writer, names: Mapping[str, str]) -> list[str]:
    """Links between two spans of the window before, one of which the pass took out while the other stayed."""
    before = {s.id for s in record.before.present()}
    after = {s.id for s in record.after.present()}
    lines = []
    for link, source, target in sorted(record.before.links):
        if {source, target} <= before and (source in after) != (target in after):
            gone = source if source not in after else target
            a, b, g = (names.get(i, i) for i in (source, target, gone))
            lines.append(f"{a} {link} {b}, and {g} is not in {writer.term(record.term)}")
    return lines


def _remarks(
    case: Case,
    passes: tuple[PassRecord, ...],
    writer: Writer,
    numbers: Mapping[tuple[str, str], int],
) -> tuple[str, ...]:
    lines = []
    answering = {key.run for key in case.choices}
    primed = {
        p.term.run: run_key(p.term.policy, p.term.run, depth(p.term))
        for p in passes
        if isinstance(p.term, Pass) and "'" in p.term.run
    }
    for run in sorted(r for r, key in primed.items() if key in answering):
        lines.append(f"P{run} is a run of its own: the model and the scores may answer otherwise than in P")
    for p in passes:
        if p.refused is not None:
            by = [numbers[e.origin.text, place(e.origin)] for e in p.events if e.kind in ("refuse", "gate")]
            rule = f" (rule {by[-1]})" if by else ""
            lines.append(f"{writer.term(p.term)} is refused{rule}: {p.refused}; what goes in comes out")
    return tuple(lines)


def choices_made(
    obligation: Obligation,
    case: Case,
    passes: tuple[PassRecord, ...],
    writer: Writer,
    names: Mapping[str, str],
    numbers: Mapping[tuple[str, str], int],
) -> tuple[str, ...]:
    """The answers of the model and of oracles. Open fields are left out: the table shows the records they end up in."""
    lines: dict[str, None] = {}
    for p in passes:
        assert isinstance(p.term, Pass)
        run = run_key(p.term.policy, p.term.run, depth(p.term))
        policy = obligation.policy(p.term.policy)
        asked: dict[int, list[tuple[str, bool]]] = {}
        for key, value in sorted(case.choices.items()):
            if key.run == run and key.site >= 0 and key.field == "" and isinstance(value, bool):
                asked.setdefault(key.site, []).append((key.span, value))
        for site, answers in asked.items():
            rule = _asker(policy, site)
            number = numbers.get((rule.text, place(rule))) if rule is not None else None
            by = f" (rule {number})" if number else f" ({rule.text})" if rule is not None else ""
            chosen = [names.get(s, s) for s, yes in answers if yes]
            lines[f"in {writer.term(p.term)} the model picks {', '.join(chosen) or 'nothing'}{by}"] = None
        for key, value in sorted(case.choices.items()):
            if key.run == run and key.site in (ORACLE_SITE, RESCORED_SITE):
                span = names.get(key.span, key.span)
                lines[f"in {writer.term(p.term)} the {key.field} of {span} is {shown_value(value)}"] = None
    for key, value in sorted(case.choices.items()):
        if key.site == RESCORED_SITE and key.run == "":
            lines[f"rescored, the {key.field} of {names.get(key.span, key.span)} is {shown_value(value)}"] = None
    return tuple(lines)


def _asker(policy: Policy, site: int) -> Origin | None:
    """The statement that acts on the subset the model chose at this site."""
    every = statements(policy.body)
    chosen = next((s.name for s in every if isinstance(s, LetSet) and s.site == site), None)
    for statement in every:
        match statement:
            case LetSet() | LetSpan() | LetValue():
                continue
            case Block():
                parts = nodes(replace(statement, body=()))
            case Keep() | Evict() | Set() | Insert() | Readmit() | Move() | Fill() | Refuse():
                parts = nodes(statement)
        if any(isinstance(p, InSet) and p.set == chosen for p in parts):
            return statement.origin
    return None
