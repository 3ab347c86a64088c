"""A file once it is understood: what it declares by kind and name, and what its checks ask."""

from __future__ import annotations

from dataclasses import replace

from selfedit_formal.language.module import Module
from selfedit_formal.language.resolve import load_text
from selfedit_formal.language.resolve.names import Names

TEXT = """
window Log { tag : rule | dump }
window w of Log = [ A: dump ]
predicate ruled(W) = some s in W: s.tag == rule
property calm(P: policy) = all W: P(W) == W
property ruling(S: session) = always W: ruled(W)
policy drop(cap: int) for Log { when count(s) > cap evict s where s.tag == dump }
plan tidy on w { delete A }
session loop of Log { each turn { apply drop(3) } }
check drop(cap = 2): calm, preserves(ruled)
check loop: ruling
"""


def test_a_module_has_what_its_file_declares_by_kind_and_name() -> None:
    found = load_text(TEXT)
    assert set(found.windows) == {"w"}
    assert set(found.properties) == {"calm"}
    assert set(found.promises) == {"ruling"}
    assert set(found.sessions) == {"loop"}


def test_plans_are_among_the_policies_and_parameters_are_open() -> None:
    found = load_text(TEXT).policies
    assert set(found) == {"drop", "tidy"}
    assert [p.name for p in found["drop"].parameters] == ["cap"]


def test_a_session_has_a_schema_of_its_own_name_beside_that_of_its_window() -> None:
    found = load_text(TEXT).schemas
    assert set(found) == {"Log", "loop"}
    assert len(found["loop"].fields) > len(found["Log"].fields)


def test_obligations_are_those_of_the_checks_in_their_order() -> None:
    found = load_text(TEXT)
    assert [o.name for o in found.obligations] == [
        "drop(cap = 2): calm",
        "drop(cap = 2): preserves(ruled)",
        "loop: ruling",
    ]


def test_two_modules_of_one_text_are_equal_whatever_their_names_are_for() -> None:
    first, second = load_text(TEXT), load_text(TEXT)
    assert first == replace(second, names=Names())
    assert first != load_text(TEXT + "# more\n")
    assert isinstance(first, Module)
