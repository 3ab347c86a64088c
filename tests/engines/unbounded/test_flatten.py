"""A pass run statement by statement: versions that say what the interpreter does, and formulas that name them."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from selfedit_formal.core.budget import Spent, Work
from selfedit_formal.core.certificate import RuleGround
from selfedit_formal.core.expression import (
    TRUE,
    Arrived,
    Compare,
    Divide,
    Equal,
    Expression,
    Fires,
    Int,
    Name,
    Not,
    Pass,
    Present,
    Read,
    SameWindow,
    Some,
    WindowTerm,
    Without,
)
from selfedit_formal.core.policy import Block, End, Insert, Policy, Refuse, Set
from selfedit_formal.core.property import Bound, Claim, Obligation
from selfedit_formal.core.window import Field, Schema
from selfedit_formal.engines.unbounded.flatten import Outside, codes, flatten, within, within_bounds
from selfedit_formal.engines.unbounded.ir import (
    HEAD,
    YES,
    Alive,
    Choosing,
    Chosen,
    Evicting,
    FieldAt,
    Identical,
    Inserting,
    Num,
    Op,
    Setting,
    free,
    negate,
    show,
    walk,
)
from tests import obligations
from tests.engines.unbounded.evaluated import Evaluated
from tests.obligations import ONCE, SCHEMA, TWICE, W, about, evict, fixed, idempotent, may_evict, pinned, policy, tokens
from tests.short import PLAIN, questions

ORIGIN = evict(TRUE).origin


@pytest.mark.parametrize(("body", "promises"), PLAIN.items())
def test_versions_on_a_written_window_say_what_the_interpreter_does(body: str, promises: str) -> None:
    for asked, window, parameters, expected in questions(body, promises):
        assert Evaluated(flatten(asked), window, parameters).broken() == expected, (asked.name, window)


# ---------- versions


def claimed(consequent: Expression, *bound: Bound, subject: Policy | None = None) -> Obligation:
    return about(subject or policy(evict(pinned("s"))), "any", Claim(("W",), bound, consequent=consequent))


def test_each_edit_makes_a_version_of_the_one_before_under_the_conditions_around_it() -> None:
    body = Block(1, Some("t", None, TRUE), (evict(pinned("s"), 2),), False, ORIGIN)
    made = flatten(claimed(SameWindow(ONCE, W), subject=policy(evict(TRUE, 0), body, evict(TRUE, 3)))).versions
    assert [(v.parent, v.rule) for v in made[1:]] == [
        (0, RuleGround("P", 0)),
        (1, RuleGround("P", 2)),
        (2, RuleGround("P", 3)),
    ]
    assert all(isinstance(v.step, Evicting) for v in made[1:])
    assert [show(v.guard) for v in made[1:]] == ["true", "some t in [1]: true", "true"]


def test_the_same_window_is_one_version_wherever_it_is_named() -> None:
    assert len(flatten(claimed(SameWindow(ONCE, W))).versions) == 2
    assert len(flatten(claimed(Not(Some("s", ONCE, Not(SameWindow(ONCE, W)))))).versions) == 2
    assert len(flatten(claimed(SameWindow(TWICE, ONCE))).versions) == 3


def test_a_pass_that_may_refuse_is_undone_as_a_whole() -> None:
    refuse = Refuse(1, pinned("x"), "much", ORIGIN)
    subject = policy(evict(pinned("s")), replace(refuse, condition=Some("x", None, pinned("x"))))
    made = flatten(claimed(SameWindow(ONCE, W), subject=subject)).versions
    step = made[-1].step
    assert isinstance(step, Choosing)
    assert (step.other, made[-1].parent, made[-1].rule) == (0, 1, None)


def test_a_set_reads_the_version_that_it_changes() -> None:
    double = Set(0, "s", pinned("s"), (), ORIGIN)
    assert flatten(claimed(SameWindow(ONCE, W), subject=policy(double))).versions[1].step == Setting(
        Op("and", (Alive(HEAD, 0), FieldAt(HEAD, "pinned", 0))), {}
    )


def test_choices_are_those_of_a_policy_a_run_and_a_depth() -> None:
    other: WindowTerm = Pass("P", "'", W)
    trace = flatten(claimed(SameWindow(TWICE, other), subject=policy(*may_evict(TRUE))))
    steps = [v.step for v in trace.versions[1:]]
    runs = [
        x.fact.run
        for step in steps
        if isinstance(step, Evicting)
        for x in walk(step.condition)
        if hasattr(x, "fact") and isinstance(x.fact, Chosen)
    ]
    assert sorted(runs) == ["P'1", "P1", "P2"]


# ---------- formulas


def test_what_is_said_of_a_broken_claim_is_closed_but_for_its_spans() -> None:
    trace = flatten(claimed(Present("k", ONCE), Bound("k", W)))
    (witness,) = trace.witnesses
    assert trace.spans == {"k": witness}
    assert trace.witnesses[witness] == Alive(HEAD, 0)
    assert trace.broken == [YES, negate(Alive(witness, 1))]
    assert trace.assumed == []
    assert free(trace.broken[1]) == {witness}


def test_windows_are_equal_in_what_may_have_changed() -> None:
    kept = flatten(claimed(SameWindow(ONCE, W))).broken[1]
    assert not any(isinstance(x, FieldAt) and x.field == "tokens" for x in walk(kept))
    assert not any(isinstance(x, Identical) for x in walk(kept))


def test_an_equality_with_fresh_spans_is_said_to_be_one() -> None:
    insert = Insert(0, End("back"), (), None, ORIGIN)
    trace = flatten(claimed(SameWindow(ONCE, W), subject=policy(insert)))
    assert any(isinstance(x, Identical) for x in walk(trace.broken[1]))
    ((mark, made),) = trace.fresh.items()
    assert (made.run, made.site, made.span) == ("P1", 0, "new_P1_0")
    assert isinstance(trace.versions[1].step, Inserting)
    assert trace.versions[1].step.mark == mark


def test_no_two_elements_that_stay_are_labelled_alike() -> None:
    trace = flatten(idempotent(policy(evict(TRUE))))
    made = [trace.element("let", "x"), trace.element("witness", "x"), trace.element("bound", "x")]
    assert [m.label for m in made] == ["x", "x_2", "x_3"]
    assert trace.element("let", "x").label == "x_3"
    assert len({m.number for m in made}) == 3


# ---------- values and their bounds


NAMED = Schema(
    "Named", (Field("a", "enum", names=("x", "y")), Field("b", "enum", names=("y", "z")), Field("c", "int", 1))
)


def test_a_name_has_one_number_whatever_its_field() -> None:
    assert codes(NAMED) == {"x": 1, "y": 2, "z": 3}


@pytest.mark.parametrize(
    ("field", "admitted"),
    [
        (Field("f", "int", 1, 3), {1, 2, 3}),
        (Field("f", "int", None, 0), {-1, 0}),
        (Field("f", "enum", names=("b", "c")), {2, 3}),
        (Field("f", "enum", names=("a", "c")), {1, 3}),
        (Field("f", "enum", names=()), set()),
        (Field("f", "key"), {0, 1, 2, 3, 4, 5}),
        (Field("f", "bool"), {-1, 0, 1, 2, 3, 4, 5}),
    ],
)
def test_a_value_is_bounded_as_its_field_was_declared(field: Field, admitted: set[int]) -> None:
    numbers = {"a": 1, "b": 2, "c": 3}
    evaluated = Evaluated(flatten(idempotent(policy())), obligations.window(), {})
    found = {
        n for n in range(-1, 6) if all(evaluated.holds(bound, {}) for bound in within_bounds(Num(n), field, numbers))
    }
    assert found == admitted
    if field.kind == "int":
        assert {n for n in range(-1, 6) if within(n, field)} == admitted


# ---------- what is outside

INNER = Some("s", W, SameWindow(Without(W, "s"), W))


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        (fixed(claimed(TRUE), obligations.window()), "the window is written out"),
        (replace(claimed(TRUE), claim=Claim(("W", "V"))), "the promise compares two independent windows"),
        (
            replace(claimed(TRUE), schema=replace(SCHEMA, fields=(Field("f", "int", 2, 1),))),
            "a field that can have no value",
        ),
        (claimed(TRUE, Bound("s", W), Bound("s", W)), "two spans of the promise have one name"),
        (claimed(INNER), "a window without it is asked of a span that an inner quantifier binds"),
        (
            claimed(Some("s", W, SameWindow(Arrived(W, tokens("s", W)), W))),
            "what arrives has a size that an inner quantifier's span decides",
        ),
        (
            claimed(Compare("==", Divide(Int(1), 0, "down"), Int(0))),
            "a division by a number that is not positive",
        ),
        (claimed(Some("s", W, Equal(Read("s", "call", "key", W), Name("key", "x")))), "the key `x`"),
        (claimed(Some("s", W, Equal(Read("s", "tag", "enum", W), Name("enum", "x")))), "the name `x`"),
        (claimed(Fires(ONCE, 0)), "whether a rule fires is a question for a window"),
    ],
)
def test_what_is_not_expressed_is_named(asked: Obligation, reason: str) -> None:
    with pytest.raises(Outside, match=re.escape(reason)):
        flatten(asked)


def test_a_span_that_two_passes_put_in_is_outside_where_the_promise_names_it() -> None:
    subject = policy(Insert(0, End("back"), (), None, ORIGIN))
    without = Pass("P", "", Without(W, "k"))
    two = claimed(Some("s", ONCE, Present("s", without)), Bound("k", W), subject=subject)
    with pytest.raises(Outside, match="a span that is put into two windows"):
        flatten(two)


def test_too_much_work_is_not_done() -> None:
    with pytest.raises(Spent):
        flatten(idempotent(policy(evict(pinned("s")))), Work(10))
