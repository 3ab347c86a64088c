"""Small promises of every length, one kept and one broken for each way of proving, and what proves them."""

from __future__ import annotations

from functools import cache

from selfedit_formal.core.budget import MILLION, Work
from selfedit_formal.core.certificate import Certificate
from selfedit_formal.core.property import Obligation
from selfedit_formal.engines.unbounded.compiler import Mode
from selfedit_formal.engines.unbounded.solve import prove_by_query, prove_by_scan
from selfedit_formal.language.resolve import load_text

TEXT = """
window Chat {
  tag    : user | note
  tokens : int >= 0
}
property users_stay(P: policy) = all W, s in W where s.tag == user: s in P(W)
property notes_stay(P: policy) = all W, s in W where s.tag == note: s in P(W)
property lighter(P: policy)    = all W: total(s.tokens: s in P(W)) <= total(s.tokens: s in W)
property light(P: policy)      = all W: total(s.tokens: s in P(W)) <= 9
property few(P: policy, most: int) = all W: count(s in P(W)) <= most
policy p for Chat { evict s where s.tag == note }
policy last(k: int >= 0, spare: int >= 0) for Chat { evict s where count(t: t after s) >= k }
check p: users_stay, notes_stay, lighter, light
check last: few(k), few(spare)
"""
ASKED = {o.name: o for o in load_text(TEXT).obligations}
USERS, NOTES, LIGHTER, LIGHT, FEW, SPARE = ASKED.values()
QUERY, SCAN = Mode(scan=False), Mode(scan=True)


def work() -> Work:
    return Work(5 * MILLION)


@cache
def proved(name: str) -> Certificate:
    """What proves the promise of this name, which is kept."""
    asked: Obligation = ASKED[name]
    by_query = asked is USERS
    proof, _ = prove_by_query(asked, QUERY, work()) if by_query else prove_by_scan(asked, SCAN, work())
    assert proof is not None
    return proof
