"""`frozen`: a policy that was frozen edits nothing more, until there is another one under another name."""

from __future__ import annotations

import pytest

from selfedit_formal.gate import Entry, MemoryLedger
from tests.runtime.gate.windows import DROP, DUMP, applied, asked, objection


@pytest.fixture
def ledger() -> MemoryLedger:
    """One in which the policy `judge` was frozen at turn 40."""
    made = MemoryLedger()
    made.append([Entry("refuse", "A", DUMP.content, "idempotent: it goes on", 40, "judge")])
    return made


def test_every_edit_of_a_frozen_policy_is_refused_with_when_and_why_it_was_frozen(ledger: MemoryLedger) -> None:
    found = objection("frozen", DROP, asked(policy="judge", ledger=ledger))
    assert (found.spans, found.what) == ((), "the policy `judge` was frozen at turn 40 (idempotent: it goes on)")
    assert found.remedy == "have the supervisor supply a policy that keeps the rule, under another name"


def test_being_frozen_freezes_no_further(ledger: MemoryLedger) -> None:
    assert not objection("frozen", DROP, asked(policy="judge", ledger=ledger)).freezes


@pytest.mark.parametrize("policy", ["judge/2", ""], ids=["another", "nameless"])
def test_a_policy_of_another_name_or_of_none_is_let_through(policy: str, ledger: MemoryLedger) -> None:
    assert applied(DROP, asked(policy=policy, ledger=ledger)) == ["C", "R", "T", "S"]
