from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest

from selfedit_formal.core.expression import (
    ASSUMED,
    TRUE,
    Add,
    All,
    Bool,
    Compare,
    Created,
    Expression,
    If,
    Implies,
    Input,
    InSet,
    Int,
    Known,
    Linked,
    Name,
    Not,
    Or,
    Origin,
    Pass,
    Present,
    Reaches,
    Read,
    SameWindow,
    Some,
    Without,
    conjunction,
)
from selfedit_formal.core.policy import (
    Assign,
    Assignment,
    End,
    Evict,
    Insert,
    LetSet,
    LetSpan,
    Move,
    NoSpan,
    Open,
    Original,
    Policy,
    Readmit,
    Set,
    Statement,
    statements,
)
from selfedit_formal.core.property import Case, Claim, Obligation
from selfedit_formal.core.session import EVICTED, HISTORY, OFFERED, Session, Step, Turns
from selfedit_formal.core.traverse import nodes
from selfedit_formal.core.window import COVERS, Link, Schema, Span, Window, zero
from selfedit_formal.engines import Found, Limits, NoneFound, unbounded
from selfedit_formal.engines.bounded import BoundedRefuter
from selfedit_formal.engines.random import Drawn
from selfedit_formal.language.resolve import load_text
from selfedit_formal.semantics.interpreter import NoSuchRun, apply, judge
from selfedit_formal.semantics.reads import reads_archive
from selfedit_formal.verifying.turns import (
    REST,
    Inductive,
    after,
    books,
    conjuncts,
    covered_link,
    inductive,
    parts,
    reachable_schema,
    started,
    substituted,
    turning,
)
from tests.semantics import generated

WINDOW = """
window Log {
  tag    : note | task | old
  tokens : int >= 1 <= 9
  stale  : bool
  link backs : note -> task
}
"""


def session(
    policy: str, turn: str = "apply p", promise: str = "no_thrash", start: str = "", keeps: str = ""
) -> Obligation:
    text = f"""{WINDOW}
policy p for Log {{ {policy} }}
session loop of Log {{
  {start}
  each turn {{ {turn} }}
  {keeps}
}}
{promise if "check" in promise else f"check loop: {promise}"}
"""
    return load_text(text).obligations[0]


def about(obligation: Obligation) -> Session:
    assert obligation.turns is not None
    return obligation.turns.session


def taken(obligation: Obligation) -> Inductive:
    found = inductive(obligation)
    assert isinstance(found, Inductive)
    return found


def why_not(obligation: Obligation) -> str:
    found = inductive(obligation)
    assert isinstance(found, str)
    return found


# ---------- after so many turns


def test_a_claim_after_some_turns_is_a_plain_one_about_the_window_at_the_start() -> None:
    made = after(session("evict s where s.stale"), 2)
    assert made.turns is not None
    assert made.turns.taken == 2
    assert made.claim.inputs == ("W0",)
    passes = [n.policy for n in nodes(made.claim.consequent) if isinstance(n, Pass)]
    assert passes[:6] == ["loop.record", "p", "loop.environment"] * 2


def test_the_start_keeps_the_name_that_the_promise_gives_it() -> None:
    made = after(session("evict s where s.stale", promise="bounded_growth(9)"), 1)
    assert made.claim.inputs == ("V",)


def test_a_claim_about_two_windows_needs_a_turn() -> None:
    text = "property shrinks(S: session) = always V then W: count(s in W) <= count(s in V)\ncheck loop: shrinks"
    obligation = session("evict s where s.stale", promise=text)
    with pytest.raises(ValueError, match="before the first turn"):
        after(obligation, 0)
    assert isinstance(BoundedRefuter().solve(after(obligation, 1), Limits(within=2)), NoneFound)


def test_a_session_starts_from_a_window_to_which_nothing_has_happened() -> None:
    obligation = session("evict s where s.stale", start="start no s in W: s.tag == old")
    schema = about(obligation).schema
    rest = {f.name: 0 if f.kind == "int" else False for f in HISTORY}
    one = Span("a", {"tag": "note", "tokens": 1, "stale": True, **rest})
    asked = replace(after(obligation, 0), claim=Claim(("W0",), consequent=Not(started(about(obligation), Input("W0")))))

    def starts(span: Span, *archived: str) -> bool:
        return judge(asked, Case({"W0": Window(schema, (span,), frozenset(archived))}, {}, {}, {})).broken

    assert starts(one)
    assert not starts(one, "a")
    assert not starts(Span("a", {**one.values, "tag": "old"}))
    for field in HISTORY:
        lived = 1 if field.kind == "int" else True
        assert not starts(Span("a", {**one.values, field.name: lived}))


def test_substituted_windows_are_left_as_they_are() -> None:
    swapped = substituted(SameWindow(Input("V"), Input("W")), {"V": Input("W"), "W": Input("V")})
    assert swapped == SameWindow(Input("W"), Input("V"))


def test_what_keeps_books_was_written_by_nobody() -> None:
    made = about(session("set s where s.stale { stale = false }", "may evict s where s.stale  apply p"))
    assert [p.name for p in made.applied()] == ["p"]
    noted = {p.name: [books(made, s) for s in statements(p.body) if isinstance(s, Set)] for p in made.policies()}
    assert noted["p"] == [False]
    assert all(noted["loop.environment"])
    assert all(noted["loop.record"])


def test_a_condition_is_split_where_it_says_several_things() -> None:
    a, b = Present("s", REST), Present("t", REST)
    split = list(conjuncts(conjunction((a, All("s", REST, conjunction((a, b)))))))
    assert split == [a, All("s", REST, a), All("s", REST, b)]
    assert list(conjuncts(TRUE)) == []


def test_no_engine_takes_a_claim_about_any_number_of_turns_for_one_about_any_window() -> None:
    obligation = session("evict s where s.stale")
    with pytest.raises(ValueError, match="any number of turns"):
        BoundedRefuter().solve(obligation, Limits(within=1))
    with pytest.raises(ValueError, match="any number of turns"):
        unbounded.prove(obligation, 1.0)
    assert after(obligation, 1).plain() == after(obligation, 1)


# ---------- a step of induction is about every window that turns lead to


def lived(random: Random) -> Session:
    """A session of random policies, with the books that are kept of it."""
    plain = tuple(f for f in generated.SCHEMA.fields if not f.history)
    schema = replace(generated.SCHEMA, fields=(*plain, *HISTORY))
    record = replace(about(session("evict s where s.stale")).steps[-1].policy, schema=schema)
    made = tuple(
        Policy(name, schema, (), tuple(replace(s, site=n) for n, s in enumerate(some_edits(random))))
        for name in ("loop.environment", "p")
    )
    steps = (Step(made[0], True), Step(made[1], False, True), Step(record, False))
    return Session("loop", schema, steps, window="Made")


def some_edits(random: Random) -> list[Statement]:
    """A few edits, among them such as give fields values that no schema has."""
    flagged = Read("s", "flag", "bool")
    tokens = Read("s", "tokens", "int")

    def put(condition: Expression, value: Assignment, *, archive: bool = False) -> Set:
        return Set(0, "s", condition, (value,), EDIT, archive=archive)

    pool: list[list[Statement]] = [
        [Evict(0, "s", flagged, False, EDIT)],
        [Evict(0, "s", Not(flagged), False, EDIT)],
        [Readmit(0, "s", flagged, Original(), False, EDIT)],
        [Insert(0, End("back"), (), None, EDIT)],
        [Insert(0, End("front"), (Assign("tokens", Int(random.randint(-1, 4))),), None, EDIT, may=True)],
        [Move(0, "s", flagged, End("front"), EDIT)],
        [put(TRUE, Open("flag"))],
        [put(TRUE, Open("tag"))],
        [put(flagged, Assign("tag", Name("enum", random.choice("abc"))))],
        [put(flagged, Assign("tokens", Int(random.randint(-1, 4))))],
        [put(TRUE, Assign("tokens", If(flagged, tokens, Int(random.randint(2, 4)))))],
        [put(TRUE, Assign("tokens", Add((tokens, Int(1)))), archive=True)],
        [put(TRUE, Assign("size", Read("s", "tokens", "int")))],
        [LetSpan(0, "x", NoSpan()), put(flagged, Assign("tag", Read("x", "tag", "enum")))],
        [put(TRUE, Open("call"))],
        [
            LetSet(0, "old", "s", flagged),
            Insert(0, End("back"), (), "old", EDIT),
            Evict(0, "s", InSet("s", "old"), False, EDIT),
        ],
    ]
    return [statement for edit in random.sample(pool, random.randint(1, 4)) for statement in edit]


EDIT = Origin("edit")


def turn_by_turn(of: Session, random: Random, turns: int) -> Iterator[Window]:
    """The windows of one random session."""
    start = generated.window(random, ["a", "b", "c"][: random.randint(0, 3)], archive=False)
    fields = {f.name: f for f in of.schema.fields if f.oracle != "window"}
    spans = tuple(Span(s.id, {n: zero(f.kind) if f.history else s[n] for n, f in fields.items()}) for s in start.spans)
    window = Window(of.schema, spans, links=start.links)
    for turn in range(turns):
        yield window
        for step in of.steps:
            choices = Drawn(random, (0, 1, 2, 3, 7))
            window = apply(step.policy, window, {}, {}, choices, depth=turn + 1).after
    yield window


def seen(window: Window, about: Inductive, archive: bool) -> Window:
    """As a step sees it: nothing in it tells which spans passes made, or, if nobody looks there, what left."""
    spans = window.spans if archive else window.present()
    ids = {s.id for s in spans}
    covered = covered_link(about.session)
    named = ((covered if name == COVERS else name, a, b) for name, a, b in window.links if {a, b} <= ids)
    links = frozenset((name, a, b) for name, a, b in named if name is not None)
    return Window(about.schema, spans, window.archived if archive else frozenset(), links)


def test_every_window_that_a_session_leads_to_is_one_that_a_step_is_about() -> None:
    checked = 0
    for seed in range(100):
        random = Random(seed)
        of = lived(random)
        claim = Claim(("W",), consequent=All("s", Known(Input("W")), TRUE))
        obligation = Obligation("loop", of.schema, of.policies(), "holds", claim, of.parameters, turns=Turns(of, "W"))
        found = inductive(obligation)
        if isinstance(found, str):
            continue
        step = turning(found, TRUE, TRUE, "turn").obligation
        for _ in range(4):
            try:
                for window in turn_by_turn(of, random, 3):
                    case = Case({ASSUMED: seen(window, found, reads_archive(step))}, {}, {}, {})
                    there = replace(step, claim=Claim((ASSUMED,)), parameters=())
                    inside = replace(there, claim=Claim((ASSUMED,), consequent=All("s", KNOWN, TRUE)))
                    assert judge(inside, case).exists, (seed, window)
                    checked += 1
            except NoSuchRun:
                continue
    assert checked > 1000


KNOWN = Known(REST)


def holds(steps: tuple[Obligation, ...]) -> bool:
    """Each is proved for every length; what is proved no short window breaks."""
    proved = [isinstance(unbounded.prove(s, 10.0), unbounded.Certificate) for s in steps]
    short = [isinstance(BoundedRefuter().solve(s, Limits(within=2)), NoneFound) for s in steps]
    assert proved == short
    return all(proved)


def broken_after(obligation: Obligation, turns: int) -> bool:
    return isinstance(BoundedRefuter().solve(after(obligation, turns), Limits(within=3)), Found)


UNHURT = (
    "property unhurt(S: session) = always W: no s in known(W): s.evictions > 0 and s.tag != old\ncheck loop: unhurt"
)


def steps(obligation: Obligation) -> tuple[Obligation, ...]:
    """A turn keeps the promise, and that no span is on offer."""
    found = taken(obligation)
    assert found.condition is not None
    rest = All("s", KNOWN, Not(Read("s", OFFERED, "bool", KNOWN)))
    return tuple(p.obligation for p in parts(found, (found.condition, rest)) if p.name.startswith("turn"))


def in_schema(obligations: tuple[Obligation, ...], schema: Schema) -> tuple[Obligation, ...]:
    return tuple(replace(o, schema=schema) for o in obligations)


def assuming(obligations: tuple[Obligation, ...], *more: Expression) -> tuple[Obligation, ...]:
    return tuple(replace(o, claim=replace(o.claim, premise=conjunction((o.claim.premise, *more)))) for o in obligations)


def test_bounds_that_a_policy_breaks_are_not_assumed() -> None:
    obligation = session("evict s where s.tokens == 0  set s where s.stale { tokens = 0 }", promise=UNHURT)
    assert broken_after(obligation, 2)
    assert not holds(steps(obligation))
    assert holds(in_schema(steps(obligation), about(obligation).schema))


def test_bounds_that_every_policy_keeps_are_assumed() -> None:
    obligation = session(
        "evict s where s.tokens == 0  set s where s.stale { tokens = if s.tokens > 3 then 3 else s.tokens }",
        "set s where s.stale { tokens = 2 }  arrive s where s.stale  apply p",
        promise=UNHURT,
    )
    assert holds(steps(obligation))


def test_assumptions_of_the_schema_are_not_assumed_after_a_turn() -> None:
    text = WINDOW.replace("link backs", "assume some s: s.tag == task\n  link backs")
    promise = UNHURT.replace("s.tag != old", "s.tag == note")
    made = f"""{text}
policy p for Log {{ evict s where no t: t.tag == task  evict s where s.tag == task }}
session loop of Log {{ each turn {{ apply p }} }}
{promise}
"""
    obligation = load_text(made).obligations[0]
    assert broken_after(obligation, 2)
    assert not holds(steps(obligation))
    assert holds(assuming(steps(obligation), *about(obligation).schema.assumptions))


def test_spans_that_left_may_be_there_before_a_turn() -> None:
    promise = "property calm(S: session) = always W: no s in known(W): s.returned\ncheck loop: calm"
    obligation = session("at once { readmit s where s.tag == note  evict s where s.tag == note }", promise=promise)
    assert broken_after(obligation, 2)
    gone = All("s", KNOWN, Implies(Present("s", REST), Not(Read("s", EVICTED, "bool", KNOWN))))
    assert not holds(assuming(steps(obligation), gone))
    assert holds(assuming(steps(obligation), gone, All("s", KNOWN, Present("s", REST))))


def test_links_may_stand_anywhere_once_a_policy_changes_tags() -> None:
    obligation = session(
        "evict s where s.tag == task and some t: s backs t  set s where s.tag == note { tag = task }", promise=UNHURT
    )
    assert broken_after(obligation, 2)
    assert not holds(steps(obligation))
    assert holds(in_schema(steps(obligation), about(obligation).schema))


def test_links_stay_where_they_may_stand_while_nobody_changes_tags() -> None:
    obligation = session("evict s where s.tag == task and some t: s backs t", promise=UNHURT)
    assert holds(steps(obligation))


def test_what_spans_cover_since_earlier_turns_is_a_link() -> None:
    promise = "property calm(S: session) = always W: no s in known(W): s.returned\ncheck loop: calm"
    policy = """
      readmit s where some t: t.tag == old and t covers s
      summarize s where s.stale and s.tag == note and no t: t.tag == old into { tag = old, tokens = 1 }
    """
    obligation = session(policy, promise=promise)
    assert broken_after(obligation, 2)
    gone = All("s", KNOWN, Implies(Present("s", REST), Not(Read("s", EVICTED, "bool", KNOWN))))
    made = assuming(steps(obligation), gone)
    assert not holds(made)
    unlinked = tuple(replace(p, schema=made[0].schema) for p in about(obligation).policies())
    assert holds(tuple(replace(o, policies=unlinked) for o in made))


def test_the_link_of_what_covers_what_has_a_name_of_its_own() -> None:
    made = about(session("summarize s where s.stale into { tag = old, tokens = 1 }"))
    assert covered_link(made) == "covered_before"
    links = (Link("covered_before"), Link("covered_before_"))
    assert covered_link(replace(made, schema=replace(made.schema, links=links))) == "covered_before__"
    assert covered_link(about(session("evict s where s.stale"))) is None


def test_a_name_read_from_a_span_that_may_be_absent_is_in_no_schema() -> None:
    obligation = session("let x = first s where s.stale  set s where s.tag == note { tag = x.tag }")
    assert "a name that it reads" in why_not(obligation)


def test_the_step_has_no_schema_but_the_wider_one() -> None:
    wide = reachable_schema(about(session("set s where s.stale { tokens = s.tokens + 1 }")))
    assert isinstance(wide, Schema)
    assert (wide.field("tokens").low, wide.field("tokens").high) == (None, None)
    kept = reachable_schema(about(session("set s where s.stale { tokens = 9 }")))
    assert isinstance(kept, Schema)
    assert (kept.field("tokens").low, kept.field("tokens").high) == (1, 9)


# ---------- what induction cannot be about


def test_what_is_reached_over_what_covers_what_is_not_known_of_a_window_to_which_turns_lead() -> None:
    obligation = session("summarize s where s.stale into { tag = old, tokens = 1 }")
    reach = Not(Some("s", REST, Some("t", REST, Reaches(COVERS, "s", "t", REST))))
    assert "reached" in why_not(claiming(obligation, reach))
    taken(claiming(session("evict s where s.stale"), reach))


def test_what_covers_what_in_a_window_without_a_span_is_not_known_either() -> None:
    obligation = session("summarize s where s.stale into { tag = old, tokens = 1 }")
    without = Not(Some("s", REST, Some("t", REST, Linked(COVERS, "s", "t", Without(REST, "s")))))
    assert "takes spans out" in why_not(claiming(obligation, without))


def claiming(obligation: Obligation, consequent: Expression, antecedent: Expression = TRUE) -> Obligation:
    return replace(obligation, claim=Claim(("W",), antecedent=antecedent, consequent=consequent))


ARRIVING = "arrive s where true  apply p"


def test_which_spans_were_made_is_not_known_either() -> None:
    made = Not(Some("s", REST, Created("s")))
    assert "put in" in why_not(claiming(session("evict s where s.stale", ARRIVING), made))
    taken(claiming(session("evict s where s.stale"), made))


@pytest.mark.parametrize(
    ("shape", "able"),
    [
        (lambda same: same, True),
        (lambda same: Not(Not(same)), True),
        (lambda same: Or((same, Bool(False))), True),
        (lambda same: All("s", REST, same), True),
        (lambda same: Not(same), False),
        (lambda same: Implies(same, Bool(False)), False),
        (lambda same: Compare("==", Int(0), Int(0)) if False else Not(Or((Not(same), same))), False),
    ],
)
def test_equality_of_windows_into_which_spans_were_put_may_be_claimed_and_not_supposed(shape, able) -> None:  # type: ignore[no-untyped-def]
    obligation = session("evict s where s.stale", ARRIVING)
    same = SameWindow(about(obligation).after(1, REST), REST)
    found = inductive(claiming(obligation, shape(same)))
    assert isinstance(found, Inductive) == able
    found = inductive(claiming(obligation, TRUE, shape(same)))
    assert isinstance(found, Inductive) == (not able) or shape(same) != same
    taken(claiming(session("evict s where s.stale"), shape(same)))


def test_a_gate_that_compares_windows_sees_which_spans_were_put_in() -> None:
    assert "a gate" in why_not(session("evict s where s.stale  gate idempotent", ARRIVING))
    taken(session("evict s where s.stale  gate idempotent"))


def test_a_promise_that_compares_with_the_start_has_no_induction() -> None:
    text = "property kept(S: session) = always W from V where true: count(s in W) <= count(s in V)\ncheck loop: kept"
    assert "started from" in why_not(session("evict s where s.stale", promise=text))


def test_what_is_asked_of_the_start_is_assumed_at_the_start_alone() -> None:
    obligation = session("evict s where s.stale", promise="bounded_growth(9)")
    found = taken(obligation)
    assert found.assumed != TRUE
    assert found.condition is not None
    start, turn = parts(found, (found.condition,))
    assert found.assumed in start.obligation.claim.premise.items  # type: ignore[union-attr]
    assert turn.obligation.claim.premise == found.condition


def test_a_promise_about_passes_is_no_invariant() -> None:
    assert taken(session("evict s where s.stale", promise="converges(1)")).condition is None


def test_an_insert_is_no_obstacle_by_itself() -> None:
    obligation = session("evict s where s.stale", ARRIVING)
    assert any(isinstance(n, Insert) for n in nodes(about(obligation).policies()))
    taken(obligation)
