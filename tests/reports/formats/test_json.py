"""The format for programs: a document of the report's schema, whatever came of the run."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from selfedit_formal.core.diagnostics import Diagnostic
from selfedit_formal.core.verdict import Result, RunEnd
from selfedit_formal.reports.formats import Look, named
from selfedit_formal.verifying.solve_for import Unsolved
from tests.reports.examples import again, obligation, orphan

FORMAT = named("json")


def told(results: Sequence[Result], look: Look) -> str:
    return "\n".join(FORMAT.checked(results, lambda: RunEnd(1.5), look))


@pytest.mark.parametrize("results", [[], [orphan()], [orphan(), again()]], ids=len)
def test_there_is_a_check_for_each_result(results: list[Result]) -> None:
    said = json.loads(told(results, Look()))
    assert [c["verdict"] for c in said["checks"]] == ["refuted"] * len(results)
    assert said["seconds"] == 1.5


def test_how_it_is_to_look_changes_nothing() -> None:
    plain = told([orphan()], Look())
    assert told([orphan()], Look(width=40, colour=True, verbose=True)) == plain


def test_what_is_wrong_is_told_on_standard_output_too() -> None:
    said = json.loads(FORMAT.rejected([Diagnostic("E001", "which session?")]))
    assert [(d["code"], d["message"]) for d in said["diagnostics"]] == [("E001", "which session?")]
    assert said["exit_code"] == 2


def test_what_was_solved_is_a_document_of_its_own() -> None:
    said = json.loads(FORMAT.solved([(obligation("judge: idempotent"), Unsolved("too hard"))], Look()))
    assert [s["reason"] for s in said["solved"]] == ["too hard"]
