"""What makes a promise vacuous, and what is only worth a note."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from selfedit_formal.core.diagnostics import Disagreement
from selfedit_formal.core.expression import (
    FALSE,
    TRUE,
    And,
    Compare,
    Created,
    Equal,
    Implies,
    Input,
    Int,
    Known,
    Not,
    Or,
    Origin,
    Pass,
    Present,
    Refused,
    SameRecord,
    SameSpan,
    SameWindow,
    Some,
    Triggered,
    Without,
)
from selfedit_formal.core.policy import Assign, Block, End, Evict, Gate, Insert, Keep, Policy, Refuse, Set
from selfedit_formal.core.property import Bound, Case, Claim, Obligation, Witness
from selfedit_formal.engines import Answer, Found, GaveUp, Limits
from selfedit_formal.engines.bounded import BoundedRefuter
from selfedit_formal.semantics.interpreter import breaks
from selfedit_formal.verifying.vacuity import Vacuity, chaos_of_all_sorts, rules, some_chaos, vacuity
from tests.obligations import (
    ONCE,
    W,
    about,
    evict,
    fixed,
    idempotent,
    keeps,
    may_evict,
    pinned,
    policy,
    preserves_paired,
    span,
    tagged,
    tokens,
    window,
    within,
)

TRIVIAL = "doing nothing and dropping everything would keep this promise too: check it together with one they break"
UNPINNED = Not(pinned("s"))


def asked(obligation: Obligation) -> Vacuity:
    return vacuity(obligation, BoundedRefuter(), Limits(within=2, seconds=None))


def test_a_promise_about_what_happens_is_not_vacuous() -> None:
    assert asked(keeps(policy(evict(UNPINNED)), pinned("k", W))) == Vacuity()


def test_idempotence_of_a_real_policy_is_not_vacuous_though_trivial_policies_have_it_too() -> None:
    assert asked(idempotent(policy(evict(UNPINNED)))) == Vacuity(notes=(TRIVIAL,))


def test_assumptions_that_nothing_satisfies() -> None:
    pinned_and_not = And((Some("a", W, pinned("a", W)), Not(Some("b", W, pinned("b", W)))))
    kept = keeps(policy(evict(UNPINNED)), TRUE)
    obligation = replace(kept, claim=replace(kept.claim, premise=pinned_and_not))
    assert "no window of up to 2 spans satisfies the assumptions" in asked(obligation).reasons


def test_a_condition_that_is_never_met() -> None:
    never = Compare("<", tokens("k", W), Int(1))
    assert asked(keeps(policy(evict(UNPINNED)), never)).reasons == (
        "no window of up to 2 spans meets the promise's condition",
    )


def test_a_span_that_is_never_there() -> None:
    left = policy(evict(TRUE))
    claim = Claim(("W",), (Bound("k", ONCE),), Not(Some("a", W, TRUE)), consequent=pinned("k", W))
    assert asked(about(left, "kept", claim)).reasons[0] == (
        "no window of up to 2 spans has the spans that the promise speaks of"
    )


def test_a_mend_by_removal_is_not_vacuous() -> None:
    claim = Claim(("W",), (Bound("k", ONCE),), antecedent=pinned("k", ONCE), consequent=tagged("k", "user", ONCE))
    found = asked(about(policy(evict(pinned("s"))), "mended", claim))
    assert found.reasons == ()
    assert "what the promise speaks of does not come up, which is the policy's doing" in found.notes


def test_a_condition_that_the_written_out_window_does_not_meet() -> None:
    obligation = fixed(keeps(policy(evict(UNPINNED)), pinned("k", W)), window(span("A")))
    assert asked(obligation).reasons == ("the window written out never meets the promise's condition",)


def test_a_policy_without_a_rule_that_edits() -> None:
    keep = Keep(0, "s", TRUE, Origin("keep s"))
    assert asked(idempotent(policy(keep))).reasons == ("`P` has no rule that edits",)


def test_rules_that_never_fire_are_named() -> None:
    impossible = Compare("<", tokens("s"), Int(0))
    assert asked(idempotent(policy(evict(impossible)))).reasons == (
        "no rule that edits fires in windows of up to 2 spans: `evict s where 0`",
    )


def test_a_rule_that_never_fires_beside_one_that_does_is_a_note() -> None:
    twice = policy(evict(UNPINNED), evict(UNPINNED, site=1))
    assert asked(keeps(twice, pinned("k", W))) == Vacuity(
        notes=("the rule `evict s where 1` never fires in windows of up to 2 spans",)
    )


def test_a_gate_that_lets_nothing_through() -> None:
    gated = replace(
        policy(evict(UNPINNED)),
        gates=(Gate("same", SameWindow(Pass("P", "", W, gated=False), W), Origin("gate same")),),
    )
    assert asked(idempotent(gated)).reasons == ("`P` changes nothing in windows of up to 2 spans",)


def test_something_that_the_promise_speaks_of_never_exists() -> None:
    nobody = Witness("no span is ever in control", Some("c", W, And((pinned("c", W), Not(pinned("c", W))))))
    somebody = Witness("no span is ever pinned", Some("c", W, pinned("c", W)))
    obligation = replace(keeps(policy(evict(UNPINNED)), pinned("k", W)), witnesses=(somebody, nobody))
    assert asked(obligation).reasons == ("no span is ever in control",)


def test_a_promise_that_every_policy_keeps() -> None:
    claim = Claim(("W",), consequent=Implies(Some("a", ONCE, pinned("a", ONCE)), Some("b", ONCE, TRUE)))
    assert asked(about(policy(evict(UNPINNED)), "empty", claim)).reasons == (
        "it would hold of every policy, so it says nothing about `P`",
    )


def test_a_policy_that_looks_at_other_spans_counts_among_every_policy() -> None:
    same_fate = Equal(Present("k", ONCE), Present("k", Pass("P", "", Without(W, "j"))))
    two = (Bound("k", W), Bound("j", W))
    claim = Claim(("W",), two, antecedent=Not(SameSpan("k", "j")), consequent=same_fate)
    assert asked(about(policy(evict(UNPINNED)), "independent", claim)) == Vacuity(notes=(TRIVIAL,))


def test_what_only_unusual_policies_break_is_not_kept_by_every_policy() -> None:
    never_below = Claim(("W",), (Bound("k", ONCE),), consequent=Compare(">=", tokens("k", ONCE), Int(1)))
    assert asked(about(policy(evict(UNPINNED)), "bounds", never_below)) == Vacuity(notes=(TRIVIAL,))
    never_refuses = Claim(("W",), consequent=Not(Refused(ONCE)))
    assert asked(about(policy(evict(UNPINNED)), "refuses", never_refuses)).reasons == ()


def test_a_policy_that_rewrites_a_span_and_then_evicts_it_counts_among_every_policy() -> None:
    as_it_was = Or((Present("k", ONCE), SameRecord("k", ONCE, W)))
    left = Claim(("W",), (Bound("k", W),), consequent=as_it_was)
    assert asked(about(policy(evict(UNPINNED)), "left as it was", left)) == Vacuity(notes=(TRIVIAL,))
    within_bounds = Or((Present("k", ONCE), Compare(">=", tokens("k", ONCE), Int(1))))
    bounded = Claim(("W",), (Bound("k", W),), consequent=within_bounds)
    assert asked(about(policy(evict(UNPINNED)), "left within bounds", bounded)) == Vacuity(notes=(TRIVIAL,))


def test_a_policy_that_puts_nothing_in_counts_among_every_policy() -> None:
    comes = Claim(("W",), consequent=Or((Refused(ONCE), Some("k", Known(ONCE), Created("k")))))
    inserts = policy(evict(UNPINNED), Insert(1, End("back"), (), None, Origin("insert")))
    assert asked(about(inserts, "puts in", comes)) == Vacuity()


def test_a_claim_about_the_trigger_is_not_held_against_a_policy_without_one() -> None:
    when = Block(1, Some("a", None, pinned("a")), (evict(UNPINNED, site=0),), trigger=True, origin=Origin("when"))
    claim = Claim(("W",), antecedent=Not(SameWindow(ONCE, W)), consequent=Triggered("P", "", W))
    assert asked(about(policy(when), "only when triggered", claim)) == Vacuity(notes=(TRIVIAL,))


def test_a_promise_that_a_trivial_policy_breaks_has_no_note() -> None:
    assert asked(within(policy(evict(TRUE)), 0)) == Vacuity()


@dataclass(frozen=True)
class Says:
    """An engine that always says the same."""

    answer: Answer
    name: str = "says"

    def solve(self, obligation: Obligation, limits: Limits) -> Answer:
        return self.answer


def test_what_was_not_settled_is_told_and_does_not_count() -> None:
    impossible = Compare("<", tokens("s"), Int(0))
    found = vacuity(idempotent(policy(evict(impossible))), Says(GaveUp("it was tired", 0)), Limits())
    assert found.reasons == ()
    assert found.unsettled[0] == "whether every rule can fire (`evict s where 0`) was not settled: it was tired"


def test_a_witness_that_does_not_replay_is_a_disagreement() -> None:
    impossible = Compare("<", tokens("s"), Int(0))
    lie = Says(Found(Case({"W": window(span("A"))}, {}, {}, {}), 1))
    with pytest.raises(Disagreement, match="does not replay"):
        vacuity(idempotent(policy(evict(impossible))), lie, Limits())


def test_statements_that_one_line_became_are_one_rule() -> None:
    line = Origin("summarize s")
    one = policy(Evict(0, "s", TRUE, False, line), Set(1, "s", TRUE, (Assign("tokens", Int(1)),), line))
    assert [(rule.origin.text, rule.sites, rule.edits) for rule in rules(one)] == [("summarize s", (0, 1), True)]
    assert [rule.edits for rule in rules(policy(Refuse(0, FALSE, "no", Origin("refuse"))))] == [False]


@pytest.mark.parametrize("chaos", [some_chaos, chaos_of_all_sorts], ids=["some", "all sorts"])
@pytest.mark.parametrize(
    "promise",
    [
        Claim(("W",), (Bound("k", W),), consequent=Present("k", ONCE)),
        Claim(("W",), consequent=SameWindow(ONCE, W)),
        Claim(("W",), consequent=SameWindow(Pass("P", "'", Input("W")), ONCE)),
        Claim(("W",), (Bound("k", ONCE),), consequent=Not(tagged("k", "call", ONCE))),
    ],
    ids=["drops", "changes", "choices", "fields"],
)
def test_chaos_breaks_what_can_be_broken(chaos: object, promise: Claim) -> None:
    assert callable(chaos)
    anything = chaos(policy(*may_evict(TRUE)))
    assert isinstance(anything, Policy)
    obligation = about(anything, "promise", promise)
    answer = BoundedRefuter().solve(obligation, Limits(within=1, seconds=None))
    assert isinstance(answer, Found)
    assert breaks(obligation, answer.case)


def test_preserving_pairs_is_asked_of_windows_with_pairs() -> None:
    assert asked(preserves_paired(policy(evict(tagged("s", "result"))))) == Vacuity(notes=(TRIVIAL,))
