"""How an obligation is compiled where nobody says how."""

from __future__ import annotations

from typing import get_args

from selfedit_formal.engines.unbounded import LADDER
from selfedit_formal.engines.unbounded.compiler.mode import LeftOut, Mode
from tests.engines.unbounded.compiler.compiled import QUERY, SCAN, compiling, kept


def test_the_most_is_read_that_is_read_at_once() -> None:
    assert Mode(scan=True) == Mode(True, "newest", 1, "all", half=False)
    assert SCAN != QUERY


def test_every_attempt_compiles_in_a_way_of_its_own() -> None:
    ways = [(rung.mode, rung.instead) for rung in LADDER]
    assert len(set(ways)) == len(ways)


def test_what_a_mode_leaves_out_another_one_reads() -> None:
    found = {}
    for mode in (Mode(scan=True, depth=0, instances="witnesses"), Mode(scan=True, depth=0, half=True)):
        whole = compiling(kept(), mode)
        there = next(iter(whole.elements.marks.values())).on
        whole.elements.add(whole.trace.element("witness", "deep"), 1, there)
        whole.elements.add(whole.trace.element("let", "x"), 0, there)
        whole.demands.instances()
        found[mode.half] = whole.demands.left_out
    assert found == {False: set(get_args(LeftOut)), True: set()}
