from __future__ import annotations

from dataclasses import replace

from selfedit_formal.core.expression import FALSE
from selfedit_formal.core.property import Case
from selfedit_formal.reports.layout import plain
from selfedit_formal.reports.witness import report
from selfedit_formal.verifying.witness import (
    Inconsistent,
    NeverShown,
    NotSettled,
    Question,
    Shown,
    Witnessed,
    questions,
)
from tests.reports import examples


def asked() -> Question:
    """Whether the second rule of `trim_last` acts."""
    return next(q for q in questions(examples.module()) if q.origin.text.startswith("evict s where total"))


def test_a_witness_is_drawn_with_its_window() -> None:
    case = Case({"W": examples.module().windows["orphan"]}, {"cap": 2}, {}, {})
    assert (
        plain(report([Shown(asked(), case, 3, True)], 100))
        == """\
trim_last
  acts     evict s where total(t.tokens: t not before s and t.tag != system) > cap  [chat.sef:15]
           3 spans

    W                                            P(W)
    S: system { tokens = 1 }                     kept (rule 1)
    C: call { tokens = 4, call = k1 }            - evicted (rule 2)
    R: result { tokens = 2, call = k1, pinned }  kept

    rule 1   keep s where s.tag == system  [chat.sef:14]
    rule 2   evict s where total(t.tokens: t not before s and t.tag != system) > cap  [chat.sef:15]
    links    C justifies R, and C is not in P(W)
    with     cap = 2

    window trim_last_fires_1 of Chat = [
      S: system { tokens = 1 }
      C: call   { tokens = 4, call = k1 }
      R: result { tokens = 2, call = k1, pinned }   C justifies R
    ]

1 question: all shown"""
    )


def test_what_is_not_shown_is_said() -> None:
    question = asked()
    other = replace(question, subject="other", aspect="fails")
    answers: list[Witnessed] = [
        NeverShown(question, 8),
        NeverShown(question, None),
        NotSettled(other, "time limit of 60 s"),
        Inconsistent(other, "this and that"),
    ]
    assert (
        plain(report(answers, 60))
        == """\
trim_last
  acts     evict s where total(t.tokens: t not before s and
           t.tag != system) > cap  [chat.sef:15]
           never, up to 8 spans
  acts     evict s where total(t.tokens: t not before s and
           t.tag != system) > cap  [chat.sef:15]
           never, on any window

other
  stops    evict s where total(t.tokens: t not before s and
           t.tag != system) > cap  [chat.sef:15]
           unknown: time limit of 60 s
  stops    evict s where total(t.tokens: t not before s and
           t.tag != system) > cap  [chat.sef:15]
           two parts of this tool contradict each other;
           please report this: this and that

4 questions: 4 not shown"""
    )


def test_a_question_s_obligation_denies_it() -> None:
    assert asked().obligation.claim.consequent == FALSE
