"""A policy or session in the core with what only the notation knows of it: numbers given, reasons, windows."""

from __future__ import annotations

from selfedit_formal.core.expression import Int, Parameter
from selfedit_formal.core.policy import ParameterDeclaration
from selfedit_formal.language.module import Module
from selfedit_formal.language.resolve.instance import Instance, SessionInstance
from selfedit_formal.language.resolve.policy import instance
from selfedit_formal.language.resolve.problems import Problems
from selfedit_formal.language.resolve.scope import StorePlace
from selfedit_formal.language.resolve.session import session_instance
from tests.language.resolve.core import marked, module

TEXT = """
window w of Chat = [ A: user { tokens = 1, turn = 1, role = low, score = 1 } ]
policy p(cap: int >= 0, keep: int) for Chat {
  because s where s.tokens > cap
  evict s where s.tokens > cap and s.turn < keep
}
plan tidy on w { delete A }
session loop(k: int >= 0) of Chat {
  each turn { apply p(k, 3) }
  tombstones in_window { tag = summary, tokens = 1 }
  ledger sidecar
}
"""


def made(of: Module, name: str, **given: int) -> Instance:
    problems = Problems()
    numbers = {n: Int(v) for n, v in given.items()}
    found = instance(of.names.policies[name], of.names, problems, given=numbers)
    problems.stop_if_any()
    assert found is not None
    return found


def lived(of: Module, **given: int) -> SessionInstance:
    problems = Problems()
    numbers = {n: Int(v) for n, v in given.items()}
    found = session_instance(of.names.sessions["loop"], of.names, problems, given=numbers)
    problems.stop_if_any()
    assert found is not None
    return found


def test_a_parameter_stands_for_the_number_that_is_given_or_is_left_open() -> None:
    found = made(module(TEXT), "p", keep=7)
    assert found.parameters == {"cap": Parameter("cap"), "keep": Int(7)}
    assert found.open == found.policy.parameters == (ParameterDeclaration("cap", 0),)


def test_a_policy_has_its_name_and_the_place_of_its_declaration() -> None:
    found = made(module(TEXT), "p")
    assert found.name == found.policy.name == "p"
    assert marked(found.location).startswith("policy p(cap")
    assert found.schema.name == "Chat"


def test_a_policy_is_bound_with_its_reasons_gated_unless_a_gate_asks() -> None:
    found = made(module(TEXT), "p")
    assert len(found.reasons) == 1
    bound, inside = found.binding(), found.binding(gated=False)
    assert (bound.core, bound.gated, bound.reasons) == ("p", True, found.reasons)
    assert (inside.gated, inside.location) == (False, found.location)


def test_a_plan_on_a_window_is_fixed_to_it_and_a_policy_to_none() -> None:
    found = module(TEXT)
    assert made(found, "tidy").fixed == found.windows["w"]
    assert made(found, "p").fixed is None


def test_a_session_has_its_parameters_too_and_where_its_books_are_kept() -> None:
    found = lived(module(TEXT))
    assert found.parameters == {"k": Parameter("k")}
    assert found.open == (ParameterDeclaration("k", 0),)
    assert (found.tombstones, found.ledger) == (StorePlace("in_window", "summary"), StorePlace("sidecar"))
    assert marked(found.location).startswith("session loop(k")
    assert (found.name, found.schema.name) == ("loop", "Chat")


def test_a_session_is_bound_with_its_books_and_the_numbers_it_was_given() -> None:
    found = lived(module(TEXT), k=4)
    bound = found.binding()
    assert found.open == ()
    assert (bound.session, bound.tombstones, bound.ledger) == (found.session, found.tombstones, found.ledger)
