"""What says the same is the same, whatever its variables are called; a person reads the names that were written."""

from __future__ import annotations

from selfedit_formal.engines.unbounded.trace import Alive, FieldAt, Num, Older, both, free, rename, show, some, total


def test_names_of_bound_variables_make_no_difference() -> None:
    one = some("a", 0, both(Older("a", "x"), some("b", 1, Older("b", "a"))))
    other = some("b", 0, both(Older("b", "x"), some("a", 1, Older("a", "b"))))
    assert one == other
    assert hash(one) == hash(other)
    assert total("a", 0, FieldAt("a", "tokens", 0), Older("a", "x")) == total(
        "b", 0, FieldAt("b", "tokens", 0), Older("b", "x")
    )
    assert one != some("a", 0, both(Older("a", "x"), some("b", 1, Older("a", "b"))))


def test_a_free_name_is_never_caught_by_a_quantifier() -> None:
    inner = some("a", 0, Older("a", "x"))
    renamed = rename(inner, {"x": "a"})
    assert free(renamed) == {"a"}
    outer = some("a", 1, renamed)
    assert free(outer) == frozenset()
    assert outer == some("y", 1, some("z", 0, Older("z", "y")))


def test_a_person_reads_the_names_that_were_written() -> None:
    item = some("call", 0, both(Alive("call", 2), Older("call", "result")))
    assert show(item) == "some call in [0]: (call in [2] and call before result)"
    assert show(total("t", 1, Num(1), Older("t", "x"))) == "count(t in [1]: t before x)"
