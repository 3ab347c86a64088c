"""Short cases of what is open, padded until they break what was written."""

from __future__ import annotations

import pytest

from selfedit_formal.core.property import Case
from selfedit_formal.language.resolve import load_text
from selfedit_formal.semantics.interpreter import breaks
from selfedit_formal.semantics.symbolic.cases import cases
from selfedit_formal.verifying.validation.opening import opened
from selfedit_formal.verifying.validation.padding import WORK, padded
from selfedit_formal.verifying.validation.trial import Trial

WINDOW = """
window Chat {
  tag : system | user | call | result
  tokens : int >= 1
  link answers : result -> call
}
predicate paired(W) for Chat = all r in W: r.tag == result implies some c in W: r answers c
property keeps(P: policy) = all W, s in W where s.tag == user: s in P(W)
property at_most(P: policy, n: int) = all W: count(s in P(W)) <= n
"""


def first(body: str, promise: str) -> Case | None:
    (asked,) = load_text(f"{WINDOW}\npolicy p for Chat {{ {body} }}\ncheck p: {promise}").obligations
    long = Trial(asked, 8).broken(WORK)
    assert long is None or breaks(asked, long)
    return long


MORE = 2
"""Spans that a window may have more than the fewest."""


@pytest.mark.parametrize(
    ("body", "promise", "spans"),
    [
        ("when count(s) > 9  evict s where s.tag == user", "keeps", 10),
        ("when count(s) > 80  evict s where s.tag == user", "keeps", 81),
        ("when count(s) > 200  evict s where count(t: t after s) >= 80", "preserves(paired)", 201),
        ("when count(s) > 40  evict s where count(t: t after s) >= 41", "at_most(40)", 41),
        ("evict s where count(t: t before s) >= 20", "keeps", 21),
        ("when total(s.tokens) > 150000  evict s where s.tag == user", "keeps", 1),
        ("when total(s.tokens) > 150000 and count(s) > 12  evict s where s.tag == user", "keeps", 13),
        # Half of the window stands behind the pair: two spans for each that the trigger is larger.
        (
            "when count(s) > 30  let half = floor(30 / 2)  evict s where count(t: t after s) >= half",
            "preserves(paired)",
            31,
        ),
        # It need not grow at all.
        ('refuse when count(s) > 500 because "long"  evict s where s.tag == user', "keeps", 1),
    ],
)
def test_a_window_is_as_long_as_the_numbers_ask_for(body: str, promise: str, spans: int) -> None:
    case = first(body, promise)
    assert case is not None
    assert spans <= len(case.inputs["W"].spans) <= spans + MORE


def test_what_is_true_with_the_numbers_as_written_is_not_broken() -> None:
    # False with 3 for 9 alone, as 12 is no smaller.
    assert first("when count(s) > 9 and count(s) <= 3  evict s where s.tag == user", "keeps") is None


def test_a_field_stays_within_its_bounds() -> None:
    text = """
    window Small { tag : user | note  tokens : int >= 1 <= 5 }
    property keeps(P: policy) = all W, s in W: s in P(W)
    policy p for Small { when total(s.tokens) > 20  evict s where s.tag == user }
    check p: keeps
    """
    (asked,) = load_text(text).obligations
    found = opened(asked)
    assert found is not None
    (case, *_) = (c for short in cases(found.obligation, 4, 1) for c in padded(found, short))
    tokens = [s["tokens"] for s in case.inputs["W"].spans]
    assert sum(int(t) for t in tokens) > 20
    assert max(int(t) for t in tokens) <= 5
