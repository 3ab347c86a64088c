"""The referee finds smallest windows, tries what it says it tries, and loses none by what it leaves out."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from selfedit_formal.core.expression import (
    FALSE,
    TRUE,
    And,
    Before,
    Compare,
    Count,
    Equal,
    Expression,
    Input,
    InSet,
    Int,
    Known,
    Linked,
    Name,
    Not,
    Origin,
    Parameter,
    Pass,
    Present,
    Read,
    SameRecord,
    SameSpan,
    SameWindow,
    Some,
    Total,
    WindowTerm,
)
from selfedit_formal.core.policy import (
    Assign,
    End,
    Evict,
    Insert,
    LetSet,
    Open,
    Original,
    ParameterDeclaration,
    Policy,
    Readmit,
    Set,
    Statement,
)
from selfedit_formal.core.property import Bound, Case, Claim, Obligation
from selfedit_formal.core.window import Field, Link, Schema, Span, Window
from selfedit_formal.engines import Found, GaveUp, Limits, NoneFound
from selfedit_formal.engines.bounded import BoundedRefuter
from selfedit_formal.engines.enumerate import Domains, Enumerate, domains
from selfedit_formal.semantics.interpreter import breaks

HERE = Origin("here")

SMALL = Schema(
    "Small",
    (
        Field("tag", "enum", names=("user", "call", "result")),
        Field("tokens", "int", low=1),
        Field("pinned", "bool"),
        Field("topic", "key"),
    ),
    (Link("answers", ("result",), ("call",)),),
)

W = Input("W")
P = Pass("p", "", W)
PP = Pass("p", "", P)
IDEMPOTENT = Claim(("W",), consequent=SameWindow(PP, P))
NEVER = Claim(("W",), consequent=FALSE)


def policy(*body: Statement) -> Policy:
    return Policy("p", SMALL, (), body)


def obligation(claim: Claim, *policies: Policy) -> Obligation:
    return Obligation("o", SMALL, policies, "promise", claim)


def solve(asked: Obligation, within: int = 3, given: Domains | None = None) -> Found | NoneFound | GaveUp:
    return Enumerate(given).solve(asked, Limits(within, seconds=None))


def tag_is(variable: str, tag: str, at: WindowTerm | None = None) -> Expression:
    return Equal(Read(variable, "tag", "enum", at), Name("enum", tag))


def evict(condition: Expression) -> Evict:
    return Evict(0, "s", condition, False, HERE)


DROP_CALLS = policy(evict(tag_is("s", "call")))


def paired(at: WindowTerm) -> Expression:
    orphan = And((tag_is("r", "result", at), Not(Some("c", at, Linked("answers", "r", "c")))))
    return Not(Some("r", at, orphan))


def test_the_first_window_found_is_a_smallest_one() -> None:
    answer = solve(obligation(Claim(("W",), antecedent=paired(W), consequent=paired(P)), DROP_CALLS))
    assert isinstance(answer, Found)
    assert (answer.spans, answer.shortest) == (2, True)
    assert {s["tag"] for s in answer.case.inputs["W"].spans} == {"call", "result"}


def test_a_promise_that_is_kept_has_no_case() -> None:
    assert solve(obligation(IDEMPOTENT, DROP_CALLS)) == NoneFound(3, complete=False)


def test_the_empty_window_is_tried_first() -> None:
    answer = solve(obligation(NEVER))
    assert isinstance(answer, Found)
    assert answer.spans == 0
    some = Claim(("W",), premise=Compare(">=", Count("s", W, TRUE), Int(2)), consequent=FALSE)
    answer = solve(obligation(some))
    assert isinstance(answer, Found)
    assert answer.spans == 2


def test_every_choice_of_the_model_is_tried() -> None:
    may = policy(LetSet(1, "some", "s", TRUE, may=True), evict(InSet("s", "some")))
    answer = solve(obligation(IDEMPOTENT, may))
    assert isinstance(answer, Found)
    assert answer.spans == 1
    assert [(k.run, k.span, v) for k, v in answer.case.choices.items()] == [("p1", "s1", False), ("p2", "s1", True)]


def test_an_open_value_is_tried_at_its_limits_and_at_small_values() -> None:
    shrink = policy(Set(0, "s", TRUE, (Open("tokens", None, Read("s", "tokens", "int")),), HERE))
    bound = (Bound("s", W),)
    for limit, found in ((1, False), (2, True)):
        kept = Compare("<", Read("s", "tokens", "int", P), Int(limit))
        answer = solve(obligation(Claim(("W",), bound, antecedent=kept, consequent=FALSE), shrink), 1)
        assert isinstance(answer, Found) is found


def test_a_run_that_does_not_exist_breaks_nothing() -> None:
    impossible = policy(Set(0, "s", TRUE, (Open("tokens", None, Int(0)),), HERE))
    some = Claim(("W",), premise=Compare(">=", Count("s", W, TRUE), Int(1)), consequent=SameWindow(P, W))
    assert solve(obligation(some, impossible), 2) == NoneFound(2)


def test_every_bound_span_is_tried_in_the_window_that_binds_it() -> None:
    first = evict(Not(Some("t", None, Before("t", "s"))))
    claim = Claim(("W",), (Bound("s", W), Bound("t", P)), consequent=SameSpan("s", "t"))
    answer = solve(obligation(claim, policy(first)))
    assert isinstance(answer, Found)
    assert (answer.spans, dict(answer.case.spans)) == (2, {"s": "s1", "t": "s2"})


def test_a_bound_span_may_be_a_created_one() -> None:
    insert = policy(Insert(0, End("back"), (Assign("tag", Name("enum", "user")),), None, HERE))
    claim = Claim(("W",), (Bound("m", P),), consequent=Present("m", W))
    answer = solve(obligation(claim, insert))
    assert isinstance(answer, Found)
    assert answer.case.spans["m"] == "new_p1_0"


def test_a_plans_spans_are_distinct() -> None:
    plan = Policy("p", SMALL, (), (evict(SameSpan("s", "x")),), ("x", "y"))
    asked = replace(obligation(Claim(("W",), consequent=Present("x", P)), plan), spans=("x", "y"))
    answer = solve(asked)
    assert isinstance(answer, Found)
    assert (answer.spans, dict(answer.case.spans)) == (2, {"x": "s1", "y": "s2"})


def test_parameters_are_tried_within_their_bounds() -> None:
    over = policy(evict(Compare(">", Read("s", "tokens", "int"), Parameter("cap"))))
    asked = replace(
        obligation(Claim(("W",), (Bound("s", W),), consequent=Present("s", P)), over),
        parameters=(ParameterDeclaration("cap", low=2),),
    )
    answer = solve(asked)
    assert isinstance(answer, Found)
    assert (answer.case.parameters["cap"], answer.case.inputs["W"].spans[0]["tokens"]) == (2, 3)
    high = replace(asked, parameters=(ParameterDeclaration("cap", low=50),))
    assert solve(high, 1, Domains(fields={"tokens": (1, 2)})) == NoneFound(1)


def test_archives_are_tried_where_a_policy_reads_them() -> None:
    back = policy(Readmit(0, "s", TRUE, Original(), False, HERE))
    answer = solve(obligation(Claim(("W",), consequent=SameWindow(P, W)), back))
    assert isinstance(answer, Found)
    assert answer.case.inputs["W"].archived == {"s1"}
    assert solve(obligation(Claim(("W",), consequent=SameWindow(P, W)), policy()), 2) == NoneFound(2)


def test_two_inputs_may_share_spans_and_agree_about_links() -> None:
    claim = Claim(("V", "W"), (Bound("s", Input("V")), Bound("t", W)), consequent=Not(SameSpan("s", "t")))
    answer = solve(obligation(claim), 2)
    assert isinstance(answer, Found)
    assert (answer.spans, dict(answer.case.spans)) == (2, {"s": "s1", "t": "s1"})
    shared = Claim(
        ("V", "W"),
        (Bound("r", Input("V")), Bound("c", Input("V"))),
        antecedent=And((Present("r", W), Present("c", W), Linked("answers", "r", "c"))),
        consequent=FALSE,
    )
    answer = solve(obligation(shared), 2, Domains(fields={"tag": ("call", "result"), "tokens": (1,)}))
    assert isinstance(answer, Found)
    assert answer.spans == 4
    assert answer.case.inputs["V"].links == answer.case.inputs["W"].links != frozenset()


def test_records_of_two_inputs_differ() -> None:
    claim = Claim(("V", "W"), (Bound("s", W),), consequent=SameRecord("s", W, Input("V")))
    answer = solve(
        obligation(replace(claim, antecedent=Present("s", Input("V")))), 1, Domains(fields={"tag": ("user",)})
    )
    assert isinstance(answer, Found)
    assert answer.spans == 2


def test_a_written_out_window_is_the_only_one() -> None:
    written = Window(SMALL, (Span("A", {"tag": "call", "tokens": 9, "pinned": False, "topic": "none"}),))
    asked = replace(obligation(Claim(("W",), consequent=SameWindow(P, W)), DROP_CALLS), fixed=written)
    answer = solve(asked)
    assert isinstance(answer, Found)
    assert answer.case.inputs["W"] == written
    assert solve(replace(asked, claim=IDEMPOTENT)) == NoneFound(3, complete=True)


def test_an_answer_about_a_written_out_window_is_complete_only_if_every_value_was_tried() -> None:
    written = Window(SMALL, (Span("A", {"tag": "call", "tokens": 9, "pinned": False, "topic": "none"}),))
    shrink = policy(Set(0, "s", TRUE, (Open("tokens", None, Read("s", "tokens", "int")),), HERE))
    total = Compare("<=", Total("s", P, Read("s", "tokens", "int", P), TRUE), Int(9))
    asked = replace(obligation(Claim(("W",), consequent=total), shrink), fixed=written)
    assert solve(asked) == NoneFound(3, complete=False)
    assert solve(asked, 3, Domains(ints=tuple(range(1, 10)))) == NoneFound(3, complete=True)
    bounded = replace(asked, parameters=(ParameterDeclaration("n", 0, 1),))
    assert solve(bounded, 3, Domains(ints=tuple(range(1, 10)))) == NoneFound(3, complete=True)
    unbounded = replace(asked, parameters=(ParameterDeclaration("n", 0),))
    assert solve(unbounded, 3, Domains(ints=tuple(range(1, 10)))) == NoneFound(3, complete=False)


def test_it_gives_up_when_its_time_is_over() -> None:
    answer = Enumerate().solve(obligation(IDEMPOTENT, DROP_CALLS), Limits(8, seconds=0.0))
    assert answer == GaveUp("no answer within 0 seconds", 0)


# ---------- what only sessions do

NEW = Insert(
    0,
    End("back"),
    (Assign("tag", Name("enum", "call")), Open("tokens", None, Int(3))),
    None,
    HERE,
    may=True,
    variable="n",
    condition=Compare(">=", Read("n", "tokens", "int"), Count("t", None, TRUE)),
)


def some_call(*more: Expression) -> Claim:
    return Claim(("W",), consequent=Not(Some("s", P, And((tag_is("s", "call", P), *more)))))


def test_a_span_may_come_or_not_and_only_as_its_condition_says() -> None:
    fields = Domains(fields={"tag": ("user",)}, ints=(1, 2, 3))
    for spans, tokens, comes in ((0, 1, True), (2, 3, True), (2, 2, False), (3, 3, False)):
        at_most = Compare("<=", Read("s", "tokens", "int", P), Int(tokens))
        size = Compare("==", Count("t", W, TRUE), Int(spans))
        users = And((size, Not(Some("u", W, Not(tag_is("u", "user", W))))))
        asked = obligation(replace(some_call(at_most), premise=users), policy(NEW))
        for answer in (solve(asked, 3, fields), BoundedRefuter().solve(asked, Limits(3, seconds=None))):
            assert isinstance(answer, Found) is comes
    stays_away = obligation(Claim(("W",), consequent=Not(SameWindow(P, W))), policy(NEW))
    answer = solve(stays_away, 1, fields)
    assert isinstance(answer, Found)
    assert answer.spans == 0


def test_archived_spans_are_tried_where_a_claim_speaks_of_known_ones() -> None:
    all_there = Claim(("W",), (Bound("s", Known(W)),), consequent=Present("s", W))
    answer = solve(obligation(all_there, DROP_CALLS))
    assert isinstance(answer, Found)
    assert answer.case.inputs["W"].archived == {"s1"}
    none_left = replace(all_there, premise=Not(Some("a", Known(W), Not(Present("a", W)))))
    assert solve(obligation(none_left, DROP_CALLS)) == NoneFound(3, complete=False)


def test_what_a_set_of_archived_spans_changes_is_tried() -> None:
    pin = Set(1, "s", TRUE, (Assign("pinned", TRUE),), HERE, archive=True)
    left = Not(Present("s", P))
    pinned = Claim(("W",), (Bound("s", Known(P)),), antecedent=left, consequent=Read("s", "pinned", "bool", P))
    assert solve(obligation(pinned, policy(evict(tag_is("s", "call")), pin)), 2) == NoneFound(2, complete=False)
    answer = solve(obligation(pinned, policy(pin, evict(tag_is("s", "call")))), 2)
    assert isinstance(answer, Found)
    assert answer.spans == 1


def test_the_history_is_varied_where_it_is_read_and_makes_no_windows_different() -> None:
    aged = Schema("Aged", (*SMALL.fields, Field("met", "bool", history=True), Field("turns", "int", history=True)))
    meets = Set(0, "s", TRUE, (Assign("met", TRUE), Assign("turns", Int(1))), HERE)

    def asked(claim: Claim) -> Obligation:
        return Obligation("o", aged, (Policy("p", aged, (), (meets,)),), "promise", claim)

    same = asked(Claim(("W",), consequent=SameWindow(P, W)))
    assert {len(domains(same).fields[f]) for f in ("met", "turns")} == {2, 4}
    assert solve(same, 1) == NoneFound(1, complete=False)
    answer = solve(asked(Claim(("W",), (Bound("s", W),), consequent=Read("s", "met", "bool", W))), 1)
    assert isinstance(answer, Found)


# ---------- what is varied


def test_fields_that_nothing_reads_have_one_value() -> None:
    asked = obligation(IDEMPOTENT, DROP_CALLS)
    tried = domains(asked).fields
    assert tried["tag"] == ("user", "call", "result")
    assert {len(tried[f]) for f in ("tokens", "pinned", "topic")} == {1}


def test_ints_are_tried_near_their_bounds_and_near_constants() -> None:
    big = Compare(">", Read("s", "tokens", "int"), Int(40))
    assert domains(obligation(NEVER, policy(evict(big)))).fields["tokens"] == (1, 2, 40, 41)


def test_keys_that_are_mentioned_are_tried_and_the_others_are_interchangeable() -> None:
    topic = Read("s", "topic", "key")
    asked = obligation(NEVER, policy(evict(Equal(topic, Name("key", "k")))))
    assert domains(asked).keys == ("none", "k", "k1", "k2")


@pytest.mark.parametrize("size", [0, 1, 2])
def test_leaving_out_what_only_renames_loses_no_case(size: int) -> None:
    """Against every window of two keys and tags, without any reduction."""
    same = Equal(Read("s", "topic", "key"), Read("t", "topic", "key"))
    twin = Some("t", None, And((same, Before("s", "t"), tag_is("t", "call"))))
    consequents = (SameWindow(P, W), Not(SameWindow(P, W)), SameWindow(PP, P))
    fields = {"tag": ("user", "call"), "tokens": (1,), "pinned": (False,), "topic": ("none", "k1", "k2")}
    records = [dict(zip(fields, values, strict=True)) for values in product(*fields.values())]
    premise = Compare("==", Count("s", W, TRUE), Int(size))
    for consequent in consequents:
        asked = obligation(Claim(("W",), premise=premise, consequent=consequent), policy(evict(twin)))
        windows = (
            Window(SMALL, tuple(Span(f"s{i}", record) for i, record in enumerate(chosen)))
            for chosen in product(records, repeat=size)
        )
        broken = any(breaks(asked, Case({"W": w}, {}, {}, {})) for w in windows)
        assert isinstance(solve(asked, size), Found) is broken
