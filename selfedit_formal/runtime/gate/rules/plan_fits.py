"""Refuses what is no edit of this window."""

from __future__ import annotations

from selfedit_formal.runtime.gate.proposal import Proposal
from selfedit_formal.runtime.gate.rules import Concern

RECORD = "R0"
PROMISE = ""


def refuse(proposal: Proposal) -> Concern | None:
    """A model-driven self-editor reads the window, emits an edit plan (delete span A, rewrite span B, re-rank span C),
    and then applies that plan to the same window."""
    if proposal.unfit is None:
        return None
    return Concern(proposal.unfit.spans, proposal.unfit.what, "plan again on the window as it is")
