"""A certificate is believed only as far as fresh solvers confirm it, and its file only as it was written."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from selfedit_formal.certificate import (
    Assumption,
    Certificate,
    FieldBounds,
    ParameterBound,
    Rule,
    Unreadable,
    read,
    write,
)
from selfedit_formal.engines.unbounded.recheck import available, recheck

GOOD = "(set-logic ALL)\n(declare-fun n () Int)\n(assert (< n 0))\n(assert (> n 0))\n(check-sat)\n"
BAD = GOOD.replace("(> n 0)", "(> n (- 2))")
CERTIFICATE = Certificate(
    "an invariant",
    {"init": GOOD},
    ("n >= 0",),
    {"n": "how many"},
    (Rule("p", 0), Assumption(1)),
    (ParameterBound("k", "least", 0), FieldBounds("tokens")),
)


def test_both_solvers_are_asked_where_both_are_there() -> None:
    assert available() == ("z3", "cvc5")


@pytest.mark.parametrize("solver", ["z3", "cvc5"])
def test_a_condition_that_can_be_satisfied_is_named(solver: str) -> None:
    wrong = replace(CERTIFICATE, conditions={"init": GOOD, "step": BAD})
    assert recheck(CERTIFICATE, solvers=(solver,)) is None
    assert recheck(wrong, solvers=(solver,)) == f"{solver} answers sat to `step`"


@pytest.mark.parametrize("solver", ["z3", "cvc5"])
def test_text_that_is_no_script_does_not_check(solver: str) -> None:
    wrong = replace(CERTIFICATE, conditions={"init": "(assert and)\n(check-sat)\n"})
    found = recheck(wrong, solvers=(solver,))
    assert found is not None


def test_a_certificate_without_conditions_proves_nothing() -> None:
    assert recheck(replace(CERTIFICATE, conditions={})) == "it has no conditions"


def test_a_certificate_comes_back_from_its_file(tmp_path: Path) -> None:
    write(CERTIFICATE, {"policy": "p"}, tmp_path / "deep" / "c.json")
    assert read(tmp_path / "deep" / "c.json") == (CERTIFICATE, {"policy": "p"})


def test_a_changed_file_is_caught(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    write(CERTIFICATE, {"policy": "p"}, path)
    changes: list[dict[str, object]] = [{"about": {}}, {"invariant": []}, {"conditions": {"init": ["(check-sat)"]}}]
    for change in changes:
        path.write_text(json.dumps({**json.loads(path.read_text()), **change}), encoding="utf-8")
        with pytest.raises(Unreadable, match="changed after it was written"):
            read(path)
        write(CERTIFICATE, {"policy": "p"}, path)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"seal": 1, "format": "other"}'])
def test_what_is_no_certificate_is_said_to_be_none(tmp_path: Path, text: str) -> None:
    path = tmp_path / "c.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(Unreadable):
        read(path)
