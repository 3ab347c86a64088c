"""A case comes out as simple as a person would have written it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from selfedit_formal.core.expression import (
    TRUE,
    And,
    Compare,
    Count,
    Equal,
    Int,
    Name,
    Not,
    Or,
    Origin,
    Parameter,
    Read,
)
from selfedit_formal.core.policy import End, Insert, ParameterDeclaration
from selfedit_formal.core.property import Bound, Case, ChoiceKey, Claim, Obligation
from selfedit_formal.core.window import Value
from selfedit_formal.engines.random import attack
from selfedit_formal.language.resolve import load_text, obligation
from selfedit_formal.semantics.interpreter import breaks
from selfedit_formal.verifying.shrink import letters, order, shrink, size
from tests.obligations import (
    CAP,
    ONCE,
    OVER_CAP,
    W,
    about,
    evict,
    fixed,
    idempotent,
    keeps,
    may_evict,
    pinned,
    policy,
    preserves_paired,
    span,
    tagged,
    tokens,
    window,
)


def shrunk(obligation: Obligation, case: Case) -> Case:
    assert breaks(obligation, case)
    result = shrink(obligation, case)
    assert breaks(obligation, result)
    return result


def test_spans_links_flags_numbers_names_and_keys_go_where_they_can() -> None:
    obligation = keeps(policy(evict(OVER_CAP), parameters=(CAP,)), TRUE)
    crowded = window(
        span("x1", tag="call", tokens=77, pinned=True, call="k4"),
        span("x2", tag="result", tokens=5000, pinned=True, call="k4"),
        span("x3", tokens=12),
        links=(("x1", "x2"), ("x2", "x3")),
    )
    assert shrunk(obligation, Case({"W": crowded}, {"cap": 900}, {"k": "x2"}, {})) == Case(
        {"W": window(span("A"))}, {"cap": 0}, {"k": "A"}, {}
    )


def test_what_the_case_needs_stays() -> None:
    wanted = And((pinned("k", W), tagged("k", "result", W), Compare(">=", tokens("k", W), Int(37))))
    obligation = keeps(policy(evict(TRUE)), wanted)
    big = window(span("x", tag="result", tokens=812, pinned=True, call="zz"))
    assert shrunk(obligation, Case({"W": big}, {}, {"k": "x"}, {})) == Case(
        {"W": window(span("A", tag="result", tokens=37, pinned=True))}, {}, {"k": "A"}, {}
    )


def test_a_parameter_and_the_number_it_is_measured_against_shrink_together() -> None:
    exactly = evict(Compare("==", tokens("s"), Parameter("cap")))
    obligation = keeps(policy(exactly, parameters=(CAP,)), TRUE)
    result = shrunk(obligation, Case({"W": window(span("x", tokens=900))}, {"cap": 900}, {"k": "x"}, {}))
    assert (result.parameters["cap"], result.inputs["W"].spans[0]["tokens"]) == (1, 1)


def test_numbers_below_zero_come_nearer_to_zero() -> None:
    low = policy(evict(Compare("<=", Parameter("n"), Int(-3))), parameters=(ParameterDeclaration("n", high=100),))
    result = shrunk(keeps(low, TRUE), Case({"W": window(span("x"))}, {"n": -500}, {"k": "x"}, {}))
    assert result.parameters["n"] == -3


def test_a_key_that_must_be_shared_is_the_first_one() -> None:
    obligation = preserves_paired(policy(evict(tagged("s", "call"))))
    apart = window(
        span("c", tag="call", call="k7"), span("d", tag="call", call="k9"), span("r", tag="result", call="k9")
    )
    result = shrunk(obligation, Case({"W": apart}, {}, {}, {}))
    assert result.inputs["W"] == window(span("A", tag="call"), span("B", tag="result"))


def test_keys_are_numbered_in_the_order_in_which_they_are_met() -> None:
    different = Equal(Read("k", "call", "key", W), Read("l", "call", "key", W))
    named = keeps(policy(evict(TRUE)), TRUE)
    keyed = And(
        (
            Not(different),
            Not(Equal(Read("k", "call", "key", W), Name("key", "none"))),
            Not(Equal(Read("l", "call", "key", W), Name("key", "none"))),
        )
    )
    claim = replace(named.claim, bound=(*named.claim.bound, Bound("l", W)), antecedent=keyed)
    given_keys = window(span("x", call="why"), span("y", call="k3"))
    result = shrunk(replace(named, claim=claim), Case({"W": given_keys}, {}, {"k": "x", "l": "y"}, {}))
    assert [s["call"] for s in result.inputs["W"].spans] == ["k1", "k2"]


def test_spans_whose_order_does_not_matter_stand_simplest_first() -> None:
    obligation = preserves_paired(policy(evict(tagged("s", "call"))))
    turned = window(span("r", tag="result", call="k9"), span("c", tag="call", call="k9"))
    result = shrunk(obligation, Case({"W": turned}, {}, {}, {}))
    assert result.inputs["W"] == window(span("A", tag="call"), span("B", tag="result"))


def test_choices_that_do_not_matter_are_left_out() -> None:
    obligation = keeps(policy(*may_evict(TRUE)), TRUE)
    chosen = {ChoiceKey("P1", 0, name, ""): True for name in ("x", "y", "z")}
    case = Case({"W": window(span("x"), span("y"))}, {}, {"k": "y"}, chosen)
    assert shrunk(obligation, case) == Case(
        {"W": window(span("A"))}, {}, {"k": "A"}, {ChoiceKey("P1", 0, "A", ""): True}
    )


def test_a_span_that_need_not_come_does_not() -> None:
    comes = Insert(0, End("back"), (), None, Origin("arrive"), may=True)
    chosen: dict[ChoiceKey, Value] = {
        ChoiceKey("P1", 0, "new_P1_0", ""): True,
        ChoiceKey("P1", 0, "new_P1_0", "tokens"): 70,
    }
    case = Case({"W": window(span("x"))}, {}, {"k": "x"}, chosen)
    lost = keeps(policy(comes, evict(TRUE, site=1)), TRUE)
    assert shrunk(lost, case) == Case({"W": window(span("A"))}, {}, {"k": "A"}, {})
    alone = Compare("<=", Count("t", ONCE, TRUE), Int(1))
    more = about(policy(comes), "never grows", Claim(("W",), (Bound("k", W),), consequent=alone))
    assert shrunk(more, case).choices == {ChoiceKey("P1", 0, "new_P1_0", ""): True}


def test_a_written_out_window_stays_as_it_is() -> None:
    written = window(span("Anna", tokens=400), span("Bob", pinned=True), links=(("Anna", "Bob"),))
    obligation = fixed(keeps(policy(evict(OVER_CAP), parameters=(CAP,)), TRUE), written)
    case = Case({"W": written}, {"cap": 17}, {"k": "Anna"}, {})
    assert shrunk(obligation, case) == replace(case, parameters={"cap": 0})


def test_without_tries_the_case_still_breaks_the_promise() -> None:
    obligation = keeps(policy(evict(TRUE)), TRUE)
    case = Case({"W": window(span("x"), span("y", tokens=9))}, {}, {"k": "x"}, {})
    result = shrink(obligation, case, 0)
    assert breaks(obligation, result)
    assert size(result) == 2


OBLIGATIONS = {
    o.name + str(n): o
    for n, o in enumerate(
        (
            keeps(policy(evict(OVER_CAP), parameters=(CAP,)), pinned("k", W)),
            keeps(policy(*may_evict(Or((pinned("s"), OVER_CAP))), parameters=(CAP,)), TRUE),
            idempotent(policy(*may_evict(tagged("s", "result")))),
            preserves_paired(policy(evict(OVER_CAP), parameters=(CAP,))),
        )
    )
}


@pytest.mark.parametrize("obligation", OBLIGATIONS.values(), ids=OBLIGATIONS)
@settings(max_examples=25)
@given(data=st.data())
def test_shrinking_never_grows_and_is_repeatable(obligation: Obligation, data: st.DataObject) -> None:
    seed = data.draw(st.integers(0, 10_000))
    case = attack(replace(obligation, name=f"{seed}"), 4, 80)
    assume(case is not None)
    assert case is not None
    once = shrink(obligation, case)
    assert breaks(obligation, once)
    assert order(obligation, once) <= order(obligation, case)
    assert shrink(obligation, case) == once
    assert order(obligation, shrink(obligation, once)) == order(obligation, once)


def test_names_go_on_after_the_alphabet() -> None:
    assert [letters(n) for n in (0, 25, 26, 27, 51, 52)] == ["A", "Z", "AA", "AB", "AZ", "BA"]


def test_a_window_is_of_users_where_anything_will_do() -> None:
    module = load_text(
        "window Chat { tag : system | tool | user | note }\n"
        "policy p for Chat { when count(s) > 1  evict s where s.tag == note }\n"
        "property stays(P: policy) = all W, s in W: s in P(W)\n"
        "window one of Chat = [ A: system  B: tool  C: note  D: system ]\n"
    )
    asked = obligation(module, "p", "stays")
    simple = shrink(asked, Case({"W": module.windows["one"]}, {}, {"s": "C"}, {}))
    assert [s["tag"] for s in simple.inputs["W"].spans] == ["user", "note"]
