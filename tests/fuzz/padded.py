"""What short windows break, put behind a trigger that only long ones reach: a promise that stays broken, and that no
short window shows to be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from random import Random

from selfedit_formal.core import expression as e
from selfedit_formal.core import policy as p
from selfedit_formal.core.property import Case, Obligation
from selfedit_formal.core.window import NO_KEY, TAG, Field, Schema, Span, Value
from selfedit_formal.semantics.interpreter import breaks
from tests.fuzz.drawer import ORIGIN

LONG = 9
"""A pass acts on windows of more spans than this, and promises something of such."""
PADS = 12
"""How many spans are put beside those that matter: some passes take spans away before others look."""
DEEPEST = 3
"""Quantifiers inside one another; the interpreter takes too long over more in a long window."""


def deep(asked: Obligation) -> bool:
    """Whether a long window is too much for the interpreter."""
    parts = (asked.claim, *(x for policy in asked.policies for x in (policy.body, policy.gates)))
    return any(_depth(part) > DEEPEST for part in parts)


def _depth(node: object) -> int:
    """How many variables are bound inside one another."""
    if isinstance(node, tuple):
        return max(map(_depth, node), default=0)
    if not is_dataclass(node) or isinstance(node, e.Origin | Schema):
        return 0
    inner = max((_depth(getattr(node, f.name)) for f in fields(node)), default=0)
    return inner + bool(getattr(node, "variable", ""))


def waiting(asked: Obligation) -> Obligation:
    """The same about longer windows only: each policy waits for them, and so does the promise."""
    claim = asked.claim
    (name,) = claim.inputs
    longer = tuple(replace(policy, body=_waiting(policy)) for policy in asked.policies)
    supposed = e.And((_more(e.Input(name)), claim.antecedent))
    return replace(asked, policies=longer, claim=replace(claim, antecedent=supposed))


def _waiting(policy: p.Policy) -> tuple[p.Statement, ...]:
    site = 1 + max((s.site for s in p.statements(policy.body)), default=-1)
    return (p.Block(site, _more(None), policy.body, True, ORIGIN),)


def _more(window: e.WindowTerm | None) -> e.Expression:
    return e.Compare(">", e.Count("counted", window, e.TRUE), e.Int(LONG))


def pad(asked: Obligation, case: Case, random: Random) -> Case | None:
    """A case of what waits, made of one of `asked` by spans that do no harm; None if all that are tried do. The
    interpreter agrees that it breaks the promise."""
    longer = waiting(asked)
    for candidate in _padded(asked.schema, case, random):
        if breaks(longer, candidate):
            return candidate
    return None


def _padded(schema: Schema, case: Case, random: Random) -> Iterator[Case]:
    ((name, window),) = case.inputs.items()
    tags = list(schema.field(TAG).names)
    random.shuffle(tags)
    for tag in tags:
        spans = tuple(Span(f"pad{i}", _record(schema, tag)) for i in range(PADS))
        front = random.choice((0, PADS, PADS // 2))
        longer = replace(window, spans=(*spans[:front], *window.spans, *spans[front:]))
        yield replace(case, inputs={name: longer})


def _record(schema: Schema, tag: str) -> dict[str, Value]:
    """As little as a span can be."""
    return {f.name: tag if f.name == TAG else _least(f) for f in schema.fields if f.oracle != "window"}


def _least(field: Field) -> Value:
    match field.kind:
        case "int":
            return max(field.low or 0, 0) if field.high is None else min(max(field.low or 0, 0), field.high)
        case "bool":
            return False
        case "key":
            return NO_KEY
        case "enum":
            return field.names[-1]
