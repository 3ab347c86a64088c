"""A certificate says by what argument it proves, and is a value: nothing changes it, and it can be sent."""

from __future__ import annotations

import pickle
from typing import Any, get_args

import pytest

from selfedit_formal.core.certificate import (
    ARGUMENTS,
    MORE,
    TEXTS,
    Assumption,
    Certificate,
    FieldBounds,
    Instead,
    KeptProof,
    Kind,
    Method,
    ParameterBound,
    RuleGround,
)

PROOF = Certificate(
    Method("scan", ("each step", "every number"), "oldest", products=True),
    {"init": "(check-sat)"},
    {"step": "(check-sat)"},
    (("n1", "Int"),),
    ("n1 <= 3",),
    {"n1": "a count"},
    (RuleGround("p", 0), Assumption(1)),
    (ParameterBound("k", "least", 0), FieldBounds("tokens")),
)


def test_every_kind_of_argument_has_its_words_and_its_texts() -> None:
    assert set(ARGUMENTS) == set(TEXTS) == set(get_args(Kind))
    assert set(MORE) == set(get_args(Instead))


def test_what_is_proved_instead_is_told_innermost_first() -> None:
    assert Method("query").text() == "one query over the spans that matter"
    assert Certificate(Method("gate"), {}).argument == ARGUMENTS["gate"]
    steps, triggers = ", of more than is promised: each step of the way is kept", MORE["no trigger"]
    assert Method("scan", ("each step", "no trigger")).text() == ARGUMENTS["scan"] + triggers + steps
    assert PROOF.argument == ARGUMENTS["scan"] + steps


def test_a_certificate_does_not_change_with_what_it_was_made_of() -> None:
    conditions = {"query": "(check-sat)"}
    proof = Certificate(Method("query"), conditions)
    conditions["other"] = ""
    assert dict(proof.conditions) == {"query": "(check-sat)"}
    mapping: Any = proof.conditions
    with pytest.raises(TypeError):
        mapping["other"] = ""
    about: dict[str, object] = {"policy": "p"}
    kept = KeptProof(about, (("", proof),))
    about.clear()
    assert dict(kept.about) == {"policy": "p"}


def test_a_certificate_comes_back_the_same_from_another_process() -> None:
    assert pickle.loads(pickle.dumps(PROOF)) == PROOF


def test_grounds_of_other_kinds_are_never_one() -> None:
    grounds = [RuleGround("p", 0), RuleGround("q", 0), Assumption(0), FieldBounds("p")]
    grounds += [ParameterBound("p", side, 0) for side in ("least", "most")]
    assert len(set(grounds)) == len(grounds)
