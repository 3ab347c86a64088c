"""The drawn counterexample, line for line: what a person sees is decided here."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console
from rich.text import Text

from selfedit_formal.core.verdict import Bounded, Failed, Proved, Result, RunEnd, Unknown, Vacuous
from selfedit_formal.reports.json import document
from selfedit_formal.reports.layout import plain
from selfedit_formal.reports.text import check, refutation, report, told
from tests.reports import examples


def drawn(result: Result, width: int = 100) -> str:
    return plain(refutation(result, width)) + "\n"


def test_a_span_that_lost_its_partner_is_seen_with_what_took_it() -> None:
    assert (
        drawn(examples.orphan())
        == """\
A window of 3 spans breaks it; no shorter one does.

    W                                            P(W)
    S: system { tokens = 1 }                     kept (rule 1)
    C: call { tokens = 4, call = k1 }            - evicted (rule 2)
r = R: result { tokens = 2, call = k1, pinned }  kept

rule 1   keep s where s.tag == system  [chat.sef:14]
rule 2   evict s where total(t.tokens: t not before s and t.tag != system) > cap  [chat.sef:15]
why      no c in P(W) has: c.tag == call and c.call == R.call and c before R
         in W it was C, but rule 2 evicted it
links    C justifies R, and C is not in P(W)
with     cap = 2
promise  preserves(paired): Closed in, closed out: a window that satisfies the invariant still does
         after a pass.
         all W where I(W): I(P(W))

window trim_last_preserves_paired of Chat = [
  S: system { tokens = 1 }
  C: call   { tokens = 4, call = k1 }
  R: result { tokens = 2, call = k1, pinned }   C justifies R
]
"""
    )


def test_what_the_model_picked_and_what_came_in_are_seen() -> None:
    assert (
        drawn(examples.again())
        == """\
A window of 3 spans breaks it; there may be a shorter one.

W                                 P(W)                              P(P(W))
S: system { tokens = 1 }          kept                              kept
(new1: summary { tokens = 1,      + inserted, covers C              kept
  pinned })                       (rules 1, 2)
C: call { tokens = 4,             - evicted (rule 1)
  call = k1 }
(new2: summary { tokens = 1,                                        + inserted, covers R
  pinned })                                                         (rules 1, 2)
R: result { tokens = 2,           kept                              - evicted (rule 1)
  call = k1, pinned }

rule 1   may summarize s where s.tag != system into { tag = summary, tokens <= size, call = none }
         [chat.sef:19]
rule 2   set s where s.tag == summary { pinned = true }  [chat.sef:20]
why      P(W) has R, and P(P(W)) has not: rule 1 evicted it
         P(P(W)) has new2, and P(W) has not
links    C justifies R, and C is not in P(W)
with     size = 5
model    in P(W) the model picks C (rule 1)
         in P(P(W)) the model picks R (rule 1)
promise  idempotent: Applying the policy to its own output changes nothing.
         all W: P(P(W)) == P(W)

window judge_idempotent of Chat = [
  S: system { tokens = 1 }
  C: call   { tokens = 4, call = k1 }
  R: result { tokens = 2, call = k1, pinned }   C justifies R
]
"""
    )


def test_a_second_run_and_a_missing_span_are_seen() -> None:
    assert (
        drawn(examples.hanging())
        == """\
A window of 3 spans breaks it; no shorter one does.

    W                                            P(W)  P'(without(W, S))
t = S: system { tokens = 1 }                     kept  taken out
    C: call { tokens = 4, call = k1 }            kept  kept
    (new1: summary { tokens = 1, pinned })             + inserted, covers R (rules 1, 2)
s = R: result { tokens = 2, call = k1, pinned }  kept  - evicted (rule 1)

rule 1   may summarize s where s.tag != system into { tag = summary, tokens <= size, call = none }
         [chat.sef:19]
rule 2   set s where s.tag == summary { pinned = true }  [chat.sef:20]
note     P' is a run of its own: the model and the scores may answer otherwise than in P
why      R in P(W) holds, and R in P'(without(W, S)) does not: rule 1 evicted it
links    C justifies R, and R is not in P'(without(W, S))
with     size = 1
model    in P'(without(W, S)) the model picks R (rule 1)
promise  independent: What becomes of one span does not hang on the presence of another (no
         co-scoring).
         all W, s in W, t in W where s != t: (s in P(W) iff s in P'(without(W, t))) and P(W)[s] ==
         P'(without(W, t))[s]

window judge_independent of Chat = [
  S: system { tokens = 1 }
  C: call   { tokens = 4, call = k1 }
  R: result { tokens = 2, call = k1, pinned }   C justifies R
]
"""
    )


def test_a_span_that_comes_and_goes_is_seen_pass_by_pass() -> None:
    assert (
        drawn(examples.swinging())
        == """\
A window of 1 span breaks it; no shorter one does.

W                P(W)             P(P(W))          P^3(W)           P^4(W)           P^5(W)
A: call          - evicted        < readmitted     - evicted        < readmitted     - evicted
  { tokens = 1,  (rule 1)         (rule 2)         (rule 1)         (rule 2)         (rule 1)
  pinned }

rule 1   evict s where s.pinned  [chat.sef:25]
rule 2   readmit s where s.pinned  [chat.sef:26]
why      P^4(W) has A, and P^5(W) has not: rule 1 evicted it
promise  stabilizes(4): After k passes nothing changes any more.
         all W: P(P^k(W)) == P^k(W)

window swing_stabilizes_4 of Chat = [
  A: call { tokens = 1, pinned }
]
"""
    )


def test_a_refusal_says_why_and_leaves_the_window_alone() -> None:
    assert (
        drawn(examples.refusing())
        == """\
A window of 3 spans breaks it; no shorter one does.

W                                            P(W)
S: system { tokens = 1 }                     kept
C: call { tokens = 4, call = k1 }            kept
R: result { tokens = 2, call = k1, pinned }  kept

rule 1   evict s where s.pinned  [chat.sef:31]
rule 2   refuse when some s: s.tag == system because "a system span is there"  [chat.sef:32]
note     P(W) is refused (rule 2): a system span is there; what goes in comes out
why      P(W) == W, which must not be
promise  acts: Over its trigger the policy does something.
         all W where triggered(P, W): P(W) != W

window careful_acts of Chat = [
  S: system { tokens = 1 }
  C: call   { tokens = 4, call = k1 }
  R: result { tokens = 2, call = k1, pinned }   C justifies R
]
"""
    )


def test_a_plan_is_drawn_on_its_own_window() -> None:
    assert (
        drawn(examples.planned())
        == """\
The written-out window breaks it.

    W                                      P(W)
    A: result { tokens = 900, call = k1 }  - evicted (rule 1)
s = R: summary { tokens = 140 }            - evicted (rule 1)

rule 1   delete A, R  [chat.sef:42]
why      R is not in P(W): rule 1 evicted it
promise  keeps_rationale: What the policy gives as its reason (`because`) stays in the window, as it
         is.
         all W, s in W where rationale(P, s, W): s in P(W) and P(W)[s] == W[s]

window drop_keeps_rationale of Chat = [
  A: result  { tokens = 900, call = k1 }
  R: summary { tokens = 140 }   R justifies A
]
"""
    )


def test_passes_that_do_not_fit_continue_below() -> None:
    assert (
        drawn(examples.swinging(), 44)
        == """\
A window of 1 span breaks it; no shorter one does.

W                P(W)          P(P(W))
A: call          - evicted     < readmitted
  { tokens = 1,  (rule 1)      (rule 2)
  pinned }

   P^3(W)        P^4(W)        P^5(W)
A  - evicted     < readmitted  - evicted
   (rule 1)      (rule 2)      (rule 1)

rule 1   evict s where s.pinned
         [chat.sef:25]
rule 2   readmit s where s.pinned
         [chat.sef:26]
why      P^4(W) has A, and P^5(W) has not:
         rule 1 evicted it
promise  stabilizes(4): After k passes
         nothing changes any more.
         all W: P(P^k(W)) == P^k(W)

window swing_stabilizes_4 of Chat = [
  A: call { tokens = 1, pinned }
]
"""
    )


def test_each_verdict_says_what_goes_with_it() -> None:
    asked = examples.obligation("trim_last: preserves(paired)")
    results = [
        examples.result(asked, Proved("one query over the spans that matter")),
        examples.result(
            asked, Bounded(8, "the bounded engine looks at windows of up to 8 spans and no further"), ("a",)
        ),
        examples.result(
            asked, Bounded(6, "the bounded engine looks at windows of up to 6 spans and no further"), ("b",)
        ),
        examples.result(asked, Vacuous(("no window satisfies the premise", "no rule ever fires"), 8), ("a",)),
        examples.result(asked, Unknown("time limit of 60 s", Path("unknown/trim.smt2"))),
        examples.result(asked, Failed("this\nand that")),
    ]
    assert (
        plain(report(results, 90, 1.5))
        == """\
chat.sef
  proved   every window     0.25 s  trim_last: preserves(paired)  (one query over the spans that matter)
  bounded  up to 8 spans    0.25 s  trim_last: preserves(paired)
    note: a
  bounded  up to 6 spans    0.25 s  trim_last: preserves(paired)
    note: b
  vacuous                   0.25 s  trim_last: preserves(paired)  expected: holds
    holds for every window, but
    - no window satisfies the premise
    - no rule ever fires
    note: the same as for `trim_last: preserves(paired)`
  unknown                   0.25 s  trim_last: preserves(paired)  expected: holds
    time limit of 60 s
    the query is in unknown/trim.smt2: another solver may answer it
  failed                    0.25 s  trim_last: preserves(paired)  expected: holds
    two parts of this tool contradict each other; please report this:
      this
      and that

no proof for every length: the bounded engine looks at windows of up to N spans and no
further
6 checks: 1 proved, 2 bounded, 1 vacuous, 1 unknown, 1 failed; 3 not as expected (1.5 s)"""
    )


def test_an_expected_refutation_is_drawn_only_if_asked_for() -> None:
    found = examples.orphan()
    expected = Result(examples.expecting(found.obligation, "refuted"), found.verdict, 0.25, "bounded")
    quiet = plain(report([expected], 100, 1.0))
    assert (
        quiet
        == """\
chat.sef
  refuted  by 3 spans       0.25 s  trim_last: preserves(paired)  as expected

1 expected refutation not drawn: --verbose draws them
1 check: 1 refuted; all as expected (1.0 s)"""
    )
    assert plain(refutation(expected, 96)).splitlines()[-1] in plain(report([expected], 100, 1.0, verbose=True))


def test_nothing_to_check_is_said() -> None:
    assert plain(report([], 80, 0.1)) == "0 checks: nothing to check (0.1 s)"


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_a_drawing_keeps_to_the_width_as_far_as_its_words_allow(width: int) -> None:
    for found in (examples.again(), examples.swinging(), examples.hanging()):
        text = drawn(found, width).partition("\nwindow ")[0]
        assert max(map(len, text.splitlines())) <= max(width, 72)


def test_colour_adds_nothing_and_takes_nothing_away() -> None:
    lines = check(examples.again(), 80)
    screen = Console(file=io.StringIO(), force_terminal=True, color_system="truecolor", width=80, highlight=False)
    for line in lines:
        screen.print(Text.assemble(*((p.text, p.style) for p in line)), soft_wrap=True)
    written = screen.file
    assert isinstance(written, io.StringIO)
    assert "\x1b[" in written.getvalue()
    bare = Text.from_ansi(written.getvalue()).plain
    assert [t.rstrip() for t in bare.rstrip().split("\n")] == plain(lines).rstrip().split("\n")


def test_no_two_windows_have_one_name() -> None:
    results = [examples.orphan(), examples.orphan()]
    text = plain(report(results, 90, 1.5))
    assert [
        text.count(f"window {n} of Chat") for n in ("trim_last_preserves_paired", "trim_last_preserves_paired_2")
    ] == [
        1,
        1,
    ]
    made = document(results, RunEnd(1.0))["checks"]
    assert [c["case"]["windows"]["W"]["text"].split()[1] for c in made] == [
        "trim_last_preserves_paired",
        "trim_last_preserves_paired_2",
    ]


def test_a_run_that_was_interrupted_says_so() -> None:
    asked = examples.obligation("trim_last: preserves(paired)")
    proved = examples.result(asked, Proved("one query"))
    for results, said in (
        ([proved], "1 of 3 checks: 1 proved, interrupted (1.5 s)"),
        ([], "0 of 2 checks: interrupted (1.5 s)"),
    ):
        *_, last = told(results, lambda: RunEnd(1.5, 2), 90)
        assert plain(last).endswith(said)
