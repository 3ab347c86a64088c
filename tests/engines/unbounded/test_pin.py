"""A query or a scan pinned to a case: it finds the promise broken there if it is, and, where it is exact, only then."""

from __future__ import annotations

import pytest

from selfedit_formal.core.property import Case, ChoiceKey, Obligation, fresh_id, run_key
from selfedit_formal.core.window import Span, Value, Window
from selfedit_formal.engines.unbounded.compiler import Mode
from selfedit_formal.engines.unbounded.pin import admits
from selfedit_formal.language.resolve import load_text
from selfedit_formal.semantics.interpreter import breaks

TEXT = """
window Chat {
  tag    : user | call | result | note
  tokens : int >= 0
  file   : key
  link answers : result -> call
}
policy count for Chat { evict s where count(t: t after s) >= 2 }
policy orphans for Chat { evict r where r.tag == result and no c: r answers c }
policy choice for Chat { may evict s where s.tag == user }
policy noted(size: int) for Chat { insert { tag = note, tokens <= size, file = none } at front }
policy files for Chat { evict s where some t: t after s and t.file == s.file }
policy back for Chat { readmit s where s.tag == user }
property keeps(P: policy) = all W, s in W: s in P(W)
property nothing_new(P: policy) = all W, s in P(W): s in W
property out(P: policy) = all W, s in known(W) where s not in W: s not in P(W)
check count: keeps
check orphans: keeps
check choice: keeps
check noted: nothing_new
check files: keeps
check back: out
"""
OBLIGATIONS = {o.policies[0].name: o for o in load_text(TEXT).obligations}

MODES = (
    Mode(scan=False),
    Mode(scan=False, half=True),
    *(Mode(True, d, instances=i) for d in ("newest", "oldest") for i in ("witnesses", "all")),
)


def span(identity: str, **values: Value) -> Span:
    simplest: dict[str, Value] = {"tag": "user", "tokens": 1, "file": "none"}
    return Span(identity, {**simplest, **values})


def case(policy: str, spans: tuple[Span, ...], bound: str, **more: object) -> tuple[Obligation, Case]:
    asked = OBLIGATIONS[policy]
    window = Window(asked.schema, spans, **{k: v for k, v in more.items() if k in ("links", "archived")})  # type: ignore[arg-type]
    parameters, choices = more.get("parameters", {}), more.get("choices", {})
    return asked, Case({"W": window}, parameters, {"s": bound}, choices)  # type: ignore[arg-type]


A, B, C = span("A"), span("B"), span("C")
CALL, RESULT = span("C", tag="call"), span("R", tag="result")
MADE = fresh_id(run_key("noted", "", 1), 0)


def chosen(value: bool) -> dict[ChoiceKey, Value]:
    return {ChoiceKey(run_key("choice", "", 1), 0, "A", ""): value}


BREAKING = {
    "a count": case("count", (A, B, C), "A"),
    "a link that is not there": case("orphans", (CALL, RESULT), "R"),
    "a choice": case("choice", (A, B), "A", choices=chosen(True)),
    "a span that is put in": case("noted", (A, B), MADE, parameters={"size": 3}),
    "keys": case("files", (span("A", file="x"), B, span("C", file="x")), "A"),
    "the archive": case("back", (A, B), "A", archived=frozenset("A")),
}
KEEPING = {
    "a count": case("count", (A, B, C), "B"),
    "a link that is there": case("orphans", (CALL, RESULT), "R", links=frozenset({("answers", "R", "C")})),
    "a choice": case("choice", (A, B), "A", choices=chosen(False)),
    "keys": case("files", (span("A", file="x"), span("C", file="y")), "A"),
}


@pytest.mark.parametrize("mode", MODES, ids=str)
@pytest.mark.parametrize("what", BREAKING)
def test_a_case_that_breaks_the_promise_is_found_to(what: str, mode: Mode) -> None:
    asked, found = BREAKING[what]
    assert breaks(asked, found)
    assert admits(asked, mode, found)


@pytest.mark.parametrize("what", KEEPING)
def test_a_case_that_keeps_the_promise_is_not(what: str) -> None:
    asked, found = KEEPING[what]
    assert not breaks(asked, found)
    assert not admits(asked, Mode(scan=True), found)
