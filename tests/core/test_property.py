"""Obligations, and the names of what a case chooses: no two choices share one."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from selfedit_formal.core.expression import TRUE
from selfedit_formal.core.property import Case, ChoiceKey, fresh_id, run_key
from selfedit_formal.core.session import Session, Turns
from tests.obligations import SCHEMA, evict, keeps, policy, span, window

ASKED = keeps(policy(evict(TRUE)), TRUE)
SESSION = Session("chat", SCHEMA, ())


def test_a_policy_is_found_by_its_name() -> None:
    other = replace(ASKED.policies[0], name="Q")
    assert replace(ASKED, policies=(ASKED.policies[0], other)).policy("Q") is other


def test_only_what_is_about_windows_as_they_are_is_plain() -> None:
    taken = replace(ASKED, turns=Turns(SESSION, "W", taken=2))
    assert ASKED.plain() is ASKED
    assert taken.plain() is taken
    with pytest.raises(ValueError, match="`P: keeps` is about any number of turns"):
        replace(ASKED, turns=Turns(SESSION, "W")).plain()


def test_what_people_read_of_an_obligation_makes_no_difference() -> None:
    assert replace(ASKED, doc="why", promise="what", formula="how") == ASKED
    assert replace(ASKED, property="other") != ASKED


def test_a_pass_is_called_after_its_policy_its_run_and_its_depth() -> None:
    assert [run_key("P", "", 1), run_key("P", "", 2), run_key("P", "'", 1)] == ["P1", "P2", "P'1"]


def test_passes_of_policies_with_digits_are_told_apart() -> None:
    keys = [run_key(p, r, d) for p, r, d in product(("P", "P1", "P11"), ("", "'", "''"), (1, 2, 11))]
    assert len(set(keys)) == len(keys)
    assert run_key("P1", "", 1) == "P1.1"


def test_a_fresh_span_has_a_name_of_letters_of_its_own() -> None:
    runs = ["P1", "P'1", "P''1", "P1.1", "P gate1", "P__p1", "P_1", "P__u1", "Pp1"]
    made = [fresh_id(run, site) for run in runs for site in (0, 1, 10)]
    assert len(set(made)) == len(made)
    assert all(re.fullmatch(r"\w+", name) for name in made)
    assert fresh_id("P'1", 3) == "new_P__p1_3"


def test_a_case_does_not_change_with_what_it_was_made_of() -> None:
    windows, choices = {"W": window(span("A"))}, {ChoiceKey("P1", 0, "A", ""): True}
    case = Case(windows, {"cap": 3}, {"k": "A"}, choices)
    windows.clear()
    choices.clear()
    assert list(case.inputs) == ["W"]
    assert list(case.choices.values()) == [True]
    mapping: Any = case.parameters
    with pytest.raises(TypeError):
        mapping["cap"] = 4


def test_choices_have_an_order_of_their_own() -> None:
    keys = [ChoiceKey("P2", 0, "A", ""), ChoiceKey("P1", 1, "A", ""), ChoiceKey("P1", 0, "B", "")]
    assert sorted(keys) == keys[::-1]
