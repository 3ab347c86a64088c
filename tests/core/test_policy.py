"""The statements of a policy, those in blocks too."""

from __future__ import annotations

from selfedit_formal.core.expression import TRUE, Origin
from selfedit_formal.core.policy import Block, Evict, Keep, Policy, Refuse, Statement, statements
from tests.obligations import SCHEMA

HERE = Origin("")


def block(site: int, *body: Statement) -> Block:
    return Block(site, TRUE, body, False, HERE)


def test_statements_in_blocks_come_after_their_block_in_the_order_written() -> None:
    body = (
        Keep(0, "s", TRUE, HERE),
        block(1, block(2, Evict(3, "s", TRUE, False, HERE)), Refuse(4, TRUE, "", HERE)),
        block(5),
        Evict(6, "s", TRUE, False, HERE),
    )
    assert [s.site for s in statements(body)] == list(range(7))
    assert statements(()) == ()


def test_what_a_policy_says_of_itself_makes_no_difference() -> None:
    assert Policy("p", SCHEMA, (), ()) == Policy("p", SCHEMA, (), (), doc="what it is for")
    assert Policy("p", SCHEMA, (), ()) != Policy("q", SCHEMA, (), ())
