"""Proofs for every length: what is true is proved with a certificate that checks, what is false never is."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from selfedit_formal.core.budget import MILLION, Work
from selfedit_formal.core.certificate import Certificate, FieldBounds, ParameterBound, RuleGround
from selfedit_formal.core.diagnostics import Disagreement
from selfedit_formal.core.property import Obligation
from selfedit_formal.engines import unbounded
from selfedit_formal.engines.random import attack
from selfedit_formal.engines.unbounded import Mode, NoProof, OutsideFragment, Tried, prove, search_long
from selfedit_formal.engines.unbounded.compiler import compile_scan
from selfedit_formal.engines.unbounded.recheck import recheck
from selfedit_formal.language.resolve import load, load_text
from selfedit_formal.semantics.interpreter import breaks
from selfedit_formal.verifying.turns import Inductive, inductive, parts
from tests.fuzz.pinned import check_case

FAMILIES = Path(__file__).parents[2] / "benchmarks" / "any_length.sef"
MILLIONS = 50.0
QUICK = (
    "last_results: idempotent",
    "last_results: preserves(paired)",
    "suffix: fits(cap)",
    "greedy: idempotent",
    "trim: fits_all(cap)",
    "summary_any_drop: preserves(paired)",
    "clear_all: idempotent",
    "amortized: idempotent",
    "last_then_orphans: idempotent",
    "newest_results_of_key: idempotent",
    "pins_and_suffix: fits_all(cap)",
    "summarize_all_but: below(trigger)",
)
"""Of the families, those that stand for a construct each; `make bench` has them all."""


@pytest.fixture(scope="module")
def families() -> Mapping[str, Obligation]:
    return {o.name: o for o in load(FAMILIES).obligations}


@pytest.mark.parametrize("name", QUICK)
def test_a_promise_of_every_length_has_a_certificate_that_checks(families: Mapping[str, Obligation], name: str) -> None:
    found = prove(families[name], MILLIONS)
    assert isinstance(found, Certificate)
    assert recheck(found) is None


def test_what_some_window_breaks_is_not_proved(families: Mapping[str, Obligation]) -> None:
    for name in ("last: preserves(paired)", "clear_stop: idempotent", "newest_half: idempotent"):
        assert isinstance(prove(families[name], 1.0), NoProof), name


def test_a_long_counterexample_is_found_past_what_is_enumerated() -> None:
    text = FAMILIES.read_text(encoding="utf-8").split("# ---------- 2:")[0].split("check last_results")[0]
    (obligation,) = load_text(f"{text}\ncheck last(k = 14): preserves(paired)\n").obligations
    case = search_long(obligation, 24, Work(MILLIONS * MILLION))
    assert case is not None
    assert breaks(obligation, case)
    assert len(case.inputs["W"].spans) >= 15


def test_a_proof_names_the_rules_and_bounds_it_rests_on(families: Mapping[str, Obligation]) -> None:
    found = prove(families["suffix: fits(cap)"], MILLIONS)
    assert isinstance(found, Certificate)
    assert ParameterBound("cap", "least", 0) in found.needed
    assert RuleGround("suffix", 0) in found.needed
    assert FieldBounds("tokens") in found.unneeded


def test_what_a_name_stands_for_is_told_in_the_names_that_were_written(families: Mapping[str, Obligation]) -> None:
    found = prove(families["last_then_orphans: idempotent"], MILLIONS)
    assert isinstance(found, Certificate)
    told = [*found.legend.values(), *found.invariant]
    assert any("assumed: no c in" in line for line in told)
    assert not [line for line in told if "%" in line]


SETTING = """
window Chat {
  tag    : user | call | result | note
  tokens : int >= 1
  link justifies
}
"""

NOTES = """
policy noted for Chat {
  evict s where s.tag == note
  insert { tag = note, tokens = 3 } at front
}
policy piled for Chat {
  insert { tag = note, tokens = 3 } at front
}
policy vague for Chat {
  evict s where s.tag == note
  insert { tag = note, tokens <= 3 } at front
}
check noted: idempotent
check piled: idempotent
check vague: idempotent
"""


def test_an_old_note_replaced_by_an_equal_one_is_no_change() -> None:
    noted, piled, vague = load_text(SETTING + NOTES).obligations
    assert isinstance(prove(noted, MILLIONS), Certificate)
    assert isinstance(prove(piled, 1.0), NoProof)
    assert isinstance(prove(vague, 1.0), NoProof)


ONE_FOR_TWO = """
policy folds for Chat {
  let user = last s where s.tag == user
  let note = first s where s.tag == note
  let place = if some s: s.tag == note then note else user
  let old = s where s.tag == note and count(t: t.tag == note) >= 2
  insert { tag = note, tokens = 1 } just after place
  evict s where s in old
}
check folds: stabilizes(2)   assuming all s in W: s.tag == user
"""


def test_one_fresh_span_does_not_stand_for_two() -> None:
    (folds,) = load_text(SETTING + ONE_FOR_TWO).obligations
    assert attack(folds, 1, 200, 5.0) is not None
    assert isinstance(prove(folds, 2.0), NoProof)


TURNED = """
policy turns for Chat {
  let first_note = first s where s.tag != user
  let last_note = last s where s.tag != user
  let first_user = first s where s.tag == user
  let last_user = last s where s.tag == user
  let left = if some s: s.tag != user then first_note else last_user
  let right = if some s: s.tag != user then last_note else first_user
  insert { tag = call, tokens = 1 } just after right
  insert { tag = note, tokens = 1 } just before left
  evict first_note
  evict last_note
  evict first_user
  evict last_user
}
check turns: idempotent   assuming all s in W: s.tag == user
"""


def test_fresh_spans_that_change_places_are_another_window() -> None:
    (turns,) = load_text(SETTING + TURNED).obligations
    case = attack(turns, 2, 2000, 5.0)
    assert case is not None
    first, last = (s.id for s in case.inputs["W"].spans)
    call1, note1, call2, note2 = compile_scan(turns, Mode(scan=True)).trace.fresh
    for seed in range(4):
        tally = check_case(turns, case, seed, [first, note2, call1, note1, call2, last])
        assert (tally.checks, tally.findings) == (1, ())


MANY = """
policy judged for Chat {
  may evict s where s.tag != user
  gate keeps_users
}
property keeps_users(P: policy) = all W, s in W where s.tag == user: s in P(W)
policy pinned for Chat {
  evict s where s.tag == result and no t: s justifies t
}
policy shy for Chat {
  refuse when some s: s.tag == note because "a note is here"
  evict s where s.tag == call
}
property untouched_notes(P: policy) = all W, s in W where s.tag == note: s in P(W) and refused(P, W)
check judged: keeps_users
check pinned: justified
check shy: untouched_notes
check shy: pure
check judged: order_kept
"""


def test_choices_gates_links_refusals_and_second_runs_are_in_the_fragment() -> None:
    for obligation in load_text(SETTING + MANY).obligations:
        assert isinstance(prove(obligation, MILLIONS), Certificate), obligation.name


MOVED = """
policy pinned_first for Chat {
  move s where s.tag == user at front
}
policy beside_the_last for Chat {
  let last_call = last s where s.tag == call
  move s where s.tag == user just before last_call
  let newest = last s where s.tag == user
  evict s where s.tag == note and s after newest
}
policy filled for Chat {
  move s where s.tag == user at front
  fill newest s where s.tag != user by s.tokens up to 9
}
policy returned for Chat {
  evict s where s.tag == note
  readmit s where s.tokens == 1 at back
}
property users_first(P: policy) = all W, u in P(W), s in P(W) where u.tag == user and s.tag != user: u before s in P(W)
property users_last(P: policy) = all W, u in P(W), s in P(W) where u.tag == user and s.tag != user: s before u in P(W)
property users_kept(P: policy) = all W, s in W where s.tag == user: s in P(W)
property alike(P: policy) = all W, u in W, s in W where s != u: s in P(W) iff s in P(without(W, u))
property as_it_stood(P: policy) =
  all W, s in P(W), t in P(W) where s in W and t in W and s.tag != note and t.tag != note:
    s before t in W iff s before t in P(W)
check pinned_first: idempotent, users_first, never_grows
check beside_the_last: never_grows
check filled: users_kept
check returned: as_it_stood
check pinned_first: order_kept, users_last
check beside_the_last: order_kept, users_first
check filled: users_last, within(9), alike
check returned: order_kept
"""


def test_moved_spans_stand_where_they_were_put() -> None:
    obligations = load_text(SETTING + MOVED).obligations
    for obligation in obligations[:6]:
        assert isinstance(prove(obligation, MILLIONS), Certificate), obligation.name
    for obligation in obligations[6:]:
        assert isinstance(prove(obligation, 1.0), NoProof), obligation.name


OTHER_RUNS = """
policy vague for Chat {
  evict s where s.tag == note
  insert { tag = note, tokens <= 3 } at front
}
property near(P: policy) = all W: total(t.tokens: t in P(W)) <= total(t.tokens: t in P'(W)) + 3
check vague: near
"""


def test_fresh_spans_of_another_run_have_names_that_solvers_read() -> None:
    (near,) = load_text(SETTING + OTHER_RUNS).obligations
    assert isinstance(prove(near, MILLIONS), Certificate)


SCORED = """
window Chat {
  tag   : user | note
  score : int >= 0 from query
}
policy noted for Chat {
  insert { tag = note } at back
}
property apart(P: policy) =
  all W, u in W, s in P(W): created(s) implies not s in P(rescore(W, u))
property together(P: policy) =
  all W, u in W, s in W: s in P(rescore(W, u))
check noted: apart, together
"""


def test_a_span_put_into_two_windows_by_one_statement_is_outside() -> None:
    apart, together = load_text(SCORED).obligations
    assert attack(apart, 2, 50, MILLIONS) is not None
    assert isinstance(prove(apart, MILLIONS), OutsideFragment)
    assert isinstance(prove(together, MILLIONS), Certificate)


LOOP = """
window Chat {
  tag   : rule | call | note
  stale : bool
  control s where s.tag == rule
}
policy prune for Chat {
  evict s where s.stale and s.tag != rule
}
session loop of Chat {
  each turn {
    arrive up to 2 s where s.tag == call
    may readmit s where s.tag == call
    may set s where s.tag == call { stale = true }
    apply prune
  }
  tombstones none
  ledger in_window { tag = note }
}
check loop: control_survives, no_thrash
"""


def test_a_turn_of_a_session_is_a_question_about_one_window() -> None:
    survives, thrash = (inductive(o) for o in load_text(LOOP).obligations)
    assert isinstance(survives, Inductive)
    assert survives.condition is not None
    for part in parts(survives, (survives.condition,)):
        assert isinstance(prove(part.obligation, MILLIONS), Certificate), part.name
    assert isinstance(thrash, Inductive)
    assert thrash.condition is not None
    answers = {p.name: prove(p.obligation, 2.0) for p in parts(thrash, (thrash.condition,))}
    assert isinstance(answers["start 1"], Certificate)
    assert isinstance(answers["turn 1"], NoProof)


def test_what_takes_its_time_is_proved_from_either_end_side_by_side(
    families: Mapping[str, Obligation], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unbounded, "FIRST", 1_000)
    for name in ("trim: idempotent", "two_stages: fits_all(cap)"):
        assert isinstance(prove(families[name], MILLIONS), Certificate), name
    found = prove(families["orphans_then_last: preserves(paired)"], MILLIONS)
    assert isinstance(found, NoProof)
    assert found.case is not None
    assert breaks(families["orphans_then_last: preserves(paired)"], found.case)


def test_a_proof_beside_a_window_that_breaks_the_promise_is_told(
    families: Mapping[str, Obligation], monkeypatch: pytest.MonkeyPatch
) -> None:
    proof = prove(families["last_results: idempotent"], MILLIONS)
    case = search_long(families["orphans_then_last: preserves(paired)"], 24, Work(MILLIONS * MILLION))
    assert isinstance(proof, Certificate)
    monkeypatch.setattr(unbounded, "in_order", lambda *_: [Tried(proof=proof), Tried(case=case)])
    with pytest.raises(Disagreement):
        prove(families["trim: idempotent"], MILLIONS)
