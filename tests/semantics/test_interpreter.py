"""The meaning of every node of the core, on windows written by hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

import pytest

from selfedit_formal.core.expression import (
    ASSUMED,
    FALSE,
    TRUE,
    Add,
    All,
    And,
    Arrived,
    Before,
    Bool,
    Compare,
    Count,
    Created,
    Divide,
    Equal,
    Expression,
    Fires,
    If,
    Implies,
    Input,
    InSet,
    Int,
    Known,
    Linked,
    Local,
    Logged,
    Modulo,
    Multiply,
    Name,
    Not,
    Or,
    Origin,
    Overridden,
    Parameter,
    Pass,
    Present,
    Reaches,
    Read,
    Refused,
    Rescored,
    SameRecord,
    SameSpan,
    SameWindow,
    Some,
    Swapped,
    Total,
    Triggered,
    WindowTerm,
    Without,
)
from selfedit_formal.core.policy import (
    GATE_RUN,
    Assign,
    Assignment,
    Beside,
    Block,
    End,
    Evict,
    Fill,
    Gate,
    Insert,
    Keep,
    LetSet,
    LetSpan,
    LetValue,
    Move,
    NoSpan,
    Open,
    Original,
    ParameterDeclaration,
    Pick,
    Place,
    Policy,
    Readmit,
    Refuse,
    Set,
    SpanIf,
    SpanNamed,
    SpanTerm,
    Statement,
)
from selfedit_formal.core.property import (
    ARRIVAL_SITE,
    ARRIVED_ID,
    ORACLE_SITE,
    RESCORED_SITE,
    Bound,
    Case,
    ChoiceKey,
    Claim,
    Obligation,
    fresh_id,
    run_key,
)
from selfedit_formal.core.window import COVERS, NO_KEY, Field, Link, Schema, Span, Value, Window
from selfedit_formal.semantics.interpreter import (
    GATE_SITE,
    NO_CASE,
    Domain,
    Event,
    Given,
    Judgement,
    NoSuchRun,
    PassRecord,
    apply,
    breaks,
    judge,
    judge_with,
    passes,
    taken,
)

HERE = Origin("here")
STAY = Original()

CHAT = Schema(
    "Chat",
    (
        Field("tag", "enum", names=("user", "call", "result", "note", "summary")),
        Field("tokens", "int", low=0),
        Field("pinned", "bool"),
        Field("topic", "key"),
    ),
    (Link("answers", ("result",), ("call",)), Link("next")),
)

SCORED = Schema(
    "Scored",
    (
        Field("tag", "enum", names=("item",)),
        Field("fit", "int", low=0, high=9, oracle="query"),
        Field("rank", "int", low=0, high=9, oracle="window"),
    ),
)

AGED = Schema(
    "Aged",
    (
        Field("tag", "enum", names=("item",)),
        Field("tokens", "int", low=0),
        Field("met", "bool", history=True),
        Field("turns", "int", low=1, history=True),
    ),
)

W = Input("W")
P = Pass("p", "", W)
PP = Pass("p", "", P)


def chat(identity: str, tag: str = "user", tokens: int = 0, pinned: bool = False, topic: str = NO_KEY) -> Span:
    return Span(identity, {"tag": tag, "tokens": tokens, "pinned": pinned, "topic": topic})


def window(
    *spans: Span, archived: str = "", links: tuple[tuple[str, str, str], ...] = (), schema: Schema = CHAT
) -> Window:
    """`archived` lists ids of one letter."""
    return Window(schema, spans, frozenset(archived), frozenset(links))


def policy(*body: Statement, schema: Schema = CHAT, spans: str = "", gates: tuple[Gate, ...] = ()) -> Policy:
    return Policy("p", schema, (), body, tuple(spans), gates)


def run(
    on: Window, *body: Statement, choices: Mapping[ChoiceKey, Value] | None = None, gates: tuple[Gate, ...] = ()
) -> PassRecord:
    """One pass of these statements. They may speak of every span of the window by its id."""
    ids = "".join(s.id for s in on.spans)
    made = policy(*body, schema=on.schema, spans=ids, gates=gates)
    return apply(made, on, {}, {i: i for i in ids}, Given(choices or {}))


def shown(result: Window) -> str:
    """The ids in order; archived ones in parentheses, created ones as `*`."""
    names = {s.id: "*" if s.id in result.fresh else s.id for s in result.spans}
    return " ".join(f"({names[s.id]})" if s.id in result.archived else names[s.id] for s in result.spans)


def tag_is(variable: str, tag: str, at: WindowTerm | None = None) -> Expression:
    return Equal(Read(variable, "tag", "enum", at), Name("enum", tag))


def tokens(variable: str, at: WindowTerm | None = None) -> Expression:
    return Read(variable, "tokens", "int", at)


def at_most(left: Expression, right: Expression) -> Expression:
    return Compare("<=", left, right)


def evict(site: int, condition: Expression, logged: bool = False) -> Evict:
    return Evict(site, "s", condition, logged, HERE)


def is_span(identity: str) -> Expression:
    return SameSpan("s", identity)


def is_first() -> Expression:
    return Not(Some("t", None, Before("t", "s")))


def among(identities: str) -> Expression:
    return Or(tuple(is_span(i) for i in identities))


def true_here(expression: Expression, on: Window, *before: Statement) -> bool:
    """Whether the expression is true in a policy, after the statements given."""
    return run(on, *before, Refuse(99, expression, "true", HERE)).refused == "true"


def number_here(expression: Expression, on: Window, *before: Statement) -> int:
    """The value of an int expression in a policy on a window of which the first span is present."""
    after = run(on, *before, Set(99, "v", TRUE, (Assign("tokens", expression),), HERE)).after
    value = after.present()[0]["tokens"]
    assert isinstance(value, int)
    return value


def obligation(claim: Claim, *policies: Policy, schema: Schema = CHAT, spans: str = "") -> Obligation:
    return Obligation("o", schema, policies, "promise", claim, spans=tuple(spans))


def holds(
    consequent: Expression,
    on: Window,
    *policies: Policy,
    choices: Mapping[ChoiceKey, Value] | None = None,
    bound: tuple[tuple[str, WindowTerm, str], ...] = (),
) -> bool:
    """Whether the claim holds on a window with these choices and bound spans (variable, window, span)."""
    claim = Claim(("W",), tuple(Bound(v, w) for v, w, _ in bound), consequent=consequent)
    case = Case({"W": on}, {}, {v: s for v, _, s in bound}, choices or {})
    judgement = judge(obligation(claim, *policies, schema=on.schema), case)
    assert judgement.exists
    return judgement.consequent


# ---------- numbers

ONE = window(chat("A", tokens=7))


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        (Int(-3), -3),
        (Add((Int(2), Int(3), Int(-9))), -4),
        (Add(()), 0),
        (Multiply(Int(-2), Read("A", "tokens", "int")), -14),
        (Divide(Int(7), 2, "down"), 3),
        (Divide(Int(7), 2, "up"), 4),
        (Divide(Int(-7), 2, "down"), -4),
        (Divide(Int(-7), 2, "up"), -3),
        (Divide(Int(-6), 2, "down"), -3),
        (Divide(Int(-6), 2, "up"), -3),
        (Modulo(Int(7), 4), 3),
        (Modulo(Int(-7), 4), 1),
        (Modulo(Int(-8), 4), 0),
        (If(TRUE, Int(1), Int(2)), 1),
        (If(FALSE, Int(1), Int(2)), 2),
        (Int(10**40), 10**40),
    ],
)
def test_numbers_are_unbounded_and_division_rounds_towards_the_infinities(expression: Expression, value: int) -> None:
    assert number_here(expression, ONE) == value


THREE = window(chat("A", tokens=1), chat("B", "note", 20), chat("C", tokens=300), archived="B")


def test_counts_and_totals_are_over_present_spans() -> None:
    assert number_here(Count("t", None, TRUE), THREE) == 2
    assert number_here(Total("t", None, tokens("t"), TRUE), THREE) == 301
    assert number_here(Total("t", None, tokens("t"), at_most(tokens("t"), Int(1))), THREE) == 1
    assert number_here(Total("t", None, Multiply(Int(-1), tokens("t")), FALSE), THREE) == 0


@pytest.mark.parametrize(
    ("operator", "truths"),
    [
        ("<", (True, False, False)),
        ("<=", (True, True, False)),
        (">", (False, False, True)),
        (">=", (False, True, True)),
        ("==", (False, True, False)),
        ("!=", (True, False, True)),
    ],
)
def test_ints_compare(operator: Literal["<", "<=", ">", ">=", "==", "!="], truths: tuple[bool, bool, bool]) -> None:
    assert tuple(true_here(Compare(operator, Int(n), Int(0)), ONE) for n in (-1, 0, 1)) == truths


# ---------- truth


@pytest.mark.parametrize(
    ("expression", "truth"),
    [
        (And(()), True),
        (And((TRUE, FALSE)), False),
        (Or(()), False),
        (Or((FALSE, TRUE)), True),
        (Not(TRUE), False),
        (Implies(FALSE, FALSE), True),
        (Implies(TRUE, FALSE), False),
        (Implies(TRUE, TRUE), True),
        (Equal(TRUE, FALSE), False),
        (Equal(FALSE, FALSE), True),
        (Equal(Name("key", NO_KEY), Name("key", NO_KEY)), True),
        (Equal(Name("key", "k"), Name("key", NO_KEY)), False),
        (Equal(If(TRUE, Name("enum", "user"), Name("enum", "note")), Name("enum", "user")), True),
    ],
)
def test_truth_is_two_valued(expression: Expression, truth: bool) -> None:
    assert true_here(expression, ONE) is truth


def test_quantifiers_range_over_present_spans() -> None:
    assert not true_here(Some("t", None, tag_is("t", "note")), THREE)
    assert true_here(All("t", None, tag_is("t", "user")), THREE)
    assert true_here(All("t", None, FALSE), window(chat("A"), archived="A"))
    assert not true_here(Some("t", None, TRUE), window())


def test_order_is_strict_and_archived_spans_hold_their_place() -> None:
    assert true_here(Before("A", "B"), THREE)
    assert true_here(Before("B", "C"), THREE)
    assert not true_here(Before("C", "B"), THREE)
    assert not true_here(Before("A", "A"), THREE)


def test_presence_is_not_place_and_an_archived_span_reads_its_last_record() -> None:
    assert true_here(Present("A"), THREE)
    assert not true_here(Present("B"), THREE)
    assert number_here(tokens("B"), THREE) == 20


def test_a_link_has_a_direction() -> None:
    linked = window(chat("A", "call"), chat("B", "result"), links=(("answers", "B", "A"),))
    assert true_here(Linked("answers", "B", "A"), linked)
    assert not true_here(Linked("answers", "A", "B"), linked)
    assert not true_here(Linked("next", "B", "A"), linked)


def test_a_link_holds_between_archived_spans_too() -> None:
    linked = window(chat("A", "call"), chat("B", "result"), archived="AB", links=(("answers", "B", "A"),))
    assert true_here(Linked("answers", "B", "A"), linked)


CHAIN = (("next", "A", "B"), ("next", "B", "C"))


def test_a_span_reaches_another_over_present_spans_only() -> None:
    spans = (chat("A"), chat("B"), chat("C"))
    assert true_here(Reaches("next", "A", "C"), window(*spans, links=CHAIN))
    assert not true_here(Reaches("next", "C", "A"), window(*spans, links=CHAIN))
    assert not true_here(Reaches("next", "A", "C"), window(*spans, archived="B", links=CHAIN))
    assert not true_here(Reaches("next", "A", "B"), window(*spans, archived="A", links=CHAIN))
    assert not true_here(Reaches("next", "A", "B"), window(*spans, archived="B", links=CHAIN))


def test_a_span_reaches_itself_only_around_a_cycle() -> None:
    spans = (chat("A"), chat("B"), chat("C"))
    assert not true_here(Reaches("next", "A", "A"), window(*spans, links=CHAIN))
    assert true_here(Reaches("next", "A", "A"), window(*spans, links=(*CHAIN, ("next", "C", "A"))))


# ---------- absent spans

ABSENT = LetSpan(0, "gone", NoSpan())


@pytest.mark.parametrize(
    "expression",
    [
        Before("gone", "A"),
        Before("A", "gone"),
        SameSpan("gone", "gone"),
        SameSpan("gone", "A"),
        SameSpan("A", "gone"),
        Linked("next", "gone", "A"),
        Linked(COVERS, "gone", "A"),
        Reaches("next", "gone", "gone"),
        Present("gone"),
        InSet("gone", "every"),
        Created("gone"),
        Read("gone", "pinned", "bool"),
        tag_is("gone", "user"),
    ],
    ids=repr,
)
def test_what_is_said_of_an_absent_span_is_false(expression: Expression) -> None:
    every = LetSet(1, "every", "t", TRUE)
    assert not true_here(expression, ONE, ABSENT, every)
    assert true_here(Not(expression), ONE, ABSENT, every)


def test_the_fields_of_an_absent_span_are_zero() -> None:
    assert number_here(Add((Int(1), tokens("gone"))), ONE, ABSENT) == 1
    assert true_here(Equal(Read("gone", "topic", "key"), Name("key", NO_KEY)), ONE, ABSENT)
    assert true_here(Equal(Read("gone", "tag", "enum"), Read("gone", "tag", "enum")), ONE, ABSENT)


# ---------- names


def test_a_set_is_what_it_was_where_it_was_named() -> None:
    old = LetSet(0, "old", "s", tag_is("s", "user"))
    after = run(ONE, old, Set(1, "s", TRUE, (Assign("tag", Name("enum", "note")),), HERE), evict(2, InSet("s", "old")))
    assert shown(after.after) == "(A)"


def test_a_value_is_what_it_was_where_it_was_named() -> None:
    before = (LetValue(0, "n", "int", Count("t", None, TRUE)), evict(1, is_span("A")))
    on = window(chat("A"), chat("B"))
    assert number_here(Local("n", "int"), on, *before) == 2


@pytest.mark.parametrize(
    ("term", "found"),
    [
        (Pick("first", "s", tag_is("s", "user")), "B"),
        (Pick("last", "s", tag_is("s", "user")), "C"),
        (Pick("first", "s", tag_is("s", "call")), None),
        (Pick("first", "s", TRUE, archive=True), "A"),
        (Pick("last", "s", TRUE, archive=True), "D"),
        (SpanNamed("C"), "C"),
        (NoSpan(), None),
        (SpanIf(Present("A"), SpanNamed("A"), SpanNamed("B")), "B"),
        (SpanIf(Present("B"), NoSpan(), SpanNamed("B")), None),
    ],
)
def test_a_definite_span_is_found_in_the_window_or_the_archive(term: SpanTerm, found: str | None) -> None:
    on = window(chat("A", "note"), chat("B"), chat("C"), chat("D", "note"), archived="AD")
    wanted = Not(SameSpan("it", "it")) if found is None else SameSpan("it", found)
    assert true_here(wanted, on, LetSpan(0, "it", term))


def test_a_set_of_archived_spans() -> None:
    on = window(chat("A"), chat("B"), archived="A")
    assert true_here(InSet("A", "out"), on, LetSet(0, "out", "s", TRUE, archive=True))
    assert not true_here(InSet("B", "out"), on, LetSet(0, "out", "s", TRUE, archive=True))


def test_names_of_a_block_that_did_not_run_are_empty() -> None:
    inside = (
        LetSet(1, "set", "s", TRUE),
        LetSpan(2, "span", SpanNamed("A")),
        LetValue(3, "value", "int", Int(5)),
        LetValue(4, "truth", "bool", TRUE),
    )
    block = Block(0, FALSE, inside, False, HERE)
    assert not true_here(InSet("A", "set"), ONE, block)
    assert not true_here(SameSpan("span", "A"), ONE, block)
    assert number_here(Local("value", "int"), ONE, block) == 0
    assert not true_here(Local("truth", "bool"), ONE, block)


def test_the_model_chooses_a_subset_of_the_spans_that_qualify() -> None:
    on = window(chat("A"), chat("B"), chat("C", "note"))
    body = (LetSet(0, "some", "s", tag_is("s", "user"), may=True), evict(1, InSet("s", "some")))
    picked = {ChoiceKey("p1", 0, "B", ""): True, ChoiceKey("p1", 0, "C", ""): True}
    assert shown(run(on, *body, choices=picked).after) == "A (B) C"
    assert shown(run(on, *body).after) == "A B C"


# ---------- keep, evict


def test_a_condition_is_read_for_all_spans_before_any_of_them_leaves() -> None:
    on = window(chat("A"), chat("B"), chat("C"))
    newer = Some("t", None, Before("s", "t"))
    assert shown(run(on, evict(0, newer)).after) == "(A) (B) C"


def test_what_was_kept_is_not_evicted_set_or_filled_for_the_rest_of_the_pass() -> None:
    on = window(chat("A", tokens=9, pinned=True), chat("B", tokens=9))
    keep = Keep(0, "s", Read("s", "pinned", "bool"), HERE)
    change = Set(1, "s", TRUE, (Assign("pinned", FALSE), Assign("tokens", Int(5))), HERE)
    fill = Fill(2, "s", True, TRUE, tokens("s"), Int(0), HERE)
    done = run(on, keep, change, fill, evict(3, TRUE))
    assert shown(done.after) == "A (B)"
    assert done.after.span("A") == on.span("A")
    assert [(e.kind, e.spans) for e in done.events] == [("keep", ("A",)), ("set", ("B",)), ("evict", ("B",))]


def test_keeping_comes_too_late_for_what_has_left() -> None:
    done = run(ONE, evict(0, TRUE), Keep(1, "s", TRUE, HERE), Readmit(2, "s", TRUE, Original(), False, HERE))
    assert shown(done.after) == "A"
    assert [e.kind for e in done.events] == ["evict", "readmit"]
    again = run(
        ONE, evict(0, TRUE), Keep(1, "s", TRUE, HERE), Readmit(2, "s", TRUE, Original(), False, HERE), evict(3, TRUE)
    )
    assert shown(again.after) == "(A)"


# ---------- set


def test_every_value_reads_the_old_record() -> None:
    on = window(chat("A", tokens=12), chat("B", tokens=1, pinned=True))
    others = Total("t", None, tokens("t"), Not(SameSpan("t", "s")))
    change = Set(0, "s", TRUE, (Assign("tokens", others), Assign("pinned", at_most(tokens("s"), Int(5)))), HERE)
    after = run(on, change).after
    assert [(s["tokens"], s["pinned"]) for s in after.spans] == [(1, False), (12, True)]


def test_a_field_may_be_set_outside_its_declared_bounds() -> None:
    assert number_here(Int(-5), ONE) == -5


def test_setting_a_field_to_what_it_was_is_no_event() -> None:
    done = run(ONE, Set(0, "s", TRUE, (Assign("tokens", Int(7)),), HERE))
    assert done.events == ()


def test_a_set_of_archived_spans_changes_no_present_one() -> None:
    on = window(chat("A", tokens=1), chat("B", tokens=2), chat("C", "note", 3), archived="BC")
    change = Set(1, "s", tag_is("s", "user"), (Assign("tokens", Add((tokens("s"), Int(5)))),), HERE, archive=True)
    done = run(on, change)
    assert shown(done.after) == "A (B) (C)"
    assert [s["tokens"] for s in done.after.spans] == [1, 7, 3]
    assert [(e.kind, e.spans) for e in done.events] == [("set", ("B",))]
    assert [s["tokens"] for s in run(on, readmit(is_span("B")), change).after.spans] == [1, 2, 3]
    assert run(on, replace(change, assignments=(Assign("tokens", tokens("s")),))).events == ()


def open_tokens(low: Expression | None = None, high: Expression | None = None) -> Set:
    return Set(0, "s", TRUE, (Open("tokens", low, high),), HERE)


def test_an_open_value_lies_within_its_limits_and_the_declared_bounds() -> None:
    key = ChoiceKey("p1", 0, "A", "tokens")
    half = Divide(tokens("s"), 2, "down")
    assert run(ONE, open_tokens(high=half), choices={key: 3}).after.spans[0]["tokens"] == 3
    with pytest.raises(NoSuchRun):
        run(ONE, open_tokens(high=half), choices={key: 4})
    with pytest.raises(NoSuchRun):
        run(ONE, open_tokens(high=half), choices={key: -1})
    with pytest.raises(NoSuchRun):
        run(ONE, open_tokens(low=Int(3)), choices={key: 2})


def test_a_run_without_an_admissible_value_does_not_exist() -> None:
    with pytest.raises(NoSuchRun):
        run(ONE, open_tokens(high=Int(-1)))
    assert run(window(), open_tokens(high=Int(-1))).events == ()
    assert run(ONE, Block(1, FALSE, (open_tokens(high=Int(-1)),), False, HERE)).events == ()


def test_a_choice_that_is_not_given_is_the_one_closest_to_zero() -> None:
    assert run(ONE, open_tokens()).after.spans[0]["tokens"] == 0
    assert run(ONE, open_tokens(low=Int(3))).after.spans[0]["tokens"] == 3
    assert Domain("int", high=-4).default() == -4
    assert Domain("key").default() == NO_KEY
    assert Domain("enum", names=("a", "b")).default() == "a"


# ---------- insert


def insert(site: int, place: Place, *given: Assignment, covers: str | None = None) -> Insert:
    return Insert(site, place, given, covers, HERE)


@pytest.mark.parametrize(
    ("place", "order"),
    [
        (End("front"), "* (A) B (C)"),
        (End("back"), "(A) B (C) *"),
        (Beside("before", "B"), "(A) * B (C)"),
        (Beside("after", "B"), "(A) B * (C)"),
        (Beside("before", "C"), "(A) B * (C)"),
        (Beside("after", "C"), "(A) B (C) *"),
        (Original(), "(A) B (C)"),
    ],
)
def test_a_fresh_span_stands_at_a_place_among_all_known_spans(place: Place, order: str) -> None:
    on = window(chat("A"), chat("B"), chat("C"), archived="AC")
    assert shown(run(on, insert(0, place)).after) == order


def test_beside_an_absent_span_nothing_is_inserted_and_nothing_is_chosen() -> None:
    impossible = insert(1, Beside("before", "gone"), Open("tokens", high=Int(-1)))
    done = run(ONE, ABSENT, impossible)
    assert shown(done.after) == "A"
    assert done.events == ()


def test_a_definite_span_keeps_its_place_after_it_was_evicted() -> None:
    on = window(chat("A"), chat("B"), chat("C"))
    after = run(on, LetSpan(0, "cut", SpanNamed("B")), evict(1, is_span("B")), insert(2, Beside("after", "cut"))).after
    assert shown(after) == "A (B) * C"


def test_what_is_inserted_later_before_a_span_stands_between() -> None:
    on = window(chat("A"), chat("B"))
    first = insert(0, Beside("before", "B"), Assign("tokens", Int(1)))
    second = insert(1, Beside("before", "B"), Assign("tokens", Int(2)))
    after = run(on, first, second).after
    assert shown(after) == "A * * B"
    assert [s["tokens"] for s in after.spans] == [0, 1, 2, 0]


def test_fields_of_a_fresh_span_are_given_false_or_open() -> None:
    identity = "new_p1_0"
    choices: dict[ChoiceKey, Value] = {
        ChoiceKey("p1", 0, identity, "tag"): "summary",
        ChoiceKey("p1", 0, identity, "topic"): "k",
        ChoiceKey("p1", 0, identity, "tokens"): 4,
    }
    made = run(window(), insert(0, End("back"), Open("tokens", high=Int(4))), choices=choices).after
    assert made.spans == (chat(identity, "summary", 4, False, "k"),)
    assert made.fresh == {identity}
    with pytest.raises(NoSuchRun):
        run(window(), insert(0, End("back")), choices={ChoiceKey("p1", 0, identity, "tag"): "nonsense"})


def test_fresh_spans_of_two_runs_or_statements_never_share_a_name() -> None:
    policies = ("p", "pp", "p1", "p__u", "p_", "p__", "p_1", "p__p", "p_s")
    runs = [run_key(p, run, depth) for p in policies for run in ("", "'", "''") for depth in (1, 2, 11)]
    keys = {*runs, *(run_key(run, GATE_RUN, 1) for run in runs)}
    names = {fresh_id(key, site) for key in keys for site in (0, 1, 11)}
    assert len(names) == 3 * len(keys)
    assert all(name.isidentifier() for name in names)


def test_a_summary_covers_the_spans_of_a_set() -> None:
    on = window(chat("A"), chat("B"), chat("C", "note"))
    read = LetSet(0, "read", "s", tag_is("s", "user"))
    after = run(on, read, insert(1, End("front"), covers="read"), evict(2, InSet("s", "read"))).after
    assert shown(after) == "* (A) (B) C"
    assert after.links == {(COVERS, "new_p1_1", "A"), (COVERS, "new_p1_1", "B")}


def test_a_fresh_span_has_no_link_but_covers() -> None:
    on = window(chat("A"), chat("B"), links=(("next", "A", "B"),))
    made = Pick("last", "s", Not(among("AB")))
    body = (insert(0, End("back")), LetSpan(1, "m", made))
    assert true_here(SameSpan("m", "m"), on, *body)
    assert not true_here(Or((Linked("next", "m", "B"), Linked("next", "A", "m"))), on, *body)


def test_a_fresh_span_gets_a_free_name_where_the_window_has_one_like_it() -> None:
    on = Window(CHAT, (chat("new_p1_0"),), fresh=frozenset({"new_p1_0"}))
    after = apply(policy(insert(0, End("back"))), on, {}, {}, Given()).after
    assert [s.id for s in after.spans] == ["new_p1_0", "new_p1_0_2"]


def arrival(place: Place, *given: Assignment, condition: Expression = TRUE, covers: str | None = None) -> Insert:
    return Insert(0, place, given, covers, HERE, may=True, variable="n", condition=condition)


COMES: Mapping[ChoiceKey, Value] = {ChoiceKey("p1", 0, "new_p1_0", ""): True}


def test_a_span_that_may_come_does_if_the_choice_is_yes() -> None:
    stays_away = run(ONE, arrival(End("back"), Open("tokens", high=Int(-1))))
    assert (shown(stays_away.after), stays_away.events) == ("A", ())
    comes = run(ONE, arrival(End("back")), choices=COMES)
    assert shown(comes.after) == "A *"
    assert [(e.kind, e.spans) for e in comes.events] == [("insert", ("new_p1_0",))]
    with pytest.raises(NoSuchRun):
        run(ONE, arrival(End("back"), Open("tokens", high=Int(-1))), choices=COMES)


@dataclass(frozen=True)
class Asked:
    """Answers yes, or as `Given` would, and notes the keys."""

    keys: list[ChoiceKey] = field(default_factory=list)

    def take(self, key: ChoiceKey, domain: Domain) -> Value:
        self.keys.append(key)
        return True if key.field == "" else domain.default()


def test_whether_a_span_comes_is_asked_first_and_only_where_there_is_a_place() -> None:
    asked = Asked()
    apply(policy(arrival(End("back"))), ONE, {}, {}, asked)
    assert [key.field for key in asked.keys] == ["", "tag", "tokens", "topic"]
    nowhere = Asked()
    apply(policy(ABSENT, arrival(Beside("before", "gone"))), ONE, {}, {}, nowhere)
    assert nowhere.keys == []


def test_the_condition_on_a_fresh_span_is_read_with_it_in() -> None:
    with_it = Compare("==", Count("t", None, tag_is("t", "user")), Int(2))
    assert shown(run(ONE, arrival(End("back"), condition=with_it), choices=COMES).after) == "A *"
    with pytest.raises(NoSuchRun):
        run(ONE, arrival(End("back"), Assign("tag", Name("enum", "note")), condition=with_it), choices=COMES)
    assert shown(run(ONE, arrival(End("back"), condition=FALSE)).after) == "A"
    assert shown(run(ONE, ABSENT, arrival(Beside("after", "gone"), condition=FALSE), choices=COMES).after) == "A"
    covering = Linked(COVERS, "n", "A")
    read = LetSet(1, "read", "s", TRUE)
    assert shown(run(ONE, read, arrival(End("back"), condition=covering, covers="read"), choices=COMES).after) == "A *"
    with pytest.raises(NoSuchRun):
        run(ONE, read, arrival(End("back"), condition=covering), choices=COMES)


# ---------- readmit


def readmit(condition: Expression, place: Place = STAY) -> Readmit:
    return Readmit(0, "s", condition, place, False, HERE)


ARCHIVED = window(chat("A", tokens=5), chat("B"), chat("C"), chat("D"), archived="AC")


@pytest.mark.parametrize(
    ("place", "order"),
    [
        (Original(), "A B C D"),
        (End("front"), "A C B D"),
        (End("back"), "B D A C"),
        (Beside("after", "B"), "B A C D"),
        (Beside("before", "C"), "B A C D"),
    ],
)
def test_archived_spans_come_back_to_their_place_or_to_another(place: Place, order: str) -> None:
    after = run(ARCHIVED, readmit(TRUE, place)).after
    assert shown(after) == order
    assert after.span("A") == ARCHIVED.span("A")


@pytest.mark.parametrize("side", ["before", "after"])
def test_beside_an_absent_span_archived_spans_come_back_to_where_they_stood(side: Literal["before", "after"]) -> None:
    done = run(ARCHIVED, LetSpan(9, "gone", NoSpan()), readmit(is_span("C"), Beside(side, "gone")))
    assert (shown(done.after), [e.spans for e in done.events]) == ("(A) B C D", [("C",)])


def test_the_condition_of_readmit_is_asked_of_archived_spans_and_reads_the_window() -> None:
    after = run(ARCHIVED, readmit(And((Not(Present("s")), Some("t", None, Before("t", "s")))))).after
    assert shown(after) == "(A) B C D"


# ---------- move


def move(condition: Expression, place: Place) -> Move:
    return Move(0, "s", condition, place, HERE)


@pytest.mark.parametrize(
    ("place", "order"),
    [
        (End("front"), "B D A (C)"),
        (End("back"), "A (C) B D"),
        (Beside("before", "A"), "B D A (C)"),
        (Beside("after", "C"), "A (C) B D"),
        (Beside("before", "D"), "A (C) B D"),
        (Beside("after", "B"), "A B D (C)"),
    ],
)
def test_spans_move_in_their_old_order_and_what_the_place_names_stays(place: Place, order: str) -> None:
    on = window(chat("A"), chat("B"), chat("C"), chat("D"), archived="C")
    assert shown(run(on, move(among("BCD"), place)).after) == order


def test_beside_an_absent_span_nothing_moves() -> None:
    on = window(chat("A"), chat("B"))
    done = run(on, LetSpan(9, "gone", NoSpan()), move(is_span("B"), Beside("before", "gone")))
    assert (shown(done.after), done.events) == ("A B", ())


def test_a_move_that_changes_nothing_is_no_event() -> None:
    on = window(chat("A"), chat("B"))
    assert run(on, move(is_span("A"), End("front"))).events == ()
    assert run(on, move(is_span("B"), End("front"))).events == (Event(0, HERE, "move", ("B",)),)


# ---------- fill


@pytest.mark.parametrize(
    ("newest", "cap", "order"),
    [
        (True, 10, "A (B) C D"),
        (True, 3, "(A) (B) (C) D"),
        (True, -1, "(A) (B) (C) (D)"),
        (False, 10, "A (B) C D"),
        (False, 4, "A (B) (C) (D)"),
        (False, 12, "A B (C) (D)"),
    ],
)
def test_fill_keeps_what_still_fits_and_walks_on(newest: bool, cap: int, order: str) -> None:
    on = window(chat("A", tokens=3), chat("B", tokens=9), chat("C", tokens=4), chat("D", tokens=2))
    assert shown(run(on, Fill(0, "s", newest, TRUE, tokens("s"), Int(cap), HERE)).after) == order


def test_fill_walks_only_what_is_in_scope() -> None:
    on = window(chat("A", "note", 50), chat("B", tokens=5), chat("C", tokens=6))
    after = run(on, Fill(0, "s", True, tag_is("s", "user"), tokens("s"), Int(6), HERE)).after
    assert shown(after) == "A (B) C"


# ---------- block, refuse, gate


def test_a_block_reads_its_condition_where_it_stands() -> None:
    on = window(chat("A"), chat("B"))
    alone = Compare("==", Count("t", None, TRUE), Int(1))
    inside = Block(1, alone, (evict(2, TRUE),), False, HERE)
    assert shown(run(on, inside, evict(3, is_span("A"))).after) == "(A) B"
    assert shown(run(on, evict(0, is_span("A")), inside).after) == "(A) (B)"


def test_what_follows_a_block_runs_whether_it_ran_or_not() -> None:
    on = window(chat("A"), chat("B"))
    for truth in (TRUE, FALSE):
        assert shown(run(on, Block(0, truth, (), False, HERE), evict(1, is_span("B"))).after) == "A (B)"


def test_a_refusal_restores_the_input_and_ends_the_pass() -> None:
    on = window(chat("A"), chat("B", tokens=3))
    refuse = Refuse(2, Not(Present("A")), "no A", HERE)
    done = run(
        on, evict(0, is_span("A")), insert(1, End("back")), Block(4, TRUE, (refuse, evict(5, TRUE)), False, HERE)
    )
    assert done.refused == "no A"
    assert done.after == on
    assert [e.kind for e in done.events] == ["evict", "insert", "block", "refuse"]
    assert run(on, refuse, evict(3, is_span("B"))).refused is None


def test_a_gate_that_fails_restores_the_input_and_is_named() -> None:
    gate = Gate("keeps A", Present("A", Pass("p", "", Input(ASSUMED), gated=False)), HERE)
    on = window(chat("A"), chat("B"))
    passed = run(on, evict(0, is_span("B")), gates=(gate,))
    assert (passed.refused, shown(passed.after)) == (None, "A (B)")
    failed = run(on, evict(0, TRUE), gates=(gate,))
    assert (failed.refused, failed.after) == ("keeps A", on)
    assert failed.events == (Event(0, HERE, "evict", ("A", "B")), Event(GATE_SITE, HERE, "gate"))


def test_the_first_gate_that_fails_is_named_and_a_refusal_meets_none() -> None:
    gates = (Gate("one", TRUE, HERE), Gate("two", FALSE, HERE), Gate("three", FALSE, HERE))
    assert run(ONE, gates=gates).refused == "two"
    assert run(ONE, Refuse(0, TRUE, "no", HERE), gates=gates).refused == "no"


def test_a_gate_sees_the_choices_of_its_pass_and_tries_others_with_its_own() -> None:
    candidate = Pass("p", "", Input(ASSUMED), gated=False)
    again = Pass("p", "", candidate, gated=False)
    gate = Gate("idempotent", SameWindow(again, candidate), HERE)
    on = window(chat("A"), chat("B"))
    body = (LetSet(0, "some", "s", TRUE, may=True), evict(1, InSet("s", "some")))
    first = {ChoiceKey("p1", 0, "A", ""): True}
    trial = {ChoiceKey(run_key("p1", GATE_RUN, 2), 0, "B", ""): True}
    assert shown(run(on, *body, choices=first, gates=(gate,)).after) == "(A) B"
    assert run(on, *body, choices={**first, **trial}, gates=(gate,)).refused == "idempotent"


def test_passes_in_a_claim_are_gated_unless_they_say_otherwise() -> None:
    never = Gate("never", FALSE, HERE)
    drop = policy(evict(0, TRUE), gates=(never,))
    assert holds(SameWindow(P, W), ONE, drop)
    assert not holds(SameWindow(replace(P, gated=False), W), ONE, drop)


# ---------- passes of a claim

MAY = policy(LetSet(0, "some", "s", TRUE, may=True), evict(1, InSet("s", "some")))
PAIR = window(chat("A"), chat("B"))


def test_the_same_term_is_the_same_pass_and_another_run_chooses_anew() -> None:
    choices = {ChoiceKey("p1", 0, "A", ""): True, ChoiceKey("p'1", 0, "B", ""): True}
    assert holds(SameWindow(P, P), PAIR, MAY, choices=choices)
    other = Pass("p", "'", W)
    assert holds(And((Not(Present("a", P)), Present("b", P))), PAIR, MAY, choices=choices, bound=ENDS)
    assert holds(And((Present("a", other), Not(Present("b", other)))), PAIR, MAY, choices=choices, bound=ENDS)


ENDS = (("a", W, "A"), ("b", W, "B"))


def test_passes_on_different_windows_meet_the_same_answers_at_one_depth() -> None:
    choices = {ChoiceKey("p1", 0, "A", ""): True}
    assert holds(Not(Present("a", Pass("p", "", Without(W, "b")))), PAIR, MAY, choices=choices, bound=ENDS)
    assert holds(Not(Present("a", Pass("p", "", Swapped(W, "a", "b")))), PAIR, MAY, choices=choices, bound=ENDS)


def test_a_second_pass_has_answers_of_its_own() -> None:
    choices = {ChoiceKey("p2", 0, "B", ""): True}
    assert holds(SameWindow(P, W), PAIR, MAY, choices=choices)
    assert holds(Not(Present("b", PP)), PAIR, MAY, choices=choices, bound=ENDS)
    around = Pass("p", "", Without(Pass("p", "", W), "a"))
    assert holds(Not(Present("b", around)), PAIR, MAY, choices=choices, bound=ENDS)


def test_depth_counts_passes_of_the_same_policy_and_run() -> None:
    other = replace(policy(), name="q")
    choices = {ChoiceKey("p1", 0, "A", ""): True}
    assert holds(Not(Present("a", Pass("p", "", Pass("q", "", W)))), PAIR, MAY, other, choices=choices, bound=ENDS)
    assert holds(
        Present("a", Pass("p", "", Pass("p", "'", W))),
        PAIR,
        MAY,
        choices={ChoiceKey("p2", 0, "A", ""): True},
        bound=ENDS,
    )


def test_an_answer_that_two_passes_share_must_suit_both() -> None:
    half = policy(Set(0, "s", TRUE, (Open("tokens", None, Total("t", None, tokens("t"), TRUE)),), HERE))
    on = window(chat("A", tokens=3), chat("B", tokens=4))
    same = SameRecord("a", P, Pass("p", "", Without(W, "b")))
    claim = Claim(("W",), (Bound("a", W), Bound("b", W)), consequent=same)
    case = Case({"W": on}, {}, {"a": "A", "b": "B"}, {ChoiceKey("p1", 0, "A", "tokens"): 5})
    assert judge(obligation(claim, half), case) == NO_CASE
    case = replace(case, choices={ChoiceKey("p1", 0, "A", "tokens"): 3})
    assert judge(obligation(claim, half), case) == Judgement(True, True, True, True)


# ---------- other windows


def test_without_takes_a_span_out_of_everything() -> None:
    gone = Without(W, "a")
    assert holds(Not(Present("a", gone)), PAIR, bound=ENDS)
    assert holds(Not(Before("a", "b", gone)), PAIR, bound=ENDS)
    on = window(chat("A", tokens=5), chat("B"))
    assert holds(Compare("==", Read("a", "tokens", "int", gone), Int(0)), on, bound=ENDS)
    assert holds(Compare("==", Count("s", gone, TRUE), Int(1)), on, bound=ENDS)


def test_swapped_exchanges_two_places() -> None:
    assert holds(Before("b", "a", Swapped(W, "a", "b")), PAIR, bound=ENDS)
    assert holds(SameWindow(Swapped(W, "a", "a"), W), PAIR, bound=ENDS)
    assert holds(SameWindow(Swapped(Swapped(W, "a", "b"), "b", "a"), W), PAIR, bound=ENDS)
    assert holds(SameWindow(Swapped(Without(W, "a"), "a", "b"), Without(W, "a")), PAIR, bound=ENDS)


def test_a_span_arrives_at_the_very_end() -> None:
    arrived = Arrived(W, Int(7))
    choices: dict[ChoiceKey, Value] = {
        ChoiceKey("", ARRIVAL_SITE, ARRIVED_ID, "tag"): "note",
        ChoiceKey("", ARRIVAL_SITE, ARRIVED_ID, "pinned"): True,
    }
    bound = (("n", arrived, ARRIVED_ID), ("a", W, "A"))
    assert holds(Before("a", "n", arrived), PAIR, choices=choices, bound=bound)
    assert holds(Created("n"), PAIR, choices=choices, bound=bound)
    assert holds(Not(Created("a")), PAIR, choices=choices, bound=bound)
    record = And(
        (
            Compare("==", tokens("n", arrived), Int(7)),
            tag_is("n", "note", arrived),
            Read("n", "pinned", "bool", arrived),
            Equal(Read("n", "topic", "key", arrived), Name("key", NO_KEY)),
        )
    )
    assert holds(record, PAIR, choices=choices, bound=bound)


def test_a_span_whose_tokens_are_out_of_bounds_cannot_arrive() -> None:
    claim = Claim(("W",), consequent=SameWindow(Arrived(W, Int(-1)), W))
    assert judge(obligation(claim), Case({"W": PAIR}, {}, {}, {})) == NO_CASE


def test_two_spans_that_arrive_are_two() -> None:
    twice = Arrived(Arrived(W, Int(1)), Int(2))
    assert holds(Compare("==", Count("s", twice, TRUE), Int(4)), PAIR)
    assert holds(Compare("==", Total("s", twice, tokens("s", twice), TRUE), Int(3)), PAIR)


def test_known_has_every_span_present_at_its_place_with_its_last_record() -> None:
    on = window(chat("A", tokens=1), chat("B", tokens=2), chat("C", tokens=3))
    leaves = policy(Set(0, "s", is_second(), (Assign("tokens", Int(9)),), HERE), evict(1, is_second()))
    bound = (("a", W, "A"), ("b", Known(P), "B"), ("c", W, "C"))
    truths = (
        Not(Present("b", P)),
        Present("b", Known(P)),
        Compare("==", tokens("b", Known(P)), Int(9)),
        Before("a", "b", Known(P)),
        Before("b", "c", Known(P)),
        Compare("==", Count("s", Known(P), TRUE), Int(3)),
        Compare("==", Total("s", Known(P), tokens("s", P), TRUE), Int(13)),
        SameWindow(Known(W), W),
        Not(SameWindow(Known(P), P)),
        SameWindow(Known(Known(P)), Known(P)),
        Not(Present("b", Without(Known(P), "b"))),
        Not(Present("b", Known(Without(P, "b")))),
    )
    for truth in truths:
        assert holds(truth, on, leaves, bound=bound)


def is_second() -> Expression:
    return Compare("==", Count("t", None, Before("t", "s")), Int(1))


def test_a_pass_on_the_known_window_is_another_one() -> None:
    on = window(chat("A"), chat("B"), archived="A")
    claim = SameWindow(Pass("p", "", Known(W)), P)
    assert not holds(claim, on, policy(evict(0, is_first()), readmit(FALSE)))
    assert holds(claim, window(chat("A"), chat("B")), policy(evict(0, is_first()), readmit(FALSE)))


# ---------- the history


def aged(identity: str, met: bool = False, turns: int = 0) -> Span:
    return Span(identity, {"tag": "item", "tokens": 0, "met": met, "turns": turns})


def test_the_history_makes_no_two_windows_or_records_different() -> None:
    on = window(aged("A", turns=1), aged("B", turns=1), schema=AGED)
    change = policy(Set(0, "s", is_first(), (Assign("met", TRUE), Assign("turns", Int(7))), HERE), schema=AGED)
    assert holds(SameWindow(P, W), on, change)
    assert holds(SameRecord("a", P, W), on, change, bound=ENDS)
    assert holds(And((Read("a", "met", "bool", P), Not(Read("a", "met", "bool", W)))), on, change, bound=ENDS)
    assert holds(Fires(P, 0), on, change)
    assert not holds(SameWindow(P, W), on, policy(Set(0, "s", TRUE, (Assign("tokens", Int(1)),), HERE), schema=AGED))


def test_a_fresh_span_and_one_that_arrives_have_no_history() -> None:
    made = run(window(schema=AGED), insert(0, End("back"))).after
    assert made.spans == (aged("new_p1_0"),)
    given = run(window(schema=AGED), insert(0, End("back"), Assign("met", TRUE), Assign("turns", Int(3)))).after
    assert given.spans == (aged("new_p1_0", True, 3),)
    arrived = Arrived(W, Int(0))
    choices: dict[ChoiceKey, Value] = {
        ChoiceKey("", ARRIVAL_SITE, ARRIVED_ID, "met"): True,
        ChoiceKey("", ARRIVAL_SITE, ARRIVED_ID, "turns"): 3,
    }
    none = And((Not(Read("n", "met", "bool", arrived)), Compare("==", Read("n", "turns", "int", arrived), Int(0))))
    assert holds(none, window(schema=AGED), choices=choices, bound=(("n", arrived, ARRIVED_ID),))


# ---------- oracles


def item(identity: str, fit: int) -> Span:
    return Span(identity, {"tag": "item", "fit": fit})


def low(name: str) -> Expression:
    return Compare("<", Read("s", name, "int"), Int(5))


def test_a_window_oracle_answers_once_in_a_pass_and_anew_in_the_next() -> None:
    ranked = policy(evict(0, low("rank")), evict(1, Compare(">=", Read("s", "rank", "int"), Int(5))), schema=SCORED)
    assert shown(apply(ranked, window(item("A", 0), schema=SCORED), {}, {}, Given()).after) == "(A)"
    once = policy(evict(0, low("rank")), schema=SCORED)
    on = window(item("A", 0), schema=SCORED)
    choices = {ChoiceKey("p1", ORACLE_SITE, "A", "rank"): 5, ChoiceKey("p2", ORACLE_SITE, "A", "rank"): 4}
    assert holds(Present("a", P), on, once, choices=choices, bound=(("a", W, "A"),))
    assert holds(Not(Present("a", PP)), on, once, choices=choices, bound=(("a", W, "A"),))


def test_an_oracle_answers_within_its_bounds() -> None:
    once = policy(evict(0, low("rank")), schema=SCORED)
    claim = Claim(("W",), consequent=SameWindow(P, W))
    case = Case({"W": window(item("A", 0), schema=SCORED)}, {}, {}, {ChoiceKey("p1", ORACLE_SITE, "A", "rank"): 10})
    assert judge(obligation(claim, once, schema=SCORED), case) == NO_CASE


def test_a_query_oracle_is_part_of_the_record() -> None:
    fitting = policy(evict(0, low("fit")), schema=SCORED)
    on = window(item("A", 3), item("B", 7), schema=SCORED)
    assert shown(apply(fitting, on, {}, {}, Given()).after) == "(A) B"


def test_a_rescored_span_has_other_scores_in_every_pass_on_that_window() -> None:
    both = policy(evict(0, Or((low("fit"), low("rank")))), schema=SCORED)
    on = window(item("A", 9), schema=SCORED)
    bound = (("a", W, "A"),)
    asked = Pass("p", "", Rescored(W, "a"))
    plain = {ChoiceKey("p1", ORACLE_SITE, "A", "rank"): 9}
    fit = {ChoiceKey("", RESCORED_SITE, "A", "fit"): 9}
    rank = {ChoiceKey("p1", RESCORED_SITE, "A", "rank"): 9}
    assert holds(Present("a", P), on, both, choices=plain, bound=bound)
    assert holds(Not(Present("a", asked)), on, both, choices=plain, bound=bound)
    assert holds(Not(Present("a", asked)), on, both, choices={**plain, **fit}, bound=bound)
    assert holds(Present("a", asked), on, both, choices={**fit, **rank}, bound=bound)
    assert holds(Not(SameWindow(Rescored(W, "a"), W)), on, both, bound=bound)
    assert holds(Compare("==", Read("a", "fit", "int", W), Int(9)), on, both, bound=bound)


def test_a_window_oracle_is_nobodys_outside_a_pass() -> None:
    with pytest.raises(ValueError, match="no value outside a pass"):
        holds(
            Compare("==", Read("a", "rank", "int", W), Int(0)),
            window(item("A", 0), schema=SCORED),
            bound=(("a", W, "A"),),
        )


# ---------- comparing windows

SUMMARY = policy(
    LetSet(0, "old", "s", Or((tag_is("s", "user"), tag_is("s", "summary")))),
    LetSpan(1, "cut", Pick("first", "s", InSet("s", "old"))),
    insert(
        2,
        Beside("before", "cut"),
        Assign("tag", Name("enum", "summary")),
        Open("tokens", None, Int(5)),
        Assign("topic", Name("key", NO_KEY)),
        covers="old",
    ),
    evict(3, InSet("s", "old")),
)


def test_created_spans_with_equal_records_are_equal() -> None:
    choices: dict[ChoiceKey, Value] = {
        ChoiceKey("p1", 2, "new_p1_2", "tokens"): 4,
        ChoiceKey("p2", 2, "new_p2_2", "tokens"): 4,
    }
    assert holds(SameWindow(PP, P), PAIR, SUMMARY, choices=choices)
    assert not holds(SameWindow(PP, P), PAIR, SUMMARY, choices={**choices, ChoiceKey("p2", 2, "new_p2_2", "tokens"): 3})


def test_a_created_span_is_not_equal_to_one_of_the_input() -> None:
    on = window(chat("A", "summary", 4))
    assert not holds(SameWindow(P, W), on, SUMMARY, choices={ChoiceKey("p1", 2, "new_p1_2", "tokens"): 4})


def test_spans_of_the_input_are_equal_by_identity_and_record() -> None:
    assert not holds(SameWindow(Swapped(W, "a", "b"), W), PAIR, bound=ENDS)
    change = policy(Set(0, "s", TRUE, (Assign("tokens", Int(1)),), HERE))
    assert not holds(SameWindow(P, W), PAIR, change)
    assert holds(SameWindow(PP, P), PAIR, change)


def test_archives_do_not_count() -> None:
    on = window(chat("A"), chat("B"), archived="B")
    moved = policy(Readmit(0, "s", TRUE, End("front"), False, HERE), evict(1, is_first()))
    assert holds(SameWindow(P, W), on, moved)
    assert not holds(
        SameWindow(P, W),
        window(chat("B", "note"), chat("A"), archived="B"),
        policy(Readmit(0, "s", TRUE, Original(), False, HERE)),
    )


def test_records_are_compared_where_both_windows_know_the_span() -> None:
    change = policy(Set(0, "s", TRUE, (Assign("tokens", Int(1)),), HERE), evict(1, TRUE))
    on = window(chat("A"), chat("B", tokens=1))
    assert not holds(SameRecord("a", P, W), on, change, bound=ENDS)
    assert holds(SameRecord("b", P, W), on, change, bound=ENDS)
    assert not holds(SameRecord("a", Without(W, "a"), W), on, bound=ENDS)
    assert holds(SameRecord("a", Without(W, "a"), Without(W, "a")), on, bound=ENDS)
    assert holds(SameRecord("nobody", Without(W, "a"), W), on, bound=ENDS)


def test_a_score_that_depends_on_the_query_is_compared_with_the_rest_of_a_record() -> None:
    on = Window(SCORED, (Span("A", {"tag": "item", "fit": 3}),))
    choices: dict[ChoiceKey, Value] = {ChoiceKey("", RESCORED_SITE, "A", "fit"): 4}
    same = SameRecord("a", Rescored(W, "a"), W)
    assert not holds(same, on, choices=choices, bound=(("a", W, "A"),))
    assert holds(same, on, choices={ChoiceKey("", RESCORED_SITE, "A", "fit"): 3}, bound=(("a", W, "A"),))


def test_covers_belongs_to_the_window_that_a_pass_made() -> None:
    bound = (("m", P, "new_p1_2"), ("a", W, "A"))
    assert holds(Linked(COVERS, "m", "a", P), PAIR, SUMMARY, bound=bound)
    assert holds(Not(Linked(COVERS, "m", "a", W)), PAIR, SUMMARY, bound=bound)
    assert holds(Not(Linked(COVERS, "m", "a", Without(P, "a"))), PAIR, SUMMARY, bound=bound)
    assert holds(Not(Reaches(COVERS, "m", "a", P)), PAIR, SUMMARY, bound=bound)


# ---------- what a pass did


def test_the_ledger_has_what_was_evicted_with_a_log() -> None:
    drop = policy(evict(0, is_first(), logged=True), evict(1, TRUE))
    assert holds(Logged("a", P), PAIR, drop, bound=ENDS)
    assert holds(Not(Logged("b", P)), PAIR, drop, bound=ENDS)
    assert holds(Not(Logged("a", PP)), PAIR, drop, bound=ENDS)


def test_a_refused_pass_logged_and_overrode_nothing_but_tells_what_it_reached() -> None:
    refusing = policy(
        evict(0, TRUE, logged=True),
        Readmit(1, "s", TRUE, Original(), True, HERE),
        Refuse(2, TRUE, "no", HERE),
        evict(3, TRUE),
    )
    assert holds(Refused(P), PAIR, refusing)
    assert holds(Not(Logged("a", P)), PAIR, refusing, bound=ENDS)
    assert holds(Not(Overridden("a", P)), PAIR, refusing, bound=ENDS)
    assert holds(And((Fires(P, 0), Fires(P, 1), Fires(P, 2), Not(Fires(P, 3)))), PAIR, refusing)


def test_an_override_is_remembered_of_its_pass() -> None:
    again = policy(evict(0, TRUE), Readmit(1, "s", TRUE, Original(), True, HERE))
    plain = policy(evict(0, TRUE), Readmit(1, "s", TRUE, Original(), False, HERE))
    assert holds(Overridden("a", P), PAIR, again, bound=ENDS)
    assert not holds(Overridden("a", P), PAIR, plain, bound=ENDS)


@pytest.mark.parametrize(
    ("statement", "fires"),
    [
        (Keep(0, "s", TRUE, HERE), True),
        (Keep(0, "s", FALSE, HERE), False),
        (evict(0, TRUE), True),
        (evict(0, FALSE), False),
        (Set(0, "s", TRUE, (Assign("tokens", Int(1)),), HERE), True),
        (Set(0, "s", TRUE, (Assign("tokens", Int(0)),), HERE), False),
        (insert(0, End("front")), True),
        (insert(0, Original()), False),
        (readmit(TRUE), False),
        (move(is_first(), End("back")), True),
        (move(is_first(), End("front")), False),
        (Fill(0, "s", True, TRUE, Int(1), Int(1), HERE), True),
        (Fill(0, "s", True, TRUE, Int(1), Int(2), HERE), False),
        (Block(0, TRUE, (), False, HERE), True),
        (Block(0, FALSE, (), False, HERE), False),
        (Refuse(0, TRUE, "no", HERE), True),
        (Refuse(0, FALSE, "no", HERE), False),
    ],
    ids=repr,
)
def test_a_statement_fires_if_it_did_something(statement: Statement, fires: bool) -> None:
    assert holds(Fires(P, 0), PAIR, policy(statement)) is fires


def test_a_block_that_was_reached_with_a_false_condition_fires_otherwise() -> None:
    nested = policy(Block(0, FALSE, (Block(1, FALSE, (), False, HERE),), False, HERE), Block(2, TRUE, (), False, HERE))
    assert holds(Fires(P, 0, otherwise=True), PAIR, nested)
    assert not holds(Fires(P, 1, otherwise=True), PAIR, nested)
    assert not holds(Fires(P, 2, otherwise=True), PAIR, nested)


def trigger(site: int, condition: Expression, *body: Statement) -> Block:
    return Block(site, condition, body, True, HERE)


@pytest.mark.parametrize(
    ("body", "triggered"),
    [
        ((), True),
        ((evict(0, FALSE),), True),
        ((trigger(0, FALSE),), False),
        ((trigger(0, TRUE, evict(1, FALSE)),), True),
        ((trigger(0, TRUE, trigger(1, FALSE, evict(2, TRUE))),), False),
        ((trigger(0, TRUE, evict(1, TRUE), Block(2, FALSE, (), False, HERE)),), True),
        ((LetValue(0, "n", "int", Count("t", None, TRUE)), trigger(1, at_most(Local("n", "int"), Int(1)))), False),
        ((Keep(0, "s", TRUE, HERE), Refuse(1, TRUE, "no", HERE), trigger(2, FALSE)), False),
    ],
    ids=repr,
)
def test_a_pass_is_triggered_if_every_when_before_the_first_edit_holds(
    body: tuple[Statement, ...], triggered: bool
) -> None:
    assert holds(Triggered("p", "", W), PAIR, policy(*body)) is triggered


def test_a_trigger_reads_the_choices_of_the_pass_it_speaks_of() -> None:
    chosen = LetSet(0, "some", "s", TRUE, may=True)
    asks = policy(chosen, trigger(1, Some("s", None, InSet("s", "some")), evict(2, InSet("s", "some"))))
    choices = {ChoiceKey("p2", 0, "B", ""): True}
    assert holds(Not(Triggered("p", "", W)), PAIR, asks, choices=choices)
    assert holds(Triggered("p", "", P), PAIR, asks, choices=choices)
    assert holds(Not(Present("b", PP)), PAIR, asks, choices=choices, bound=ENDS)


def test_every_pass_of_a_claim_is_told_in_order() -> None:
    claim = Claim(("W",), consequent=SameWindow(PP, P))
    case = Case({"W": PAIR}, {}, {}, {ChoiceKey("p1", 0, "A", ""): True})
    first, second = passes(obligation(claim, MAY), case)
    assert (first.term, second.term) == (P, PP)
    assert (shown(first.before), shown(first.after), shown(second.after)) == ("A B", "(A) B", "(A) B")
    assert (first.events, second.events) == ((Event(1, HERE, "evict", ("A",)),), ())


# ---------- a plan's spans and parameters


def test_all_that_a_replay_takes_is_told_also_what_a_case_leaves_open() -> None:
    subject = policy(arrival(End("back")))
    case = Case({"W": ONE}, {}, {}, {**COMES, ChoiceKey("p1", 9, "A", "tokens"): 4})
    asked = taken(obligation(Claim(("W",), consequent=SameWindow(P, W)), subject), case)
    assert {key.field: value for key, value in asked.items()} == {"": True, "tag": "user", "tokens": 0, "topic": NO_KEY}


def test_a_plan_acts_on_the_spans_it_was_given() -> None:
    plan = Policy("p", CHAT, (), (evict(0, is_span("x")),), ("x", "y"))
    case = Case({"W": PAIR}, {}, {"x": "B", "y": "A"}, {})
    for consequent, truth in (
        (Present("x", P), False),
        (Present("y", P), True),
        (Present("y", Pass("p", "", Without(W, "x"))), True),
    ):
        assert judge(obligation(Claim(("W",), consequent=consequent), plan, spans="xy"), case).consequent is truth


def test_a_parameter_is_what_the_case_says_and_within_its_bounds() -> None:
    over = policy(evict(0, Compare(">", tokens("s"), Parameter("cap"))))
    declared = ParameterDeclaration("cap", low=0)
    asked = replace(obligation(Claim(("W",), consequent=SameWindow(P, W)), over), parameters=(declared,))
    assert judge(asked, Case({"W": ONE}, {"cap": 7}, {}, {})).consequent
    assert not judge(asked, Case({"W": ONE}, {"cap": 6}, {}, {})).consequent
    assert judge(asked, Case({"W": ONE}, {"cap": -1}, {}, {})) == NO_CASE
    assert judge(asked, Case({"W": ONE}, {}, {}, {})) == NO_CASE


# ---------- what a case claims about itself


def test_a_case_breaks_a_claim_whose_premises_it_meets() -> None:
    some = Compare(">=", Count("s", W, TRUE), Int(1))
    many = Compare(">=", Count("s", W, TRUE), Int(2))
    case = Case({"W": ONE}, {}, {}, {})
    assert breaks(obligation(Claim(("W",), premise=some, antecedent=some, consequent=many)), case)
    assert not breaks(obligation(Claim(("W",), premise=many, antecedent=some, consequent=FALSE)), case)
    assert not breaks(obligation(Claim(("W",), premise=some, antecedent=many, consequent=FALSE)), case)
    assert not breaks(obligation(Claim(("W",), premise=some, antecedent=some, consequent=some)), case)


LINKED = window(chat("A", "call"), chat("B", "result"), links=(("answers", "B", "A"),))


@dataclass(frozen=True)
class Flaw:
    """A window that a claim's quantifier does not reach, and why."""

    why: str
    window: Window = field(repr=False)


FLAWS = (
    Flaw("a value out of bounds", window(chat("A", tokens=-1))),
    Flaw("a name that is none", window(chat("A", "nonsense"))),
    Flaw("a bool for an int", window(chat("A", tokens=True))),
    Flaw("an int for a bool", window(Span("A", {**chat("A").values, "pinned": 1}))),
    Flaw("a missing field", window(Span("A", {"tag": "user"}))),
    Flaw("one span twice", window(chat("A"), chat("A"))),
    Flaw("a span without a name", window(chat(""))),
    Flaw("an archive that no policy reads", window(chat("A"), archived="A")),
    Flaw("an archived span that is not there", window(chat("A"), archived="B")),
    Flaw("a created span", replace(ONE, fresh=frozenset("A"))),
    Flaw("a link between the wrong tags", window(chat("A", "call"), chat("B"), links=(("answers", "B", "A"),))),
    Flaw("a link from the wrong end", window(*LINKED.spans, links=(("answers", "A", "B"),))),
    Flaw("a link to itself", window(chat("A"), links=(("next", "A", "A"),))),
    Flaw("a link to nowhere", window(chat("A"), links=(("next", "A", "B"),))),
    Flaw("a link of no schema", window(chat("A"), chat("B"), links=(("like", "A", "B"),))),
    Flaw("covers in an input", window(chat("A"), chat("B"), links=((COVERS, "A", "B"),))),
    Flaw("another schema", window(item("A", 1), schema=SCORED)),
)


@pytest.mark.parametrize("flaw", FLAWS, ids=lambda f: f.why)
def test_a_window_that_is_no_input_is_no_case(flaw: Flaw) -> None:
    never = obligation(Claim(("W",), consequent=FALSE))
    assert breaks(never, Case({"W": LINKED}, {}, {}, {}))
    assert judge(never, Case({"W": flaw.window}, {}, {}, {})) == NO_CASE


def test_inputs_have_archives_where_a_policy_reads_them() -> None:
    on = window(chat("A"), archived="A")
    readers = (
        policy(readmit(TRUE)),
        policy(LetSet(0, "x", "s", TRUE, archive=True)),
        policy(
            Block(
                0, TRUE, (LetSpan(1, "x", SpanIf(TRUE, Pick("first", "s", TRUE, archive=True), NoSpan())),), False, HERE
            )
        ),
    )
    for reader in readers:
        assert breaks(obligation(Claim(("W",), consequent=FALSE), reader), Case({"W": on}, {}, {}, {}))
    knows = obligation(Claim(("W",), consequent=Some("s", Known(W), Present("s", W))))
    assert breaks(knows, Case({"W": on}, {}, {}, {}))
    writer = policy(Set(0, "s", TRUE, (Assign("tokens", Int(1)),), HERE, archive=True))
    assert judge(obligation(Claim(("W",), consequent=FALSE), writer), Case({"W": on}, {}, {}, {})) == NO_CASE


def test_inputs_must_be_the_claims_and_agree_about_links() -> None:
    never = obligation(Claim(("V", "W"), consequent=FALSE))
    assert breaks(never, Case({"V": LINKED, "W": LINKED}, {}, {}, {}))
    assert breaks(never, Case({"V": LINKED, "W": window(LINKED.spans[0])}, {}, {}, {}))
    assert not breaks(never, Case({"V": LINKED, "W": window(*LINKED.spans)}, {}, {}, {}))
    assert not breaks(never, Case({"V": LINKED}, {}, {}, {}))
    assert not breaks(never, Case({"U": LINKED, "V": LINKED, "W": LINKED}, {}, {}, {}))


def test_spans_of_two_inputs_are_the_same_by_name() -> None:
    claim = Claim(("V", "W"), consequent=SameWindow(Input("V"), W))
    assert judge(obligation(claim), Case({"V": PAIR, "W": PAIR}, {}, {}, {})).consequent
    renamed = window(chat("A"), chat("C"))
    assert not judge(obligation(claim), Case({"V": PAIR, "W": renamed}, {}, {}, {})).consequent


def test_bound_spans_must_be_present_in_their_windows() -> None:
    drop = policy(evict(0, is_first()))
    claim = Claim(("W",), (Bound("s", P),), consequent=FALSE)
    for span, broken in (("B", True), ("A", False), ("Z", False)):
        assert breaks(obligation(claim, drop), Case({"W": PAIR}, {}, {"s": span}, {})) is broken
    assert not breaks(obligation(claim, drop), Case({"W": PAIR}, {}, {}, {}))


def test_a_plans_spans_must_be_distinct_and_present() -> None:
    never = obligation(Claim(("W",), consequent=FALSE), spans="xy")
    for x, y, broken in (("A", "B", True), ("A", "A", False), ("A", "Z", False)):
        assert breaks(never, Case({"W": PAIR}, {}, {"x": x, "y": y}, {})) is broken
    assert not breaks(never, Case({"W": PAIR}, {}, {"x": "A"}, {}))


def test_a_written_out_window_stands_as_it_is_written() -> None:
    written = Window(
        CHAT,
        (chat("A", tokens=-5), chat("B"), chat("C")),
        frozenset("B"),
        frozenset({(COVERS, "C", "A")}),
        frozenset("C"),
    )
    never = replace(obligation(Claim(("W",), consequent=FALSE), spans="AB"), fixed=written)
    assert breaks(never, Case({"W": written}, {}, {}, {}))
    assert breaks(never, Case({"W": written}, {}, {"A": "A", "B": "B"}, {}))
    assert not breaks(never, Case({"W": written}, {}, {"A": "B", "B": "A"}, {}))
    assert not breaks(never, Case({"W": window(chat("A"), chat("B"))}, {}, {}, {}))


def test_every_pass_of_a_claim_must_exist_even_where_it_does_not_decide() -> None:
    impossible = policy(open_tokens(high=Int(-1)))
    claim = Claim(("W",), antecedent=Or((TRUE, SameWindow(P, W))), consequent=FALSE)
    assert judge_with(obligation(claim, impossible), {"W": ONE}, {}, {}, Given()) == NO_CASE
    assert judge_with(obligation(claim, impossible), {"W": window()}, {}, {}, Given()).broken


NOWHERE = Without(Without(W, "a"), "b")
NAMED = [
    Implies(FALSE, SameWindow(P, W)),
    And((FALSE, SameWindow(P, W))),
    If(TRUE, FALSE, SameWindow(P, W)),
    Compare("==", If(TRUE, Int(0), Count("s", P, TRUE)), Int(1)),
    Some("s", NOWHERE, SameWindow(P, W)),
    All("s", NOWHERE, Present("s", P)),
    Compare("<", Count("s", NOWHERE, Present("s", P)), Int(0)),
    Compare("<", Total("s", NOWHERE, Count("t", P, TRUE), TRUE), Int(0)),
    Linked("answers", "a", "b", P),
    Compare("<", Count("s", Arrived(NOWHERE, If(TRUE, Int(1), Count("t", P, TRUE))), TRUE), Int(0)),
    Some("s", W, And((SameSpan("s", "b"), SameWindow(Pass("p", "", Without(W, "s")), W)))),
    Some("s", W, Some("t", Without(W, "s"), Some("u", NOWHERE, SameWindow(Pass("p", "", Without(W, "t")), W)))),
]


@pytest.mark.parametrize("named", NAMED, ids=repr)
def test_a_window_that_a_claim_names_exists_wherever_it_is_named(named: Expression) -> None:
    on = window(chat("A", "note"), chat("B", "call"))
    impossible = policy(Set(0, "s", tag_is("s", "note"), (Open("tokens", None, Int(-1)),), HERE))
    claim = Claim(("W",), (Bound("a", W), Bound("b", W)), consequent=And((FALSE, named)))
    case = Case({"W": on}, {}, {"a": "A", "b": "B"}, {})
    assert judge(obligation(claim, impossible), case) == NO_CASE
    assert judge(obligation(claim, policy()), case).broken


@pytest.mark.parametrize(
    "named",
    [
        All("s", NOWHERE, SameWindow(Pass("p", "", Without(W, "s")), W)),
        Some("s", W, And((SameSpan("s", "b"), Some("t", NOWHERE, Present("s", Pass("p", "", Without(W, "t"))))))),
        Some("s", Without(W, "a"), Present("s", Arrived(W, If(SameSpan("s", "a"), Int(-1), Int(1))))),
        Linked("answers", "a", "b"),
        Triggered("p", "", W),
    ],
    ids=repr,
)
def test_a_window_that_depends_on_no_span_there_is_need_not_exist(named: Expression) -> None:
    on = window(chat("A", "note"), chat("B", "call"))
    impossible = policy(Set(0, "s", tag_is("s", "note"), (Open("tokens", None, Int(-1)),), HERE))
    claim = Claim(("W",), (Bound("a", W), Bound("b", W)), consequent=And((FALSE, named)))
    assert judge(obligation(claim, impossible), Case({"W": on}, {}, {"a": "A", "b": "B"}, {})).broken


@pytest.mark.parametrize(("tokens", "exists"), [(-1, False), (1, True)])
def test_a_gate_that_names_a_window_that_does_not_exist_leaves_no_pass(tokens: int, exists: bool) -> None:
    here = Input(ASSUMED)
    gate = Gate("g", Or((TRUE, SameWindow(Arrived(here, Int(tokens)), here))), HERE)
    claim = Claim(("W",), consequent=SameWindow(P, W))
    assert judge(obligation(claim, policy(gates=(gate,))), Case({"W": ONE}, {}, {}, {})).exists is exists


def test_an_expression_of_a_claim_must_say_its_window() -> None:
    with pytest.raises(ValueError, match="which window"):
        holds(Some("s", None, Bool(True)), ONE)


# ---------- the records' oscillation


def test_the_code_repair_loop_goes_back_and_forth_with_period_two() -> None:
    """Trace and source in turn: each pass decides on a window that the other's presence has made."""
    repair = Schema(
        "Repair",
        (
            Field("tag", "enum", names=("task", "trace", "source")),
            Field("stale", "bool"),
            Field("referenced", "bool"),
        ),
        (Link("justifies", ("trace",), ("source",)),),
    )
    justified = Some("j", None, Linked("justifies", "j", "s"))
    trace, source = tag_is("s", "trace"), tag_is("s", "source")
    conditions = (
        And((trace, Read("s", "stale", "bool"))),
        And((source, Not(justified))),
        And((trace, Read("s", "referenced", "bool"))),
        And((source, justified)),
    )
    prune_stale = Policy(
        "p",
        repair,
        (),
        (
            LetSet(0, "out1", "s", conditions[0]),
            LetSet(1, "out2", "s", conditions[1]),
            LetSet(2, "back1", "s", conditions[2], archive=True),
            LetSet(3, "back2", "s", conditions[3], archive=True),
            evict(4, InSet("s", "out1")),
            evict(5, InSet("s", "out2")),
            Readmit(6, "s", InSet("s", "back1"), Original(), False, HERE),
            Readmit(7, "s", InSet("s", "back2"), Original(), False, HERE),
        ),
    )
    start = Window(
        repair,
        (
            Span("T", {"tag": "trace", "stale": True, "referenced": True}),
            Span("S", {"tag": "source", "stale": False, "referenced": False}),
        ),
        archived=frozenset("S"),
        links=frozenset({("justifies", "T", "S")}),
    )
    seen = [start]
    for _ in range(5):
        seen.append(apply(prune_stale, seen[-1], {}, {}, Given()).after)
    assert [shown(w) for w in seen] == ["T (S)", "(T) S", "T (S)", "(T) S", "T (S)", "(T) S"]
    assert breaks(
        obligation(Claim(("W",), consequent=SameWindow(PP, P)), prune_stale, schema=repair),
        Case({"W": start}, {}, {}, {}),
    )
