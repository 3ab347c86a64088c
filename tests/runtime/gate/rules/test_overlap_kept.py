"""`overlap_kept`: what overlaps the reasons for an edit is not changed by it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from selfedit_formal.gate import Delete, PlainSpan, Rewrite, Terms
from tests.runtime.gate.windows import DROP, DUMP, RULE, SOURCE, TRACE, WHY, applied, asked, objection, objections

QUOTING = (RULE, DUMP, replace(WHY, links={"overlaps": ("A",)}), TRACE, SOURCE)
QUOTED = (RULE, replace(DUMP, links={"overlaps": ("R",)}), WHY, TRACE, SOURCE)


def argued() -> Terms:
    """Terms of an edit for which the rationale of the window argues."""
    return asked(rationale=frozenset("R"))


@pytest.mark.parametrize("window", [QUOTING, QUOTED], ids=["the reason says so", "the span says so"])
def test_what_overlaps_the_reasons_is_neither_dropped_nor_rewritten(window: tuple[PlainSpan, ...]) -> None:
    for edit in (Delete("A"), Rewrite("A", replace(DUMP, content="shorter"))):
        found = objection("overlap_kept", [edit], argued(), window)
        assert (found.spans, found.what) == (("A",), "`A` overlaps the rationale of the plan")
        assert found.remedy == "keep the rationale outside the window, in the ledger, and plan again without it"


def test_what_overlaps_something_else_may_be_dropped() -> None:
    assert applied(DROP, asked(rationale=frozenset("S")), QUOTING) == ["C", "R", "T", "S"]


def test_what_overlaps_nothing_may_be_dropped() -> None:
    assert applied([Delete("T"), Delete("S")], argued(), QUOTING) == ["C", "A", "R"]


def test_the_reasons_themselves_are_for_another_rule() -> None:
    assert [o.rule for o in objections([Delete("R")], argued(), QUOTING)] == ["keeps_rationale"]
