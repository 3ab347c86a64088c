"""Refuses to edit where nobody knows what governs the edits."""

from __future__ import annotations

from selfedit_formal.runtime.gate.proposal import Proposal
from selfedit_formal.runtime.gate.rules import Concern

RECORD = "R2"
PROMISE = "properties/grounded"


def refuse(proposal: Proposal) -> Concern | None:
    """If the policy, the scoring rubric, or the query anchor can be scored and dropped, the loop is ungrounded."""
    if not proposal.changes or proposal.control or proposal.terms.control.outside:
        return None
    return Concern(
        (),
        "no control set is known, in the window or outside",
        "name the control set: its tags, its ids, or what is held outside the window",
    )
