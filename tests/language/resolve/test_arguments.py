"""Arguments: which parameter each is for, and whether it may be that."""

from __future__ import annotations

import pytest

from tests.language.resolve.core import marked, mistake, mistakes, obligation

TRIM = "policy p(cap: int >= 0, keep: int) for Chat { evict s where s.tokens > cap and count(t: t after s) >= keep }\n"


@pytest.mark.parametrize(
    ("check", "expected"),
    [
        ("p: idempotent(3)", "R016 property `idempotent` takes no arguments, and 1 is given"),
        ("p: within(1, 2)", "R016 property `within` takes 1 argument, and 2 are given"),
        ("p: stabilizes(-1)", "R019 `k` is >= 0, and -1 is not"),
        ("p: stabilizes(keep)", "R019 `k` is >= 0, and this number may be outside of that"),
        ("p: no_cycle(1)", "R019 `k` is >= 2, and 1 is not"),
        ("p: within(cap = 3, cap = 4)", "R018 parameter `cap` is given twice"),
        ("p: within(kap = 3)", "R018 property `within` has no parameter `kap`"),
        ("p(1, 2, 3): idempotent", "R016 policy `p` takes 2 arguments, and 3 are given"),
        ("p(kap = 3): idempotent", "R018 policy `p` has no parameter `kap`"),
        ("p(3, cap = 3): idempotent", "R018 parameter `cap` is given twice"),
        ("p(cap = -3): idempotent", "R019 `cap` is >= 0, and -3 is not"),
    ],
)
def test_an_argument_may_be_wrong(check: str, expected: str) -> None:
    assert mistake(f"{TRIM}check {check}") == expected


def test_arguments_are_for_parameters_in_their_order_or_by_name() -> None:
    written = ("p(4, 5): pure", "p(4, keep = 5): pure", "p(cap = 4, keep = 5): pure", "p(keep = 5, cap = 4): pure")
    found = [obligation(check, TRIM).policies for check in written]
    assert found == [found[0]] * 4
    assert obligation("p(5, 4): pure", TRIM).policies != found[0]


def test_what_is_not_given_stays_open_whether_or_not_anything_is() -> None:
    assert [p.name for p in obligation("p(): pure", TRIM).parameters] == ["cap", "keep"]
    assert [p.name for p in obligation("p(5): pure", TRIM).parameters] == ["keep"]


@pytest.mark.parametrize(
    ("check", "place", "hint"),
    [
        ("p(1, 2, 3): pure", "p", "its parameters are `cap`, `keep`"),
        ("p: idempotent(3)", "idempotent", None),
        ("p(kep = 3): pure", "kep", "did you mean `keep`?"),
        ("p(xyz = 3): pure", "xyz", "its parameters are `cap`, `keep`"),
    ],
)
def test_an_argument_without_a_parameter_is_told_with_those_there_are(check: str, place: str, hint: str | None) -> None:
    (found,) = mistakes(f"{TRIM}check {check}")
    assert (marked(found.location), found.hint) == (place, hint)


def test_an_argument_that_is_given_again_is_told_each_time_with_the_first() -> None:
    found = mistakes(f"{TRIM}check p(3, cap = 4, cap = 5): pure")
    assert [marked(d.location) for d in found] == ["cap", "cap"]
    assert {(note, marked(place)) for d in found for note, place in d.notes} == {("it is given here first", "3")}


@pytest.mark.parametrize(
    ("limits", "number", "right"),
    [
        (">= 2", "2", True),
        (">= 2", "3 - 1", True),
        (">= 2", "1", False),
        ("> 2", "3", True),
        ("> 2", "2", False),
        ("<= 5", "5", True),
        ("<= 5", "6", False),
        (">= 1 < 5", "4", True),
        (">= 1 < 5", "5", False),
        (">= 1 < 5", "0", False),
    ],
)
def test_a_number_has_to_be_within_the_declared_limits(limits: str, number: str, right: bool) -> None:
    text = f"policy q(n: int {limits}) for Chat {{ evict s where s.turn > n }}"
    if right:
        assert obligation(f"q({number}): pure", text).parameters == ()
        return
    (found,) = mistakes(f"{text} check q({number}): pure")
    assert (found.code, marked(found.location)) == ("R019", number)
    assert found.message.startswith(f"`n` is {limits.replace(' <', ' and <')}, and ")
    assert [(note, marked(place)) for note, place in found.notes] == [("it is declared here", f"n: int {limits}")]


@pytest.mark.parametrize(("outer", "right"), [("k: int >= 2", True), ("k: int >= 1", False), ("k: int", False)])
def test_a_parameter_left_open_has_to_have_limits_within_those(outer: str, right: bool) -> None:
    text = f"policy q({outer}) for Chat {{ evict s where s.turn > k }} "
    text += "property r(P: policy, n: int >= 2) = all W: count(s in P(W)) > n"
    if right:
        assert obligation("q: r(k)", text).parameters
    else:
        assert mistake(f"{text} check q: r(k)") == "R019 `n` is >= 2, and this number may be outside of that"
    assert mistake(f"{text} check q: r(k + 1)") == "R019 `n` is >= 2, and this number may be outside of that"
