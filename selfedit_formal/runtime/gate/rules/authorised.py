"""Refuses an editor that may not edit."""

from __future__ import annotations

from selfedit_formal.runtime.gate.proposal import Proposal
from selfedit_formal.runtime.gate.rules import Concern

RECORD = "R0"
PROMISE = ""


def refuse(proposal: Proposal) -> Concern | None:
    """Editor is not authorized to mutate its own window; escalate to supervisor."""
    if proposal.terms.authorised:
        return None
    return Concern((), "the editor is not authorised to edit this window", "give the plan to the supervisor")
