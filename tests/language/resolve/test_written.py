"""Windows written out: their spans, links and archives, and values that are not possible."""

from __future__ import annotations

import pytest

from selfedit_formal.core.window import Span, Window
from selfedit_formal.language.resolve import load_text
from tests.language.resolve.core import codes, mistake

SCHEMA = """
window Log {
  tag    : user | call | result
  tokens : int >= 1 <= 1000
  role   : low | high
  stale, fresh : bool
  call   : key
  score  : int from query
  taste  : int from window
  link answers : result -> call
  link next
}
"""


def window(items: str) -> Window:
    return load_text(f"{SCHEMA}\nwindow w of Log = [\n{items}\n]").windows["w"]


def test_a_window_has_spans_in_order_with_all_their_fields() -> None:
    found = window(
        """
        A: call { tokens = 9, role = low, score = -3, stale, not fresh, call = c1 }
        archived B: result { tokens = 4, role = high, score = 0 }
        B answers A
        A next B
        """
    )
    assert found.spans == (
        Span(
            "A", {"tag": "call", "tokens": 9, "role": "low", "stale": True, "fresh": False, "call": "c1", "score": -3}
        ),
        Span(
            "B",
            {"tag": "result", "tokens": 4, "role": "high", "stale": False, "fresh": False, "call": "none", "score": 0},
        ),
    )
    assert tuple(found.spans[0].values) == ("tag", "tokens", "role", "stale", "fresh", "call", "score")
    assert found.archived == frozenset({"B"})
    assert found.links == frozenset({("answers", "B", "A"), ("next", "A", "B")})
    assert found.fresh == frozenset()


def test_a_span_that_covers_others_was_made_by_a_pass() -> None:
    found = window(
        """
        A: call { tokens = 9, role = low, score = 1 }
        B: user { tokens = 4, role = low, score = 1 }
        B covers A
        """
    )
    assert found.fresh == frozenset({"B"})


def test_an_empty_window_is_a_window() -> None:
    assert window("").spans == ()


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        ("A: usr { tokens = 9, role = low, score = 1 }", "R007 window `Log` has no tag `usr`"),
        ("A: user { role = low, score = 1 }", "R033 span `A` has no `tokens`"),
        ("A: user { tokens = 9, score = 1 }", "R033 span `A` has no `role`"),
        ("A: user { tokens = 9, role = low }", "R033 span `A` has no `score`"),
        ("A: user { tokens = 9, role = mid, score = 1 }", "R007 `role` has no name `mid`"),
        ("A: user { tokens = 0, role = low, score = 1 }", "R034 0 is outside the limits of `tokens`"),
        ("A: user { tokens = 1001, role = low, score = 1 }", "R034 1001 is outside the limits of `tokens`"),
        ("A: user { tokens = low, role = low, score = 1 }", "R034 `tokens` takes a number"),
        ("A: user { tokens, role = low, score = 1 }", "R034 `tokens` takes a number"),
        ("A: user { tokens = 9, role = 3, score = 1 }", "R034 `role` takes a name"),
        ("A: user { tokens = 9, role = low, score = 1, stale = 3 }", "R034 `stale` takes true or false"),
        ("A: user { tokens = 9, role = low, score = 1, call = 3 }", "R034 `call` takes a key"),
        (
            "A: user { tokens = 9, role = low, score = 1, taste = 3 }",
            "R024 `taste` comes from the window with every pass, so a span does not carry it",
        ),
        ("A: user { tokens = 9, role = low, score = 1, size = 3 }", "R006 window `Log` has no field `size`"),
        ("A: user { tokens = 9, role = low, score = 1, tag = user }", "R006 the tag stands before the brace"),
        ("A: user { tokens = 9, role = low, score = 1, tokens = 8 }", "R026 `tokens` is given twice"),
        ("arrived: user { tokens = 9, role = low, score = 1 }", "R012 `arrived` cannot name a span"),
        ("new_p1_3: user { tokens = 9, role = low, score = 1 }", "R012 `new_p1_3` cannot name a span"),
    ],
)
def test_a_span_may_be_wrong(items: str, expected: str) -> None:
    assert mistake(f"{SCHEMA}\nwindow w of Log = [ {items} ]") == expected


@pytest.mark.parametrize(
    ("fact", "expected"),
    [
        ("A answers B", ["R035", "R035"]),
        ("B answers B", ["R035"]),
        ("B answers C", ["R036"]),
        ("C covers A", ["R036"]),
        ("A covers A", ["R035"]),
        ("A asks B", ["R009"]),
    ],
)
def test_a_link_may_be_wrong(fact: str, expected: list[str]) -> None:
    entries = "A: call { tokens = 9, role = low, score = 1 } B: result { tokens = 9, role = low, score = 1 }"
    assert codes(f"{SCHEMA}\nwindow w of Log = [ {entries} {fact} ]") == expected


def test_two_spans_need_two_names() -> None:
    entry = "A: call { tokens = 9, role = low, score = 1 } "
    assert mistake(f"{SCHEMA}\nwindow w of Log = [ {entry * 2} ]") == "R011 two spans are called `A`"


def test_the_schema_of_a_window_must_be_there() -> None:
    assert mistake("window w of Logg = [ A: call ]") == "R002 unknown window `Logg`"
