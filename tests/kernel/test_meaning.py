"""What the kernel says a broken claim is, on short windows, is what the interpreter says it is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from itertools import product

import pytest
import z3

from selfedit_formal.core.expression import TRUE, Arrived, Fires, Int, Present, SameWindow
from selfedit_formal.core.property import Bound, Case, Claim, Obligation, fresh_id
from selfedit_formal.core.session import Session, Turns
from selfedit_formal.core.window import Field, Span, Value, Window
from selfedit_formal.kernel.book import Term
from selfedit_formal.kernel.ground import Ground
from selfedit_formal.kernel.meaning import Beyond, Meaning
from selfedit_formal.language.resolve import load_text
from selfedit_formal.semantics.interpreter import breaks
from tests import obligations
from tests.obligations import ONCE, SCHEMA, W, about, evict, fixed, policy

HEAD = """
window C {
  tag    : user | note
  tokens : int >= 0
  topic  : key
  flag   : bool
  link l : note -> user
}
property stay(P: policy)    = all W, s in W: s in P(W)
property light(P: policy)   = all W: total(s.tokens: s in P(W)) <= 3
property few(P: policy)     = all W: count(s in P(W)) != 2
property again(P: policy)   = all W: P(P(W)) == P(W)
property accepts(P: policy) = all W: not refused(P, W)
property noted(P: policy)   = all W, s in W where s not in P(W): logged(P, s, W)
property alike(P: policy)   = all W, s in P(W), t in P(W) where s before t:
  P(W)[s].tokens <= P(W)[t].tokens and P(W)[s].topic == P(W)[t].topic
property linked(P: policy)  = all W, s in P(W), t in W where s l t: t in P(W) and P(W)[s] == W[s]
"""
BODIES = {
    "evict s where s.tag == note": "stay light few again alike",
    "evict s where floor(s.tokens / 2) == 1 logged  evict s where s.flag": "stay noted",
    "keep s where s.flag  evict s where s.tokens > 1": "stay again",
    "set s where s.tag == note { tokens = s.tokens * 2 - 1, flag = s.tokens > 1 }": "light again alike",
    "let x = last s where s.flag  evict s where s before x": "stay few",
    "let x = first s where s.tag == user  evict s where s == x": "stay few",
    "evict s where count(t: t after s and t.flag) >= k": "stay light",
    "evict s where some t: s l t and t.tokens > 1": "stay linked",
    "fill newest s where s.tag == note by s.tokens up to k": "stay light",
    "fill oldest s where s.tokens >= 0 by s.tokens up to k": "stay again",
    'evict s where s.flag  refuse when total(s.tokens) > 3 because "much"  evict s where s.tag == note': "stay accepts",
    "if count(s) > 1 { evict s where s.tag == note } else { evict s where s.flag }": "stay few",
    "evict s where s.tag == note  gate few": "few accepts",
    "insert { tag = note, tokens = 1, topic = none } at front": "few alike",
    "insert { tag = user, tokens = 3, topic = none } at back  evict s where s.flag": "light alike",
    "let x = first s where s.flag  insert { tag = note, tokens = 2, topic = none } just before x": "few alike",
    "let x = first s where s.flag  insert { tag = note, tokens = 2, topic = none } just after x": "few alike",
    "readmit s where s.flag  evict s where s.tokens == 0": "light few",
}


def span(identity: str, tag: str, tokens: int, topic: str = "none", flag: bool = False) -> Span:
    return Span(identity, {"tag": tag, "tokens": tokens, "topic": topic, "flag": flag})


SPANS = (
    (),
    (span("A", "note", 4, flag=True),),
    (span("A", "user", 3), span("B", "note", 1, "x")),
    (span("A", "note", 2, "x", True), span("B", "user", 2, "x", True)),
    (span("A", "note", 0), span("B", "user", 1, flag=True), span("C", "note", 3, "y")),
    (span("A", "user", 1, flag=True), span("B", "note", 2), span("C", "user", 2, flag=True)),
)


def windows(asked: Obligation, archive: bool) -> list[Window]:
    links = frozenset({("l", "A", "B")})
    return [
        Window(
            asked.schema,
            spans,
            frozenset("A") if archive and spans else frozenset(),
            links if len(spans) > 1 and (spans[0]["tag"], spans[1]["tag"]) == ("note", "user") else frozenset(),
        )
        for spans in SPANS
    ]


def broken(asked: Obligation, window: Window, parameters: Mapping[str, int]) -> bool:
    """What the interpreter says, of any spans that the claim may bind."""
    names = [b.variable for b in asked.claim.bound]
    ids = [*(s.id for s in window.spans), *(fresh_id("p1", site) for site in range(2))]
    ways = product(ids, repeat=len(names))
    return any(breaks(asked, Case({"W": window}, parameters, dict(zip(names, way, strict=True)), {})) for way in ways)


def pinned(meaning: Meaning, window: Window, parameters: Mapping[str, int], places: range) -> list[Term]:
    """That the input is this window, its spans at every second position."""
    book, state = meaning.book, meaning._input
    ids = {places[2 * i + 1]: s.id for i, s in enumerate(window.spans)}
    facts = [book.length == len(places), *(z3.Not(book.at(state.known, book.number(i))) for i in places[::2])]
    for place, given in zip(ids, window.spans, strict=True):
        at = book.number(place)
        facts += [book.at(state.known, at), book.at(state.present, at) == (given.id not in window.archived)]
        facts += [book.at(term, at) == value(meaning, given[name]) for name, term in state.values.items()]
    for link in meaning._linked.values():
        pairs = product(ids.items(), repeat=2)
        facts += [link(i, j) == (("l", a, b) in window.links) for (i, a), (j, b) in pairs]
    return facts + [meaning._parameters[name] == number for name, number in parameters.items()]


def value(meaning: Meaning, given: Value) -> Term:
    if isinstance(given, str):
        return meaning._name("enum" if given in ("user", "note") else "key", given)
    return z3.BoolVal(given, meaning.book.context) if isinstance(given, bool) else meaning.book.number(given)


def found_broken(asked: Obligation, window: Window, parameters: Mapping[str, int]) -> bool:
    """What the kernel says, all definitions written out at all positions of the window."""
    meaning = Meaning(asked)
    claim = meaning.broken()
    places = range(2 * len(window.spans) + 1)
    facts = [*claim, *pinned(meaning, window, parameters, places)]
    positions = [meaning.book.number(i) for i in places]
    solver = z3.Solver(ctx=meaning.book.context)
    solver.add(*Ground(meaning.book, facts, (*positions, *meaning.book.marked), 1).facts)
    return bool(solver.check() == z3.sat)


@pytest.mark.parametrize(("body", "promises"), BODIES.items())
def test_what_breaks_a_promise_is_what_the_interpreter_says_breaks_it(body: str, promises: str) -> None:
    parameters = {"k": 2} if body.endswith(" k") else {}
    declared = "(k: int >= 0)" if parameters else ""
    checks = f"policy p{declared} for C {{ {body} }}\ncheck p: {', '.join(promises.split())}\n"
    answers = set()
    for asked in load_text(HEAD + checks).obligations:
        for window in windows(asked, body.startswith("readmit")):
            answer = found_broken(asked, window, parameters)
            assert answer == broken(asked, window, parameters), (asked.name, window)
            answers.add(answer)
    assert answers == {True, False}


# ---------- what has no meaning here


CLAIM = Claim(("W",), consequent=SameWindow(ONCE, W))
ASKED = about(policy(evict(TRUE)), "any", CLAIM)
EMPTY = replace(SCHEMA, fields=(*SCHEMA.fields, Field("none", "int", low=2, high=1)))


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        (fixed(ASKED, obligations.window()), "it is about one window that is written out"),
        (replace(ASKED, claim=replace(CLAIM, inputs=("W", "V"))), "it speaks of several input windows"),
        (replace(ASKED, turns=Turns(Session("s", SCHEMA, ()), "W", taken=1)), "it is about the turns of a session"),
        (replace(ASKED, schema=EMPTY), "a field of the schema has no value at all"),
        (replace(ASKED, claim=replace(CLAIM, bound=(Bound("s", W),) * 2)), "two of its spans share a name"),
        (
            replace(ASKED, claim=replace(CLAIM, consequent=SameWindow(Arrived(W, Int(1)), W))),
            "it uses `arrive(…)`",
        ),
        (
            replace(ASKED, claim=replace(CLAIM, consequent=Fires(ONCE, 0))),
            "it asks which statement did something",
        ),
        (
            replace(ASKED, claim=replace(CLAIM, consequent=Present("s", W))),
            "an expression names a span that is not there",
        ),
    ],
)
def test_what_it_does_not_know_it_refuses(asked: Obligation, reason: str) -> None:
    with pytest.raises(Beyond, match=re.escape(reason)):
        Meaning(asked).broken()
