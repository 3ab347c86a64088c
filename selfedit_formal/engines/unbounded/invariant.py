"""What makes a formula an invariant that proves a scan's promise."""

from __future__ import annotations

import z3

from selfedit_formal.engines.unbounded.compiler import Scan
from selfedit_formal.engines.unbounded.terms import primed


def conditions(scan: Scan, invariant: z3.BoolRef, everything: bool = False) -> dict[str, list[z3.BoolRef]]:
    """What must be unsatisfiable for the invariant to prove the promise.

    `everything`: the invariant may speak of what is not state, too.
    """
    after = primed(scan.next if everything else scan.state)
    step = [scan.step, *(p == scan.next[v] for v, p in after)]
    return {
        "init": [scan.init, *([scan.units] if everything else []), z3.Not(invariant)],
        "step": [invariant, *step, z3.Not(z3.substitute(invariant, after))],
        "safe": [invariant, scan.fin],
    }
