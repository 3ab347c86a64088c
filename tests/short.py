"""Policies, promises and short windows, with what the interpreter says of them: for whatever else has a meaning for
policies to be held to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

from selfedit_formal.core.property import Case, Obligation, fresh_id
from selfedit_formal.core.window import Span, Window
from selfedit_formal.language.resolve import load_text
from selfedit_formal.semantics.interpreter import breaks

HEAD = """
window C {
  tag    : user | note
  tokens : int >= 0
  topic  : key
  flag   : bool
  link l : note -> user
}
property stay(P: policy)    = all W, s in W: s in P(W)
property light(P: policy)   = all W: total(s.tokens: s in P(W)) <= 3
property few(P: policy)     = all W: count(s in P(W)) != 2
property again(P: policy)   = all W: P(P(W)) == P(W)
property accepts(P: policy) = all W: not refused(P, W)
property noted(P: policy)   = all W, s in W where s not in P(W): logged(P, s, W)
property alike(P: policy)   = all W, s in P(W), t in P(W) where s before t:
  P(W)[s].tokens <= P(W)[t].tokens and P(W)[s].topic == P(W)[t].topic
property linked(P: policy)  = all W, s in P(W), t in W where s l t: t in P(W) and P(W)[s] == W[s]
"""
PLAIN: Mapping[str, str] = {
    "evict s where s.tag == note": "stay light few again alike",
    "evict s where ceil(s.tokens / 2) == 2 and floor(s.tokens / 2) == 1 logged  evict s where s.flag": "stay noted",
    "keep s where s.flag  evict s where s.tokens > 1": "stay again",
    "set s where s.tag == note { tokens = s.tokens * 2 - 1, flag = s.tokens > 1 }": "light again alike",
    "let x = last s where s.flag  evict s where s before x": "stay few",
    "let x = first s where s.tag == user  evict s where s == x": "stay few",
    "evict s where count(t: t after s and t.flag) >= k": "stay light",
    "evict s where some t: s l t and t.tokens > 1": "stay linked",
    'evict s where s.flag  refuse when total(s.tokens) > 3 because "much"  evict s where s.tag == note': "stay accepts",
    "if count(s) > 1 { evict s where s.tag == note } else { evict s where s.flag }": "stay few",
    "evict s where s.tag == note  gate few": "few accepts",
    "readmit s where s.flag  evict s where s.tokens == 0": "light few",
    "fill newest s where s.tag == note by s.tokens up to k": "stay light",
    "fill oldest s where s.tokens >= 0 by s.tokens up to k": "stay again",
}
"""Bodies of policies that put no span in, each with promises that some of the windows break."""
INSERTING: Mapping[str, str] = {
    "insert { tag = note, tokens = 1, topic = none } at front": "few alike",
    "insert { tag = user, tokens = 3, topic = none } at back  evict s where s.flag": "light alike",
    "let x = first s where s.flag  insert { tag = note, tokens = 2, topic = none } just before x": "few alike",
    "let x = first s where s.flag  insert { tag = note, tokens = 2, topic = none } just after x": "few alike",
}
"""Bodies of those that put in at most one."""


def span(identity: str, tag: str, tokens: int, topic: str = "none", flag: bool = False) -> Span:
    """A span of these windows."""
    return Span(identity, {"tag": tag, "tokens": tokens, "topic": topic, "flag": flag})


SPANS = (
    (),
    (span("A", "note", 4, flag=True),),
    (span("A", "user", 3), span("B", "note", 1, "x")),
    (span("A", "note", 2, "x", True), span("B", "user", 2, "x", True)),
    (span("A", "note", 0), span("B", "user", 1, flag=True), span("C", "note", 3, "y")),
    (span("A", "user", 1, flag=True), span("B", "note", 2), span("C", "user", 2, flag=True)),
)


def asked(body: str, promises: str) -> tuple[Obligation, ...]:
    """The promises, about a policy with this body (and a parameter `k`, if it ends with that)."""
    declared = "(k: int >= 0)" if body.endswith(" k") else ""
    checks = f"policy p{declared} for C {{ {body} }}\ncheck p: {', '.join(promises.split())}\n"
    return load_text(HEAD + checks).obligations


def questions(body: str, promises: str) -> Iterator[tuple[Obligation, Window, Mapping[str, int], bool]]:
    """Each promise with each window, what the parameters are, and whether the window breaks the promise then."""
    for obligation in asked(body, promises):
        parameters = {p.name: 2 for p in obligation.parameters}
        for spans in SPANS:
            linked = [s["tag"] for s in spans[:2]] == ["note", "user"]
            links = frozenset({("l", "A", "B")}) if linked else frozenset[tuple[str, str, str]]()
            archived = frozenset(s.id for s in spans[:1] if body.startswith("readmit"))
            window = Window(obligation.schema, spans, archived, links)
            yield obligation, window, parameters, broken(obligation, window, parameters)


def broken(obligation: Obligation, window: Window, parameters: Mapping[str, int]) -> bool:
    """Whether the window breaks the promise, whatever spans its claim is about."""
    names = [b.variable for b in obligation.claim.bound]
    ids = [*(s.id for s in window.spans), *(fresh_id("p1", site) for site in range(2))]
    return any(
        breaks(obligation, Case({"W": window}, parameters, dict(zip(names, way, strict=True)), {}))
        for way in product(ids, repeat=len(names))
    )
