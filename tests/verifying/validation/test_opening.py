"""Which numbers of a promise are opened, and what is left as it is."""

from __future__ import annotations

import pytest

from selfedit_formal.core.expression import Parameter
from selfedit_formal.core.property import Obligation
from selfedit_formal.core.traverse import nodes
from selfedit_formal.language.resolve import load_text
from selfedit_formal.verifying.validation.opening import Opened, opened

WINDOW = """
window Chat { tag : user | note  tokens : int >= 0  a, b : int }
property keeps(P: policy) = all W, s in W: s in P(W)
"""


def obligation(body: str, more: str = "") -> Obligation:
    return load_text(f"{WINDOW}{more}\npolicy p(k: int) for Chat {{ {body} }}\ncheck p: keeps").obligations[0]


def of(body: str, more: str = "") -> Opened:
    found = opened(obligation(body, more))
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("body", "numbers"),
    [
        ("when count(s) > 40  evict s where s.tag == note", [40]),
        ("evict s where total(t.tokens: t after s) > 4000", [4000]),
        ("evict s where 7 <= count(t: t before s)", [7]),
        ("evict s where count(t: t before s) + 3 < 8 + k", [3, 8]),
        ("evict s where count(t) - 12 > 0", [12]),
        ("let n = count(s) - 9  when n > 5  evict s where true", [5, 9]),
        ("evict s where count(t: count(u: u after t) > 4) > 6", [4, 6]),
        ('refuse when count(s) > 500 because "long"  evict s where true', [500]),
        ("fill newest s where true by s.tokens up to 60", [60]),
        ("evict s where count(t) > (if count(t) > 20 then 30 else 50)", [20, 30, 50]),
    ],
)
def test_numbers_that_windows_are_measured_with_are_opened(body: str, numbers: list[int]) -> None:
    assert sorted(of(body).numbers.values()) == numbers


@pytest.mark.parametrize(
    "body",
    [
        "evict s where s.tokens > 40",
        "evict s where s.a == 7 and s.b != 9",
        "evict s where count(t) > 2",
        "set s where true { tokens = 40 }",
        "evict s where 5 * count(t) > k",
        "evict s where floor(count(t) / 5) > k",
        "evict s where count(t) mod 5 == 1",
    ],
)
def test_other_numbers_stay(body: str) -> None:
    assert opened(obligation(body)) is None


def test_a_number_is_one_parameter_wherever_it_stands() -> None:
    found = of("when count(s) > 9  evict s where count(t: t after s) > 9")
    (name,) = found.numbers
    policy = found.obligation.policies[0]
    assert [n for n in nodes(policy.body) if isinstance(n, Parameter)] == [Parameter(name)] * 2


def test_a_negative_number_is_opened_by_its_size() -> None:
    found = of("when count(s) - 9 > -5  evict s where true")
    assert sorted(found.numbers.values()) == [5, 9]


def test_no_parameter_of_a_policy_can_have_the_name_of_a_number() -> None:
    found = of("when count(s) > 9 + k  evict s where true")
    assert not any(name.isidentifier() for name in found.numbers)


def test_close_numbers_stay_as_close_and_larger_ones_larger() -> None:
    found = of("when count(s) > 40  evict s where count(t: t after s) >= 41 or count(t) > 90")
    by_value = {value: Parameter(name) for name, value in found.numbers.items()}
    apart = [n for n in nodes(found.obligation.claim.premise) if isinstance(n, Parameter)]
    assert apart == [by_value[41], by_value[40], by_value[41], by_value[90]]


def test_what_is_opened_lies_between_one_and_what_was_written() -> None:
    found = of("when count(s) > 40  evict s where true")
    assert [(p.low, p.high) for p in found.obligation.parameters if p.name in found.numbers] == [(1, 40)]
