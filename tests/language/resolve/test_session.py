"""Sessions: steps and bookkeeping, what policies may not see, and the promises asked of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from zlib import crc32

import pytest

from selfedit_formal.core.diagnostics import Rejected
from selfedit_formal.core.expression import (
    FALSE,
    TRUE,
    All,
    And,
    Bool,
    Compare,
    Count,
    Equal,
    Expression,
    Implies,
    Input,
    InSet,
    Int,
    Known,
    Linked,
    Name,
    Not,
    Or,
    Parameter,
    Pass,
    Present,
    Read,
    SameSpan,
    SameWindow,
    Some,
    Total,
    WindowTerm,
)
from selfedit_formal.core.policy import (
    Assign,
    Block,
    End,
    Evict,
    Insert,
    LetSet,
    Open,
    ParameterDeclaration,
    Policy,
    Readmit,
    Set,
    Statement,
    statements,
)
from selfedit_formal.core.property import Bound, ChoiceKey, Obligation
from selfedit_formal.core.session import HISTORY, Session
from selfedit_formal.core.window import Value, Window, zero
from selfedit_formal.language.module import Module
from selfedit_formal.language.resolve import load, load_text, obligation, subjects
from selfedit_formal.semantics.interpreter import Domain, NoSuchRun, PassRecord, apply
from tests.language.resolve.core import canonical, codes, mistake, module

W, V = Input("W"), Input("V")
CLEAR = "policy clear(k: int >= 0) for Chat { evict s where s.tag == result and s.turn > k }\n"
APPLY = "each turn { apply clear(3) }"


def session(members: str, parameters: str = "", more: str = CLEAR) -> Session:
    """The session `loop` with these members."""
    return module(f"{more}session loop({parameters}) of Chat {{ {members} }}\n").sessions["loop"]


def steps(turn: str, members: str = "", more: str = CLEAR) -> dict[str, Policy]:
    """The policies of a session's steps, by name."""
    return {s.policy.name: s.policy for s in session(f"each turn {{ {turn} }} {members}", more=more).steps}


def environment(turn: str, members: str = "") -> tuple[Statement, ...]:
    """What the environment does in a turn, without the bookkeeping behind it (three statements)."""
    return steps(f"{turn} apply clear(3)", members)["loop.environment"].body[:-3]


def asked(promise: str, more: str = "", members: str = APPLY) -> Obligation:
    """The obligation that `loop` keeps the promise."""
    found = module(f"{CLEAR}{more}\nsession loop of Chat {{ {members} }}\ncheck loop: {promise}\n")
    return found.obligations[0]


def promised(formula: str, members: str = APPLY) -> Obligation:
    return asked("q", f"property q(S: session) = {formula}", members)


def turn(window: WindowTerm, *names: str) -> WindowTerm:
    for name in names:
        window = Pass(name, "", window)
    return window


def flag(field: str, span: str = "s", window: WindowTerm | None = None) -> Read:
    return Read(span, field, "bool", window)


def tagged(tag: str, span: str = "s", window: WindowTerm | None = None) -> Equal:
    return Equal(Read(span, "tag", "enum", window), Name("enum", tag))


# ---------- steps


def test_a_turn_is_the_environment_the_policy_and_a_record_of_what_it_did() -> None:
    found = session(APPLY)
    assert [(s.policy.name, s.environment) for s in found.steps] == [
        ("loop.environment", True),
        ("clear", False),
        ("loop.record", False),
    ]
    assert found.name == found.schema.name == "loop"
    assert found.window == "Chat"
    assert found.schema.fields[-len(HISTORY) :] == HISTORY
    assert {s.policy.schema for s in found.steps} == {found.schema}


def test_what_stands_before_each_apply_and_behind_the_last_is_the_environment() -> None:
    found = steps("may evict s where s.pinned apply clear(1) apply clear(2) may evict s where s.cleared")
    assert list(found) == [
        "loop.environment",
        "clear",
        "loop.record",
        "loop.environment2",
        "clear_2",
        "loop.record2",
        "loop.environment3",
    ]
    assert isinstance(found["loop.environment"].body[1], Evict)
    assert all(isinstance(s, Set) for s in found["loop.environment2"].body)
    evict, returned = found["loop.environment3"].body[1:]
    assert isinstance(evict, Evict)
    assert isinstance(returned, Set)
    assert returned.assignments == (Assign("returned", TRUE),)


def test_a_policy_applied_again_with_the_same_numbers_is_the_same_policy() -> None:
    found = session("each turn { apply clear(1) apply clear(1) apply clear(1 + 1) }")
    names = [s.policy.name for s in found.steps if not s.policy.name.startswith("loop.")]
    assert names == ["clear", "clear", "clear_2"]


def test_a_policy_keeps_what_it_does_and_its_gates() -> None:
    more = "policy gated for Chat { when count(s) > 3 evict s where s.tag == result gate idempotent }\n"
    found = module(f"{more}session loop of Chat {{ each turn {{ apply gated }} }}")
    policy, alone = found.sessions["loop"].steps[1].policy, found.policies["gated"]
    assert policy.body == alone.body
    assert policy.gates == alone.gates
    assert len(policy.gates) == 1
    assert policy.schema != alone.schema


def test_the_sessions_parameters_are_those_of_its_steps_with_its_limits() -> None:
    found = session(
        "start count(s in W) < n each turn { may evict s where s.turn > k apply clear(k) }",
        "k: int >= 2, n: int",
    )
    assert found.parameters == (ParameterDeclaration("k", 2), ParameterDeclaration("n"))
    assert [s.policy.parameters for s in found.steps] == [(ParameterDeclaration("k", 2),)] * 2 + [()]
    assert found.start == Compare("<", Count("s", W, TRUE), Parameter("n"))


def test_a_check_gives_the_parameters() -> None:
    text = f"{CLEAR}session loop(k: int) of Chat {{ each turn {{ apply clear(max(k, 0) ) }} }}"
    assert codes(text) == ["R019"]
    text = (
        f"{CLEAR}session loop(k: int >= 0) of Chat {{ each turn {{ apply clear(k) }} }}\ncheck loop(k = 4): no_thrash"
    )
    (found,) = module(text).obligations
    assert found.parameters == ()
    assert found.turns is not None
    (evict,) = found.policies[0].body
    assert isinstance(evict, Evict)
    assert Compare(">", Read("s", "turn", "int"), Int(4)) in evict.condition.items  # type: ignore[union-attr]


# ---------- the environment


def test_what_arrives_may_come_and_is_open_as_far_as_the_condition_admits() -> None:
    first, second = environment("arrive up to 2 a where a.tag == user and a.turn > 1")
    assert isinstance(first, Insert)
    assert isinstance(second, Insert)
    condition = And((tagged("user", first.variable), Compare(">", Read(first.variable, "turn", "int"), Int(1))))
    assert (first.may, first.place, first.covers, first.condition) == (True, End("back"), None, condition)
    assert first.assignments == (Open("pinned"), Open("cleared"))
    assert first.site != second.site


def test_one_span_arrives_if_no_number_is_given() -> None:
    assert len(environment("arrive a where a.tag == user")) == 1


def test_flags_from_the_query_are_open_in_what_arrives() -> None:
    text = (
        "window C { tag : a liked : bool from query seen : bool from window } policy p for C { evict s where s.liked }"
    )
    found = load_text(f"{text} session loop of C {{ each turn {{ arrive s where s.tag == a apply p }} }}")
    insert = found.sessions["loop"].steps[0].policy.body[0]
    assert isinstance(insert, Insert)
    assert insert.assignments == (Open("liked"),)


def test_only_what_was_met_comes_back_from_outside() -> None:
    read, back = environment("readmit s where s.pinned")
    assert read == LetSet(0, "readmitted", "s", And((flag("pinned"), flag("met"))), archive=True)
    assert isinstance(back, Readmit)
    assert (back.condition, back.override) == (InSet("s", "readmitted"), False)


def test_an_override_forgives() -> None:
    read, back, forgiven = environment("may readmit s where s.pinned override", "tombstones sidecar")
    assert isinstance(read, LetSet)
    assert (read.may, read.archive, read.condition) == (True, True, And((flag("pinned"), flag("met"))))
    assert isinstance(back, Readmit)
    assert back.override
    assert isinstance(forgiven, Set)
    assert forgiven.condition == back.condition
    assert forgiven.assignments == (Assign("evicted", FALSE), Assign("returned", FALSE))


STANDS = Some("t", None, And((tagged("summary", "t"), Linked("covers", "t", "s"))))


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ("", ()),
        ("tombstones none", ()),
        ("tombstones sidecar", (Not(flag("evicted")),)),
        ("tombstones in_window { tag = summary, tokens = 1 }", (Not(And((flag("evicted"), STANDS))),)),
    ],
)
def test_nothing_comes_back_silently_where_a_tombstone_stands(members: str, expected: tuple[Expression, ...]) -> None:
    more = "policy recall for Chat { readmit s where s.pinned at back }\n"
    made = steps("readmit s where s.pinned apply recall", members, more)
    read = made["loop.environment"].body[0]
    assert isinstance(read, LetSet)
    assert canonical(read.condition) == canonical(And((flag("pinned"), flag("met"), *expected)))
    own = made["recall"].body[0]
    assert isinstance(own, LetSet)
    assert canonical(own.condition) == canonical(And((flag("pinned"), *expected)) if expected else flag("pinned"))


def test_what_a_policy_brings_back_by_an_override_is_forgiven_too() -> None:
    more = "policy recall for Chat { at once { evict s where s.cleared readmit s where s.pinned override } }\n"
    body = steps("apply recall", more=more)["recall"].body
    back = next(n for n, s in enumerate(body) if isinstance(s, Readmit))
    forgiven = body[back + 1]
    assert isinstance(forgiven, Set)
    assert forgiven.assignments == (Assign("evicted", FALSE), Assign("returned", FALSE))


# ---------- bookkeeping


def noted(policy: Policy) -> list[tuple[bool, Expression, tuple[str, ...]]]:
    """Of each `set`: whether of the archive, the condition, the fields."""
    return [(s.archive, s.condition, tuple(a.field for a in s.assignments)) for s in policy.body if isinstance(s, Set)]


def test_before_the_policy_the_session_notes_what_it_is_given() -> None:
    control = And((Not(flag("met")), Or((tagged("system"), flag("pinned")))))
    assert noted(steps("apply clear(3)")["loop.environment"]) == [
        (False, flag("evicted"), ("returned",)),
        (False, control, ("binding",)),
        (False, TRUE, ("met", "offered")),
    ]


def test_without_a_control_set_nothing_binds() -> None:
    text = (
        "window C { tag : a } policy p for C { evict s where s.tag == a } session loop of C { each turn { apply p } }"
    )
    found = load_text(text).sessions["loop"]
    assert [fields for _, _, fields in noted(found.steps[0].policy)] == [("returned",), ("met", "offered")]


def test_after_the_policy_it_notes_what_is_gone() -> None:
    record = steps("apply clear(3)")["loop.record"]
    assert noted(record) == [
        (True, And((flag("offered"), flag("evicted"))), ("thrashed",)),
        (True, flag("offered"), ("evicted", "evictions")),
        (False, flag("evicted"), ("returned",)),
        (False, flag("offered"), ("offered",)),
        (True, flag("offered"), ("offered",)),
    ]
    assert [s.site for s in statements(record.body)] == list(range(5))


def test_tombstones_and_ledger_in_the_window_are_a_span_each_that_covers_what_is_gone() -> None:
    stones = "tombstones in_window { tag = summary, tokens = 2 } ledger in_window { tag = assistant, not pinned }"
    body = steps("apply clear(3)", stones)["loop.record"].body
    gone, one, first, second = body[3:7]
    assert isinstance(gone, LetSet)
    assert (gone.archive, gone.condition) == (True, flag("offered"))
    for block, tag in ((first, "summary"), (second, "assistant")):
        assert isinstance(block, Block)
        assert block.condition == SameSpan(one.name, one.name)  # type: ignore[union-attr]
        (insert,) = block.body
        assert isinstance(insert, Insert)
        assert (insert.place, insert.covers, insert.may) == (End("back"), gone.name, False)
        assert insert.assignments[0] == Assign("tag", Name("enum", tag))


# ---------- what holds of a session


def test_start_and_invariants_speak_of_the_window_and_its_history() -> None:
    found = session(
        f"start no s in W: s.pinned start count(s in W) < 3 {APPLY} invariant all s in known(W): s.met implies s in W"
    )
    assert found.start == And((Not(Some("s", W, flag("pinned", window=W))), Compare("<", Count("s", W, TRUE), Int(3))))
    (invariant,) = found.invariants
    assert invariant.condition == All("s", Known(W), Implies(flag("met", window=Known(W)), Present("s", W)))
    assert invariant.origin.text == "invariant all s in known(W): s.met implies s in W"


def test_what_a_check_assumes_is_of_the_start() -> None:
    text = f"{CLEAR}session loop of Chat {{ start no s in W: s.pinned {APPLY} }}\n"
    (found,) = module(f"{text}check loop: no_thrash assuming count(s in W) < 3 within 2 spans, 5 turns").obligations
    assert found.turns is not None
    assert found.turns.session.start == And(
        (Not(Some("s", W, flag("pinned", window=W))), Compare("<", Count("s", W, TRUE), Int(3)))
    )
    assert found.claim.premise == TRUE
    assert (found.within, found.within_turns) == (2, 5)


def test_turns_alone_may_be_limited() -> None:
    (found,) = module(f"{CLEAR}session loop of Chat {{ {APPLY} }} check loop: no_thrash within 5 turns").obligations
    assert (found.within, found.within_turns) == (None, 5)


# ---------- promises


def test_a_promise_is_about_the_windows_in_front_of_it() -> None:
    found = promised("always W from V where count(v in V) > 2, s in known(W) where s.met: s.pinned implies s in W")
    assert found.turns is not None
    assert (found.turns.reached, found.turns.before, found.turns.start) == ("W", None, "V")
    assert found.turns.taken is None
    assert found.claim.inputs == ("V", "W")
    assert found.claim.bound == (Bound("s", Known(W)),)
    assert found.claim.antecedent == And(
        (
            Compare(">", Count("v", V, TRUE), Int(2)),
            flag("met", window=Known(W)),
            flag("pinned", window=Known(W)),
        )
    )
    assert found.claim.consequent == Present("s", W)


def test_two_turns_are_compared() -> None:
    found = promised("always V then W: W == V")
    assert found.turns is not None
    assert (found.turns.reached, found.turns.before, found.turns.start) == ("W", "V", None)
    assert found.claim.inputs == ("V", "W")
    assert found.claim.consequent == SameWindow(W, V)


def test_never_is_always_not() -> None:
    assert promised("never W: count(s in W) > 3").claim == promised("always W: not count(s in W) > 3").claim
    assert promised("never W, s in W: s.pinned").claim == promised("always W: no s in W: s.pinned").claim


def test_the_policies_of_the_obligation_are_the_steps_those_applied_first() -> None:
    assert [p.name for p in promised("always W: count(s in W) < 3").policies] == [
        "clear",
        "loop.record",
        "loop.environment",
    ]


def test_turns_of_a_promise_are_passes() -> None:
    whole = ("loop.environment", "clear", "loop.record")
    assert promised("always W: S^2(W) == S(W)").claim.consequent == SameWindow(turn(W, *whole, *whole), turn(W, *whole))
    assert promised("always W: S^0(W) == W").claim.consequent == SameWindow(W, W)


def test_left_alone_the_books_are_kept_and_nothing_else_is_done() -> None:
    found = promised("always W: left_alone(S, 1, W) == W", "each turn { arrive s where s.pinned apply clear(3) }")
    assert found.claim.consequent == SameWindow(turn(W, "loop.offer", "clear", "loop.record"), W)
    assert found.turns is not None
    together = [*found.turns.session.steps]
    assert [s.environment for s in together] == [True, False, False, False]
    assert noted(together[1].policy) == noted(steps("apply clear(3)")["loop.environment"])
    assert noted(together[0].policy) == []
    assert found.policies[0].name == "clear"


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ("", FALSE),
        ("tombstones sidecar", Compare(">", Read("s", "evictions", "int", W), Int(0))),
        (
            "tombstones in_window { tag = summary }",
            Some("t", W, And((tagged("summary", "t", W), Linked("covers", "t", "s", W)))),
        ),
    ],
)
def test_a_tombstone_stands_where_they_live(members: str, expected: Expression) -> None:
    found = promised("always W, s in known(W): tombstone(S, s, W)", f"{APPLY} {members}")
    assert found.claim.consequent == expected


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ("", Int(0)),
        ("ledger sidecar", Read("s", "evictions", "int", W)),
        (
            "ledger in_window { tag = summary }",
            Count("t", W, And((tagged("summary", "t", W), Linked("covers", "t", "s", W)))),
        ),
    ],
)
def test_the_entries_about_a_span_are_counted_where_they_live(members: str, expected: Expression) -> None:
    found = promised("always W, s in known(W): entries(S, s, W) == 1", f"{APPLY} {members}")
    assert found.claim.consequent == Compare("==", expected, Int(1))


@pytest.mark.parametrize("store", ["none", "sidecar", "in_window { tag = summary }"])
def test_the_ledger_is_outside_in_a_sidecar_alone(store: str) -> None:
    found = promised("always W: outside(S)", f"{APPLY} ledger {store}")
    assert found.claim.consequent == Bool(store == "sidecar")


def test_a_known_span_is_of_the_control_set_if_it_is_in_the_window() -> None:
    text = """window C { tag : a | b control s where no t: t before s }
policy p for C { evict s where s.tag == a }
session loop of C { each turn { apply p } }
check loop: control_survives"""
    (found,) = load_text(text).obligations
    assert isinstance(found.claim.consequent, And)
    (quantifier,) = (i.item for i in found.claim.consequent.items if isinstance(i, Not))
    assert isinstance(quantifier, Some)
    assert quantifier.window == W


def test_numbers_and_predicates_are_given_to_promises() -> None:
    found = asked("bounded_growth(9)")
    assert found.claim.consequent == Compare("<=", Total("s", W, Read("s", "tokens", "int", W), TRUE), Int(9))
    found = asked("summary_agrees(like)", "predicate like(m, s) = m.call == s.call")
    assert found.claim.consequent == Equal(Read("m", "call", "key", W), Read("s", "call", "key", Known(W)))


def test_at_most_once_is_remembered_by_a_step_of_its_own() -> None:
    found = promised("at most once s in W where s.pinned: s.tag == summary")
    assert found.turns is not None
    watch = found.turns.session.steps[-1]
    assert (watch.policy.name, watch.environment) == ("loop.watch", False)
    seen = And((flag("pinned"), tagged("summary")))
    assert noted(watch.policy) == [
        (False, And((seen, flag("once"))), ("twice",)),
        (False, seen, ("once",)),
    ]
    assert found.claim.consequent == Not(flag("twice", window=Known(W)))
    assert [f.name for f in found.schema.fields if f.history][-2:] == ["once", "twice"]
    assert {p.schema for p in found.policies} == {found.schema}
    archive = promised("at most once s in known(W): s.tag == summary").turns
    assert archive is not None
    assert [a for a, _, _ in noted(archive.session.steps[-1].policy)] == [False, False, True, True]


def test_what_remembers_has_a_name_of_its_own() -> None:
    text = """window C { tag : a once : bool }
policy p for C { evict s where s.tag == a }
session loop of C { each turn { apply p } }
property q(S: session) = at most once s in W: s.once
check loop: q"""
    (found,) = load_text(text).obligations
    assert [f.name for f in found.schema.fields if f.history][-2:] == ["once_2", "twice"]


# ---------- modules


def whole(text: str) -> Module:
    return module(f"{CLEAR}session loop of Chat {{ {APPLY} }}\n{text}")


def test_a_promise_of_policies_and_one_of_sessions_may_have_one_name() -> None:
    found = whole(
        "property small(P: policy) = all W: count(s in P(W)) < 3\n"
        "property small(S: session) = always W: count(s in W) < 3\n"
        "check clear(2): small\ncheck loop: small"
    )
    assert [o.turns is None for o in found.obligations] == [True, False]
    assert set(found.properties) == set(found.promises) == {"small"}
    assert subjects(found, "small") == ("clear", "loop")
    assert subjects(found, "idempotent") == ("clear",)
    assert subjects(found, "no_thrash") == ("loop",)
    assert subjects(found, "tombstoned(marks)") == ("clear", "loop")
    assert subjects(found, "nothing") == ()


def test_a_promise_is_asked_without_a_check() -> None:
    found = whole("")
    made = obligation(found, "loop", "bounded_growth(9)", within=3, turns=2)
    assert made.turns is not None
    assert made.turns.session == found.sessions["loop"]
    assert (made.within, made.within_turns) == (3, 2)
    with pytest.raises(Rejected, match="R057"):
        obligation(found, "clear", "idempotent", turns=2)


def test_a_window_of_a_session_has_a_history_zero_where_nothing_is_said() -> None:
    found = whole(
        "window w of loop = [ archived A: user { tokens = 3, turn = 0, role = low, score = 1, evictions = 2 } ]"
    )
    (span,) = found.windows["w"].spans
    assert found.windows["w"].schema == found.sessions["loop"].schema == found.schemas["loop"]
    assert (span["evictions"], span["evicted"], span["met"]) == (2, False, False)


def test_sessions_are_imported(tmp_path: Path) -> None:
    text = (
        "window C { tag : a } policy p for C { evict s where s.tag == a } session loop of C { each turn { apply p } }"
    )
    (tmp_path / "loops.sef").write_text(text, encoding="utf-8")
    (tmp_path / "checks.sef").write_text('import "loops.sef"\ncheck loop: no_thrash', encoding="utf-8")
    found = load(tmp_path / "checks.sef")
    assert list(found.sessions) == ["loop"]
    assert len(found.obligations) == 1


# ---------- mistakes


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ("tombstones none", "R050 session `loop` does not say what happens in a turn"),
        (f"{APPLY} {APPLY}", "R050 session `loop` has two kinds of turns"),
        (
            "each turn { evict s where s.pinned }",
            "R050 session `loop` applies no policy, so there is nothing to promise of it",
        ),
        (
            "each turn { if count(s) > 2 { apply clear(3) } }",
            "R050 `apply` stands in `each turn` itself, and not inside of a block of it",
        ),
        (
            "each turn { keep s where s.pinned apply clear(3) }",
            "R051 `keep` is for policies, and the environment of a session is none",
        ),
        (
            "each turn { at once { keep s where s.pinned } apply clear(3) }",
            "R051 `keep` is for policies, and the environment of a session is none",
        ),
        (
            'each turn { refuse when count(s) > 3 because "no" apply clear(3) }',
            "R051 `refuse` is for policies, and the environment of a session is none",
        ),
        ("each turn { apply clear }", "R016 policy `clear` needs `k`"),
        ("each turn { apply clear(count(s)) }", "R043 `k` is given a number that hangs on the window"),
        ("each turn { apply clean(3) }", "R003 unknown policy `clean`"),
        ("each turn { apply loop }", "R046 `loop` is a session, and only policies can be applied"),
        (
            "each turn { arrive up to 0 s where s.pinned apply clear(3) }",
            "R044 `arrive up to` is followed by a number between 1 and 16, not 0",
        ),
        (
            "each turn { may evict s where s.met apply clear(3) }",
            "R053 `met` is what a session knows of a span's past, and a policy sees the window alone",
        ),
        (
            f"{APPLY} tombstones in_window {{ tokens = 3 }}",
            "R056 what stands in the window for the tombstones needs a tag by which it is known",
        ),
        (
            f"{APPLY} ledger in_window {{ tag = any }}",
            "R056 what stands in the window for the ledger needs a tag by which it is known",
        ),
        (f"{APPLY} ledger none ledger none", "R011 the place of `ledger` is declared twice"),
        (f"start no s in W: s.evictedd {APPLY}", "R006 window `Chat` has no field `evictedd`"),
    ],
)
def test_a_session_that_does_not_hold_together_is_a_mistake(members: str, expected: str) -> None:
    assert mistake(f"{CLEAR}session loop of Chat {{ {members} }}") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("check loop: idempotent", "R054 `idempotent` is a promise of policies, and `loop` is a session"),
        ("check clear(3): no_thrash", "R054 `no_thrash` is a promise of sessions, and `clear` is a policy"),
        ("policy g for Chat { evict s where s.pinned gate no_thrash }", "R054 `no_thrash` is a promise of sessions"),
        ("check clear(3): idempotent within 3 turns", "R057 `clear` is no session, and only sessions have turns"),
        ("check lop: no_thrash", "R003 unknown policy, plan or session `lop`"),
        ("check loop(k = 3): no_thrash", "R018 session `loop` has no parameter `k`"),
        ("session clear of Chat { each turn { apply clear(3) } }", "R011 the name `clear` is declared twice"),
        ("session other of Chit { each turn { apply clear(3) } }", "R002 unknown window `Chit`"),
        (
            "policy a for Chat { arrive s where s.pinned }",
            "R052 `arrive` is what happens to a session, and a policy can only `insert`",
        ),
        (
            "policy a for Chat { evict s where s.evicted }",
            "R053 `evicted` is what a session knows of a span's past, and a policy sees the window alone",
        ),
        (
            "window w of loop = [] plan a on w { delete A }",
            "R032 `w` is a window of a session, and a plan stands on one of a declared window",
        ),
        (
            "property no_thrash(S: session) = always W: no s in W: s.thrashed",
            "R011 property `no_thrash` is shipped with the tool, and this is another one",
        ),
        (
            "property q(S: session) = all W: count(s in W) < 3",
            "R055 property `q` is about a session, and does not say in which windows",
        ),
        (
            "property q(P: policy) = never W: P(W) == W",
            "R055 `never` is about turns, and property `q` is about a policy",
        ),
        (
            "property q(P: policy) = at most once s in W: s.pinned",
            "R055 `at most once` is about turns, and property `q` is about a policy",
        ),
        ("property q(S: session) = at most once s: s.pinned", "R055 it is not said in which window `s` is"),
        (
            "property q(S: session, P: policy) = always W: P(W) == W",
            "R049 a promise of sessions is about one, and takes no policy besides",
        ),
        (
            "property q(S: session) = always W, V: V == W",
            "R045 `V` would be any window, and a promise of sessions is about those behind `always`",
        ),
        (
            "property q(S: session) = always W: S'(W) == W",
            "R017 `S'` would be another run of the session, and a promise of sessions is about one",
        ),
        (
            "property q(S: session) = always W: S^65(W) == W",
            "R044 `S^65(W)` asks for 65 turns, and the number is between 0 and 64",
        ),
        (
            "property q(S: session) = always W: known(W) == W",
            "R013 `known(W)` has spans that left, so it is no window that is compared or that a policy gets",
        ),
        ("property q(S: session) = always W: outside(W)", "R017 `W` is not a session, and one is needed here"),
        ("property q(S: session) = always W: S", "R013 `S` is a session, and a value is needed here"),
        (
            "property q(S: session) = at most once s in W: s in known(W)",
            "R013 `W` is the window after a turn, and `at most once` only looks at what stands in it",
        ),
        (
            "property q(P: policy) = all W, s in W: not s.evicted check clear(3): q",
            "R029 property `q` needs the field `evicted`, which window `Chat` does not have",
        ),
    ],
)
def test_what_is_not_for_sessions_or_only_for_them_is_a_mistake(text: str, expected: str) -> None:
    assert mistake(f"{CLEAR}session loop of Chat {{ {APPLY} }}\n{text}") == expected


def test_a_field_that_the_session_has_is_no_field_of_its_window() -> None:
    text = "window C { tag : a evicted : bool } policy p for C { evict s where s.evicted }"
    load_text(text)
    with pytest.raises(Rejected, match="R053"):
        load_text(f"{text} session loop of C {{ each turn {{ apply p }} }}")


def test_a_policy_of_another_window_is_not_applied() -> None:
    text = f"{CLEAR}window C {{ tag : a }} session loop of C {{ each turn {{ apply clear(3) }} }}"
    assert mistake(text) == "R046 policy `clear` is for window `Chat`, this session of `C`"


def test_all_mistakes_of_a_session_are_told_at_once() -> None:
    text = "session loop of Chat { start s.a each turn { keep s where s.b apply c } ledger in_window { tag = d } }"
    assert codes(text) == ["R001", "R051", "R003", "R007"]


def test_a_session_of_a_wrong_policy_is_not_reported_as_well() -> None:
    text = "policy p for Chat { evict s where s.tag == nothing } session loop of Chat { each turn { apply p } }"
    assert codes(f"{text} check loop: no_thrash, converges(1)") == ["R007"]


# ---------- what the books say, against what was seen to happen

SEEN = """
window Log {
  tag    : note | task | call | mark
  stale  : bool
  pinned : bool
  control s where s.tag == task or s.pinned
}
policy prune for Log {
  may evict s where s.tag in {call, note, mark}
  may readmit s where s.tag == call override
  may readmit s where s.tag == note
  may set s where s.pinned { not pinned }
  evict s where s.stale
}
policy fold for Log {
  refuse when no s: s.tag == task because "nothing to do"
  may summarize s where s.tag == note into { tag = note }
  gate control_unchanged
}
session loop of Log {
  each turn {
    arrive up to 2 s where s.tag in {call, task}
    may readmit s where s.tag in {call, note}
    may readmit s where s.tag == call override
    may evict s where s.tag == call
    apply prune
    may readmit s where s.tag == note
    apply fold
    may readmit s where s.tag == note
  }
  TOMBSTONES
}
"""
STORES = ("tombstones none", "tombstones sidecar", "tombstones in_window { tag = mark, not stale, not pinned }")


@dataclass
class Dice:
    """Answers drawn at random, mostly no."""

    random: Random

    def take(self, key: ChoiceKey, domain: Domain) -> Value:
        match domain.kind:
            case "bool":
                return self.random.random() < 0.4
            case "enum":
                return self.random.choice(domain.names)
            case _:
                return domain.default()


@dataclass
class Seen:
    """What a person who watches the passes would write down of each span."""

    past: dict[str, dict[str, Value]] = field(default_factory=dict)
    given: frozenset[str] = frozenset()

    def of(self, span: str) -> dict[str, Value]:
        return self.past.setdefault(span, {f.name: zero(f.kind) for f in HISTORY})

    def watch(self, policy: Policy, done: PassRecord) -> None:
        """The overrides of a pass: what they bring back is forgiven."""
        if done.refused is not None:
            return
        overrides = {s.site for s in statements(policy.body) if isinstance(s, Readmit) and s.override}
        for event in done.events:
            for span in event.spans if event.kind == "readmit" and event.site in overrides else ():
                self.of(span).update(evicted=False, returned=False)

    def returned(self, window: Window) -> None:
        for span in window.present():
            self.of(span.id)["returned"] = self.of(span.id)["returned"] or self.of(span.id)["evicted"]

    def offered(self, window: Window) -> None:
        """The window as a policy is given it."""
        self.returned(window)
        for span in window.present():
            past = self.of(span.id)
            if not past["met"]:
                past["binding"] = span["tag"] == "task" or span["pinned"]
            past["met"] = True
        self.given = frozenset(s.id for s in window.present())

    def left(self, window: Window) -> frozenset[str]:
        """The window as the policy left it: what of the given is gone."""
        gone = self.given & window.archived
        for span in gone:
            past = self.of(span)
            past["thrashed"] = past["thrashed"] or past["evicted"]
            past["evicted"] = True
            past["evictions"] = int(past["evictions"]) + 1
        self.returned(window)
        return gone


def as_seen(window: Window, seen: Seen) -> bool:
    return all({f.name: s[f.name] for f in HISTORY} == seen.of(s.id) for s in window.spans)


def watched(of: Session, dice: Dice, turns: int) -> Iterator[tuple[Window, Seen]]:
    """A session from the empty window, with what was seen after each turn."""
    window, seen, depths = Window(of.schema, ()), Seen(), Counter[str]()
    for _ in range(turns):
        for step in of.steps:
            depths[step.policy.name] += 1
            done = apply(step.policy, window, {}, {}, dice, depth=depths[step.policy.name])
            if step.policy.name.startswith("loop.record"):
                gone = seen.left(window)
                marks = {(b, a) for _, b, a in done.after.links if b not in {s.id for s in window.spans}}
                stands = of.tombstones == "in_window"
                assert {a for _, a in marks} == (gone if stands else frozenset())
                assert len({b for b, _ in marks}) == (stands and bool(gone))
            elif step.environment:
                seen.watch(step.policy, done)
                seen.returned(done.after)
                if step.policy.name != "loop.environment3":
                    seen.offered(done.after)
            else:
                seen.watch(step.policy, done)
            window = done.after
        yield window, seen


@pytest.mark.parametrize("store", STORES)
def test_the_books_say_what_was_seen_to_happen(store: str) -> None:
    of = load_text(SEEN.replace("TOMBSTONES", store)).sessions["loop"]
    found: set[str] = set()
    for seed in range(60):
        with suppress(NoSuchRun):
            for window, seen in watched(of, Dice(Random(seed)), 3):
                assert as_seen(window, seen), seed
                found |= {n for past in seen.past.values() for n, value in past.items() if value}
    silent = {"returned", "thrashed"} if store != STORES[1] else set()
    assert found == {"met", "binding", "evicted", "evictions"} | silent


@dataclass(frozen=True)
class Fixed:
    """Answers that hang on the question alone."""

    seed: int

    def take(self, key: ChoiceKey, domain: Domain) -> Value:
        return Dice(Random(crc32(repr((self.seed, key)).encode()))).take(key, domain)


def lived(of: Session, choices: Fixed, turns: int) -> Window:
    window, depths = Window(of.schema, ()), Counter[str]()
    for _ in range(turns):
        for step in of.steps:
            depths[step.policy.name] += 1
            window = apply(step.policy, window, {}, {}, choices, depth=depths[step.policy.name]).after
    return window


def test_books_kept_apart_say_the_same() -> None:
    text = f"{SEEN.replace('TOMBSTONES', STORES[2])}\nproperty alone(S: session) = always W: left_alone(S, 1, W) == W"
    found = obligation(load_text(text), "loop", "alone").turns
    assert found is not None
    together = load_text(text).sessions["loop"]
    assert len(found.session.steps) == len(together.steps) + 2
    compared = 0
    for seed in range(100):
        with suppress(NoSuchRun):
            window = lived(together, Fixed(seed), 3)
            assert lived(found.session, Fixed(seed), 3) == window
            compared += bool(window.archived)
    assert compared > 10
