"""The part of SMT-LIB 2 that certificates are written in, read and written by ourselves: constants, Boolean and integer
terms over them, and what is asserted of them. Nothing else is admitted.

NOTE(rebuilt): no solver is given text from a file. What was read is a table of terms, and what solvers get is written
from that table. Text that does anything but assert cannot get through, whatever a solver's own reader would make of it.

The text written is canonical: two scripts that differ in the order of assertions, in the order of the operands of
`and`, `or`, `=`, `+` and the like, or in what they call by a name, are written as the same text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from types import MappingProxyType
from typing import Literal

from selfedit_formal._frozen import dataclass

Sort = Literal["Bool", "Int"]

MOST_CHARACTERS = 4_000_000
MOST_TERMS = 200_000
MOST_DEPTH = 5_000
"""Of terms, with names replaced by what they are defined as."""
MOST_NESTED = 200
"""Of parentheses. What is written has fewer: deeper terms are defined by a name."""
MOST_DIGITS = 100
"""Of a number. Products of such numbers are the solvers' to compute, within their limits."""

NESTED = 40
"""Parentheses of what is written, before a term gets a name of its own."""


class NotAdmitted(Exception):
    """The text is no script of this kind; the message says where (line and column, from 1) and why."""


@dataclass(frozen=True, slots=True, eq=False)
class Term:
    """A constant, a numeral or `true` or `false` (no `operands`), or an operator on terms of the same table.

    `number`: in which order the table got it, so operands have smaller ones. `symbol`: a declared constant.
    """

    name: str
    operands: tuple[Term, ...]
    sort: Sort
    symbol: bool
    number: int
    depth: int


@dataclass(frozen=True, slots=True)
class _Operator:
    """Takes `least` to `most` operands, all of the sort `over`; None: of any one sort."""

    over: Sort | None
    gives: Sort
    least: int
    most: float = float("inf")
    commutes: bool = False


OPERATORS: Mapping[str, _Operator] = {
    "not": _Operator("Bool", "Bool", 1, 1),
    "and": _Operator("Bool", "Bool", 1, commutes=True),
    "or": _Operator("Bool", "Bool", 1, commutes=True),
    "xor": _Operator("Bool", "Bool", 2, 2, commutes=True),
    "=>": _Operator("Bool", "Bool", 2),
    "=": _Operator(None, "Bool", 2, commutes=True),
    "distinct": _Operator(None, "Bool", 2, commutes=True),
    "<": _Operator("Int", "Bool", 2),
    "<=": _Operator("Int", "Bool", 2),
    ">": _Operator("Int", "Bool", 2, 2),
    ">=": _Operator("Int", "Bool", 2, 2),
    "+": _Operator("Int", "Int", 1, commutes=True),
    "-": _Operator("Int", "Int", 1),
    "*": _Operator("Int", "Int", 1, commutes=True),
    "div": _Operator("Int", "Int", 2, 2),
    "mod": _Operator("Int", "Int", 2, 2),
}
"""All that terms are made of, beside `ite`, constants and numbers."""

MIRRORED = {">": "<", ">=": "<="}

RESERVED = frozenset(OPERATORS) | {
    "true", "false", "ite", "let", "forall", "exists", "match", "par", "as", "_", "!", "abs", "rem", "implies", "iff",
    "select", "store", "const", "to_real", "to_int", "is_int", "divisible", "Bool", "Int", "Real", "String", "Array",
}  # fmt: skip
"""Names that mean something to solvers, or may."""

SIMPLE = re.compile(r"[A-Za-z~!@$%^&*_\-+=<>.?/][A-Za-z0-9~!@$%^&*_\-+=<>.?/]*")
TOKEN = re.compile(r"[ \t\r\n]*(?:(?P<open>\()|(?P<close>\))|\|(?P<quoted>[^|\\]*)\||(?P<plain>[^\s()|\";\\:#]+)|$)")


class TermTable:
    """A table of terms, in which equal ones are the same."""

    def __init__(self) -> None:
        self.every: list[Term] = []
        self._known: dict[tuple[object, ...], Term] = {}

    def symbol(self, name: str, sort: Sort) -> Term:
        """A constant."""
        return self._term(name, (), sort, True)

    def truth(self, value: bool) -> Term:
        return self._term("true" if value else "false", (), "Bool", False)

    def numeral(self, digits: str) -> Term:
        return self._term(digits, (), "Int", False)

    def apply(self, name: str, operands: Sequence[Term]) -> Term:
        """`ite` or one of `OPERATORS` on these. Raises `NotAdmitted` (without a place) if they do not fit."""
        sorts = [o.sort for o in operands]
        if name == "ite":
            if len(sorts) != 3 or sorts[0] != "Bool" or sorts[1] != sorts[2]:
                raise NotAdmitted("`ite` takes a condition and two terms of one sort")
            return self._term(name, tuple(operands), sorts[1], False)
        known = OPERATORS[name]
        if not known.least <= len(sorts) <= known.most:
            raise NotAdmitted(f"`{name}` does not take {len(sorts)} operand{'' if len(sorts) == 1 else 's'}")
        over = known.over or sorts[0]
        if any(s != over for s in sorts):
            raise NotAdmitted(f"`{name}` is given a term of another sort than {over}")
        if name in MIRRORED:
            return self._term(MIRRORED[name], (operands[1], operands[0]), known.gives, False)
        return self._term(name, tuple(operands), known.gives, False)

    def _term(self, name: str, operands: tuple[Term, ...], sort: Sort, symbol: bool) -> Term:
        key = (name, sort, symbol, *(o.number for o in operands))
        found = self._known.get(key)
        if found is None:
            depth = 1 + max((o.depth for o in operands), default=0)
            if depth > MOST_DEPTH:
                raise NotAdmitted(f"a term is nested more than {MOST_DEPTH:,} deep")
            if len(self.every) >= MOST_TERMS:
                raise NotAdmitted(f"there are more than {MOST_TERMS:,} terms")
            found = Term(name, operands, sort, symbol, len(self.every), depth)
            self.every.append(found)
            self._known[key] = found
        return found

    def conjunction(self, items: Sequence[Term]) -> Term:
        return self.apply("and", items) if items else self.truth(True)

    def substituted(self, items: Iterable[Term], symbols: Mapping[Term, Term]) -> tuple[Term, ...]:
        """The terms with these constants replaced by others, all at once."""
        items = tuple(items)
        new: dict[int, Term] = {}
        for old in reachable(items):
            if old.operands:
                new[old.number] = self.apply(old.name, [new[o.number] for o in old.operands])
            else:
                new[old.number] = symbols.get(old, old)
        return tuple(new[i.number] for i in items)


def reachable(items: Iterable[Term]) -> list[Term]:
    """These terms and all that they are made of, each once, operands first."""
    found: dict[int, Term] = {}
    todo = list(items)
    while todo:
        term = todo.pop()
        if term.number not in found:
            found[term.number] = term
            todo += term.operands
    return [found[number] for number in sorted(found)]


@dataclass(frozen=True, slots=True, eq=False)
class Script:
    """What is declared, and what is asserted: terms of one table."""

    terms: TermTable
    declared: Mapping[str, Sort] = field(default_factory=dict)
    assertions: tuple[Term, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "declared", MappingProxyType(dict(self.declared)))


# ---------- reading


def read(text: str, terms: TermTable | None = None, *, ours: bool = False) -> Script:
    """The script: `(set-logic ALL)`, then declarations of constants, definitions of names and assertions, then
    `(check-sat)`. Raises `NotAdmitted`.

    `ours`: a solver wrote it just now from our own formulas, so it may be nested deeply, and use `let`.
    """
    if len(text) > MOST_CHARACTERS:
        raise NotAdmitted(f"it has more than {MOST_CHARACTERS:,} characters")
    return _Reader(text, TermTable() if terms is None else terms, ours).script()


@dataclass(frozen=True, slots=True, eq=False)
class _Atom:
    text: str
    at: int
    quoted: bool


@dataclass(frozen=True, slots=True, eq=False)
class _List:
    items: list[_Atom | _List]
    at: int


_Node = _Atom | _List


@dataclass(frozen=True, slots=True, eq=False)
class _Apply:
    """The operator on so many of the terms read last."""

    name: str
    count: int
    at: int


@dataclass(frozen=True, slots=True, eq=False)
class _Bind:
    """The names are the terms read last while the body is read."""

    names: tuple[str, ...]
    body: _Node


@dataclass(frozen=True, slots=True, eq=False)
class _Restore:
    """The names are again what they were."""

    before: Mapping[str, Term | None]


_Work = _Node | _Apply | _Bind | _Restore
"""What is still to be done while a term is read, the next last."""


class _Reader:
    def __init__(self, text: str, terms: TermTable, ours: bool) -> None:
        self.text, self.terms, self.ours = text, terms, ours
        self.declared: dict[str, Sort] = {}
        self.known: dict[str, Term] = {"true": terms.truth(True), "false": terms.truth(False)}
        self.assertions: list[Term] = []

    def script(self) -> Script:
        commands = list(self.commands())
        shape = [self.plain(c.items[0]) if c.items else None for c in commands]
        if shape[:1] != ["set-logic"] or len(commands[0].items) != 2 or self.plain(commands[0].items[1]) != "ALL":
            raise self.wrong(commands[0].at if commands else 0, "a script begins with `(set-logic ALL)`")
        if shape[-1] != "check-sat" or len(commands[-1].items) != 1 or len(commands) < 2:
            raise self.wrong(commands[-1].at, "a script ends with `(check-sat)`")
        for command in commands[1:-1]:
            self.command(command)
        return Script(self.terms, self.declared, tuple(self.assertions))

    def command(self, command: _List) -> None:
        match command.items:
            case [_Atom() as word, name, _List([]), sort] if self.plain(word) == "declare-fun":
                self.declare(name, sort)
            case [_Atom() as word, name, _List([]), sort, body] if self.plain(word) == "define-fun":
                self.define(name, sort, body)
            case [_Atom() as word, body] if self.plain(word) == "assert":
                term = self.term(body)
                if term.sort != "Bool":
                    raise self.wrong(body.at, "what is asserted must be true or false, not a number")
                self.assertions.append(term)
            case [_Atom() as word, *_]:
                what = _shown(word.text)
                if what in ("declare-fun", "define-fun", "assert"):
                    raise self.wrong(command.at, f"this `{what}` is none that is admitted")
                raise self.wrong(command.at, f"`{what}` is no command that is admitted here")
            case _:
                raise self.wrong(command.at, "this is no command")

    def declare(self, name: _Node, sort: _Node) -> None:
        text = self.new_name(name)
        self.declared[text] = self.sort(sort)
        self.known[text] = self.terms.symbol(text, self.declared[text])

    def define(self, name: _Node, sort: _Node, body: _Node) -> None:
        term = self.term(body)  # before the name is known: a definition does not speak of itself
        text = self.new_name(name)
        if self.sort(sort) != term.sort:
            raise self.wrong(name.at, f"`{_shown(text)}` is defined as a term of the sort {term.sort}")
        self.known[text] = term

    def new_name(self, name: _Node) -> str:
        if not isinstance(name, _Atom) or not (name.quoted or SIMPLE.fullmatch(name.text)):
            raise self.wrong(name.at, "a name is needed here")
        if name.text in RESERVED:
            raise self.wrong(name.at, f"`{_shown(name.text)}` has a meaning and cannot be another name")
        if name.text in self.known:
            raise self.wrong(name.at, f"`{_shown(name.text)}` is declared or defined twice")
        if not name.text or not name.text.isascii() or not name.text.isprintable():
            raise self.wrong(name.at, "a name has printable ASCII characters")
        return name.text

    def sort(self, sort: _Node) -> Sort:
        match self.plain(sort):
            case "Bool":
                return "Bool"
            case "Int":
                return "Int"
            case _:
                raise self.wrong(sort.at, "the sorts are `Bool` and `Int`")

    def plain(self, node: _Node) -> str | None:
        """The word, if it is one without bars."""
        return node.text if isinstance(node, _Atom) and not node.quoted else None

    # ---------- terms; by hand, as they may be nested more deeply than functions may call each other

    def term(self, node: _Node) -> Term:
        work: list[_Work] = [node]
        values: list[Term] = []
        while work:
            match work.pop():
                case _Atom() as atom:
                    values.append(self.atom(atom))
                case _List() as items:
                    self.begin(items, work)
                case _Apply(name, count, at):
                    operands = values[len(values) - count :]
                    del values[len(values) - count :]
                    values.append(self.apply(name, operands, at))
                case _Bind(names, body):
                    bound = dict(zip(names, values[len(values) - len(names) :], strict=True))
                    del values[len(values) - len(names) :]
                    work += [_Restore({n: self.known.get(n) for n in bound}), body]
                    self.known |= bound
                case _Restore(before):
                    for name, old in before.items():
                        if old is None:
                            del self.known[name]
                        else:
                            self.known[name] = old
        (found,) = values
        return found

    def begin(self, node: _List, work: list[_Work]) -> None:
        name = self.plain(node.items[0]) if node.items else None
        if name is None:
            raise self.wrong(node.at, "an operator is needed here")
        if name == "let" and self.ours:
            match node.items:
                case [_, _List(bindings), body]:
                    pass
                case _:
                    raise self.wrong(node.at, "this is no `let`")
            names, given = [], []
            for binding in bindings:
                match binding:
                    case _List([_Atom(text), value]):
                        names.append(text)
                        given.append(value)
                    case _:
                        raise self.wrong(binding.at, "this is no binding")
            work.append(_Bind(tuple(names), body))
            work += reversed(given)
            return
        if name not in OPERATORS and name != "ite":
            raise self.wrong(node.at, f"`{_shown(name)}` is no operator that is admitted")
        work.append(_Apply(name, len(node.items) - 1, node.at))
        work += reversed(node.items[1:])

    def atom(self, atom: _Atom) -> Term:
        found = self.known.get(atom.text)
        if found is not None and not (atom.quoted and atom.text in RESERVED):
            return found
        if atom.quoted or not (atom.text.isascii() and atom.text.isdecimal()):
            raise self.wrong(atom.at, f"`{_shown(atom.text)}` is not declared")
        if len(atom.text) > MOST_DIGITS:
            raise self.wrong(atom.at, f"a number has more than {MOST_DIGITS} digits")
        if atom.text[0] == "0" and atom.text != "0":
            raise self.wrong(atom.at, "a number begins with a zero")
        return self.terms.numeral(atom.text)

    def apply(self, name: str, operands: list[Term], at: int) -> Term:
        try:
            return self.terms.apply(name, operands)
        except NotAdmitted as error:
            raise self.wrong(at, str(error)) from None

    # ---------- parentheses

    def commands(self) -> Iterator[_List]:
        position, open_ = 0, list[_List]()
        while position < len(self.text):
            token = TOKEN.match(self.text, position)
            if token is None:
                start = position + len(self.text[position:]) - len(self.text[position:].lstrip(" \t\r\n"))
                raise self.wrong(start, f"`{_shown(self.text[start])}` is not admitted")
            position = token.end()
            match token.lastgroup:
                case "open":
                    if len(open_) >= MOST_NESTED and not self.ours:
                        raise self.wrong(token.start("open"), f"parentheses stand more than {MOST_NESTED} deep")
                    open_.append(_List([], token.start("open")))
                case "close":
                    if not open_:
                        raise self.wrong(token.start("close"), "this parenthesis closes nothing")
                    done = open_.pop()
                    if open_:
                        open_[-1].items.append(done)
                    else:
                        yield done
                case "quoted" | "plain" as kind:
                    atom = _Atom(token[kind], token.start(kind), kind == "quoted")
                    if not open_:
                        raise self.wrong(atom.at, "a command is needed here")
                    open_[-1].items.append(atom)
                case _:
                    break  # only white space was left
        if open_:
            raise self.wrong(open_[-1].at, "this parenthesis is not closed")

    def wrong(self, at: int, message: str) -> NotAdmitted:
        line = self.text.count("\n", 0, at) + 1
        return NotAdmitted(f"line {line}, column {at - self.text.rfind(chr(10), 0, at)}: {message}")


def _shown(text: str) -> str:
    """Text from a file as a message may show it."""
    short = text if len(text) <= 40 else text[:39] + "…"
    return "".join(c if c.isprintable() else "?" for c in short)


# ---------- writing


def write(script: Script) -> str:
    """The canonical text, which `read` admits."""
    order = _Order(script.assertions)
    used = [t for t in reachable(script.assertions) if t.symbol]
    lines = ["(set-logic ALL)"]
    lines += [f"(declare-fun {_symbol(n)} () {s})" for n, s in sorted((t.name, t.sort) for t in used)]
    names = {t.name for t in used}
    text: dict[int, tuple[str, int]] = {}
    """Of a term: how it is written where it is used, and how deep that is nested."""
    for term in order.terms():
        if not term.operands:
            text[term.number] = (_symbol(term.name) if term.symbol else term.name, 0)
            continue
        parts = [text[o.number] for o in order.operands(term)]
        written, nested = f"({term.name} {' '.join(t for t, _ in parts)})", 1 + max(n for _, n in parts)
        short = len(parts) == 1 and nested == 1
        if (order.uses[term.number] > 1 and not short) or nested >= NESTED:
            name = f"d!{len(text)}"
            while name in names:
                name += "!"
            names.add(name)
            lines.append(f"(define-fun {name} () {term.sort} {written})")
            written, nested = name, 0
        text[term.number] = written, nested
    lines += [f"(assert {text[t.number][0]})" for t in order.assertions]
    return "\n".join([*lines, "(check-sat)", ""])


def _symbol(name: str) -> str:
    return name if SIMPLE.fullmatch(name) else f"|{name}|"


class _Order:
    """In which order things are written: one that follows from the terms alone, not from how they came to be.

    TermTable that differ in the order of operands only are one.
    """

    def __init__(self, assertions: Iterable[Term]) -> None:
        from hashlib import blake2b  # it loads a cryptographic library

        self._key: dict[int, bytes] = {}
        self._first: dict[bytes, Term] = {}
        self.uses: dict[int, int] = {}
        for term in reachable(assertions):
            operands = self.operands(term)
            own = f"{'symbol' if term.symbol else 'operator'} {term.sort} {len(operands)} {term.name}".encode()
            key = blake2b(b"".join([*(self._key[o.number] for o in operands), own]), digest_size=20).digest()
            self._key[term.number] = key
            if self._first.setdefault(key, term) is term:
                self.uses[term.number] = 0
                for operand in operands:
                    self.uses[operand.number] += 1
        self.assertions = sorted({self._one(t) for t in assertions}, key=lambda t: self._key[t.number])
        for term in self.assertions:
            self.uses[term.number] += 1

    def _one(self, term: Term) -> Term:
        return self._first[self._key[term.number]]

    def operands(self, term: Term) -> Sequence[Term]:
        """In their order, where the term has the same meaning in any."""
        if term.name in OPERATORS and OPERATORS[term.name].commutes:
            return [self._one(o) for o in sorted(term.operands, key=lambda o: self._key[o.number])]
        return [self._one(o) for o in term.operands]

    def terms(self) -> Iterator[Term]:
        """All terms, operands first."""
        seen: set[int] = set()
        todo = [(t, False) for t in reversed(self.assertions)]
        while todo:
            term, ready = todo.pop()
            if ready:
                yield term
            elif term.number not in seen:
                seen.add(term.number)
                todo.append((term, True))
                todo += [(o, False) for o in reversed(self.operands(term))]
