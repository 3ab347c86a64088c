"""The policies of `langchain_core_trim_messages.sef` beside the installed `trim_messages`: they do the same."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage, trim_messages

from selfedit_formal.core.verdict import Refuted
from selfedit_formal.core.window import Schema, Span, Value, Window
from selfedit_formal.engines import Limits
from selfedit_formal.language.resolve import load, obligation
from selfedit_formal.semantics.interpreter import Given, apply
from selfedit_formal.verifying.verify import verify

MODULE = load(Path(__file__).parents[2] / "spec" / "policies" / "langchain_core_trim_messages.sef")

OPTIONS: Mapping[str, dict[str, Any]] = {
    "trim_last": {},
    "trim_last_system": {"include_system": True},
    "trim_last_human": {"start_on": "human"},
    "trim_last_system_human": {"include_system": True, "start_on": "human"},
}
"""The policies of the file and the options of `trim_messages` that each of them is a model of."""


def messages(window: Window) -> list[BaseMessage]:
    """The window as langchain-core's messages, each with its span's id. A call has a tool call for each result."""
    answers = {(source, target) for link, source, target in window.links if link == "answers"}
    return [message(span, answers) for span in window.present()]


def message(span: Span, answers: set[tuple[str, str]]) -> BaseMessage:
    match span["tag"]:
        case "system":
            return SystemMessage("rules", id=span.id)
        case "user" | "summary" | "note":
            return HumanMessage("question", id=span.id)
        case "call":
            results = sorted(r for r, c in answers if c == span.id) or ["open"]
            return AIMessage("", id=span.id, tool_calls=[{"name": "tool", "args": {}, "id": r} for r in results])
        case "result":
            return ToolMessage("output", id=span.id, tool_call_id=span.id)
        case _:
            return AIMessage("answer", id=span.id)


def kept(window: Window, cap: int, options: dict[str, Any]) -> list[BaseMessage]:
    """What the installed function keeps of it, each message counting as many tokens as its span."""
    tokens = {span.id: span["tokens"] for span in window.spans}

    def count(counted: list[BaseMessage]) -> int:
        return sum(int(tokens[str(m.id)]) for m in counted)

    return list(trim_messages(messages(window), max_tokens=cap, token_counter=count, strategy="last", **options))


def orphans(left: list[BaseMessage]) -> list[str]:
    """The results among the messages whose call is not before them."""
    called: set[str] = set()
    found = []
    for item in left:
        if isinstance(item, AIMessage):
            called |= {str(c["id"]) for c in item.tool_calls}
        elif isinstance(item, ToolMessage) and item.tool_call_id not in called:
            found.append(item.tool_call_id)
    return found


def drawn(schema: Schema, seed: int) -> Window:
    """A window of up to eight messages, each result answering an earlier call, or (now and then) none."""
    random_ = random.Random(seed)
    spans: list[Span] = []
    links = set()
    for number in range(random_.randint(0, 8)):
        calls = [s.id for s in spans if s["tag"] == "call"]
        tag = random_.choice(["system", "user", "assistant", "call", "result", "result"])
        values: dict[str, Value] = {
            "tag": tag,
            "tokens": random_.randint(1, 4),
            "pinned": False,
            "cleared": False,
            "failed": False,
        }
        spans.append(Span(f"m{number}", values))
        if tag == "result" and calls and random_.random() < 0.9:
            links.add(("answers", f"m{number}", random_.choice(calls)))
    return Window(schema, tuple(spans), links=frozenset(links))


def test_the_shortest_counterexample_breaks_the_installed_function_too() -> None:
    result = verify(obligation(MODULE, "trim_last", "preserves(paired)"), Limits(within=8), unanswered=None)
    assert isinstance(result.verdict, Refuted)
    assert result.verdict.spans == 2
    window = result.verdict.case.inputs["W"]
    before = messages(window)
    assert orphans(before) == []
    after = kept(window, result.verdict.case.parameters["cap"], OPTIONS["trim_last"])
    assert [type(m) for m in after] == [ToolMessage]
    assert len(orphans(after)) == 1


@pytest.mark.parametrize("name", OPTIONS)
def test_the_model_and_the_installed_function_keep_the_same_messages(name: str) -> None:
    policy = MODULE.policies[name]
    for seed in range(200):
        window = drawn(policy.schema, seed)
        cap = random.Random(-seed - 1).randint(0, 14)
        ours = [s.id for s in apply(policy, window, {"cap": cap}, {}, Given()).after.present()]
        theirs = [m.id for m in kept(window, cap, OPTIONS[name])]
        assert ours == theirs, (seed, cap)


@pytest.mark.parametrize("name", ["trim_last_human", "trim_last_system_human"])
def test_the_mended_options_orphan_nothing_where_results_come_at_once(name: str) -> None:
    for seed in range(200):
        window = drawn(MODULE.policies[name].schema, seed)
        if not orphans(messages(window)) and not late(window):
            for cap in (0, 3, 6, 9):
                assert orphans(kept(window, cap, OPTIONS[name])) == []


def late(window: Window) -> bool:
    """Whether a turn of the user stands between a call and its result."""
    places = {span.id: place for place, span in enumerate(window.spans)}
    users = [places[s.id] for s in window.spans if s["tag"] == "user"]
    return any(places[c] < u < places[r] for _, r, c in window.links for u in users)
