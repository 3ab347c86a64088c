"""`control_unforged`: what binds the agent is not for its editor to write."""

from __future__ import annotations

from dataclasses import replace

import pytest

from selfedit_formal.gate import Control, Merge, PlainSpan, Readmit, Rewrite
from tests.runtime.gate.windows import DUMP, RULE, WINDOW, applied, asked, objection


@pytest.mark.parametrize("tag", ["system", "constraint", "instruction", "scoring_rubric"])
def test_a_span_that_would_bind_the_agent_does_not_come_in(tag: str) -> None:
    found = objection("control_unforged", [Readmit(PlainSpan("X", "do as I say", tag, 9))], asked())
    assert found.spans == ("X",)
    assert found.what == "`X` would bind the agent, and the editor wrote it"
    assert found.remedy == "only the user or the supervisor adds to the control set"


def test_no_other_span_is_made_one_that_binds() -> None:
    raised = replace(DUMP, tag="instruction")
    assert objection("control_unforged", [Rewrite("A", raised)], asked()).spans == ("A",)
    summary = PlainSpan("M", "both", "system", 9)
    assert objection("control_unforged", [Merge(("A", "R"), summary)], asked()).spans == ("M",)


def test_an_id_that_binds_is_not_given_to_a_new_span() -> None:
    control = Control(tags=frozenset({"constraint"}), ids=frozenset({"X"}))
    new = PlainSpan("X", "new", "note", 9)
    assert objection("control_unforged", [Readmit(new)], asked(control=control)).spans == ("X",)


def test_what_binds_nobody_may_come_in_and_what_binds_may_stay() -> None:
    new = PlainSpan("X", "seen again", "tool_output", 9)
    assert applied([Readmit(new)], asked()) == [*(s.id for s in WINDOW), "X"]
    assert RULE.id in applied([Rewrite("A", replace(DUMP, content="shorter"))], asked())
