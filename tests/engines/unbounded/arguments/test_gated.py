"""What is proved of the gate `idempotent` for any policy behind it, and of which policies it is not."""

from __future__ import annotations

import pytest

from selfedit_formal.core.certificate import Certificate, Method
from selfedit_formal.core.property import Obligation
from selfedit_formal.engines import Limits, NoneFound
from selfedit_formal.engines.bounded import BoundedRefuter
from selfedit_formal.engines.random import attack
from selfedit_formal.engines.unbounded import prove
from selfedit_formal.engines.unbounded.arguments.gated import prove_gated
from selfedit_formal.language.resolve import load_text

WINDOW = """
window Any {
  tag    : trace | source | note
  tokens : int >= 1
  a, b   : bool
  drop   : bool from query
  grade  : int >= 0 from query
  mood   : bool from window
  link l
}

window Plain {
  tag    : trace | source | note
  tokens : int >= 1
  a, b   : bool
  link l
}

property known_before(P: policy) = all W, s in P(W): s in W or created(s)
"""


def asked(body: str, promise: str = "idempotent", window: str = "Any") -> Obligation:
    text = f"{WINDOW}\npolicy p for {window} {{\n  {body}\n}}\ncheck p: {promise}\n"
    (found,) = load_text(text).obligations
    return found


SETTLED = (
    ("Any", "at once { evict s where s.a and no t: t l s  readmit s where s.b }  gate idempotent"),
    ("Any", "evict s where s.drop and some t: s l t and t.drop  gate idempotent"),
    ("Any", "set s where true { a = not s.a, tokens = s.tokens + 1 }  gate idempotent"),
    ("Any", "move s where s.a at front  gate idempotent"),
    ("Any", 'refuse when some s: s.b because "no"  readmit s where s.drop  move s where s.b at back  gate idempotent'),
    ("Any", "evict s where count(t: t after s) >= 2  gate known_before, idempotent"),
    ("Plain", "insert { tag = note, tokens = 1 } at back  gate idempotent"),
    ("Plain", "when some s: s.a  insert { tag = note, tokens = 1 } at front  evict s where s.a  gate idempotent"),
)


@pytest.mark.parametrize(("window", "body"), SETTLED)
def test_a_policy_that_leaves_nothing_open_is_idempotent_behind_the_gate(window: str, body: str) -> None:
    found = asked(body, window=window)
    proof = prove(found, 5.0)
    assert isinstance(proof, Certificate)
    assert proof.method == Method("gate")
    assert isinstance(BoundedRefuter().solve(found, Limits(within=2, seconds=30.0)), NoneFound)
    assert attack(found, 4, 200, 30.0) is None


@pytest.mark.parametrize(
    "found",
    [
        asked("may evict s where true  gate idempotent"),
        asked("set s where s.a { tokens = any }  gate idempotent"),
        asked("evict s where s.mood  gate idempotent"),
        asked("insert { tag = note } at back  gate idempotent"),
        asked("insert { tag = note, tokens = 1 } at back  gate idempotent"),  # a score of its own
        asked("evict s where s.a"),
        asked("evict s where s.a  gate order_kept"),
        asked("evict s where s.a  gate idempotent", promise="stabilizes(2)"),
        asked("evict s where s.a  gate idempotent", promise="pure"),
    ],
)
def test_nothing_is_said_of_other_policies_gates_and_promises(found: Obligation) -> None:
    assert prove_gated(found) is None
