"""The condition found is the one that holds, and not a stronger one."""

from __future__ import annotations

import pytest

from selfedit_formal.engines import Limits
from selfedit_formal.language.resolve import load_text
from selfedit_formal.property import Obligation
from selfedit_formal.semantics.interpreter import breaks
from selfedit_formal.solve_for import Inequality, Solved, Unsolved, solve_for

CHAT = """
window Chat {
  tag    : user | note
  tokens : int >= 1
}
property at_most(P: policy, n: int) = all W: count(t in P(W)) <= n
"""
ENDS = """
policy ends(first: int >= 0, last: int >= 0, max: int >= 0) for Chat {
  when count(t: true) > max
  evict s where count(t: t before s) >= first and count(t: t after s) >= last
}
check ends: at_most(max)
"""
NEVER = """
policy piled(max: int >= 0) for Chat {
  insert { tag = note, tokens = 1 } at front
}
check piled: at_most(max)
"""


def only(text: str) -> Obligation:
    (obligation,) = load_text(CHAT + text).obligations
    return obligation


def test_the_weakest_condition_is_proved_under_and_refuted_outside() -> None:
    obligation = only(ENDS)
    found = solve_for(obligation, ("first", "last"), Limits(5, 120.0, None))
    assert isinstance(found, Solved)
    assert found.condition in ("first + last <= max", "last + first <= max")
    assert found.certificate is not None
    assert found.outside is not None
    assert breaks(obligation, found.outside)
    assert found.outside.parameters["first"] + found.outside.parameters["last"] > found.outside.parameters["max"]


def test_where_no_value_is_safe_there_is_no_condition() -> None:
    found = solve_for(only(NEVER), ("max",), Limits(4, 20.0, None))
    assert isinstance(found, Unsolved) or found.certificate is None


def test_a_promise_about_a_session_is_not_taken_for_one_about_a_policy() -> None:
    text = """
window Log { tag : note   tokens : int >= 1 }
policy p(cap: int >= 1) for Log { evict s where s.tokens > cap }
session loop(cap: int >= 1) of Log { each turn { apply p(cap) } }
check loop: no_thrash
"""
    found = solve_for(only(text), ("cap",), Limits(2, 20.0, None))
    assert isinstance(found, Unsolved)
    assert "session" in found.reason


@pytest.mark.parametrize(
    ("coefficients", "constant", "text"),
    [
        ({("k", "most"): 1, ("size",): 1, ("trigger",): -1}, 1, "k * most + size < trigger"),
        ({("cap",): 1}, -10, "cap <= 10"),
        ({("cap",): -1}, 3, "3 <= cap"),
        ({("h",): 2, ("max",): -1}, 0, "2 * h <= max"),
    ],
)
def test_an_inequality_reads_as_a_person_writes_it(
    coefficients: dict[tuple[str, ...], int], constant: int, text: str
) -> None:
    assert str(Inequality(coefficients, constant)) == text
