"""Z3 and the SMT-LIB text get the same query, and no two variables share a name."""

from __future__ import annotations

import z3

from selfedit_formal.semantics.symbolic.emit import emit, text
from selfedit_formal.semantics.symbolic.terms import Node, Terms


def booleans(terms: Terms, count: int) -> list[Node]:
    return [terms.variable("bool", "b", i) for i in range(count)]


def test_z3_and_the_text_get_the_same_query() -> None:
    terms = Terms()
    a, b = booleans(terms, 2)
    x, k = terms.variable("int", "x"), terms.variable("key", "k")
    constraints = [
        terms.either(a, terms.at_most(terms.add((x, terms.multiply(-2, x))), -5)),
        terms.no(terms.both(a, b)),
        terms.equal(k, 2),
        terms.iff(b, terms.equal(terms.pick(a, k, 0, "key"), 0)),
        terms.equal(terms.modulo(x, 4), terms.divide(x, 3)),
    ]
    emitted = emit(constraints)
    ours, theirs = z3.Solver(), z3.Solver()
    ours.add(list(emitted.constraints))
    theirs.from_string(text(constraints, {"source": "a | b"}))
    assert ours.check() == theirs.check() == z3.sat
    for mine, other in ((ours, theirs), (theirs, ours)):
        disagree = z3.Solver()
        disagree.add(mine.assertions())
        disagree.add(z3.Not(z3.And(other.assertions())))
        assert disagree.check() == z3.unsat


def test_names_that_look_alike_stay_apart() -> None:
    terms = Terms()
    one, other = terms.variable("bool", "a", "b"), terms.variable("bool", "a.b")
    solver = z3.Solver()
    solver.add(list(emit([one, terms.no(other)]).constraints))
    assert solver.check() == z3.sat


def test_a_variable_has_one_name_whatever_is_emitted_with_it() -> None:
    terms = Terms()
    one, other = terms.variable("int", "a"), terms.variable("bool", "a")
    both = emit([terms.at_most(one, 0), other]).variables
    assert both[other].eq(emit([other]).variables[other])
    assert str(both[one]) != str(both[other])
