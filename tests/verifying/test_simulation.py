"""Sessions as they might go: drawn from a seed, computed as the interpreter says, and told as a log that fits."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import jsonschema
import pytest

from selfedit_formal import Rejected, Window, load, simulate
from selfedit_formal.core.expression import ASSUMED, Input
from selfedit_formal.core.property import Claim, Obligation
from selfedit_formal.core.session import Session
from selfedit_formal.runtime.monitor import monitor
from selfedit_formal.runtime.session_log import EditLine, Event, LoggedSpan, PassLine, TurnLine, write
from selfedit_formal.semantics.interpreter import Evaluation, Given
from selfedit_formal.verifying.simulation import Played, begin, log, play

EVERYTHING = """
window Chat {
  tag     : user | call | result | summary | rationale | tombstone | ledger
  tokens  : int >= 1
  content : key
  call    : key
  subject : key
  status  : key
  score   : int >= 0 from query
  mood    : int >= 0 from window
  stale   : bool
  link justifies : call -> result
  control s where s.tag == user
}

policy tidy(cap: int >= 1) for Chat {
  refuse when total(s.tokens) > 4 * cap because "far too much"
  keep s where control(s)
  may evict s where s.tag == rationale logged
  may set s where s.tag == result and s.tokens > 5 { tokens <= 5, content = any }
  let old = s where s.tag == result and s.stale
  if count(s: s in old) >= 2 {
    summarize s where s in old into { tag = summary, tokens <= 4 }
  }
  may readmit s where s.tag == call override
  evict s where s.mood mod 7 == 0
}

policy order for Chat {
  move s where s.tag == user at front
  evict s where s.tag == call and s.score < 300
  gate preserves(some_user)
}

predicate some_user(W) for Chat = some s in W: s.tag == user

session chat(cap: int >= 1) of Chat {
  start some c in W, r in W: c.tag == call and r.tag == result and c justifies r
      and c.tokens < 9 and r.tokens >= 7 and r.tokens < 20
  each turn {
    arrive up to 2 s where s.tag in {user, call, result} and (s.tokens <= 9 or s.tokens >= 20 and s.tokens < 2 * cap)
    arrive s where s.tag == rationale and s.tokens == 14 and some u in W: u.tag == user and u.call == s.call
    may readmit s where s.tag == result
    may readmit s where s.tag == call override
    may set s where s.tag == result { stale }
    may evict s where s.tag == summary
    apply tidy(cap)
    arrive s where s.tag == result and s.tokens < 20
    apply order
    apply tidy(cap)
  }
  tombstones STORE
  ledger sidecar
}
"""
STORES = ("none", "sidecar", "in_window { tag = tombstone, tokens = 3 }")
SCHEMA = json.loads((Path(__file__).parents[2] / "spec" / "session-log.schema.json").read_text(encoding="utf-8"))
CAP = {"cap": 40}


@pytest.fixture(params=STORES, ids=["none", "sidecar", "in_window"])
def everything(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A file with a session that does all that a session can do."""
    path = tmp_path / "chat.sef"
    path.write_text(EVERYTHING.replace("STORE", request.param), encoding="utf-8")
    return path


def session(path: Path) -> Session:
    return load(path).sessions["chat"]


def steps(path: Path, turns: int, seed: int) -> tuple[Window, tuple[Played, ...]]:
    first = begin(session(path), seed, CAP)
    return first, tuple(play(session(path), first, turns, seed, CAP))


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "file.sef"
    path.write_text(text, encoding="utf-8")
    return path


def lines(events: Sequence[Event]) -> list[bytes]:
    return [write(e).encode() for e in events]


# ---------- the meaning is the interpreter's


def test_what_is_played_is_what_the_interpreter_says_of_so_many_turns(everything: Path) -> None:
    of = session(everything)
    first, played = steps(everything, 3, seed=1)
    term = of.after(3, Input(ASSUMED))
    obligation = Obligation("", of.schema, of.policies(), "", Claim((ASSUMED,)), of.parameters)
    choices = {key: value for step in played for key, value in step.drawn.items()}
    evaluation = Evaluation(obligation, {ASSUMED: first}, CAP, {}, Given(choices))
    evaluation.present(term)
    records = evaluation.records()
    assert len(records) == len(played)
    for record, step in zip(records, played, strict=True):
        assert record.after == step.record.after
        assert record.events == step.record.events


def test_equal_arguments_give_equal_logs_and_another_seed_gives_another(everything: Path) -> None:
    logs = [simulate(everything, "chat", turns=5, seed=seed, parameters=CAP) for seed in (1, 1, 2)]
    assert logs[0] == logs[1] != logs[2]


def test_more_turns_go_on_from_fewer(everything: Path) -> None:
    short, long = (simulate(everything, turns=n, seed=3, parameters=CAP) for n in (3, 5))
    assert long[: len(short)] == short


# ---------- the log is true


def shown(window: Window) -> dict[str, tuple[str, int]]:
    return {s.id: (str(s["tag"]), int(s["tokens"])) for s in window.present()}


def followed(events: Sequence[Event]) -> Iterator[tuple[Event, dict[str, tuple[str, int]]]]:
    """The window that a log describes, after each event."""
    window: dict[str, tuple[str, int]] = {}

    def come(spans: Sequence[LoggedSpan]) -> None:
        window.update({s.id: (s.tag, s.tokens) for s in spans})

    for event in events:
        if isinstance(event, TurnLine):
            come(event.arrived)
        elif isinstance(event, EditLine):
            for span in event.spans if event.kind in ("evict", "merge") else ():
                del window[span]
            come(event.made)
        yield event, dict(window)


def test_a_pass_in_the_log_starts_from_the_window_that_the_policy_was_given(everything: Path) -> None:
    kinds = set()
    for seed in range(4):
        first, played = steps(everything, 6, seed)
        events = tuple(log(session(everything), first, played, CAP))
        told = list(followed(events))
        given = [window for event, window in told if isinstance(event, PassLine)]
        applied = [p for p in played if not p.step.environment and not p.step.policy.name.startswith("chat.")]
        assert given == [shown(p.record.before) for p in applied]
        assert told[-1][1] == shown(played[-1].record.after)
        kinds |= {e.kind for e in events if isinstance(e, EditLine)}
    every = {"evict", "rewrite", "move", "merge", "readmit", "refuse", "override"}
    assert kinds == every | ({"insert"} if session(everything).tombstones == "in_window" else set())


def test_the_monitor_reads_it_and_it_follows_the_schema(everything: Path) -> None:
    events = simulate(everything, turns=8, seed=4, parameters=CAP)
    validator = jsonschema.Draft202012Validator(SCHEMA)
    for line in lines(events):
        validator.validate(json.loads(line))
    assert sum(isinstance(e, PassLine) for e in events) == 24
    assert monitor(lines(events)).totals.cap == 40


def test_removals_are_recorded_where_there_is_a_ledger(everything: Path) -> None:
    removals = [
        e
        for e in simulate(everything, turns=8, seed=4, parameters=CAP)
        if isinstance(e, EditLine) and e.kind in ("evict", "merge")
    ]
    assert any(e.recorded for e in removals)


MAPPED = """
window Notes {
  tag     : task | output | rationale | summary
  tokens  : int >= 1
  content : key
  call    : key
  subject : key
  status  : key
  link justifies
}

window begun of Notes = [
  T: task   { tokens = 5 }
  A: output { tokens = 90, content = dump, call = describe, subject = pod, status = healthy }   A justifies T
  R: rationale { tokens = 14 }
]

policy once for Notes {
  let a = first s where s.tag == output
  evict s where s.tag == output or s.tag == rationale
  if some s: s.tag == task and s.tokens == 5 {
    insert { tag = summary, tokens = 3, content = none, call = none, subject = a.subject, status = a.content } at back
    set s where s.tag == task { tokens = 4 }
  }
}

policy never for Notes {
  refuse when true because "never"
}

policy guarded for Notes {
  evict s where true
  gate nothing_goes
}

property nothing_goes(P: policy) = all W, s in W: s in P(W)

session plain of Notes { each turn { apply once }  tombstones none ledger none }
session kept of Notes { each turn { apply once }  tombstones sidecar ledger none }
session denied of Notes { each turn { apply never }  tombstones none ledger none }
session gated of Notes { each turn { apply guarded }  tombstones none ledger none }
session back of Notes {
  each turn {
    readmit s where s.tag == output
    apply once
  }
  tombstones none
  ledger none
}
session shorter of Notes {
  each turn {
    readmit s where s.tag == rationale
    set s where s.tag == rationale { tokens = 7 }
    apply once
  }
  tombstones none
  ledger none
}
session asked of Notes {
  each turn {
    readmit s where s.tag == output override
    apply once
  }
  tombstones sidecar
  ledger none
}
session two of Notes {
  each turn {
    apply never
    apply never
    insert { tag = output, tokens = 2, content = none, call = none, subject = none, status = none } at back
    apply never
  }
  tombstones none
  ledger none
}
"""


@pytest.fixture
def mapped(tmp_path: Path) -> Path:
    return written(tmp_path, MAPPED)


def test_the_first_window_arrives_in_turn_0_with_calls_facts_and_links(mapped: Path) -> None:
    turn = simulate(mapped, "plain", turns=0, start="begun")[1]
    assert turn == TurnLine(
        0,
        (
            LoggedSpan("T", "T", "task", 5),
            LoggedSpan("A", "dump", "output", 90, ("T",)),
            LoggedSpan("R", "R", "rationale", 14),
        ),
        ("describe",),
        {"pod": "healthy"},
    )


def test_a_pass_is_told_with_its_reasons_its_rationale_and_what_it_claims(mapped: Path) -> None:
    _, _, turn, asked, *edits = simulate(mapped, "plain", turns=1, start="begun")
    assert turn == TurnLine(1)
    assert isinstance(asked, PassLine)
    assert [(e.kind, e.spans, e.made) for e in edits if isinstance(e, EditLine)] == [
        ("evict", ("A", "R"), ()),
        ("insert", (), (LoggedSpan("new_once1_3", "new_once1_3", "summary", 3),)),
        ("rewrite", ("T",), (LoggedSpan("T", "T~1", "task", 4),)),
    ]
    evict, insert, _ = edits
    assert isinstance(evict, EditLine)
    assert evict.rationale == ("R",)
    assert evict.reason == "evict s where s.tag == output or s.tag == rationale"
    assert isinstance(insert, EditLine)
    assert insert.claims == {"pod": "dump"}


def test_an_eviction_is_recorded_exactly_if_a_tombstone_stands_for_it(mapped: Path) -> None:
    for name, recorded in (("plain", False), ("kept", True)):
        evict = next(e for e in simulate(mapped, name, turns=1, start="begun") if isinstance(e, EditLine))
        assert evict.recorded is recorded


def test_a_refusal_has_its_reason_or_its_gate_and_the_spans_that_were_to_leave(mapped: Path) -> None:
    told = {name: simulate(mapped, name, turns=1, start="begun")[-1] for name in ("denied", "gated")}
    assert told["denied"] == EditLine(1, "refuse", reason="never")
    assert told["gated"] == EditLine(1, "refuse", ("T", "A", "R"), reason="nothing_goes")


def test_what_comes_back_silently_arrives_again_and_calls_again(mapped: Path) -> None:
    events = simulate(mapped, "back", turns=2, start="begun")
    again = next(e for e in events if isinstance(e, TurnLine) and e.turn == 2)
    assert [(s.id, s.content) for s in again.arrived] == [("A", "dump")]
    assert again.calls == ("describe",)
    assert monitor(lines(events)).totals.cycles == 1


def test_what_comes_back_changed_is_not_what_left(mapped: Path) -> None:
    events = simulate(mapped, "shorter", turns=2, start="begun")
    again = next(e for e in events if isinstance(e, TurnLine) and e.turn == 2)
    assert [(s.id, s.content, s.tokens) for s in again.arrived] == [("R", "R~1", 7)]


def test_what_comes_back_by_an_override_is_an_override_and_a_readmission(mapped: Path) -> None:
    events = simulate(mapped, "asked", turns=2, start="begun")
    at = next(n for n, e in enumerate(events) if isinstance(e, TurnLine) and e.turn == 2)
    turn, override, readmit, asked = events[at : at + 4]
    assert turn == TurnLine(2, calls=("describe",))
    assert isinstance(override, EditLine)
    assert (override.kind, override.contents) == ("override", ("dump",))
    assert isinstance(readmit, EditLine)
    assert readmit.kind == "readmit"
    assert isinstance(asked, PassLine)
    assert monitor(lines(events)).totals.cycles == 0


def test_a_second_pass_has_a_turn_of_its_own_only_if_something_came_before_it(mapped: Path) -> None:
    events = simulate(mapped, "two", turns=2, start="begun")
    assert [(type(e).__name__, e.turn) for e in events if isinstance(e, TurnLine | PassLine)] == [
        *[("TurnLine", 0), ("TurnLine", 1), ("PassLine", 1), ("PassLine", 1), ("TurnLine", 2), ("PassLine", 2)],
        *[("TurnLine", 3), ("PassLine", 3), ("PassLine", 3), ("TurnLine", 4), ("PassLine", 4)],
    ]


# ---------- what is drawn


def arrivals(events: Sequence[Event]) -> list[LoggedSpan]:
    return [s for e in events if isinstance(e, TurnLine) and e.turn for s in e.arrived]


def test_spans_arrive_within_the_bounds_of_their_condition(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        """
        window Chat { tag : user | call | result  tokens : int >= 1  call : key }
        policy never for Chat {}
        session chat(cap: int >= 1) of Chat {
          each turn {
            arrive up to 3 s where s.tag != user and (s.tag == call implies s.call == none)
                and ceil(cap / 2) <= s.tokens and not s.tokens > 2 * cap + 3 and s.tokens mod 3 == 1
            apply never
          }
          tombstones none
          ledger none
        }
        """,
    )
    came = arrivals(simulate(path, turns=40, seed=1, parameters={"cap": 20}))
    assert 40 < len(came) < 80
    assert {s.tag for s in came} == {"call", "result"}
    assert {s.tokens for s in came} == set(range(10, 44, 3))


def test_keys_are_new_or_those_of_other_spans_and_contents_are_new(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        """
        window Chat { tag : user | result  content, call : key }
        policy never for Chat {}
        session chat of Chat {
          each turn {
            arrive s where s.tag == user
            arrive s where s.tag == result and some u in W: u.tag == user and u.content == s.content
            apply never
          }
          tombstones none
          ledger none
        }
        """,
    )
    events = simulate(path, turns=30, seed=1)
    users, results = ([s.content for s in arrivals(events) if s.tag == tag] for tag in ("user", "result"))
    assert len(set(users)) == len(users)
    assert len(results) > 10
    assert set(results) <= set(users)
    calls = [c for e in events if isinstance(e, TurnLine) for c in e.calls]
    assert 1 < len(set(calls)) < len(calls)


def test_what_can_never_arrive_does_not(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        """
        window Chat { tag : user | result }
        policy never for Chat {}
        session chat of Chat {
          each turn {
            arrive s where s.tag == result and count(t) > 100
            arrive s where s.tag == user
            apply never
          }
          tombstones none
          ledger none
        }
        """,
    )
    assert {s.tag for s in arrivals(simulate(path, turns=20, seed=1))} == {"user"}


def test_a_window_is_drawn_that_the_session_may_start_from(everything: Path) -> None:
    starts = {begin(session(everything), seed, CAP) for seed in range(10)}
    assert len(starts) > 5
    for window in starts:
        call, result = window.present()
        assert (call["tag"], result["tag"]) == ("call", "result")
        assert ("justifies", call.id, result.id) in window.links
        assert int(result["tokens"]) >= 7


def test_a_window_with_an_archive_is_none_to_start_from(tmp_path: Path) -> None:
    text = MAPPED.replace("R: rationale", "archived R: rationale")
    with pytest.raises(Rejected, match="cannot start from this window"):
        simulate(written(tmp_path, text), "plain", start="begun")


def test_a_window_of_another_schema_is_none_to_start_from(tmp_path: Path) -> None:
    text = f"{MAPPED}\nwindow Other {{ tag : task }}\nwindow other of Other = [ T: task ]"
    with pytest.raises(Rejected, match="`plain` is not of the window `Other`"):
        simulate(written(tmp_path, text), "plain", start="other")


# ---------- the sessions of the records


@pytest.mark.parametrize(
    ("name", "signal", "mended"),
    [
        ("r0", "prune_readmit_cycle", ("r0_mended",)),
        ("r1", "rewrites_without_progress", ("r1_gated", "r1_pinned")),
    ],
)
def test_a_session_of_a_record_shows_its_signal_and_mended_it_does_not(
    name: str, signal: str, mended: tuple[str, ...], root: Path
) -> None:
    def signals(of: str) -> set[str]:
        given = {"start": "turn_0", "parameters": {"cap": 24_000}} if of.startswith("r0") else {}
        events = simulate(root / "tests" / "benchmarks" / "records.sef", of, seed=1, **given)  # type: ignore[arg-type]
        return {f.signal for f in monitor(lines(events)).findings}

    assert signal in signals(name)
    for other in mended:
        assert signals(other) == set()


def test_a_session_of_which_no_silent_readmission_is_proved_shows_none(root: Path) -> None:
    for seed in range(4):
        events = simulate(root / "spec" / "records" / "r0_sessions.sef", "kubectl_mended", turns=30, seed=seed)
        totals = monitor(lines(events)).totals
        assert totals.removals > 0
        assert totals.overrides > 0
        assert totals.cycles == 0
