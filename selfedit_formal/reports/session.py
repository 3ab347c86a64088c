"""A case of a session as a picture: one row per span, one column per turn, and what is left of the spans that went.

What the session notes for itself is not shown, only what somebody wrote: the environment, the policies, and the places
for tombstones and the ledger.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from selfedit_formal._frozen import dataclass
from selfedit_formal.core.expression import Input, Known, Pass, WindowTerm
from selfedit_formal.core.policy import Insert, Policy, Readmit, Statement, statements
from selfedit_formal.core.property import Case, Obligation
from selfedit_formal.core.session import EVICTIONS, HISTORY, Session, Store
from selfedit_formal.core.window import NO_KEY, Schema, Span, Window
from selfedit_formal.language.write import write_entry
from selfedit_formal.reports.formula import Writer
from selfedit_formal.reports.picture import (
    ActingRule,
    Gone,
    Mark,
    PassCell,
    Picture,
    Table,
    all_ids,
    broken_links,
    choices_made,
    created_names,
    differences,
    first_record,
    lone_run,
    new_links,
    parameters,
    picture,
    place,
    position,
    row,
    without_gates,
)
from selfedit_formal.semantics.state import from_window, same_window
from selfedit_formal.verifying.turns import books, start_name, window_after

if TYPE_CHECKING:
    from selfedit_formal.semantics.interpreter import Event, PassRecord


STORES: tuple[Literal["tombstones", "ledger"], ...] = ("tombstones", "ledger")
"""Of which a session puts spans into the window, in this order."""


def drawn(obligation: Obligation, case: Case, passes: tuple[PassRecord, ...]) -> Picture:
    """The case drawn, of a session turn by turn. `passes` are those of `interpreter.passes(obligation, case)`."""
    if obligation.turns is None:
        return picture(obligation, case, passes)
    return _Drawing(obligation, obligation.turns.session, case, without_gates(passes)).picture()


def at_rest(window: Window, session: Session) -> Window:
    """A session's window as one of the schema that the session is of: without what the session remembers."""
    schema = rest_schema(window.schema, session)
    return replace(window, schema=schema, spans=tuple(_plain(s, window.schema) for s in window.spans))


def rest_schema(schema: Schema, session: Session) -> Schema:
    """The schema that the session is of: without what the session remembers."""
    return replace(schema, name=session.window, fields=tuple(f for f in schema.fields if not f.history))


def _plain(span: Span, schema: Schema) -> Span:
    remembered = {f.name for f in schema.fields if f.history}
    return Span(span.id, {n: v for n, v in span.values.items() if n not in remembered})


def watched(session: Session) -> tuple[str, ...]:
    """The fields that remember, for a promise that something is true `at most once`, that it was, and was again."""
    usual = {f.name for f in HISTORY}
    return tuple(f.name for f in session.schema.fields if f.history and f.name not in usual)


# ---------- turns


@dataclass(frozen=True, slots=True)
class _Turn:
    """Passes that make one turn. `alone`: how many turns before it, and itself, the environment takes no part in."""

    number: int
    alone: int
    passes: tuple[PassRecord, ...]

    @property
    def name(self) -> str:
        return f"left alone {self.alone}" if self.alone else f"turn {self.number}"

    @property
    def after(self) -> Window:
        return self.passes[-1].after


def _turns(session: Session, passes: tuple[PassRecord, ...]) -> tuple[_Turn, ...]:
    """The passes, turn by turn: those with the environment first."""
    grouped: dict[tuple[int, int], list[PassRecord]] = {}
    for record in passes:
        where = _turn_of(session, record.term)
        if where is not None:
            grouped.setdefault(where, []).append(record)
    return tuple(_Turn(*where, tuple(grouped[where])) for where in sorted(grouped, key=lambda w: (w[1], w[0])))


def _turn_of(session: Session, term: WindowTerm) -> tuple[int, int] | None:
    """Which turn the pass belongs to, and which of those without the environment; None if it is in none."""
    names: list[str] = []
    while isinstance(term, Pass):
        names.insert(0, term.policy)
        term = term.window
    whole = [s.policy.name for s in session.steps]
    alone = [s.policy.name for s in session.steps if not s.environment]
    if not isinstance(term, Input):
        return None
    turns, left = 0, 0
    while names:
        if not left and names[: len(whole)] == whole[: len(names)]:
            turns, names = turns + 1, names[len(whole) :]
        elif names[: len(alone)] == alone[: len(names)]:
            left, names = left + 1, names[len(alone) :]
        else:
            return None
    return turns, left


# ---------- the drawing


@dataclass(frozen=True, slots=True)
class _Drawing:
    obligation: Obligation
    session: Session
    case: Case
    passes: tuple[PassRecord, ...]

    @property
    def turns(self) -> tuple[_Turn, ...]:
        return _turns(self.session, self.passes)

    def policy(self, record: PassRecord) -> Policy:
        assert isinstance(record.term, Pass)
        return self.obligation.policy(record.term.policy)

    def statement(self, record: PassRecord, event: Event) -> Statement | None:
        return next((s for s in statements(self.policy(record).body) if s.site == event.site), None)

    def events(self, record: PassRecord) -> tuple[Event, ...]:
        """What was done by something that somebody wrote, and stood."""
        if record.refused is not None:
            return ()
        found = ((e, self.statement(record, e)) for e in record.events if e.kind != "block")
        return tuple(e for e, s in found if s is None or not books(self.session, s))

    def who(self, policy: Policy) -> str:
        if policy in self.session.applied():
            return policy.name
        return "environment" if any(s.environment for s in self.session.steps if s.policy == policy) else "session"

    def picture(self) -> Picture:
        names = created_names(self.case, self.passes)
        rules = self.rules()
        numbers = {(r.text, r.place): r.number for r in rules}
        terms = self.terms()
        variables = {**names, **{v: names.get(i, i) for v, i in self.case.spans.items()}}
        writer = Writer(self.obligation.policies[0].name, variables, lone=lone_run(self.passes), called=terms)
        mine = tuple(p for p in self.passes if self.policy(p) in self.session.applied())
        return Picture(
            (self.table(names, numbers),),
            rules,
            tuple(dict.fromkeys(x for p in mine for x in broken_links(p, writer, names))),
            (*self.refusals(writer, numbers), *self.lasso()),
            parameters(self.obligation, self.case),
            choices_made(self.obligation, self.case, mine, writer, names, numbers),
            names,
            tuple(self.gone(names, numbers)),
            tuple(self.stories(names)),
            terms,
        )

    def terms(self) -> Mapping[WindowTerm, str]:
        """What the windows are called: as in the promise, or by their turn."""
        about = self.obligation.turns
        assert about is not None
        assert about.taken is not None
        found: dict[WindowTerm, str] = {Input(start_name(about)): "the start" if about.start is None else about.start}
        for turn in self.turns:
            found |= {p.term: turn.name for p in turn.passes}
        reached = window_after(self.obligation, about.taken)
        further = max((t.number for t in self.turns), default=0)
        for more in range(1, further - about.taken + 1):
            power = "" if more == 1 else f"^{more}"
            found[self.session.after(more, reached)] = f"{self.session.name}{power}({about.reached})"
        for more in range(1, max((t.alone for t in self.turns), default=0) + 1):
            found[self.session.after(more, reached, alone=True)] = (
                f"{about.reached} left alone for {more} turn{'s' * (more > 1)}"
            )
        if about.before is not None:
            found[window_after(self.obligation, about.taken - 1)] = about.before
        found[reached] = about.reached
        return found | {Known(w): f"known({n})" for w, n in found.items()}

    # ---------- rules

    def rules(self) -> tuple[ActingRule, ...]:
        """What acted: the environment's, then the policies', then the session's, each in the order written."""
        order = [s.policy.name for s in self.session.steps]
        rank = {"environment": 0, "session": 2}
        acted: dict[tuple[str, str], tuple[int, int, int, str]] = {}
        for record in self.passes:
            policy = self.policy(record)
            who = self.who(policy)
            shown = (*self.events(record), *(e for e in record.events if e.kind in ("refuse", "gate")))
            for event in shown:
                if event.spans or event.kind in ("refuse", "gate"):
                    at = (rank.get(who, 1), order.index(policy.name), event.site, who)
                    key = (event.origin.text, place(event.origin))
                    acted[key] = min(at, acted.get(key, at))
        ranked = sorted(acted, key=lambda k: acted[k])
        return tuple(ActingRule(n, text, where, acted[text, where][3]) for n, (text, where) in enumerate(ranked, 1))

    # ---------- the table

    def table(self, names: Mapping[str, str], numbers: Mapping[tuple[str, str], int]) -> Table:
        (name, start), *_ = self.case.inputs.items()
        windows = [start, *(w for p in self.passes for w in (p.before, p.after))]
        rows = []
        for span in all_ids(windows):
            record, schema = first_record(span, windows)
            entry = write_entry(_plain(record, schema), rest_schema(schema, self.session), False)
            cells = tuple(self.cell(span, turn, names, numbers) for turn in self.turns)
            rows.append(row(span, entry, start, self.case, names, cells))
        return Table(f"{name} (start)", tuple(t.name for t in self.turns), tuple(rows))

    def cell(
        self, span: str, turn: _Turn, names: Mapping[str, str], numbers: Mapping[tuple[str, str], int]
    ) -> PassCell:
        done = [step for record in turn.passes for step in self.steps(span, record, names)]
        if not done:
            return PassCell("kept", "kept") if _present(span, turn.after) else PassCell("archived", "")
        text = ", ".join(f"{what}{_by(events, numbers)}" for _, what, events in done)
        return PassCell(done[-1][0], text)

    def steps(
        self, span: str, record: PassRecord, names: Mapping[str, str]
    ) -> Iterator[tuple[Mark, str, tuple[Event, ...]]]:
        """What the pass did to the span, one thing after the other, and the events that did."""
        before, after = record.before, record.after
        was, now = before.span(span), after.span(span)
        was_in, now_in = _present(span, before), _present(span, after)
        events = tuple(e for e in self.events(record) if span in e.spans)

        def by(*kinds: str) -> tuple[Event, ...]:
            return tuple(e for e in events if e.kind in kinds)[-1:]

        outside = self.who(self.policy(record)) == "environment"
        if was is None and now is not None:
            came = "+ arrived" if outside else "+ inserted"
            yield "inserted", ", ".join((came, *new_links(span, record, names))), by("insert")
        elif not was_in and (now_in or by("readmit")):
            asked = any(
                isinstance(s, Readmit) and s.override for e in by("readmit") for s in (self.statement(record, e),)
            )
            yield "readmitted", "< came back" + (", by an override" if asked else ""), by("readmit")
        if was is not None and now is not None:
            changes = differences(_plain(was, before.schema).values, _plain(now, after.schema).values)
            if changes:
                yield "changed", ", ".join(f"~ {c}" for c in changes), by("set")
        if by("move") and now_in:
            yield "moved", f"> moved to {position(span, after)}", by("move")
        if now is None and was is not None:
            yield "evicted", "- gone", ()
        elif not now_in and (was_in or was is None or by("readmit")) and now is not None:
            yield "evicted", "- evicted", by("evict")

    # ---------- what is said beside the table

    def gone(self, names: Mapping[str, str], numbers: Mapping[tuple[str, str], int]) -> Iterator[Gone]:
        """What was evicted, by which rules, and what is left of it."""
        for turn in self.turns:
            evictions = [(p, e) for p in turn.passes for e in self.events(p) if e.kind == "evict"]
            puts = list(self.puts(turn))
            for span in turn.after.spans:
                was = turn.passes[0].before.span(span.id)
                if int(span[EVICTIONS]) <= (0 if was is None else int(was[EVICTIONS])):
                    continue
                by = tuple(
                    dict.fromkeys(numbers[e.origin.text, place(e.origin)] for _, e in evictions if span.id in e.spans)
                )
                keys = tuple(
                    f"{f.name} = {span[f.name]}"
                    for f in turn.after.schema.fields
                    if f.kind == "key" and f.name in span.values and span[f.name] != NO_KEY
                )
                made = {kept: names.get(e.spans[0], e.spans[0]) for kept, e in puts}
                yield Gone(
                    turn.name,
                    names.get(span.id, span.id),
                    (str(span["tag"]), *keys),
                    by,
                    _left(self.session.tombstones, made.get("tombstones")),
                    _left(self.session.ledger, made.get("ledger")),
                )

    def puts(self, turn: _Turn) -> Iterator[tuple[Literal["tombstones", "ledger"], Event]]:
        """What the session put into the window for spans that left: into which of its stores, and the event."""
        stores = self.session.tombstones, self.session.ledger
        inside = [name for name, store in zip(STORES, stores, strict=True) if store == "in_window"]
        for record in turn.passes:
            policy = self.policy(record)
            if self.who(policy) == "session":
                sites = (s.site for s in statements(policy.body) if isinstance(s, Insert))
                kept = dict(zip(sites, inside, strict=False))
                yield from ((kept[e.site], e) for e in self.events(record) if e.kind == "insert")

    def stories(self, names: Mapping[str, str]) -> Iterator[str]:
        """Of a span of which something was to be true at most once, when it was; of each that went and came, how."""
        for span in dict.fromkeys(self.case.spans.values()):
            times = [t.name for t in self.turns for f in watched(self.session) if _began(span, f, t)]
            if len(times) > 1:
                yield f"it is so of {names.get(span, span)} after {times[0]} and after {times[1]}"
        words = {"inserted": "arrived", "readmitted": "came back", "evicted": "was evicted"}
        turns = [t for t in self.turns if not t.alone]
        for span in dict.fromkeys(s.id for t in turns for s in t.after.spans):
            went = {
                turn.name: [
                    words[mark] + (" by an override" if "override" in what else "")
                    for record in turn.passes
                    for mark, what, _ in self.steps(span, record, names)
                    if mark in words
                ]
                for turn in turns
            }
            if any(w.startswith("came back") for done in went.values() for w in done):
                said = [f"{' and '.join(done)} in {turn}" for turn, done in went.items() if done]
                yield f"{names.get(span, span)} {', '.join(said)}"

    def refusals(self, writer: Writer, numbers: Mapping[tuple[str, str], int]) -> Iterator[str]:
        for turn in self.turns:
            for record in turn.passes:
                if record.refused is not None:
                    by = [e for e in record.events if e.kind in ("refuse", "gate")]
                    where = f"in {turn.name} `{self.policy(record).name}` is refused{_by(tuple(by[-1:]), numbers)}"
                    yield f"{where}: {record.refused}; what goes in comes out"

    def lasso(self) -> Iterator[str]:
        """The window that comes back after it was another one."""
        start = next(iter(self.case.inputs.values()))
        windows = [("at the start", start), *((f"after {t.name}", t.after) for t in self.turns if not t.alone)]
        for first, (name, window) in enumerate(windows):
            left = False
            for again, other in windows[first + 1 :]:
                same = same_window(from_window(window), from_window(other))
                if same and left:
                    yield f"the window {name} is back {again}"
                    return
                left = left or not same


def _began(span: str, field: str, turn: _Turn) -> bool:
    """Whether the flag is true of the span since this turn."""
    before, after = turn.passes[0].before.span(span), turn.after.span(span)
    return after is not None and bool(after[field]) and not (before is not None and before[field])


def _present(span: str, window: Window) -> bool:
    return window.span(span) is not None and span not in window.archived


def _by(events: tuple[Event, ...], numbers: Mapping[tuple[str, str], int]) -> str:
    found = [numbers[e.origin.text, place(e.origin)] for e in events if (e.origin.text, place(e.origin)) in numbers]
    return f" (rule {found[-1]})" if found else ""


def _left(store: Store, made: str | None) -> str | None:
    """What is left in a place: a span of the window, or an entry beside it; None if nothing is."""
    match store:
        case "none":
            return None
        case "sidecar":
            return "outside the window"
        case "in_window":
            return made
