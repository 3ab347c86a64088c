"""Promises that a long window breaks, each beside something that the compiler could take for something else: none is
proved, and what is true in its place is.

Nothing happens in windows of up to nine spans, so that no short window shows what is wrong. With a lower number one
does, which is how the promises are known to be false.
"""

from __future__ import annotations

import pytest

from selfedit_formal.core.certificate import Certificate
from selfedit_formal.core.property import Obligation
from selfedit_formal.engines import Found, Limits
from selfedit_formal.engines.bounded import BoundedRefuter
from selfedit_formal.engines.unbounded import prove
from selfedit_formal.language.resolve import load_text
from selfedit_formal.semantics.interpreter import breaks

WINDOW = """
window Desk {
  tag    : rule | user | note | other
  sort   : other | note
  tokens : int >= 1
  mood   : bool from window
  loud   : bool
  link l
  link field
}
"""


def asked(text: str, long: int = 9) -> Obligation:
    """The one promise of the text. `{long}`: the window is long; `{W is long}` says so of `W`."""
    filled = text.replace("{long}", f"count(any_span) > {long}").replace(
        "{W is long}", f"count(any_span in W) > {long}"
    )
    (found,) = load_text(f"{WINDOW}{filled}\ncheck p: q\n").obligations
    return found


FALSE = {
    "a let and a span of the promise have one name": """
policy p for Desk { when {long}  let x = first s where s.tag == note  evict s where s == x }
property q(P: policy) = all W, x in W where x.tag == note and {W is long}: x not in P(W)""",
    "a let is called as what arrives": """
policy p for Desk { when {long}  let arrived = first s where s.tag == note  evict s where s == arrived }
property q(P: policy) = all W, s in W where {W is long} and s.tag == note: s not in P(arrive(W, 3))""",
    "a let is called as the span of a refusal": """
policy p for Desk {
  when {long}
  let s = first t where t.tag == note
  refuse when some t: t.tag == user and t before s because "a user comes first"
  evict t where t == s
}
property q(P: policy) = all W, s in W where {W is long} and s.tag == note: s not in P(W) or refused(P, W)""",
    "a span of the promise is called as a witness": """
policy p for Desk { when {long}  evict s where s.tag == user }
property q(P: policy) = all W, m0 in W where {W is long} and some v in W: v.tag == user: m0 not in P(W)""",
    "a let is called as another let's mark": """
policy p for Desk {
  when {long}
  let place_a = first s where s.tag == note
  let a_seen = last s where s.tag == note
  evict s where s == place_a
}
property q(P: policy) = all W, s in W where {W is long}: s in P(W)""",
    "a link and a let together are called as a field": """
policy p for Desk { when {long}  let loud = first s where s.tag == note  evict s where s field loud }
property q(P: policy) = all W, s in W where s not in P(W): s.loud""",
    "what is moved stands before an absent span": """
policy p for Desk {
  when {long}
  let gone = first s where s.tag == rule
  move s where s.tag == note at back
  evict s where gone before s
}
property q(P: policy) =
  all W, s in W where {W is long} and s.tag == note and no t in W: t.tag == rule: s not in P(W)""",
    "an absent span stands before what is moved": """
policy p for Desk {
  when {long}
  let gone = first s where s.tag == rule
  move s where s.tag == note at front
  evict s where not (s before gone) and s.tag == other
}
property q(P: policy) = all W, s in W where {W is long} and s.tag == other and no t in W: t.tag == rule: s in P(W)""",
    "what is moved goes beside an absent span": """
policy p for Desk {
  when {long}
  let gone = first s where s.tag == rule
  move s where s.tag == user at back
  move s where s.tag == note just before gone
}
property q(P: policy) =
  all W, s in P(W), t in P(W) where {W is long} and s.tag == note and t.tag == other: s before t in P(W)""",
    "spans that are neither before an absent span nor it are counted": """
policy p for Desk {
  when {long}
  let x = first s where s.tag == rule
  evict s where count(t: t not before x and t != x) > 0
}
property q(P: policy) = all W, s in W where {W is long} and no t in W: t.tag == rule: s in P(W)""",
    "spans that are not after an absent span are totalled": """
policy p for Desk {
  when {long}
  let x = first s where s.tag == rule
  evict s where total(t.tokens: not (x before t)) > 0
}
property q(P: policy) = all W, s in W where {W is long} and no t in W: t.tag == rule: s in P(W)""",
    "a span is put in beside one that was taken out": """
plan p(a) for Desk { insert { tag = note, sort = any, tokens = 1 } just after a }
property q(P: plan) = all W, s in W where {W is long}: some t in P(without(W, s)): created(t)""",
    "a span moves beside one that was taken out": """
plan p(a) for Desk { move s where s.tag == note just before a }
property q(P: plan) =
  all W, s in W, n in W, m in W where {W is long} and n.tag == note and m.tag == user and s.tag == user and s != m
    and n before m and m before s in W and n in P(without(W, s)): m before n in P(without(W, s)) or s before m""",
    "a let names a span that was taken out": """
plan p(a, b, k: int) for Desk { let x = if k > 0 then a else b  evict s where s before x }
property q(P: plan) =
  all W, s in W, t in W where {W is long} and s != t and t not in P(W): t not in P(without(W, s))""",
    "a scorer is asked about a span that was taken out": """
plan p(a) for Desk { evict s where a.mood }
property q(P: plan) = all W, s in W, t in W where {W is long} and s != t: t in P(W) iff t in P(without(W, s))""",
    "two spans are scored anew": """
policy p for Desk { when {long}  evict s where s.mood }
property q(P: policy) =
  all W, s in W, t in W where {W is long} and s != t: s in P(W) iff s in P(rescore(rescore(W, s), t))""",
    "a span is scored anew where it is not": """
policy p for Desk { when {long}  evict s where s.mood }
property q(P: policy) =
  all W, s in W, t in W where {W is long} and s != t and t in P(W): t in P(rescore(without(W, s), t))""",
    "two spans change places where one of them is not": """
policy p for Desk { evict s where s.tag == note }
property q(P: policy) =
  all W, a in W, b in W, c in W where {W is long} and a before c and c before b:
    b before c in swap(without(W, a), a, b) and count(s in P(W)) >= 0""",
    "an order is asked of a span that was taken out": """
policy p for Desk { evict s where s.tag == note }
property q(P: policy) = all W, a in W, b in W where {W is long} and a before b in W: a before b in without(W, a)""",
    "a number times a field": """
policy p(k: int >= 1) for Desk { when {long}  evict s where k * s.tokens > 20 }
property q(P: policy) = all W, s in W, t in W where {W is long}: s in P(W) iff t in P(W)""",
    "a number times a count": """
policy p(k: int >= 1) for Desk { when {long}  evict s where k * count(t: t after s) > 3 }
property q(P: policy) = all W, s in W, t in W where {W is long}: s in P(W) iff t in P(W)""",
    "a name stands in two fields": """
policy p for Desk { when {long}  evict s where s.tag == s.sort }
property q(P: policy) = all W, s in W where {W is long}: s in P(W)""",
    "names of two fields stand at one position": """
policy p for Desk { when {long}  evict s where s.tag != s.sort and s.tag == rule }
property q(P: policy) = all W, s in W where {W is long} and s.tag == rule and s.sort == other: s in P(W)""",
    "a name is carried from one field into another": """
policy p for Desk { when {long}  set s where s.sort == other { tag = s.sort } }
property q(P: policy) = all W, s in P(W) where {W is long} and s.sort == other: P(W)[s].tag == rule""",
    "a name is carried to where another stands": """
policy p for Desk { when {long}  set s where s.sort == note { tag = s.sort } }
property q(P: policy) = all W, s in P(W) where {W is long} and s.sort == note: P(W)[s].tag == user""",
    "a gate tries another window with other answers": """
policy p for Desk { when {long}  may evict s where s.tag == note  gate tries }
property tries(P: policy) = all W, s in W: s in P(W) implies s in P(arrive(W, 3))
property q(P: policy) = all W where {W is long}: not refused(P, W)""",
    "a gate asks for triggers with other answers": """
policy p for Desk { when (not {long}) or some s: s.mood  evict s where s.tag == note  gate tries }
property tries(P: policy) = all W: triggered(P, W)
property q(P: policy) = all W, s in P(W): s.tag != note or refused(P, W)""",
    "the same span arrives twice in a gate": """
policy p for Desk { when {long}  evict s where s.tag == note  gate tries }
property tries(P: policy) = all W: some s in arrive(W, 3): s in P(arrive(W, 3)) and s not in W
property q(P: policy) = all W where {W is long}: refused(P, W)""",
    "what arrives cannot, and the gate is not reached": """
policy p for Desk { refuse when {long} because "no"  evict s where s.tag == note  gate tries }
property tries(P: policy) = all W: count(s in P(arrive(W, 0))) >= 0
property q(P: policy) = all W: not refused(P, W)""",
    "a refusal stands before the trigger": """
policy p for Desk { refuse when count(s) > 500 because "x"  when {long}  evict s where s.tag == note }
property q(P: policy) = all W: triggered(P, W)""",
    "a branch stands before the trigger": """
policy p for Desk {
  if some s: s.loud { refuse when some s: s.tag == rule because "x" }
  when {long}
  evict s where s.tag == note }
property q(P: policy) = all W: triggered(P, W)""",
    "a step is another's end": """
policy p for Desk { when {long}  set s where s.tag == note and no u: u.tag == user and u l s { tokens = 7 } }
property q(P: policy) =
  all W, s in P(W) where some a in W: a.tag == user and W[a].tokens == W[s].tokens and a reaches s along l in W:
  some a in P(W): a.tag == user and P(W)[a].tokens == P(W)[s].tokens and a reaches s along l in P(W)""",
    "what a closed gate logs": """
policy p for Desk { when {long}  evict s where s.tag == note logged  gate tries }
property tries(P: policy) = all W, s in W: s in P(W)
property q(P: policy) = all W, s in W where {W is long} and s.tag == note: logged(P, s, W)""",
}
"""What is beside → a policy (or plan) `p` and a promise `q` that does not hold."""


@pytest.mark.parametrize("beside", FALSE)
def test_what_a_long_window_breaks_is_not_proved(beside: str) -> None:
    text = FALSE[beside]
    assert not isinstance(prove(asked(text), 1.0, side_by_side=False), Certificate)


@pytest.mark.parametrize("beside", FALSE)
def test_a_shorter_window_breaks_it_where_the_number_is_lower(beside: str) -> None:
    lower = [asked(FALSE[beside], long) for long in (0, 1, 2)]
    answers = ((o, BoundedRefuter().solve(o, Limits(within=3, seconds=60.0))) for o in lower)
    assert any(isinstance(found, Found) and breaks(o, found.case) for o, found in answers)


TRUE = {
    "a let and a span of the promise have one name": """
policy p for Desk { when {long}  let x = first s where s.tag == note  evict s where s == x }
property q(P: policy) = all W, x in W where x.tag != note: x in P(W)""",
    "what is moved does not stand behind an absent span": """
policy p for Desk {
  when {long}
  let gone = first s where s.tag == rule
  move s where s.tag == note at back
  evict s where gone before s
}
property q(P: policy) = all W, s in W where no t in W: t.tag == rule: s in P(W)""",
    "nothing stands before an absent span, so everything is counted": """
policy p for Desk {
  when {long}
  let x = first s where s.tag == rule
  evict s where count(t: t not before x and t != x) > 0
}
property q(P: policy) = all W, s in W where {W is long} and no t in W: t.tag == rule: s not in P(W)""",
    "a span is put in beside one that is there": """
plan p(a) for Desk { insert { tag = note, sort = any, tokens = 1 } just after a }
property q(P: plan) = all W: some t in P(W): created(t)""",
    "others than the two are scored as before": """
policy p for Desk { when {long}  evict s where s.mood }
property q(P: policy) =
  all W, s in W, t in W, u in W where u != s and u != t: u in P(W) iff u in P(rescore(rescore(W, s), t))""",
    "a number times a field is what it is": """
policy p(k: int >= 1) for Desk { when {long}  evict s where k * s.tokens > 20 }
property q(P: policy) = all W, s in W, t in W where s.tokens == t.tokens: s in P(W) iff t in P(W)""",
    "a name that one field only has": """
policy p for Desk { when {long}  evict s where s.tag == s.sort }
property q(P: policy) = all W, s in W where s.tag == rule or s.tag == user: s in P(W)""",
    "a name that is carried over": """
policy p for Desk { set s where s.sort == note { tag = s.sort } }
property q(P: policy) = all W, s in P(W) where s.sort == note: P(W)[s].tag == note""",
    "a gate asks for the triggers of the pass": """
policy p for Desk { refuse when some s: s.loud because "x"  when {long}  evict s where s.tag == note }
property q(P: policy) = all W where triggered(P, W): {W is long}""",
    "what a gate asks for must exist": """
policy p for Desk { when {long}  evict s where true  gate tries }
property tries(P: policy) = all W: all s in P(W): s in P(arrive(W, 0))
property q(P: policy) = all W, s in W: s in P(W)""",
    "what arrives in a gate is what arrives": """
policy p for Desk { when {long}  evict s where s.tag == note  gate tries }
property tries(P: policy) = all W: all s in arrive(W, 3): s in arrive(W, 3)
property q(P: policy) = all W: not refused(P, W)""",
}
"""What is so → a policy (or plan) `p` and a promise `q` that holds for that reason."""


@pytest.mark.parametrize("so", TRUE)
def test_what_is_true_beside_it_is_proved(so: str) -> None:
    assert isinstance(prove(asked(TRUE[so]), 20.0), Certificate)
