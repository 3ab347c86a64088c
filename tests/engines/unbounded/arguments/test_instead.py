"""What may be proved in place of a promise is told by name, and a proof of it is one of the promise."""

from __future__ import annotations

from typing import get_args

import pytest

from selfedit_formal.core.certificate import Certificate, Instead, Method
from selfedit_formal.core.expression import TRUE
from selfedit_formal.engines.unbounded.arguments.instead import INSTEAD, in_place_of
from tests.obligations import evict, idempotent, keeps, pinned, policy

PROOF = Certificate(Method("scan", depth=2), {"init": ""})


def test_every_argument_has_its_name() -> None:
    assert tuple(INSTEAD) == get_args(Instead)


@pytest.mark.parametrize("instead", INSTEAD)
def test_a_promise_that_has_no_such_thing_has_none(instead: Instead) -> None:
    assert INSTEAD[instead](keeps(policy(evict(pinned("s"))), TRUE)) is None
    assert INSTEAD[instead](idempotent(policy(evict(pinned("s"))))) is None


def test_a_proof_in_place_of_another_says_so_outermost_first() -> None:
    once = in_place_of(PROOF, "every number")
    assert once.method == Method("scan", ("every number",), depth=2)
    assert in_place_of(once, "each step").method.instead == ("each step", "every number")
    assert once.conditions == PROOF.conditions
    assert PROOF.method.instead == ()
