"""Promises that only long windows break, and the fault of the compiler, planted again, with which each is proved."""

from __future__ import annotations

from selfedit_formal.core.property import Obligation
from selfedit_formal.language.resolve import load_text

WINDOW = """
window Chat {
  tag    : user | call | result | note
  tokens : int >= 0
  pinned : bool
  link answers : result -> call
}
"""

FALSE = {
    "a count of what is before counts the span too": (
        "evict s where s.tag == user and count(t: t.tag == user and t before s) == 0",
        "s in W: s in P(W)",
    ),
    "a count of what is after counts the span too": (
        "evict s where s.tag == user and count(t: t.tag == user and t after s) == 0",
        "s in W: s in P(W)",
    ),
    "a count leaves out the span itself": (
        "evict s where s.tag == user and count(t: t.tag == user and t not after s) > "
        "count(t: t.tag == user and t before s)",
        "s in W: s in P(W)",
    ),
    "counts read the input": (
        "evict s where s.tag == note  evict s where s.tag == user and count(t: t.tag == note) == 0",
        "s in W where s.tag == user and some n in W: n.tag == note: s in P(W)",
    ),
    "evict evicts nothing": ("evict s where s.tag == user", "s in W: s in P(W)"),
    "evict evicts the others": ("evict s where s.tag == user", "s in W where s.tag == user: s in P(W)"),
    "evict ignores its guard": (
        "when some p: p.pinned  evict s where s.tag == user",
        "s in W where s.tag == user and no p in W: p.pinned: s not in P(W)",
    ),
    "readmit brings nothing back": (
        "evict s where s.tag == user  readmit s where s.tag == user",
        "s in W where s.tag == user: s not in P(W)",
    ),
    "an inserted span is not there": ("insert { tag = note, tokens = 1 } at back", "s in P(W): s in W"),
    "a refused pass keeps its edits": (
        'evict s where s.tag == user  refuse when some p: p.pinned because "pinned"',
        "s in W where s.tag == user: s not in P(W)",
    ),
    "a fill keeps what does not fit": (
        "fill newest s where s.tag == user by s.tokens up to 2",
        "s in W: s in P(W)",
    ),
    "set changes every span": (
        "set s where s.tag == user { pinned }",
        "s in P(W): P(W)[s].pinned",
    ),
    "set changes nothing": ("set s where s.tag == user { tokens = 1 }", "s in W: P(W)[s].tokens == W[s].tokens"),
    "refuse is ignored": (
        'refuse when some p: p.pinned because "pinned"  evict s where s.tag == user',
        "s in W where s.tag == user: s not in P(W)",
    ),
    "a block always runs": (
        "if some p: p.pinned { evict s where s.tag == user }",
        "s in W where s.tag == user: s not in P(W)",
    ),
    "keep is ignored": (
        "keep s where s.pinned  evict s where s.tag == user",
        "s in W where s.tag == user: s not in P(W)",
    ),
    "first is last": (
        "let x = first s where s.tag == user  evict s where s == x",
        "s in W where s.tag == user and some t in W: t.tag == user and s before t in W: s in P(W)",
    ),
    "less is less or equal": ("evict s where s.tokens < 2", "s in W where s.tokens == 2: s not in P(W)"),
    "at most is less": ("evict s where s.tokens <= 2", "s in W where s.tokens == 2: s in P(W)"),
    "if takes the other branch": (
        "evict s where s.tokens == (if s.pinned then 1 else 2)",
        "s in W where s.pinned and s.tokens == 1: s in P(W)",
    ),
    "division rounds up": (
        "evict s where floor(s.tokens / 2) == 1",
        "s in W where s.tokens == 3: s in P(W)",
    ),
    "a move moves nothing": (
        "move s where s.tag == note at back",
        "s in W, t in W where s before t in W: s before t in P(W)",
    ),
    "a move goes to the other end": (
        "move s where s.tag == note at back",
        "n in W, u in W where n.tag == note and u.tag == user: n before u in P(W)",
    ),
    "a sum counts spans": (
        "evict s where s.tag == user and total(t.tokens: t.tag == user) == 0",
        "s in W: s in P(W)",
    ),
}
"""The fault's name → what a policy does over a trigger, and a promise that is false there."""

LONG = 9
"""Spans that a window must have more of."""


def obligation(fault: str) -> Obligation:
    """The promise that is false, and proved with the fault."""
    body, promise = FALSE[fault]
    bound, _, rest = promise.partition(": ") if " where " not in promise else promise.partition(" where ")
    where, _, claim = ("", "", rest) if " where " not in promise else rest.rpartition(": ")
    condition = f"{f'({where}) and ' if where else ''}count(any_span in W) > {LONG}"
    text = f"""
{WINDOW}
policy p for Chat {{ when count(s) > {LONG}  {body} }}
property q(P: policy) = all W, {bound} where {condition}: {claim}
check p: q
"""
    return load_text(text).obligations[0]
