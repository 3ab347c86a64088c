"""Refuses an edit whose scores were made from themselves."""

from __future__ import annotations

from selfedit_formal.runtime.gate.proposal import Proposal
from selfedit_formal.runtime.gate.rules import Concern

RECORD = "R2"
PROMISE = ""


def refuse(proposal: Proposal) -> Concern | None:
    """The scorer's output feeds back into the scorer's input within the same call."""
    scoring = proposal.terms.scoring
    if scoring is None or not scoring.feeds_back:
        return None
    return Concern((), "the scorer read its own scores in the call that made them", "score against the query alone")
