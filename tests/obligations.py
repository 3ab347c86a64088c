"""Small obligations written in the core, for tests of what stands above the meaning and below the language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from selfedit_formal.core.expression import (
    TRUE,
    All,
    And,
    Compare,
    Equal,
    Expression,
    Implies,
    Input,
    InSet,
    Int,
    Name,
    Origin,
    Parameter,
    Pass,
    Present,
    Read,
    SameWindow,
    Some,
    Total,
    WindowTerm,
)
from selfedit_formal.core.policy import Evict, LetSet, ParameterDeclaration, Policy, Statement
from selfedit_formal.core.property import Bound, Claim, Obligation
from selfedit_formal.core.window import Field, Link, Schema, Span, Value, Window

SCHEMA = Schema(
    "Chat",
    (
        Field("tag", "enum", names=("user", "call", "result")),
        Field("tokens", "int", low=1),
        Field("pinned", "bool"),
        Field("call", "key"),
    ),
    (Link("justifies"),),
)

W = Input("W")
ONCE = Pass("P", "", W)
TWICE = Pass("P", "", ONCE)


def span(identity: str, **values: Value) -> Span:
    """A span of `SCHEMA`, its simplest but for these values."""
    simplest: Mapping[str, Value] = {"tag": "user", "tokens": 1, "pinned": False, "call": "none"}
    return Span(identity, {**simplest, **values})


def window(*spans: Span, links: tuple[tuple[str, str], ...] = (), archived: tuple[str, ...] = ()) -> Window:
    """A window of `SCHEMA`; `links` are pairs of `justifies`."""
    return Window(SCHEMA, spans, frozenset(archived), frozenset(("justifies", a, b) for a, b in links))


def tokens(variable: str, of: WindowTerm | None = None) -> Expression:
    """`variable.tokens`."""
    return Read(variable, "tokens", "int", of)


def pinned(variable: str, of: WindowTerm | None = None) -> Expression:
    """`variable.pinned`."""
    return Read(variable, "pinned", "bool", of)


def tagged(variable: str, tag: str, of: WindowTerm | None = None) -> Expression:
    """`variable.tag == tag`."""
    return Equal(Read(variable, "tag", "enum", of), Name("enum", tag))


def evict(condition: Expression, site: int = 0) -> Evict:
    """`evict s where condition`, the condition about `s`."""
    return Evict(site, "s", condition, logged=False, origin=Origin(f"evict s where {site}"))


def may_evict(condition: Expression, site: int = 0) -> tuple[Statement, ...]:
    """`may evict s where condition`."""
    chosen = LetSet(site, f"chosen{site}", "s", condition, may=True)
    return chosen, evict(InSet("s", f"chosen{site}"), site + 1)


OVER_CAP = Compare(">", tokens("s"), Parameter("cap"))
CAP = ParameterDeclaration("cap", low=0)


def policy(*body: Statement, parameters: tuple[ParameterDeclaration, ...] = ()) -> Policy:
    """A policy `P` of `SCHEMA`."""
    return Policy("P", SCHEMA, parameters, body)


def about(subject: Policy, name: str, claim: Claim) -> Obligation:
    """The claim about the policy, as an obligation."""
    return Obligation(f"P: {name}", SCHEMA, (subject,), name, claim, subject.parameters)


def idempotent(subject: Policy) -> Obligation:
    """`all W: P(P(W)) == P(W)`."""
    return about(subject, "idempotent", Claim(("W",), consequent=SameWindow(TWICE, ONCE)))


def keeps(subject: Policy, which: Expression) -> Obligation:
    """`all W, k in W: which implies k in P(W)`, the condition about `k` in `W`."""
    return about(subject, "keeps", Claim(("W",), (Bound("k", W),), antecedent=which, consequent=Present("k", ONCE)))


def within(subject: Policy, cap: int) -> Obligation:
    """`all W: total(t.tokens in P(W)) <= cap`."""
    total = Total("t", ONCE, tokens("t", ONCE), TRUE)
    return about(subject, "within", Claim(("W",), consequent=Compare("<=", total, Int(cap))))


def all_pinned(of: WindowTerm) -> Expression:
    """Every span of the window is pinned."""
    return All("a", of, pinned("a", of))


def preserves_pinned(subject: Policy) -> Obligation:
    """`all W where every span is pinned: every span of P(W) is pinned`."""
    return about(subject, "preserves", Claim(("W",), antecedent=all_pinned(W), consequent=all_pinned(ONCE)))


def paired(of: WindowTerm) -> Expression:
    """Every result has a call with its key."""
    call = Equal(Read("r", "call", "key", of), Read("c", "call", "key", of))
    from_call = Implies(tagged("r", "result", of), _some("c", of, tagged("c", "call", of), call))
    return All("r", of, from_call)


def _some(variable: str, of: WindowTerm, *conditions: Expression) -> Expression:
    return Some(variable, of, And(conditions))


def preserves_paired(subject: Policy) -> Obligation:
    """`all W where paired(W): paired(P(W))`."""
    return about(subject, "preserves(paired)", Claim(("W",), antecedent=paired(W), consequent=paired(ONCE)))


def fixed(obligation: Obligation, written: Window) -> Obligation:
    """The same on a written-out window."""
    return replace(obligation, fixed=written)
