"""The format for a person: as wide and as colourful as it is asked to be, and nothing twice."""

from __future__ import annotations

from collections.abc import Sequence

from selfedit_formal.core.diagnostics import Diagnostic
from selfedit_formal.core.verdict import Result, RunEnd
from selfedit_formal.reports.formats import DEFAULT, Look, named
from selfedit_formal.verifying.solve_for import Unsolved
from tests.reports.examples import again, expecting, obligation, orphan, result

FORMAT = named("text")


def told(results: Sequence[Result], look: Look) -> str:
    return "\n".join(FORMAT.checked(results, lambda: RunEnd(1.5), look))


def test_it_is_what_is_printed_unless_something_else_is_asked_for() -> None:
    assert named(DEFAULT) is FORMAT


def test_what_is_wider_than_asked_goes_on_in_the_next_line() -> None:
    wide, narrow = (told([orphan(), again()], Look(width)).splitlines() for width in (100, 60))
    assert max(map(len, wide)) <= 100
    assert len(narrow) > len(wide)


def test_there_is_colour_only_where_it_is_asked_for() -> None:
    assert "\x1b[" not in told([orphan()], Look())
    assert "\x1b[31m" in told([orphan()], Look(colour=True))


def test_what_was_expected_is_drawn_only_for_who_wants_all_of_it() -> None:
    refuted = result(expecting(orphan().obligation, "refuted"), orphan().verdict)
    brief, whole = (told([refuted], Look(verbose=v)) for v in (False, True))
    assert "--verbose draws" in brief
    assert len(whole.splitlines()) > len(brief.splitlines()) + 3


def test_what_is_wrong_is_left_to_standard_error() -> None:
    assert FORMAT.rejected([Diagnostic("E001", "which session?")]) == ""


def test_answers_stand_one_below_the_other() -> None:
    asked = obligation("judge: idempotent")
    said = FORMAT.solved([(asked, Unsolved("too hard")), (asked, Unsolved("harder"))], Look())
    assert [line for line in said.splitlines() if line.startswith(" ")] == ["  too hard", "  harder"]
