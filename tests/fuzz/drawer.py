"""What random policies and promises are drawn of; `draw` says which seed draws which."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Literal

from selfedit_formal.core import expression as e
from selfedit_formal.core import policy as p
from selfedit_formal.core.property import Bound, Claim
from selfedit_formal.core.window import Field, Link, Schema

TAGS = ("user", "call", "result", "note")
SCHEMA = Schema(
    "Drawn",
    (
        Field("tag", "enum", names=TAGS),
        Field("tokens", "int", 1),
        Field("call", "key"),
        Field("pinned", "bool"),
        Field("score", "int", 0, oracle="query"),
        Field("mood", "bool", oracle="window"),
    ),
    (Link("justifies"),),
)
ORIGIN = e.Origin("drawn")
K, CAP = e.Parameter("k"), e.Parameter("cap")
PARAMETERS = (p.ParameterDeclaration("k", 0), p.ParameterDeclaration("cap", 0))

TIGHT = replace(
    SCHEMA,
    fields=tuple(replace(f, high={"tokens": 4, "score": 2}.get(f.name)) for f in SCHEMA.fields),
    links=(Link("justifies", ("call", "user"), ("result", "user")),),
)
PLAN = ("a", "b")

LIVED = replace(
    SCHEMA, fields=(*SCHEMA.fields, Field("met", "bool", history=True), Field("times", "int", history=True))
)

W = e.Input("W")
P1 = e.Pass("P", "", W)
P2 = e.Pass("P", "", P1)
OTHER = e.Pass("P", "'", W)


def has(span: str, tag: str, window: e.WindowTerm | None = None) -> e.Expression:
    return e.Equal(e.Read(span, "tag", "enum", window), e.Name("enum", tag))


def read(span: str, field: str, window: e.WindowTerm | None = None) -> e.Expression:
    return e.Read(span, field, LIVED.field(field).kind, window)


def answers(r: str, c: str, window: e.WindowTerm | None) -> e.Expression:
    same = e.Equal(read(r, "call", window), read(c, "call", window))
    return e.And((has(r, "result", window), has(c, "call", window), same, e.Before(c, r, window)))


def numbered(body: tuple[p.Statement, ...], start: int = 0) -> tuple[p.Statement, ...]:
    """The statements with sites that count on in the order written, as the resolver numbers them."""
    found: list[p.Statement] = []
    for item in body:
        inner = numbered(item.body, start + 1) if isinstance(item, p.Block) else ()
        found.append(replace(item, site=start, body=inner) if isinstance(item, p.Block) else replace(item, site=start))
        start += 1 + len(p.statements(inner))
    return tuple(found)


class Drawer:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.names = 0
        self.sites = 0
        self.spans: list[str] = []
        self.sets: list[str] = []
        self.locals: list[str] = []

    def name(self, stem: str) -> str:
        self.names += 1
        return f"{stem}{self.names}"

    def site(self) -> int:
        self.sites += 1
        return self.sites - 1

    def policy(self) -> p.Policy:
        body = tuple(s for _ in range(self.random.randint(1, 3)) for s in self.statement(2))
        gates: tuple[p.Gate, ...] = ()
        if self.random.random() < 0.08:
            inner = e.Input(e.ASSUMED)
            once = e.Pass("P", "", inner, gated=False)
            twice = e.Pass("P", "", once, gated=False)
            conditions: list[e.Expression] = [
                e.SameWindow(twice, once),
                e.All("g", inner, e.Implies(read("g", "pinned", inner), e.Present("g", once))),
            ]
            gates = (p.Gate("drawn", self.random.choice(conditions), ORIGIN),)
        return p.Policy("P", SCHEMA, PARAMETERS, numbered(body), gates=gates)

    def statement(self, depth: int) -> tuple[p.Statement, ...]:
        kinds = ["evict"] * 6 + ["set"] * 2 + ["let", "let", "letset", "value", "keep", "fill", "insert", "may"]
        kinds += ["readmit", "refuse"] + ["block"] * (2 if depth else 0)
        kind = self.random.choice(kinds)
        s = self.name("s")
        match kind:
            case "evict":
                return (p.Evict(self.site(), s, self.truth(s, 2), self.random.random() < 0.2, ORIGIN),)
            case "set":
                return (p.Set(self.site(), s, self.truth(s, 2), self.assignments(s), ORIGIN),)
            case "let":
                name, condition = self.name("x"), self.truth(s, 1)
                term: p.SpanTerm = p.Pick(self.random.choice(("first", "last")), s, condition)
                if self.spans and self.random.random() < 0.3:
                    term = p.SpanIf(self.closed(1), term, p.SpanNamed(self.random.choice(self.spans)))
                self.spans.append(name)
                return (p.LetSpan(self.site(), name, term), *self.statement(depth))
            case "letset":
                name = self.name("set")
                made = p.LetSet(self.site(), name, s, self.truth(s, 1))
                self.sets.append(name)
                return (made, *self.statement(depth))
            case "may":
                name = self.name("set")
                made = p.LetSet(self.site(), name, s, self.truth(s, 1), may=True)
                return (made, p.Evict(self.site(), s, e.InSet(s, name), False, ORIGIN))
            case "value":
                name = self.name("n")
                made_value = p.LetValue(self.site(), name, "int", self.number(None, 1))
                self.locals.append(name)
                return (made_value, *self.statement(depth))
            case "keep":
                return (p.Keep(self.site(), s, self.truth(s, 1), ORIGIN), *self.statement(depth))
            case "fill":
                newest = self.random.random() < 0.6
                return (p.Fill(self.site(), s, newest, self.truth(s, 1), read(s, "tokens"), CAP, ORIGIN),)
            case "insert":
                place: p.Place = p.End(self.random.choice(("front", "back")))
                if self.spans and self.random.random() < 0.5:
                    place = p.Beside(self.random.choice(("before", "after")), self.random.choice(self.spans))
                size: p.Assignment = p.Assign("tokens", e.Int(self.random.randint(1, 3)))
                if self.random.random() < 0.4:
                    size = p.Open("tokens", None, e.Int(2))
                given = (p.Assign("tag", e.Name("enum", "note")), size, p.Assign("call", e.Name("key", "none")))
                covers = self.random.choice(self.sets) if self.sets and self.random.random() < 0.5 else None
                return (p.Insert(self.site(), place, given, covers, ORIGIN),)
            case "readmit":
                return (p.Readmit(self.site(), s, self.truth(s, 1), p.Original(), self.random.random() < 0.5, ORIGIN),)
            case "refuse":
                return (p.Refuse(self.site(), self.closed(1), "drawn", ORIGIN),)
            case _:
                condition, site = self.closed(2), self.site()
                spans, sets, values = list(self.spans), list(self.sets), list(self.locals)
                body = tuple(x for _ in range(self.random.randint(1, 2)) for x in self.statement(depth - 1))
                self.spans, self.sets, self.locals = spans, sets, values
                return (p.Block(site, condition, body, True, ORIGIN),)

    def assignments(self, s: str) -> tuple[p.Assignment, ...]:
        return self.random.choice(
            [
                (p.Assign("tokens", e.Int(self.random.randint(1, 3))),),
                (p.Assign("pinned", e.Bool(self.random.random() < 0.5)),),
                (p.Open("tokens", None, read(s, "tokens")),),
                (p.Assign("tag", e.Name("enum", "note")), p.Assign("tokens", e.Int(1))),
            ]
        )

    def truth(self, s: str, depth: int) -> e.Expression:
        """A condition on the span s."""
        roll = self.random.random()
        if depth and roll < 0.45:
            items = (self.truth(s, depth - 1), self.truth(s, depth - 1))
            joined: list[e.Expression] = [e.And(items), e.Or(items), e.Not(items[0]), e.Implies(*items)]
            return self.random.choice(joined)
        return self.atom(s, depth)

    def atom(self, s: str, depth: int) -> e.Expression:
        t = self.name("t")
        choices: list[Callable[[], e.Expression]] = [
            lambda: has(s, self.random.choice(TAGS)),
            lambda: has(s, self.random.choice(TAGS)),
            lambda: read(s, "pinned"),
            lambda: e.Compare(self.compare(), read(s, "tokens"), self.number(None, 0)),
            lambda: e.Compare(self.compare(), self.number(s, 1), self.number(None, 0)),
            lambda: e.Compare(self.compare(), self.number(s, 1), self.number(None, 0)),
            lambda: e.Compare(">=", self.ranked(s, t), K),
            lambda: e.Compare(">=", read(s, "score"), K),
            lambda: read(s, "mood"),
        ]
        if depth:
            choices += [
                lambda: e.Some(t, None, e.And((self.truth(t, depth - 1), self.ordered(t, s)))),
                lambda: e.Not(e.Some(t, None, answers(s, t, None))),
                lambda: e.Some(t, None, e.And((e.Equal(read(t, "call"), read(s, "call")), self.ordered(t, s)))),
                lambda: e.Some(t, None, e.Linked("justifies", t, s)),
                lambda: e.All(t, None, e.Implies(self.ordered(t, s), self.truth(t, depth - 1))),
            ]
        if self.spans:
            x = self.random.choice(self.spans)
            choices += [lambda: e.Before(s, x), lambda: e.Before(x, s), lambda: e.SameSpan(s, x), lambda: e.Present(x)]
            choices += [lambda: has(x, self.random.choice(TAGS)), lambda: e.Linked("justifies", x, s)]
        if self.sets:
            choices += [lambda: e.InSet(s, self.random.choice(self.sets))]
        return self.random.choice(choices)()

    def ranked(self, s: str, t: str) -> e.Expression:
        return e.Count(t, None, e.And((self.truth(t, 0), self.ordered(t, s))))

    def ordered(self, t: str, s: str) -> e.Expression:
        """How t stands to s."""
        orders: list[e.Expression] = [e.Before(t, s), e.Before(s, t), e.Not(e.Before(t, s)), e.Not(e.Before(s, t))]
        return self.random.choice(orders)

    def compare(self) -> Literal["<", "<=", ">", ">=", "=="]:
        operators: list[Literal["<", "<=", ">", ">=", "=="]] = ["<", "<=", ">", ">=", "=="]
        return self.random.choice(operators)

    def number(self, s: str | None, depth: int) -> e.Expression:
        t = self.name("t")
        choices: list[Callable[[], e.Expression]] = [
            lambda: e.Int(self.random.randint(0, 3)),
            lambda: K,
            lambda: CAP,
            lambda: e.Divide(CAP, 2, self.random.choice(("down", "up"))),
        ]
        if depth and s is not None:
            of = s

            def where() -> e.Expression:
                return e.And((self.truth(t, 0), self.ordered(t, of)))

            choices = [
                lambda: e.Count(t, None, where()),
                lambda: e.Total(t, None, read(t, "tokens"), where()),
                lambda: e.Count(t, None, e.And((e.Equal(read(t, "call"), read(of, "call")), self.ordered(t, of)))),
                lambda: e.Add((e.Count(t, None, where()), e.Int(1))),
                lambda: e.If(read(of, "pinned"), e.Int(1), read(of, "tokens")),
            ]
        elif depth:
            choices += [
                lambda: e.Count(t, None, self.truth(t, 0)),
                lambda: e.Total(t, None, read(t, "tokens"), self.truth(t, 0)),
                lambda: e.Total(t, None, e.Add((read(t, "tokens"), e.Int(-2))), self.truth(t, 0)),
            ]
        if self.locals:
            choices.append(lambda: e.Local(self.random.choice(self.locals), "int"))
        return self.random.choice(choices)()

    def closed(self, depth: int) -> e.Expression:
        t = self.name("t")
        choices: list[Callable[[], e.Expression]] = [
            lambda: e.Compare(self.compare(), self.number(None, 1), self.number(None, 0)),
            lambda: e.Compare(self.compare(), self.number(None, 1), self.number(None, 1)),
            lambda: e.Some(t, None, self.truth(t, depth - 1)),
            lambda: e.All(t, None, self.truth(t, depth - 1)),
        ]
        return self.random.choice(choices)()


class Wider(Drawer):
    """Also products, remainders, the archive, other fills and assignments."""

    def statement(self, depth: int) -> tuple[p.Statement, ...]:
        if self.random.random() < 0.6:
            return super().statement(depth)
        s, roll = self.name("s"), self.random.random()
        if roll < 0.2:
            name = self.name("set")
            made = p.LetSet(self.site(), name, s, self.truth(s, 1), archive=True, may=self.random.random() < 0.5)
            self.sets.append(name)
            return (made, p.Readmit(self.site(), s, e.InSet(s, name), p.Original(), False, ORIGIN))
        if roll < 0.35:
            name = self.name("x")
            which: Literal["first", "last"] = self.random.choice(("first", "last"))
            picked = p.Pick(which, s, self.truth(s, 1), archive=True)
            self.spans.append(name)
            return (p.LetSpan(self.site(), name, picked), *self.statement(depth))
        if roll < 0.5:
            weight = self.random.choice((e.Int(1), read(s, "score"), e.Add((read(s, "tokens"), e.Int(-1)))))
            newest = self.random.random() < 0.5
            return (p.Fill(self.site(), s, newest, self.truth(s, 1), weight, self.number(None, 0), ORIGIN),)
        if roll < 0.7 and self.spans:
            x = self.random.choice(self.spans)
            named = e.SameSpan(s, x)
            if self.random.random() < 0.5:
                return (p.Evict(self.site(), s, named, self.random.random() < 0.5, ORIGIN),)
            return (p.Set(self.site(), s, named, self.assignments(s), ORIGIN),)
        if roll < 0.8:
            either = e.If(self.closed(1), self.number(None, 1), self.number(None, 0))
            name = self.name("n")
            self.locals.append(name)
            return (p.LetValue(self.site(), name, "int", either), *self.statement(depth))
        return (p.Evict(self.site(), s, self.truth(s, 3), False, ORIGIN),)

    def assignments(self, s: str) -> tuple[p.Assignment, ...]:
        return self.random.choice(
            [
                super().assignments(s),
                (p.Assign("score", self.number(s, 1)),),
                (p.Assign("tokens", e.Add((read(s, "tokens"), e.Int(1)))), p.Assign("call", e.Name("key", "none"))),
                (p.Open("tokens", e.Int(2), CAP), p.Open("pinned")),
                (p.Open("tag"),),
            ]
        )

    def number(self, s: str | None, depth: int) -> e.Expression:
        roll = self.random.random()
        if roll < 0.1:
            return e.Multiply(e.Int(self.random.choice((-1, 2, 3))), super().number(s, depth))
        if roll < 0.15:
            return e.Modulo(super().number(s, depth), self.random.choice((2, 3)))
        if roll < 0.2:
            return e.Multiply(K, CAP)
        if roll < 0.25:
            return e.Divide(super().number(s, depth), 2, self.random.choice(("down", "up")))
        return super().number(s, depth)


class Turner(Wider):
    """Also spans that may come and what holds of them, changes of archived spans, history, and what covers what."""

    def begin(self) -> Turner:
        """Ready for another policy, whose sites count from 0 and which knows no names yet."""
        self.sites, self.spans, self.sets, self.locals = 0, [], [], []
        return self

    def statement(self, depth: int) -> tuple[p.Statement, ...]:
        roll = self.random.random()
        if roll < 0.4:
            return super().statement(depth)
        s = self.name("s")
        if roll < 0.55:
            return (p.Set(self.site(), s, self.truth(s, 2), self.assignments(s), ORIGIN, archive=True),)
        if roll < 0.65:
            return (p.Set(self.site(), s, self.truth(s, 1), self.marked(s), ORIGIN),)
        if roll < 0.8:
            given = (p.Open("tag"), p.Open("pinned")) if self.random.random() < 0.5 else (p.Open("tokens", None, CAP),)
            where: p.Place = p.End("back")
            if self.spans and self.random.random() < 0.3:
                where = p.Beside("after", self.random.choice(self.spans))
            may, variable = self.random.random() < 0.7, s if self.random.random() < 0.7 else ""
            holds = self.random.choice((self.truth(s, 1), has(s, "note"), read(s, "pinned"))) if variable else e.TRUE
            return (p.Insert(self.site(), where, given, None, ORIGIN, may, variable, holds),)
        if roll < 0.9:
            name = self.name("set")
            gone = p.LetSet(self.site(), name, s, self.truth(s, 1), archive=self.random.random() < 0.7)
            note = (p.Assign("tag", e.Name("enum", "note")), p.Assign("tokens", e.Int(1)))
            return (gone, p.Insert(self.site(), p.End("back"), note, name, ORIGIN))
        return (p.Readmit(self.site(), s, self.truth(s, 1), p.Original(), False, ORIGIN),)

    def marked(self, s: str) -> tuple[p.Assignment, ...]:
        return self.random.choice(
            [(p.Assign("met", e.TRUE),), (p.Assign("times", e.Add((read(s, "times"), e.Int(1)))),), self.assignments(s)]
        )

    def assignments(self, s: str) -> tuple[p.Assignment, ...]:
        return self.random.choice(
            [super().assignments(s), (p.Assign("met", e.Not(read(s, "met"))),), (p.Assign("times", e.Int(2)),)]
        )

    def atom(self, s: str, depth: int) -> e.Expression:
        roll, t = self.random.random(), self.name("t")
        if roll < 0.1:
            return read(s, "met")
        if roll < 0.15:
            return e.Compare(self.compare(), read(s, "times"), e.Int(1))
        if roll < 0.2 and depth:
            return e.Some(t, None, e.Linked("covers", t, s))
        return super().atom(s, depth)


class Mover(Wider):
    """Also moves, and returns to another place."""

    def statement(self, depth: int) -> tuple[p.Statement, ...]:
        roll = self.random.random()
        if roll < 0.5:
            return super().statement(depth)
        s = self.name("s")
        place: p.Place = p.End(self.random.choice(("front", "back")))
        if self.spans and self.random.random() < 0.6:
            place = p.Beside(self.random.choice(("before", "after")), self.random.choice(self.spans))
        if roll < 0.55:
            note = (p.Assign("tag", e.Name("enum", "note")), p.Assign("tokens", e.Int(1)))
            return (p.Insert(self.site(), place, note, None, ORIGIN),)
        if roll < 0.72:
            return (p.Move(self.site(), s, self.truth(s, 1), place, ORIGIN),)
        if roll < 0.85:
            moved = p.Move(self.site(), s, self.truth(s, 0), place, ORIGIN)
            picked = p.Pick(self.random.choice(("first", "last")), s, self.truth(s, 0))
            let = p.LetSpan(self.site(), self.name("x"), picked)
            return (moved, let, p.Evict(self.site(), s, e.SameSpan(s, let.name), False, ORIGIN))
        return (p.Readmit(self.site(), s, self.truth(s, 1), place, False, ORIGIN),)


def _tokens(window: e.WindowTerm) -> e.Expression:
    return e.Total("sum", window, read("sum", "tokens", window), e.TRUE)


def _paired(window: e.WindowTerm, n: str) -> e.Expression:
    some = e.Some(f"c{n}", window, answers(f"r{n}", f"c{n}", window))
    return e.All(f"r{n}", window, e.Implies(has(f"r{n}", "result", window), some))


def _sound(span: str, window: e.WindowTerm) -> e.Expression:
    return e.Or((e.Not(read(span, "met", window)), e.Not(e.Present(span, window)), has(span, "note", window)))


def _rooted(span: str, window: e.WindowTerm) -> e.Expression:
    return e.Some("g", window, e.And((has("g", "user", window), e.Reaches("justifies", "g", span, window))))


def _kept(span: str, window: e.Pass) -> e.Expression:
    return e.And((e.Present(span, window), e.SameRecord(span, W, window)))


CLAIMS: dict[str, Callable[[Drawer], Claim]] = {
    "idempotent": lambda d: Claim(("W",), consequent=e.SameWindow(P2, P1)),
    "paired": lambda d: Claim(("W",), antecedent=_paired(W, "1"), consequent=_paired(P1, "2")),
    "never grows": lambda d: Claim(("W",), consequent=e.Compare("<=", _tokens(P1), _tokens(W))),
    "within cap": lambda d: Claim(("W",), consequent=e.Compare("<=", _tokens(P1), CAP)),
    "pins kept": lambda d: Claim(
        ("W",), (Bound("v", W),), antecedent=read("v", "pinned", W), consequent=_kept("v", P1)
    ),
    "user kept": lambda d: Claim(
        ("W",), (Bound("v", W),), antecedent=has("v", "user", W), consequent=e.Present("v", P1)
    ),
    "justified": lambda d: Claim(
        ("W",),
        (Bound("v", P1),),
        antecedent=e.Some("j", W, e.Linked("justifies", "j", "v")),
        consequent=e.Some("i", P1, e.Linked("justifies", "i", "v")),
    ),
    "pure": lambda d: Claim(("W",), consequent=e.SameWindow(P1, OTHER)),
    "acts": lambda d: Claim(
        ("W",), antecedent=e.Compare(">", e.Count("c", W, e.TRUE), K), consequent=e.Not(e.SameWindow(P1, W))
    ),
    "independent": lambda d: Claim(
        ("W",),
        (Bound("v", W), Bound("u", W)),
        antecedent=e.Not(e.SameSpan("v", "u")),
        consequent=e.Equal(e.Present("v", P1), e.Present("v", e.Pass("P", "'", e.Without(W, "u")))),
    ),
    "unscored": lambda d: Claim(
        ("W",),
        (Bound("v", W), Bound("u", W)),
        antecedent=read("u", "pinned", W),
        consequent=e.Equal(e.Present("v", P1), e.Present("v", e.Pass("P", "", e.Rescored(W, "u")))),
    ),
    "order kept": lambda d: Claim(
        ("W",),
        (Bound("v", P1), Bound("u", P1)),
        antecedent=e.Before("v", "u", W),
        consequent=e.Before("v", "u", P1),
    ),
    "assumed": lambda d: Claim(
        ("W",),
        (Bound("v", W),),
        premise=e.All("a", W, e.Implies(read("a", "pinned", W), has("a", "user", W))),
        antecedent=read("v", "pinned", W),
        consequent=e.Present("v", P1),
    ),
    "settles": lambda d: Claim(("W",), consequent=e.Compare("<=", e.Count("c", P2, e.TRUE), e.Count("d", P1, e.TRUE))),
    "refusals": lambda d: Claim(("W",), antecedent=e.Refused(P1), consequent=e.SameWindow(P1, W)),
    "arrivals": lambda d: Claim(
        ("W",), (Bound("v", P1),), consequent=e.Present("v", e.Pass("P", "", e.Arrived(P1, e.Int(1))))
    ),
    "logged": lambda d: Claim(
        ("W",), (Bound("v", W),), antecedent=e.Not(e.Present("v", P1)), consequent=e.Logged("v", P1)
    ),
    "covered": lambda d: Claim(
        ("W",),
        (Bound("v", W),),
        antecedent=e.Not(e.Present("v", P1)),
        consequent=e.Some("m", P1, e.Linked("covers", "m", "v", P1)),
    ),
    "no return": lambda d: Claim(("W",), antecedent=e.SameWindow(P2, W), consequent=e.SameWindow(P1, W)),
}

TURN_CLAIMS: dict[str, Callable[[Drawer, e.WindowTerm], Claim]] = {
    "met stays": lambda d, last: Claim(
        ("W",),
        (Bound("v", e.Known(W)),),
        antecedent=read("v", "met", W),
        consequent=read("v", "met", last),
    ),
    "invariant": lambda d, last: Claim(
        ("W",),
        premise=e.All("a", e.Known(W), _sound("a", W)),
        consequent=e.All("i", e.Known(last), _sound("i", last)),
    ),
    "nothing leaves": lambda d, last: Claim(
        ("W",),
        premise=e.All("a", e.Known(W), e.Present("a", W)),
        consequent=e.All("i", e.Known(last), e.Implies(read("i", "pinned", last), e.Present("i", last))),
    ),
    "same": lambda d, last: Claim(("W",), consequent=e.SameWindow(last, W)),
    "all the same": lambda d, last: Claim(("W",), consequent=e.SameWindow(e.Known(last), e.Known(W))),
    "record kept": lambda d, last: Claim(
        ("W",), (Bound("v", e.Known(W)),), consequent=e.SameRecord("v", W, e.Known(last))
    ),
    "covered": lambda d, last: Claim(
        ("W",),
        (Bound("v", e.Known(last)),),
        antecedent=e.And((e.Not(e.Present("v", last)), e.Not(e.Created("v")))),
        consequent=e.Some("m", e.Known(last), e.Linked("covers", "m", "v", last)),
    ),
    "few come": lambda d, last: Claim(
        ("W",),
        consequent=e.Compare(
            "<=",
            e.Count("c", e.Known(last), e.TRUE),
            e.Add((e.Count("d", e.Known(W), e.TRUE), e.Int(d.random.randint(0, 2)))),
        ),
    ),
    "never grows": lambda d, last: Claim(("W",), consequent=e.Compare("<=", _tokens(last), _tokens(W))),
    "what comes is small": lambda d, last: Claim(
        ("W",),
        (Bound("v", last),),
        antecedent=e.Created("v"),
        consequent=e.Or((e.Compare("<=", read("v", "tokens", last), CAP), read("v", "pinned", last))),
    ),
}
"""Asked of seeds of turns, about the window after them."""

MORE_CLAIMS: dict[str, Callable[[Drawer], Claim]] = {
    "stable": lambda d: Claim(("W",), antecedent=e.Triggered("P", "", W), consequent=e.Not(e.Triggered("P", "", P1))),
    "nothing new": lambda d: Claim(("W",), (Bound("v", P1),), consequent=e.Not(e.Created("v"))),
    "not overridden": lambda d: Claim(
        ("W",), (Bound("v", P2),), antecedent=e.Not(e.Present("v", P1)), consequent=e.Overridden("v", P2)
    ),
    "records kept": lambda d: Claim(("W",), (Bound("v", P2),), consequent=e.SameRecord("v", P1, P2)),
    "as without": lambda d: Claim(
        ("W",),
        (Bound("v", W), Bound("u", W)),
        antecedent=e.And((read("u", "pinned", W), e.Not(e.SameSpan("u", "v")))),
        consequent=e.Implies(e.Present("v", P1), e.SameRecord("v", P1, e.Pass("P", "", e.Without(W, "u")))),
    ),
    "fits a product": lambda d: Claim(
        ("W",),
        premise=e.All("a", W, e.Compare("<=", read("a", "tokens", W), CAP)),
        consequent=e.Compare("<=", _tokens(P1), e.Multiply(K, CAP)),
    ),
    "after an arrival": lambda d: Claim(
        ("W",),
        (Bound("v", W),),
        antecedent=e.Present("v", e.Pass("P", "", e.Arrived(W, e.Int(2)))),
        consequent=e.Present("v", P1),
    ),
    "some user": lambda d: Claim(
        ("W",),
        premise=e.Some("a", W, has("a", "user", W)),
        consequent=e.Some("i", P1, has("i", "user", P1)),
    ),
}
"""Also asked of wide seeds."""

SWAPPED = e.Swapped(W, "v", "u")
MOVE_CLAIMS: dict[str, Callable[[Drawer], Claim]] = {
    **{name: CLAIMS[name] for name in ("idempotent", "paired", "order kept", "pins kept", "never grows", "refusals")},
    "settles": lambda d: Claim(("W",), consequent=e.SameWindow(e.Pass("P", "", P2), P2)),
    "rooted": lambda d: Claim(("W",), (Bound("v", P1),), antecedent=_rooted("v", W), consequent=_rooted("v", P1)),
    "order blind": lambda d: Claim(
        ("W",),
        (Bound("v", W), Bound("u", W), Bound("o", W)),
        consequent=e.Equal(e.Present("o", P1), e.Present("o", e.Pass("P", "", SWAPPED))),
    ),
    "order put right": lambda d: Claim(
        ("W",), (Bound("v", W), Bound("u", W)), consequent=e.SameWindow(P1, e.Pass("P", "", SWAPPED))
    ),
    "pinned first": lambda d: Claim(
        ("W",),
        (Bound("v", P1), Bound("u", P1)),
        antecedent=e.And((read("v", "pinned", P1), e.Not(read("u", "pinned", P1)))),
        consequent=e.Before("v", "u", P1),
    ),
    "without": lambda d: Claim(
        ("W",),
        (Bound("u", W), Bound("v", W)),
        antecedent=e.Not(read("u", "pinned", W)),
        consequent=e.SameWindow(e.Without(P1, "u"), e.Pass("P", "", e.Without(W, "u"))),
    ),
}
