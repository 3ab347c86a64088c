"""Where an element stands to a mark: before it, at it or after it, and nowhere if the mark is of nothing."""

from __future__ import annotations

import pytest
import z3

from selfedit_formal.core.policy import End, Insert
from selfedit_formal.core.window import Kind
from selfedit_formal.engines.unbounded.compiler.compilation import Compilation
from selfedit_formal.engines.unbounded.compiler.elements import Mark
from selfedit_formal.engines.unbounded.compiler.mode import Mode
from selfedit_formal.engines.unbounded.ir import Born
from selfedit_formal.engines.unbounded.terms import BOOL
from tests.engines.unbounded.compiler.compiled import QUERY, compiling, excludes, kept
from tests.obligations import evict, pinned


def marked(whole: Compilation, label: str = "x") -> Mark:
    """A mark that may be of nothing."""
    return whole.elements.add(whole.trace.element("let", label), 0, whole.symbols.new("on", BOOL, f"there is {label}"))


@pytest.mark.parametrize("mode", [Mode(True, "newest"), Mode(True, "oldest"), QUERY], ids=str)
def test_an_element_stands_on_one_side_of_a_mark_that_is_there(mode: Mode) -> None:
    whole = compiling(kept(), mode)
    mark = marked(whole)
    sides = whole.elements.order(whole.elements.head, mark.element)
    assert whole.elements.order(whole.elements.head, mark.element) is sides
    once = [z3.Not(z3.And(mark.placed, mark.place)), z3.Implies(mark.place, mark.on)]
    assert excludes(once, mark.on, z3.Not(z3.Or(sides)))
    assert excludes(once, z3.Not(mark.on), z3.Or(sides))
    for i, side in enumerate(sides):
        assert not excludes(once, side)
        assert excludes(once, side, z3.Or([s for j, s in enumerate(sides) if j != i]))


def test_what_a_scan_has_passed_is_newer_from_the_newest_on_and_older_from_the_oldest_on() -> None:
    for mode, passed in ((Mode(True, "newest"), 0), (Mode(True, "oldest"), 2)):
        whole = compiling(kept(), mode)
        mark = marked(whole)
        sides = whole.elements.order(whole.elements.head, mark.element)
        been = [mark.on, mark.placed, z3.Not(mark.place)]
        assert [excludes(been, z3.Not(side)) for side in sides] == [i == passed for i in range(3)]


def test_in_a_query_elements_have_positions() -> None:
    whole = compiling(kept(), QUERY)
    x, y = marked(whole, "x"), marked(whole, "y")
    before, same, after = whole.elements.order(whole.elements.view(x.element), y.element)
    p, q = (whole.elements.position(m.element) for m in (x, y))
    assert whole.elements.position(x.element).eq(p)
    assert not p.eq(q)
    for side, order in ((before, p < q), (same, p == q), (after, p > q)):
        assert excludes([y.on], side != order)


def test_an_element_has_each_fact_once_and_with_its_sort() -> None:
    whole = compiling(kept())
    head, kinds = whole.elements.head, dict[str, Kind](pinned="bool", tokens="int", tag="enum", call="key")
    made = {name: whole.elements.base(head, Born(name), kind) for name, kind in kinds.items()}
    assert [z3.is_bool(m) for m in made.values()] == [True, False, False, False]
    assert all(whole.elements.base(head, Born(name), kinds[name]).eq(m) for name, m in made.items())
    other = whole.elements.view(next(iter(whole.trace.witnesses)))
    assert not whole.elements.base(other, Born("tokens"), "int").eq(made["tokens"])


def test_a_mark_is_explained_and_looked_at_as_one_element() -> None:
    whole = compiling(kept())
    mark = marked(whole)
    assert whole.symbols.legend[mark.placed.decl().name()] == "x was passed"
    assert whole.elements.marks[mark.element] is mark
    assert whole.elements.view(mark.element) is whole.elements.view(mark.element)


def test_a_fresh_span_is_the_mark_s_own_element() -> None:
    insert = Insert(0, End("back"), (), None, evict(pinned("s")).origin)
    scan, query = compiling(kept(insert)), compiling(kept(insert), QUERY)
    (mark,) = scan.inserts
    assert scan.elements.is_fresh(scan.elements.head, mark).eq(scan.elements.marks[mark].place)
    one, other = (query.elements.is_fresh(query.elements.view(m), mark) for m in query.elements.marks)
    assert not one.eq(other)
