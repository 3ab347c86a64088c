"""What an expression of the notation can turn out to be, before it is known what is wanted."""

from __future__ import annotations

from collections.abc import Mapping

from selfedit_formal._frozen import dataclass
from selfedit_formal.core.expression import Expression, Not, WindowTerm
from selfedit_formal.core.window import Kind
from selfedit_formal.language import syntax
from selfedit_formal.language.print import print_expression
from selfedit_formal.language.resolve.scope import Scope


@dataclass(frozen=True, slots=True)
class Value:
    """A value of the core. `names` are those an enum may have, `of` the field they belong to."""

    kind: Kind
    expression: Expression
    names: tuple[str, ...] = ()
    of: str = ""


@dataclass(frozen=True, slots=True)
class SpanRef:
    core: str
    home: WindowTerm | None


@dataclass(frozen=True, slots=True)
class SetRef:
    core: str


@dataclass(frozen=True, slots=True)
class WindowRef:
    term: WindowTerm | None


@dataclass(frozen=True, slots=True)
class Record:
    """`W[s]`."""

    span: SpanRef
    term: WindowTerm | None


@dataclass(frozen=True, slots=True)
class NoneTerm:
    """`none`, of a span or a key."""


Operand = Value | SpanRef | SetRef | WindowRef | Record | NoneTerm


@dataclass(frozen=True, slots=True)
class Expected:
    """The kind of value wanted, so that a bare name can be told to be a tag or another name of an enum."""

    kind: Kind
    names: tuple[str, ...] = ()
    of: str = ""


def type_of(value: Value) -> Expected:
    return Expected(value.kind, value.names, value.of)


def described(operand: Operand) -> str:
    match operand:
        case Value("int"):
            return "a number"
        case Value("bool"):
            return "true or false"
        case Value("key"):
            return "a key"
        case Value("enum", _, _, of):
            return f"a name of `{of}`" if of else "a name"
        case Value():
            return "a value"
        case SpanRef():
            return "a span"
        case SetRef():
            return "a set of spans"
        case WindowRef():
            return "a window"
        case Record():
            return "a record"
        case NoneTerm():
            return "`none`"


WANTED: Mapping[Kind, str] = {"int": "a number", "bool": "true or false", "key": "a key", "enum": "a name"}


def shown(expr: syntax.Expr) -> str:
    """The expression in one line, cut if it is long."""
    text = " ".join(print_expression(expr).split())
    return text if len(text) <= 60 else text[:57] + "..."


def unfit(scope: Scope, expr: syntax.Expr, found: Operand, wanted: str) -> None:
    scope.report("R013", f"`{shown(expr)}` is {described(found)}, and {wanted} is needed here", expr.location)


def denied(item: Expression) -> Expression:
    return item.item if isinstance(item, Not) else Not(item)
