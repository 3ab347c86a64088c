"""A window of the core is written so that reading the text gives the same window."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from selfedit_formal.core.diagnostics import Source
from selfedit_formal.core.window import Schema, Span, Value, Window, zero
from selfedit_formal.language.parse import parse
from selfedit_formal.language.print import print_file
from selfedit_formal.language.resolve import load_text
from selfedit_formal.language.write import readable, write_entry, write_window

CHAT = """
window Chat {
  tag       : user | call | result
  tokens    : int >= 1
  name      : key
  pinned    : bool
  mood      : good | archived | none
  relevance : int from query
  rank      : int from window
  link answers
  link justifies : result -> call
}
"""
SCHEMA = load_text(CHAT).schemas["Chat"]
IDS = ("a", "b", "call1", "W", "_")


def span(identity: str, **values: Value) -> Span:
    usual: dict[str, Value] = {
        "tag": "user",
        "tokens": 5,
        "name": "none",
        "pinned": False,
        "mood": "good",
        "relevance": 0,
    }
    return Span(identity, usual | values)


@st.composite
def windows(draw: st.DrawFn) -> Window:
    spans = draw(
        st.lists(
            st.builds(
                span,
                st.sampled_from(IDS),
                tag=st.sampled_from(["user", "call", "result"]),
                tokens=st.integers(1, 10**18),
                name=st.sampled_from(["none", "k1", "k2"]),
                pinned=st.booleans(),
                mood=st.sampled_from(["good", "archived", "none"]),
                relevance=st.integers(-(10**18), 10**18),
            ),
            unique_by=lambda s: s.id,
        )
    )
    ids = [s.id for s in spans]
    archived = draw(st.sets(st.sampled_from(ids))) if ids else set()
    pairs = [(a, b) for a in ids for b in ids if a != b]
    links = {("answers", a, b) for a, b in (draw(st.sets(st.sampled_from(pairs))) if pairs else set())}
    covers = draw(st.sets(st.sampled_from(pairs), max_size=2)) if pairs else set()
    links |= {("covers", a, b) for a, b in covers}
    return Window(SCHEMA, tuple(spans), frozenset(archived), frozenset(links), frozenset(a for a, _ in covers))


@given(windows())
def test_a_window_is_read_back_equal(window: Window) -> None:
    text = write_window(window, "w")
    assert load_text(f"{CHAT}\n{text}").windows["w"] == window


@given(windows())
def test_the_text_is_canonical(window: Window) -> None:
    text = write_window(window, "w")
    assert print_file(parse(Source("<test>", text))) == f"{text}\n"


def test_a_window_is_written_as_a_person_would() -> None:
    spans = (span("A", tag="call", name="c1"), span("B", tag="result", name="c1", pinned=True), span("S"))
    links = frozenset({("justifies", "B", "A"), ("covers", "S", "A")})
    assert write_window(Window(SCHEMA, spans, frozenset({"A"}), links, frozenset({"S"})), "w1") == (
        "window w1 of Chat = [\n"
        "  archived A: call { tokens = 5, name = c1, mood = good, relevance = 0 }\n"
        "  B: result        { tokens = 5, name = c1, pinned, mood = good, relevance = 0 }   B justifies A\n"
        "  created S: user  { tokens = 5, mood = good, relevance = 0 }   S covers A\n"
        "]"
    )


def test_an_empty_window_is_written() -> None:
    assert write_window(Window(SCHEMA, ()), "nothing") == "window nothing of Chat = []"


def test_an_entry_is_written_alone() -> None:
    assert write_entry(span("x", pinned=True), SCHEMA, archived=True) == (
        "archived x: user { tokens = 5, pinned, mood = good, relevance = 0 }"
    )


def test_what_is_no_name_becomes_one_that_no_other_has() -> None:
    assert readable(["a b", "a_b", "a-b", "check", "1", "", "\u00e9", "A'"]) == {
        "a b": "a_b_2",
        "a_b": "a_b",
        "a-b": "a_b_3",
        "check": "x_check",
        "1": "x_1",
        "": "x",
        "\u00e9": "x_2",
        "A'": "A",
    }


def test_spans_with_strange_identities_keep_their_links_and_equal_keys() -> None:
    schema = Schema(SCHEMA.name, SCHEMA.fields, SCHEMA.links)
    spans = (span("call 1", tag="call", name="toolu-01"), span("call:1", tag="result", name="toolu-01"))
    window = Window(schema, spans, links=frozenset({("answers", "call:1", "call 1")}))
    read = load_text(f"{CHAT}\n{write_window(window, 'w')}").windows["w"]
    first, second = read.spans
    assert read.links == frozenset({("answers", second.id, first.id)})
    assert first["name"] == second["name"] != "none"


LOOP = """
policy clear for Chat { evict s where s.tag == result }
session loop of Chat { each turn { apply clear } }
"""


def test_what_happened_to_a_span_in_a_session_is_written_where_something_did() -> None:
    module = load_text(CHAT + LOOP)
    schema = module.sessions["loop"].schema
    nothing = {f.name: zero(f.kind) for f in schema.fields if f.history}
    spans = (
        span("A", **nothing),
        span("B", tag="result", **(nothing | {"met": True, "evicted": True, "evictions": 2})),
    )
    window = Window(schema, spans, frozenset({"B"}))
    text = write_window(window, "w")
    assert text == (
        "window w of loop = [\n"
        "  A: user            { tokens = 5, mood = good, relevance = 0 }\n"
        "  archived B: result { tokens = 5, mood = good, relevance = 0, evicted, evictions = 2, met }\n"
        "]"
    )
    assert load_text(f"{CHAT}{LOOP}{text}").windows["w"] == window
