"""After each statement an element is known, there and has the fields that the interpreter says it has."""

from __future__ import annotations

import pytest
import z3

from selfedit_formal.core.certificate import RuleGround
from selfedit_formal.core.expression import Add, Compare, Expression, Int, Known, Not, SameWindow, Without
from selfedit_formal.core.policy import Assign, Block, End, Insert, Keep, Original, Readmit, Set, Statement
from selfedit_formal.core.property import Bound
from selfedit_formal.engines.unbounded.ir import EVERY
from selfedit_formal.semantics.interpreter import Given, apply
from tests.engines.unbounded.compiler.compiled import SCAN, at, claimed, compiling, kept, subject
from tests.obligations import ONCE, W, evict, pinned, span, tagged, tokens, window

ORIGIN = evict(pinned("s")).origin
MORE = Assign("tokens", Add((tokens("s"), Int(2))))


def change(condition: Expression, *assignments: Assign, archive: bool = False, site: int = 0) -> Set:
    return Set(site, "s", condition, assignments, ORIGIN, archive)


def back(condition: Expression, site: int = 0) -> Readmit:
    return Readmit(site, "s", condition, Original(), False, ORIGIN)


BODIES: dict[str, tuple[Statement, ...]] = {
    "nothing": (),
    "what goes": (evict(pinned("s")),),
    "what is kept": (Keep(0, "s", tagged("s", "call"), ORIGIN), evict(pinned("s"), 1)),
    "what changes": (change(pinned("s"), MORE, Assign("pinned", Not(tagged("s", "call")))),),
    "what changes and then goes": (change(pinned("s"), MORE), evict(Compare(">", tokens("s"), Int(5)), 1)),
    "what goes is not changed": (evict(pinned("s")), change(tagged("s", "call"), MORE, site=1)),
    "what comes back": (back(pinned("s")),),
    "what changes outside": (change(pinned("s"), MORE, archive=True), back(tagged("s", "call"), 1)),
    "what goes where parameters ask for it": (
        Block(0, Compare("<", Int(1), Int(0)), (evict(pinned("s"), 1),), False, ORIGIN),
        evict(tagged("s", "call"), 2),
    ),
}
SPANS = (
    span("A", tokens=2),
    span("B", tokens=4, pinned=True),
    span("C", tag="call", tokens=2, pinned=True),
    span("D", tag="call"),
)


@pytest.mark.parametrize("archived", [False, True])
@pytest.mark.parametrize("name", BODIES)
def test_an_element_is_what_the_interpreter_says_after_a_pass(name: str, archived: bool) -> None:
    seen = SameWindow(Known(ONCE), W)  # so that there is an archive
    whole = compiling(claimed(seen, *BODIES[name]))
    last, head = len(whole.trace.versions) - 2, whole.elements.head  # after it comes what is known
    alive, known = whole.versions.alive(last, head), whole.versions.known(last, head)
    fields = {f: whole.versions.field(last, head, f) for f in ("tokens", "pinned")}
    for item in SPANS:
        given = window(item, archived=(item.id,) if archived else ())
        after = apply(subject(*BODIES[name]), given, {"k": 1, "n": 1}, {}, Given({})).after
        assert at(whole, known, item, given, {"k": 1, "n": 1}) is True
        assert at(whole, alive, item, given, {"k": 1, "n": 1}) == bool(after.present())
        for field, term in fields.items():
            assert at(whole, term, item, given, {"k": 1, "n": 1}) == after.spans[0][field]


def test_of_every_version_an_element_has_what_it_was_born_with() -> None:
    whole = compiling(kept(change(pinned("s"), MORE)))
    head = whole.elements.head
    born = whole.versions.field(EVERY, head, "tokens")
    assert whole.versions.field(0, head, "tokens").eq(born)
    assert not whole.versions.field(1, head, "tokens").eq(born)
    assert whole.versions.field(1, head, "tag").eq(whole.versions.field(0, head, "tag"))


def test_a_span_that_is_put_in_is_known_from_then_on() -> None:
    whole = compiling(kept(evict(pinned("s")), Insert(1, End("back"), (), None, ORIGIN)))
    head = whole.elements.head
    (mark,) = whole.inserts
    fresh = whole.elements.is_fresh(head, mark)
    for version, there in ((0, False), (1, False), (2, True)):
        for term in (whole.versions.known(version, head), whole.versions.alive(version, head)):
            assert z3.is_true(z3.simplify(z3.substitute(term, (fresh, z3.BoolVal(True))))) == there
    assert z3.simplify(z3.substitute(whole.versions.field(1, head, "tokens"), (fresh, z3.BoolVal(True)))).eq(
        z3.IntVal(0)
    )


def test_a_span_that_is_left_out_is_known_no_more() -> None:
    whole = compiling(claimed(SameWindow(Without(W, "k"), W), bound=(Bound("k", W),)))
    head = whole.elements.head
    (witness,) = whole.trace.witnesses
    here = whole.elements.marks[witness].place
    known = whole.versions.known(1, head)
    assert [z3.is_true(z3.simplify(z3.substitute(known, (here, z3.BoolVal(b))))) for b in (True, False)] == [
        False,
        True,
    ]


def test_a_rule_whose_track_does_not_hold_concerns_any_span() -> None:
    whole = compiling(kept(evict(pinned("s"))), SCAN, tracked=True)
    alive = whole.versions.alive(1, whole.elements.head)
    track = whole.symbols.track(RuleGround("P", 0))
    pinned_here = next(c for f, c in whole.elements.head.base.items() if str(f) == "Born(field='pinned')")
    solver = z3.Solver()
    solver.add(z3.Not(pinned_here), z3.Not(alive))
    assert solver.check(track) == z3.unsat
    assert solver.check(z3.Not(track)) == z3.sat
