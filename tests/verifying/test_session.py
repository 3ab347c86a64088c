from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import pytest

from selfedit_formal.core.property import Obligation
from selfedit_formal.core.verdict import Bounded, Failed, Proved, Refuted, Result, Unknown, Vacuous
from selfedit_formal.engines import Answer, Found, GaveUp, Limits, NoneFound, Refuter
from selfedit_formal.engines.bounded import BoundedRefuter as BoundedEngine
from selfedit_formal.language.resolve import load_text
from selfedit_formal.semantics.interpreter import breaks
from selfedit_formal.verifying.verify import verify

WINDOW = """
window Log {
  tag    : note | task
  tokens : int >= 1
  stale  : bool
  back   : bool
  control s where s.tag == task
}
"""
LIMITS = Limits(within=2, turns=3, seconds=60.0)
LOOP = "arrive s where s.tag == note  may readmit s where s.back"


def asked(promise: str, policy: str = "evict s where s.stale", turn: str = LOOP, more: str = "") -> Obligation:
    text = f"""{WINDOW}
policy p for Log {{ {policy} }}
session loop of Log {{ each turn {{ {turn} apply p }} {more} }}
property calm(S: session) = always V then W: count(s in W) <= count(s in V) + 1
property untouched(S: session) = always W: no s in known(W): s.binding and s not in W
check loop: {promise}
"""
    return load_text(text).obligations[0]


@cache
def verified(promise: str, policy: str = "evict s where s.stale", turn: str = LOOP, more: str = "") -> Result:
    return verify(asked(promise, policy, turn, more), LIMITS, unanswered=None)


# ---------- refuted


def test_the_fewest_turns_are_shown_and_from_the_smallest_window() -> None:
    result = verified("no_thrash")
    assert isinstance(result.verdict, Refuted)
    assert (result.verdict.turns, result.verdict.spans, result.verdict.shortest) == (2, 0, True)


def test_the_case_is_one_of_the_plain_obligation_that_the_result_carries() -> None:
    result = verified("no_thrash")
    assert isinstance(result.verdict, Refuted)
    assert result.obligation.turns is not None
    assert result.obligation.turns.taken == 2
    assert breaks(result.obligation, result.verdict.case)


def test_a_session_that_may_not_start_so_is_no_case() -> None:
    result = verified("control_survives", more="start no s in W: s.tag == task and s.stale")
    assert isinstance(result.verdict, Proved)
    broken = verified("control_survives")
    assert isinstance(broken.verdict, Refuted)
    assert (broken.verdict.turns, broken.verdict.spans) == (1, 1)


def test_a_promise_about_the_start_itself_is_broken_in_no_turn() -> None:
    result = verified("bounded_growth(5)", more="start count(s in W) == 2")
    assert isinstance(result.verdict, Refuted)
    assert result.verdict.turns == 1
    at_once = verified("converges(0)")
    assert isinstance(at_once.verdict, Refuted)
    assert at_once.verdict.turns == 0


# ---------- proved


def test_a_proof_is_for_any_number_of_turns() -> None:
    result = verified("no_thrash", more="tombstones sidecar")
    assert isinstance(result.verdict, Proved)
    assert result.verdict.induction is not None
    assert result.verdict.certificate is None
    assert result.engine == "induction"
    assert result.obligation.turns is not None
    assert result.obligation.turns.taken is None


def test_two_windows_with_a_turn_between_them_are_compared() -> None:
    assert isinstance(verified("calm", turn="arrive s where s.tag == note").verdict, Proved)
    assert isinstance(verified("calm", turn="arrive up to 2 s where s.tag == note").verdict, Refuted)


def test_an_invariant_that_is_none_is_told_with_a_window_that_shows_it() -> None:
    result = verified("no_thrash", more="tombstones sidecar  invariant no s in known(W): s.stale")
    assert isinstance(result.verdict, Proved)
    (note,) = (n for n in result.notes if "invariant" in n)
    assert note == (
        "`invariant no s in known(W): s.stale` is no invariant of the session: a session may start from a window "
        "without it, such as [ A: note { tokens = 1, stale } ]"
    )


# ---------- bounded


def test_what_has_no_induction_is_looked_at_turn_by_turn() -> None:
    result = verified("no_cycle(2)", turn="arrive s where s.tag == note")
    assert isinstance(result.verdict, Bounded)
    assert (result.verdict.turns, result.verdict.spans) == (3, 2)
    assert result.verdict.reason == "the promise speaks of windows being equal into which spans were put"


@pytest.mark.parametrize(
    ("within", "turns", "spans"),
    [("within 1 spans, 2 turns", 2, 1), ("within 2 turns", 2, 2), ("within 1 spans", 3, 1), ("within 6 spans", 3, 6)],
)
def test_a_check_says_how_far_to_look(within: str, turns: int, spans: int) -> None:
    result = verify(asked(f"no_thrash {within} expect holds", more="tombstones sidecar"), replace(LIMITS, proof=0.0))
    assert isinstance(result.verdict, Bounded | Vacuous)
    assert (result.verdict.turns, result.verdict.spans) == (turns, spans)


def test_sessions_start_from_windows_of_up_to_four_spans() -> None:
    result = verify(asked("no_thrash", more="tombstones sidecar"), Limits(turns=1, proof=0.0), vacuity=False)
    assert result.verdict == Bounded(4, "none was asked for", 1)


# ---------- limits and contradictions


@dataclass(frozen=True)
class Answers:
    """Says the same to everything that has so many turns or more."""

    answer: Answer
    turns: int = 0
    name: str = "stub"

    def solve(self, obligation: Obligation, limits: Limits) -> Answer:
        taken = None if obligation.turns is None else obligation.turns.taken
        if taken is not None and taken >= self.turns:
            return self.answer
        return BoundedEngine().solve(obligation, limits)


def by(engine: Refuter, promise: str, more: str = "") -> Result:
    return verify(asked(promise, more=more), LIMITS, engines=(engine,), unanswered=None)


def test_an_engine_that_gives_up_leaves_the_turns_before_it() -> None:
    gives_up = Answers(GaveUp("tired", 0), turns=2)
    asks = asked("no_thrash", more="tombstones sidecar")
    result = verify(asks, replace(LIMITS, proof=0.0), engines=(gives_up,), unanswered=None)
    assert result.verdict == Unknown("after 2 turns: tired; none found up to 1 turn", None, 2, 1)


def test_an_engine_that_misses_a_session_is_contradicted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("selfedit_formal.verifying.verify.ATTACK_TRIES", 200)
    result = by(Answers(NoneFound(2)), "tombstoned")
    assert isinstance(result.verdict, Failed)
    assert "this one does" in result.verdict.message


def test_a_case_that_does_not_replay_is_a_contradiction() -> None:
    good = verified("no_thrash")
    assert isinstance(good.verdict, Refuted)
    calm = replace(good.verdict.case, choices={})
    result = by(Answers(Found(calm, 0), turns=2), "no_thrash")
    assert isinstance(result.verdict, Failed)
