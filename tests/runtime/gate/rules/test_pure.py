"""`pure`: a policy answers the same window in one way."""

from __future__ import annotations

from selfedit_formal.gate import Apply, Refuse, decide
from tests.runtime.gate.windows import WHY, WINDOW, asked


def test_a_policy_that_answers_the_same_window_in_two_ways_is_refused_and_frozen() -> None:
    answers = iter([WINDOW, WINDOW, tuple(s for s in WINDOW if s is not WHY)])
    refused = decide(WINDOW, asked(), policy=lambda _: next(answers))
    assert isinstance(refused, Refuse)
    assert [o.rule for o in refused.objections] == ["idempotent", "pure"]
    found = refused.objections[1]
    assert (found.spans, found.freezes) == (("R",), True)
    assert found.what == "two runs of the policy on the same output differ in `R`"


def test_a_policy_that_answers_in_one_way_is_pure_though_it_does_not_leave_its_output_alone() -> None:
    refused = decide(WINDOW, asked(), policy=lambda spans: spans[:-1])
    assert isinstance(refused, Refuse)
    assert [o.rule for o in refused.objections] == ["idempotent"]


def test_one_trial_does_not_see_an_answer_at_random() -> None:
    answers = iter([WINDOW, WINDOW, ()])
    assert isinstance(decide(WINDOW, asked(), policy=lambda _: next(answers), trials=1), Apply)


def test_a_policy_that_answers_in_one_way_is_let_through() -> None:
    assert isinstance(decide(WINDOW, asked(), policy=lambda spans: spans), Apply)
