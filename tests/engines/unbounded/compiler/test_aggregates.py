"""Conjuncts that only order a span against another one are told from the rest."""

from __future__ import annotations

import pytest

from selfedit_formal.core.budget import Work
from selfedit_formal.engines.unbounded.compiler.compilation import Compilation
from selfedit_formal.engines.unbounded.compiler.mode import Mode
from selfedit_formal.engines.unbounded.ir import HEAD, Alive, Flat, Older, Same, both, negate
from selfedit_formal.language.resolve import load_text

TEXT = """
window Chat { tag : user | call }
property keeps(P: policy) = all W: P(W) == W
policy p for Chat { evict s where s.tag == call }
check p: keeps
"""


@pytest.fixture
def whole() -> Compilation:
    (asked,) = load_text(TEXT).obligations
    return Compilation(asked, Mode(scan=True), tracked=False, work=Work())


@pytest.mark.parametrize(
    ("told", "admitted", "there"),
    [
        ("older", [True, False, False], True),
        ("newer", [False, False, True], True),
        ("same", [False, True, False], True),
        ("not older", [False, True, True], False),
        ("not same", [True, False, True], False),
        ("older, not same", [True, False, False], True),
        ("not older, not newer", [False, True, False], False),
    ],
)
def test_orders_are_told_from_the_rest(whole: Compilation, told: str, admitted: list[bool], there: bool) -> None:
    variable = whole.trace.element("bound", "t")
    atoms: dict[str, Flat] = {"older": Older(variable, HEAD), "newer": Older(HEAD, variable)}
    atoms["same"] = Same(variable, HEAD)
    says = [negate(atoms[w.removeprefix("not ")]) if w.startswith("not ") else atoms[w] for w in told.split(", ")]
    alive = Alive(variable, 0)
    assert whole.aggregates.split(both(*says, alive), variable, HEAD) == (admitted, alive, there)
