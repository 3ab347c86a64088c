"""What is said where two parts of this tool contradict each other."""

from __future__ import annotations

from collections.abc import Mapping

from selfedit_formal._frozen import dataclass
from selfedit_formal.core.certificate import Certificate
from selfedit_formal.core.diagnostics import Disagreement
from selfedit_formal.core.property import Case, Obligation


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two of our own parts disagree about a claim that one of them proved: what they say, and about which case."""

    message: str
    obligation: Obligation
    case: Case


@dataclass(frozen=True, slots=True)
class NotValidated:
    """The proof could not be held against anything, and why, in the user's words: it may not be shown."""

    reason: str


class Contradicted(Disagreement):
    """A proof that a window contradicts."""

    def __init__(self, found: Contradiction, proof: Certificate | None = None) -> None:
        super().__init__(f"{found.message}\n{describe(found.case)}")
        self.proof = proof


def describe(case: Case) -> str:
    """Everything about a case that a report of a bug of ours needs, as text."""
    from importlib.metadata import version

    parts: Mapping[str, object] = {
        **{f"input {name}": [*window.spans] for name, window in case.inputs.items()},
        **{f"archived in {name}": sorted(window.archived) for name, window in case.inputs.items()},
        **{f"links in {name}": sorted(window.links) for name, window in case.inputs.items()},
        "parameters": dict(case.parameters),
        "spans": dict(case.spans),
        "choices": dict(case.choices),
        "versions": f"selfedit-formal {version('selfedit-formal')}, z3-solver {version('z3-solver')}",
    }
    return "\n".join(f"  {name}: {value}" for name, value in parts.items())
