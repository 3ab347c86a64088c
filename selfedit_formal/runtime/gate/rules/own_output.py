"""Refuses an edit that goes by scores of what the editor itself has just written, unrecorded."""

from __future__ import annotations

from selfedit_formal.runtime.gate.proposal import Proposal
from selfedit_formal.runtime.gate.rules import Concern, named

RECORD = "R0"
PROMISE = ""


def refuse(proposal: Proposal) -> Concern | None:
    """The boundary is crossed the moment the editor's own output becomes an input to its own scoring function within
    the same turn or the next turn without an intervening tombstone."""
    scoring = proposal.terms.scoring
    own = () if scoring is None else tuple(s for s in proposal.before if s in scoring.own and s in scoring.scores)
    hit = tuple(s for s in own if s not in proposal.written)
    if not hit:
        return None
    return Concern(
        hit,
        f"{named(hit)} was written by the editor, is in no ledger, and was scored",
        "make edits through the gate, so that they are recorded, or leave the span unscored",
    )
