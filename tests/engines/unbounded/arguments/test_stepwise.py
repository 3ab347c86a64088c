"""What was reached is still reached, asked of one step: only where that settles it."""

from __future__ import annotations

import pytest

from selfedit_formal.core.certificate import Certificate
from selfedit_formal.core.property import Obligation
from selfedit_formal.engines.random import attack
from selfedit_formal.engines.unbounded import NoProof, prove
from selfedit_formal.engines.unbounded.arguments.stepwise import stepwise
from selfedit_formal.language.resolve import load_text

SETTING = """
window Repair {
  tag   : task | trace | source
  stale : bool
  link justifies
}
predicate ground(s) for Repair = s.tag == task
policy keeps_reasons for Repair { evict s where s.stale and no t: s justifies t }
policy drops_stale for Repair { evict s where s.stale }
policy drops_traces for Repair { evict s where s.stale and s.tag == trace }
policy drops_ground for Repair { evict s where s.stale and s.tag == task }
policy renames for Repair { set s where s.stale { tag = trace } }
property other_names(P: policy) =
  all W, s in P(W):
    (some a in W: a reaches s along justifies in W and ground(a))
      implies some b in P(W): b reaches s along justifies in P(W) and ground(b)
property still_there(P: policy) =
  all W, s in P(W): (some g in W: g reaches s along justifies in W) implies some g in P(W): ground(g)
property turned(P: policy) =
  all W, s in P(W):
    (some g in W: g reaches s along justifies in W) implies some g in P(W): s reaches g along justifies in P(W)
"""

MORE = """
property never_stale(P: policy) = all W, s in P(W): not s.stale
property keeps_fresh(P: policy) = all W, s in W where not s.stale: s in P(W)
"""


def obligation(policy: str, promise: str = "rooted(ground)") -> Obligation:
    return load_text(f"{SETTING}check {policy}: {promise}\n").obligations[0]


@pytest.mark.parametrize("promise", ["rooted(ground)", "other_names"])
def test_who_keeps_each_step_keeps_the_way(promise: str) -> None:
    found = prove(obligation("keeps_reasons", promise), 20.0)
    assert isinstance(found, Certificate)
    assert "each step of the way is kept" in found.argument


@pytest.mark.parametrize("policy", ["drops_stale", "drops_traces", "drops_ground", "renames"])
@pytest.mark.parametrize("promise", ["rooted(ground)", "other_names"])
def test_what_breaks_the_promise_breaks_a_step(policy: str, promise: str) -> None:
    asked = obligation(policy, promise)
    step = stepwise(asked)
    assert step is not None
    assert attack(asked, 4, 400, 20.0) is not None
    assert attack(step, 4, 400, 20.0) is not None
    assert isinstance(prove(asked, 2.0), NoProof)


@pytest.mark.parametrize("promise", ["still_there", "turned"])
def test_another_promise_about_reaching_is_not_asked_of_one_step(promise: str) -> None:
    asked = obligation("keeps_reasons", promise)
    assert stepwise(asked) is None
    assert isinstance(prove(asked, 2.0), NoProof)


def test_where_a_policy_asks_what_is_reached_a_proof_that_does_not_need_to_know_is_found() -> None:
    policy = "policy unreached for Repair { evict s where s.stale and no g: ground(g) and g reaches s along justifies }"
    asked = load_text(f"{SETTING}{policy}\ncheck unreached: never_stale, keeps_fresh\n{MORE}").obligations
    assert [type(prove(o, 2.0)) for o in asked] == [NoProof, Certificate]
