"""What a pass leaves triggers nothing: asked only where that settles that a second pass changes nothing."""

from __future__ import annotations

from dataclasses import replace

from selfedit_formal.core.expression import Input, Not, Pass, Triggered
from selfedit_formal.core.policy import Block, Evict, Statement
from selfedit_formal.core.property import Obligation
from selfedit_formal.engines.unbounded.arguments.settle import settle
from selfedit_formal.language.resolve import load_text

SETTING = """
window Chat { tag : user | note  tokens : int >= 1 }
policy waits(k: int >= 0) for Chat {
  let n = count(t: true)
  when n > k
  evict s where count(t: t after s) >= k
}
policy waits_twice(k: int >= 0) for Chat {
  when count(t: true) > k
  let old = first t where t.tag == note
  when old == old
  evict s where s before old
}
policy also_acts(k: int >= 0) for Chat {
  evict s where s.tag == note
  when count(t: true) > k
  evict s where count(t: t after s) >= k
}
policy branches(k: int >= 0) for Chat {
  if count(t: true) > k { evict s where s.tag == note }
}
"""


def obligation(policy: str, promise: str = "idempotent") -> Obligation:
    return load_text(f"{SETTING}check {policy}: {promise}\n").obligations[0]


def test_a_policy_that_waits_for_its_triggers_is_asked_whether_it_still_would_act() -> None:
    for name in ("waits", "waits_twice"):
        asked = settle(obligation(name))
        assert asked is not None
        assert asked.claim.consequent == Not(Triggered(name, "", Pass(name, "", Input("W"))))


def test_a_policy_that_also_acts_untriggered_is_not() -> None:
    assert settle(obligation("also_acts")) is None
    assert settle(obligation("branches")) is None


def test_nor_is_another_promise() -> None:
    assert settle(obligation("waits", "never_grows")) is None
    assert settle(obligation("waits", "pure")) is None


def test_nor_is_what_stands_beside_a_trigger_or_under_a_branch_of_it() -> None:
    asked = obligation("waits")
    (policy,) = asked.policies
    (trigger,) = [s for s in policy.body if isinstance(s, Block)]
    (evict,) = [s for s in trigger.body if isinstance(s, Evict)]
    inner = replace(trigger, site=trigger.site + 10)
    bodies: dict[tuple[Statement, ...], bool] = {
        (trigger, evict): False,
        (evict, trigger): False,
        (trigger, trigger): False,
        (replace(trigger, body=(inner,)),): True,
        (replace(trigger, body=(inner, evict)),): False,
        (replace(trigger, body=(evict, inner)),): False,
        (replace(trigger, body=(replace(inner, trigger=False), inner)),): False,
        (replace(trigger, trigger=False),): False,
    }
    for body, waits in bodies.items():
        changed = replace(asked, policies=(replace(policy, body=body),))
        assert (settle(changed) is not None) == waits, body
