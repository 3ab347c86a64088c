"""Of what there is there is a witness; of what there is not, each element is said not to be it."""

from __future__ import annotations

import z3

from selfedit_formal.core.expression import FALSE, And, Before, Expression, Not, Some
from selfedit_formal.engines.unbounded.compiler.compilation import Compilation
from selfedit_formal.engines.unbounded.compiler.mode import Mode
from selfedit_formal.engines.unbounded.compiler.polarity import LEGEND, short
from selfedit_formal.engines.unbounded.ir import (
    EVERY,
    HEAD,
    Alive,
    Constant,
    Exist,
    FieldAt,
    Flat,
    Identical,
    Older,
    Op,
    both,
    either,
    negate,
    some,
)
from selfedit_formal.engines.unbounded.terms import TRUE
from tests.engines.unbounded.compiler.compiled import QUERY, SCAN, claimed, compiling, excludes
from tests.obligations import W, evict, pinned


def whole_and(mode: Mode = SCAN) -> tuple[Compilation, Exist]:
    """Something compiled, and that some present span is pinned, which it does not speak of."""
    whole = compiling(claimed(FALSE, evict(pinned("s"))), mode)
    variable = whole.trace.element("bound", "t")
    item = some(variable, 1, FieldAt(variable, "pinned", 0))
    assert isinstance(item, Exist)
    return whole, item


def test_of_what_there_is_there_is_one_witness_which_is_what_is_said() -> None:
    whole, item = whole_and()
    before = set(whole.elements.marks)
    there = whole.polarity.imply(item, True, None, 0)
    assert whole.polarity.imply(item, True, None, 0).eq(there)
    (witness,) = set(whole.elements.marks) - before
    mark = whole.elements.marks[witness]
    assert mark.guards == [Alive(HEAD, 1), FieldAt(HEAD, "pinned", 0)]
    assert excludes([there], z3.Not(mark.on))
    assert whole.polarity.universals == []


def test_of_what_there_is_not_every_element_is_said_not_to_be_it() -> None:
    whole, item = whole_and()
    none = whole.polarity.imply(item, False, None, 0)
    assert whole.polarity.imply(negate(item), True, None, 0).eq(none)
    (universal,) = whole.polarity.universals
    assert (universal.version, universal.body) == (1, negate(FieldAt(HEAD, "pinned", 0)))
    assert universal.assumed.eq(none)
    assert whole.symbols.legend[none.decl().name()] == "assumed: no t in [1]: t.pinned"


def test_connectives_imply_what_their_parts_do() -> None:
    whole, item = whole_and()
    no = whole.polarity.imply(item, False, None, 0)
    yes = whole.polarity.imply(item, True, None, 0)
    for said, positive, equal in (
        (both(item, Constant(True)), True, yes),
        (Op("and", (item, negate(item))), True, z3.And(yes, no)),
        (Op("and", (item, item)), False, z3.Or(no, no)),
        (either(item, negate(item)), False, z3.And(no, yes)),
        (Op("implies", (item, Constant(False))), True, no),
        (Op("implies", (item, item)), False, z3.And(yes, no)),
    ):
        assert excludes([], whole.polarity.imply(said, positive, None, 0) != equal)


def test_too_deep_a_witness_is_not_made_and_what_is_denied_there_is_still_used() -> None:
    whole, item = whole_and()
    marks = len(whole.elements.marks)
    deep = whole.polarity.imply(item, True, None, whole.mode.depth + 1)
    assert len(whole.elements.marks) == marks
    assert deep.eq(z3.Not(whole.polarity.imply(item, False, None, 0)))


def test_from_an_equality_that_is_only_sufficient_nothing_follows() -> None:
    whole, item = whole_and()
    same = Identical(negate(item))
    assert whole.polarity.imply(same, True, None, 0).eq(TRUE)
    assert excludes([], whole.polarity.imply(same, False, None, 0) != whole.polarity.imply(item, True, None, 0))


def test_a_join_is_left_out_and_said_to_be() -> None:
    whole, _ = whole_and(QUERY)
    variable = whole.trace.element("bound", "t")
    joined: Flat = some(variable, 0, Older(variable, HEAD))
    view = whole.elements.view(whole.trace.element("witness", "w"))
    assert whole.polarity.imply(joined, True, view, 0).eq(TRUE)
    assert whole.polarity.weak


def test_a_condition_that_joins_is_asked_of_the_mark_and_no_guard() -> None:
    whole, _ = whole_and()
    witness = whole.trace.element("witness", "w")
    mark = whole.elements.add(witness, 0, TRUE)
    variable = whole.trace.element("bound", "t")
    closed = some(variable, 0, FieldAt(variable, "pinned", 0))
    whole.polarity.describe(mark, both(FieldAt(HEAD, "pinned", 0), closed))
    assert mark.guards == [FieldAt(HEAD, "pinned", 0)]
    assert mark.rest.eq(z3.And([whole.polarity.imply(closed, True, None, 0)]))


def test_universals_are_numbered_as_they_come() -> None:
    whole, _ = whole_and()
    for _ in range(2):
        whole.polarity.add_universal(TRUE, EVERY, Constant(True))
    assert [u.index for u in whole.polarity.universals] == [0, 1]


def test_a_witness_that_is_ordered_by_another_needs_it_in_a_query_and_not_in_a_scan() -> None:
    inner: Expression = Some("t", W, And((Before("t", "s", W), pinned("t", W))))
    asked = claimed(Not(Some("s", W, inner)))
    assert len(compiling(asked, SCAN).elements.marks) == 1
    assert [mark.depth for mark in compiling(asked, QUERY).elements.marks.values()] == [0, 0]


def test_what_a_name_stands_for_is_not_told_at_any_length() -> None:
    assert short("x" * LEGEND) == "x" * LEGEND
    assert short("x" * (LEGEND + 1)) == "x" * (LEGEND - 1) + "…"
