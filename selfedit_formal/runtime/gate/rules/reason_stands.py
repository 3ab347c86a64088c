"""Refuses to let pruned content back in for a reason that was pruned itself."""

from __future__ import annotations

from selfedit_formal.runtime.gate.proposal import Proposal
from selfedit_formal.runtime.gate.rules import Concern, named

RECORD = "R1"
PROMISE = ""


def refuse(proposal: Proposal) -> Concern | None:
    """The final window was *worse* than the pre-rewrite snapshot because it contained a contradiction (a pruned span
    re-admitted with a rationale that referenced the span it had replaced)."""
    after, written = proposal.after, proposal.written
    back = tuple(s for s in proposal.added if after[s][0] in proposal.pruned)
    left = {s for s, entry in written.items() if entry.kind in ("evict", "merge") and entry.span == s}
    gone = tuple(
        s
        for s in sorted(proposal.terms.rationale)
        if s in proposal.emptied or (s not in after and (s in proposal.before or s in left))
    )
    if not back or not gone:
        return None
    return Concern(
        back,
        f"{named(back)} would come back for a reason that is gone: {named(gone)}",
        "give a reason that is in the window, or was never in it",
        gone,
    )
