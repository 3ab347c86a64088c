"""Plans: their statements, the spans they name, and the windows they stand on."""

from __future__ import annotations

import pytest

from selfedit_formal.core.expression import InSet, Not, Or, SameSpan
from selfedit_formal.core.policy import Assign, Beside, Evict, Insert, LetSet, LetSpan, Pick, Policy, Readmit, Set
from tests.language.resolve.core import canonical, mistake, module, obligation

W41 = """
window w41 of Chat = [
  A: result { tokens = 900, turn = 12, role = low, score = 1 }
  B: user   { tokens = 140, turn = 41, role = low, score = 1 }
  archived C: call { tokens = 3, turn = 2, role = low, score = 1 }
]
"""


def plan(text: str) -> Policy:
    return module(W41 + text).policies["p"]


def test_delete_rewrite_and_merge_name_spans() -> None:
    found = plan("plan p(a, b, c) for Chat { delete a, b rewrite c { turn = 7 } }").body
    evict, rewrite = found
    assert isinstance(evict, Evict)
    assert evict.condition == Or((SameSpan("s", "a"), SameSpan("s", "b")))
    assert isinstance(rewrite, Set)
    assert (rewrite.condition, [a.field for a in rewrite.assignments]) == (SameSpan("s", "c"), ["turn"])


def test_merge_is_a_summary_at_the_place_of_the_earliest() -> None:
    found = plan("plan p(a, b) for Chat { merge a, b into { tag = summary } }").body
    old, first, insert, evict = found
    assert old == LetSet(0, "old", "s", Or((SameSpan("s", "a"), SameSpan("s", "b"))))
    assert first == LetSpan(1, "first", Pick("first", "s", InSet("s", "old")))
    assert isinstance(insert, Insert)
    assert (insert.place, insert.covers) == (Beside("before", "first"), "old")
    assert [type(a) for a in insert.assignments] == [Assign]
    assert isinstance(evict, Evict)


def test_a_plan_may_do_what_a_policy_does() -> None:
    spelled = "plan p(a) for Chat { evict s where s == a }"
    assert canonical(plan("plan p(a) for Chat { evict a }").body) == canonical(plan(spelled).body)
    found = plan(
        "plan p(a, b) for Chat { keep b move a just after b readmit a override at front }".replace(" at front", "")
    )
    assert found.spans == ("a", "b")
    assert isinstance(found.body[-1], Readmit)
    assert found.body[-1].override


def test_a_plan_has_spans_and_numbers() -> None:
    found = plan("plan p(a, k: int >= 1, b) for Chat { because b when count(s) > k delete a }")
    assert found.spans == ("a", "b")
    assert [d.name for d in found.parameters] == ["k"]


def test_a_plan_on_a_window_has_the_spans_that_it_names() -> None:
    found = obligation("p: keeps_rationale expect refuted", W41 + "plan p on w41 { because B delete A readmit C }")
    assert found.policies[0].spans == ("A", "B", "C")
    assert found.spans == ("A", "B", "C")
    assert found.fixed == module(W41).windows["w41"]
    assert found.claim.antecedent == SameSpan("s", "B")
    alone = obligation("p: pure", W41 + "plan p on w41 { delete A }")
    assert alone.spans == ("A",)


def test_a_plan_on_a_window_may_name_spans_in_conditions() -> None:
    found = plan("plan p on w41 { evict s where s before B and s.turn > A.turn }")
    assert found.spans == ("A", "B")


def test_bound_spans_of_the_claim_are_told_from_spans_of_the_plan() -> None:
    found = obligation("p: control_unchanged", "plan p(s, t) for Chat { delete s, t }")
    assert found.spans == ("s", "t")
    assert [b.variable for b in found.claim.bound] == ["s_2"]
    assert "span='s_2'" in str(found.claim.antecedent)


def test_a_plan_keeps_what_it_protects_out_of_its_summary() -> None:
    found = plan("plan p(a, b) for Chat { keep a merge a, b into { tag = summary } }").body
    old = next(s for s in found if isinstance(s, LetSet) and s.name == "old")
    assert Not(InSet("s", "kept")) in getattr(old.condition, "items", ())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plan p on w42 { delete A }", "R002 unknown window `w42`"),
        ("plan p(a) for Chats { delete a }", "R002 unknown window `Chats`"),
        ("plan p(a, b) for Chat { delete a }", "R031 the plan never uses its span `b`"),
        ("plan p(a) for Chat { delete a, b }", "R001 unknown name `b`"),
        ("plan p(a, a) for Chat { delete a }", "R011 parameter `a` is declared twice"),
        ("plan p(k: int) for Chat { delete k }", "R013 `k` is a number, and a span is needed here"),
        ("plan p(P: policy) for Chat { evict s where s.pinned }", "R049 a plan takes no policy parameter here"),
        ("plan p(a) on w41 { delete A }", "R049 a plan takes no span parameter here"),
        ("plan p on w41 { delete A, X }", "R032 window `w41` has no span `X`"),
        ("plan p on w41 { because X delete A }", "R032 window `w41` has no span `X`"),
        ("plan p on w41 { rewrite X { turn = 3 } }", "R032 window `w41` has no span `X`"),
        ("plan p on w41 { merge A, X into { tag = summary } }", "R032 window `w41` has no span `X`"),
        ("plan p on w41 { insert { tag = user } just before X }", "R032 window `w41` has no span `X`"),
        ("plan p on w41 { evict X }", "R032 window `w41` has no span `X`"),
        ("plan p on w41 { evict A where A.pinned }", "R011 `A` has a meaning here already"),
        (
            "property two(P: plan) = all W, V: P(W) == P(V) plan p on w41 { delete A } check p: two",
            "R045 `p` stands on one window, and `two` is about 2",
        ),
        (
            "policy o for Chat { evict s where s.pinned } plan p on w41 { delete A } check o: same_as(p)",
            "R047 `p` stands on one window, so it cannot be compared on others",
        ),
    ],
)
def test_a_plan_may_be_wrong(text: str, expected: str) -> None:
    assert mistake(W41 + text) == expected


def test_a_written_plan_may_be_compared_with_a_policy() -> None:
    more = W41 + "policy o for Chat { evict s where s.tag == result } plan p on w41 { delete A }"
    found = obligation("p: same_as(o)", more)
    assert [q.name for q in found.policies] == ["p", "o"]
    assert found.fixed is not None
