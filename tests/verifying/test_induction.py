from __future__ import annotations

from dataclasses import replace

import pytest

from selfedit_formal.core.budget import MILLION, OutOfTime, Work
from selfedit_formal.core.expression import ASSUMED, Implies, Input, Not, Or, Pass, Present, SameWindow
from selfedit_formal.core.property import Obligation
from selfedit_formal.core.session import Invariant
from selfedit_formal.core.verdict import Induction
from selfedit_formal.engines import Limits, NoProof
from selfedit_formal.engines.bounded import BoundedRefuter
from selfedit_formal.engines.unbounded.recheck import recheck
from selfedit_formal.language.resolve import load_text
from selfedit_formal.reports.proof import clause
from selfedit_formal.verifying.induction import (
    NO_INVARIANT,
    NOT_ENOUGH,
    Outcome,
    RefusedInvariant,
    bounds,
    by_induction,
    clauses,
    literals,
)
from selfedit_formal.verifying.turns import Inductive, inductive

WINDOW = """
window Log {
  tag    : note | task
  tokens : int >= 1
  stale, hurt : bool
  one, two, three : bool
  control s where s.tag == task
}
"""


def asked(policy: str, turn: str, promise: str = "no_thrash", more: str = "") -> Obligation:
    text = f"""{WINDOW}
policy p for Log {{ {policy} }}
session loop of Log {{ each turn {{ {turn} apply p }} {more} }}
property calm(S: session) = always V then W: no s in W: s.evicted and s in V
property unhurt(S: session) = always W: no s in known(W): s.hurt
property short(S: session) = always W from V where count(v in V) <= 3: count(s in W) <= 3
check loop: {promise}
"""
    return load_text(text).obligations[0]


def sought(obligation: Obligation, millions: float = 200.0) -> Outcome:
    return by_induction(obligation, BoundedRefuter(), Limits(within=3), Work(millions * MILLION))


def proved(obligation: Obligation) -> Induction:
    found, refused = sought(obligation)
    assert isinstance(found, Induction), found
    assert refused == ()
    return found


def stated(found: Induction) -> list[tuple[str, str]]:
    return [(c.source, clause(c)) for c in found.clauses]


SIDECAR = "may readmit s where s.stale  may readmit s where s.stale override"


def test_a_promise_that_every_turn_keeps_is_its_own_invariant() -> None:
    found = proved(asked("evict s where s.stale and s.tag == note", "arrive s where s.stale", "control_survives"))
    assert [source for source, _ in stated(found)] == ["promise"]
    assert [name for name, _ in found.parts] == ["start 1", "turn 1"]


def test_what_else_every_turn_keeps_is_found() -> None:
    found = proved(asked("evict s where s.stale", SIDECAR, more="tombstones sidecar"))
    assert ("found", "all s in known(W): s in W implies not s.evicted") in stated(found)
    assert stated(found)[0] == ("promise", "all s in known(W): not s.thrashed")
    numbers = range(1, len(found.clauses) + 1)
    assert [n for n, _ in found.parts] == [f"{part} {k}" for k in numbers for part in ("start", "turn")]


def test_every_part_has_a_certificate_that_checks() -> None:
    found = proved(asked("evict s where s.stale", SIDECAR, more="tombstones sidecar"))
    assert all(recheck(c, 30.0, ("z3",)) is None for _, c in found.parts)


def test_tombstones_in_the_window_are_part_of_an_invariant() -> None:
    more = "tombstones in_window { tag = task, tokens = 1 }"
    policy = "keep s where s.tag == task  evict s where s.stale"
    found = proved(asked(policy, SIDECAR, more=f"start no s in W: s.tag == task\n{more}"))
    covered = "(some t in W: t.tag == task and t covers s)"
    assert any(covered in text for source, text in stated(found) if source == "found")


def test_what_only_short_windows_keep_is_given_up() -> None:
    more = """
    tombstones in_window { tag = task, tokens = 1 }
    ledger     in_window { tag = task, tokens = 2 }
    """
    policy = "keep s where s.tag == task  evict s where s.stale"
    found = proved(asked(policy, "may readmit s where s.stale", more=f"start no s in W: s.tag == task\n{more}"))
    assert ("found", "all s in known(W): not s.offered") in stated(found)


AGREES = "s.evictions > 0 and (m.tag == summary and m covers s) implies m.tokens == s.tokens"


def test_a_promise_about_what_summaries_cover_is_proved() -> None:
    text = (
        WINDOW.replace("note | task", "note | task | summary")
        + """
policy roll for Log {
  let old = first s where s.tag == note
  summarize s where s.tag == note and not s after old into { tag = summary, tokens = old.tokens }
}
session loop of Log { each turn { arrive s where s.tag == note   apply roll } }
predicate agrees(m, s) for Log = m.tag == summary and m covers s implies m.tokens == s.tokens
check loop: summary_agrees(agrees)
"""
    )
    (obligation,) = load_text(text).obligations
    (first, *others) = stated(proved(obligation))
    assert first == ("promise", "all m in W: all s in known(W): " + AGREES)
    assert others


def test_a_promise_that_a_session_breaks_has_no_invariant() -> None:
    found, _ = sought(asked("evict s where s.stale", SIDECAR))
    assert found == NoProof(NO_INVARIANT)


def test_a_number_that_is_left_open_stays_open() -> None:
    obligation = load_text(
        f"""{WINDOW}
policy fit(cap: int >= 1) for Log {{ evict s where total(t.tokens: t not before s) > cap }}
session loop(cap: int >= 1) of Log {{ each turn {{ arrive up to 2 s where s.stale  apply fit(cap) }} }}
property fits(S: session, cap: int) = always W from V where count(v in V) == 0: total(s.tokens: s in W) <= cap
check loop(cap = 7): fits(7)
check loop: no_thrash
"""
    )
    for made in obligation.obligations:
        proved(made)


# ---------- what the session's file states

HURTS = "set s where s.one and s.two and s.three { hurt = true }"
APART = "invariant all s in known(W): not (s.one and s.two and s.three)"


def hurting(more: str = "") -> Obligation:
    turn = "arrive s where not s.hurt and not (s.one and s.two and s.three)"
    start = "start all s in W: not s.hurt and not (s.one and s.two and s.three)"
    return asked(HURTS, turn, "unhurt", f"{start}\n{more}")


def test_what_is_not_found_can_be_stated() -> None:
    assert proved(hurting()).windows == 2
    found = proved(hurting(APART))
    assert found.windows == 1
    assert ("stated", APART.removeprefix("invariant ")) in stated(found)


def test_a_stated_invariant_that_does_not_hold_at_the_start_is_named() -> None:
    found, refused = sought(hurting(f"{APART}\ninvariant no s in known(W): s.stale"))
    assert isinstance(found, Induction)
    (one,) = refused
    assert one.invariant.origin.text == "invariant no s in known(W): s.stale"
    assert one.reason == "a session may start from a window without it"
    assert one.case is not None
    assert any(s["stale"] for s in one.case.inputs[ASSUMED].spans)


def test_a_stated_invariant_that_a_turn_breaks_is_named() -> None:
    obligation = hurting(f"{APART}\ninvariant no s in known(W): s.tokens > 5\nstart no s in W: s.tokens > 5")
    found, refused = sought(obligation)
    assert isinstance(found, Induction)
    (one,) = refused
    assert one.reason == "a turn may break it"


def test_a_stated_invariant_without_a_proof_is_named_and_done_without() -> None:
    found, refused = sought(hurting(f"{APART}\ninvariant count(s in W) <= 6"))
    assert isinstance(found, Induction)
    assert [(r.invariant.origin.text, r.reason) for r in refused] == [
        ("invariant count(s in W) <= 6", "it has no proof for every length")
    ]


def test_of_many_clauses_few_are_needed_for_a_promise_about_two_windows() -> None:
    obligation = asked("evict s where s.stale", SIDECAR, "calm", "tombstones sidecar")
    assert obligation.turns is not None
    assert obligation.turns.before == "V"
    found = proved(obligation)
    assert found.parts[-1][0] == "promise"
    assert 1 <= len(found.clauses) <= 2


def test_an_invariant_about_passes_is_none() -> None:
    obligation = hurting(APART)
    assert obligation.turns is not None
    session = obligation.turns.session
    (good,) = session.invariants
    passed = SameWindow(Pass("p", "", Input(ASSUMED)), Input(ASSUMED))
    with_passes = replace(session, invariants=(good, Invariant(passed, good.origin)))
    found, refused = sought(replace(obligation, turns=replace(obligation.turns, session=with_passes)))
    assert isinstance(found, Induction)
    assert refused == (RefusedInvariant(with_passes.invariants[1], "it speaks of passes"),)


# ---------- what is assumed of two windows


def test_a_promise_may_be_assumed_of_two_windows_in_a_row() -> None:
    obligation = asked(
        "set s where true { hurt = s.tokens mod 2 == 0 }",
        "",
        "unhurt",
        "start all s in W: not s.hurt and s.tokens mod 2 == 1",
    )
    found = proved(obligation)
    assert found.windows == 2
    assert [n for n, _ in found.parts] == ["after 0 turns", "after 1 turn", "turn after 2 windows"]


# ---------- limits


def test_without_work_there_is_no_proof_and_without_time_no_answer() -> None:
    obligation = asked("evict s where s.stale", SIDECAR, more="tombstones sidecar")
    found, _ = sought(obligation, 0.0)
    assert found == NoProof(NOT_ENOUGH, late=True)
    with pytest.raises(OutOfTime):
        by_induction(obligation, BoundedRefuter(), Limits(within=3), Work(end=0.0))


def test_what_induction_cannot_be_about_is_said() -> None:
    found, _ = sought(asked("evict s where s.stale", "arrive s where s.stale", "no_cycle(2)"))
    assert isinstance(found, NoProof)
    assert "equal" in found.reason


def test_what_has_no_proof_for_every_length_is_said() -> None:
    moves = "let x = first s where s.hurt  " + 6 * "move s where s.stale just before x  "
    policy = moves + "let y = last s where s.stale  evict s where s == y and s.tag == note"
    found, _ = sought(asked(policy, "arrive s where s.stale", "control_survives"))
    assert isinstance(found, NoProof)
    assert "spans are moved too often" in found.reason


# ---------- the clauses


def about(obligation: Obligation) -> Inductive:
    found = inductive(obligation)
    assert isinstance(found, Inductive)
    return found


def test_clauses_are_of_one_or_two_literals() -> None:
    a, b = Present("s", Input("V")), Present("s", Input("W"))
    assert clauses((a, b)) == (
        a,
        Not(a),
        b,
        Not(b),
        Or((a, b)),
        Implies(b, a),
        Implies(a, b),
        Implies(a, Not(b)),
    )


def test_literals_are_about_what_the_session_speaks_of() -> None:
    read = literals(about(asked("evict s where s.stale and s.tokens > 3", "")), ())
    text = {clause_text(x) for x in read}
    assert {"s in W", "s.stale", "s.tokens > 3", "s.evicted", "s.evictions == 0"} <= text
    assert not any("hurt" in t or "one" in t for t in text)


@pytest.mark.parametrize("condition", ["s.stale or s.mood", "s.heat > 3", "s.stale and (s.tokens > s.heat or s.mood)"])
def test_what_only_a_pass_can_read_is_in_no_clause(condition: str) -> None:
    window = WINDOW.replace("tokens :", "mood : bool from window  heat : int from window\n  tokens :")
    text = f"""{window}
policy p for Log {{ evict s where s.tag == note and ({condition}) }}
session loop of Log {{ each turn {{ may readmit s where s.tag == note override  apply p }} }}
check loop: no_thrash
"""
    (asked_of,) = load_text(text).obligations
    assert not any("mood" in t or "heat" in t for t in map(clause_text, literals(about(asked_of), ())))
    assert isinstance(sought(asked_of)[0], Induction)


def clause_text(condition: object) -> str:
    from selfedit_formal.core.expression import Known
    from selfedit_formal.reports.formula import Writer

    return Writer("", {}, {"s": Known(Input(ASSUMED))}).formula(condition)  # type: ignore[arg-type]


def test_bounds_that_turns_may_break_are_tried_as_clauses() -> None:
    kept = bounds(about(asked("evict s where s.stale", "")))
    lost = bounds(about(asked("set s where s.stale { tokens = s.tokens + 1 }", "")))
    assert [clause_text(c) for c in kept] == ["s.evictions >= 0"]
    assert [clause_text(c) for c in lost] == ["s.tokens >= 1", "s.evictions >= 0"]
