"""What says the same is the same, whatever its variables are called; a person reads the names that were written."""

from __future__ import annotations

from selfedit_formal.engines.unbounded.ir import (
    Alive,
    Element,
    FieldAt,
    Num,
    Older,
    both,
    free,
    rename,
    show,
    some,
    total,
)

A, B, Y, Z = (Element(n, "bound", label) for n, label in enumerate("abyz", 1))
X, T = Element(8, "witness", "x"), Element(9, "bound", "t")
CALL, RESULT = Element(10, "bound", "call"), Element(11, "witness", "result")


def test_names_of_bound_variables_make_no_difference() -> None:
    one = some(A, 0, both(Older(A, X), some(B, 1, Older(B, A))))
    other = some(B, 0, both(Older(B, X), some(A, 1, Older(A, B))))
    assert one == other
    assert hash(one) == hash(other)
    assert total(A, 0, FieldAt(A, "tokens", 0), Older(A, X)) == total(B, 0, FieldAt(B, "tokens", 0), Older(B, X))
    assert one != some(A, 0, both(Older(A, X), some(B, 1, Older(A, B))))


def test_a_free_name_is_never_caught_by_a_quantifier() -> None:
    inner = some(A, 0, Older(A, X))
    renamed = rename(inner, {X: A})
    assert free(renamed) == {A}
    outer = some(A, 1, renamed)
    assert free(outer) == frozenset()
    assert outer == some(Y, 1, some(Z, 0, Older(Z, Y)))


def test_what_is_called_alike_is_not_the_same() -> None:
    assert Element(1, "witness", "x") != Element(2, "let", "x")
    assert Older(Element(1, "witness", "x"), A) != Older(Element(2, "witness", "x"), A)


def test_a_person_reads_the_names_that_were_written() -> None:
    item = some(CALL, 0, both(Alive(CALL, 2), Older(CALL, RESULT)))
    assert show(item) == "some call in [0]: (call in [2] and call before result)"
    assert show(total(T, 1, Num(1), Older(T, X))) == "count(t in [1]: t before x)"
