"""`plan_fits`: an edit is one of this window, and of what a ledger can name."""

from __future__ import annotations

import json

import pytest

from selfedit_formal.gate import Delete, MemoryLedger, Merge, PlainSpan, Readmit, Refuse, Rewrite, decide
from selfedit_formal.runtime.gate.plan import Edit
from tests.runtime.gate.windows import DROP, DUMP, RULE, WINDOW, applied, asked, objections


@pytest.mark.parametrize(
    "plan",
    [
        [Delete("A"), Delete("A")],
        [Delete("\0")],
        [Delete("\ud800")],
        [Rewrite("A", PlainSpan("B", "b", "note"))],
        [Rewrite("A", PlainSpan("A", "\ud800", "note"))],
        [Merge((), PlainSpan("M", "m", "note"))],
        [Merge(("A", "Z"), PlainSpan("M", "m", "note"))],
        [Merge(("A", "R"), PlainSpan("S", "m", "note"))],
        [Readmit(DUMP)],
        [Readmit(PlainSpan("B", "b", "note"), "after", "Z")],
        [Readmit(PlainSpan("\0", "b", "note"))],
    ],
    ids=repr,
)
def test_a_plan_that_does_not_fit_the_window_is_refused_and_recorded(plan: list[Edit[PlainSpan]]) -> None:
    ledger = MemoryLedger()
    refused = decide(WINDOW, asked(ledger=ledger), plan=plan)
    assert isinstance(refused, Refuse)
    assert [o.rule for o in refused.objections] == ["plan_fits"]
    assert len(list(ledger.entries())) == len(refused.objections[0].spans)
    json.dumps(refused.message())


def test_it_is_told_what_does_not_fit_and_examined_no_further() -> None:
    (found,) = objections([Delete("C"), Delete("Z")], asked(reason=""))
    assert (found.rule, found.spans) == ("plan_fits", ("Z",))
    assert found.what == "the plan names `Z`, and there is no such span in the window"
    assert found.remedy == "plan again on the window as it is"


def test_a_span_that_no_ledger_can_name_is_not_pruned() -> None:
    (found,) = objections([Delete("A")], asked(), (RULE, PlainSpan("A", "\ud800", "note")))
    assert (found.rule, found.spans) == ("plan_fits", ("A",))
    assert found.what == "an id or a content is no text that can be recorded"


def test_an_output_with_a_span_twice_is_refused() -> None:
    refused = decide(WINDOW, asked(), output=(*WINDOW, DUMP))
    assert isinstance(refused, Refuse)
    (found,) = refused.objections
    assert (found.rule, found.spans, found.what) == ("plan_fits", ("A",), "the output has several spans `A`")


def test_a_plan_that_fits_is_let_through() -> None:
    assert applied(DROP, asked()) == ["C", "R", "T", "S"]
