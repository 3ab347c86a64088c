"""A variation is an input window again, near the one it was made of; what is written out stays."""

from __future__ import annotations

from random import Random

import pytest

from selfedit_formal.core.property import Case, Obligation
from selfedit_formal.core.window import Window
from selfedit_formal.engines.random import draw_window, interesting
from selfedit_formal.language.resolve import load_text
from selfedit_formal.semantics.interpreter import NO_CASE, judge
from selfedit_formal.verifying.validation.variation import CHANGES, varied
from tests.reports.examples import planned, refutation

TEXT = """
window Log {
  tag    : call | result
  tokens : int >= 1 <= 9
  link answers : result -> call
}
policy trim for Log { ARCHIVE evict s where s.tag == result }
property all_stay(P: policy) = all W: count(s in W) == count(s in P(W))
check trim: all_stay
"""


def asked(archive: bool) -> Obligation:
    (found,) = load_text(TEXT.replace("ARCHIVE", "readmit s where s.tag == call" if archive else "")).obligations
    return found


def of(window: Window) -> Case:
    return Case({"W": window}, {}, {}, {})


@pytest.mark.parametrize("archive", [False, True])
def test_a_variation_is_an_input_near_by(archive: bool) -> None:
    obligation = asked(archive)
    archived = set[bool]()
    for seed in range(60):
        random, pool = Random(seed), interesting(obligation)
        window = draw_window(obligation.schema, 4, random, pool, False, "W")
        case = of(window)
        made = varied(obligation, case, random, pool)
        (after,) = made.inputs.values()
        assert judge(obligation, made) is not NO_CASE
        assert {s.id for s in after.spans} == {s.id for s in window.spans}
        changed = sum(a.values != b.values or a.id != b.id for a, b in zip(window.spans, after.spans, strict=True))
        assert changed <= 2 * CHANGES
        assert made.choices == {}
        archived.add(bool(after.archived))
    assert archived == ({False, True} if archive else {False})


def test_a_window_without_spans_stays() -> None:
    obligation = asked(False)
    empty = Window(obligation.schema, ())
    made = varied(obligation, of(empty), Random(0), interesting(obligation))
    assert made.inputs == {"W": empty}


def test_a_window_that_is_written_out_stays() -> None:
    case = refutation(planned())
    obligation = planned().obligation
    for seed in range(10):
        assert varied(obligation, case, Random(seed), interesting(obligation)).inputs == case.inputs
