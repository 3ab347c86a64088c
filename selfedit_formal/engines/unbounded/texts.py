"""What was compiled, as the texts that certificates are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import z3

from selfedit_formal.core.certificate import Kind, Method
from selfedit_formal.engines.unbounded.compiler import Mode, Query, Scan
from selfedit_formal.engines.unbounded.recheck import script
from selfedit_formal.engines.unbounded.terms import primed

if TYPE_CHECKING:
    from selfedit_formal.core.smtlib import Sort


def method(mode: Mode, products: bool = False) -> Method:
    """The argument by what was compiled so."""
    kind: Kind = "scan" if mode.scan else "query"
    return Method(kind, (), mode.direction, mode.depth, mode.instances, mode.half, products)


def mode(method: Method) -> Mode:
    """How to compile for the argument."""
    return Mode(method.kind == "scan", method.direction, method.depth, method.instances, method.half)


def of_query(query: Query) -> dict[str, str]:
    return {"query": script([query.formula])}


def of_scan(scan: Scan) -> dict[str, str]:
    """All but the invariant."""
    step = [scan.step, *(after == scan.next[v] for v, after in primed(scan.state))]
    return {"init": script([scan.init]), "step": script(step), "safe": script([scan.fin])}


def state(scan: Scan) -> tuple[tuple[str, Sort], ...]:
    """The constants that an invariant of the scan may speak of."""
    return tuple((v.decl().name(), "Bool" if v.sort() == z3.BoolSort() else "Int") for v in scan.state)
