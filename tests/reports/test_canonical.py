"""Texts that hashes are made of: the same for the same meaning, and for nothing else."""

from __future__ import annotations

import pytest

from selfedit_formal.core.property import Obligation
from selfedit_formal.language.resolve import load_text
from selfedit_formal.reports.canonical import canonical
from selfedit_formal.reports.proof import hashes

TEXT = """
window Any { tag: note | user  tokens: int >= 0  done: bool }
predicate old(s) = s.done
policy prune(k: int >= 1) for Any { evict s where old(s) and s.tokens > k }
check prune: never_grows assuming some s in W: s.done
check prune: never_grows
"""


def obligation(text: str = TEXT) -> Obligation:
    return load_text(text).obligations[0]


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("s.tokens > k", "s.tokens >= k", {"policy_sha256"}),
        ("k: int >= 1", "k: int >= 2", {"policy_sha256", "claim_sha256"}),
        ("= s.done", "= not s.done", {"policy_sha256"}),
        ("tokens: int >= 0", "tokens: int >= 1", {"policy_sha256", "claim_sha256"}),
        ("note | user", "note | user | system", {"policy_sha256", "claim_sha256"}),
        ("some s in W: s.done", "some s in W: s.tokens == 3", {"claim_sha256"}),
        ("check prune: never_grows assuming", "check prune: order_kept assuming", {"claim_sha256"}),
        ("evict s where", "evict   s\n  where", set()),
        ("policy prune", "## What it does.\npolicy prune", set()),
        ("W: s.done\n", "W: s.done  within 3 spans  expect holds\n", set()),
    ],
)
def test_a_hash_changes_with_the_meaning_alone(old: str, new: str, changed: set[str]) -> None:
    assert TEXT.count(old) == 1
    before, after = hashes(obligation()), hashes(obligation(TEXT.replace(old, new)))
    assert {name for name in before if before[name] != after[name]} == changed


def test_texts_cannot_be_taken_for_others() -> None:
    values = ["a", "a, b", ("a", "b"), ("a, b",), ("a", ("b",)), ("a", ()), 1, "1", True, None, "None", {"a": "b"}, '"']
    assert len({canonical(v) for v in values}) == len(values)
    assert canonical({"a": 1, "b": 2}) == canonical({"b": 2, "a": 1})
    assert canonical(frozenset("ab")) == canonical(frozenset("ba"))
    with pytest.raises(TypeError, match="object has no canonical text"):
        canonical(object())
