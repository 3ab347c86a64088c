"""Spans at run time: the key of what one says, the address of a window, and windows of the language as an agent's."""

from __future__ import annotations

import pytest

from selfedit_formal.gate import PlainSpan, content_key, digest, spans_of
from selfedit_formal.language.resolve import load_text

LOG = """
window Log {
  tag    : call | result
  tokens : int >= 0
  stale  : bool
  score  : int from query
  link answers : result -> call
}
window w of Log = [
  A: call   { tokens = 3, score = 1 }
  archived X: call { tokens = 9, score = 1 }
  B: result { tokens = 4, score = 1 }   B answers A   B answers X
  C: result { tokens = 9, score = 1 }
  D: result { tokens = 9, score = 2 }
  E: result { tokens = 9, score = 1, stale }
]
"""


@pytest.fixture(scope="module")
def spans() -> dict[str, PlainSpan]:
    return {s.id: s for s in spans_of(load_text(LOG).windows["w"])}


def test_a_content_key_is_of_32_hexadecimal_digits_and_the_same_for_the_same_text() -> None:
    assert content_key("describe pod") == content_key(b"describe pod") == "9ae2c316f8d2ef3cadca5408f72a3262"
    assert content_key("describe pod ") != content_key("describe pod")


def test_whatever_python_holds_in_a_text_has_a_content_key() -> None:
    assert len({content_key(text) for text in ("", "\0", "\ud800", "\ud801", "é", "e\u0301")}) == 6


def test_the_present_spans_of_a_window_are_in_order_with_tag_and_tokens(spans: dict[str, PlainSpan]) -> None:
    assert [(s.id, s.tag, s.tokens) for s in spans.values()] == [
        ("A", "call", 3),
        ("B", "result", 4),
        ("C", "result", 9),
        ("D", "result", 9),
        ("E", "result", 9),
    ]


def test_links_are_by_name_also_those_to_spans_that_left(spans: dict[str, PlainSpan]) -> None:
    assert spans["B"].links == {"answers": ["A", "X"]}
    assert spans["A"].links == {}


def test_spans_say_the_same_if_their_records_differ_in_nothing_but_tag_and_tokens(spans: dict[str, PlainSpan]) -> None:
    assert spans["A"].content == spans["B"].content == spans["C"].content
    assert len({spans[s].content for s in "CDE"}) == 3


def test_a_window_without_tokens_weighs_nothing() -> None:
    (found,) = spans_of(load_text("window N { tag : a } window w of N = [ A: a ]").windows["w"])
    assert (found.id, found.tag, found.tokens) == ("A", "a", 0)


def test_a_digest_is_of_ids_records_and_their_order() -> None:
    one, two = ("A", ("a", "note", 1)), ("B", ("b", "note", 2))
    assert digest([one, two]) == digest(iter([one, two]))
    others = [[two, one], [one], [one, ("B", ("b", "note", 3))], [one, ("C", two[1])], []]
    assert len({digest(o) for o in ([one, two], *others)}) == 6


def test_a_digest_reads_to_the_end_of_a_long_window() -> None:
    records = [(f"S{n}", ("x", "note", n)) for n in range(2001)]
    assert digest(records) != digest(records[:-1])
    assert digest(records) != digest([*records[:-1], ("S2000", ("x", "note", 0))])


def test_a_plain_span_has_a_hash_though_its_links_have_none() -> None:
    linked = PlainSpan("A", "a", "note", 1, {"justifies": ["B"]})
    assert hash(linked) == hash(PlainSpan("A", "a", "note", 1))
    assert linked != PlainSpan("A", "a", "note", 1)
