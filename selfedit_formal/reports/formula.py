"""Core terms and expressions as a person would write them, with spans called by their ids where these are known.

The subject of an obligation is written `P`, as the shipped promises do; other policies go by their names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace

from selfedit_formal._frozen import dataclass
from selfedit_formal.core.expression import (
    TRUE,
    Add,
    All,
    And,
    Arrived,
    Before,
    Bool,
    Compare,
    Count,
    Created,
    Divide,
    Equal,
    Expression,
    Fires,
    If,
    Implies,
    Input,
    InSet,
    Int,
    Known,
    Linked,
    Local,
    Logged,
    Modulo,
    Multiply,
    Name,
    Not,
    Or,
    Overridden,
    Parameter,
    Pass,
    Present,
    Reaches,
    Read,
    Refused,
    Rescored,
    SameRecord,
    SameSpan,
    SameWindow,
    Some,
    Swapped,
    Total,
    Triggered,
    WindowTerm,
    Without,
)

SUBJECT = "P"

# How tightly an expression binds, as in grammars/sef.lark; what is looser than its place gets parentheses.
LOOSE, IMPLIES, OR, AND, NOT, COMPARE, SUM, PRODUCT, ATOM = range(9)


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes terms and expressions. `subject` is the policy called `P`; `names` says which span a variable is.

    `homes` has the window that bound a variable: its record there is written `s.f`, as in the language. `lone` is a run
    that needs no mark, because the claim has no other. `called` has names of windows, such as those of turns.
    """

    subject: str
    names: Mapping[str, str]
    homes: Mapping[str, WindowTerm] = field(default_factory=dict)
    lone: str = ""
    called: Mapping[WindowTerm, str] = field(default_factory=dict)

    def span(self, variable: str) -> str:
        return self.names.get(variable, variable)

    def term(self, term: WindowTerm) -> str:
        """`W`, `P(W)`, `P^3(W)`, `P'(without(W, a))`."""
        if term in self.called:
            return self.called[term]
        match term:
            case Input(name):
                return name
            case Known(window):
                return f"known({self.term(window)})"
            case Pass(policy, run, window):
                function = self._policy(policy, run)
                times = 1
                while isinstance(window, Pass) and (window.policy, window.run) == (policy, run):
                    times, window = times + 1, window.window
                inner = self.term(window)
                return f"{function}^{times}({inner})" if times > 2 else f"{function}(" * times + inner + ")" * times
            case Without(window, span):
                return f"without({self.term(window)}, {self.span(span)})"
            case Swapped(window, first, second):
                return f"swap({self.term(window)}, {self.span(first)}, {self.span(second)})"
            case Rescored(window, span):
                return f"rescore({self.term(window)}, {self.span(span)})"
            case Arrived(window, tokens):
                return f"arrive({self.term(window)}, {self.formula(tokens)})"

    def formula(self, expression: Expression, place: int = LOOSE) -> str:
        """An expression in the language's notation, in parentheses if it binds less than its place asks for."""
        text, binds = self._write(expression)
        return f"({text})" if binds < place else text

    def _in(self, window: WindowTerm | None) -> str:
        return "" if window is None else f" in {self.term(window)}"

    def _record(self, span: str, window: WindowTerm | None) -> str:
        home = self.homes.get(span)
        if window is None or home in (window, Known(window)):  # what left keeps its record
            return self.span(span)
        return f"{self.term(window)}[{self.span(span)}]"

    def _ordered(self, first: str, word: str, second: str, window: WindowTerm | None) -> str:
        at_home = window is not None and self.homes.get(first) == self.homes.get(second) == window
        return f"{self.span(first)} {word} {self.span(second)}{'' if at_home else self._in(window)}"

    def binding(self, variable: str, window: WindowTerm | None) -> Writer:
        """For what stands under a quantifier."""
        return self if window is None else replace(self, homes={**self.homes, variable: window})

    def _junction(self, items: tuple[Expression, ...], word: str, binds: int) -> tuple[str, int]:
        return f" {word} ".join(self.formula(i, binds + 1) for i in items), binds

    def _binary(self, left: Expression, word: str, right: Expression, binds: int) -> tuple[str, int]:
        return f"{self.formula(left, binds + 1)} {word} {self.formula(right, binds + 1)}", binds

    def _policy(self, policy: str, run: str) -> str:
        return (SUBJECT if policy == self.subject else policy) + ("" if run == self.lone else run.strip())

    def _write(self, expression: Expression) -> tuple[str, int]:
        match expression:
            case Int(value):
                return str(value), ATOM
            case Bool(value):
                return ("true" if value else "false"), ATOM
            case Name(_, value) | Parameter(value) | Local(value):
                return value, ATOM
            case Read(span, field, _, window):
                return f"{self._record(span, window)}.{field}", ATOM
            case Add(items):
                return self._sum(items), SUM
            case Multiply(left, right):
                return self._binary(left, "*", right, PRODUCT)
            case Divide(dividend, divisor, rounding):
                inner = f"{self.formula(dividend, PRODUCT)} / {divisor}"
                return f"{'floor' if rounding == 'down' else 'ceil'}({inner})", ATOM
            case Modulo(dividend, divisor):
                return f"{self.formula(dividend, PRODUCT + 1)} mod {divisor}", PRODUCT
            case Count(variable, window, condition):
                where = "" if condition == TRUE else f": {self.binding(variable, window).formula(condition)}"
                return f"count({variable}{self._in(window)}{where})", ATOM
            case Total(variable, window, weight, condition):
                inside = self.binding(variable, window)
                parts = [f"{variable}{self._in(window)}"] if window is not None else []
                parts += [] if condition == TRUE else [inside.formula(condition, AND)]
                where = f": {' and '.join(parts)}" if parts else ""
                return f"total({inside.formula(weight)}{where})", ATOM
            case If(condition, then, otherwise):
                return (
                    f"if {self.formula(condition)} then {self.formula(then)} else {self.formula(otherwise)}",
                    LOOSE,
                )
            case Not(Some(variable, window, condition)):
                return f"no {variable}{self._in(window)}: {self.binding(variable, window).formula(condition)}", LOOSE
            case Not(Present(span, window)):
                return f"{self.span(span)} not in {self._current(window)}", COMPARE
            case Not(Before(first, second, window)):
                return self._ordered(first, "not before", second, window), COMPARE
            case Not(Equal(Read() as left, right)) | Not(Equal(left, Read() as right)):
                return self._binary(left, "!=", right, COMPARE)
            case Not(SameSpan(first, second)):
                return f"{self.span(first)} != {self.span(second)}", COMPARE
            case Not(item):
                return f"not {self.formula(item, NOT)}", NOT
            case And(items):
                return self._junction(items, "and", AND)
            case Or(items):
                return self._junction(items, "or", OR)
            case Implies(left, right):
                return self._binary(left, "implies", right, IMPLIES)
            case Compare(operator, left, right):
                return self._binary(left, operator, right, COMPARE)
            case Equal(Read() as left, right) | Equal(left, Read() as right):
                return self._binary(left, "==", right, COMPARE)
            case Equal(left, right):
                return self._binary(left, "iff", right, LOOSE)
            case Before(first, second, window):
                return self._ordered(first, "before", second, window), COMPARE
            case SameSpan(first, second):
                return f"{self.span(first)} == {self.span(second)}", COMPARE
            case Linked(link, source, target, window):
                # Links are for life, so only the built-in `covers` needs to say of which window.
                return f"{self.span(source)} {link} {self.span(target)}", COMPARE
            case Reaches(link, source, target, window):
                return f"{self.span(source)} reaches {self.span(target)} along {link}{self._in(window)}", COMPARE
            case Present(span, window):
                return f"{self.span(span)} in {self._current(window)}", COMPARE
            case InSet(span, name):
                return f"{self.span(span)} in {name}", COMPARE
            case Some(variable, window, condition):
                return f"some {variable}{self._in(window)}: {self.binding(variable, window).formula(condition)}", LOOSE
            case All(variable, window, condition):
                return f"all {variable}{self._in(window)}: {self.binding(variable, window).formula(condition)}", LOOSE
            case SameWindow(left, right):
                return f"{self.term(left)} == {self.term(right)}", COMPARE
            case SameRecord(span, left, right):
                return f"{self._record(span, left)} == {self._record(span, right)}", COMPARE
            case Triggered(policy, run, window):
                return f"triggered({self._policy(policy, run)}, {self.term(window)})", ATOM
            case Refused(window):
                return f"refused({self._policy(window.policy, window.run)}, {self.term(window.window)})", ATOM
            case Logged(span, window) | Overridden(span, window):
                function = "logged" if isinstance(expression, Logged) else "overridden"
                policy = self._policy(window.policy, window.run)
                return f"{function}({policy}, {self.span(span)}, {self.term(window.window)})", ATOM
            case Created(span):
                return f"created({self.span(span)})", ATOM
            case Fires(window, site, otherwise):
                return f"statement {site} {'is passed by' if otherwise else 'acts'} in {self.term(window)}", LOOSE

    def _current(self, window: WindowTerm | None) -> str:
        return "the window" if window is None else self.term(window)

    def _sum(self, items: tuple[Expression, ...]) -> str:
        text = ""
        for item in items:
            match item:
                case Multiply(Int(-1), right) | Multiply(right, Int(-1)):
                    text += f" - {self.formula(right, PRODUCT)}" if text else f"-{self.formula(right, PRODUCT)}"
                case Int(value) if value < 0 and text:
                    text += f" - {-value}"
                case _:
                    text += f" + {self.formula(item, SUM + 1)}" if text else self.formula(item, SUM + 1)
        return text or "0"
