"""Refuses a policy that was frozen."""

from __future__ import annotations

from selfedit_formal.runtime.gate.proposal import Proposal
from selfedit_formal.runtime.gate.rules import Concern

RECORD = "R2"
PROMISE = ""


def refuse(proposal: Proposal) -> Concern | None:
    """The agent halts pruning, emits a structured refusal citing the intersecting control entries, and continues with
    a frozen context until an external component supplies a fresh, out-of-buffer policy."""
    by = proposal.frozen
    if by is None:
        return None
    return Concern(
        (),
        f"the policy `{proposal.terms.policy}` was frozen at turn {by.turn} ({by.reason})",
        "have the supervisor supply a policy that keeps the rule, under another name",
    )
