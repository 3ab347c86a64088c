"""A recorded session, one event a line of JSON: what arrived, what the policy was shown, and every edit.

`spec/session-log.schema.json` has the format. A line is read by itself; that the lines fit together is for who follows
them (`monitor.py`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field
from difflib import get_close_matches
from typing import IO, Any, Literal, NoReturn, TypeVar

from selfedit_formal._frozen import dataclass
from selfedit_formal.core.diagnostics import Diagnostic, Location, Source
from selfedit_formal.runtime.gate.ledger import Kind

T = TypeVar("T")

EditKind = Kind | Literal["insert"]
"""What a ledger has entries of, and spans that an edit puts in without a span having left for them."""

VERSION = 1
LONGEST = 16 * 2**20
"""How many bytes a line may have."""
SKIPPED = 64
"""How many times as many are passed over of a line that has more, before it is said to have no end."""


@dataclass(frozen=True, slots=True)
class LoggedSpan:
    """A span as it comes in. `content` is a key, `justifies` has the ids of the spans that it grounds."""

    id: str
    content: str
    tag: str
    tokens: int
    justifies: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SessionLine:
    """The first line, if there is one. `cap`: how many tokens the window is to have at most."""

    cap: int | None = None


@dataclass(frozen=True, slots=True)
class TurnLine:
    """A turn begins: spans arrive at the end of the window, tools are called, facts are established.

    `calls` are keys of a tool with its arguments. `established` says of a subject, by a key, what is now known.
    """

    turn: int
    arrived: tuple[LoggedSpan, ...] = ()
    calls: tuple[str, ...] = ()
    established: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PassLine:
    """The policy is asked, on the window as it is; the edits that follow are its answer.

    `digest`: what the policy was told of the window (of a summary or an embedding, say), as a key. None: the window.
    """

    turn: int
    digest: str | None = None


@dataclass(frozen=True, slots=True)
class EditLine:
    """One edit of the window.

    `spans` are the ids concerned: those that leave, are rewritten, or are moved. `made` are the spans that come in:
    those rewritten in their new form, the one that a merge makes, those readmitted or inserted. `contents` are the keys
    that an override concerns. `reason` is for whoever reads the log. `rationale`: ids of the spans that argued for a
    removal. `recorded`: a tombstone or a line of a ledger survives it. `claims`: what a span that was made says of a
    subject. `coverage`: which part of the tokens the summarizer reports to have kept.
    """

    turn: int
    kind: EditKind
    spans: tuple[str, ...] = ()
    made: tuple[LoggedSpan, ...] = ()
    contents: tuple[str, ...] = ()
    reason: str = ""
    rationale: tuple[str, ...] = ()
    recorded: bool = False
    claims: Mapping[str, str] = field(default_factory=dict)
    coverage: float | None = None


Event = SessionLine | TurnLine | PassLine | EditLine


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with a line. `key` is the field or the id that the message is about; `column`, if that is known."""

    code: str
    message: str
    hint: str | None = None
    key: str = ""
    column: int = 0


# ---------- writing


def write(event: Event) -> str:
    """The event as a line of JSON, without its line break. What is empty is left out."""
    match event:
        case SessionLine(cap):
            fields: dict[str, object] = {"event": "session", "version": VERSION, "cap": cap}
        case TurnLine():
            fields = {
                "event": "turn",
                "turn": event.turn,
                "arrived": [_span_fields(s) for s in event.arrived],
                "calls": list(event.calls),
                "established": dict(event.established),
            }
        case PassLine(turn, digest):
            fields = {"event": "pass", "turn": turn, "digest": digest}
        case EditLine():
            fields = {
                "event": "edit",
                "turn": event.turn,
                "kind": event.kind,
                "spans": list(event.spans),
                "made": [_span_fields(s) for s in event.made],
                "contents": list(event.contents),
                "reason": event.reason,
                "rationale": list(event.rationale),
                "recorded": event.recorded or None,
                "claims": dict(event.claims),
                "coverage": event.coverage,
            }
    return json.dumps({name: value for name, value in fields.items() if value not in (None, "", [], {})})


def _span_fields(span: LoggedSpan) -> dict[str, object]:
    fields: dict[str, object] = {"id": span.id, "content": span.content, "tag": span.tag, "tokens": span.tokens}
    return {**fields, "justifies": list(span.justifies)} if span.justifies else fields


# ---------- reading


def read(lines: IO[bytes] | Iterable[bytes], name: str) -> Iterator[tuple[Event | Problem, Source]]:
    """Every line of the log that is not blank, as an event or as what is wrong with it, with the line as a source.

    Of a file, no more than `LONGEST` bytes are in memory at a time.
    """
    for number, line in enumerate(_lines(lines), 1):
        if line is None:
            yield Problem("L001", f"the line has more than {LONGEST} bytes"), Source(name, "", first_line=number)
            continue
        try:
            text = line.decode("utf-8")
        except UnicodeDecodeError as error:
            shown = Source(name, line.decode("utf-8", "replace").rstrip("\r\n"), first_line=number)
            column = len(line[: error.start].decode("utf-8")) + 1
            yield Problem("L001", "the line is not UTF-8", column=column), shown
            continue
        text = text.rstrip("\r\n")
        if text.strip():
            yield parse(text), Source(name, text, first_line=number)


def _lines(lines: IO[bytes] | Iterable[bytes]) -> Iterator[bytes | None]:
    """The lines; None for one that is too long."""
    readline: Callable[[int], bytes] | None = getattr(lines, "readline", None)
    if readline is None:
        for line in lines:
            yield line if len(line) <= LONGEST else None
        return
    while line := readline(LONGEST + 1):
        if len(line) <= LONGEST:
            yield line
            continue
        for _ in range(SKIPPED):
            if not line or line.endswith(b"\n"):
                break
            line = readline(LONGEST)
        yield None
        if line and not line.endswith(b"\n"):  # it has no end, nor has the log
            return


FIELDS = ("L001", "L002", "L003")
"""Codes whose key is the name of a field."""


def located(problem: Problem, source: Source) -> Diagnostic:
    """The problem as a diagnostic at its place in the line."""
    line, quoted = source.text, json.dumps(problem.key, ensure_ascii=False)
    named = [m.start() for m in re.finditer(re.escape(quoted) + r"\s*:", line)] if problem.code in FIELDS else []
    at = (named[-1] if problem.code == "L001" else named[0]) if named else line.find(quoted)
    found = bool(problem.key) and at >= 0
    column = problem.column or (at + 1 if found else 1)
    length = 1 if problem.column else len(quoted) if found else max(len(line), 1)
    number = source.first_line
    return Diagnostic(
        problem.code, problem.message, Location(source, number, column, number, column + length), problem.hint
    )


class _Wrong(Exception):
    def __init__(self, problem: Problem) -> None:
        super().__init__()
        self.problem = problem


def parse(text: str) -> Event | Problem:
    """One line as an event, or what is wrong with it: `L001` for what is not JSON, `L002` for what is no event."""
    try:
        document = json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        return Problem("L001", f"the line is not JSON: {_lower(error.msg)}", column=error.colno)
    except RecursionError:
        return Problem("L001", "the line is nested too deeply")
    except ValueError:
        return Problem("L001", "the line has a number of too many digits")
    except _Wrong as wrong:
        return wrong.problem
    try:
        return _event(document)
    except _Wrong as wrong:
        return wrong.problem


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    fields: dict[str, object] = {}
    for name, value in pairs:
        if name in fields:
            raise _Wrong(Problem("L001", f"`{name}` is said twice", key=name))
        fields[name] = value
    return fields


def _no_constant(name: str) -> NoReturn:
    raise _Wrong(Problem("L001", f"the line is not JSON: `{name}` is no number", column=1))


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


def _wrong(message: str, key: str = "", hint: str | None = None) -> NoReturn:
    raise _Wrong(Problem("L002", message, hint, key))


# ---------- what an event is made of

Fields = dict[str, object]
EVENTS = ("session", "turn", "pass", "edit")


def _event(document: object) -> Event:
    if not isinstance(document, dict):
        _wrong("an event is an object", hint='for instance {"event": "turn", "turn": 1}')
    fields: Fields = dict(document)
    match _take(fields, "event", _text):
        case "session":
            version = _take(fields, "version", _count)
            if version != VERSION:
                _wrong(f"a log of version {version}, and this reads version {VERSION}", "version")
            return _whole(SessionLine(_optional(fields, "cap", _count, None)), fields)
        case "turn":
            return _whole(
                TurnLine(
                    _take(fields, "turn", _count),
                    _optional(fields, "arrived", _spans, ()),
                    _optional(fields, "calls", _texts, ()),
                    _optional(fields, "established", _mapping, {}),
                ),
                fields,
            )
        case "pass":
            return _whole(PassLine(_take(fields, "turn", _count), _optional(fields, "digest", _text, None)), fields)
        case "edit":
            return _edit(fields)
        case other:
            _wrong(f"there is no event `{other}`", "event", f"events are {', '.join(EVENTS)}")


PARTS: Mapping[EditKind, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "evict": (("spans",), ("rationale", "recorded", "coverage")),
    "rewrite": (("spans", "made"), ("claims", "coverage")),
    "move": (("spans",), ()),
    "merge": (("spans", "made"), ("rationale", "recorded", "claims", "coverage")),
    "readmit": (("made",), ()),
    "insert": (("made",), ("claims",)),
    "refuse": ((), ("spans",)),
    "override": (("contents",), ()),
}
"""Beside turn and reason: what an edit of each kind has, not empty, and what it may have."""


def _edit(fields: Fields) -> EditLine:
    turn = _take(fields, "turn", _count)
    named = _take(fields, "kind", _text)
    kind = next((k for k in PARTS if k == named), None)
    if kind is None:
        _wrong(f"there is no kind of edit `{named}`", "kind", f"kinds are {', '.join(PARTS)}")
    needed, allowed = PARTS[kind]
    for name in needed:
        if not fields.get(name):
            _wrong(f"`{kind}` needs `{name}`", "kind")
    for name in fields:
        if name not in (*needed, *allowed, "event", "reason"):
            _wrong(f"`{kind}` has no field `{name}`", name)
    edit = EditLine(
        turn=turn,
        kind=kind,
        spans=_optional(fields, "spans", _texts, ()),
        made=_optional(fields, "made", _spans, ()),
        contents=_optional(fields, "contents", _texts, ()),
        reason=_optional(fields, "reason", _text, ""),
        rationale=_optional(fields, "rationale", _texts, ()),
        recorded=_optional(fields, "recorded", _bool, False),
        claims=_optional(fields, "claims", _mapping, {}),
        coverage=_optional(fields, "coverage", _share, None),
    )
    if len(set(edit.spans)) != len(edit.spans):
        _wrong("`spans` names a span twice", "spans")
    if kind == "rewrite" and sorted(edit.spans) != sorted(s.id for s in edit.made):
        _wrong("`made` has the spans that `spans` names, in their new form", "made")
    if kind == "merge" and len(edit.made) != 1:
        _wrong("`made` has the one span that the others went into", "made")
    return edit


def _whole(event: T, rest: Fields) -> T:
    """The event, if nothing is left of its line that would go unread."""
    for name in rest:
        _wrong(f"there is no field `{name}` here", name)
    return event


def _take(fields: Fields, name: str, read: Callable[[object, str], T]) -> T:
    if name not in fields:
        close = next(iter(get_close_matches(name, fields, n=1, cutoff=0.7)), "")
        _wrong(f"the field `{name}` is missing", close, f"there is no field `{close}`" if close else None)
    return read(fields.pop(name), name)


def _optional(fields: Fields, name: str, read: Callable[[object, str], T], default: T) -> T:
    return read(fields.pop(name), name) if name in fields else default


def _text(value: object, name: str) -> str:
    if not isinstance(value, str):
        _wrong(f"`{name}` is a text", name)
    return value


def _count(value: object, name: str) -> int:
    if type(value) is not int or value < 0:
        _wrong(f"`{name}` is a whole number of 0 or more", name)
    return value


def _bool(value: object, name: str) -> bool:
    if not isinstance(value, bool):
        _wrong(f"`{name}` is true or false", name)
    return value


def _share(value: object, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        _wrong(f"`{name}` is a number from 0 to 1", name)
    return float(value)


def _list(value: object, name: str) -> list[Any]:
    if not isinstance(value, list):
        _wrong(f"`{name}` is a list", name)
    return value


def _texts(value: object, name: str) -> tuple[str, ...]:
    return tuple(_text(item, name) for item in _list(value, name))


def _mapping(value: object, name: str) -> dict[str, str]:
    if not isinstance(value, dict):
        _wrong(f"`{name}` is an object", name)
    return {key: _text(item, key) for key, item in value.items()}


def _spans(value: object, name: str) -> tuple[LoggedSpan, ...]:
    spans = tuple(_span(item, name) for item in _list(value, name))
    if len({s.id for s in spans}) != len(spans):
        _wrong(f"`{name}` has a span twice", name)
    return spans


def _span(value: object, name: str) -> LoggedSpan:
    if not isinstance(value, dict):
        _wrong(f"`{name}` is a list of spans", name)
    fields: Fields = dict(value)
    return _whole(
        LoggedSpan(
            _take(fields, "id", _text),
            _take(fields, "content", _text),
            _take(fields, "tag", _text),
            _take(fields, "tokens", _count),
            _optional(fields, "justifies", _texts, ()),
        ),
        fields,
    )
