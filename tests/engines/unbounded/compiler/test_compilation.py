"""The parts of the compiler know one another, and what is common to them."""

from __future__ import annotations

import z3

from selfedit_formal.core.budget import Spent, Work
from selfedit_formal.core.expression import FALSE, Known, Reaches, SameWindow
from selfedit_formal.core.policy import End, Insert
from selfedit_formal.core.property import Bound
from selfedit_formal.engines.unbounded.compiler.compilation import Compilation
from tests.engines.unbounded.compiler.compiled import SCAN, claimed, compiling, kept
from tests.obligations import ONCE, W, evict, pinned

ORIGIN = evict(pinned("s")).origin


def test_every_part_reads_the_one_whole() -> None:
    whole = compiling(kept(evict(pinned("s"))))
    parts = (whole.elements, whole.versions, whole.values, whole.aggregates, whole.polarity, whole.demands)
    assert all(part.whole is whole for part in parts)
    assert len(whole.trace.versions) == 2


def test_parameters_are_constants_of_their_own_and_explained() -> None:
    whole = compiling(kept())
    k, n = whole.parameters["k"], whole.parameters["n"]
    assert not k.eq(n)
    assert [z3.is_int(p) for p in (k, n)] == [True, True]
    assert whole.symbols.legend[k.decl().name()] == "the parameter k"


def test_what_is_put_in_is_there_with_the_version_that_does_so() -> None:
    whole = compiling(kept(evict(pinned("s")), Insert(1, End("back"), (), None, ORIGIN)))
    ((mark, version),) = whole.inserts.items()
    assert (mark.kind, mark.label, version) == ("fresh", "new_P1_1", 2)


def test_there_is_an_archive_only_where_something_reads_it() -> None:
    assert not compiling(kept()).archive
    assert compiling(claimed(SameWindow(Known(ONCE), W))).archive


def test_what_the_trace_leaves_out_is_told() -> None:
    assert compiling(kept()).approximations == []
    way = claimed(Reaches("justifies", "k", "l", W), bound=(Bound("k", W), Bound("l", W)))
    assert compiling(way).approximations == ["`reaches` may say anything of two spans"]


def test_the_work_that_it_takes_is_counted() -> None:
    work = Work()
    Compilation(claimed(FALSE, evict(pinned("s"))), SCAN, False, work)
    assert work.done > 0
    try:
        Compilation(claimed(FALSE, evict(pinned("s"))), SCAN, False, Work(work.done / 2))
    except Spent:
        return
    raise AssertionError
