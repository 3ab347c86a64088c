"""Sessions drawn at random, and the definitions of `spec/signals.md` at their word, with the whole log at hand."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from selfedit_formal.runtime.monitor import Settings
from selfedit_formal.runtime.session_log import EditLine, Event, LoggedSpan, PassLine, SessionLine, TurnLine

SMALL = Settings(passes=3, turns=2, removals=3, band=0.2, progress=0.5, coverage=0.6)
CONTENTS = ("a", "b", "c", "d")
Shown = tuple[str, tuple[int, ...]]


def session(chance: random.Random, turns: int) -> list[Event]:
    """A log that fits together: a window of a few spans, few contents, any edits."""
    events: list[Event] = [SessionLine(cap=chance.choice([20, 30]))] if chance.random() < 0.8 else []
    window: dict[str, LoggedSpan] = {}
    number = 0

    def span() -> LoggedSpan:
        nonlocal number
        number += 1
        justified = tuple(chance.sample(sorted(window), min(len(window), chance.choice([0, 0, 1, 2]))))
        tag = chance.choice(["note", "note", "tombstone"])
        return LoggedSpan(f"s{number}", chance.choice(CONTENTS), tag, chance.randint(1, 9), justified)

    for turn in range(1, turns + 1):
        arrived = tuple(span() for _ in range(chance.randint(0, 2)))
        calls = tuple(chance.choice("pqrstuvw") for _ in range(chance.randint(0, 2)))
        established = {chance.choice("xy"): chance.choice("12")} if chance.random() < 0.3 else {}
        events.append(TurnLine(2 * turn, arrived, calls, established))
        window |= {s.id: s for s in arrived}
        for _ in range(chance.randint(0, 2)):
            if chance.random() < 0.7:
                events.append(PassLine(2 * turn, chance.choice([None, None, "d"])))
            for _ in range(chance.randint(0, 2)):
                edit = _edit(chance, 2 * turn, window, span)
                if edit is not None:
                    events.append(edit)
                    for gone in edit.spans if edit.kind in ("evict", "merge") else ():
                        del window[gone]
                    window |= {s.id: s for s in edit.made}
    return events


def _edit(chance: random.Random, turn: int, window: dict[str, LoggedSpan], span) -> EditLine | None:  # type: ignore[no-untyped-def]
    kind = chance.choice(["evict", "evict", "merge", "rewrite", "move", "readmit", "insert", "refuse", "override"])
    some = tuple(chance.sample(sorted(window), min(len(window), chance.randint(1, 2))))
    recorded, coverage = chance.random() < 0.4, chance.choice([None, 0.5, 0.7])
    rationale = tuple(chance.sample(sorted(window), min(len(window), 1)))
    claims = {chance.choice("xyz"): chance.choice("12")} if chance.random() < 0.5 else {}
    match kind:
        case "override":
            return EditLine(turn, kind, contents=(chance.choice(CONTENTS),))
        case "refuse":
            return EditLine(turn, kind, spans=some)
        case "readmit" | "insert":
            return EditLine(turn, kind, made=(span(),))
        case _ if not some:
            return None
        case "evict":
            return EditLine(turn, kind, some, rationale=rationale, recorded=recorded, coverage=coverage)
        case "merge":
            return EditLine(turn, kind, some, (span(),), rationale=rationale, recorded=recorded, claims=claims)
        case "rewrite":
            made = tuple(
                replace(window[s], content=chance.choice(CONTENTS), tokens=chance.randint(1, 9), justifies=())
                if chance.random() < 0.5
                else replace(window[s], tokens=chance.randint(1, 9))
                for s in some
            )
            return EditLine(turn, kind, some, made, claims=claims, coverage=coverage)
        case _:
            return EditLine(turn, "move", some)


# ---------- the definitions, at their word


@dataclass
class Step:
    """The window after one event, how it was before, and in which pass (counted from 1; 0 for none) that was."""

    event: Event
    turn: int
    before: dict[str, LoggedSpan]
    after: dict[str, LoggedSpan]
    answer: int = 0


@dataclass
class Answer:
    """A pass: its steps, the window it started from, and the digest it was told."""

    turn: int
    start: dict[str, LoggedSpan]
    digest: object
    steps: list[Step] = field(default_factory=list)


def history(events: Sequence[Event]) -> tuple[list[Step], list[Answer]]:
    """The steps of a session, and its passes."""
    steps: list[Step] = []
    answers: list[Answer] = []
    window: dict[str, LoggedSpan] = {}
    turn, open_ = 0, False
    for event in events:
        before = dict(window)
        if isinstance(event, TurnLine):
            turn, open_ = event.turn, False
            window |= {s.id: s for s in event.arrived}
        elif isinstance(event, PassLine) or (isinstance(event, EditLine) and _changes(event) and not open_):
            told = event.digest if isinstance(event, PassLine) and event.digest is not None else None
            seen = sorted((s.content, s.tag) for s in window.values())
            answers.append(Answer(turn, before, ("told", told) if told is not None else ("seen", seen)))
            open_ = True
        if isinstance(event, EditLine) and _changes(event):
            if event.kind in ("evict", "merge"):
                window = {i: s for i, s in window.items() if i not in event.spans}
            window |= {s.id: s for s in event.made}
        steps.append(Step(event, turn, before, dict(window), len(answers) if open_ else 0))
        if open_:
            answers[-1].steps.append(steps[-1])
    return steps, answers


def _changes(edit: EditLine) -> bool:
    return edit.kind not in ("refuse", "override")


def _grounds(window: dict[str, LoggedSpan], span: str) -> set[str]:
    return {j.id for j in window.values() if span in j.justifies and j.id != span}


def _edits(answer: Answer) -> list[EditLine]:
    return [s.event for s in answer.steps if isinstance(s.event, EditLine) and _changes(s.event)]


def shown(events: Sequence[Event], settings: Settings) -> list[Shown]:
    """Every signal of the session with its turns, sorted."""
    steps, answers = history(events)
    return sorted(
        [
            *_orphaned(answers),
            *_otherwise(answers),
            *_unreached(steps, settings),
            *_unrecorded(steps, settings),
            *_cycles(steps),
            *_diverging(steps),
            *_over(steps),
            *_repeating(steps, settings),
            *_plateaus(steps, answers, settings),
        ]
    )


def _orphaned(answers: list[Answer]) -> list[Shown]:
    found: list[Shown] = []
    for answer in answers:
        if not answer.steps:
            continue
        final = answer.steps[-1].after
        for span in final:
            if _grounds(final, span):
                continue
            lost = [s for s in answer.steps if isinstance(s.event, EditLine) and span in s.before and span in s.after]
            if any(_grounds(s.before, span) and not _grounds(s.after, span) for s in lost):
                found.append(("orphaned_rationale", (answer.turn,)))
    return found


def _otherwise(answers: list[Answer]) -> list[Shown]:
    found: list[Shown] = []
    last: dict[str, tuple[object, int]] = {}
    for answer in answers:
        decision = []
        for step in answer.steps:
            if isinstance(step.event, EditLine) and _changes(step.event):
                concerned = [step.before[s] for s in step.event.spans] + list(step.event.made)
                decision += [(step.event.kind, s.content, s.tag) for s in concerned]
        key = repr(answer.digest)
        if key in last and last[key][0] != sorted(decision):
            found.append(("same_digest_other_decision", (last[key][1], answer.turn)))
        last[key] = (sorted(decision), answer.turn)
    return found


def _by_turn(steps: list[Step]) -> list[list[Step]]:
    turns = sorted({s.turn for s in steps if not isinstance(s.event, SessionLine)})
    return [[s for s in steps if s.turn == t and not isinstance(s.event, SessionLine)] for t in turns]


def _unreached(steps: list[Step], settings: Settings) -> list[Shown]:
    found: list[Shown] = []
    needing: set[str] = set()
    was = 1.0
    for mine in _by_turn(steps):
        coverage: float | None = None
        base = mine[0].after
        gone = 0
        for step in mine:
            # `needing`: was justified at some moment of its stay, and is there still.
            needing &= step.after.keys()
            needing |= {s for s in step.after if _grounds(step.after, s)}
            if not isinstance(step.event, EditLine):
                continue
            coverage = step.event.coverage if step.event.coverage is not None else coverage
            for span in step.event.spans if step.event.kind in ("evict", "merge", "rewrite") else ():
                if span in base:
                    left = step.after[span].tokens if step.event.kind == "rewrite" else 0
                    gone += max(step.before[span].tokens - left, 0)
        total = sum(s.tokens for s in base.values())
        kept = coverage if coverage is not None else (total - gone) / total if total else 1.0
        final = mine[-1].after
        reach = sum(bool(_grounds(final, s)) for s in needing) / len(needing) if needing else 1.0
        if reach < was and kept >= settings.coverage:
            found.append(("reachability_lost", (mine[0].turn,)))
        was = reach
    return found


def _removals(steps: list[Step]) -> list[Step]:
    return [s for s in steps if isinstance(s.event, EditLine) and s.event.kind in ("evict", "merge")]


def _unrecorded(steps: list[Step], settings: Settings) -> list[Shown]:
    removals = [(s.turn, s.event.recorded, s.before[i].tag) for s in _removals(steps) for i in s.event.spans]  # type: ignore[union-attr]
    runs: list[list[int]] = [[]]
    for turn, recorded, _ in removals:
        if recorded:
            runs.append([])
        else:
            runs[-1].append(turn)
    long = [r for r in runs if len(r) >= settings.removals]
    if long:
        return [("no_tombstones", (r[0], r[-1])) for r in long]
    surviving = sum(r for _, r, _ in removals) - sum(t == "tombstone" for _, _, t in removals)
    return [("no_tombstones", (removals[0][0], removals[-1][0]))] if removals and surviving <= 0 else []


def _cycles(steps: list[Step]) -> list[Shown]:
    found: list[Shown] = []
    pruned: dict[str, int] = {}
    back: dict[str, tuple[int, int]] = {}
    for step in steps:
        event = step.event
        if isinstance(event, EditLine) and event.kind == "override":
            for content in event.contents:
                pruned.pop(content, None)
        if isinstance(event, EditLine) and event.kind in ("evict", "merge"):
            left = dict(step.before)
            for span in event.spans:
                content = left.pop(span).content
                if span in back:
                    found.append(("prune_readmit_cycle", (*back.pop(span), step.turn)))
                if all(s.content != content for s in left.values()):
                    pruned[content] = step.turn
        comes = event.arrived if isinstance(event, TurnLine) else event.made if isinstance(event, EditLine) else ()
        for came in comes if not (isinstance(event, EditLine) and event.kind == "rewrite") else ():
            if came.content in pruned:
                back[came.id] = (pruned.pop(came.content), step.turn)
    return found + [("prune_readmit_cycle", b) for b in back.values()]


def _diverging(steps: list[Step]) -> list[Shown]:
    found: list[Shown] = []
    facts: dict[str, tuple[str, int]] = {}
    for step in steps:
        if isinstance(step.event, TurnLine):
            facts |= {s: (v, step.turn) for s, v in step.event.established.items()}
        if isinstance(step.event, EditLine):
            for subject, value in step.event.claims.items():
                if subject in facts and facts[subject][0] != value:
                    found.append(("summary_diverges", (facts[subject][1], step.turn)))
    return found


def _runs(flags: list[tuple[int, int, bool]]) -> list[tuple[int, int]]:
    """From (first turn, turn, whether) the first turn of each run's start and the turn of its end."""
    found: list[tuple[int, int]] = []
    going = False
    for first, turn, flag in flags:
        if flag and going:
            found[-1] = (found[-1][0], turn)
        elif flag:
            found.append((first, turn))
        going = flag
    return found


def _over(steps: list[Step]) -> list[Shown]:
    cap = next((s.event.cap for s in steps if isinstance(s.event, SessionLine)), None)
    if cap is None:
        return []
    ends = [(t[0].turn, sum(s.tokens for s in t[-1].after.values()) > cap) for t in _by_turn(steps)]
    return [("over_cap", run) for run in _runs([(t, t, o) for t, o in ends])]


def _repeating(steps: list[Step], settings: Settings) -> list[Shown]:
    calls: set[str] = set()
    contents: set[str] = set()
    turns: list[tuple[int, int, int, int]] = []
    for step in steps:
        if isinstance(step.event, TurnLine):
            redundant = novel = repeated = 0
            for call in step.event.calls:
                redundant += call in calls
                calls.add(call)
            for span in step.event.arrived:
                if span.content in contents:
                    repeated += span.tokens
                else:
                    novel += span.tokens
                contents.add(span.content)
            turns.append((step.turn, redundant, novel, repeated))
        elif isinstance(step.event, EditLine):
            contents |= {s.content for s in step.event.made}
    half = settings.turns
    flags = []
    for end in range(2 * half, len(turns) + 1):
        earlier, later = turns[end - 2 * half : end - half], turns[end - half : end]
        sums = [[sum(t[k] for t in part) for k in (1, 2, 3)] for part in (earlier, later)]
        (r0, n0, m0), (r1, n1, m1) = sums
        shows = r1 > r0 and n0 + m0 > 0 and n1 + m1 > 0 and n1 * (n0 + m0) < n0 * (n1 + m1)
        flags.append((later[0][0], later[-1][0], shows))
    return [("redundant_calls", run) for run in _runs(flags)]


def _plateaus(steps: list[Step], answers: list[Answer], settings: Settings) -> list[Shown]:
    pruned: set[str] = set()
    changing: list[tuple[int, int, int, int]] = []
    back = 0
    numbers = {id(s): n for n, a in enumerate(answers) for s in a.steps}
    out = [0] * len(answers)
    returned = [0] * len(answers)
    for step in steps:
        event = step.event
        if isinstance(event, EditLine) and event.kind in ("evict", "merge"):
            left = dict(step.before)
            for span in event.spans:
                content = left.pop(span).content
                if all(s.content != content for s in left.values()):
                    pruned.add(content)
        if isinstance(event, TurnLine):
            for span_ in event.arrived:
                back += span_.tokens if span_.content in pruned else 0
                pruned.discard(span_.content)
        elif isinstance(event, EditLine) and _changes(event):
            answer = numbers[id(step)]
            if event.kind != "rewrite":
                pruned -= {s.content for s in event.made}
            if event.kind in ("evict", "merge", "rewrite"):
                out[answer] += sum(step.before[s].tokens for s in event.spans)
            returned[answer] += back + sum(s.tokens for s in event.made)
            back = 0
    for n, answer_ in enumerate(answers):
        if _edits(answer_):
            tokens = sum(s.tokens for s in answer_.steps[-1].after.values())
            changing.append((answer_.turn, tokens, out[n], returned[n]))
    flags = []
    for end in range(settings.passes, len(changing) + 1):
        last = changing[end - settings.passes : end]
        sizes = [c[1] for c in last]
        went = sum(c[2] for c in last)
        level = max(sizes) - min(sizes) <= settings.band * (max(sizes) + min(sizes))
        stayed_out = went - sum(c[3] for c in last)
        flags.append((last[0][0], last[-1][0], level and stayed_out <= settings.progress * went))
    return [("rewrites_without_progress", run) for run in _runs(flags)]
