"""Plans at run time: the window that comes of a list of edits, and why some lists are no edits of it."""

from __future__ import annotations

import pytest

from selfedit_formal.gate import Delete, Merge, Move, PlainSpan, Readmit, Rewrite
from selfedit_formal.runtime.gate.plan import Edit, Performed, Unfit, described, perform


def note(identity: str, content: str = "") -> PlainSpan:
    return PlainSpan(identity, content or identity.lower(), "note")


WINDOW = tuple(map(note, "ABCD"))


def done(*edits: Edit[PlainSpan]) -> Performed[PlainSpan]:
    found = perform(WINDOW, edits)
    assert isinstance(found, Performed), found
    return found


def order(*edits: Edit[PlainSpan]) -> str:
    return "".join(s.id for s in done(*edits).window)


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        ([], "ABCD"),
        ([Delete("B"), Delete("D")], "AC"),
        ([Rewrite("B", note("B", "x"))], "ABCD"),
        ([Merge(("D", "B"), note("M"))], "AMC"),
        ([Merge(("B", "B"), note("B", "x"))], "ABCD"),
        ([Move(("C",), "front")], "CABD"),
        ([Move(("C", "A"), "front")], "CABD"),
        ([Move(("B",), "back")], "ACDB"),
        ([Move(("C", "A"), "back")], "BDCA"),
        ([Move(("D", "C"), "before", "B")], "ADCB"),
        ([Move(("A",), "after", "C")], "BCAD"),
        ([Move(("A", "A"), "after", "C")], "BCAD"),
        ([Move(("A", "C"), "after", "C")], "BCAD"),
        ([Readmit(note("N"))], "ABCDN"),
        ([Readmit(note("N"), "front")], "NABCD"),
        ([Readmit(note("N"), "before", "B"), Readmit(note("O"))], "ANBCDO"),
        ([Readmit(note("N"), "after", "B")], "ABNCD"),
    ],
    ids=repr,
)
def test_spans_stand_where_the_plan_says(edits: list[Edit[PlainSpan]], expected: str) -> None:
    assert order(*edits) == expected


def test_each_edit_is_of_what_the_one_before_left() -> None:
    assert order(Delete("B"), Readmit(note("B"))) == "ACDB"
    assert order(Move(("D",), "front"), Move(("A",), "front"), Move(("C",), "before", "A")) == "CADB"
    assert order(Readmit(note("N")), Merge(("N", "C"), note("M"))) == "ABMD"
    assert order(Delete("A"), Rewrite("B", note("B", "x")), Move(("B",), "back")) == "CDB"


def test_what_is_not_named_is_the_object_that_it_was() -> None:
    other = note("B", "x")
    for edits in ([Rewrite("B", other)], [Rewrite("B", other), Move(("A",), "front")]):
        window = done(*edits).window
        assert window[1] is other
        assert all(window[n] is WINDOW[n] for n in (0, 2, 3))


def test_it_is_told_what_each_merged_span_went_into() -> None:
    assert done(Merge(("A", "C"), note("M")), Merge(("M", "D"), note("N"))).merged == {
        "A": "M",
        "C": "M",
        "M": "N",
        "D": "N",
    }
    assert done(Delete("A")).merged == {}


@pytest.mark.parametrize(
    ("edits", "spans", "what"),
    [
        ([Delete("Z")], ("Z",), "the plan names `Z`, and there is no such span in the window"),
        ([Delete("A"), Delete("A")], ("A",), "the plan names `A`, and there is no such span in the window"),
        ([Rewrite("Z", note("Z"))], ("Z",), "the plan names `Z`, and there is no such span in the window"),
        ([Rewrite("A", note("B"))], ("A", "B"), "the plan rewrites `A` into a span with another id"),
        (
            [Merge(("Y", "A", "Z"), note("M"))],
            ("Y", "Z"),
            "the plan names `Y`, `Z`, and there is no such span in the window",
        ),
        ([Merge((), note("M"))], ("M",), "the plan merges no spans"),
        ([Merge(("A", "B"), note("C"))], ("C",), "the plan puts in a second span `C`"),
        ([Move(("A",), "after", "Z")], ("Z",), "the plan names `Z`, and there is no such span in the window"),
        ([Readmit(note("A"))], ("A",), "the plan puts in a second span `A`"),
        ([Readmit(note("N"), "before", "Z")], ("Z",), "the plan names `Z`, and there is no such span in the window"),
    ],
    ids=repr,
)
def test_it_is_told_why_a_plan_is_no_edit_of_the_window(
    edits: list[Edit[PlainSpan]], spans: tuple[str, ...], what: str
) -> None:
    assert perform(WINDOW, edits) == Unfit(spans, what)


def test_at_an_end_of_the_window_it_does_not_matter_what_is_said_to_stand_beside() -> None:
    assert order(Move(("A",), "back", "Z")) == "BCDA"


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        (Delete("A"), {"edit": "delete", "span": "A"}),
        (Rewrite("A", note("A", "key")), {"edit": "rewrite", "span": "A", "content": "key"}),
        (Merge(("A", "B"), note("M")), {"edit": "merge", "spans": ["A", "B"], "into": "M"}),
        (Move(("A",), "after", "B"), {"edit": "move", "spans": ["A"], "place": "after", "beside": "B"}),
        (
            Readmit(note("N", "key")),
            {"edit": "readmit", "span": "N", "content": "key", "place": "back", "beside": ""},
        ),
    ],
    ids=repr,
)
def test_an_edit_is_described_by_ids_and_content_keys(edit: Edit[PlainSpan], told: dict[str, object]) -> None:
    assert described(edit) == told
