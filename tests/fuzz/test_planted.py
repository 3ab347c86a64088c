"""Each bug planted into the compiler is caught, by a pinned run or by a case of what it proves."""

from __future__ import annotations

import pytest

from selfedit_formal.core.budget import Work
from selfedit_formal.core.certificate import Certificate
from selfedit_formal.engines.unbounded import Mode, prove, prove_by_query
from tests.engines.unbounded.test_soundness import FALSE, asked
from tests.fuzz.draw import obligation
from tests.fuzz.pinned import Finding, check, check_broken
from tests.fuzz.planted import PLANTED, PLANTED_KINDS, PLANTED_PROOFS, planted
from tests.fuzz.verdicts import find

CAUGHT_AT = {
    "before and after swapped": 24,
    "a count of what is before counts the span too": 55,
    "a count of what is after counts the span too": 18,
    "a count leaves out the span itself": 33,
    "counts read the input": 0,
    "a join is false": 26,
    "evict evicts nothing": 7,
    "evict evicts the others": 2,
    "evict ignores its guard": 9,
    "readmit brings nothing back": 44,
    "readmit brings everything back": 25,
    "an inserted span is not there": 24,
    "a refused pass keeps its edits": 159,
    "refuse is ignored": 119,
    "a fill keeps what does not fit": 0,
    "a fill counts what it evicts": 375,
    "a fill walks the other way": 17,
    "set changes every span": 3,
    "set changes nothing": 8,
    "a block always runs": 9,
    "keep is ignored": 24,
    "first is last": 65,
    "a let need not be the first": 43,
    "an absent span has fields": 17,
    "passes share their choices": 4,
    "less is less or equal": 20,
    "at most is less": 0,
    "if takes the other branch": 47,
    "division rounds up": 88,
    "what left is not known": 2_000_005,
    "set does not reach what left": 2_000_050,
    "what may come comes": 2_000_113,
    "what comes is as it likes": 2_000_086,
    "what comes has a history": 2_000_002,
    "history is compared": 2_000_017,
    "nothing is covered": 2_000_092,
    "a move moves nothing": 3_000_012,
    "a move goes to the other end": 3_000_016,
    "what is moved turns around": 3_000_029,
    "the first is the first before the move": 3_000_016,
    "a swap swaps nothing": 3_000_019,
    "the order of two windows is not compared": 3_000_019,
    "none is all": 9,
    "a sum counts spans": 1,
}
"""A seed for each."""


def test_every_planted_bug_has_a_seed() -> None:
    assert CAUGHT_AT.keys() == PLANTED.keys()


def findings(seed: int) -> tuple[Finding, ...]:
    return (*check(seed).findings, *check_broken(seed).findings)


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_bug_is_caught(name: str) -> None:
    seed = CAUGHT_AT[name]
    assert findings(seed) == ()
    with planted(name):
        assert findings(seed) != ()


FALSELY_PROVED_AT = {
    "a conjunction is broken only as a whole": (5, Mode(scan=False)),
    "a witness that is too deep is none": (75, Mode(scan=False, half=True)),
    "marks of a query are never the same span": (123, Mode(scan=False)),
}
"""A seed whose promise some window breaks, and how the wrong proof is sought."""


def test_every_bug_planted_into_proofs_has_a_seed() -> None:
    assert FALSELY_PROVED_AT.keys() == PLANTED_PROOFS.keys()


@pytest.mark.parametrize("name", PLANTED_PROOFS)
def test_a_bug_planted_into_proofs_is_caught_by_a_case(name: str) -> None:
    seed, mode = FALSELY_PROVED_AT[name]
    asked = obligation(seed)
    assert find(asked, 150) is not None
    assert prove_by_query(asked, mode, Work(20_000_000))[0] is None
    with planted(name):
        assert prove_by_query(asked, mode, Work(20_000_000))[0] is not None


SHOWN_BY = {
    "what is called alike is the same": "a let and a span of the promise have one name",
    "witnesses are called m0 and so on": "a span of the promise is called as a witness",
    "marks are named with text": "a let is called as another let's mark",
    "facts are named with text": "a link and a let together are called as a field",
    "names are numbered by their place in the field": "a name is carried to where another stands",
    "any constant is a factor": "a number times a field",
    "orders say something of absent spans": "what is moved stands before an absent span",
    "negations exclude absent spans": "spans that are neither before an absent span nor it are counted",
    "what was taken out is known": "a span is put in beside one that was taken out",
    "a let knows what it names": "a let names a span that was taken out",
    "the last rescoring counts": "two spans are scored anew",
    "a trial is the pass if it is the first": "a gate tries another window with other answers",
    "triggers are asked for outside of gates": "a gate asks for triggers with other answers",
    "what arrives is another one each time": "the same span arrives twice in a gate",
    "triggers end at a refusal or a branch": "a refusal stands before the trigger",
    "whatever is asked for exists": "what arrives cannot, and the gate is not reached",
    "a step's end is the way's": "a step is another's end",
}
"""A promise that is false, and that the fault proves."""


def test_every_kind_of_fault_has_a_promise_that_shows_it() -> None:
    assert SHOWN_BY.keys() == PLANTED_KINDS.keys()


@pytest.mark.parametrize("name", PLANTED_KINDS)
def test_a_fault_of_each_kind_proves_what_is_false(name: str) -> None:
    promise = asked(FALSE[SHOWN_BY[name]])
    with planted(name):
        assert isinstance(prove(promise, 20.0, side_by_side=False), Certificate)
