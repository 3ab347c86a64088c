"""`idempotent`: run again on its own output, the policy leaves it alone."""

from __future__ import annotations

from collections.abc import Sequence

from selfedit_formal.gate import Apply, PlainSpan, Refuse, decide
from tests.runtime.gate.windows import DUMP, WINDOW, asked


def changing(spans: Sequence[PlainSpan]) -> list[PlainSpan]:
    """Drops the first tool output, whichever it is."""
    victim = next((s for s in spans if s.tag == "tool_output"), None)
    return [s for s in spans if s is not victim]


def test_a_policy_that_changes_its_own_output_is_refused_and_frozen() -> None:
    refused = decide(WINDOW, asked(), policy=changing)
    assert isinstance(refused, Refuse)
    (found,) = refused.objections
    assert (found.rule, found.spans, found.freezes) == ("idempotent", ("T",), True)
    assert found.what == "run again on its own output, the policy changes `T`"


def test_an_output_is_tried_on_the_policy_that_is_said_to_have_made_it() -> None:
    refused = decide(WINDOW, asked(), output=changing(WINDOW), policy=changing)
    assert isinstance(refused, Refuse)
    assert [(o.rule, o.spans) for o in refused.objections] == [("idempotent", ("T",))]


def test_a_change_in_any_trial_counts() -> None:
    answers = iter([WINDOW, WINDOW, WINDOW[:-1]])
    refused = decide(WINDOW, asked(), policy=lambda _: next(answers))
    assert isinstance(refused, Refuse)
    assert ("idempotent", ("S",)) in [(o.rule, o.spans) for o in refused.objections]


def test_a_policy_that_leaves_its_own_output_alone_is_applied() -> None:
    done = decide(WINDOW, asked(), policy=lambda spans: [s for s in spans if s.content != "describe_pod"])
    assert isinstance(done, Apply)
    assert done.window == tuple(s for s in WINDOW if s is not DUMP)


def test_an_edit_without_a_policy_is_tried_on_none() -> None:
    assert isinstance(decide(WINDOW, asked(), output=changing(WINDOW)), Apply)
