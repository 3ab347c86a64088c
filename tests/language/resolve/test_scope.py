"""What an expression is resolved in: names that are free or taken, where it stands, and how a mistake is placed."""

from __future__ import annotations

from typing import Literal

import pytest

from selfedit_formal.core.diagnostics import Diagnostic, Location, Rejected, Source
from selfedit_formal.core.expression import Input
from selfedit_formal.core.session import HISTORY
from selfedit_formal.core.window import Field
from selfedit_formal.language.resolve import load_text
from selfedit_formal.language.resolve.names import Names
from selfedit_formal.language.resolve.problems import Problems
from selfedit_formal.language.resolve.scope import (
    Inside,
    Position,
    Scope,
    SpanBinding,
    Use,
    ValueBinding,
    WindowBinding,
    unused,
)

SOURCE = Source("a.sef", "0123456789")
LOG = load_text("window Log { tag : a }").names.schemas["Log"]


def at(column: int) -> Location:
    return Location(SOURCE, 1, column, 1, column + 1)


def scope(*frames: Use, inside: Inside = "pass", shipped: bool = False) -> Scope:
    names = Names(shipped=shipped)
    return Scope(names, names, Problems(), LOG, inside, None, frames=frames)


def told(of: Scope) -> tuple[Diagnostic, ...]:
    with pytest.raises(Rejected) as rejected:
        of.problems.stop_if_any()
    return rejected.value.diagnostics


# ---------- names


def test_a_name_that_is_taken_gets_the_first_free_number_from_two_on() -> None:
    assert unused("s", frozenset()) == "s"
    assert unused("s", {"s"}) == "s_2"
    assert unused("s", {"s", "s_2", "s_4"}) == "s_3"


def test_a_span_that_is_bound_has_a_core_name_that_nothing_visible_has() -> None:
    outer = scope()
    first, one = outer.bind_span("s", None, at(1))
    second, both = one.bound("t", ValueBinding("int", None, at(2))).bind_span("u", Input("W"), at(3))
    assert (first, second) == ("s", "u")
    assert both.bindings["u"] == SpanBinding("u", Input("W"), at(3))
    assert both.taken == {"s", "u"}
    assert outer.bindings == {}
    assert len(outer.problems) == 0


def test_a_name_that_is_bound_already_is_reported_with_where_and_bound_anew() -> None:
    core, inside = scope().bind_span("s", None, at(1))
    again, inner = inside.bind_span("s", None, at(5))
    assert (core, again) == ("s", "s_2")
    assert inner.bindings["s"] == SpanBinding("s_2", None, at(5))
    assert told(inner) == (
        Diagnostic(
            "R011",
            "`s` has a meaning here already",
            at(5),
            "take another name, such as `t`",
            (("it is bound here", at(1)),),
        ),
    )


@pytest.mark.parametrize(("kind", "remembered"), [(None, True), ("property", True), ("predicate", False)])
def test_a_name_that_was_bound_once_is_remembered_unless_a_predicate_bound_it(
    kind: Literal["property", "predicate"] | None, remembered: bool
) -> None:
    here = scope() if kind is None else scope(Use(kind, "around", at(1)))
    here.bind_span("s", None, at(2))
    assert here.trail.past == ({"s": at(2)} if remembered else {})


def test_the_current_window_is_no_name_for_anything_else() -> None:
    current = scope().bound("W", WindowBinding(None, at(1)))
    assert not current.free("W", at(2))
    assert [d.message for d in told(current)] == ["`W` is the current window here and cannot name anything else"]
    given = scope().bound("W", WindowBinding(Input("W"), at(1)))
    assert not given.free("W", at(2))
    assert [d.message for d in told(given)] == ["`W` has a meaning here already"]
    assert scope().free("V", at(1))


@pytest.mark.parametrize("inside", ["pass", "claim", "gate", "assumption", "condition"])
def test_the_past_of_a_span_has_a_name_in_promises_and_assumptions_alone(inside: Inside) -> None:
    here = scope(inside=inside)
    assert here.sees(HISTORY[0]) == (inside in ("claim", "assumption"))
    assert not here.sees(Field("evicted", "bool"))


# ---------- positions


def test_a_denial_turns_a_position_round_and_what_is_mixed_stays_so() -> None:
    assert Position().negated() == Position(-1)
    assert Position().negated().negated() == Position()
    assert Position().mixed().negated() == Position(0)


@pytest.mark.parametrize(
    ("sign", "kind", "existential"),
    [(1, "all", False), (1, "some", True), (-1, "some", False), (-1, "all", True), (0, "all", True), (0, "some", True)],
)
def test_under_a_quantifier_that_may_come_to_there_is_one_a_position_is_existential(
    sign: int, kind: str, existential: bool
) -> None:
    position = Position(sign)  # type: ignore[arg-type]
    assert position.under(kind) == Position(sign, existential)  # type: ignore[arg-type]


def test_a_position_once_existential_stays_so() -> None:
    assert Position().under("some").negated().under("some").existential


def test_a_scope_moves_with_its_position() -> None:
    here = scope()
    assert here.negated().position == Position(-1)
    assert here.mixed().position == Position(0)
    assert here.at(Position(1, True)).position == Position(1, True)


# ---------- reports


def test_a_mistake_is_reported_where_it_is_with_the_uses_that_led_to_it() -> None:
    here = scope(Use("predicate", "outer", at(1)), Use("unit", "step", at(2)))
    here.report("R013", "no", at(7), "a hint", (("a note", at(8)),))
    assert told(here) == (
        Diagnostic(
            "R013",
            "no",
            at(7),
            "a hint",
            (("a note", at(8)), ("unit `step` is used here", at(2)), ("predicate `outer` is used here", at(1))),
        ),
    )


def test_a_mistake_in_a_property_is_reported_where_the_property_is_asked_for() -> None:
    here = scope(Use("property", "calm", at(3)))
    here.report("R013", "no", at(7))
    assert told(here) == (
        Diagnostic("R013", "property `calm` does not fit here: no", at(3), None, (("in the property, here", at(7)),)),
    )


def test_in_a_predicate_that_a_property_was_given_the_predicate_is_at_fault() -> None:
    here = scope(Use("property", "keeps", at(3)), Use("predicate", "fine", at(5)))
    here.report("R013", "no", at(7))
    (found,) = told(here)
    assert (found.message, found.location) == ("no", at(7))
    assert [n for n, _ in found.notes] == ["predicate `fine` is used here", "property `keeps` is used here"]


@pytest.mark.parametrize(
    ("frames", "shipped", "code"),
    [
        ([], False, "R006"),
        ([Use("predicate", "fine", at(5))], False, "R006"),
        ([Use("property", "calm", at(3))], False, "R029"),
        ([Use("property", "calm", at(3)), Use("predicate", "fine", at(5))], False, "R006"),
        ([Use("property", "calm", at(3)), Use("predicate", "fine", at(5))], True, "R029"),
    ],
    ids=["a policy", "a predicate", "a property", "a predicate that a property was given", "one that it has"],
)
def test_what_a_schema_lacks_is_the_fault_of_what_puts_the_two_together(
    frames: list[Use], shipped: bool, code: str
) -> None:
    here = scope(*frames, shipped=shipped)
    here.lacks("R006", "the field `x`", "window `Log` has no field `x`", at(7), "a hint")
    (found,) = told(here)
    assert (found.code, found.hint) == (code, "a hint")
    if code == "R029":
        assert found.message == "property `calm` needs the field `x`, which window `Log` does not have"
        assert (found.location, found.notes) == (at(3), (("the property needs it here", at(7)),))
    else:
        assert (found.message, found.location) == ("window `Log` has no field `x`", at(7))
