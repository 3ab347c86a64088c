"""What is open in an encoding is made once, within its bounds, and what follows anyway is told to the solver."""

from __future__ import annotations

from dataclasses import replace

import z3

from selfedit_formal.core.property import ChoiceKey
from selfedit_formal.core.window import COVERS, NO_KEY, Field
from selfedit_formal.language.resolve import load_text
from selfedit_formal.semantics.symbolic.counters import Tally
from selfedit_formal.semantics.symbolic.emit import emit
from selfedit_formal.semantics.symbolic.encoding import encode
from selfedit_formal.semantics.symbolic.state import Slot
from selfedit_formal.semantics.symbolic.terms import Node, Terms, Truth
from selfedit_formal.semantics.symbolic.values import NO_ENUM
from selfedit_formal.semantics.symbolic.world import World, within

(ASKED,) = load_text("""
window Log { tag : a | b  tokens : int >= 0 }
policy trim for Log { evict s where s.tag == b }
check trim: idempotent
""").obligations
KEY = ChoiceKey("trim1", 0, "s1", "tokens")


def satisfiable(terms: Terms, *facts: Truth) -> bool:
    solver = z3.Solver()
    solver.add(list(emit(terms.grounded([*facts])).constraints))
    return False not in facts and solver.check() == z3.sat


def test_keys_are_numbered_as_they_are_named() -> None:
    world = World(ASKED)
    assert [world.key(name) for name in ("k1", NO_KEY, "k2", "k1")] == [1, 0, 2, 1]


def test_a_field_of_an_absent_span_is_zero() -> None:
    world = World(ASKED)
    assert [world.zero(kind) for kind in ("int", "key", "bool")] == [0, 0, False]
    assert world.zero("enum") is NO_ENUM


def test_a_choice_is_made_once_and_within_its_bounds() -> None:
    world = World(ASKED)
    value = world.choice(KEY, Field("tokens", "int", low=2, high=3))
    assert value is world.choice(KEY, Field("tokens", "int", low=2, high=3))
    assert isinstance(value, Node)
    terms = world.terms
    assert [satisfiable(terms, terms.equal(value, n)) for n in (1, 2, 3, 4)] == [False, True, True, False]


def test_a_yes_or_no_needs_no_field() -> None:
    world = World(ASKED)
    yes = world.choice(KEY, None)
    assert isinstance(yes, Node)
    assert (yes.sort, world.choices[KEY].kind) == ("bool", "bool")


def test_whether_bounds_leave_a_value() -> None:
    world = World(ASKED)
    fields = (Field("n", "int", 2, 2), Field("n", "int", 3, 2), Field("n", "int", 3), Field("e", "enum"))
    assert [world.admits_some(f) for f in fields] == [True, False, True, False]


def test_a_created_span_has_a_name_that_no_other_has() -> None:
    world = World(ASKED)
    world.given["new"] = Slot("new", created=False)
    first, second = world.created("one", "new"), world.created("two", "new")
    assert [first.id, second.id] == ["new_2", "new_3"]
    assert world.created("one", "new") is first
    assert first.created


def test_what_a_summary_covers_is_a_matter_of_the_state_and_other_links_of_the_window() -> None:
    world = World(ASKED)
    a, b = Slot("a", created=False), Slot("b", created=False)
    world.link = lambda link, source, target: (link, source.id, target.id) == ("next", "a", "b")
    assert world.linked("next", a, b, None) is True
    assert world.linked("next", b, a, None) is False
    (window,) = encode(ASKED, (0,)).inputs.values()
    assert world.linked(COVERS, a, b, window) is False
    assert world.linked(COVERS, a, b, replace(window, covers={(a, b): True})) is True


def test_a_count_among_fewer_spans_is_told_to_be_no_larger() -> None:
    world = World(ASKED)
    terms = world.terms
    spans = [terms.variable("bool", "s", i) for i in range(3)]
    kept = [terms.both(s, terms.variable("bool", "k", i)) for i, s in enumerate(spans)]
    chain = tuple(Slot(f"s{i}", created=False) for i in range(3))
    assert world.lemmas() == []
    more, less = (world.tally(chain, Tally(terms, members)) for members in (spans, kept))
    assert not satisfiable(terms, *world.lemmas(), less.at_least(2, 3), terms.no(more.at_least(2, 3)))
    told = world.lemmas()
    assert told
    assert not satisfiable(terms, terms.no(terms.every(told)))  # they follow anyway


def test_a_bound_may_be_open() -> None:
    terms = Terms()
    x = terms.variable("int", "x")
    assert within(terms, x, None, None) is True
    assert within(terms, 3, 3, None) is True
    assert within(terms, 3, None, 2) is False
