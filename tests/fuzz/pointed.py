"""Short policies that do but one thing that compilers go wrong about, with a promise that hangs on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Literal

from selfedit_formal.core import expression as e
from selfedit_formal.core import policy as p
from selfedit_formal.core.property import Claim, Obligation
from tests.fuzz.drawer import CAP, ORIGIN, P1, PARAMETERS, PLAN, SCHEMA, TAGS, K, W, has, numbered, read
from tests.fuzz.strange import STRANGE_CLAIMS, VU, Stranger, schema_of

Body = tuple[p.Statement, ...]


def pointed(seed: int, random: Random) -> Obligation:
    """One of the points below, and mostly one of the claims that go with it."""
    schema = schema_of(random)
    name = random.choice(sorted(POINTS))
    point, fitting, planned = POINTS[name]
    spans = PLAN[: random.randint(1, 2)] if random.random() < planned else ()
    drawer = Pointer(random, schema, spans)
    policy = replace(drawer.policy_of(point), schema=schema, spans=spans)
    claims = STRANGE_CLAIMS | CLAIMS
    said = random.choice(fitting) if fitting and random.random() < 0.8 else random.choice(sorted(claims))
    claim = claims[said](drawer.claiming())
    return Obligation(f"{seed}: {name}, {said}", schema, (policy,), said, claim, parameters=PARAMETERS, spans=spans)


class Pointer(Stranger):
    """Draws the bodies of such policies."""

    def policy_of(self, point: Callable[[Pointer], Body]) -> p.Policy:
        body = point(self)
        gated = point in (Pointer.tried, Pointer.tried_choice) or self.chance(0.05)
        gates = (p.Gate("drawn", self.claiming().gate(), ORIGIN),) if gated else ()
        return p.Policy("P", SCHEMA, PARAMETERS, numbered(body), gates=gates)

    # ---------- pieces

    def tag(self) -> str:
        return self.random.choice(TAGS)

    def evict(self, condition: Callable[[str], e.Expression]) -> Body:
        """Evicts, or changes, the spans of which it is true."""
        s = self.name("s")
        if self.chance(0.75):
            return (p.Evict(0, s, condition(s), self.chance(0.2), ORIGIN),)
        return (p.Set(0, s, condition(s), (p.Assign("tokens", e.Int(7)),), ORIGIN),)

    def definite(self) -> tuple[p.LetSpan, str]:
        """A `let` of a span that is often absent."""
        name, s = self.name("x"), self.name("s")
        which: p.SpanTerm = p.Pick(self.random.choice(("first", "last")), s, has(s, self.tag()))
        return p.LetSpan(0, name, which), name

    def move(self, place: p.Place) -> p.Statement:
        s = self.name("s")
        condition = self.random.choice((has(s, self.tag()), read(s, "pinned")))
        if self.chance(0.25):
            return p.Readmit(0, s, condition, place, False, ORIGIN)
        return p.Move(0, s, condition, place, ORIGIN)

    def few(self) -> e.Expression:
        return self.random.choice((e.Int(0), e.Int(0), e.Int(1), K))

    # ---------- points

    def ordered_after_move(self) -> Body:
        let, x = self.definite()
        place: p.Place = p.End(self.random.choice(("front", "back")))
        if self.chance(0.3):
            place = p.Beside(self.random.choice(("before", "after")), x)
        edit = self.evict(lambda s: self.beside(s, x))
        return (let, self.move(place), *edit) if self.chance(0.7) else (self.move(p.End("back")), let, *edit)

    def counted_beside(self) -> Body:
        let, x = self.definite()
        t = self.name("t")

        def many(s: str) -> e.Expression:
            stands = e.Count(t, None, self.beside(t, x))
            return e.Compare(self.compare(), stands, self.few())

        return (let, *self.evict(many))

    def multiplied(self) -> Body:
        t = self.name("t")

        def large(s: str) -> e.Expression:
            counted = e.Count(t, None, e.And((has(t, self.tag()), self.ordered(t, s))))
            factor = read(s, "tokens") if self.chance(0.6) else counted
            limit = self.random.choice((CAP, e.Int(3), e.Int(5), read(s, "tokens")))
            return e.Compare(self.random.choice((">", "<=")), e.Multiply(K, factor), limit)

        return self.evict(large)

    def named_alike(self) -> Body:
        s, kinds = self.name("s"), set(self.schema.field("kind").names)
        given: list[p.Assignment] = []
        given += [p.Assign("tag", self.kind(s))] if kinds <= set(TAGS) else []
        given += [p.Assign("kind", read(s, "tag"))] if set(TAGS) <= kinds else []
        if not given or self.chance(0.5):
            return self.evict(lambda t: self.alike(t, t, None))
        change = p.Set(0, s, read(s, "pinned"), (self.random.choice(given),), ORIGIN)
        return (change, *self.evict(lambda t: has(t, self.tag()))) if self.chance(0.6) else (change,)

    def scored(self) -> Body:
        tests: list[Callable[[str], e.Expression]] = [
            lambda s: read(s, "mood"),
            lambda s: e.Compare(">=", read(s, "score"), K),
        ]
        if self.spans:
            of = self.random.choice(self.spans)
            tests += [lambda s: read(of, "mood"), lambda s: e.Compare(">=", read(of, "score"), K)]
        return self.evict(self.random.choice(tests))

    def seen_from_absent(self) -> Body:
        """What is read of a definite span, or put beside it."""
        let: tuple[p.Statement, ...] = ()
        if not self.spans or self.chance(0.4):
            made, x = self.definite()
            let = (made,)
        else:
            x = self.random.choice(self.spans)
            if self.chance(0.4):
                again, s = self.name("x"), self.name("s")
                picked = p.Pick("first", s, has(s, self.tag()))
                other: p.SpanTerm = p.SpanNamed(self.random.choice(self.spans)) if self.chance(0.5) else picked
                chosen = p.SpanIf(e.Compare(">", K, e.Int(0)), p.SpanNamed(x), other)
                let, x = (p.LetSpan(0, again, chosen),), again
        side: Literal["before", "after"] = self.random.choice(("before", "after"))
        edits: list[Body] = [
            (p.Insert(0, p.Beside(side, x), self.fresh(), None, ORIGIN),),
            (self.move(p.Beside(side, x)),),
            self.evict(lambda s: read(x, self.random.choice(("mood", "pinned")))),
            self.evict(lambda s: e.Not(has(x, self.tag()))),
            self.evict(lambda s: e.Compare("<=", read(x, "tokens"), K)),
            self.evict(lambda s: e.Linked(self.link(), s, x)),
            self.evict(lambda s: self.beside(s, x)),
        ]
        return (*let, *self.random.choice(edits))

    def waits(self) -> Body:
        """Something that leaves the window alone, a trigger, an edit."""
        t = self.name("t")
        tests: list[e.Expression] = [
            e.Compare(self.compare(), e.Count(t, None, e.TRUE), self.few()),
            e.Some(t, None, has(t, self.tag())),
            e.Some(t, None, read(t, "mood")),
        ]
        ahead: Body = ()
        if self.chance(0.7):
            ahead = self.random.choice((self.refusal, self.branch, self.kept))()
        edit = self.evict(lambda s: has(s, self.tag()))
        return (*ahead, p.Block(0, self.random.choice(tests), edit, True, ORIGIN))

    def tried(self) -> Body:
        return self.waits() if self.chance(0.6) else self.evict(lambda s: has(s, self.tag()))

    def tried_choice(self) -> Body:
        """What a model chooses in the pass is not what it chooses in a gate's trial."""
        name, s = self.name("set"), self.name("s")
        chosen = p.LetSet(0, name, s, has(s, self.tag()), may=True)
        scored = self.evict(lambda s: read(s, "mood"))
        t = self.name("s")
        may: Body = (chosen, p.Evict(0, t, e.InSet(t, name), False, ORIGIN))
        return may if self.chance(0.7) else scored

    def refused(self) -> Body:
        """A `let` that a refusal reads."""
        let, x = self.definite()
        t = self.name("t")
        tests: list[e.Expression] = [
            has(x, self.tag()),
            e.Some(t, None, self.beside(t, x)),
            e.Present(x),
            e.Some(t, None, e.Linked(self.link(), t, x)),
        ]
        return (let, p.Refuse(0, self.random.choice(tests), "drawn", ORIGIN), *self.evict(lambda s: e.SameSpan(s, x)))

    def linked(self) -> Body:
        """A step of a way that is not kept as it was."""

        def unlinked(s: str) -> e.Expression:
            u = self.name("u")
            linked = e.Some(u, None, e.And((has(u, "user"), e.Linked(self.link(), u, s))))
            return self.random.choice((e.And((has(s, self.tag()), e.Not(linked))), e.Not(linked), linked))

        if self.chance(0.4):
            return self.evict(unlinked)
        s = self.name("s")
        record: list[p.Assignment] = [p.Assign("tokens", e.Int(7)), p.Assign("pinned", e.Bool(self.chance(0.5)))]
        return (p.Set(0, s, unlinked(s), (self.random.choice(record),), ORIGIN),)

    def named(self) -> Body:
        """Two definite spans, or one, and what is the same as they."""
        let, x = self.definite()
        other, y = self.definite()
        edit = self.evict(
            lambda s: self.random.choice((e.SameSpan(s, x), e.SameSpan(s, y), e.Linked(self.link(), s, x)))
        )
        return (let, other, *edit)


def _two_alike(d: Stranger) -> Claim:
    """What becomes of two spans is the same, or is not."""
    same = e.Equal(e.Present("v", P1), e.Present("u", P1))
    return Claim(("W",), VU, antecedent=d.given("v", "u"), consequent=same if d.chance(0.7) else e.Not(same))


def _rescored(d: Stranger) -> Claim:
    """Other scores of one or two spans change nothing."""
    first, second = d.random.choice((("v", "u"), ("u", "v"), ("v", "v")))
    inner = d.random.choice(
        (W, e.Rescored(W, second), e.Rescored(W, second), e.Without(W, second), e.Swapped(W, "v", "u"))
    )
    other = e.Pass("P", d.run(), e.Rescored(inner, first))
    if d.chance(0.2):
        other = e.Pass("P", d.run(), e.Without(e.Rescored(W, first), second))
    same = e.Equal(e.Present("v", P1), e.Present("v", other))
    apart = e.Not(e.SameSpan("v", "u"))
    return Claim(("W",), VU, antecedent=e.And((apart, d.given("v", "u"))), consequent=same)


def _without(d: Stranger) -> Claim:
    """Without one span another one fares the same."""
    other = e.Pass("P", d.run(), e.Without(W, "u"))
    same = e.Equal(e.Present("v", P1), e.Present("v", other))
    apart = e.Not(e.SameSpan("v", "u"))
    return Claim(("W",), VU, antecedent=e.And((apart, d.given("v"))), consequent=same)


def _arrives(d: Stranger) -> Claim:
    """What arrives stays, or goes."""
    t = d.name("t")
    tokens = d.random.choice((e.Int(0), e.Int(1), e.Int(3), K))
    arrived = e.Arrived(d.random.choice((W, P1)), tokens)
    after = e.Pass("P", d.run(), arrived)
    stays = e.Some(t, arrived, e.And((e.Created(t), e.Present(t, after))))
    said = d.random.choice((stays, e.Not(stays), e.Implies(d.given(), stays), e.SameWindow(after, arrived)))
    return Claim(("W",), antecedent=d.given(), consequent=said)


def _let_through(d: Stranger) -> Claim:
    """Refused, or not, or with a trace of the edit."""
    refused = e.Refused(P1)
    t = d.name("t")
    gone = e.All(t, P1, e.Not(has(t, d.random.choice(TAGS), P1)))
    said = d.random.choice((refused, e.Not(refused), e.Or((gone, refused)), e.Implies(refused, gone)))
    return Claim(("W",), antecedent=d.given(), consequent=said)


CLAIMS: dict[str, Callable[[Stranger], Claim]] = {
    "two alike": _two_alike,
    "rescored": _rescored,
    "without one": _without,
    "arrives": _arrives,
    "let through": _let_through,
}
"""Also asked here."""

FATES = ("stays or goes", "stays or goes", "two alike", "swallows")
POINTS: dict[str, tuple[Callable[[Pointer], Body], tuple[str, ...], float]] = {
    "ordered after a move": (Pointer.ordered_after_move, FATES, 0.05),
    "counted beside": (Pointer.counted_beside, FATES, 0.05),
    "multiplied": (Pointer.multiplied, ("two alike", "two alike", *FATES), 0.05),
    "named alike": (Pointer.named_alike, (*FATES, "same record"), 0.05),
    "scored": (Pointer.scored, ("rescored", "rescored", "without one", "same fate", "same record"), 0.3),
    "seen from absent": (
        Pointer.seen_from_absent,
        ("without one", "something comes", "same fate", "same order", *FATES),
        0.6,
    ),
    "waits": (Pointer.waits, ("triggers", "triggers", "refuses", "rests"), 0.05),
    "gated": (Pointer.tried, ("let through", "refuses", "windows without spans"), 0.1),
    "gated choice": (Pointer.tried_choice, ("let through", "let through", "refuses"), 0.1),
    "refused": (Pointer.refused, ("refuses", "let through", "stays or goes"), 0.05),
    "linked": (Pointer.linked, ("reached",), 0.05),
    "named": (Pointer.named, FATES, 0.05),
    "arriving": (Pointer.tried, ("arrives", "windows without spans", "something comes"), 0.05),
}
"""Name → what the policy does, what may be asked of it, and how often it is a plan."""
