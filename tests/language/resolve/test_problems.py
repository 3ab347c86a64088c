"""The diagnostics of one resolution: each once, all at once, in the order of the text; and names that were meant."""

from __future__ import annotations

import pytest

from selfedit_formal.core.diagnostics import Diagnostic, Location, Rejected, Source
from selfedit_formal.language.resolve.problems import Problems, listing, nearest, suggestion

SOURCE = Source("a.sef", "one\ntwo\n")


def at(line: int, column: int, source: Source = SOURCE) -> Location:
    return Location(source, line, column, line, column + 1)


def test_nothing_wrong_stops_nothing() -> None:
    problems = Problems()
    problems.stop_if_any()
    assert len(problems) == 0


def test_all_are_told_in_the_order_of_the_text_those_of_no_place_first() -> None:
    problems = Problems()
    problems.report("R003", "late", at(2, 1))
    problems.report("R002", "behind", at(1, 3))
    problems.report("R009", "of another file", at(1, 1, Source("b.sef", "")))
    problems.report("R002", "before", at(1, 2))
    problems.report("R001", "before", at(1, 2))
    problems.report("R008", "nowhere", None)
    with pytest.raises(Rejected) as rejected:
        problems.stop_if_any()
    told = [f"{d.code} {d.message}" for d in rejected.value.diagnostics]
    assert told == [
        "R008 nowhere",
        "R001 before",
        "R002 before",
        "R002 behind",
        "R003 late",
        "R009 of another file",
    ]


def test_the_same_of_the_same_place_is_told_once_as_it_was_told_first() -> None:
    problems = Problems()
    problems.add(Diagnostic("R001", "unknown", at(1, 1), "did you mean `a`?"))
    problems.report("R001", "unknown", at(1, 1), "did you mean `b`?")
    assert len(problems) == 1
    problems.report("R001", "unknown", at(1, 2))
    problems.report("R001", "unknown as well", at(1, 1))
    problems.report("R002", "unknown", at(1, 1))
    assert len(problems) == 4
    with pytest.raises(Rejected) as rejected:
        problems.stop_if_any()
    assert rejected.value.diagnostics[0].hint == "did you mean `a`?"


def test_a_diagnostic_is_made_of_its_parts() -> None:
    problems = Problems()
    problems.report("R001", "unknown", at(1, 1), "look", (("here", at(2, 1)),))
    with pytest.raises(Rejected) as rejected:
        problems.stop_if_any()
    assert rejected.value.diagnostics == (Diagnostic("R001", "unknown", at(1, 1), "look", (("here", at(2, 1)),)),)


def test_the_nearest_name_is_the_one_that_was_meant() -> None:
    assert nearest("idempotnt", ["pure", "idempotent"]) == "idempotent"
    assert nearest("idempotnt", ["pure"]) is None
    assert nearest("a", []) is None


def test_of_names_equally_near_it_is_always_the_same_one() -> None:
    assert nearest("cat", ["bat", "rat", "bat"]) == nearest("cat", ["rat", "bat"])


def test_a_hint_names_the_nearest_or_says_something_else() -> None:
    assert suggestion("usr", ["user"], "it has `user`") == "did you mean `user`?"
    assert suggestion("xyz", ["user"], "it has `user`") == "it has `user`"
    assert suggestion("xyz", ["user"]) is None


def test_names_are_listed_in_their_order() -> None:
    assert listing(["b", "a"]) == "`b`, `a`"
    assert listing([]) == ""
