"""What is said of two parts that contradict each other has all in it that a report of the fault needs."""

from __future__ import annotations

from selfedit_formal.core.diagnostics import Disagreement
from selfedit_formal.verifying.validation.contradiction import Contradicted, Contradiction, describe
from tests.reports.examples import again, obligation, orphan, refutation


def test_a_case_is_told_whole() -> None:
    told = describe(refutation(again()))
    for part in ("input W:", "archived in W: []", "('justifies', 'C', 'R')", "parameters: {'size': 5}", "judge1"):
        assert part in told
    assert "selfedit-formal " in told
    assert "z3-solver " in told


def test_a_contradiction_is_a_disagreement_and_keeps_the_proof() -> None:
    found = Contradiction("it is proved, and a window breaks it", obligation("judge: idempotent"), refutation(orphan()))
    raised = Contradicted(found)
    assert isinstance(raised, Disagreement)
    assert raised.proof is None
    first, *rest = str(raised).splitlines()
    assert first == found.message
    assert "\n".join(rest) == describe(found.case)
