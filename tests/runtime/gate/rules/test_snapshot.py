"""`snapshot`: a policy does not change the spans it is shown, which no snapshot survives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from selfedit_formal.gate import Apply, Refuse, decide
from tests.runtime.gate.windows import asked


@dataclass
class Loose:
    """A span that can be changed in place."""

    id: str
    content: str
    tag: str
    tokens: int
    links: dict[str, tuple[str, ...]]


def window() -> list[Loose]:
    return [Loose("A", "a", "tool_output", 1, {}), Loose("C", "c", "constraint", 1, {})]


def shorten(spans: Sequence[Loose]) -> Sequence[Loose]:
    spans[0].content = "shorter"
    return spans


def test_a_policy_that_changes_spans_in_place_is_found_out() -> None:
    refused = decide(window(), asked(), policy=shorten)
    assert isinstance(refused, Refuse)
    (found,) = refused.objections
    assert (found.rule, found.spans, found.what) == ("snapshot", ("A",), "the policy changed `A` in place")
    assert found.remedy == "have the policy return new spans, and restore those of the window from where they came from"


def test_it_is_found_out_when_it_is_tried_on_a_plan_too() -> None:
    refused = decide(window(), asked(), plan=[], policy=shorten)
    assert isinstance(refused, Refuse)
    assert [(o.rule, o.spans) for o in refused.objections] == [("snapshot", ("A",))]


def test_a_policy_that_returns_new_spans_is_let_through() -> None:
    done = decide(window(), asked(), policy=lambda spans: [replace(spans[0], content="shorter"), *spans[1:]])
    assert isinstance(done, Apply)
    assert [s.content for s in done.window] == ["shorter", "c"]
