"""What a pass did to a span, in one cell; every kind of change once."""

from __future__ import annotations

import pytest

from selfedit_formal.core.property import Case
from selfedit_formal.language.resolve import load_text, obligation
from selfedit_formal.reports.picture import Picture, picture
from selfedit_formal.semantics.interpreter import passes

TEXT = """\
window Log {
  tag    : rule | dump | note
  tokens : int >= 1
  stale  : bool
  score  : int >= 0 from window
  link about
}
policy drop for Log   { evict s where s.stale }
policy guard for Log  { keep s where s.tag == rule  evict s where s.stale }
policy clear for Log  { set s where s.stale { tokens = 1, not stale } }
policy spoil for Log  { set s where s.stale { tag = note }  evict s where s.tag == note }
policy lift for Log   { move s where s.stale at front }
policy fold for Log   { summarize s where s.stale into { tag = note, tokens = 2 } }
policy wake for Log   { readmit s where s.stale }
policy flash for Log  { insert { tag = note, tokens = 7 } at back  evict s where s.tokens == 7 }
policy score for Log  { evict s where s.score < 3 }
policy never for Log  { evict s where s.stale  refuse when no s: s.stale because "nothing is stale" }
policy gated for Log  { evict s where s.stale  gate still }
property still(P: policy) = all W: P(W) == W
property twice(P: policy) = all W: P(P(W)) == W
window one of Log = [
  R: rule { tokens = 1 }
  D: dump { tokens = 5, stale }  D about R
  archived A: dump { tokens = 6, stale }
]
window two of Log = [
  R: rule { tokens = 1 }
  D: dump { tokens = 5, stale }  D about R
]
"""


def drawn(policy: str, promise: str = "still", window: str = "two") -> Picture:
    module = load_text(TEXT)
    asked = obligation(module, policy, promise)
    case = Case({"W": module.windows[window]}, {}, {}, {})
    return picture(asked, case, passes(asked, case))


def cells(policy: str, window: str = "two") -> dict[str, tuple[str, str, tuple[int, ...]]]:
    """Mark, text and rules of the one pass, by span."""
    (table,) = drawn(policy, window=window).tables
    assert table.columns == ("P(W)",)
    return {r.id: (c.mark, c.text, c.rules) for r in table.rows for c in r.cells}


@pytest.mark.parametrize(
    ("policy", "span", "cell"),
    [
        ("drop", "R", ("kept", "kept", ())),
        ("drop", "D", ("evicted", "- evicted", (1,))),
        ("guard", "R", ("kept", "kept", (1,))),
        ("guard", "D", ("evicted", "- evicted", (2,))),
        ("clear", "D", ("changed", "~ tokens 5 -> 1, ~ stale true -> false", (1,))),
        ("spoil", "D", ("evicted", "~ tag dump -> note, - evicted", (1, 2))),
        ("lift", "D", ("moved", "> moved to 1", (1,))),
        ("fold", "new1", ("inserted", "+ inserted, covers D", (1,))),
        ("fold", "D", ("evicted", "- evicted", (1,))),
        ("flash", "new1", ("evicted", "+ inserted, - evicted", (1, 2))),
        ("never", "D", ("kept", "kept", ())),
        ("gated", "D", ("kept", "kept", ())),
    ],
)
def test_a_cell_says_what_became_of_the_span(policy: str, span: str, cell: tuple[str, str, tuple[int, ...]]) -> None:
    assert cells(policy)[span] == cell


def test_an_archived_span_is_seen_to_come_back() -> None:
    assert cells("wake", window="one")["A"] == ("readmitted", "< readmitted", (1,))
    (table,) = drawn("wake", window="one").tables
    assert [r.entry.split()[0] for r in table.rows] == ["R:", "D:", "archived"]


def test_a_span_stands_where_it_stood_and_a_new_one_where_it_was_put() -> None:
    (table,) = drawn("fold").tables
    assert [(r.id, r.given) for r in table.rows] == [("R", True), ("new1", False), ("D", True)]


def test_rules_are_numbered_as_they_are_written() -> None:
    found = drawn("guard").rules
    assert [(r.number, r.text) for r in found] == [(1, "keep s where s.tag == rule"), (2, "evict s where s.stale")]
    assert all(r.place == "<text>:9" for r in found)


def test_a_refusal_is_a_remark() -> None:
    assert drawn("never").remarks == ("P(W) is refused (rule 2): nothing is stale; what goes in comes out",)


def test_the_trials_of_a_gate_are_no_columns() -> None:
    found = drawn("gated")
    assert [t.columns for t in found.tables] == [("P(W)",)]
    assert "is refused" in found.remarks[0]


def test_a_link_with_one_end_gone_is_named_once_per_pass() -> None:
    assert drawn("drop").broken_links == ("D about R, and D is not in P(W)",)
    assert drawn("drop", "twice").broken_links == ("D about R, and D is not in P(W)",)
    assert drawn("lift").broken_links == ()


def test_what_comes_back_only_to_go_is_drawn() -> None:
    module = load_text(
        "window Chat { tag : user | call }\n"
        "policy p for Chat { let back = last archived s where true  readmit back  evict s where true }\n"
        "policy q for Chat {\n  let back = last archived s where true\n  readmit back\n"
        "  summarize s where true into { tag = user }\n}\n"
        "property still(P: policy) = all W: P(W) == W\n"
        "window one of Chat = [ archived A: user ]\n"
    )
    found: dict[tuple[str, str], tuple[str, str, tuple[int, ...]]] = {}
    for policy in ("p", "q"):
        asked = obligation(module, policy, "still")
        case = Case({"W": module.windows["one"]}, {}, {}, {})
        (table,) = picture(asked, case, passes(asked, case)).tables
        found |= {(policy, r.id): (c.mark, c.text, c.rules) for r in table.rows for c in r.cells}
    assert found == {
        ("p", "A"): ("evicted", "< readmitted, - evicted", (1, 2)),
        ("q", "A"): ("evicted", "< readmitted, - evicted", (1, 2)),
        ("q", "new1"): ("inserted", "+ inserted, covers A", (2,)),
    }


def test_of_many_spans_that_a_summary_covers_the_first_are_named() -> None:
    spans = "".join(f"A{n}: dump {{ tokens = 1, stale }}\n" for n in range(8))
    module = load_text(f"{TEXT}window many of Log = [\n{spans}]\n")
    asked = obligation(module, "fold", "still")
    case = Case({"W": module.windows["many"]}, {}, {}, {})
    (table,) = picture(asked, case, passes(asked, case)).tables
    (cell,) = next(r.cells for r in table.rows if r.id == "new1")
    assert cell.text == "+ inserted, covers A0, A1, A2, A3, A4 and 3 more"


def test_a_parameter_is_told_apart_from_that_of_the_promise() -> None:
    module = load_text(
        "window C { tag : user }\n"
        "policy cap(n: int, m: int) for C { evict s where count(t: t after s) > n + m }\n"
        "property at_most(P: policy, n: int) = all W: count(s in P(W)) <= n\n"
        "window one of C = [ A: user ]\n"
    )
    for promise, told in (("at_most(0)", "n = 0 (not the n of the promise)"), ("idempotent", "n = 0")):
        asked = obligation(module, "cap", promise)
        case = Case({"W": module.windows["one"]}, {"m": 3, "n": 0}, {}, {})
        assert picture(asked, case, passes(asked, case)).parameters == ("m = 3", told)
