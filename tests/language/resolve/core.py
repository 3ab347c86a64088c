"""What tests of the resolver share: a schema, policies and claims made of a few lines, and the core made comparable."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

import pytest

from selfedit_formal.core.diagnostics import Diagnostic, Location, Rejected
from selfedit_formal.core.expression import (
    All,
    Count,
    Equal,
    Expression,
    Local,
    Name,
    Origin,
    Read,
    Some,
    Total,
    WindowTerm,
)
from selfedit_formal.core.policy import (
    Block,
    Evict,
    Fill,
    Keep,
    LetSet,
    LetSpan,
    LetValue,
    Move,
    Pick,
    Policy,
    Readmit,
    Set,
    Statement,
)
from selfedit_formal.core.property import Claim, Obligation
from selfedit_formal.language.module import Module
from selfedit_formal.language.resolve import load_text

Node = TypeVar("Node")

CHAT = """\
window Chat {
  tag    : system | user | assistant | call | result | summary
  tokens : int >= 1
  turn   : int >= 0
  pinned, cleared : bool
  call   : key
  role   : low | high
  score  : int >= 0 <= 9 from query
  taste  : int from window
  link answers : result -> call
  control s where s.tag == system or s.pinned
  unit step starts s where s.tag == user
}
"""


def module(text: str) -> Module:
    """A module of this text behind the schema `Chat`."""
    return load_text(CHAT + text, "test.sef")


def policy(body: str, parameters: str = "", more: str = "") -> Policy:
    """The policy `p` with this body."""
    return module(f"{more}\npolicy p({parameters}) for Chat {{\n{body}\n}}\n").policies["p"]


def body(text: str, parameters: str = "", more: str = "") -> tuple[Statement, ...]:
    """The statements of a policy with this body, made comparable."""
    return canonical(policy(text, parameters, more).body)


def condition(text: str, more: str = "", parameters: str = "") -> Expression:
    """The condition of `evict s where ...`."""
    (statement,) = policy(f"evict s where {text}", parameters, more).body
    assert isinstance(statement, Evict)
    return statement.condition


def obligation(check: str, text: str) -> Obligation:
    """The one obligation of this check."""
    (found,) = module(f"{text}\ncheck {check}\n").obligations
    return found


def claim(formula: str, more: str = "", parameters: str = "P: policy") -> Claim:
    """The claim of a property with this formula about a policy `p`."""
    text = f"{more}\npolicy p for Chat {{ evict s where s.tag == result }}\nproperty q({parameters}) = {formula}\n"
    return obligation("p: q", text).claim


def mistakes(text: str) -> tuple[Diagnostic, ...]:
    """What is wrong with this text behind the schema `Chat`."""
    with pytest.raises(Rejected) as rejected:
        module(text)
    return rejected.value.diagnostics


def codes(text: str) -> list[str]:
    """The codes of what is wrong, in the order of the text."""
    return [d.code for d in mistakes(text)]


def flag(field: str, span: str = "s", window: WindowTerm | None = None) -> Read:
    """The field of a span that is true or false."""
    return Read(span, field, "bool", window)


def tagged(tag: str, span: str = "s", window: WindowTerm | None = None) -> Equal:
    """The condition that a span has this tag."""
    return Equal(Read(span, "tag", "enum", window), Name("enum", tag))


def marked(place: Location | None) -> str:
    """The text at a place, in which carets are put under it."""
    assert place is not None
    lines = place.source.text.split("\n")[place.line - 1 : place.end_line]
    lines[-1] = lines[-1][: place.end_column - 1]
    return "\n".join(lines)[place.column - 1 :]


def mistake(text: str) -> str:
    """Code and message of the one thing that is wrong."""
    (found,) = mistakes(text)
    return f"{found.code} {found.message}"


def mistake_in(body: str) -> tuple[str, str]:
    """Code and message of the one thing that is wrong with a policy of this body, and the text it is said of."""
    (found,) = mistakes(f"policy p(k: int) for Chat {{ {body} }}")
    return f"{found.code} {found.message}", marked(found.location)


# ---------- the core, made comparable

_NAMES = ("variable", "span", "first", "second", "source", "target", "set", "covers")


def canonical(item: Node) -> Node:
    """The same without origins, with every name of a variable, set, span or value numbered in the order of use."""
    return _renamed(item, {})  # type: ignore[no-any-return]


def _renamed(item: Any, known: dict[str, str]) -> Any:
    if isinstance(item, tuple):
        return tuple(_renamed(i, known) for i in item)
    if isinstance(item, Origin):
        return Origin("")
    if not is_dataclass(item) or isinstance(item, type):
        return item
    named = isinstance(item, LetSet | LetSpan | LetValue | Local)
    changes: dict[str, Any] = {}
    for field in fields(item):
        value = getattr(item, field.name)
        if field.name == "site":
            changes[field.name] = 0
        elif isinstance(value, str):
            if field.name in _NAMES or (named and field.name == "name"):
                changes[field.name] = known.setdefault(value, f"n{len(known)}")
        else:
            changes[field.name] = _renamed(value, known)
    return replace(item, **changes)


def nodes(item: object) -> Iterator[Any]:
    """The node and all nodes in it."""
    if isinstance(item, tuple):
        for part in item:
            yield from nodes(part)
    elif is_dataclass(item) and not isinstance(item, type):
        yield item
        for field in fields(item):
            if field.name != "location":
                yield from nodes(getattr(item, field.name))


def reads(item: object) -> set[str]:
    """The fields that are read anywhere in the node."""
    return {n.field for n in nodes(item) if isinstance(n, Read)}


def assert_names_are_unique(item: object, visible: frozenset[str]) -> None:
    """Fails if a variable is called like something visible where it is bound."""
    match item:
        case Some(variable, _, inner) | All(variable, _, inner) | Count(variable, _, inner):
            assert variable not in visible, variable
            assert_names_are_unique(inner, visible | {variable})
        case Total(variable, _, weight, inner):
            assert variable not in visible, variable
            assert_names_are_unique((weight, inner), visible | {variable})
        case Pick(_, variable, inner):
            assert variable not in visible, variable
            assert_names_are_unique(inner, visible | {variable})
        case tuple():
            for part in item:
                assert_names_are_unique(part, visible)
                if isinstance(part, LetSet | LetSpan | LetValue):
                    assert part.name not in visible, part.name
                    visible |= {part.name}
        case LetSet() | Keep() | Evict() | Set() | Readmit() | Move() | Fill():
            assert item.variable not in visible, item.variable
            rest = tuple(getattr(item, f.name) for f in fields(item) if f.name not in ("variable", "origin"))
            assert_names_are_unique(rest, visible | {item.variable})
        case Block(_, inner, statements, _, _):
            assert_names_are_unique(inner, visible)
            assert_names_are_unique(statements, visible)
        case _ if is_dataclass(item) and not isinstance(item, type | Origin):
            for field in fields(item):
                if field.name not in ("location", "origin"):
                    assert_names_are_unique(getattr(item, field.name), visible)
        case _:
            pass
