"""`reason_given`: every tombstone says why, in one line."""

from __future__ import annotations

import pytest

from selfedit_formal.gate import Apply, decide
from tests.runtime.gate.windows import DROP, WINDOW, applied, asked, objection


@pytest.mark.parametrize("reason", ["", "  ", "stale\nand long", "stale\n", "null\0", "\ud800"], ids=repr)
def test_an_edit_without_a_reason_of_one_line_is_refused(reason: str) -> None:
    found = objection("reason_given", DROP, asked(reason=reason))
    assert (found.spans, found.what) == ((), "the edit has no reason of one line")
    assert found.remedy == "say in one line why, and ask again"


def test_a_reason_of_one_line_is_let_through() -> None:
    assert applied(DROP, asked(reason="stale and long")) == ["C", "R", "T", "S"]


def test_what_changes_nothing_needs_no_reason() -> None:
    assert isinstance(decide(WINDOW, asked(reason=""), output=WINDOW), Apply)
