"""Lines of a session's log: written, read back, and held to the schema that documents them."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selfedit_formal.core.diagnostics import render
from selfedit_formal.runtime import session_log
from selfedit_formal.runtime.session_log import (
    PARTS,
    EditKind,
    EditLine,
    Event,
    LoggedSpan,
    PassLine,
    Problem,
    SessionLine,
    TurnLine,
    located,
    parse,
    read,
    write,
)

SCHEMA = json.loads((Path(__file__).parents[2] / "spec" / "session-log.schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)

texts = st.sampled_from(["A", "B", "", "kéy", "trace"])
counts = st.integers(0, 2**70)
spans = st.builds(LoggedSpan, texts, texts, texts, counts, st.lists(texts, max_size=2).map(tuple))
some_spans = st.lists(spans, min_size=1, max_size=3, unique_by=lambda s: s.id).map(tuple)
facts = st.dictionaries(texts, texts, max_size=2)


@st.composite
def edits(draw: st.DrawFn) -> EditLine:
    kind: EditKind = draw(st.sampled_from(list(PARTS)))
    has = {*PARTS[kind][0], *PARTS[kind][1]}
    made = draw(some_spans)
    ids = tuple(draw(st.lists(texts, min_size=1, max_size=3, unique=True)))
    return EditLine(
        turn=draw(counts),
        kind=kind,
        spans=tuple(s.id for s in made) if kind == "rewrite" else ids if "spans" in has else (),
        made=made[:1] if kind == "merge" else made if "made" in has else (),
        contents=tuple(draw(st.lists(texts, min_size=1, max_size=2))) if "contents" in has else (),
        reason=draw(texts),
        rationale=tuple(draw(st.lists(texts, max_size=2))) if "rationale" in has else (),
        recorded=draw(st.booleans()) if "recorded" in has else False,
        claims=draw(facts) if "claims" in has else {},
        coverage=draw(st.none() | st.floats(0, 1)) if "coverage" in has else None,
    )


events = st.one_of(
    st.builds(SessionLine, st.none() | counts),
    st.builds(
        TurnLine,
        counts,
        st.lists(spans, max_size=3, unique_by=lambda s: s.id).map(tuple),
        st.lists(texts, max_size=2).map(tuple),
        facts,
    ),
    st.builds(PassLine, counts, st.none() | texts.filter(bool)),
    edits(),
)


@settings(max_examples=300)
@given(events)
def test_what_is_written_is_read_back_and_follows_the_schema(event: Event) -> None:
    line = write(event)
    assert "\n" not in line
    assert parse(line) == event
    VALIDATOR.validate(json.loads(line))


values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 3) | st.sampled_from([0.5, 1.5]) | texts,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(texts, inner, max_size=2),
    max_leaves=4,
)
names = st.sampled_from(
    [*EditLine.__slots__, *TurnLine.__slots__, *LoggedSpan.__slots__, "event", "version", "cap", "digest"]
)


@settings(max_examples=400)
@given(events, st.data())
def test_a_line_is_refused_exactly_if_the_schema_refuses_it(event: Event, data: st.DataObject) -> None:
    """One field dropped, put in, or given another value; three demands a schema cannot make are made by the reader."""
    document = json.loads(write(event))
    target = data.draw(st.sampled_from([document, *document.get("arrived", []), *document.get("made", [])]))
    name = data.draw(names | st.sampled_from(sorted(target)))
    if data.draw(st.booleans()) and name in target:
        del target[name]
    else:
        target[name] = data.draw(values)
    found = parse(json.dumps(document))
    if VALIDATOR.is_valid(document):
        assert not isinstance(found, Problem) or "twice" in found.message or "new form" in found.message, found
    else:
        assert isinstance(found, Problem), found
        assert found.code == "L002"


@pytest.mark.parametrize(
    ("line", "code", "message", "column"),
    [
        (b"{", "L001", "the line is not JSON: expecting property name enclosed in double quotes", 2),
        (b'{"event": "turn", "turn": 1', "L001", "the line is not JSON: expecting ',' delimiter", 28),
        (b'{"event": "turn"} {}', "L001", "the line is not JSON: extra data", 19),
        (b"\xef\xbb\xbf{}", "L001", "the line is not JSON: unexpected UTF-8 BOM (decode using utf-8-sig)", 1),
        (b'{"a": "\xff"}', "L001", "the line is not UTF-8", 8),
        (b'{"a": NaN}', "L001", "the line is not JSON: `NaN` is no number", 1),
        (b'{"a": 1' + b"0" * 10_000 + b"}", "L001", "the line has a number of too many digits", 1),
        (b"[" * 100_000, "L001", "the line is nested too deeply", 1),
        (b'{"event": "turn", "turn": 1, "turn": 2}', "L001", "`turn` is said twice", 30),
        (b"[]", "L002", "an event is an object", 1),
        (b'{"turn": 1}', "L002", "the field `event` is missing", 1),
        (b'{"event": "trun"}', "L002", "there is no event `trun`", 2),
        (b'{"event": "session", "version": 2}', "L002", "a log of version 2, and this reads version 1", 22),
        (b'{"event": "turn", "turn": true}', "L002", "`turn` is a whole number of 0 or more", 19),
        (b'{"event": "turn", "turn": 1, "tokens": 5}', "L002", "there is no field `tokens` here", 30),
        (b'{"event": "edit", "turn": 1, "kind": "drop"}', "L002", "there is no kind of edit `drop`", 30),
        (b'{"event": "edit", "turn": 1, "kind": "evict"}', "L002", "`evict` needs `spans`", 30),
        (
            b'{"event": "edit", "turn": 1, "kind": "move", "spans": ["A", "A"]}',
            "L002",
            "`spans` names a span twice",
            46,
        ),
    ],
    ids=lambda v: str(v)[:40] if isinstance(v, bytes) else "",
)
def test_what_is_wrong_with_a_line_is_said_with_its_place(line: bytes, code: str, message: str, column: int) -> None:
    ((found, source),) = read([line + b"\r\n"], "session.jsonl")
    assert isinstance(found, Problem)
    assert (found.code, found.message) == (code, message)
    place = located(found, source).location
    assert place is not None
    assert (place.line, place.column) == (1, column)


def test_a_place_counts_the_lines_before_it_and_shows_its_own() -> None:
    lines = [b'{"event": "turn", "turn": 1}\n', b"\n", b'{"event": "turn", "turn": -1}\n']
    *_, (found, source) = read(lines, "session.jsonl")
    assert isinstance(found, Problem)
    assert render(located(found, source)) == (
        "error[L002]: `turn` is a whole number of 0 or more\n"
        " --> session.jsonl:3:19\n"
        "  |\n"
        '3 | {"event": "turn", "turn": -1}\n'
        "  |                   ^^^^^^"
    )


def test_a_line_that_is_too_long_is_passed_over_without_being_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_log, "LONGEST", 40)
    text = b'{"event": "turn", "turn": 1}\n' + b"x" * 1000 + b'\n{"event": "turn", "turn": 2}'
    for lines in (io.BytesIO(text), text.splitlines(keepends=True)):
        first, long, last = [event for event, _ in read(lines, "log")]
        assert isinstance(long, Problem)
        assert (first, long.message, last) == (TurnLine(1), "the line has more than 40 bytes", TurnLine(2))


def test_a_line_without_an_end_is_not_read_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    class Endless:
        def readline(self, most: int) -> bytes:
            return bytes(most)

    monkeypatch.setattr("selfedit_formal.runtime.session_log.LONGEST", 1000)
    ((problem, _),) = read(Endless(), "log")  # type: ignore[arg-type]
    assert isinstance(problem, Problem)
    assert problem.code == "L001"
