"""No two constants share a name, and tracking what a proof rests on changes none."""

from __future__ import annotations

from selfedit_formal.core.certificate import Assumption
from selfedit_formal.engines.unbounded.compiler.symbols import Symbols
from selfedit_formal.engines.unbounded.terms import BOOL, INT, TRUE


def test_no_two_constants_share_a_name_whatever_the_hints_are() -> None:
    symbols = Symbols(tracked=False)
    made = [symbols.symbol(hint, INT) for hint in ("x", "x", "on", "x")]
    made += [symbols.new("x", BOOL, "a"), symbols.new("x", BOOL, "b")]
    assert len({str(m) for m in made}) == len(made)
    assert list(symbols.legend.values()) == ["a", "b"]
    assert list(symbols.rigid.values()) == made[-2:]


def test_what_is_tracked_is_numbered_apart() -> None:
    plain, tracked = Symbols(tracked=False), Symbols(tracked=True)
    assert plain.track(Assumption(0)).eq(TRUE)
    first, again, other = (tracked.track(Assumption(i)) for i in (0, 0, 1))
    assert first.eq(again)
    assert not first.eq(other)
    assert str(plain.symbol("x", INT)) == str(tracked.symbol("x", INT))
