"""What an edit changes: the same whether or not the spans are new objects, and however the output came about."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from selfedit_formal.gate import PlainSpan
from selfedit_formal.runtime.gate.proposal import propose, records
from tests.runtime.gate.windows import asked

IDS = ("A", "B", "C", "D", "E", "F")
SPANS = st.builds(PlainSpan, st.sampled_from(IDS), st.sampled_from("xy"), st.just("note"), st.integers(0, 1))


@st.composite
def edits(draw: st.DrawFn) -> tuple[list[PlainSpan], list[PlainSpan]]:
    """A window, and an output of some of its spans, some of them made anew, and of others."""
    window = draw(st.lists(SPANS, max_size=5, unique_by=lambda s: s.id))
    output = list(window)
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.integers(0, len(output)))
        match draw(st.sampled_from(["drop", "put", "anew", "move"])):
            case "put":
                output.insert(place, draw(SPANS))
            case "drop":
                del output[place : place + 1]
            case "anew":
                output = [replace(s) for s in output]
            case _:
                output = output[place:] + output[:place]
    return window, output


@given(edits())
def test_what_an_edit_changes_is_what_looking_up_each_span_finds(edit: tuple[list[PlainSpan], list[PlainSpan]]) -> None:
    window, output = edit
    before, after = records(window), records(output)
    found = propose(asked(), window, before, output, {})
    if len(after) != len(output):
        assert found.unfit is not None
        assert set(found.unfit.spans) == {s.id for s in output if [o.id for o in output].count(s.id) > 1}
        return
    assert list(found.after.items()) == list(after.items())
    assert found.removed == tuple(s for s in before if s not in after)
    assert found.rewritten == tuple(s for s in after if s in before and after[s] != before[s])
    assert found.added == tuple(s for s in after if s not in before)
    staying = [s for s in before if s in after]
    kept = [s for s in after if s in before]
    assert (found.moved == ()) == (kept == staying)
    assert [s for s in kept if s not in found.moved] == [s for s in staying if s not in found.moved]
    assert found.changes == (list(before.items()) != list(after.items()))
