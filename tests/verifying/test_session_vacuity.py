"""A promise about a session is vacuous where what it speaks of happens in no session."""

from __future__ import annotations

from selfedit_formal.core.verdict import Bounded, Proved, Result, Vacuous
from tests.verifying.test_session import verified


def reasons(result: Result) -> tuple[str, ...]:
    """Why it would be vacuous, if that were so of every session."""
    assert isinstance(result.verdict, Proved | Bounded), result.verdict
    said = "this says little: "
    return tuple(note.removeprefix(said) for note in result.notes if note.startswith(said))


def test_no_session_may_start() -> None:
    found = reasons(verified("no_thrash", more="start some s in W: s.stale and not s.stale"))
    assert found == ("no window of up to 2 spans is one that a session may start from",)


def test_nothing_is_ever_evicted() -> None:
    found = reasons(verified("no_thrash", "set s where s.stale { stale = false }  evict s where s.tokens < 1"))
    assert found == ("nothing is ever evicted in sessions of up to 3 turns from windows of up to 2 spans",)


def test_no_rule_of_a_policy_fires() -> None:
    late = reasons(verified("no_thrash", "when count(s) > 9  evict s where s.stale"))
    assert late[0] == (
        "no rule of a policy that edits fires in sessions of up to 3 turns from windows of up to 2 spans: "
        "`evict s where s.stale`"
    )
    never = verified("no_thrash", "evict s where s.tokens < 1").verdict
    assert never == Vacuous(("no policy of the session changes anything in any window",), 2, 3)


def test_no_control_span_is_ever_met() -> None:
    none = "start no s in W: s.tag == task"
    found = reasons(verified("control_survives", more=none))
    assert found == ("none of the sessions of up to 3 turns from windows of up to 2 spans meets its condition",)
    found = reasons(verified("untouched", more=none))
    assert found == ("no control span is ever met in sessions of up to 3 turns from windows of up to 2 spans",)


def test_a_rule_of_the_environment_that_never_fires_is_noted() -> None:
    result = verified("no_thrash", more="tombstones sidecar")
    (note,) = (n for n in result.notes if "never fires" in n)
    assert note.startswith("the rule `may readmit s where s.back` never fires in sessions of up to 3 turns")


def test_what_trivial_policies_keep_is_noted() -> None:
    result = verified("no_thrash", more="tombstones sidecar")
    assert any("policies that do nothing and that drop everything" in n for n in result.notes)
    other = verified("control_survives", more="start no s in W: s.tag == task and s.stale")
    assert not any("policies that do nothing" in n for n in other.notes)
