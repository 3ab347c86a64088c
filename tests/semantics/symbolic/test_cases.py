"""Short cases of a claim that is open."""

from __future__ import annotations

from selfedit_formal.core.property import Obligation
from selfedit_formal.language.resolve import load_text
from selfedit_formal.semantics.interpreter import breaks, passes
from selfedit_formal.semantics.symbolic.cases import cases

TEXT = """
window Chat { tag : user | note | call  tokens : int >= 0 }
property keeps(P: policy) = all W, s in W: s in P(W)
policy p for Chat { evict s where s.tag == note  evict s where s.tag == call }
policy idle for Chat { evict s where s.tag == note and s.tag == call }
check p: keeps
check idle: keeps
"""


def obligations() -> tuple[Obligation, ...]:
    return load_text(TEXT).obligations


def test_no_two_cases_have_the_same_rules_acting() -> None:
    asked = obligations()[0]
    found = list(cases(asked, 3, 12))
    acting = [tuple(sorted({e.site for record in passes(asked, c) for e in record.events})) for c in found]
    assert all(breaks(asked, c) for c in found)
    assert sorted(acting) == [(0,), (0, 1), (1,)]


def test_so_many_and_no_more_are_told() -> None:
    assert len(list(cases(obligations()[0], 3, 2))) == 2
    assert len(list(cases(obligations()[0], 3, 1))) == 1


def test_where_nothing_breaks_the_claim_there_is_none() -> None:
    assert list(cases(obligations()[1], 3, 12)) == []
