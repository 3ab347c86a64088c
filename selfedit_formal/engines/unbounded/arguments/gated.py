"""Idempotence of whatever stands behind the gate `idempotent`: the argument is about the gate, not about the policy.

Let through, a window is one that the gate's trial left alone, and the second pass is that trial again; turned down, the
second pass is the first again. That takes a policy that answers the same window in the same way.
"""

from __future__ import annotations

from selfedit_formal.core import policy as p
from selfedit_formal.core.certificate import GATE, Certificate, Method
from selfedit_formal.core.expression import ASSUMED, Input, Pass, Read, SameWindow
from selfedit_formal.core.property import Obligation
from selfedit_formal.core.traverse import nodes
from selfedit_formal.engines.unbounded.recheck import checks


def prove_gated(obligation: Obligation) -> Certificate | None:
    """The proof, if the claim is idempotence of a policy behind that gate that leaves nothing open."""
    if not rests_behind_gate(obligation):
        return None
    certificate = Certificate(Method("gate"), {"gate": GATE})
    return certificate if checks(certificate) else None


def rests_behind_gate(obligation: Obligation) -> bool:
    """Whether it is what the argument is about."""
    match obligation.claim.consequent:
        case SameWindow(Pass(name, run, Pass(inner, same, Input()) as once, True), left) if (
            (inner, same) == (name, run) and left == once and once.gated
        ):
            policy = obligation.policy(name)
        case _:
            return False
    # Another gate may speak of other policies, and of what they would do.
    return any(_asks_for_rest(gate, name) for gate in policy.gates) and not any(map(leaves_open, obligation.policies))


def _asks_for_rest(gate: p.Gate, name: str) -> bool:
    """Whether the gate asks, word for word, that one more pass changes nothing."""
    once = Pass(name, "", Input(ASSUMED), gated=False)
    return gate.condition == SameWindow(Pass(name, "", once, gated=False), once)


def leaves_open(policy: p.Policy) -> bool:
    """Whether two passes on the same window may differ, or one may not exist: a model, a scorer or a summary may answer
    this or that."""
    volatile = {f.name for f in policy.schema.fields if f.oracle == "window"}
    return any(
        (isinstance(node, p.LetSet) and node.may)
        or isinstance(node, p.Open)
        or (isinstance(node, p.Insert) and _guessed(node, policy))
        or (isinstance(node, Read) and node.field in volatile)
        for node in nodes((policy.body, policy.gates))
    )


def _guessed(insert: p.Insert, policy: p.Policy) -> bool:
    """Whether what comes, or whether it comes, is not settled by the statement."""
    given = {a.field for a in insert.assignments}
    settled = all(
        f.name in given or f.kind == "bool" or f.history or f.oracle == "window" for f in policy.schema.fields
    )
    return insert.may or bool(insert.variable) or not settled
