"""What a session that breaks its promise looks like: turn by turn, with what is left of what went."""

from __future__ import annotations

from functools import cache

import pytest

from selfedit_formal.core.verdict import Refuted, Result, RunEnd
from selfedit_formal.engines import Limits
from selfedit_formal.language.resolve import load_text
from selfedit_formal.reports.json import document
from selfedit_formal.reports.layout import plain
from selfedit_formal.reports.session import at_rest
from selfedit_formal.reports.text import check, report
from selfedit_formal.verifying.verify import verify
from tests.reports.test_json import conforms

TEXT = """
window Log {
  tag    : note | task | mark
  tokens : int >= 1
  topic  : key
  stale  : bool
  control s where s.tag == task
}

policy drop for Log {
  evict s where s.stale
}
policy clean for Log {
  evict s where s.stale or s.tag == mark
}
policy flip for Log {
  at once {
    evict   s where s.tag == note
    readmit s where s.tag == note
  }
}
policy timid for Log {
  refuse when some s: s.tag == task because "a task is near"
  evict s where s.stale
}
policy reword for Log {
  set s where s.tag == task { tag = note }
}

session loop of Log {
  start no s in W: s.tag == mark or s.topic == none
  each turn { may readmit s where s.tag == note   apply drop }
}
session marked of Log {
  start no s in W: s.tag == mark or s.topic == none
  each turn { may readmit s where s.tag == note   apply clean }
  tombstones in_window { tag = mark, tokens = 2 }
  ledger sidecar
}
session asked of Log {
  start no s in W: s.topic == none
  each turn { may readmit s where s.tag == note override   apply drop }
  tombstones sidecar
}
session flips of Log { each turn { apply flip } }
session careful of Log {
  start no s in W: s.stale
  each turn {
    arrive s where s.tag == task and s.tokens == 1 and s.topic == none
    arrive s where s.tag == note and s.tokens == 1 and s.topic == none
    apply timid
  }
}
session rewords of Log { each turn { apply reword } }

## Nothing ever leaves.
property still(S: session) = always V then W: all s in V: s in W
property twice(S: session) = always W: no s in known(W): s.evictions > 1
property seldom(S: session) = at most once s in known(W): s.evicted
property lean(S: session) = always W: no s in W: s.stale and s.tag != task

check loop: no_thrash
check marked: no_thrash
check asked: twice
check flips: no_cycle(2)
check flips: converges(1)
check careful: lean
check loop: still
check rewords: control_survives
check loop: seldom
"""

NAMES = ("thrash", "marked", "asked", "lasso", "alone", "refused", "still", "reworded", "seldom")


@cache
def results() -> dict[str, Result]:
    asked = load_text(TEXT, "log.sef").obligations
    limits = Limits(within=2, turns=3, proof=0.0)
    return {n: verify(o, limits, vacuity=False) for n, o in zip(NAMES, asked, strict=True)}


def drawn(name: str) -> str:
    """The report of one check, from its second line on, without the promise and the window."""
    lines = plain(check(results()[name], 104)).split("\n")
    stop = next(n for n, text in enumerate(lines) if text.strip().startswith("promise"))
    return "\n".join(text.removeprefix("    ") for text in lines[1:stop]).strip("\n")


PICTURES = {
    "thrash": """\
A session of 2 turns from a window of 1 span breaks it, and none of fewer turns.

    W0 (start)                           turn 1              turn 2
s = A: note { tokens = 1, topic = k1,    - evicted (rule 2)  < came back (rule 1),
      stale }                                                - evicted (rule 2)

rule 1   environment: may readmit s where s.tag == note  [log.sef:32]
rule 2   drop: evict s where s.stale  [log.sef:11]
record   turn 1: rule 2 evicts A (note, topic = k1): no tombstone, no ledger entry
         turn 2: rule 2 evicts A (note, topic = k1): no tombstone, no ledger entry
why      A.thrashed, which must not be
         A was evicted in turn 1, came back and was evicted in turn 2""",
    "marked": """\
A session of 3 turns from a window of 1 span breaks it, and none of fewer turns.

    W0 (start)           turn 1                   turn 2                    turn 3
s = A: note              - evicted (rule 2)                                 < came back (rule 1),
      { tokens = 1,                                                         - evicted (rule 2)
      topic = k1,
      stale }
    (new1: mark          + inserted,              - evicted (rule 2)
      { tokens = 2 })    covers A (rule 3)
    (new2: mark                                   + inserted,               - evicted (rule 2)
      { tokens = 2 })                             covers new1 (rule 3)
    (new3: mark                                                             + inserted, covers A,
      { tokens = 2 })                                                       new2 (rule 3)

rule 1   environment: may readmit s where s.tag == note  [log.sef:36]
rule 2   clean: evict s where s.stale or s.tag == mark  [log.sef:14]
rule 3   session: tombstones in_window { tag = mark, tokens = 2 }  [log.sef:37]
record   turn 1: rule 2 evicts A (note, topic = k1): tombstone new1, ledger entry outside the window
         turn 2: rule 2 evicts new1 (mark): tombstone new2, ledger entry outside the window
         turn 3: rule 2 evicts A (note, topic = k1): tombstone new3, ledger entry outside the window
         turn 3: rule 2 evicts new2 (mark): tombstone new3, ledger entry outside the window
why      A.thrashed, which must not be
         A was evicted in turn 1, came back and was evicted in turn 3""",
    "asked": """\
A session of 2 turns from a window of 1 span breaks it, and none of fewer turns.

    W0 (start)                           turn 1              turn 2
s = A: note { tokens = 1, topic = k1,    - evicted (rule 2)  < came back, by an override (rule 1),
      stale }                                                - evicted (rule 2)

rule 1   environment: may readmit s where s.tag == note override  [log.sef:42]
rule 2   drop: evict s where s.stale  [log.sef:11]
record   turn 1: rule 2 evicts A (note, topic = k1): tombstone outside the window, no ledger entry
         turn 2: rule 2 evicts A (note, topic = k1): tombstone outside the window, no ledger entry
why      A.evictions > 1, which must not be
         A was evicted in turn 1, came back by an override and was evicted in turn 2""",
    "lasso": """\
A window of 1 span, from which a session may start, breaks it.

W0 (start)              turn 1              turn 2
A: note { tokens = 1 }  - evicted (rule 1)  < came back (rule 2)

rule 1   flip: evict s where s.tag == note  [log.sef:18]
rule 2   flip: readmit s where s.tag == note  [log.sef:19]
record   turn 1: rule 1 evicts A (note): no tombstone, no ledger entry
note     the window at the start is back after turn 2
why      W has A, and flips(W) has not: rule 1 evicted it in turn 1
         A was evicted in turn 1, came back in turn 2""",
    "alone": """\
A window of 1 span, from which a session may start, breaks it.

W0 (start)              left alone 1        left alone 2
A: note { tokens = 1 }  - evicted (rule 1)  < came back (rule 2)

rule 1   flip: evict s where s.tag == note  [log.sef:18]
rule 2   flip: readmit s where s.tag == note  [log.sef:19]
record   left alone 1: rule 1 evicts A (note): no tombstone, no ledger entry
why      W left alone for 2 turns has A, and W left alone for 1 turn has not: rule 1 evicted it in
         left alone 1""",
    "refused": """\
A session of 1 turn from the empty window breaks it, and none of fewer turns.

    W0 (start)                          turn 1
    (new1: task { tokens = 1 })         + arrived (rule 1)
s = (new2: note { tokens = 1, stale })  + arrived (rule 2)

rule 1   environment: arrive s where s.tag == task and s.tokens == 1 and s.topic == none
         [log.sef:49]
rule 2   environment: arrive s where s.tag == note and s.tokens == 1 and s.topic == none
         [log.sef:50]
rule 3   timid: refuse when some s: s.tag == task because "a task is near"  [log.sef:23]
note     in turn 1 `timid` is refused (rule 3): a task is near; what goes in comes out
why      new2.stale and new2.tag != task, which must not be""",
}


@pytest.mark.parametrize("name", PICTURES)
def test_a_session_is_drawn_turn_by_turn(name: str) -> None:
    assert drawn(name) == PICTURES[name]


def test_what_the_session_notes_for_itself_is_not_shown() -> None:
    for name in NAMES:
        shown = drawn(name)
        assert "noted" not in shown
        assert "offered" not in shown
        assert "met" not in shown.replace("promise", "")


def test_the_window_to_paste_is_one_of_the_schema_that_was_written() -> None:
    text = plain(check(results()["thrash"], 104))
    assert "window loop_no_thrash of Log = [" in text
    verdict = results()["thrash"].verdict
    assert isinstance(verdict, Refuted)
    turns = results()["thrash"].obligation.turns
    assert turns is not None
    (window,) = verdict.case.inputs.values()
    rest = at_rest(window, turns.session)
    written = load_text(TEXT).schemas["Log"]
    assert (rest.schema.name, rest.schema.fields) == (written.name, written.fields)
    assert all(set(s.values) == {f.name for f in written.fields} for s in rest.spans)


def test_windows_have_the_names_of_the_promise_and_of_turns() -> None:
    assert "why      A is not in W: rule 1 evicted it in turn 1" in drawn("still")


def test_what_was_to_be_true_once_is_told_with_its_turns() -> None:
    assert "why      it is so of A after turn 1 and after turn 2" in drawn("seldom")
    assert "twice" not in drawn("seldom")


def test_the_line_of_a_check_says_turns_and_spans() -> None:
    lines = plain(report([results()["thrash"]], 104, 1.0)).split("\n")
    assert lines[1].startswith("  refuted  2 turns, 1 span  ")


def test_a_session_is_there_as_data() -> None:
    found = conforms(document([results()["marked"]], RunEnd(1.0)))["checks"][0]
    assert (found["turns"], found["spans"], found["policy"]) == (3, 1, "marked")
    case = found["case"]
    assert case["gone"][0] == {
        "turn": "turn 1",
        "span": "A",
        "rules": ["evict s where s.stale or s.tag == mark"],
        "tombstone": "new1",
        "ledger": "outside the window",
    }
    assert [p["term"] for p in case["passes"]][:3] == ["turn 1"] * 3
    assert case["windows"]["W0"]["schema"] == "Log"
    rules = {e["rule"]["text"] for p in case["passes"] for e in p["events"] if e["kind"] != "block"}
    assert not any("noted" in r for r in rules)


@pytest.fixture(scope="module")
def proved() -> Result:
    text = TEXT.split("check loop")[0] + "check asked: no_thrash\n"
    (asked,) = load_text(text, "log.sef").obligations
    return verify(asked, Limits(within=2, turns=3), vacuity=False)


def test_an_induction_is_shown_with_its_invariant(proved: Result) -> None:
    (head, *lines) = plain(check(proved, 104)).split("\n")
    assert head.startswith("  proved   any session   ")
    assert head.endswith("asked: no_thrash  (for any number of turns, by induction)")
    assert lines == [
        "    with the invariant `all s in known(W): not s.offered`, `all s in known(W): s in W implies not",
        "    s.evicted`",
    ]


def test_an_induction_is_shown_in_full_if_asked_for(proved: Result) -> None:
    lines = plain(check(proved, 104, verbose=True)).split("\n")
    assert lines[1:] == [
        "    always   1. all s in known(W): not s.thrashed  (the promise)",
        "             2. all s in known(W): not s.offered  (found)",
        "             3. all s in known(W): s in W implies not s.evicted  (found)",
        "    proved   start 1, 2, 3; turn 1, 2, 3: one query over the spans that matter",
        "",
    ]


def test_an_induction_is_there_as_data(proved: Result) -> None:
    found = conforms(document([proved], RunEnd(1.0)))["checks"][0]
    assert found["verdict"] == "proved"
    assert found["proof"] is None
    assert [c["source"] for c in found["induction"]["invariant"]] == ["promise", "found", "found"]
    assert [p["name"] for p in found["induction"]["parts"]][:2] == ["start 1", "turn 1"]
