"""A scan's steps written out find a case that breaks a promise, as long as is asked for, and the interpreter agrees."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import pytest
import z3

from selfedit_formal.core.budget import OutOfTime, Work
from selfedit_formal.core.property import Case, ChoiceKey, Obligation
from selfedit_formal.engines.unbounded.compiler import Mode, compile_scan
from selfedit_formal.engines.unbounded.unroll import Numbered, search
from selfedit_formal.language.resolve import load_text
from selfedit_formal.semantics.interpreter import breaks
from tests.engines.unbounded.proofs import FEW, LIGHT, LIGHTER, SPARE

TEXT = """
window Chat {
  tag    : user | call | result
  tokens : int >= 2 <= 5
  file   : key
  link answers : result -> call
}
property four(P: policy)   = all W: count(s in P(W)) < 4
property stay(P: policy)   = all W, s in W: s in P(W)
property linked(P: policy) = all W, r in W, c in W where r answers c: c in P(W)
property none(P: policy)   = all W: count(s in P(W)) == 0
property back(P: policy)   = all W, s in known(W) where s not in W: s not in P(W)
policy idle for Chat { evict s where s.tokens > 5 }
policy calls for Chat { evict s where s.tag == call and s.file != none }
policy last for Chat { evict s where count(t: t after s) >= 2 }
policy choice for Chat { may evict s where s.tag == user }
policy noted for Chat { insert { tag = user, tokens <= 3, file = none } at front }
policy returns for Chat { readmit s where s.tag == call }
check idle: four
check calls: linked
check last: stay
check choice: stay
check noted: none
check returns: back
"""
ASKED = {o.name: o for o in load_text(TEXT).obligations}
Way = Literal["newest", "oldest"]


def found(asked: Obligation, longest: int = 6, way: Way = "newest", work: Work | None = None) -> Case | None:
    scan = compile_scan(asked, Mode(True, way, instances="witnesses"))
    return search(asked, scan, way == "newest", longest, work or Work(20_000_000))


@pytest.mark.parametrize("way", ["newest", "oldest"])
@pytest.mark.parametrize("name", ASKED)
def test_a_case_that_is_found_breaks_the_promise_from_either_end(name: str, way: Way) -> None:
    case = found(ASKED[name], way=way)
    assert case is not None
    assert breaks(ASKED[name], case)


def test_a_case_is_as_short_as_there_is_one_and_no_longer_than_asked_for() -> None:
    four = ASKED["idle: four"]
    case = found(four)
    assert case is not None
    assert len(case.inputs["W"].spans) == 4
    assert found(four, longest=3) is None


@pytest.mark.parametrize("way", ["newest", "oldest"])
def test_spans_stand_as_they_do_in_the_window_from_whichever_end_it_is_scanned(way: Way) -> None:
    case = found(ASKED["last: stay"], longest=3, way=way)
    assert case is not None
    assert case.spans["s"] == case.inputs["W"].spans[0].id


def test_fields_are_within_their_bounds_and_links_between_their_ends() -> None:
    case = found(ASKED["calls: linked"])
    assert case is not None
    window = case.inputs["W"]
    assert all(2 <= int(s["tokens"]) <= 5 for s in window.spans)
    assert window.links == {("answers", case.spans["r"], case.spans["c"])}
    tags = {s.id: s["tag"] for s in window.spans}
    assert (tags[case.spans["r"]], tags[case.spans["c"]]) == ("result", "call")


def test_what_the_model_chooses_and_what_is_put_in_and_what_is_archived_is_in_the_case() -> None:
    choice, noted, back = (found(ASKED[name]) for name in ("choice: stay", "noted: none", "returns: back"))
    assert choice is not None
    assert choice.choices[
        ChoiceKey("choice1.1" if "choice1.1" in str(choice.choices) else "choice1", 0, choice.spans["s"], "")
    ]
    assert noted is not None
    assert noted.inputs["W"].spans == ()
    assert {key.span for key in noted.choices} == {"new_noted1_0"}
    assert back is not None
    assert back.inputs["W"].archived == {back.spans["s"]}


def test_open_parameters_have_values() -> None:
    case = found(SPARE)
    assert case is not None
    assert case.parameters.keys() == {"k", "spare"}
    assert case.parameters["k"] > case.parameters["spare"] >= 0


def test_where_nothing_breaks_it_nothing_is_found() -> None:
    assert found(LIGHTER, 4) is None
    assert found(FEW, 4) is None


def test_a_candidate_that_the_interpreter_does_not_confirm_is_none() -> None:
    scan = compile_scan(LIGHT, Mode(scan=True))
    assert search(LIGHT, scan, True, 3, Work(20_000_000)) is not None
    kept = replace(LIGHT, claim=LIGHTER.claim)
    assert search(kept, scan, True, 3, Work(20_000_000)) is None


def test_without_work_there_is_nothing_and_without_time_no_answer() -> None:
    work = Work(1_000)
    assert found(LIGHT, work=work) is None
    assert work.left <= 0
    with pytest.raises(OutOfTime):
        found(LIGHT, work=Work(end=0.0))


def test_what_is_about_one_element_is_numbered_and_what_never_changes_is_not() -> None:
    x, rigid = z3.Int("x1"), z3.Int("p1")
    numbered = Numbered({"p1"})
    assert numbered(x + rigid, 3).eq(z3.Int("x1 3") + rigid)
    assert numbered(x + rigid, 4).eq(z3.Int("x1 4") + rigid)
    assert numbered(rigid, 3).eq(rigid)
