"""Of core expressions: how large they are written out, and what of a span they read."""

from __future__ import annotations

from selfedit_formal.core.expression import And, Before, Compare, Count, Equal, If, InSet, Int, Name, Read, Some
from selfedit_formal.language.resolve.walk import reads_of, smaller

TURN = Read("s", "turn", "int")


def test_a_node_is_counted_with_all_that_is_in_it() -> None:
    item = Compare(">", TURN, Int(3))
    assert smaller(item, 4)
    assert not smaller(item, 3)


def test_what_is_shared_counts_as_often_as_it_is_written() -> None:
    item: object = TURN
    for _ in range(100):
        item = And((item, item))  # type: ignore[arg-type]
    assert not smaller(item, 1000)


def test_what_is_read_of_a_span_are_fields() -> None:
    item = And((Compare(">", TURN, Read("t", "tokens", "int")), Equal(Read("s", "tag", "enum"), Name("enum", "a"))))
    assert reads_of(item, "s") == (frozenset({"turn", "tag"}), False)
    assert reads_of(item, "t") == (frozenset({"tokens"}), False)
    assert reads_of(item, "u") == (frozenset(), False)


def test_anything_else_about_a_span_is_told_apart() -> None:
    for item in (InSet("s", "old"), Before("t", "s"), And((InSet("s", "old"), Compare(">", TURN, Int(1))))):
        assert reads_of(item, "s")[1]
    assert reads_of(InSet("t", "old"), "s") == (frozenset(), False)


def test_a_span_that_is_bound_again_inside_is_taken_for_the_same() -> None:
    assert reads_of(Some("s", None, Compare(">", TURN, Int(1))), "s") == (frozenset({"turn"}), True)


def test_a_condition_that_binds_other_spans_is_read_through() -> None:
    count = Count("t", None, Compare(">", TURN, Read("t", "turn", "int")))
    assert reads_of(If(Compare(">", count, Int(1)), Int(1), Int(2)), "s") == (frozenset({"turn"}), False)
