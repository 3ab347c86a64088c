"""Every field of the core is classified: what is in it is walked, or it is text or a number of a known meaning."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from dataclasses import Field, fields, is_dataclass
from types import ModuleType, NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import pytest

from selfedit_formal.core import diagnostics, expression, policy, property, session, traverse, window
from selfedit_formal.core.expression import TRUE, All, And, Before, Count, Input, InSet, Int, Origin, Read, Some
from selfedit_formal.core.policy import Evict, Policy
from selfedit_formal.core.traverse import BINDER, LEAVES, USES, bound, free, nodes, rebuilt, renamed, used
from selfedit_formal.core.window import Schema

MODULES: tuple[ModuleType, ...] = (expression, policy, property, session)
NO_NODES = (property.ChoiceKey, property.Case)
"""Of the core, and in no tree: they speak of one run."""
TEXTS = {
    "name": "of a window, parameter, local, set, statement's let, gate, policy or obligation",
    "policy": "of a policy",
    "run": "of a run",
    "field": "of a field",
    "link": "of a link",
    "set": "of a set",
    "covers": "of a set",
    "property": "of a promise",
    "reason": "for people",
    "text": "for people",
    "doc": "for people",
    "promise": "for people",
    "formula": "for people",
    "assuming": "for people",
    "window": "of a session's schema as it was written",
    "value": "of an enum or key",
    "absence": "for people",
    "inputs": "of windows",
    "spans": "of a plan's spans",
    "reached": "of a window",
    "before": "of a window",
    "start": "of a window",
}
"""Fields with text that names no span variable, and what it is."""
NAMES: dict[str, Any] = {}
for _module in (diagnostics, window, *MODULES):
    NAMES |= vars(_module)


def classes() -> tuple[type, ...]:
    found = (c for m in MODULES for _, c in inspect.getmembers(m, inspect.isclass) if c.__module__ == m.__name__)
    return tuple(c for c in found if is_dataclass(c) and c not in NO_NODES)


def kinds(hint: object) -> Iterator[object]:
    """The types that a field may hold, unions and tuples taken apart."""
    origin = get_origin(hint)
    if origin in (Union, UnionType, tuple):
        for part in get_args(hint):
            if part is not Ellipsis:
                yield from kinds(part)
    else:
        yield hint


def cases() -> Iterator[tuple[type, Field[Any], tuple[object, ...]]]:
    for kind in classes():
        hints = get_type_hints(kind, NAMES | vars(inspect.getmodule(kind)))
        for f in fields(kind):
            yield kind, f, tuple(kinds(hints[f.name]))


CASES = tuple(cases())


@pytest.mark.parametrize(("kind", "field", "holds"), CASES, ids=[f"{k.__name__}.{f.name}" for k, f, _ in CASES])
def test_a_field_is_walked_or_is_plain_or_a_text_of_a_known_meaning(
    kind: type, field: Field[Any], holds: tuple[object, ...]
) -> None:
    for hint in holds:
        if isinstance(hint, type) and is_dataclass(hint):
            continue  # a node or a leaf: `nodes` goes by that
        if get_origin(hint) is Literal or hint in (int, bool, NoneType):
            continue
        assert hint is str, f"{kind.__name__}.{field.name} holds {hint}: is it walked?"
        assert field.name in (*USES, BINDER, *TEXTS), f"what does {kind.__name__}.{field.name} name?"


def test_what_names_a_span_names_nothing_else() -> None:
    assert not {*USES, BINDER} & TEXTS.keys()
    named = {k.__name__ for k, f, _ in CASES if f.name in (*USES, BINDER)}
    assert {"Read", "Before", "Linked", "Present", "Some", "All", "Bound", "Pick", "Evict", "Beside"} <= named


def test_every_class_is_a_node_or_a_leaf() -> None:
    assert {c for c in classes() if traverse._names(c) is None} == {Origin, session.Turns}
    assert all(traverse._names(leaf) is None for leaf in LEAVES)


S = Read("s", "tokens", "int")
INNER = Some("t", Input("W"), And((Before("s", "t"), InSet("t", "old"))))
OUTER = All("s", Input("W"), INNER)


def test_nodes_come_with_their_parents_first_and_in_order() -> None:
    assert [type(n).__name__ for n in nodes(OUTER)] == ["All", "Input", "Some", "Input", "And", "Before", "InSet"]
    assert list(nodes((S, S))) == [S, S]
    assert list(nodes(Origin("x"))) == []


def test_a_span_is_free_where_nothing_around_binds_it() -> None:
    assert free(INNER) == {"s"}
    assert free(OUTER) == frozenset()
    assert free((S, INNER)) == {"s"}
    assert free(Count("s", Input("W"), TRUE)) == frozenset()
    assert used(Before("s", "t")) == {"s", "t"}
    assert bound(INNER) == {"t"}
    assert bound(S) == frozenset()


def test_a_span_is_renamed_wherever_it_is_named() -> None:
    again = renamed(OUTER, "s", "x")
    assert again == All("x", Input("W"), Some("t", Input("W"), And((Before("x", "t"), InSet("t", "old")))))
    assert renamed(OUTER, "old", "x") == OUTER
    assert renamed(OUTER, "W", "x") == OUTER


def test_a_tree_is_rebuilt_but_for_what_is_no_node() -> None:
    def doubled(node: object) -> object:
        return Int(2 * node.value) if isinstance(node, Int) else rebuilt(node, doubled)

    schema = Schema("Chat", ())
    body = (Evict(0, "s", expression.Compare("<", S, Int(3)), False, Origin("3")),)
    made = Policy("P", schema, (), body)
    changed = rebuilt(made, doubled)
    assert changed.schema is schema
    assert changed.body == (Evict(0, "s", expression.Compare("<", S, Int(6)), False, Origin("3")),)
    values: Mapping[str, object] = {"x": 1}
    assert rebuilt(values, doubled) is values


def test_an_answer_is_remembered_for_the_node_and_not_for_one_that_is_equal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traverse, "REMEMBERED", 2)
    asked: list[object] = []

    def number(node: object) -> int:
        asked.append(node)
        return len(asked)

    remembering = traverse.by_identity(number)
    one, other, third = (expression.Bool(True) for _ in range(3))
    assert [remembering(n) for n in (one, one, other, one)] == [1, 1, 2, 1]
    assert [remembering(n) for n in (third, one)] == [3, 4]  # there was room for two
