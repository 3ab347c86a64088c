"""What a run that breaks the claim must satisfy: bounds, the places of what is put in, and choices made once."""

from __future__ import annotations

import pytest
import z3

from selfedit_formal.core.certificate import Assumption, FieldBounds, ParameterBound, RuleGround
from selfedit_formal.core.expression import FALSE, Compare, Int, Not, Parameter, Present
from selfedit_formal.core.policy import Beside, End, Insert, LetSpan, Pick, Place
from selfedit_formal.core.property import Bound
from selfedit_formal.engines.unbounded.ir import EVERY, HEAD, FieldAt, Older, some
from selfedit_formal.engines.unbounded.terms import TRUE
from tests.engines.unbounded.compiler.compiled import QUERY, claimed, compiling, excludes, kept
from tests.obligations import ONCE, W, evict, pinned

ORIGIN = evict(pinned("s")).origin


def put(place: Place, site: int = 1, may: bool = False) -> Insert:
    return Insert(site, place, (), None, ORIGIN, may=may)


FIRST = LetSpan(0, "x", Pick("first", "s", pinned("s")))


def test_parameters_are_within_their_bounds() -> None:
    whole = compiling(kept())
    k, n = whole.parameters["k"], whole.parameters["n"]
    assert excludes(whole.demands.fixed, k < 0)
    assert excludes(whole.demands.fixed, n > 9)
    assert not excludes(whole.demands.fixed, k == 0, n == 9)


def test_fields_are_within_their_bounds_in_the_input() -> None:
    whole = compiling(kept())
    head = whole.elements.head
    tokens, tag = (whole.versions.field(0, head, name) for name in ("tokens", "tag"))
    canonical = whole.demands.canonical(head)
    assert excludes([canonical], tokens < 1)
    assert excludes([canonical], z3.Or(tag < 1, tag > 3))
    assert not excludes([canonical], tokens == 1, tag == 3)
    unread = compiling(kept())
    assert unread.demands.canonical(unread.elements.head).eq(TRUE)


def test_what_a_proof_may_rest_on_holds_only_if_its_track_does() -> None:
    whole = compiling(kept(evict(Compare("<", Int(0), Parameter("k")))), tracked=True)
    low = whole.symbols.track(ParameterBound("k", "least", 0))
    assert excludes(whole.demands.fixed, low, whole.parameters["k"] < 0)
    assert not excludes(whole.demands.fixed, z3.Not(low), whole.parameters["k"] < 0)
    whole.versions.field(0, whole.elements.head, "tokens")
    whole.demands.canonical(whole.elements.head)
    whole.versions.alive(1, whole.elements.head)
    assert set(whole.symbols.tracks) == {
        ParameterBound("k", "least", 0),
        ParameterBound("n", "most", 9),
        FieldBounds("tokens"),
        RuleGround("P", 0),
    }
    assert Assumption(0) not in whole.symbols.tracks


def test_a_definite_span_is_the_first_that_is_meant() -> None:
    whole = compiling(kept(FIRST))
    (let,) = whole.trace.lets
    (universal,) = whole.polarity.universals
    # Of every span that is meant: there is a first one, and none is before it.
    assert (universal.assumed.eq(TRUE), universal.version) == (True, EVERY)
    holds = whole.polarity.imply(universal.body, True, whole.elements.head, 0)
    meant = whole.values.value(let.condition, whole.elements.head)
    mark = whole.elements.marks[let.mark]
    before, _, _ = whole.elements.order(whole.elements.head, let.mark)
    assert excludes([holds, meant], z3.Not(mark.on))
    assert excludes([holds, meant], before)


@pytest.mark.parametrize(
    ("place", "older"),
    [
        (End("front"), (False, False, False)),
        (End("back"), (True, True, True)),
        (Beside("before", "x"), (True, False, False)),
        (Beside("after", "x"), (True, True, False)),
    ],
)
def test_a_span_is_put_in_where_the_statement_says(place: Place, older: tuple[bool, ...]) -> None:
    """`older`: whether the spans before `x`, `x` and those after it stand before the fresh one."""
    whole = compiling(kept(FIRST, put(place)), QUERY)
    (fresh,) = whole.inserts
    let, view = whole.trace.lets[0].mark, whole.elements.view(whole.trace.element("witness", "w"))
    said = [u for u in whole.polarity.universals if u.assumed.eq(whole.elements.marks[fresh].on)]
    conditions = [whole.demands.everywhere(u, view) for u in said]
    conditions += [whole.elements.marks[fresh].on, whole.elements.marks[let].on, whole.versions.known(0, view)]
    sides, ahead = whole.elements.order(view, let), whole.elements.order(view, fresh)[0]
    for side, before in zip(sides, older, strict=True):
        assert excludes(conditions, side, ahead != before)
        assert not excludes(conditions, side)


def test_whether_a_span_comes_that_may_is_one_choice_of_its_run() -> None:
    asked = claimed(Present("k", ONCE), put(End("back"), may=True), bound=(Bound("k", W),))
    whole = compiling(asked)
    ((key, comes),) = whole.demands.coming.items()
    assert key == ("P1", 1)
    (fresh,) = whole.inserts
    assert excludes(whole.demands.fixed, whole.elements.marks[fresh].on != comes)
    sure = compiling(claimed(Present("k", ONCE), put(End("back")), bound=(Bound("k", W),)))
    assert sure.demands.coming == {}
    assert excludes(sure.demands.fixed, z3.Not(sure.elements.marks[next(iter(sure.inserts))].on))


def test_a_universal_that_a_join_weakens_is_said_to_be_used_at_marks_only() -> None:
    whole = compiling(kept(), QUERY)
    t = whole.trace.element("bound", "t")
    whole.polarity.add_universal(TRUE, EVERY, some(t, 0, Older(t, HEAD)))
    whole.polarity.add_universal(TRUE, EVERY, FieldAt(HEAD, "pinned", 0))
    view = whole.elements.view(whole.trace.element("witness", "w"))
    weak, strong = (whole.demands.everywhere(u, view) for u in whole.polarity.universals)
    assert excludes([], z3.Not(weak))
    assert not excludes([], z3.Not(strong))
    assert whole.demands.weakened == {0}
    assert whole.approximations == ["used at marks only: some t in [0]: t before s"]


def test_at_a_mark_what_is_true_of_every_element_is_true() -> None:
    whole = compiling(kept(), QUERY)
    whole.polarity.add_universal(TRUE, EVERY, FieldAt(HEAD, "pinned", 0))
    before, size = len(whole.demands.fixed), whole.demands.size()
    whole.demands.instances()
    assert whole.demands.size() != size
    (witness,) = whole.trace.witnesses
    told = whole.demands.fixed[before:]
    assert excludes(
        told, whole.elements.marks[witness].on, z3.Not(whole.values.at_mark(witness, FieldAt(HEAD, "pinned", 0)))
    )
    size = whole.demands.size()
    whole.demands.instances()
    assert whole.demands.size() == size


def test_what_is_assumed_and_broken_is_demanded() -> None:
    assert excludes(compiling(claimed(Not(FALSE))).demands.fixed)
    assert not excludes(compiling(claimed(FALSE)).demands.fixed)
