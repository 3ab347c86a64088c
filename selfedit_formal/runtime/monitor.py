"""Signals that a session goes wrong, from its log: what the three records say to look for, each with its turns.

`spec/signals.md` defines every signal. A log of any length takes memory for the window that it describes and for a
number of keys that is fixed in `Settings`.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace
from typing import IO, Generic, Literal, TypeVar, get_args

from selfedit_formal._frozen import dataclass
from selfedit_formal.core.diagnostics import Diagnostic, Rejected
from selfedit_formal.runtime.gate.spans import TOMBSTONE
from selfedit_formal.runtime.session_log import (
    EditLine,
    Event,
    LoggedSpan,
    PassLine,
    Problem,
    SessionLine,
    TurnLine,
    located,
    read,
)

T = TypeVar("T")

Signal = Literal[
    "orphaned_rationale",
    "rewrites_without_progress",
    "same_digest_other_decision",
    "reachability_lost",
    "no_tombstones",
    "prune_readmit_cycle",
    "summary_diverges",
    "redundant_calls",
    "over_cap",
]
SIGNALS: tuple[Signal, ...] = get_args(Signal)

RECORDS: Mapping[Signal, str] = {
    "orphaned_rationale": "R1",
    "rewrites_without_progress": "R1",
    "same_digest_other_decision": "R1",
    "reachability_lost": "R1",
    "no_tombstones": "R0",
    "prune_readmit_cycle": "R0",
    "summary_diverges": "R0",
    "redundant_calls": "R2",
    "over_cap": "R2",
}
"""Which record has the signal."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What counts as a signal, and how much is remembered.

    `passes`: how many passes that change the window are looked at together, `band`: how far from their middle their
    tokens may be, as a part of it, `progress`: which part of the tokens they took out must stay out. `coverage`: what
    counts as high. `turns`: how many turns are compared with as many before them. `removals`: how many in a row without
    a record. `remembered`: keys kept of each sort. `spans`: how many the window may have. `kept`: findings of each
    signal in a report, `wrong`: diagnostics.
    """

    passes: int = 8
    band: float = 0.08
    progress: float = 0.25
    coverage: float = 0.9
    turns: int = 5
    removals: int = 8
    remembered: int = 65_536
    spans: int = 100_000
    kept: int = 1_000
    wrong: int = 100


DEFAULT = Settings()
REASON = 200
"""How many characters of a reason are remembered."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A signal. `turns` are those concerned (of a run, the first and the last), `about` span ids or other keys.

    `text` says it in a line; `numbers` has what was measured.
    """

    signal: Signal
    turns: tuple[int, ...]
    about: tuple[str, ...]
    text: str
    numbers: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Totals:
    """What a whole session comes to.

    `removals`: spans that left; `tombstones`: those of them with a record that survives. `cycles` counts spans that
    were pruned, came back and perhaps were pruned again, `cycle_tokens` what that cost. `novel` and `repeated` are
    tokens that arrived. `forgotten`: keys that had to be forgotten; if it is 0, every definition was applied exactly.
    """

    turns: int = 0
    passes: int = 0
    edits: int = 0
    refusals: int = 0
    overrides: int = 0
    removals: int = 0
    tombstones: int = 0
    cycles: int = 0
    cycle_tokens: int = 0
    calls: int = 0
    redundant_calls: int = 0
    novel: int = 0
    repeated: int = 0
    most_tokens: int = 0
    cap: int | None = None
    forgotten: int = 0


@dataclass(frozen=True, slots=True)
class Report:
    """Every finding, in the order in which it showed, and the totals. `omitted` counts findings beyond those kept."""

    findings: tuple[Finding, ...]
    omitted: Mapping[Signal, int]
    totals: Totals


def monitor(lines: IO[bytes] | Iterable[bytes], name: str = "<log>", settings: Settings = DEFAULT) -> Report:
    """The signals in a log, which may be a file opened for reading bytes or a pipe.

    Raises Rejected with everything that is wrong with its lines (the first of them, if there are very many), and if it
    has none.
    """
    following = Monitor(settings)
    findings: list[Finding] = []
    counts: dict[Signal, int] = {}
    diagnostics: list[Diagnostic] = []
    unnamed, unreadable = 0, False
    problem: Problem | None

    def note(found: Iterable[Finding]) -> None:
        for finding in found:
            counts[finding.signal] = counts.get(finding.signal, 0) + 1
            if counts[finding.signal] <= settings.kept:
                findings.append(finding)

    empty = True
    for event, source in read(lines, name):
        empty = False
        if isinstance(event, Problem):
            # What is in a line that cannot be read, the lines after it may rightly refer to.
            problem, unreadable = event, True
        elif unreadable:
            continue
        else:
            problem = following.problem(event)
            fitting = event if problem is None else following.mended(event)
            note(following.see(fitting) if fitting is not None else ())
        if problem is None:
            continue
        if len(diagnostics) < settings.wrong:
            diagnostics.append(located(problem, source))
        else:
            unnamed += 1
    if unnamed:
        last = diagnostics[-1]
        diagnostics.append(Diagnostic(last.code, f"{unnamed} more lines are wrong"))
    if empty:
        hint = "a session that was recorded has at least one turn"
        diagnostics.append(Diagnostic("L006", f"there is no event in `{name}`", hint=hint))
    if diagnostics:
        raise Rejected(tuple(diagnostics))
    note(following.end())
    omitted = {signal: n - settings.kept for signal, n in counts.items() if n > settings.kept}
    return Report(tuple(findings), omitted, following.totals())


# ---------- memory


class Remembered(Generic[T]):
    """The last so many keys, each with a value. A key is held by its hash, so its length does not matter."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._values: OrderedDict[bytes, T] = OrderedDict()
        self.forgotten = 0

    def get(self, key: str) -> T | None:
        """The value, and the key is the newest now; None if it is not known (any more)."""
        place = _hash(key)
        if place not in self._values:
            return None
        self._values.move_to_end(place)
        return self._values[place]

    def put(self, key: str, value: T) -> None:
        place = _hash(key)
        self._values[place] = value
        self._values.move_to_end(place)
        if len(self._values) > self._capacity:
            self._values.popitem(last=False)
            self.forgotten += 1

    def drop(self, key: str) -> None:
        self._values.pop(_hash(key), None)


def _hash(*parts: str) -> bytes:
    mixed = hashlib.blake2b(digest_size=16)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        mixed.update(len(data).to_bytes(8, "big") + data)
    return mixed.digest()


# ---------- the window that the log describes


@dataclass(frozen=True, slots=True)
class _Fate:
    """That a content was pruned, when and why, and whether an override was given since."""

    turn: int
    reason: str
    lifted: bool = False


@dataclass(frozen=True, slots=True)
class _Held:
    """A span in the window. `since`: the turn it came in, by an edit if `made`; `fate`: if it came back silently."""

    span: LoggedSpan
    since: int
    made: bool = False
    fate: _Fate | None = None


class _Live:
    """The window as it is after the events so far, and which spans of it have lost all that justified them."""

    def __init__(self) -> None:
        self.spans: dict[str, _Held] = {}
        self.tokens = 0
        self.grounds: dict[str, set[str]] = {}
        self.needing: set[str] = set()
        self.orphans: set[str] = set()
        self.contents: dict[str, int] = {}
        self._digest = 0

    @property
    def digest(self) -> str:
        """The same for windows with the same contents under the same tags, whatever their order."""
        return f"{self._digest % 2**128:032x}"

    @property
    def reach(self) -> float:
        """Which part of the spans that were justified still is."""
        return 1 - len(self.orphans) / len(self.needing) if self.needing else 1.0

    def add(self, held: _Held) -> None:
        span = held.span
        self.spans[span.id] = held
        self._count(span, 1)
        for target in span.justifies:
            if target != span.id:
                self.grounds.setdefault(target, set()).add(span.id)
                if target in self.spans:
                    self.needing.add(target)
                    self.orphans.discard(target)
        if span.id in self.grounds:
            self.needing.add(span.id)

    def remove(self, identity: str) -> _Held:
        held = self.spans.pop(identity)
        self._count(held.span, -1)
        for target in held.span.justifies:
            reasons = self.grounds.get(target)
            if reasons is not None:
                reasons.discard(identity)
                if not reasons:
                    del self.grounds[target]
                    if target in self.needing:
                        self.orphans.add(target)
        self.needing.discard(identity)
        self.orphans.discard(identity)
        return held

    def rewrite(self, span: LoggedSpan) -> _Held:
        """In its new form; it stays as justified as it was. What it was is returned."""
        was = self.spans[span.id]
        needed, orphaned = span.id in self.needing, span.id in self.orphans
        self.remove(span.id)
        self.add(replace(was, span=span))
        if needed:
            self.needing.add(span.id)
        if orphaned and span.id not in self.grounds:
            self.orphans.add(span.id)
        return was

    def _count(self, span: LoggedSpan, by: int) -> None:
        self.tokens += by * span.tokens
        self._digest += by * int.from_bytes(_hash(span.content, span.tag), "big")
        number = self.contents.get(span.content, 0) + by
        if number:
            self.contents[span.content] = number
        else:
            del self.contents[span.content]


# ---------- what is going on


@dataclass(slots=True)
class _Answer:
    """A pass that is under way, and what it did so far. `lost`: justifiers that left, by what they justified."""

    turn: int
    digest: str
    decision: int = 0
    changes: bool = False
    out: int = 0
    back: int = 0
    lost: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Changing:
    """A pass that changed the window: its turn, the tokens after it, those it took out, and those that came back."""

    turn: int
    tokens: int
    out: int
    back: int


@dataclass(slots=True)
class _Streak:
    """Turns (or passes) in a row that show a signal."""

    first: int
    last: int
    number: int
    most: float = 0.0


class Monitor:
    """Follows a session event by event. `problem` says whether an event fits; `see` and `end` tell what has shown."""

    def __init__(self, settings: Settings = DEFAULT) -> None:
        self._settings = settings
        self._totals = Totals()
        self._live = _Live()
        self._turn: int | None = None
        self._started = False
        self._answer: _Answer | None = None
        # Tokens of the window as the turn began, those that left of them, what a summarizer reported, and how many of
        # the spans that were justified still were, a turn ago.
        self._base = 0
        self._left = 0
        self._reported: float | None = None
        self._reach = 1.0
        self._returned = 0
        self._pruned: Remembered[_Fate] = Remembered(settings.remembered)
        self._seen: Remembered[bool] = Remembered(settings.remembered)
        self._called: Remembered[bool] = Remembered(settings.remembered)
        self._facts: Remembered[tuple[bytes, int]] = Remembered(settings.remembered)
        self._decisions: Remembered[tuple[int, int]] = Remembered(settings.remembered)
        self._changing: deque[_Changing] = deque(maxlen=settings.passes)
        self._recent: deque[tuple[int, int, int, int]] = deque(maxlen=2 * settings.turns)
        self._plateau: _Streak | None = None
        self._repeating: _Streak | None = None
        self._over: _Streak | None = None
        self._unrecorded: _Streak | None = None
        self._first_removal: int | None = None
        self._last_removal = 0
        self._silence_told = False

    def totals(self) -> Totals:
        """What the session comes to so far."""
        memories = (self._pruned, self._seen, self._called, self._facts, self._decisions)
        return replace(self._totals, forgotten=sum(m.forgotten for m in memories))

    # ---------- whether an event fits

    def problem(self, event: Event) -> Problem | None:
        """Why the event cannot come here; None if it can."""
        match event:
            case SessionLine():
                return Problem("L003", "a session is the first line", key="event") if self._started else None
            case TurnLine(turn):
                if self._turn is not None and turn <= self._turn:
                    return Problem("L003", f"turn {turn} comes after turn {self._turn}", key="turn")
                twice = next((s.id for s in event.arrived if s.id in self._live.spans), None)
                if twice is not None:
                    return Problem("L004", f"`{twice}` arrives and is in the window already", key=twice)
                return self._crowded(len(event.arrived))
            case PassLine(turn):
                return self._other_turn(turn)
            case EditLine(turn):
                return self._other_turn(turn) or self._unfit(event) or self._crowded(len(event.made))

    def _other_turn(self, turn: int) -> Problem | None:
        if self._turn is None:
            return Problem("L003", "no turn has begun yet", 'a turn begins with {"event": "turn", "turn": 1}')
        if turn != self._turn:
            return Problem("L003", f"this is of turn {turn}, and turn {self._turn} is under way", key="turn")
        return None

    def _unfit(self, edit: EditLine) -> Problem | None:
        spans = self._live.spans
        if edit.kind == "refuse":
            return None
        missing = next((s for s in edit.spans if s not in spans), None)
        if missing is not None:
            hint = "every span that is in the window has arrived in some turn, or was made by an edit"
            return Problem("L004", f"`{missing}` is not in the window", hint, missing)
        if edit.kind == "rewrite":
            return None
        gone = set(edit.spans)
        twice = next((s.id for s in edit.made if s.id in spans and s.id not in gone), None)
        return Problem("L004", f"`{twice}` is in the window already", key=twice) if twice is not None else None

    def _crowded(self, more: int) -> Problem | None:
        if len(self._live.spans) + more <= self._settings.spans:
            return None
        return Problem("L005", f"the window has more than {self._settings.spans} spans")

    def mended(self, event: Event) -> Event | None:
        """What is left of an event that does not fit, so that those after it are not blamed for it; None if nothing."""
        spans = self._live.spans
        match event:
            case SessionLine():
                return None
            case TurnLine():
                room = max(self._settings.spans - len(spans), 0)
                return replace(event, arrived=tuple(s for s in event.arrived if s.id not in spans)[:room])
            case PassLine():
                return replace(event, turn=self._turn) if self._turn is not None else None
            case EditLine(kind="refuse" | "override"):
                return replace(event, turn=self._turn) if self._turn is not None else None
            case EditLine():
                there = tuple(s for s in event.spans if s in spans)
                made = tuple(s for s in event.made if (s.id in spans) == (event.kind == "rewrite"))
                if self._turn is None or not (there or made) or self._crowded(len(made)) is not None:
                    return None
                return replace(event, turn=self._turn, spans=there, made=made)

    # ---------- events

    def see(self, event: Event) -> tuple[Finding, ...]:
        """What has shown with this event, which fits (`problem` is None)."""
        self._started = True
        match event:
            case SessionLine(cap):
                self._totals = replace(self._totals, cap=cap)
                return ()
            case TurnLine():
                return (*self._turn_ends(), *self._turn_begins(event))
            case PassLine(turn, digest):
                found = tuple(self._pass_ends())
                self._pass_begins(turn, digest)
                return found
            case EditLine():
                return tuple(self._edited(event))

    def end(self) -> tuple[Finding, ...]:
        """What shows only when nothing more comes. Nothing may be seen after this."""
        return (
            *self._turn_ends(),
            *self._plateau_ends(),
            *self._repeating_ends(),
            *self._over_ends(),
            *self._silence_ends(last=True),
            *self._open_cycles(),
        )

    # ---------- turns

    def _turn_begins(self, event: TurnLine) -> Iterator[Finding]:
        self._turn = event.turn
        novel = repeated = 0
        for span in event.arrived:
            known = self._seen.get(span.content) is not None
            repeated += span.tokens if known else 0
            novel += 0 if known else span.tokens
            self._returned += self._come_in(span)
        redundant = 0
        for call in event.calls:
            redundant += self._called.get(call) is not None
            self._called.put(call, True)
        for subject, value in event.established.items():
            self._facts.put(subject, (_hash(value), event.turn))
        totals = self._totals
        self._totals = replace(
            totals,
            turns=totals.turns + 1,
            calls=totals.calls + len(event.calls),
            redundant_calls=totals.redundant_calls + redundant,
            novel=totals.novel + novel,
            repeated=totals.repeated + repeated,
            most_tokens=max(totals.most_tokens, self._live.tokens),
        )
        self._base, self._left, self._reported = self._live.tokens, 0, None
        self._recent.append((event.turn, redundant, novel, repeated))
        yield from self._calls_repeat(event.turn)

    def _turn_ends(self) -> Iterator[Finding]:
        turn = self._turn
        if turn is None:
            return
        yield from self._pass_ends()
        yield from self._reach_falls(turn)
        yield from self._cap_is_exceeded(turn)

    def _calls_repeat(self, turn: int) -> Iterator[Finding]:
        half = self._settings.turns
        recent = list(self._recent)
        earlier, later = recent[:half], recent[half:]
        before, now = sum(r[1] for r in earlier), sum(r[1] for r in later)
        was, fresh = _share(earlier), _share(later)
        if len(recent) == 2 * half and now > before and was is not None and fresh is not None and fresh < was:
            if self._repeating is None:
                self._repeating = _Streak(recent[half][0], turn, now, fresh)
            self._repeating.last = turn
            self._repeating.number = max(self._repeating.number, now)
            self._repeating.most = min(self._repeating.most, fresh)
        else:
            yield from self._repeating_ends()

    def _repeating_ends(self) -> Iterator[Finding]:
        run, self._repeating = self._repeating, None
        if run is not None:
            yield Finding(
                "redundant_calls",
                (run.first, run.last),
                (),
                f"up to {run.number} calls in {self._settings.turns} turns were made before, more than in those before;"
                f" down to {run.most:.0%} of the tokens that arrive are new",
                {"calls": run.number, "novel": run.most},
            )

    def _reach_falls(self, turn: int) -> Iterator[Finding]:
        reach = self._live.reach
        if self._reported is not None:
            coverage = self._reported
        else:
            coverage = (self._base - self._left) / self._base if self._base else 1.0
        if reach < self._reach and coverage >= self._settings.coverage:
            yield Finding(
                "reachability_lost",
                (turn,),
                tuple(sorted(self._live.orphans))[:10],
                f"{reach:.0%} of the spans that were justified still are, down from {self._reach:.0%},"
                f" while {coverage:.0%} of the tokens are kept",
                {"reachability": reach, "before": self._reach, "coverage": coverage},
            )
        self._reach = reach

    def _cap_is_exceeded(self, turn: int) -> Iterator[Finding]:
        cap, tokens = self._totals.cap, self._live.tokens
        self._totals = replace(self._totals, most_tokens=max(self._totals.most_tokens, tokens))
        if cap is not None and tokens > cap:
            if self._over is None:
                self._over = _Streak(turn, turn, 0)
            self._over.last, self._over.number = turn, self._over.number + 1
            self._over.most = max(self._over.most, tokens)
        else:
            yield from self._over_ends()

    def _over_ends(self) -> Iterator[Finding]:
        run, self._over = self._over, None
        cap = self._totals.cap
        if run is not None and cap is not None:
            times = f", {run.most / cap:.1f} times the cap of {cap}" if cap else f", over a cap of {cap}"
            yield Finding(
                "over_cap",
                (run.first, run.last),
                (),
                f"up to {run.most:.0f} tokens at the end of a turn{times}",
                {"tokens": run.most, "cap": cap, "turns": run.number},
            )

    # ---------- passes

    def _pass_begins(self, turn: int, digest: str | None) -> None:
        told = f"told {digest}" if digest is not None else f"seen {self._live.digest}"
        self._answer = _Answer(turn, told, back=self._returned)
        self._returned = 0
        self._totals = replace(self._totals, passes=self._totals.passes + 1)

    def _pass_ends(self) -> Iterator[Finding]:
        answer, self._answer = self._answer, None
        if answer is None:
            return
        for span, reason in answer.lost.items():
            if span in self._live.orphans:
                yield Finding(
                    "orphaned_rationale",
                    (answer.turn,),
                    (span, reason),
                    f"`{span}` stays, and `{reason}`, the last that justified it, is gone",
                )
        earlier = self._decisions.get(answer.digest)
        decision = answer.decision % 2**128
        if earlier is not None and earlier[0] != decision:
            yield Finding(
                "same_digest_other_decision",
                (earlier[1], answer.turn),
                (answer.digest.partition(" ")[2],),
                "the policy was shown the same digest and decided otherwise",
            )
        self._decisions.put(answer.digest, (decision, answer.turn))
        if answer.changes:
            self._changing.append(_Changing(answer.turn, self._live.tokens, answer.out, answer.back))
            yield from self._plateau_goes_on(answer.turn)
        else:
            # What came back before a pass that changes nothing is held against the next that does.
            self._returned += answer.back

    def _plateau_goes_on(self, turn: int) -> Iterator[Finding]:
        passes = self._changing
        most, least = max(p.tokens for p in passes), min(p.tokens for p in passes)
        out = sum(p.out for p in passes)
        net = out - sum(p.back for p in passes)
        level = most - least <= self._settings.band * (most + least)
        if len(passes) == self._settings.passes and level and net <= self._settings.progress * out:
            if self._plateau is None:
                self._plateau = _Streak(passes[0].turn, turn, len(passes) - 1, net)
            self._plateau.last, self._plateau.number = turn, self._plateau.number + 1
            self._plateau.most = net
        else:
            yield from self._plateau_ends()

    def _plateau_ends(self) -> Iterator[Finding]:
        run, self._plateau = self._plateau, None
        if run is not None:
            yield Finding(
                "rewrites_without_progress",
                (run.first, run.last),
                (),
                f"{run.number} passes changed the window, its tokens stayed within {self._settings.band:.0%} of a"
                f" level; the last {self._settings.passes} freed {run.most:.0f} tokens for good",
                {"passes": run.number, "freed": run.most},
            )

    # ---------- edits

    def _edited(self, edit: EditLine) -> Iterator[Finding]:
        totals = self._totals
        self._totals = replace(totals, edits=totals.edits + (edit.kind not in ("refuse", "override")))
        match edit.kind:
            case "refuse":
                self._totals = replace(self._totals, refusals=self._totals.refusals + 1)
                return
            case "override":
                for content in edit.contents:
                    fate = self._pruned.get(content)
                    if fate is not None:
                        self._pruned.put(content, replace(fate, lifted=True))
                self._totals = replace(self._totals, overrides=self._totals.overrides + 1)
                return
            case _:
                pass
        if self._answer is None:
            self._pass_begins(edit.turn, None)
        answer = self._answer
        assert answer is not None
        answer.changes = True
        rationale = sum(self._live.spans[s].span.tokens for s in edit.rationale if s in self._live.spans)
        tags = {s: self._live.spans[s].span for s in edit.spans}
        match edit.kind:
            case "evict" | "merge":
                yield from self._removed(edit, answer, rationale)
                for span in edit.made:
                    answer.back += span.tokens
                    self._come_in(span, made=True)
            case "rewrite":
                for span in edit.made:
                    held = self._live.rewrite(span)
                    self._seen.put(span.content, True)
                    answer.out += held.span.tokens
                    answer.back += span.tokens
                    self._leave(held, max(held.span.tokens - span.tokens, 0))
                    self._note_lost(answer, held.span)
            case "readmit" | "insert":
                for span in edit.made:
                    answer.back += span.tokens
                    self._come_in(span, made=True)
            case "move":
                pass
        for span in (*tags.values(), *edit.made):
            answer.decision += int.from_bytes(_hash(edit.kind, span.content, span.tag), "big")
        yield from self._claimed(edit)

    def _removed(self, edit: EditLine, answer: _Answer, rationale: int) -> Iterator[Finding]:
        for identity in edit.spans:
            held = self._live.remove(identity)
            span = held.span
            answer.out += span.tokens
            self._leave(held, span.tokens)
            self._note_lost(answer, span)
            if span.content not in self._live.contents:
                self._pruned.put(span.content, _Fate(edit.turn, edit.reason[:REASON]))
            if held.fate is not None:
                yield self._cycle(held, held.fate, edit.turn, span.tokens + rationale)
                rationale = 0
            if span.tag == TOMBSTONE:
                self._totals = replace(self._totals, tombstones=self._totals.tombstones - 1)
        number = len(edit.spans)
        self._totals = replace(
            self._totals,
            removals=self._totals.removals + number,
            tombstones=self._totals.tombstones + (number if edit.recorded else 0),
        )
        self._last_removal = edit.turn
        if self._first_removal is None:
            self._first_removal = edit.turn
        if edit.recorded:
            yield from self._silence_ends(last=False)
        else:
            if self._unrecorded is None:
                self._unrecorded = _Streak(edit.turn, edit.turn, 0)
            self._unrecorded.last, self._unrecorded.number = edit.turn, self._unrecorded.number + number

    def _leave(self, held: _Held, tokens: int) -> None:
        if not (held.made and held.since == self._turn):
            self._left += tokens

    def _note_lost(self, answer: _Answer, was: LoggedSpan) -> None:
        for target in was.justifies:
            if target in self._live.orphans:
                answer.lost[target] = was.id

    def _come_in(self, span: LoggedSpan, *, made: bool = False) -> int:
        """Puts the span in; how many tokens that brings back of what had been pruned."""
        assert self._turn is not None
        fate = self._pruned.get(span.content)
        self._pruned.drop(span.content)
        self._seen.put(span.content, True)
        self._live.add(_Held(span, self._turn, made, None if fate is None or fate.lifted else fate))
        return span.tokens if fate is not None else 0

    def _cycle(self, held: _Held, fate: _Fate, again: int | None, tokens: int) -> Finding:
        totals, span = self._totals, held.span
        self._totals = replace(totals, cycles=totals.cycles + 1, cycle_tokens=totals.cycle_tokens + tokens)
        why = f" ({fate.reason})" if fate.reason else ""
        pruned = f", was pruned again at turn {again}" if again is not None else ""
        return Finding(
            "prune_readmit_cycle",
            (fate.turn, held.since) if again is None else (fate.turn, held.since, again),
            (span.id, span.content),
            f"`{span.id}` was pruned at turn {fate.turn}{why}, came back at turn {held.since} without an"
            f" override{pruned}: {tokens} tokens",
            {"tokens": tokens},
        )

    def _open_cycles(self) -> Iterator[Finding]:
        for held in self._live.spans.values():
            if held.fate is not None:
                yield self._cycle(held, held.fate, None, held.span.tokens)

    def _claimed(self, edit: EditLine) -> Iterator[Finding]:
        if edit.coverage is not None:
            self._reported = edit.coverage
        for subject, value in edit.claims.items():
            fact = self._facts.get(subject)
            if fact is not None and fact[0] != _hash(value):
                yield Finding(
                    "summary_diverges",
                    (fact[1], edit.turn),
                    (subject, *(s.id for s in edit.made)),
                    f"a summary says `{value}` of `{subject}`; turn {fact[1]} established something else",
                )

    def _silence_ends(self, *, last: bool) -> Iterator[Finding]:
        """A run of removals without a record is over, or the session is (`last`)."""
        run, self._unrecorded = self._unrecorded, None
        if run is not None and run.number >= self._settings.removals:
            self._silence_told = True
            yield self._silent(run.first, run.last, run.number)
        elif last and self._totals.removals and self._totals.tombstones <= 0 and not self._silence_told:
            assert self._first_removal is not None
            yield self._silent(self._first_removal, self._last_removal, self._totals.removals)

    def _silent(self, first: int, final: int, number: int) -> Finding:
        spans = "span" if number == 1 else "spans"
        return Finding(
            "no_tombstones", (first, final), (), f"{number} {spans} left, and no record survives", {"removals": number}
        )


def _share(turns: list[tuple[int, int, int, int]]) -> float | None:
    """Which part of the tokens that arrived is new; None if none arrived."""
    novel, every = sum(t[2] for t in turns), sum(t[2] + t[3] for t in turns)
    return novel / every if every else None
