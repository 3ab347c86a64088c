"""Statements of policies: each notation says the same as the basic statements it stands for."""

from __future__ import annotations

import pytest

from selfedit_formal.core.expression import (
    FALSE,
    TRUE,
    Bool,
    Compare,
    Count,
    Equal,
    InSet,
    Int,
    Local,
    Name,
    Not,
    Origin,
    Parameter,
    Present,
    Read,
    SameSpan,
    Some,
)
from selfedit_formal.core.policy import (
    Assign,
    Beside,
    Block,
    End,
    Evict,
    Fill,
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
    Readmit,
    Refuse,
    Set,
    SpanIf,
    SpanNamed,
    statements,
)
from tests.language.resolve.core import body, codes, mistake, module, policy

RESULT = Equal(Read("s", "tag", "enum"), Name("enum", "result"))
USER = Equal(Read("s", "tag", "enum"), Name("enum", "user"))


def is_tag(span: str, tag: str) -> Equal:
    return Equal(Read(span, "tag", "enum"), Name("enum", tag))


# ---------- basic statements


def test_evict_keep_and_set_are_statements_of_the_core() -> None:
    found = policy(
        "keep s where s.tag == user evict s where s.tag == result logged set s where s.pinned { tokens = 3 }"
    )
    assert found.body == (
        Keep(0, "s", USER, Origin("keep s where s.tag == user")),
        Evict(1, "s", RESULT, True, Origin("evict s where s.tag == result logged")),
        Set(
            2,
            "s",
            Read("s", "pinned", "bool"),
            (Assign("tokens", Int(3)),),
            Origin("set s where s.pinned { tokens = 3 }"),
        ),
    )


def test_a_record_assigns_leaves_open_and_limits() -> None:
    (found,) = policy(
        "insert { tag = user, tokens <= cap, turn >= 2, turn < 9, pinned, not cleared, call = any, role = any }"
        " at back",
        "cap: int",
    ).body
    assert isinstance(found, Insert)
    assert found.place == End("back")
    assert found.assignments == (
        Assign("tag", Name("enum", "user")),
        Open("tokens", None, Parameter("cap")),
        Open("turn", Int(2), Int(8)),
        Assign("pinned", Bool(True)),
        Assign("cleared", Bool(False)),
        Open("call"),
        Open("role"),
    )


def test_a_record_of_set_reads_the_span_that_is_set() -> None:
    (found,) = policy("set s where s.pinned { turn = s.turn + 1, call = none }").body
    assert isinstance(found, Set)
    assert found.assignments[1] == Assign("call", Name("key", "none"))
    assert "turn" in str(found.assignments[0])


def test_a_set_or_span_by_name_selects_itself() -> None:
    found = body("let old = s where s.tag == result evict old")
    assert found == body("let old = s where s.tag == result evict s where s in old")
    found = body("let cut = first s where s.tag == result keep cut")
    assert found == body("let cut = first s where s.tag == result keep s where s == cut")


def test_move_and_readmit_have_places() -> None:
    found = policy("let x = last s where s.pinned move s where s.tag == result just after x").body
    assert isinstance(found[1], Move)
    assert found[1].place == Beside("after", "x")
    (back,) = policy("readmit s where s.tag == result").body
    assert isinstance(back, Readmit)
    assert (back.place, back.override) == (Original(), False)
    (front,) = policy("readmit s where s.tag == result at front override").body
    assert isinstance(front, Readmit)
    assert (front.place, front.override) == (End("front"), True)


def test_fill_and_refuse() -> None:
    (fill,) = policy("fill newest s where s.tag == result by s.tokens up to cap", "cap: int").body
    origin = Origin("fill newest s where s.tag == result by s.tokens up to cap")
    assert fill == Fill(0, "s", True, RESULT, Read("s", "tokens", "int"), Parameter("cap"), origin)
    (refuse,) = policy('refuse when no s: s.pinned because "nothing to go by"').body
    assert isinstance(refuse, Refuse)
    assert refuse.reason == "nothing to go by"
    assert refuse.condition == Not(Some("s", None, Read("s", "pinned", "bool")))


def test_parameters_have_their_bounds() -> None:
    found = policy("evict s where s.tokens > a + b", "a: int >= 1 < 5, b: int")
    assert found.parameters == (ParameterDeclaration("a", 1, 4), ParameterDeclaration("b"))


# ---------- lets


def test_let_names_sets_spans_and_values() -> None:
    found = policy(
        """
        let old = s where s.tag == result
        let cut = last s where s.pinned
        let n = count(s: s in old)
        let gone = archived s where s.pinned
        let some_of = may s where s.pinned
        let back = first archived s where s.pinned
        let again = cut
        let nothing = none
        let either = if n > 2 then cut else first t where t.pinned
        evict s where s == either or s == again or s == nothing or s == back
        """
    ).body
    assert found[0] == LetSet(0, "old", "s", RESULT)
    assert found[1] == LetSpan(1, "cut", Pick("last", "s", Read("s", "pinned", "bool")))
    assert found[2] == LetValue(2, "n", "int", Count("s", None, InSet("s", "old")))
    assert found[3] == LetSet(3, "gone", "s", Read("s", "pinned", "bool"), archive=True)
    assert found[4] == LetSet(4, "some_of", "s", Read("s", "pinned", "bool"), may=True)
    assert found[5] == LetSpan(5, "back", Pick("first", "s", Read("s", "pinned", "bool"), archive=True))
    assert found[6] == LetSpan(6, "again", SpanNamed("cut"))
    assert found[7] == LetSpan(7, "nothing", NoSpan())
    assert found[8] == LetSpan(
        8,
        "either",
        SpanIf(
            Compare(">", Local("n", "int"), Int(2)), SpanNamed("cut"), Pick("first", "t", Read("t", "pinned", "bool"))
        ),
    )


def test_a_let_of_an_enum_keeps_its_names() -> None:
    found = policy(
        "let cut = first s where s.pinned let kind = cut.role evict s where s.role == kind or kind == low"
    ).body
    assert found[1] == LetValue(1, "kind", "enum", Read("cut", "role", "enum"))


def test_another_name_of_a_set_is_a_set() -> None:
    found = body("let a = s where s.pinned let b = a evict b")
    assert found == body("let a = s where s.pinned let b = s where s in a evict b")


@pytest.mark.parametrize(
    ("snap", "plain"),
    [
        (
            "snap cut back to c where c.tag == user",
            "last c where c.tag == user and (c == cut or c before cut)",
        ),
        (
            "snap cut forward to c where c.tag == user",
            "first c where c.tag == user and (c == cut or cut before c)",
        ),
        (
            "snap cut back to c where c.tag == user else first d where d.pinned",
            "if cut == cut then (if (some c: c.tag == user and (c == cut or c before cut)) then "
            "(last e where e.tag == user and (e == cut or e before cut)) else first d where d.pinned) else none",
        ),
    ],
)
def test_snap_is_the_nearest_legal_span(snap: str, plain: str) -> None:
    start = "let cut = first s where s.pinned let to = "
    end = " evict s where s before to"
    spelled = body(start + plain + end)
    assert len(body(start + snap + end)) == len(spelled) == 3
    if "else first" not in snap:
        assert body(start + snap + end) == spelled
        return
    found = body(start + snap + end)[1]
    assert isinstance(found, LetSpan)
    assert isinstance(found.term, SpanIf)
    assert found.term.otherwise == NoSpan()
    assert isinstance(found.term.condition, SameSpan)
    assert isinstance(found.term.then, SpanIf)
    assert isinstance(found.term.then.condition, Some)
    assert isinstance(found.term.then.then, Pick)
    pick, exists = found.term.then.then, found.term.then.condition
    assert (pick.which, pick.condition) == ("last", exists.condition)


# ---------- may, at once


def test_may_is_a_subset_that_the_model_chooses() -> None:
    assert body("may evict s where s.pinned") == body("let chosen = may s where s.pinned evict s where s in chosen")
    assert body("may set s where s.pinned { turn = s.turn }") == body(
        "let chosen = may s where s.pinned set s where s in chosen { turn = s.turn }"
    )
    assert body("may readmit s where s.pinned") == body(
        "let chosen = may archived s where s.pinned readmit s where s in chosen"
    )


def test_a_group_reads_all_conditions_before_any_edit() -> None:
    grouped = body(
        """
        at once {
          keep s where s.pinned
          evict s where s.tag == result
          readmit s where s.tag == user
          move s where s.tag == call at front
        }
        """
    )
    assert grouped == body(
        """
        let a = s where s.pinned
        let b = s where s.tag == result
        let c = archived s where s.tag == user
        let d = s where s.tag == call
        keep s where s in a
        evict s where s in b
        readmit s where s in c
        move s where s in d at front
        """
    )


def test_a_group_reads_values_that_are_the_same_for_all_spans_before_any_edit() -> None:
    grouped = body("at once { evict s where s.pinned set s where s.tag == user { turn = count(t) } }")
    assert grouped == body(
        """
        let a = s where s.pinned
        let b = count(t)
        let c = s where s.tag == user
        evict s where s in a
        set s where s in c { turn = b }
        """
    ) or grouped == body(
        """
        let a = s where s.pinned
        let c = s where s.tag == user
        let b = count(t)
        evict s where s in a
        set s where s in c { turn = b }
        """
    )


def test_a_group_may_read_fields_of_its_own_span_that_nothing_has_changed() -> None:
    found = policy("at once { evict s where s.pinned set s where s.tag == user { turn = s.turn + 1 } }").body
    assert [type(s) for s in found] == [LetSet, LetSet, Evict, Set]


def test_a_group_summarizes_what_it_saw() -> None:
    grouped = policy(
        "at once { evict s where s.pinned summarize s where s.tag == call into { tag = user } at back }"
    ).body
    assert [type(s) for s in grouped] == [LetSet, LetSet, LetValue, Evict, Block, Evict]
    block = grouped[4]
    assert isinstance(block, Block)
    assert block.condition == Local("some", "bool")


def test_a_let_in_a_group_is_read_with_the_rest() -> None:
    grouped = body(
        "at once { evict s where s.pinned let cut = first s where s.tag == user evict s where s before cut }"
    )
    assert grouped == body(
        """
        let a = s where s.pinned
        let cut = first s where s.tag == user
        let b = s where s before cut
        evict s where s in a
        evict s where s in b
        """
    )


# ---------- summaries


def test_a_summary_takes_the_place_of_the_first_span() -> None:
    assert codes("policy p for Chat { summarize x into { tag = summary } }") == ["R001"]
    found = policy("summarize s where s.tag == result into { tag = summary, tokens <= 9 }").body
    assert found[0] == LetSet(0, "old", "s", RESULT)
    assert found[1] == LetSpan(1, "first", Pick("first", "s", InSet("s", "old")))
    insert, evict = found[2], found[3]
    assert isinstance(insert, Insert)
    assert (insert.place, insert.covers) == (Beside("before", "first"), "old")
    assert isinstance(evict, Evict)
    assert evict.condition == InSet("s", "old")


def test_a_summary_elsewhere_is_put_only_if_there_is_something() -> None:
    found = policy("summarize s where s.tag == result reading s where s.turn > 3 into { tag = summary } at back").body
    assert [type(s) for s in found] == [LetSet, LetSet, Block, Evict]
    block = found[2]
    assert isinstance(block, Block)
    assert block.condition == Some("s", None, InSet("s", "old"))
    (insert,) = block.body
    assert isinstance(insert, Insert)
    assert (insert.place, insert.covers) == (End("back"), "read")


def test_a_summary_leaves_out_what_is_kept() -> None:
    found = policy("keep s where s.pinned summarize s where s.tag == result into { tag = summary }").body
    kept, keep, old = found[:3]
    assert kept == LetSet(0, "kept", "s", Read("s", "pinned", "bool"))
    assert isinstance(keep, Keep)
    assert isinstance(old, LetSet)
    assert Not(InSet("s", "kept")) in getattr(old.condition, "items", ())


def test_a_keep_in_a_block_protects_from_summaries_in_the_same_block() -> None:
    found = policy("if count(t) > 1 { keep s where s.pinned summarize s where s.tag == call into { tag = user } }").body
    assert "Not(item=InSet(span='s', set='kept'))" in str(found)
    text = "if count(t) > 1 { keep s where s.pinned } summarize s where s.tag == call into { tag = user }"
    assert codes(f"policy p for Chat {{ {text} }}") == ["R037"]


def test_what_is_kept_behind_a_when_of_an_applied_policy_is_kept_in_a_block() -> None:
    summary = "summarize s where s.tag == call into { tag = user }"
    applied = f"policy p for Chat {{ apply q {summary} }}"
    assert codes(f"policy q for Chat {{ when count(t) > 1 keep s where s.pinned }} {applied}") == ["R037"]
    assert codes(f"policy q for Chat {{ when count(t) > 1 keep s where s.pinned {summary} }} {applied}") == ["R037"]
    before = "policy q for Chat { keep s where s.pinned when count(t) > 1 evict s where s.cleared }"
    assert "Not(item=InSet(span='s', set='kept'))" in str(module(f"{before} {applied}").policies["p"].body)
    found = policy(f"when count(t) > 1 keep s where s.pinned when count(t) > 2 {summary}").body
    assert "Not(item=InSet(span='s', set='kept'))" in str(found)


# ---------- what the rest hangs on


def test_when_makes_a_block_of_the_rest() -> None:
    (first,) = policy(
        "when count(s) > 3 let n = count(t) evict s where s.pinned when n > 5 evict s where s.cleared"
    ).body
    assert isinstance(first, Block)
    assert first.trigger
    *_, evict, second = first.body
    assert isinstance(evict, Evict)
    assert isinstance(second, Block)
    assert not second.trigger


def test_if_reads_its_condition_once_for_both_branches() -> None:
    (alone,) = policy("if count(s) > 3 { evict s where s.pinned }").body
    assert isinstance(alone, Block)
    assert not alone.trigger
    found = policy("if count(s) > 3 { evict s where s.pinned } else { evict s where s.cleared }").body
    value, then, otherwise = found
    assert isinstance(value, LetValue)
    assert isinstance(then, Block)
    assert isinstance(otherwise, Block)
    assert (then.condition, otherwise.condition) == (Local("holds", "bool"), Not(Local("holds", "bool")))


def test_repeat_nests_while_its_condition_holds() -> None:
    found = body("repeat 3 while count(s) > 2 { let x = first s where s.pinned evict x }")
    step = "let x{0} = first s where s.pinned evict x{0}"
    spelled = body(
        f"if count(s) > 2 {{ {step.format(1)} "
        f"if count(t) > 2 {{ {step.format(2)} if count(u) > 2 {{ {step.format(3)} }} }} }}"
    )
    assert [type(s) for s in statements(found)] == [type(s) for s in statements(spelled)]
    outer = found[0]
    assert isinstance(outer, Block)
    inner = outer.body[2]
    assert isinstance(inner, Block)
    assert isinstance(inner.body[2], Block)


def test_repeat_without_a_condition_is_written_one_after_the_other() -> None:
    found = policy("repeat 2 { let x = first s where s.pinned evict x }").body
    assert [type(s) for s in found] == [LetSpan, Evict, LetSpan, Evict]
    assert [s.name for s in found if isinstance(s, LetSpan)] == ["x", "x_2"]


def test_tiers_run_until_the_target_holds() -> None:
    found = body("until count(s) < 3 { evict s where s.pinned } then { evict s where s.cleared }")
    assert found == body(
        "if not (count(s) < 3) { evict s where s.pinned } if not (count(s) < 3) { evict s where s.cleared }"
    )


# ---------- apply


def test_apply_puts_the_other_policy_in_its_place() -> None:
    more = "policy q(n: int) for Chat { let cut = first s where s.turn > n evict s where s before cut }"
    found = policy("let cut = first s where s.pinned apply q(n = k + 1) apply q(7) keep cut", "k: int", more).body
    assert [type(s) for s in found] == [LetSpan, LetSpan, Evict, LetSpan, Evict, Keep]
    assert [s.name for s in found if isinstance(s, LetSpan)] == ["cut", "cut_2", "cut_3"]


def test_an_argument_that_hangs_on_the_window_is_read_once() -> None:
    more = "policy q(n: int) for Chat { evict s where s.turn > n }"
    assert body("apply q(count(s))", more=more) == body("let n = count(s) evict s where s.turn > n")


def test_when_of_an_applied_policy_ends_that_one_alone() -> None:
    more = "policy q for Chat { when count(s) > 3 evict s where s.pinned }"
    block, evict = policy("apply q evict s where s.cleared", more=more).body
    assert isinstance(block, Block)
    assert not block.trigger
    assert isinstance(evict, Evict)
    (last,) = policy("apply q", more=more).body
    assert isinstance(last, Block)
    assert last.trigger


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("policy p for Chat { apply q }", "R003 unknown policy `q`"),
        ("policy p for Chat { apply p }", "R046 policy `p` applies itself: p -> p"),
        (
            "policy p for Chat { apply q } policy q for Chat { gate idempotent evict s where s.pinned }",
            "R046 policy `q` has gates, which look at a whole pass",
        ),
        (
            "policy p for Chat { apply q } plan q(a) for Chat { delete a }",
            "R046 `q` is a plan, and only policies can be applied",
        ),
        (
            "window Other { tag : a } policy p for Chat { apply q } policy q for Other { evict s where s.tag == a }",
            "R046 policy `q` is for window `Other`, this one for `Chat`",
        ),
        (
            "policy p for Chat { apply q } policy q(n: int) for Chat { keep s where s.turn > n }",
            "R016 policy `q` needs `n`",
        ),
        (
            "policy p for Chat { apply q(-1) } policy q(n: int >= 0) for Chat { keep s where s.turn > n }",
            "R019 `n` is >= 0, and -1 is not",
        ),
        (
            "policy p(k: int) for Chat { apply q(k) } policy q(n: int >= 0) for Chat { keep s where s.turn > n }",
            "R019 `n` is >= 0, and this number may be outside of that",
        ),
    ],
)
def test_what_cannot_be_applied_is_said(text: str, message: str) -> None:
    assert mistake(text) == message


def test_policies_that_apply_each_other_are_reported() -> None:
    found = codes("policy p for Chat { apply q } policy q for Chat { apply p }")
    assert found == ["R046"]


# ---------- names and sites


def test_sites_count_from_zero_in_the_order_written() -> None:
    found = policy("when count(s) > 1 if count(t) > 2 { evict s where s.pinned } evict s where s.cleared")
    assert [s.site for s in statements(found.body)] == [0, 1, 2, 3]


def test_names_of_the_core_are_unique_where_they_are_visible() -> None:
    more = "predicate lonely(s) = no t: t.call == s.call and t != s"
    found = policy("evict t where lonely(t)", more=more).body[0]
    assert isinstance(found, Evict)
    assert found.variable == "t"
    assert isinstance(found.condition, Not)
    assert isinstance(found.condition.item, Some)
    assert found.condition.item.variable == "t_2"


def test_the_current_window_is_called_w() -> None:
    more = "predicate crowded(W) = count(s in W) > 3"
    assert body("when crowded(W) evict s where s in W", more=more) == body("when count(s) > 3 evict s where s in W")
    (block,) = policy("when crowded(W) evict s where s in W", more=more).body
    assert isinstance(block, Block)
    (evict,) = block.body
    assert isinstance(evict, Evict)
    assert evict.condition == Present("s")


# ---------- reasons and gates


def test_a_gate_is_a_closed_formula_over_ungated_passes() -> None:
    found = policy("gate control_unchanged, within(cap) evict s where s.pinned", "cap: int")
    assert [g.name for g in found.gates] == ["control_unchanged", "within(cap)"]
    for gate in found.gates:
        assert "gated=True" not in str(gate.condition)
        assert "Input(name='W')" in str(gate.condition)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "policy p for Chat { gate control_disjoint evict s where s.pinned }",
            "R028",
        ),
        ("policy p for Chat { gate nothing evict s where s.pinned }", "R004"),
        ("policy p for Chat { gate within evict s where s.pinned }", "R016"),
        ("policy p for Chat { gate same_as(p) evict s where s.pinned }", "R045"),
        (
            "property two(P: policy) = all W, V: P(W) == P(V) policy p for Chat { gate two evict s where s.pinned }",
            "R045",
        ),
        ("policy p for Chat { if count(s) > 1 { gate idempotent } }", "R038"),
        ("policy p for Chat { if count(s) > 1 { because s where s.pinned } }", "R038"),
    ],
)
def test_gates_that_cannot_be_judged_are_rejected(text: str, message: str) -> None:
    assert codes(text) == [message]


def test_a_reason_speaks_of_the_window_before_the_pass() -> None:
    assert codes("policy p for Chat { let old = s where s.pinned because old evict old }") == ["R014"]
    assert codes("policy p for Chat { because s where s.taste > 3 evict s where s.pinned }") == ["R024"]
    policy("because s where s.tag == user and no t: t after s evict s where s.pinned")


# ---------- mistakes


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("evict s where s.tag == resul", ["R007"]),
        ("evict s where s.role == user", ["R008"]),
        ("evict s where s.tokns > 1", ["R006"]),
        ("evict s where t.pinned", ["R001"]),
        ("evict s where s.pinned evict t where s.pinned", ["R014"]),
        ("if count(s) > 1 { let x = first s where s.pinned } evict x", ["R014"]),
        ("let x = count(s) let x = count(s)", ["R011"]),
        ("let x = count(s) evict x where x.pinned", ["R011"]),
        ("evict W where W.pinned", ["R011"]),
        ("evict s where k == 1", ["R001"]),
        ("let n = count(s) evict n", ["R013"]),
        ("let n = count(s) insert { tag = user } just before n", ["R013"]),
        ("set s where s.pinned { tokens = user }", ["R001"]),
        ("set s where s.pinned { tokens = true }", ["R013"]),
        ("set s where s.pinned { pinned <= 3 }", ["R013"]),
        ("set s where s.pinned { tag = s.role }", ["R013"]),
        ("set s where s.pinned { call = user }", ["R001"]),
        ("set s where s.pinned { score = 3 }", ["R025"]),
        ("set s where s.pinned { taste = any }", ["R025"]),
        ("set s where s.pinned { size = 3 }", ["R006"]),
        ("set s where s.pinned { turn = 3, turn <= 4 }", ["R026"]),
        ("set s where s.pinned { turn <= 3, turn <= 4 }", ["R026"]),
        ("if count(s) > 1 { when count(s) > 2 }", ["R038"]),
        ("repeat 2 { when count(s) > 2 }", ["R038"]),
        ("until count(s) > 1 { when count(s) > 2 }", ["R038"]),
        ("repeat 0 { evict s where s.pinned }", ["R044"]),
        ("repeat 60 { repeat 60 { repeat 60 { evict s where s.pinned } } }", ["R044"]),
        ("delete x", ["R030"]),
        ("at once { fill newest s where s.pinned by s.tokens up to 3 }", ["R040"]),
        ("at once { when count(s) > 1 }", ["R040"]),
        ("at once { at once { evict s where s.pinned } }", ["R040"]),
        ("at once { evict s where s.pinned move s where s.pinned at front }", ["R039"]),
        ("at once { set s where s.pinned { turn = 1 } set t where t.pinned { turn = 2 } }", ["R039"]),
        (
            "at once { evict s where s.tag in {user, call} summarize s where s.tag == call into { tag = user } }",
            ["R039"],
        ),
        ("at once { evict s where s.cleared set s where s.pinned { turn = count(t: t after s) } }", ["R041"]),
        ("at once { set s where s.cleared { turn = 1 } set s where s.pinned { tokens = s.turn } }", ["R041"]),
        (
            "let x = first t where t.pinned "
            "at once { set s where s.cleared { turn = 1 } set s where s.pinned { tokens = s.tokens + x.turn } }",
            ["R041"],
        ),
        ("let x = W evict s where s.pinned", ["R013"]),
        ("when first t where t.pinned", ["R013"]),
        ("evict s where s.tokens > 3 evict s where s.oops and s.worse", ["R006", "R006"]),
    ],
)
def test_mistakes_are_reported(text: str, expected: list[str]) -> None:
    assert codes(f"policy p for Chat {{ {text} }}") == expected


@pytest.mark.parametrize(
    "text",
    [
        "at once { evict s where s.pinned evict t where t.pinned }",
        "at once { keep s where s.pinned evict t where t.pinned }",
        "at once { set s where s.pinned { turn = 1 } set t where t.pinned { tokens = 2 } }",
        "at once { set s where s.pinned { turn = 1 } set t where t.pinned { turn = 1 } }",
        "at once { evict s where s.tag == user and s.pinned set s where s.tag == user { turn = 1 } }",
        "at once { may evict s where s.pinned set t where t.pinned { turn = 1 } }",
        "at once { evict s where s.pinned readmit s where s.pinned }",
    ],
)
def test_a_group_is_rejected_only_where_it_surely_contradicts_itself(text: str) -> None:
    policy(text)


def test_a_parameter_of_a_policy_is_a_number() -> None:
    assert codes("policy p(s) for Chat { evict t where t == s }") == ["R049"]
    assert codes("policy p(P: policy) for Chat { evict t where t.pinned }") == ["R049"]
    assert codes("policy p(k: int, k: int) for Chat { evict t where t.turn > k }") == ["R011"]
    assert codes("policy p(k: int >= 5 <= 3) for Chat { evict t where t.turn > k }") == ["R042"]


@pytest.mark.parametrize("value", ["if s.loud then s.sort else s.tag", "if s.loud then s.tag else s.sort"])
def test_a_field_gets_no_name_that_it_does_not_have_from_either_branch(value: str) -> None:
    window = "window Desk { tag : rule | note  sort : note | blank  loud : bool }\n"
    text = f"policy p for Desk {{ set s where s.tag == rule {{ sort = {value} }} }}"
    assert mistake(window + text) == f"R013 `{value}` may be a name that `sort` does not have"
    either = "policy p for Desk { set s where s.loud { sort = if s.tag == rule then note else s.sort } }"
    assert "p" in module(window + either).policies


def test_all_policies_are_looked_at_though_nothing_checks_them() -> None:
    assert codes("policy p for Chat { evict s where s.a } policy q for Chat { evict s where s.b }") == ["R006", "R006"]


def test_a_wrong_policy_is_reported_once_however_often_it_is_checked() -> None:
    assert codes("policy p for Chat { evict s where s.a } check p: idempotent, pure check p: justified") == ["R006"]


def test_an_empty_policy_does_nothing() -> None:
    assert module("policy p for Chat { }").policies["p"].body == ()
    assert FALSE != TRUE
