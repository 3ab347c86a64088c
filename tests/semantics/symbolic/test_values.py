"""Values of listed names: each setting of the bits is one of them."""

from __future__ import annotations

from random import Random

from selfedit_formal.semantics.symbolic.terms import Node, Terms, Valuation
from selfedit_formal.semantics.symbolic.values import enum_variable


def test_every_setting_of_an_enum_is_one_of_its_names() -> None:
    terms = Terms()
    names = ("a", "b", "c", "d", "e")
    value = enum_variable(terms, names, ("tag",))
    for setting in range(2 ** len(names)):
        random = Random(setting)
        bits = {n: random.random() < 0.5 for n in _variables([value.test(n) for n in names])}
        valuation = Valuation(bits)
        assert sum(bool(valuation(value.test(n))) for n in names) == 1


def _variables(truths: list[bool | Node]) -> list[Node]:
    found: list[Node] = []
    waiting = [t for t in truths if isinstance(t, Node)]
    while waiting:
        node = waiting.pop()
        if node.operator == "variable":
            found.append(node)
        else:
            waiting += [a for a in node.arguments if isinstance(a, Node)]
    return found
