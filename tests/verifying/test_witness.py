"""Each rule, each way through a block, each gate and each check's condition has its smallest window, or none."""

from __future__ import annotations

from selfedit_formal.core.property import Obligation
from selfedit_formal.core.verdict import Failed, Result, Unknown
from selfedit_formal.engines import Limits
from selfedit_formal.language.resolve import load_text
from selfedit_formal.semantics.interpreter import breaks, passes
from selfedit_formal.verifying.verify import verify
from selfedit_formal.verifying.witness import (
    Inconsistent,
    NeverShown,
    NotSettled,
    Shown,
    Witnessed,
    questions,
    witnessed,
    witnesses,
)

CHAT = """
window Chat {
  tag    : user | call | result
  tokens : int >= 1
  pinned : bool
  link justifies
  control s where s.pinned
}
predicate small(W) = all r in W: r.tokens <= 5
"""


def answer(obligations: tuple[Obligation, ...]) -> tuple[Result, ...]:
    return tuple(verify(o, Limits(within=3, seconds=None), vacuity=False, unanswered=None) for o in obligations)


def shown(text: str) -> dict[tuple[str, str, str], Witnessed]:
    """The answers, by subject, aspect and text."""
    answers = witnesses(load_text(CHAT + text), answer)
    return {(a.question.subject, a.question.aspect, a.question.origin.text): a for a in answers}


def sizes(text: str) -> dict[tuple[str, str], int | None]:
    """How many spans each witness has, by aspect and text; None: there is none."""
    found: dict[tuple[str, str], int | None] = {}
    for (_, aspect, origin), told in shown(text).items():
        assert isinstance(told, Shown | NeverShown)
        found[aspect, origin] = told.spans if isinstance(told, Shown) else None
        if isinstance(told, Shown):
            assert told.shortest
            assert breaks(told.question.obligation, told.case)
        else:
            assert told.spans == 3
    return found


def test_a_rule_has_the_smallest_window_in_which_it_fires() -> None:
    told = shown(
        """
        policy P for Chat {
          evict s where s.pinned and count(t: t after s) >= 1
        }
        """
    )
    (only,) = told.values()
    assert isinstance(only, Shown)
    assert only.spans == 2
    assert [(s.id, s["pinned"]) for s in only.case.inputs["W"].spans] == [("A", True), ("B", False)]
    (run,) = passes(only.question.obligation, only.case)
    assert [(e.kind, e.spans) for e in run.events] == [("evict", ("A",))]


def test_a_rule_that_never_fires_is_told_with_the_bound() -> None:
    assert sizes(
        """
        policy P for Chat {
          keep  s where s.pinned
          evict s where s.pinned
          evict s where s.tag == call
        }
        """
    ) == {
        ("fires", "keep s where s.pinned"): 1,
        ("fires", "evict s where s.pinned"): None,
        ("fires", "evict s where s.tag == call"): 1,
    }


def test_a_block_goes_both_ways() -> None:
    told = sizes(
        """
        policy P for Chat {
          when count(s: s.tag == call) >= 2
          if some s: s.pinned { evict s where s.tag == result } else { evict s where s.tag == user }
        }
        """
    )
    assert told["holds", "when count(s: s.tag == call) >= 2"] == 2
    assert told["fails", "when count(s: s.tag == call) >= 2"] == 0
    assert told["fires", "evict s where s.tag == result"] == 3
    assert told["fires", "evict s where s.tag == user"] == 3


def test_a_refusal_and_each_gate_have_a_window() -> None:
    told = sizes(
        """
        policy P for Chat {
          refuse when some s: s.tokens > 100 because "too big"
          set s where s.tag == call { tokens = 9 }
          gate preserves(small), never_grows
        }
        """
    )
    assert {text: spans for (aspect, text), spans in told.items() if aspect == "refuses"} == {
        "gate preserves(small)": 1,
        "gate never_grows": 1,
    }
    (refuse,) = [spans for (_, text), spans in told.items() if text.startswith("refuse")]
    assert refuse == 1


def test_the_assumptions_of_a_schema_hold_of_every_witness() -> None:
    told = shown(
        """
        window Short { tag: user | call   assume count(s) >= 2 }
        policy Q for Short { evict s where s.tag == call }
        """
    )
    (only,) = told.values()
    assert isinstance(only, Shown)
    assert only.spans == 2


def test_a_check_with_a_condition_has_a_window_that_meets_it() -> None:
    told = shown(
        """
        policy P for Chat { evict s where s.tag == call }
        check P: preserves(small), idempotent
        check P: never_grows assuming all s in W: s.tokens > 10
        """
    )
    asked = {subject: answer for (subject, aspect, _), answer in told.items() if aspect == "applies"}
    assert list(asked) == ["P: preserves(small)"]
    assert all(isinstance(a, Shown) for a in asked.values())


def test_a_plan_is_asked_about_the_window_it_stands_on() -> None:
    told = shown(
        """
        window w of Chat = [
          a: call { tokens = 9 }
          r: user { tokens = 1 }
        ]
        plan p on w { because r  delete a }
        check p: keeps_rationale
        """
    )
    rules = [a for (subject, aspect, _), a in told.items() if (subject, aspect) == ("p", "fires")]
    assert rules
    for rule in rules:
        assert isinstance(rule, Shown)
        assert [s.id for s in rule.case.inputs["W"].spans] == ["a", "r"]


def test_no_answer_and_a_contradiction_are_told_as_such() -> None:
    (question,) = questions(load_text(CHAT + "policy P for Chat { evict s where s.pinned }"))
    unknown = Result(question.obligation, Unknown("time"), 1.0, "none")
    assert witnessed(question, unknown) == NotSettled(question, "time")
    failed = Result(question.obligation, Failed("they disagree"), 1.0, "none")
    assert witnessed(question, failed) == Inconsistent(question, "they disagree")


def test_questions_are_asked_in_the_order_written() -> None:
    module = load_text(
        CHAT
        + """
        policy P for Chat { evict s where s.pinned  evict s where s.tag == call }
        policy Q for Chat { evict s where s.tag == user }
        check Q: preserves(small)
        """
    )
    assert [(q.subject, q.aspect) for q in questions(module)] == [
        ("P", "fires"),
        ("P", "fires"),
        ("Q", "fires"),
        ("Q: preserves(small)", "applies"),
    ]
