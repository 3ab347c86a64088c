"""What an obligation looks at, in its claim, its policies and their gates, and its witnesses."""

from __future__ import annotations

from dataclasses import replace

import pytest

from selfedit_formal.core.expression import (
    ASSUMED,
    FALSE,
    TRUE,
    Equal,
    Expression,
    Input,
    Int,
    Known,
    Linked,
    Name,
    Origin,
    Pass,
    Reaches,
    Read,
    Rescored,
    SameRecord,
    SameWindow,
    Some,
    WindowTerm,
)
from selfedit_formal.core.policy import (
    Assign,
    Block,
    Evict,
    Gate,
    LetSet,
    LetSpan,
    NoSpan,
    Original,
    Pick,
    Policy,
    Readmit,
    Set,
    SpanIf,
    Statement,
)
from selfedit_formal.core.property import Bound, Claim, Obligation, Witness
from selfedit_formal.core.session import Session, Turns
from selfedit_formal.core.traverse import nodes
from selfedit_formal.core.window import COVERS, Field, Link, Schema
from selfedit_formal.semantics.reads import read_fields, read_links, reads_archive

HERE = Origin("here")

SMALL = Schema(
    "Small",
    (
        Field("tag", "enum", names=("call", "result")),
        Field("tokens", "int", low=1),
        Field("pinned", "bool"),
        Field("fit", "int", oracle="query"),
        Field("rank", "int", oracle="window"),
        Field("met", "bool", history=True),
    ),
    (Link("answers", ("result",), ("call",)), Link("next")),
)

W = Input("W")
P = Pass("p", "", W)
NEVER = Claim(("W",), consequent=FALSE)
SAME = Claim(("W",), consequent=SameWindow(P, W))


def asking(claim: Claim, *body: Statement, gates: tuple[Gate, ...] = ()) -> Obligation:
    return Obligation("o", SMALL, (Policy("p", SMALL, (), body, (), gates),), "promise", claim)


def evict(condition: Expression) -> Evict:
    return Evict(0, "s", condition, False, HERE)


def pinned(window: WindowTerm | None = None) -> Expression:
    return Some("s", window, Read("s", "pinned", "bool", window))


SHRINK = Set(0, "s", TRUE, (Assign("tokens", Int(1)),), HERE)
SCORED = Claim(("W",), (Bound("s", W),), consequent=SameRecord("s", Rescored(W, "s"), W))


@pytest.mark.parametrize(
    ("asked", "fields"),
    [
        (asking(NEVER), set()),
        (asking(SAME), set()),
        (asking(NEVER, evict(pinned())), {"pinned"}),
        (asking(NEVER, Block(0, TRUE, (evict(pinned()),), False, HERE)), {"pinned"}),
        (asking(NEVER, evict(Read("s", "rank", "int"))), set()),
        (asking(SAME, SHRINK), {"tokens"}),
        (asking(SAME, replace(SHRINK, archive=True)), {"tokens"}),
        (asking(SAME, evict(Read("s", "met", "bool"))), {"met"}),
        (asking(SAME, replace(SHRINK, assignments=(Assign("met", TRUE),))), {"met"}),
        (asking(Claim(("W",), consequent=pinned(W))), {"pinned"}),
        (asking(Claim(("W",), premise=pinned(W))), {"pinned"}),
        (asking(NEVER, gates=(Gate("g", pinned(Input(ASSUMED)), HERE),)), {"pinned"}),
        (replace(asking(NEVER), witnesses=(Witness("never", pinned(W)),)), {"pinned"}),
        (asking(NEVER, evict(Linked("answers", "s", "s"))), {"tag"}),
        (asking(NEVER, evict(Linked("next", "s", "s"))), set()),
        (asking(SCORED), {"tag", "tokens", "pinned", "fit"}),
        (asking(Claim(("V", "W"), consequent=SameWindow(Input("V"), W))), {"tag", "tokens", "pinned", "fit"}),
    ],
)
def test_a_field_matters_if_it_is_read_changed_compared_or_binds_a_link(asked: Obligation, fields: set[str]) -> None:
    assert read_fields(asked) == fields


def test_a_link_matters_if_it_is_tested() -> None:
    assert read_links(asking(NEVER, evict(TRUE))) == frozenset()
    assert read_links(asking(NEVER, evict(Linked("answers", "s", "s")))) == {"answers"}
    assert read_links(asking(Claim(("W",), consequent=Reaches("next", "s", "t", W)))) == {"next"}
    assert read_links(asking(NEVER, evict(Linked(COVERS, "s", "s")))) == frozenset()


def test_the_archive_matters_if_a_policy_looks_into_it() -> None:
    picked = SpanIf(TRUE, Pick("first", "s", TRUE, archive=True), NoSpan())
    assert not reads_archive(asking(NEVER, evict(TRUE), LetSet(1, "x", "s", TRUE)))
    assert reads_archive(asking(NEVER, LetSet(0, "x", "s", TRUE, archive=True)))
    assert reads_archive(asking(NEVER, Readmit(0, "s", TRUE, Original(), False, HERE)))
    assert reads_archive(asking(NEVER, Block(0, TRUE, (LetSpan(1, "x", picked),), False, HERE)))
    assert not reads_archive(asking(NEVER, replace(SHRINK, archive=True)))


def test_the_archive_matters_if_the_claim_a_witness_or_a_gate_speaks_of_known_spans() -> None:
    known = pinned(Known(P))
    assert reads_archive(asking(Claim(("W",), consequent=known)))
    assert reads_archive(asking(Claim(("W",), (Bound("s", Known(W)),))))
    assert reads_archive(replace(asking(NEVER), witnesses=(Witness("never", known),)))
    assert reads_archive(asking(NEVER, gates=(Gate("g", pinned(Known(Input(ASSUMED))), HERE),)))


def test_what_a_session_says_of_itself_is_no_part_of_an_obligation_about_so_many_turns() -> None:
    session = Session("S", SMALL, (), start=pinned(Known(W)))
    assert not reads_archive(replace(asking(NEVER), turns=Turns(session, "W", taken=1)))
    assert reads_archive(
        replace(asking(NEVER), turns=Turns(session, "W", taken=1), witnesses=(Witness("x", pinned(Known(W))),))
    )


def test_nodes_come_root_first_and_from_left_to_right() -> None:
    left, right = Name("enum", "call"), Read("s", "tag", "enum")
    assert list(nodes(Equal(left, right))) == [Equal(left, right), left, right]
