"""What is rare in other draws, and where compilers go wrong: windows made of windows, gates that try things out, spans
that are absent, fields that share names, products that are none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

from selfedit_formal.core import expression as e
from selfedit_formal.core import policy as p
from selfedit_formal.core.property import Bound, Claim, Obligation
from selfedit_formal.core.window import Field, Link, Schema
from tests.fuzz.drawer import ORIGIN, P1, P2, PARAMETERS, PLAN, SCHEMA, TAGS, K, Mover, W, has, numbered, read

WINDOWS = ("pass", "other run", "without", "rescored", "swapped", "arrived")


def schema_of(random: Random) -> Schema:
    """Windows with two fields of names, that may share some, and a link that is called as some things are."""
    pool = random.choice((TAGS, (*TAGS, "memo"), ("memo", "file")))
    names = tuple(random.sample(pool, random.randint(1, min(4, len(pool)))))
    return replace(
        SCHEMA,
        fields=(*SCHEMA.fields[:1], Field("kind", "enum", names=names), *SCHEMA.fields[1:]),
        links=(Link("justifies"), Link("field", *random.choice(((None, None), (("call", "user"), TAGS))))),
    )


def strange(seed: int, random: Random) -> Obligation:
    """One policy or plan, mostly about windows that no input is."""
    schema = schema_of(random)
    spans = PLAN[: random.randint(1, 2)] if random.random() < 0.3 else ()
    drawer = Stranger(random, schema, spans)
    policy = replace(drawer.policy(), schema=schema, spans=spans)
    name = random.choice(sorted(STRANGE_CLAIMS))
    claim = STRANGE_CLAIMS[name](drawer.claiming())
    return Obligation(f"{seed}: {name}", schema, (policy,), name, claim, parameters=PARAMETERS, spans=spans)


class Stranger(Mover):
    """Draws a policy, then, once `claiming`, what is said of it."""

    def __init__(self, random: Random, schema: Schema, plan: tuple[str, ...]) -> None:
        super().__init__(random)
        self.schema, self.plan = schema, plan
        self.spans += plan
        self.truths: list[str] = []
        self.gated = True
        """What passes are spoken of: a gate's own are not gated."""

    def claiming(self) -> Stranger:
        """Ready to draw a claim, which knows of no `let`."""
        self.spans, self.sets, self.locals, self.truths = list(self.plan), [], [], []
        return self

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    # ---------- policies

    def policy(self) -> p.Policy:
        ahead = self.ahead()
        trigger = self.closed(1) if self.chance(0.35) else None
        body = (*self.ahead(), *(s for _ in range(self.random.randint(1, 2)) for s in self.statement(2)))
        if trigger is not None:
            body = (p.Block(self.site(), trigger, body, True, ORIGIN),)
        body = (*ahead, *body)
        gates = (p.Gate("drawn", self.claiming().gate(), ORIGIN),) if self.chance(0.3) else ()
        return p.Policy("P", SCHEMA, PARAMETERS, numbered(body), gates=gates)

    def ahead(self) -> tuple[p.Statement, ...]:
        """What may stand before a trigger."""
        return self.random.choice((self.refusal, self.branch, self.kept))() if self.chance(0.25) else ()

    def refusal(self) -> tuple[p.Statement, ...]:
        return (p.Refuse(self.site(), self.closed(1), "drawn", ORIGIN),)

    def branch(self) -> tuple[p.Statement, ...]:
        """An `if`, which is no trigger."""
        condition, seen = self.closed(1), (list(self.spans), list(self.sets), list(self.locals), list(self.truths))
        body = self.statement(0)
        self.spans, self.sets, self.locals, self.truths = seen
        return (p.Block(self.site(), condition, body, False, ORIGIN),)

    def kept(self) -> tuple[p.Statement, ...]:
        s = self.name("s")
        return (p.Keep(self.site(), s, self.truth(s, 1), ORIGIN),)

    def statement(self, depth: int) -> tuple[p.Statement, ...]:
        roll = self.random.random()
        if roll < 0.5:
            known = list(self.truths)
            made = tuple(_branch(s) for s in super().statement(depth))
            if any(isinstance(s, p.Block) for s in made):
                self.truths = known
            return made
        s = self.name("s")
        if roll < 0.62:
            return (p.Set(self.site(), s, self.truth(s, 1), self.assignments(s), ORIGIN),)
        if roll < 0.74:
            name, rare = self.name("x"), e.And((has(s, "user"), read(s, "pinned")))
            condition = self.random.choice((rare, has(s, self.random.choice(TAGS)), self.truth(s, 1)))
            self.spans.append(name)
            let = p.LetSpan(self.site(), name, p.Pick(self.random.choice(("first", "last")), s, condition))
            if not self.chance(0.6):
                return (let, *self.statement(depth))
            t, place = self.name("s"), p.Beside(self.random.choice(("before", "after")), name)
            record = self.fresh()
            beside: list[p.Statement] = [
                p.Evict(self.site(), t, self.beside(t, name), False, ORIGIN),
                p.Move(self.site(), t, self.truth(t, 1), place, ORIGIN),
                p.Readmit(self.site(), t, self.truth(t, 0), place, False, ORIGIN),
                p.Insert(self.site(), place, record, None, ORIGIN),
            ]
            return (let, self.random.choice(beside), *(self.statement(depth) if self.chance(0.4) else ()))
        if roll < 0.8:
            name = self.name("n")
            made_truth = p.LetValue(self.site(), name, "bool", self.closed(1))
            self.truths.append(name)
            return (made_truth, *self.statement(depth))
        if roll < 0.86:
            where: p.Place = p.Beside("before", self.random.choice(self.spans)) if self.spans else p.End("back")
            return (p.Insert(self.site(), where, self.fresh(), None, ORIGIN),)
        return (p.Evict(self.site(), s, self.truth(s, 2), self.chance(0.2), ORIGIN),)

    def fresh(self) -> tuple[p.Assignment, ...]:
        """The record of a span that is put in."""
        tag = p.Assign("tag", e.Name("enum", self.random.choice(TAGS)))
        kind = (
            p.Open("kind") if self.chance(0.5) else p.Assign("kind", e.Name("enum", self.schema.field("kind").names[0]))
        )
        return (tag, kind, p.Assign("tokens", e.Int(1)), p.Assign("call", e.Name("key", "none")))

    def assignments(self, s: str) -> tuple[p.Assignment, ...]:
        kinds = self.schema.field("kind").names
        choices: list[tuple[p.Assignment, ...]] = [
            super().assignments(s),
            (p.Assign("kind", e.Name("enum", self.random.choice(kinds))),),
            (p.Open("kind"),),
            (p.Assign("pinned", self.alike(s, s, None)), p.Assign("tokens", e.Int(2))),
        ]
        if set(kinds) <= set(TAGS):
            choices += [(p.Assign("tag", self.kind(s)),)] * 3
        if set(TAGS) <= set(kinds):
            choices += [(p.Assign("kind", read(s, "tag")),)] * 3
        return self.random.choice(choices)

    # ---------- expressions

    def kind(self, s: str) -> e.Expression:
        return e.Read(s, "kind", "enum")

    def alike(self, s: str, t: str, window: e.WindowTerm | None) -> e.Expression:
        """Whether the one's tag is the other's kind; where no name is both, two tags are compared."""
        kind: e.Expression = e.Read(t, "kind", "enum", window)
        if set(TAGS).isdisjoint(self.schema.field("kind").names):
            kind = read(t, "tag", window)
        return e.Equal(read(s, "tag", window), kind)

    def atom(self, s: str, depth: int) -> e.Expression:
        t = self.name("t")
        choices: list[Callable[[], e.Expression]] = [
            lambda: self.alike(s, s, None),
            lambda: e.Equal(self.kind(s), e.Name("enum", self.random.choice(self.schema.field("kind").names))),
            lambda: e.Compare(self.compare(), e.Multiply(K, read(s, "tokens")), self.number(None, 0)),
            lambda: e.Compare(self.compare(), e.Multiply(K, self.number(None, 1)), read(s, "tokens")),
        ]
        if depth:
            choices += [
                lambda: e.Some(t, None, e.And((self.alike(t, s, None), self.ordered(t, s)))),
                lambda: e.Some(t, None, e.And((e.Linked(self.link(), t, s), self.truth(t, depth - 1)))),
            ]
        if self.spans:
            x = self.random.choice(self.spans)
            choices += [
                lambda: self.beside(s, x),
                lambda: self.beside(s, x),
                lambda: e.Compare(self.compare(), e.Count(t, None, self.beside(t, x)), self.number(None, 0)),
                lambda: e.Compare(self.compare(), e.Count(t, None, self.beside(t, x)), e.Int(0)),
                lambda: self.related(s, x),
                lambda: self.alike(x, s, None),
            ]
        if self.truths:
            choices.append(lambda: e.Local(self.random.choice(self.truths), "bool"))
        return self.random.choice(choices)() if self.chance(0.4) else super().atom(s, depth)

    def related(self, s: str, x: str) -> e.Expression:
        """Some link of the two, or way along it."""
        one, two = self.random.sample((s, x), 2)
        if self.chance(0.3):
            return e.Reaches(self.link(), one, two)
        return e.Linked(self.link(), one, two)

    def link(self) -> str:
        return self.random.choice(("justifies", "field"))

    def beside(self, s: str, x: str) -> e.Expression:
        """How s stands to a definite span, in two tests, mostly denied ones."""
        tests: list[e.Expression] = [e.Before(s, x), e.Before(x, s), e.SameSpan(s, x)]
        two = [e.Not(test) if self.chance(0.75) else test for test in self.random.sample(tests, 2)]
        return self.random.choice((two[0], e.And(tuple(two)), e.And(tuple(two)), e.Or(tuple(two))))

    # ---------- gates and claims

    def gate(self) -> e.Expression:
        """A condition on the whole pass, which may try the policy on other windows."""
        self.gated = False
        once = e.Pass("P", "", W, gated=False)
        said = self.random.choice(
            (
                lambda: self.about(W, once, self.made(W, 2), once),
                lambda: self.about(W, once, self.made(W, 2), self.made(W, 2)),
                lambda: e.Triggered("P", self.run(), self.random.choice((W, once, self.made(W, 1)))),
                lambda: e.Not(e.Refused(e.Pass("P", self.run(), self.made(W, 1), gated=False))),
            )
        )()
        self.gated = True
        return said

    def about(self, here: e.WindowTerm, once: e.WindowTerm, left: e.WindowTerm, right: e.WindowTerm) -> e.Expression:
        """What is said of two windows by an inner quantifier, a number, or at once."""
        g = self.name("g")
        return self.random.choice(
            (
                lambda: e.All(g, here, e.Implies(self.plain(g, here), e.Present(g, left))),
                lambda: e.All(g, here, e.Implies(e.Present(g, once), e.Present(g, left))),
                lambda: e.All(g, left, e.Implies(e.Present(g, right), e.SameRecord(g, left, right))),
                lambda: e.Some(g, left, e.And((e.Present(g, right), e.Not(e.Present(g, here))))),
                lambda: e.Some(g, left, e.And((e.Not(e.Created(g)), self.plain(g, left)))),
                lambda: e.All(g, e.Known(left), e.Or((e.Present(g, right), self.plain(g, left)))),
                lambda: e.SameWindow(left, right),
                lambda: e.Compare("<=", e.Count(g, left, e.TRUE), e.Count(self.name("g"), right, e.TRUE)),
            )
        )()

    def run(self) -> str:
        return "'" if self.chance(0.3) else ""

    def made(self, start: e.WindowTerm, depth: int, *spans: str) -> e.WindowTerm:
        """A window made of that one in up to so many steps."""
        found = start
        for _ in range(self.random.randint(1, depth)):
            marks = [*spans, *self.plan]
            match self.random.choice(WINDOWS if marks else ("pass", "other run", "arrived", "arrived")):
                case "pass":
                    found = e.Pass("P", "", found, self.gated)
                case "other run":
                    found = e.Pass("P", "'", found, self.gated)
                case "without":
                    found = e.Without(found, self.random.choice(marks))
                case "rescored":
                    if self.chance(0.5):
                        found = self.random.choice((e.Rescored, e.Without))(found, self.random.choice(marks))
                    found = e.Rescored(found, self.random.choice(marks))
                case "swapped":
                    found = e.Swapped(found, self.random.choice(marks), self.random.choice(marks))
                case _:
                    found = e.Arrived(found, self.random.choice((e.Int(0), e.Int(1), e.Int(3), K)))
        if not isinstance(found, e.Pass) and self.chance(0.8):
            found = e.Pass("P", self.run(), found, self.gated)
        return found

    def plain(self, s: str, window: e.WindowTerm) -> e.Expression:
        """A test of one span of a window."""
        t = self.name("t")
        user = e.Some(t, window, e.And((has(t, "user", window), e.Before(t, s, window))))
        return self.random.choice(
            (
                has(s, self.random.choice(TAGS), window),
                has(s, self.random.choice(TAGS), window),
                read(s, "pinned", window),
                self.alike(s, s, window),
                e.Not(user),
                e.Compare("<=", read(s, "tokens", window), K),
                e.Some(t, window, e.Linked(self.link(), t, s)),
            )
        )

    def given(self, *spans: str) -> e.Expression:
        """What a claim supposes."""
        t = self.name("t")
        choices: list[e.Expression] = [
            e.TRUE,
            e.Not(e.Some(t, W, has(t, self.random.choice(TAGS), W))),
            e.Some(t, W, has(t, self.random.choice(TAGS), W)),
            e.Not(e.Refused(P1)),
            e.Triggered("P", "", W),
        ]
        choices += [self.plain(s, W) for s in spans] * 2
        if len(spans) == 2:
            choices += [e.Not(e.SameSpan(*spans))] * 2
        found = self.random.choice(choices)
        return e.And((found, self.random.choice(choices))) if self.chance(0.4) else found


VU = (Bound("v", W), Bound("u", W))


def _branch(item: p.Statement) -> p.Statement:
    """A block inside a policy is an `if`: a `when` goes on to the end of what it stands in."""
    return replace(item, trigger=False) if isinstance(item, p.Block) else item


def _fate(d: Stranger) -> Claim:
    left, right = d.made(W, 2, "v", "u"), d.made(W, 3, "v", "u")
    same = e.Equal(e.Present("v", left), e.Present("v", right))
    return Claim(("W",), VU, antecedent=d.given("v", "u"), consequent=same)


def _record(d: Stranger) -> Claim:
    left, right = d.made(W, 2, "v", "u"), d.made(W, 3, "v", "u")
    there = e.And((e.Present("v", left), e.Present("v", right)))
    same = e.SameRecord("v", left, right)
    return Claim(("W",), VU, antecedent=e.And((there, d.given("v", "u"))), consequent=same)


def _order(d: Stranger) -> Claim:
    left, right = d.made(W, 2, "v", "u"), d.made(W, 2, "v", "u")
    before = e.And((e.Before("v", "u", left), d.given("v", "u")))
    return Claim(("W",), VU, antecedent=before, consequent=e.Before("v", "u", right))


def _windows(d: Stranger) -> Claim:
    left, right = d.made(W, 2, "v", "u"), d.made(W, 3, "v", "u")
    return Claim(("W",), VU, antecedent=d.given("v", "u"), consequent=d.about(W, P1, left, right))


def _alone(d: Stranger) -> Claim:
    left, right = d.made(W, 2), d.made(W, 3)
    return Claim(("W",), antecedent=d.given(), consequent=d.about(W, P1, left, right))


def _stays(d: Stranger) -> Claim:
    stays: e.Expression = e.Present("v", P1)
    antecedent = e.And((d.plain("v", W), d.given("v")))
    return Claim(("W",), VU[:1], antecedent=antecedent, consequent=stays if d.chance(0.4) else e.Not(stays))


def _comes(d: Stranger) -> Claim:
    made = d.made(W, 2, "v")
    t = d.name("t")
    created = e.Some(t, made, e.And((e.Created(t), has(t, d.random.choice(TAGS), made))))
    return Claim(("W",), VU[:1], antecedent=d.given("v"), consequent=created if d.chance(0.6) else e.Not(created))


def _triggers(d: Stranger) -> Claim:
    one, two = (e.Triggered("P", d.run(), w) for w in (d.random.choice((W, P1)), d.made(W, 2, "v")))
    said = d.random.choice((one, e.Not(one), e.Implies(one, two), e.Equal(one, two), e.Not(two)))
    return Claim(("W",), VU[:1], antecedent=d.given("v"), consequent=said)


def _refuses(d: Stranger) -> Claim:
    made = d.made(W, 2, "v", "u")
    refused = e.Refused(made if isinstance(made, e.Pass) else e.Pass("P", "", made))
    t = d.name("t")
    inner = e.Some(t, W, e.And((d.plain(t, W), e.Equal(e.Refused(P1), e.Present(t, P1)))))
    said = d.random.choice((refused, e.Not(refused), e.Equal(refused, e.Refused(P1)), inner, e.Not(inner)))
    return Claim(("W",), VU, antecedent=d.given("v", "u"), consequent=said)


def _reached(d: Stranger) -> Claim:
    """Still reached from a span that stands to it as it did."""
    link = d.link()

    def way(g: str, window: e.WindowTerm, alike: Callable[[str, e.WindowTerm], e.Expression]) -> e.Expression:
        begun = e.And((has(g, "user", window), alike(g, window), e.Reaches(link, g, "v", window)))
        return e.Some(g, window, begun)

    alike: Callable[[str, e.WindowTerm], e.Expression] = d.random.choice(
        (
            lambda g, w: e.Compare("==", read(g, "tokens", w), read("v", "tokens", w)),
            lambda g, w: e.Equal(read(g, "pinned", w), read("v", "pinned", w)),
            lambda g, w: d.alike(g, "v", w),
            lambda g, w: e.Before(g, "v", w),
            lambda g, w: e.TRUE,
        )
    )
    before, after = (way(d.random.choice(("g", "h")), w, alike) for w in (W, P1))
    return Claim(("W",), (Bound("v", P1),), antecedent=before, consequent=after)


def _logs(d: Stranger) -> Claim:
    made = d.made(W, 2, "v", "u")
    after = made if isinstance(made, e.Pass) else e.Pass("P", "", made)
    said = d.random.choice((e.Logged("v", after), e.Overridden("v", after)))
    return Claim(("W",), VU, antecedent=e.And((d.given("v", "u"), e.Not(e.Present("v", after)))), consequent=said)


STRANGE_CLAIMS: dict[str, Callable[[Stranger], Claim]] = {
    "same fate": _fate,
    "same record": _record,
    "same order": _order,
    "windows compared": _windows,
    "windows without spans": _alone,
    "stays or goes": _stays,
    "something comes": _comes,
    "triggers": _triggers,
    "refuses": _refuses,
    "reached": _reached,
    "logged or not": _logs,
    "rests": lambda d: Claim(("W",), antecedent=d.given(), consequent=e.SameWindow(P2, P1)),
    "swallows": lambda d: Claim(("W",), VU[:1], antecedent=d.given("v"), consequent=e.SameWindow(P1, W)),
}
