"""The same obligation is the same query and the same scan, with tracks and without."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from selfedit_formal.core.property import Obligation
from selfedit_formal.engines.unbounded.compiler import Mode, compile_query, compile_scan
from selfedit_formal.language.resolve import load_text
from selfedit_formal.semantics.symbolic.solver import fresh

TEXT = """
window Chat { tag : user | call   tokens : int >= 0 }
property kept(P: policy) = all W, s in W where count(t in W: t.tokens > s.tokens) > 2: s in P(W)
policy p(cap: int >= 0) for Chat {
  let newest_user = last s where s.tag == user
  evict s where s before newest_user and total(t.tokens: t not before s) > cap
  insert { tag = user, tokens <= 3 } at front
}
check p: kept
"""


def query(asked: Obligation) -> str:
    text: str = compile_query(asked, Mode(scan=False)).formula.sexpr()
    return text


def scan(asked: Obligation) -> str:
    compiled = compile_scan(asked, Mode(scan=True))
    return "\n".join(f.sexpr() for f in (compiled.init, compiled.step, compiled.fin, *compiled.state))


@pytest.mark.parametrize("compiled", [query, scan])
def test_what_is_compiled_hangs_on_the_obligation_alone(compiled: Callable[[Obligation], str]) -> None:
    (asked,) = load_text(TEXT).obligations
    with fresh():
        first = compiled(asked)
    compiled(asked)  # in a context that was used
    with fresh():
        assert compiled(asked) == first


def test_tracks_change_no_name() -> None:
    (asked,) = load_text(TEXT).obligations
    plain = compile_scan(asked, Mode(scan=True))
    tracked = compile_scan(asked, Mode(scan=True), tracked=True)
    assert not plain.tracks
    assert tracked.tracks
    assert [str(v) for v in tracked.state] == [str(v) for v in plain.state]
    assert tracked.legend == plain.legend
