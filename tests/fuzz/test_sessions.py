"""What is proved for any number of turns is broken by no longer session, and a proof that forgets is found out."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from unittest.mock import patch

import pytest

from selfedit_formal.core.session import Session
from selfedit_formal.core.window import Schema
from selfedit_formal.verifying import turns
from tests.fuzz.sessions import compare

SEEDS = (21, 22, 25, 26, 28)


def test_no_longer_session_breaks_what_is_proved() -> None:
    outcomes = {seed: compare(seed) for seed in SEEDS}
    assert {seed: o.unsound for seed, o in outcomes.items() if o.unsound or o.word == "failed"} == {}
    assert "proved" in {o.word for o in outcomes.values()}


def bounds_kept(declared: Schema, reached: Schema) -> Schema:
    return replace(reached, fields=declared.fields)


def ends_kept(declared: Schema, reached: Schema) -> Schema:
    ends = {link.name: link for link in declared.links}
    return replace(reached, links=tuple(ends.get(link.name, link) for link in reached.links))


@pytest.mark.parametrize(("forgotten", "seed"), [(bounds_kept, 26), (ends_kept, 75)])
def test_a_step_that_begins_from_too_few_windows_is_found_out(
    forgotten: Callable[[Schema, Schema], Schema], seed: int
) -> None:
    real = turns.reachable_schema

    def fewer(session: Session) -> Schema | str:
        reached = real(session)
        return reached if isinstance(reached, str) else forgotten(session.schema, reached)

    assert compare(seed).unsound == ""
    with patch.object(turns, "reachable_schema", fewer):
        # By a longer session, or by a short window that its proof is held against.
        assert re.search("turns break it|and a window breaks it", compare(seed).unsound)
