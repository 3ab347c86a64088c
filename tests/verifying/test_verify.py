"""Nothing that an engine says is believed unseen, and what is shown is a smallest window."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import sleep

import pytest

from selfedit_formal.core.expression import TRUE, And, Compare, Count, Implies, Int, Not, Some
from selfedit_formal.core.property import Case, Claim, Obligation
from selfedit_formal.core.verdict import Bounded, Failed, Proved, Refuted, Unknown, Vacuous, Verdict
from selfedit_formal.engines import Answer, Found, GaveUp, Limits, NoneFound, NoProof
from selfedit_formal.engines.bounded import BoundedRefuter as BoundedEngine
from selfedit_formal.language.resolve import load_text
from selfedit_formal.semantics.interpreter import breaks
from selfedit_formal.verifying.validation.contradiction import Contradiction, NotValidated
from selfedit_formal.verifying.validation.trial import Trial
from selfedit_formal.verifying.verify import NEAR_SEARCH, verify
from tests.obligations import (
    CAP,
    ONCE,
    OVER_CAP,
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
)

DROPS_ALL = keeps(policy(evict(TRUE)), TRUE)
DROPS_UNPINNED = keeps(policy(evict(Not(pinned("s")))), pinned("k", W))


@dataclass(frozen=True)
class Says:
    """An engine that always says the same, and remembers how far it was asked to look."""

    answer: Answer
    name: str = "oracle"
    asked: list[int] = field(default_factory=list)

    def solve(self, obligation: Obligation, limits: Limits) -> Answer:
        self.asked.append(limits.within)
        return self.answer


BOUNDED = Limits(proof=0)


def verdict(obligation: Obligation, answer: Answer, unanswered: Path | None = None) -> Verdict | Failed:
    return verify(obligation, BOUNDED, vacuity=False, unanswered=unanswered, engines=(Says(answer),)).verdict


def message(found: Verdict | Failed) -> str:
    assert isinstance(found, Failed)
    return found.message


BIG = Case({"W": window(span("x", tokens=40, pinned=True))}, {}, {"k": "x"}, {})
SMALL = Case({"W": window(span("A"))}, {}, {"k": "A"}, {})


# ---------- what the engine says


def test_a_case_that_replays_is_shown_shrunk() -> None:
    assert verdict(DROPS_ALL, Found(BIG, 1)) == Refuted(SMALL, 1, shortest=True)
    assert verdict(DROPS_ALL, Found(BIG, 1, shortest=False)) == Refuted(SMALL, 1, shortest=False)


def test_a_case_that_does_not_replay_is_a_failure_of_ours() -> None:
    told = message(verdict(DROPS_UNPINNED, Found(BIG, 1)))
    assert told.startswith("the oracle engine found a case of `P: keeps` that the interpreter does not confirm")
    assert "Span(id='x', values=mappingproxy({'tag': 'user', 'tokens': 40, 'pinned': True, 'call': 'none'}))" in told
    assert "z3-solver" in told


def test_a_case_called_shortest_that_is_not_is_a_failure_of_ours() -> None:
    two = replace(BIG, inputs={"W": window(span("x"), span("y"))})
    assert "calls 2 spans the shortest case" in message(verdict(DROPS_ALL, Found(two, 2)))
    assert verdict(DROPS_ALL, Found(two, 2, shortest=False)) == Refuted(SMALL, 1, shortest=False)


def test_none_found_up_to_the_bound_is_a_bound_and_up_to_less_is_unknown() -> None:
    assert verdict(DROPS_UNPINNED, NoneFound(8)) == Bounded(8, "none was asked for")
    assert verdict(DROPS_UNPINNED, NoneFound(6)) == Unknown(
        "the oracle engine looked no further; none found up to 6 spans of 8", None, 6
    )


def test_none_found_on_a_written_out_window_is_a_proof() -> None:
    written = fixed(DROPS_UNPINNED, window(span("A", pinned=True)))
    assert isinstance(verdict(written, NoneFound(1, complete=True)), Proved)


def test_none_found_where_a_random_window_finds_one_is_a_failure_of_ours() -> None:
    told = message(verdict(DROPS_ALL, NoneFound(8)))
    assert told.startswith(
        "the oracle engine says that no window of up to 8 spans breaks `P: keeps`, and this one does"
    )
    assert "'A'" in told


def test_an_engine_that_gave_up_leaves_its_query(tmp_path: Path) -> None:
    folder = tmp_path / "left" / "here"
    found = verdict(DROPS_UNPINNED, GaveUp("z3 had enough", 3, "(check-sat)\n"), folder)
    assert found == Unknown("z3 had enough; none found up to 3 spans of 8", folder / "P_keeps.smt2", 3)
    assert (folder / "P_keeps.smt2").read_text(encoding="utf-8") == "(check-sat)\n"


def test_no_file_is_written_without_a_query_or_a_folder(tmp_path: Path) -> None:
    assert verdict(DROPS_UNPINNED, GaveUp("why", 0), tmp_path) == Unknown("why", None, 0)
    assert verdict(DROPS_UNPINNED, GaveUp("why", 0, "(check-sat)\n"), None) == Unknown("why", None, 0)
    assert list(tmp_path.iterdir()) == []


def test_where_an_engine_gave_up_a_random_window_may_still_refute() -> None:
    assert verdict(DROPS_ALL, GaveUp("why", 0)) == Refuted(SMALL, 1, shortest=True)
    assert "no window of up to 1 spans" in message(verdict(DROPS_ALL, GaveUp("why", 1)))


def test_engines_are_asked_in_turn_until_one_answers() -> None:
    shy, bold, idle = Says(GaveUp("shy", 0), "shy"), Says(NoneFound(8), "bold"), Says(NoneFound(9), "idle")
    result = verify(DROPS_UNPINNED, BOUNDED, vacuity=False, unanswered=None, engines=(shy, bold, idle))
    assert (result.engine, result.verdict) == ("bold", Bounded(8, "none was asked for"))
    assert idle.asked == []
    timid = Says(GaveUp("timid", 2), "timid")
    both = verify(DROPS_UNPINNED, BOUNDED, vacuity=False, unanswered=None, engines=(shy, timid))
    assert (both.engine, both.verdict) == ("timid", Unknown("timid; none found up to 2 spans of 8", None, 2))


def test_the_bound_of_a_check_comes_before_the_limits() -> None:
    engine = Says(NoneFound(7))
    for obligation in (DROPS_UNPINNED, replace(DROPS_UNPINNED, within=3)):
        verify(obligation, Limits(within=7, proof=0), vacuity=False, engines=(engine,))
    assert engine.asked == [7, 3]


# ---------- with the engine that answers


def answered(obligation: Obligation, within: int = 4) -> Verdict | Failed:
    return verify(obligation, Limits(within=within, seconds=None, proof=0), unanswered=None).verdict


def refuting(obligation: Obligation) -> Case:
    found = answered(obligation)
    assert isinstance(found, Refuted)
    assert found.shortest
    assert breaks(obligation, found.case)
    return found.case


def test_a_kept_promise_is_bounded() -> None:
    assert isinstance(answered(DROPS_UNPINNED), Bounded)


def test_a_promise_kept_for_no_reason_is_vacuous() -> None:
    silent = keeps(policy(evict(Compare("<", tokens("s"), Int(0)))), pinned("k", W))
    said = "no rule that edits fires in windows of up to 4 spans: `evict s where 0`"
    short = verify(silent, Limits(within=4, proof=0), unanswered=None)
    assert isinstance(short.verdict, Bounded)
    assert short.notes == (f"this says little: {said}",)
    found = verify(silent, Limits(within=4), unanswered=None).verdict
    assert isinstance(found, Vacuous)
    assert found.reasons == ("`P` changes nothing in any window",)
    bare = verify(silent, Limits(within=2, seconds=None, proof=0), vacuity=False).verdict
    assert isinstance(bare, Bounded)


def test_a_plan_on_a_written_out_window_is_proved_or_refuted() -> None:
    written = window(span("Anna", tokens=400), span("Bob", pinned=True))
    assert isinstance(answered(fixed(DROPS_UNPINNED, written)), Proved)
    assert refuting(fixed(keeps(policy(evict(TRUE)), TRUE), written)).inputs["W"] == written


def test_the_smallest_window_in_which_a_pair_is_torn_apart() -> None:
    calls = policy(evict(And((tagged("s", "call"), OVER_CAP))), parameters=(CAP,))
    assert refuting(preserves_paired(calls)) == Case(
        {"W": window(span("A", tag="call"), span("B", tag="result"))}, {"cap": 0}, {}, {}
    )


def test_the_smallest_window_on_which_a_model_changes_its_mind() -> None:
    case = refuting(idempotent(policy(*may_evict(TRUE))))
    assert case.inputs["W"] == window(span("A"))
    assert [key.run for key, chosen in case.choices.items() if chosen] == ["P2"]


def test_the_smallest_window_over_a_threshold() -> None:
    two_big = And(
        (
            Some("a", W, And((pinned("a", W), Compare(">=", tokens("a", W), Int(90))))),
            Some("b", W, Not(pinned("b", W))),
        )
    )
    claim = Claim(("W",), antecedent=two_big, consequent=Some("c", ONCE, pinned("c", ONCE)))
    obligation = about(policy(evict(pinned("s"))), "a big one stays", claim)
    expected = window(span("A", tokens=1), span("B", tokens=90, pinned=True))
    case = refuting(obligation)
    assert sorted((s["tokens"], s["pinned"]) for s in case.inputs["W"].spans) == sorted(
        (s["tokens"], s["pinned"]) for s in expected.spans
    )


@pytest.mark.parametrize("within", [1, 3])
def test_a_bound_that_is_too_small_finds_nothing(within: int) -> None:
    three = And(
        (
            Some("a", W, tagged("a", "user", W)),
            Some("b", W, tagged("b", "call", W)),
            Some("c", W, tagged("c", "result", W)),
        )
    )
    obligation = about(policy(evict(TRUE)), "three", Claim(("W",), consequent=Implies(three, Some("d", ONCE, TRUE))))
    found = verify(obligation, Limits(within=within, seconds=None, proof=0), vacuity=False).verdict
    assert isinstance(found, Refuted if within == 3 else Bounded)


# ---------- past the bound


@pytest.mark.parametrize("spare", [False, True])
def test_what_no_short_window_breaks_may_be_proved_for_every_length(spare: bool) -> None:
    result = verify(DROPS_UNPINNED, Limits(within=2, proof=20), unanswered=None, spare=spare)
    assert isinstance(result.verdict, Proved)
    assert result.verdict.certificate is not None
    assert result.engine == "unbounded"


@pytest.mark.parametrize("spare", [False, True])
def test_where_a_processor_is_to_spare_the_proof_is_sought_in_a_process_of_its_own(
    spare: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("selfedit_formal.verifying.verify.possible", lambda: True)
    monkeypatch.setattr("selfedit_formal.verifying.verify.prove", lambda *_: NoProof(str(os.getpid())))
    found = verify(DROPS_UNPINNED, Limits(within=2, proof=20), unanswered=None, spare=spare).verdict
    assert isinstance(found, Bounded)
    assert (found.reason != str(os.getpid())) == spare


def test_a_proof_that_is_not_needed_any_more_is_ended(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    begun = tmp_path / "begun"

    def prove(*_: object, **__: object) -> NoProof:
        begun.write_text(str(os.getpid()))
        sleep(60)
        return NoProof("late")

    class Waits(Says):
        def solve(self, obligation: Obligation, limits: Limits) -> Answer:
            while not (begun.exists() and begun.read_text()):
                sleep(0.01)
            return super().solve(obligation, limits)

    monkeypatch.setattr("selfedit_formal.verifying.verify.possible", lambda: True)
    monkeypatch.setattr("selfedit_formal.verifying.verify.prove", prove)
    engines = (Waits(Found(BIG, 1)),)
    found = verify(DROPS_ALL, Limits(within=2), unanswered=None, engines=engines, spare=True).verdict
    assert found == Refuted(SMALL, 1, shortest=True)
    with pytest.raises(ProcessLookupError):
        os.kill(int(begun.read_text()), 0)


@dataclass(frozen=True)
class Slow(Says):
    """With too little work it gets nowhere; with more it says what the bounded engine does."""

    def solve(self, obligation: Obligation, limits: Limits) -> Answer:
        super().solve(obligation, limits)
        hurried = limits.search <= NEAR_SEARCH
        return self.answer if hurried else BoundedEngine().solve(obligation, limits)


def test_what_takes_long_to_look_through_is_proved_first_and_looked_through_if_it_is_not() -> None:
    slow = Slow(GaveUp("it took too long", 0, "(check-sat)"), "slow")

    def asked(obligation: Obligation, proof: float) -> Verdict | Failed:
        limits = Limits(within=3, proof=proof)
        return verify(obligation, limits, unanswered=None, engines=(slow,)).verdict

    assert isinstance(asked(DROPS_UNPINNED, 20.0), Proved)
    assert isinstance(asked(DROPS_ALL, 0.5), Refuted)


MANY = Compare(">", Count("t", None, TRUE), Int(5))


def test_a_proved_promise_is_not_vacuous_because_its_rule_needs_a_longer_window() -> None:
    late = idempotent(policy(evict(And((pinned("s"), MANY)))))
    assert isinstance(answered(late, within=3), Bounded)
    assert isinstance(verify(late, Limits(within=3, proof=20), unanswered=None).verdict, Proved)


def test_a_longer_window_may_refute_what_the_bound_did_not_reach() -> None:
    late = keeps(policy(evict(MANY)), TRUE)
    found = verify(late, Limits(within=3, proof=20), unanswered=None).verdict
    assert isinstance(found, Refuted)
    assert found.spans == 6
    assert not found.shortest
    to_the_bound = verify(replace(late, within=3), Limits(proof=20), vacuity=False, unanswered=None).verdict
    assert isinstance(to_the_bound, Bounded)


LONG = """
window Chat { tag : user | note }
property keeps(P: policy) = all W, s in W: s in P(W)
property rests(P: policy) = all W: P(P(W)) == P(W)
policy p for Chat { when count(s) > 40  evict s where s.tag == note }
"""


def long(check: str) -> Obligation:
    return load_text(f"{LONG}\n{check}").obligations[0]


def test_a_window_that_is_too_long_to_be_looked_through_is_found_with_the_number_open() -> None:
    found = verify(long("check p: keeps"), Limits(), vacuity=False).verdict
    assert isinstance(found, Refuted)
    assert found.spans == 41
    assert not found.shortest


def test_it_counts_only_within_the_bound_that_the_check_gives() -> None:
    checks = (f"check p: keeps within {n} spans expect holds" for n in (12, 41))
    within = [verify(long(check), Limits(), vacuity=False).verdict for check in checks]
    assert isinstance(within[0], Bounded)
    assert isinstance(within[1], Refuted)


def test_a_proof_that_windows_contradict_is_a_fault_of_ours_and_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = long("check p: rests")
    contradiction = Contradiction("what proved it finds it kept", asked, Case({}, {}, {}, {}))
    monkeypatch.setattr(Trial, "against", lambda self, method: contradiction)
    found = verify(asked, Limits(), vacuity=False).verdict
    assert isinstance(found, Failed)
    assert found.message.startswith("what proved it finds it kept\n")
    assert found.proof is not None


def test_a_proof_that_cannot_be_held_against_windows_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Trial, "against", lambda self, method: NotValidated("it is too large"))
    found = verify(long("check p: rests"), Limits(), vacuity=False).verdict
    assert isinstance(found, Bounded)
    assert "it is too large" in found.reason
