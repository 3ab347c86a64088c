"""What an obligation has that compilers go wrong about: told of each draw, and counted."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from selfedit_formal.core import expression as e
from selfedit_formal.core import policy as p
from selfedit_formal.core.property import Obligation
from selfedit_formal.core.traverse import nodes
from tests.fuzz.names import OWN

COMPILERS = re.compile(r"m\d|.*_seen|place_.*|arrived.*|fresh_.*|new_.*|.*_then|.*_else|[efxy]|before\d|after\d")
Test = Callable[[Obligation], bool]


def called(statement: p.Statement) -> str:
    """Its kind. A new one is told of here, and has to be drawn from then on."""
    match statement:
        case (
            p.LetSet()
            | p.LetSpan()
            | p.LetValue()
            | p.Keep()
            | p.Evict()
            | p.Set()
            | p.Insert()
            | p.Readmit()
            | p.Move()
            | p.Fill()
            | p.Block()
            | p.Refuse()
        ):
            return type(statement).__name__


def statements(asked: Obligation) -> frozenset[str]:
    """The kinds of statements in its policies."""
    return frozenset(called(s) for policy in asked.policies for s in p.statements(policy.body))


def features(asked: Obligation) -> tuple[str, ...]:
    """The names of the tests below that are true of it."""
    return tuple(name for name, test in FEATURES.items() if test(asked))


def _bodies(asked: Obligation) -> tuple[p.Statement, ...]:
    return tuple(s for policy in asked.policies for s in policy.body)


def _gates(asked: Obligation) -> tuple[p.Gate, ...]:
    return tuple(g for policy in asked.policies for g in policy.gates)


def _bound(part: object) -> set[str]:
    found = {getattr(n, "variable", "") for n in nodes(part)}
    return (found | {n.name for n in nodes(part) if isinstance(n, p.LetSet | p.LetSpan | p.LetValue)}) - {""}


def _names(asked: Obligation) -> set[str]:
    return _bound((asked.claim, _bodies(asked), _gates(asked)))


def _of(*kinds: type) -> Test:
    return lambda asked: any(isinstance(n, kinds) for n in nodes((asked.claim, _bodies(asked), _gates(asked))))


def _in_gate(*kinds: type) -> Test:
    return lambda asked: any(isinstance(n, kinds) for n in nodes(_gates(asked)))


def _inside(outer: type, inner: type) -> Test:
    """Whether one kind of window is made of another."""

    def test(asked: Obligation) -> bool:
        return any(
            isinstance(made, outer) and any(isinstance(n, inner) for n in nodes(made.window))  # type: ignore[attr-defined]
            for made in nodes((asked.claim, _gates(asked)))
        )

    return test


def _product(kinds: tuple[type, ...]) -> Test:
    def test(asked: Obligation) -> bool:
        return any(
            isinstance(n, e.Multiply)
            and any(isinstance(x, e.Parameter) for x in (n.left, n.right))
            and any(isinstance(x, kinds) for x in nodes((n.left, n.right)))
            for n in nodes((_bodies(asked), asked.claim))
        )

    return test


def _denied(item: object) -> Iterator[str]:
    """The spans that a denied test is about."""
    match item:
        case e.Not(e.Before(first, second)) | e.Not(e.SameSpan(first, second)):
            yield from (first, second)
        case _:
            return


def _two_orders(asked: Obligation) -> bool:
    lets = {n.name for n in nodes(_bodies(asked)) if isinstance(n, p.LetSpan)}
    for n in nodes(_bodies(asked)):
        if isinstance(n, e.And):
            about = [set(_denied(i)) & lets for i in n.items]
            if any(a & b for i, a in enumerate(about) for b in about[i + 1 :]):
                return True
    return False


def _after_move(asked: Obligation) -> bool:
    """Whether an order with a `let` is read where spans were moved before."""
    lets = {n.name for n in nodes(_bodies(asked)) if isinstance(n, p.LetSpan)}
    moved = False
    for n in nodes(_bodies(asked)):
        moved = moved or isinstance(n, p.Move) or (isinstance(n, p.Readmit) and isinstance(n.place, p.Beside | p.End))
        if moved and isinstance(n, e.Before) and {n.first, n.second} & lets:
            return True
    return False


def _assigned(asked: Obligation) -> bool:
    given = [n.value for n in nodes(_bodies(asked)) if isinstance(n, p.Assign)]
    return any(isinstance(value, e.Read) and value.kind == "enum" for value in given)


def _compared(asked: Obligation) -> bool:
    return any(
        isinstance(n, e.Equal)
        and isinstance(n.left, e.Read)
        and isinstance(n.right, e.Read)
        and n.left.kind == "enum"
        and n.left.field != n.right.field
        for n in nodes((_bodies(asked), asked.claim))
    )


def _beside(kind: type) -> Test:
    return lambda asked: any(
        isinstance(n, kind) and isinstance(n.place, p.Beside)  # type: ignore[attr-defined]
        for n in nodes(_bodies(asked))
    )


def _passed_over(asked: Obligation) -> bool:
    """Whether `triggered` is asked of a policy with a `refuse`, `if` or `keep` before its first edit."""
    first: tuple[p.Statement, ...] = asked.policies[0].body[:1]
    quiet = any(isinstance(s, p.Refuse | p.Keep) or (isinstance(s, p.Block) and not s.trigger) for s in first)
    return quiet and _of(e.Triggered)(asked)


def _reached(asked: Obligation) -> bool:
    return any(
        isinstance(n, e.Some)
        and isinstance(n.condition, e.And)
        and any(isinstance(i, e.Reaches) for i in n.condition.items)
        and len(n.condition.items) > 2
        for n in nodes(asked.claim)
    )


def _refusal_inside(asked: Obligation) -> bool:
    return any(
        isinstance(n, e.Some | e.All) and any(isinstance(x, e.Refused) for x in nodes(n.condition))
        for n in nodes((asked.claim, _gates(asked)))
    )


def _let_names(part: object) -> set[str]:
    return {n.name for n in nodes(part) if isinstance(n, p.LetSet | p.LetSpan | p.LetValue)}


FEATURES: dict[str, Test] = {
    "names": lambda asked: bool(_bound(asked.claim) & _bound(_bodies(asked))),
    "names of a let and the claim": lambda asked: bool(_bound(asked.claim) & _let_names(_bodies(asked))),
    "names of a gate": lambda asked: bool(_bound(_gates(asked)) & _bound((_bodies(asked), asked.claim))),
    "names of parameters": lambda asked: bool(_names(asked) & {x.name for x in asked.parameters}),
    "names of fields": lambda asked: bool(_names(asked) & {f.name for f in asked.schema.fields}),
    "names of links": lambda asked: bool(_names(asked) & {k.name for k in asked.schema.links}),
    "names of tags": lambda asked: bool(_names(asked) & set(asked.schema.field("tag").names)),
    "names of compilers": lambda asked: any(COMPILERS.fullmatch(n) or n in OWN for n in _names(asked)),
    "k * field": _product((e.Read,)),
    "k * count": _product((e.Count, e.Total)),
    "two orders denied": _two_orders,
    "an order after a move": _after_move,
    "fields of names compared": _compared,
    "fields of names assigned": _assigned,
    "rescore in rescore": _inside(e.Rescored, e.Rescored),
    "without in rescore": _inside(e.Rescored, e.Without),
    "rescore in without": _inside(e.Without, e.Rescored),
    "swap in another": lambda asked: any(_inside(k, e.Swapped)(asked) for k in (e.Rescored, e.Without, e.Arrived)),
    "arrive in arrive": _inside(e.Arrived, e.Arrived),
    "a gate's arrival": _in_gate(e.Arrived),
    "a gate's trigger": _in_gate(e.Triggered),
    "a gate's refusal": _in_gate(e.Refused),
    "a gate's other run": lambda asked: any(isinstance(n, e.Pass) and n.run for n in nodes(_gates(asked))),
    "a plan without": lambda asked: bool(asked.spans) and _of(e.Without)(asked),
    "a trigger after a refusal, if or keep": _passed_over,
    "reached with a condition": _reached,
    "an inner quantifier over a refusal": _refusal_inside,
    "insert beside": _beside(p.Insert),
    "readmit beside": _beside(p.Readmit),
    "move beside": _beside(p.Move),
}
