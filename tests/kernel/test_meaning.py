"""What the kernel says a broken claim is, on short windows, is what the interpreter says it is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from itertools import product

import pytest
import z3

from selfedit_formal.core.expression import TRUE, Arrived, Fires, Int, Present, SameWindow
from selfedit_formal.core.property import Bound, Claim, Obligation
from selfedit_formal.core.session import Session, Turns
from selfedit_formal.core.window import Field, Value, Window
from selfedit_formal.kernel.book import Term
from selfedit_formal.kernel.ground import Ground
from selfedit_formal.kernel.meaning import Beyond, Meaning
from tests import obligations
from tests.obligations import ONCE, SCHEMA, W, about, evict, fixed, policy
from tests.short import INSERTING, PLAIN, questions


class Written:
    """What the kernel says of a broken claim, all definitions written out at all positions of windows of a length; with
    `room` for a span around each of the window's own."""

    def __init__(self, asked: Obligation, room: bool) -> None:
        self.meaning, self.room = Meaning(asked), room
        self.claim = self.meaning.broken()
        self.facts: dict[int, list[Term]] = {}

    def broken(self, window: Window, parameters: Mapping[str, int]) -> bool:
        """Whether the window may break the claim."""
        book, spans = self.meaning.book, len(window.spans)
        length = 2 * spans + 1 if self.room else spans
        if length not in self.facts:
            places = (*map(book.number, range(length)), *book.marked)
            self.facts[length] = Ground(book, (*self.claim, book.length == length), places, 1).facts
        solver = z3.Solver(ctx=book.context)
        solver.add(*self.facts[length], *self.pinned(window, parameters, length))
        return bool(solver.check() == z3.sat)

    def pinned(self, window: Window, parameters: Mapping[str, int], length: int) -> list[Term]:
        """That the input is this window."""
        book, state = self.meaning.book, self.meaning._input
        ids = {2 * i + 1 if self.room else i: s.id for i, s in enumerate(window.spans)}
        facts = [z3.Not(book.at(state.known, book.number(i))) for i in range(length) if i not in ids]
        for place, given in zip(ids, window.spans, strict=True):
            at = book.number(place)
            facts += [book.at(state.known, at), book.at(state.present, at) == (given.id not in window.archived)]
            facts += [book.at(term, at) == self.value(given[name]) for name, term in state.values.items()]
        for link in self.meaning._linked.values():
            pairs = product(ids.items(), repeat=2)
            facts += [link(i, j) == (("l", a, b) in window.links) for (i, a), (j, b) in pairs]
        return facts + [self.meaning._parameters[name] == number for name, number in parameters.items()]

    def value(self, given: Value) -> Term:
        if isinstance(given, str):
            return self.meaning._name("enum" if given in ("user", "note") else "key", given)
        return (
            z3.BoolVal(given, self.meaning.book.context) if isinstance(given, bool) else self.meaning.book.number(given)
        )


@pytest.mark.parametrize(("body", "promises"), [*PLAIN.items(), *INSERTING.items()])
def test_what_breaks_a_promise_is_what_the_interpreter_says_breaks_it(body: str, promises: str) -> None:
    written: dict[str, Written] = {}
    answers = set()
    for asked, window, parameters, expected in questions(body, promises):
        if asked.name not in written:
            written[asked.name] = Written(asked, body in INSERTING)
        assert written[asked.name].broken(window, parameters) == expected, (asked.name, window)
        answers.add(expected)
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
