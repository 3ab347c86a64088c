"""Changes of a policy or a promise whose effect on the verdict is known beforehand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from random import Random
from typing import Any

import pytest

from selfedit_formal.core import expression as e
from selfedit_formal.core import policy as p
from selfedit_formal.core.certificate import Certificate
from selfedit_formal.core.property import Obligation
from selfedit_formal.engines.unbounded import prove
from selfedit_formal.language.resolve import load_text
from tests.fuzz.draw import obligation
from tests.fuzz.drawer import CLAIMS, ORIGIN, PARAMETERS, SCHEMA, Drawer, W, has
from tests.fuzz.verdicts import find

SECONDS = 1.0
PATIENT = 30.0
"""For what has a proof, which is found long before."""
TRIES = 150


def proved(asked: Obligation, seconds: float = SECONDS) -> bool:
    return isinstance(prove(asked, seconds), Certificate)


def refuted(asked: Obligation) -> bool:
    return find(asked, TRIES) is not None


def names(node: object) -> Iterator[str]:
    """The spans, sets and values that are bound somewhere inside."""
    if isinstance(node, tuple):
        for item in node:
            yield from names(item)
    elif is_dataclass(node):
        for f in fields(node):
            value = getattr(node, f.name)
            if f.name == "variable" or (f.name == "name" and isinstance(node, p.LetSet | p.LetSpan | p.LetValue)):
                yield value
            yield from names(value)


def renamed(node: Any, new: Callable[[str], str]) -> Any:
    """The node with every name in it replaced."""
    if isinstance(node, str):
        return new(node)
    if isinstance(node, tuple):
        return tuple(renamed(item, new) for item in node)
    if is_dataclass(node) and not isinstance(node, e.Origin | type):
        return replace(node, **{f.name: renamed(getattr(node, f.name), new) for f in fields(node)})
    return node


def with_other_names(asked: Obligation) -> Obligation:
    """Names count down where they counted up, so that their order is another one too."""
    (policy,) = asked.policies
    found = sorted({*names(policy.body), *names(policy.gates), *names(asked.claim)})
    other = {name: f"z{len(found) - i}" for i, name in enumerate(found)}

    def new(name: str) -> str:
        return other.get(name, name)

    changed = replace(policy, body=renamed(policy.body, new), gates=renamed(policy.gates, new))
    return replace(asked, policies=(changed,), claim=renamed(asked.claim, new))


def with_fields_reversed(asked: Obligation) -> Obligation:
    """The window's fields declared in the opposite order."""
    schema = replace(asked.schema, fields=asked.schema.fields[::-1])
    return replace(asked, schema=schema, policies=tuple(replace(x, schema=schema) for x in asked.policies))


@pytest.mark.parametrize("change", [with_other_names, with_fields_reversed])
def test_names_and_the_order_of_fields_mean_nothing(change: Callable[[Obligation], Obligation]) -> None:
    for seed in (1, 3, 8, 15, 22):
        one = obligation(seed)
        two = change(one)
        assert two != one
        assert not (proved(one) and refuted(two)), seed
        assert not (proved(two) and refuted(one)), seed


def test_what_is_proved_is_proved_under_other_names_too() -> None:
    one = evicting(e.And((has("s", "note"), e.Not(e.Read("s", "pinned", "bool")))))
    assert proved(one, PATIENT)
    assert proved(with_other_names(one), PATIENT)
    assert proved(with_fields_reversed(one), PATIENT)


WRITTEN = """
window Chat {
  tag    : user | call | result | note
  tokens : int >= 1
  pinned : bool
}
property users_stay(P: policy) = all W, s in W where s.tag == user: s in P(W)
property pins_stay(P: policy) = all W, s in W where s.pinned: s in P(W)
"""
RULES = (
    "evict s where s.tag == note and count(t: t.tag == note and t after s) >= k",
    "evict s where s.tag == result and s.tokens > k",
    "set s where s.tag == call and not s.pinned { tokens = 1 }",
)
"""None reads what another one changes."""
CHECKS = ("idempotent", "users_stay", "never_grows", "pins_stay")


def test_the_order_of_independent_rules_means_nothing() -> None:
    def verdicts(rules: tuple[str, ...]) -> list[str]:
        policy = "policy rules(k: int >= 1) for Chat {\n" + "\n".join(rules) + "\n}\n"
        text = WRITTEN + policy + "".join(f"check rules: {name}\n" for name in CHECKS)
        return [
            "refuted" if refuted(o) else "proved" if proved(o, PATIENT) else "open" for o in load_text(text).obligations
        ]

    expected = ["proved", "proved", "proved", "refuted"]
    a, b, c = RULES
    assert [verdicts(rules) for rules in ((a, b, c), (c, b, a), (b, c, a))] == [expected] * 3


def evicting(condition: e.Expression, promise: str = "pins kept") -> Obligation:
    policy = p.Policy("P", SCHEMA, PARAMETERS, (p.Evict(0, "s", condition, False, ORIGIN),))
    return Obligation(promise, SCHEMA, (policy,), promise, CLAIMS[promise](Drawer(Random(0))), parameters=PARAMETERS)


def test_evicting_more_keeps_no_promise_that_was_broken() -> None:
    met = set()
    for seed in range(14):
        drawer = Drawer(Random(seed))
        narrow, more = drawer.truth("s", 1), drawer.truth("s", 0)
        promise = ("pins kept", "user kept")[seed % 2]
        was, now = refuted(evicting(narrow, promise)), proved(evicting(e.Or((narrow, more)), promise))
        assert not (was and now), seed
        met |= {"broken before"} if was else {"not broken before"}
    assert met == {"broken before", "not broken before"}


def test_an_assumption_more_breaks_no_promise_that_was_proved() -> None:
    met = 0
    for seed in (7, 10, 17, 22, 33, 41):
        one = obligation(seed)
        extra = e.All("assumed", W, e.Or((has("assumed", "user", W), e.Read("assumed", "pinned", "bool", W))))
        two = replace(one, claim=replace(one.claim, premise=e.And((one.claim.premise, extra))))
        was = proved(one)
        assert not (was and refuted(two)), seed
        met += was
    assert met > 0
