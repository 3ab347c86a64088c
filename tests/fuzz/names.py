"""Names that collide: what a drawn obligation binds, called as anything else may be called.

Within a scope names stay distinct, as the resolver sees to. A claim, a policy and a gate are scopes of their own, and
so are the statements of a policy side by side.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from random import Random
from typing import Any

from selfedit_formal.core import expression as e
from selfedit_formal.core import policy as p
from selfedit_formal.core.property import Bound, Claim, Obligation

THEMES: tuple[tuple[str, ...], ...] = (
    ("x", "s", "t", "v"),
    ("place_v", "v_seen", "v", "x_2"),
    ("m0", "m1", "m2", "m3"),
    ("arrived", "arrived_2", "arrived_3"),
    ("fresh_P1_0", "fresh_P1_1", "fresh_P2_0", "new_P1_0"),
    ("tag", "tokens", "pinned", "kind", "score", "mood"),
    ("call", "user", "note", "result"),
    ("justifies", "field", "covers"),
    ("k", "cap", "P", "W"),
    ("e", "f", "g", "h"),
    ("x_then", "x_else", "x", "s_then"),
    ("y", "before0", "after1", "whole2", "own3"),
)
"""What people call things, and what compilers call theirs; those of a theme are near to one another."""
OWN = ("@", "%1", "%2")
"""What no text can say: names that only a compiler has."""

Node = Any
"""A piece of the core."""


def colliding(asked: Obligation, random: Random) -> Obligation:
    """The obligation with all that it binds (a plan's spans apart) called by names out of a few, over and over.

    Each of the names that it has must be bound once.
    """
    themes = random.sample(THEMES, 2)
    pool = [name for theme in themes for name in theme]
    if random.random() < 0.1:
        pool += OWN
    given = frozenset(asked.spans)
    called = _Caller(random, pool)
    policies = tuple(
        replace(
            policy,
            body=called.body(policy.body, {}, given),
            gates=tuple(replace(g, condition=called(g.condition, {}, given)) for g in policy.gates),
        )
        for policy in asked.policies
    )
    return replace(asked, policies=policies, claim=called.claim(asked.claim, given))


class _Caller:
    """`called` has the new names of what is visible, by the old ones; `taken` what no new name may be."""

    def __init__(self, random: Random, pool: list[str]) -> None:
        self.random, self.pool = random, pool

    def name(self, taken: frozenset[str]) -> str:
        free = [n for n in self.pool if n not in taken]
        if free:
            return self.random.choice(free)
        number = 2
        while f"{self.pool[0]}_{number}" in taken:
            number += 1
        return f"{self.pool[0]}_{number}"

    def claim(self, claim: Claim, taken: frozenset[str]) -> Claim:
        called: dict[str, str] = {}
        for outer in claim.bound:
            called[outer.variable] = self.name(taken)
            taken |= {called[outer.variable]}
        bound = tuple(Bound(called[b.variable], self(b.window, called, taken)) for b in claim.bound)
        said = {part: self(getattr(claim, part), called, taken) for part in ("premise", "antecedent", "consequent")}
        return replace(claim, bound=bound, **said)

    def body(
        self, body: tuple[p.Statement, ...], called: Mapping[str, str], taken: frozenset[str]
    ) -> tuple[p.Statement, ...]:
        """Statements in turn: a `let` is visible in those that follow."""
        found: list[p.Statement] = []
        for item in body:
            made: Any = self(item, called, taken)
            if isinstance(item, p.LetSet | p.LetSpan | p.LetValue):
                new = self.name(taken)
                called, taken = {**called, item.name: new}, taken | {new}
                made = replace(made, name=new)
            found.append(made)
        return tuple(found)

    def __call__(self, node: Node, called: Mapping[str, str], taken: frozenset[str]) -> Node:
        if isinstance(node, str):
            return called.get(node, node)
        if isinstance(node, tuple):
            return tuple(self(item, called, taken) for item in node)
        if not is_dataclass(node) or isinstance(node, e.Origin | type):
            return node
        if isinstance(node, p.Block):
            inside = self.body(node.body, called, taken)
            return replace(node, condition=self(node.condition, called, taken), body=inside)
        if variable := getattr(node, "variable", ""):
            new = self.name(taken)
            called, taken = {**called, variable: new}, taken | {new}
        return replace(node, **{f.name: self(getattr(node, f.name), called, taken) for f in fields(node)})
