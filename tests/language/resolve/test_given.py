"""What a reference to a property gives: numbers, predicates and further policies."""

from __future__ import annotations

import pytest

from selfedit_formal.core.expression import TRUE, Add, And, Compare, If, Input, Int, Parameter, Pass, Present
from tests.language.resolve.core import codes, marked, mistake, mistakes, module, obligation

TRIM = "policy p(cap: int >= 0, keep: int) for Chat { evict s where s.tokens > cap and count(t: t after s) >= keep }\n"
SMALL = "predicate small(W) = count(s in W) < 3\n"
W = Input("W")
PW = Pass("p", "", W)


def test_parameters_of_a_property_are_policies_predicates_and_numbers() -> None:
    more = """
    predicate fine(s) = s.pinned
    policy p(cap: int >= 2) for Chat { evict s where s.turn > cap }
    policy o(cap: int) for Chat { evict s where s.turn > cap }
    property q(k: int, P: policy, I: predicate, Q: policy) =
      all W, s in W where I(s) and s.turn > k: s in P(W) and s in Q(W)
    """
    found = obligation("p: q(cap + 1, fine, o)", more)
    assert found.claim.consequent == And((Present("s", PW), Present("s", Pass("o", "", W))))
    assert [d.name for d in found.parameters] == ["cap", "o.cap"]
    assert "Parameter(name='o.cap')" in str(found.policies[1].body)
    assert "Parameter(name='cap')" in str(found.claim.antecedent)
    assert found.claim.premise == TRUE


def test_a_number_may_be_built_of_the_parameters_that_the_policy_leaves_open() -> None:
    grown = obligation("p(keep = 3): within(cap + 2 * keep)", TRIM).claim.consequent
    assert isinstance(grown, Compare)
    assert grown.right == Add((Parameter("cap"), Int(6)))
    chosen = obligation("p: within(if cap > 3 and keep > 2 then cap else keep)", TRIM).claim.consequent
    assert isinstance(chosen, Compare)
    assert isinstance(chosen.right, If)


def test_the_first_policy_of_a_property_is_the_one_it_is_asked_of_wherever_it_stands() -> None:
    found = obligation("p: q(2)", TRIM + "property q(k: int, P: policy) = all W: count(s in P(W)) > k")
    assert isinstance(found.claim.consequent, Compare)
    assert found.claim.consequent.right == Int(2)


def test_a_gate_sees_passes_without_gates_and_is_given_what_a_check_gives() -> None:
    gates = (
        module(f"{SMALL}policy p(n: int) for Chat {{ gate preserves(small), within(n + 1) evict s where s.pinned }}")
        .policies["p"]
        .gates
    )
    assert [g.name for g in gates] == ["preserves(small)", "within(n + 1)"]
    assert all("gated=False" in str(g.condition) for g in gates)


@pytest.mark.parametrize(
    ("check", "expected", "place"),
    [
        ("p: preserves(smal)", "R005 unknown predicate `smal`", "smal"),
        ("p: preserves(p)", "R005 unknown predicate `p`", "p"),
        ("p: preserves(3)", "R017 `3` is not the name of a predicate, and one is needed here", "3"),
        ("p: preserves", "R016 property `preserves` needs `I`", "preserves"),
        ("p: within(kap)", "R001 unknown name `kap`", "kap"),
        ("p: within(small)", "R001 unknown name `small`", "small"),
        ("p: within(true)", "R013 `true` is true or false, and a number is needed here", "true"),
        ("p: within(count(s))", "R043 `cap` is given a number that hangs on the window", "count(s)"),
        (
            "p: within(cap + total(t.tokens))",
            "R043 `cap` is given a number that hangs on the window",
            "cap",
        ),
        ("p: same_as(3)", "R017 `3` is not a policy, and one is needed here", "3"),
        ("p: about(3)", "R017 property `about` takes no policy, so it says nothing of `p`", "about"),
    ],
)
def test_what_is_given_has_to_fit(check: str, expected: str, place: str) -> None:
    about = "property about(k: int) = all W: count(s in W) > k\n"
    (found,) = mistakes(f"{TRIM}{SMALL}{about}check {check}")
    assert (f"{found.code} {found.message}", marked(found.location)) == (expected, place)


@pytest.mark.parametrize(
    ("gate", "expected"),
    [
        ("same_as(p)", "R045 a gate looks at one policy, and this property compares two"),
        ("within", "R016 property `within` needs `cap`"),
        ("within(s.tokens)", "R001 unknown name `s`"),
        ("within(count(s))", "R043 `cap` is given a number that hangs on the window"),
        ("preserves(smal)", "R005 unknown predicate `smal`"),
    ],
)
def test_what_a_gate_is_given_has_to_fit_too(gate: str, expected: str) -> None:
    assert mistake(f"{SMALL}policy p for Chat {{ gate {gate} evict s where s.pinned }}") == expected


def test_what_is_missing_is_told_with_how_to_write_it_and_where_it_is_declared() -> None:
    (found,) = mistakes(f"{TRIM}property q(k: int, P: policy, n: int) = all W: count(s in P(W)) > k + n\ncheck p: q")
    assert found.message == "property `q` needs `k`, `n`"
    assert found.hint == "write `q(k, n)` with what each stands for"
    ((note, place),) = found.notes
    assert (note, marked(place)[:11]) == ("it is declared here", "q")


def test_a_predicate_that_is_wrong_itself_is_reported_once() -> None:
    assert codes(f"{TRIM}predicate wrong(W) = nobody(W)\ncheck p: preserves(wrong)") == ["R005"]
