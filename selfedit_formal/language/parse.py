"""`.sef` text to syntax nodes, and every mistake of a text at once.

The grammar is `grammars/sef.lark`; `_Build` has one method for each of its rules. Nothing here
recurses over the text or its tree.
"""

from __future__ import annotations

import difflib
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import is_dataclass, replace
from functools import cache
from importlib.resources import as_file
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, TypeVar, cast

from lark import Lark, Token, Tree
from lark import __version__ as LARK
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken
from lark.lexer import PatternStr
from lark.tree import Meta
from lark.visitors import Transformer_NonRecursive, v_args

from selfedit_formal import _resources
from selfedit_formal._frozen import dataclass
from selfedit_formal.core.diagnostics import Diagnostic, Location, Rejected, Source
from selfedit_formal.core.files import read_up_to, why_not
from selfedit_formal.language import syntax
from selfedit_formal.language.mistakes import CLOSING, DECLARATIONS, Stop, at, character, explain

Node = TypeVar("Node")


MAX_BYTES = 1_000_000
MAX_NESTING = 100
MAX_NUMBER = 10**18
MAX_MISTAKES = 100


def read(path: Path, shown: str | None = None) -> Source:
    """The text of a file, named as the user wrote it. Raises Rejected if it is not a readable UTF-8 text."""
    name = shown if shown is not None else str(path)
    try:
        if path.is_dir():
            raise _rejected("S018", f"`{name}` is a folder", hint="name a `.sef` file in it")
        if path.stat().st_size > MAX_BYTES:
            raise _too_large(name, f"{path.stat().st_size:,}")
        data = read_up_to(path, MAX_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        raise _rejected("S017", f"there is no file `{name}`", hint=_nearby(path)) from None
    except (OSError, ValueError) as problem:
        raise _rejected("S018", f"`{name}` cannot be read: {why_not(problem)}") from None
    return decoded(data, name, path)


def decoded(data: bytes, name: str, path: Path | None = None) -> Source:
    """The text of what was read. Raises Rejected if there is too much of it, or it is not UTF-8."""
    if len(data) > MAX_BYTES:
        raise _too_large(name, f"more than {MAX_BYTES:,}")
    try:
        return Source(name, data.decode("utf-8-sig"), path)
    except UnicodeDecodeError as problem:
        line = data.count(b"\n", 0, problem.start) + 1
        message = f"`{name}` is not UTF-8: byte {data[problem.start]:#04x} at offset {problem.start}, line {line}"
        raise _rejected("S019", message, hint="save the file as UTF-8") from None


def parse(source: Source) -> syntax.File:
    """The declarations of a text, with its comments beside them. Raises Rejected with every mistake found."""
    if len(source.text) > MAX_BYTES:
        raise _too_large(source.name, f"{len(source.text.encode('utf-8', 'replace')):,}")
    source = replace(source, text=source.text.removeprefix("\ufeff"))
    file = cast(syntax.File, _built(source, "start"))
    if not file.declarations:
        hint = "a first line may be `window Chat { tag : user }`"
        raise _rejected("S020", f"`{source.name}` declares nothing", hint=hint)
    return file


def parse_reference(text: str) -> syntax.Reference:
    """A property or policy as given on the command line, `preserves(paired)`. Raises Rejected."""
    return cast(syntax.Reference, _built(Source("<reference>", text), "reference"))


def _built(source: Source, start: Literal["start", "reference"]) -> syntax.File | syntax.Reference:
    builder = _Build(source, _comments(source))
    root = cast("syntax.File | syntax.Reference", builder.transform(_tree(source, start)))
    if builder.problems:
        raise Rejected(tuple(builder.problems))
    _check_depth(root)
    return root


@cache
def grammar() -> Lark:
    """The parser that Lark builds of `grammars/sef.lark`; its tables are kept in the user's cache folder."""
    with as_file(_resources.folder("grammars")) as folder:
        return Lark.open(
            str(folder / "sef.lark"),
            parser="lalr",
            start=["start", "reference"],
            propagate_positions=True,
            cache=_tables() or False,
        )


def _tables() -> str | None:
    """The file of the tables, which Lark checks against the grammar; None where this user alone cannot write."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    folder = Path(base) / "selfedit_formal"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not os.access(folder, os.W_OK) or folder.stat().st_mode & 0o022:
            return None
    except OSError:
        return None
    return str(folder / f"grammar-{LARK}-{sys.version_info.major}.{sys.version_info.minor}")


# ---------- files and limits


def _rejected(code: str, message: str, place: Location | None = None, hint: str | None = None) -> Rejected:
    return Rejected((Diagnostic(code, message, place, hint),))


def _too_large(name: str, size: str) -> Rejected:
    message = f"`{name}` is too large: {size} bytes, and {MAX_BYTES:,} are allowed"
    return _rejected("S021", message, hint="split it into files that `import` each other")


def _nearby(path: Path) -> str | None:
    """The file of a nearly equal name in the same folder, as a hint."""
    try:
        names = [p.name for p in path.parent.iterdir()]
    except (OSError, ValueError):
        return None
    near = difflib.get_close_matches(path.name, names, 1)
    return f"did you mean `{path.parent / near[0]}`?" if near else None


_SCANNED = re.compile(
    r"""(?P<text>"[^"\n]*")|(?P<comment>\#[^\n]*)|(?P<line>\n)|(?P<open>[(\[{])|(?P<close>[)\]}])
    |(?P<word>[A-Za-z_][A-Za-z0-9_]*)|(?P<number>[0-9][0-9_]*(?P<letters>[A-Za-z]\w*)?)""",
    re.VERBOSE,
)


def _comments(source: Source) -> tuple[syntax.Comment, ...]:
    found: list[syntax.Comment] = []
    line, start = 1, 0
    for match in _SCANNED.finditer(source.text):
        if match["line"]:
            line, start = line + 1, match.end()
        elif match["comment"]:
            own_line = not source.text[start : match.start()].strip()
            found.append(syntax.Comment(match["comment"].rstrip(), line, own_line))
    return tuple(found)


def _limits(source: Source) -> list[Diagnostic]:
    """Numbers that are too large or none, and the bracket that nests too deep (once)."""
    found: list[Diagnostic] = []
    line, start, depth = 1, 0, 0
    too_deep = False
    for match in _SCANNED.finditer(source.text):
        if match["line"]:
            line, start = line + 1, match.end()
            continue
        depth = max(depth + bool(match["open"]) - bool(match["close"]), 0)
        column = match.start() - start + 1
        place = Location(source, line, column, line, column + len(match[0]))
        if match["open"] and depth > MAX_NESTING and not too_deep:
            too_deep = True
            found.append(_nested(place))
        elif match["letters"]:
            shown = match["number"] if len(match["number"]) <= 40 else f"{match['number'][:37]}..."
            message = f"`{shown}` is neither a number nor a name"
            found.append(Diagnostic("S016", message, place, "names begin with a letter, and numbers have digits only"))
        elif match["number"]:
            digits = match["number"].replace("_", "").lstrip("0")
            if len(digits) > len(str(MAX_NUMBER)) or int(digits or "0") > MAX_NUMBER:
                message = f"a number of {len(digits)} digits is too large"
                found.append(Diagnostic("S016", message, place, f"the largest is {MAX_NUMBER}, a one with 18 zeros"))
    return found


def _nested(place: Location) -> Diagnostic:
    hint = "give the inner parts names with `let` or `predicate`"
    return Diagnostic("S015", f"this is nested more than {MAX_NESTING} levels deep", place, hint)


def _check_depth(root: syntax.File | syntax.Reference) -> None:
    """Raises Rejected at the first node that stands deeper than everything after the parser is made for."""
    todo: list[tuple[Any, int]] = [(root, 0)]
    while todo:
        node, depth = todo.pop()
        if isinstance(node, tuple):
            todo.extend((part, depth) for part in reversed(node))
        elif is_dataclass(node) and not isinstance(node, Location | Source):
            if depth > MAX_NESTING:
                raise Rejected((_nested(cast(Any, node).location),))
            todo.extend((getattr(node, name), depth + 1) for name in reversed(cast(Any, node).__slots__))


# ---------- the parser, and where it stops


_DECLARATION = re.compile(
    r"""^[ \t]*((?:import|window|predicate|property|policy|plan|check|session)\b(?=[ \t]+["A-Za-z_]))""", re.MULTILINE
)


def _tree(source: Source, start: Literal["start", "reference"]) -> Tree[Token]:
    """Lark's tree of the text. After a mistake it goes on at the next declaration that begins a line."""
    found = _limits(source)
    if any(d.code == "S015" for d in found):
        raise Rejected(tuple(found))
    begins = [m.start(1) for m in _DECLARATION.finditer(source.text)] if start == "start" else []
    position = 0
    tree: Tree[Token] | None = None
    while tree is None and len(found) < MAX_MISTAKES:
        attempt = _Attempt(source, position, start, frozenset(begins))
        tree = attempt.run()
        if attempt.problem is not None:
            if not any(d.code == "S016" and _same_word(d, attempt.problem) for d in found):
                found.append(attempt.problem)
            after = [b for b in begins if b >= attempt.stopped and b > position]
            if not after:
                break
            position = after[0]
    if len(found) >= MAX_MISTAKES:
        found.append(
            Diagnostic("S022", f"there are more than {MAX_MISTAKES} mistakes; the rest of the text was not read")
        )
    if tree is not None and not found:
        found = _primes(source, tree)
    if tree is None or found:
        raise Rejected(tuple(sorted(found, key=_order)))
    return tree


def _same_word(number: Diagnostic, problem: Diagnostic) -> bool:
    """Whether the parser only stopped at the end of what is no number."""
    one, other = number.location, problem.location
    return one is not None and other is not None and (one.line, one.end_column) == (other.line, other.end_column)


def _order(problem: Diagnostic) -> tuple[bool, int, int]:
    place = problem.location
    return (True, 0, 0) if place is None else (False, place.line, place.column)


def _primes(source: Source, tree: Tree[Token]) -> list[Diagnostic]:
    """Names with a prime anywhere but before the windows of a pass."""
    hint = "a prime asks for another run of a policy: `P'(W)`"
    return [
        Diagnostic("S013", f"`{child}` has a prime, and is no pass", at(source, child), hint)
        for part in tree.iter_subtrees()
        for place, child in enumerate(part.children)
        if isinstance(child, Token) and child.type == "NAME" and child.endswith("'")
        if place > 0 or part.data not in ("call", "power")
    ]


_WORD = re.compile("[A-Za-z0-9_']+")


class _Attempt:
    """One run of the parser from an offset on. Afterwards `problem` says why it stopped, `stopped` where."""

    def __init__(self, source: Source, position: int, start: str, begins: frozenset[int]) -> None:
        self._source = source
        self._position = position
        self._start = start
        self._begins = begins
        self._tokens: list[Token] = []
        self._brackets: list[Token] = []
        self._swallowed: tuple[Token, int, tuple[Token, ...]] | None = None
        self.problem: Diagnostic | None = None
        self.stopped = position

    def run(self) -> Tree[Token] | None:
        """The tree, or None if there is a problem."""
        parser = self._parser()
        try:
            for token in parser.lexer_thread.lex(parser.parser_state):
                self._notice(token)
                longer = self._longer(token)
                if longer is not None:
                    self._stop(longer)
                    return None
                parser.feed_token(token)
                self._take(token)
            return cast("Tree[Token]", parser.feed_eof(self._tokens[-1] if self._tokens else None))
        except UnexpectedToken as problem:
            self._stop(problem.token if problem.token.type != "$END" else None)
        except UnexpectedCharacters as problem:
            self.stopped = cast(int, problem.pos_in_stream)
            line, column = problem.line, problem.column
            place = Location(self._source, line, column, line, column + 1)
            rest = self._source.text[self.stopped :].split("\n", 1)[0]
            self.problem = character(self._source, place, rest)
        return None

    def _parser(self) -> Any:  # Lark's InteractiveParser, which is typed in part
        parser: Any = grammar().parse_interactive(self._source.text, start=self._start)
        counter = parser.lexer_thread.state.line_ctr
        begin = self._source.text.rfind("\n", 0, self._position) + 1
        counter.char_pos, counter.line_start_pos = self._position, begin
        counter.line = self._source.text.count("\n", 0, self._position) + 1
        counter.column = self._position - begin + 1
        return parser

    def _notice(self, token: Token) -> None:
        """Remembers the next declaration's keyword if it was taken for a name: then something before it is missing."""
        if token.start_pos in self._begins:
            if token.type != "NAME":
                self._swallowed = None
            elif self._swallowed is None:
                self._swallowed = (token, len(self._tokens), tuple(self._brackets))

    def _longer(self, token: Token) -> Token | None:
        """The whole of a word that only begins with a word of the language, where Lark would split it: `keeps`."""
        rest = _WORD.match(self._source.text, cast(int, token.end_pos))
        if rest is None or token.type == "NAME" or not token.isalpha():
            return None
        whole = Token.new_borrow_pos("NAME", token + rest[0], token)
        whole.end_column = cast(int, token.end_column) + len(rest[0])
        return whole

    def _take(self, token: Token) -> None:
        if token.type in DECLARATIONS and token.start_pos in self._begins:
            self._tokens, self._brackets = [], []
        self._tokens.append(token)
        if token.type in CLOSING:
            self._brackets.append(token)
        elif token.type in CLOSING.values() and self._brackets:
            self._brackets.pop()

    def _stop(self, token: Token | None) -> None:
        if self._swallowed is not None:
            keyword, taken, brackets = self._swallowed
            token = Token.new_borrow_pos(keyword.upper(), keyword, keyword)
            self._tokens, self._brackets = self._tokens[:taken], list(brackets)
        self.stopped = len(self._source.text) if token is None else cast(int, token.start_pos)
        self.problem = explain(Stop(self._source, token, self._accepted(token), self._tokens, self._brackets, _words()))

    def _accepted(self, stop: Token | None) -> frozenset[str]:
        """What the parser could take where it stopped. It runs again: a token it cannot take changes its state."""
        parser = self._parser()
        with suppress(UnexpectedInput):
            for token in parser.lexer_thread.lex(parser.parser_state):
                if stop is not None and cast(int, token.start_pos) >= cast(int, stop.start_pos):
                    break
                parser.feed_token(token)
        return frozenset(parser.accepts())


@cache
def _words() -> Mapping[str, str]:
    """The terminals that are one text each, with that text."""
    fixed = {t.name: t.pattern.value for t in grammar().terminals if isinstance(t.pattern, PatternStr)}
    return MappingProxyType(fixed | {"_AT_ONCE": "at once", "_AT_MOST_ONCE": "at most once"})


# ---------- the tree


def _only(kind: type[Node] | tuple[type[Node], ...], children: Iterable[object]) -> tuple[Node, ...]:
    return tuple(c for c in children if isinstance(c, kind))


def _texts(children: Iterable[object]) -> tuple[str, ...]:
    return tuple(str(c) for c in children if isinstance(c, Token))


def _number(token: str) -> int:
    return int(token.replace("_", "").lstrip("0") or "0")


_Tags = tuple[str, ...]
_Record = tuple[syntax.AssignmentTerm, ...]
_Body = tuple[syntax.Stmt, ...]


@v_args(inline=True, meta=True)
class _Build(Transformer_NonRecursive[Token, Any]):
    """One method a rule (or alias) of the grammar: from its children, left to right, to a syntax node."""

    def __init__(self, source: Source, comments: tuple[syntax.Comment, ...]) -> None:
        super().__init__(visit_tokens=False)
        self._source = source
        self._comments = comments
        self.problems: list[Diagnostic] = []
        self._lines = source.text.split("\n")
        self._docs = {c.line: c.text for c in comments if c.own_line and c.text.startswith("##")}

    def _at(self, meta: Meta) -> Location:
        if meta.empty:
            return Location(self._source, 1, 1, 1, 1)
        return Location(self._source, meta.line, meta.column, meta.end_line, meta.end_column)

    def _doc(self, meta: Meta) -> str:
        lines: list[str] = []
        line = meta.line - 1 if not self._lines[meta.line - 1][: meta.column - 1].strip() else 0
        while line in self._docs:
            lines.insert(0, self._docs[line][2:].removeprefix(" "))
            line -= 1
        return "\n".join(lines)

    # ----- declarations

    def start(self, meta: Meta, *declarations: syntax.Declaration) -> syntax.File:
        return syntax.File(self._source, declarations, self._comments)

    def import_(self, meta: Meta, library: Token | None, path: Token) -> syntax.Import:
        return syntax.Import(path[1:-1], library is not None, self._at(meta))

    def schema(self, meta: Meta, name: Token, *parts: object) -> syntax.SchemaDeclaration:
        fields = _only(syntax.FieldDeclaration, parts)
        members = tuple(cast(syntax.Member, p) for p in parts if not isinstance(p, syntax.FieldDeclaration))
        return syntax.SchemaDeclaration(str(name), fields, members, self._doc(meta), self._at(meta))

    def field(self, meta: Meta, *parts: Token | syntax.FieldDeclaration) -> syntax.FieldDeclaration:
        (kind,) = _only(syntax.FieldDeclaration, parts)
        return syntax.FieldDeclaration(_texts(parts), kind.kind, kind.limits, kind.names, kind.oracle, self._at(meta))

    def _type(
        self, meta: Meta, kind: Literal["int", "bool", "key", "enum"], parts: tuple[object, ...]
    ) -> syntax.FieldDeclaration:
        oracle = next((p for p in parts if p in ("query", "window") and not isinstance(p, Token)), None)
        limits = _only(syntax.Limit, parts)
        return syntax.FieldDeclaration((), kind, limits, _texts(parts), cast(Any, oracle), self._at(meta))

    def int_type(self, meta: Meta, *parts: object) -> syntax.FieldDeclaration:
        return self._type(meta, "int", parts)

    def bool_type(self, meta: Meta, *parts: object) -> syntax.FieldDeclaration:
        return self._type(meta, "bool", parts)

    def key_type(self, meta: Meta, *parts: object) -> syntax.FieldDeclaration:
        return self._type(meta, "key", parts)

    def enum_type(self, meta: Meta, *parts: object) -> syntax.FieldDeclaration:
        return self._type(meta, "enum", parts)

    def bound(self, meta: Meta, operator: Token, value: syntax.Number) -> syntax.Limit:
        return syntax.Limit(cast(Any, str(operator)), value.value, self._at(meta))

    def oracle(self, meta: Meta, origin: Token) -> str:
        return str(origin)

    def link(self, meta: Meta, name: Token, source: _Tags | None, target: _Tags | None) -> syntax.LinkDeclaration:
        return syntax.LinkDeclaration(str(name), source, target, self._at(meta))

    def tags(self, meta: Meta, *names: Token) -> _Tags:
        return _texts(names)

    def control(self, meta: Meta, variable: Token, condition: syntax.Expr) -> syntax.ControlDeclaration:
        return syntax.ControlDeclaration(str(variable), condition, self._at(meta))

    def assume(self, meta: Meta, condition: syntax.Expr) -> syntax.AssumeDeclaration:
        return syntax.AssumeDeclaration(condition, self._at(meta))

    def unit(self, meta: Meta, name: Token, variable: Token, condition: syntax.Expr) -> syntax.UnitDeclaration:
        return syntax.UnitDeclaration(str(name), str(variable), condition, self._at(meta))

    def written(
        self, meta: Meta, name: Token, schema: Token, *items: syntax.WindowEntry | syntax.LinkFact
    ) -> syntax.WindowDeclaration:
        return syntax.WindowDeclaration(str(name), str(schema), items, self._doc(meta), self._at(meta))

    def entry(
        self,
        meta: Meta,
        archived: Token | None,
        created: Token | None,
        identity: Token,
        tag: Token,
        *values: syntax.FieldValue | None,
    ) -> syntax.WindowEntry:
        given = _only(syntax.FieldValue, values)
        return syntax.WindowEntry(
            str(identity), str(tag), given, archived is not None, self._at(meta), created=created is not None
        )

    def value(self, meta: Meta, field: Token, constant: Any) -> syntax.FieldValue:
        value = constant.value if isinstance(constant, syntax.Number) else constant
        return syntax.FieldValue(str(field), value, self._at(meta))

    def value_true(self, meta: Meta, field: Token) -> syntax.FieldValue:
        return syntax.FieldValue(str(field), True, self._at(meta))

    def value_false(self, meta: Meta, field: Token) -> syntax.FieldValue:
        return syntax.FieldValue(str(field), False, self._at(meta))

    def constant_name(self, meta: Meta, name: Token) -> str:
        return str(name)

    def constant_truth(self, meta: Meta, truth: Token) -> bool:
        return str(truth) == "true"

    def constant_none(self, meta: Meta) -> str:
        return "none"

    def link_fact(self, meta: Meta, source: Token, link: Token, target: Token) -> syntax.LinkFact:
        return syntax.LinkFact(str(source), str(link), str(target), self._at(meta))

    def predicate(
        self, meta: Meta, name: Token, parameters: tuple[syntax.Parameter, ...], schema: Token | None, body: syntax.Expr
    ) -> syntax.PredicateDeclaration:
        of = None if schema is None else str(schema)
        return syntax.PredicateDeclaration(str(name), parameters, of, body, self._doc(meta), self._at(meta))

    def property(
        self, meta: Meta, name: Token, parameters: tuple[syntax.Parameter, ...], body: syntax.Promise
    ) -> syntax.PropertyDeclaration:
        return syntax.PropertyDeclaration(str(name), parameters, body, self._doc(meta), self._at(meta))

    def always(
        self,
        meta: Meta,
        kind: Token,
        window: Token,
        start: Token | None,
        condition: syntax.Expr | None,
        *rest: syntax.Binder | syntax.Expr,
    ) -> syntax.Always:
        binders, body = _only(syntax.Binder, rest), cast(syntax.Expr, rest[-1])
        first = None if start is None else str(start)
        return syntax.Always(cast(Any, str(kind)), str(window), first, condition, None, binders, body, self._at(meta))

    def always_then(
        self, meta: Meta, kind: Token, before: Token, window: Token, *rest: syntax.Binder | syntax.Expr
    ) -> syntax.Always:
        binders, body = _only(syntax.Binder, rest), cast(syntax.Expr, rest[-1])
        return syntax.Always(cast(Any, str(kind)), str(window), None, None, str(before), binders, body, self._at(meta))

    def at_most_once(self, meta: Meta, binder: syntax.Binder, body: syntax.Expr) -> syntax.AtMostOnce:
        return syntax.AtMostOnce(binder, body, self._at(meta))

    def parameters(self, meta: Meta, *parameters: syntax.Parameter | None) -> tuple[syntax.Parameter, ...]:
        return _only(syntax.Parameter, parameters)

    def parameter(
        self, meta: Meta, name: Token, kind: Token | None = None, *limits: syntax.Limit | None
    ) -> syntax.Parameter:
        known = None if kind is None else str(kind)
        return syntax.Parameter(str(name), cast(Any, known), _only(syntax.Limit, limits), self._at(meta))

    def policy(
        self, meta: Meta, name: Token, parameters: tuple[syntax.Parameter, ...] | None, schema: Token, body: _Body
    ) -> syntax.PolicyDeclaration:
        return syntax.PolicyDeclaration(str(name), parameters or (), str(schema), body, self._doc(meta), self._at(meta))

    def plan(
        self,
        meta: Meta,
        name: Token,
        parameters: tuple[syntax.Parameter, ...] | None,
        preposition: Token,
        base: Token,
        body: _Body,
    ) -> syntax.PlanDeclaration:
        on, of = (str(base), None) if preposition == "on" else (None, str(base))
        return syntax.PlanDeclaration(str(name), parameters or (), on, of, body, self._doc(meta), self._at(meta))

    def session(
        self,
        meta: Meta,
        word: Token,
        name: Token,
        parameters: tuple[syntax.Parameter, ...] | None,
        schema: Token,
        *members: syntax.SessionMember,
    ) -> syntax.SessionDeclaration:
        return syntax.SessionDeclaration(
            str(name), parameters or (), str(schema), members, self._doc(meta), self._at(meta)
        )

    def start_(self, meta: Meta, condition: syntax.Expr) -> syntax.Start:
        return syntax.Start(condition, self._at(meta))

    def turn(self, meta: Meta, body: _Body) -> syntax.Turn:
        return syntax.Turn(body, self._at(meta))

    def tombstones(self, meta: Meta, store: Token, record: _Record = ()) -> syntax.Keeping:
        return syntax.Keeping("tombstones", cast(Any, str(store)), record, self._at(meta))

    def ledger(self, meta: Meta, store: Token, record: _Record = ()) -> syntax.Keeping:
        return syntax.Keeping("ledger", cast(Any, str(store)), record, self._at(meta))

    def invariant(self, meta: Meta, condition: syntax.Expr) -> syntax.Invariant:
        return syntax.Invariant(condition, self._at(meta))

    def check(self, meta: Meta, target: syntax.Reference, *parts: object) -> syntax.CheckDeclaration:
        properties = _only(syntax.Reference, parts)
        assumptions, within, expect = parts[-3:]
        limits = cast("dict[str, int] | None", within) or {}
        return syntax.CheckDeclaration(
            target,
            properties,
            cast("tuple[syntax.Expr, ...] | None", assumptions) or (),
            limits.get("spans"),
            limits.get("turns"),
            cast("str | None", expect),
            self._doc(meta),
            self._at(meta),
        )

    def assuming(self, meta: Meta, *conditions: syntax.Expr) -> tuple[syntax.Expr, ...]:
        return conditions

    def within(self, meta: Meta, *words: Token | None) -> dict[str, int]:
        limits = [w for w in words if w is not None]
        return {str(word): _number(number) for number, word in zip(limits[::2], limits[1::2], strict=True)}

    def expect(self, meta: Meta, verdict: Token) -> str:
        return str(verdict)

    def reference(self, meta: Meta, name: Token, arguments: tuple[syntax.Argument, ...] | None) -> syntax.Reference:
        return syntax.Reference(str(name), arguments, self._at(meta))

    def arguments(self, meta: Meta, *arguments: syntax.Argument | None) -> tuple[syntax.Argument, ...]:
        return _only(syntax.Argument, arguments)

    def argument(self, meta: Meta, value: syntax.Expr) -> syntax.Argument:
        return syntax.Argument(None, value, self._at(meta))

    def named_argument(self, meta: Meta, name: Token, value: syntax.Expr) -> syntax.Argument:
        return syntax.Argument(str(name), value, self._at(meta))

    # ----- statements

    def block(self, meta: Meta, *statements: syntax.Stmt) -> _Body:
        return statements

    def at_once(self, meta: Meta, body: _Body) -> syntax.AtOnce:
        return syntax.AtOnce(body, self._at(meta))

    def when(self, meta: Meta, condition: syntax.Expr) -> syntax.When:
        return syntax.When(condition, self._at(meta))

    def keep(self, meta: Meta, selector: syntax.Selector) -> syntax.Keep:
        return syntax.Keep(selector, self._at(meta))

    def evict(self, meta: Meta, may: Token | None, selector: syntax.Selector, logged: Token | None) -> syntax.Evict:
        return syntax.Evict(selector, may is not None, logged is not None, self._at(meta))

    def set_(self, meta: Meta, may: Token | None, selector: syntax.Selector, record: _Record) -> syntax.Set:
        return syntax.Set(selector, record, may is not None, self._at(meta))

    def summarize(
        self,
        meta: Meta,
        may: Token | None,
        selector: syntax.Selector,
        reading: syntax.Selector | None,
        record: _Record,
        place: syntax.PlaceTerm | None,
    ) -> syntax.Summarize:
        return syntax.Summarize(selector, reading, record, place, may is not None, self._at(meta))

    def insert(self, meta: Meta, record: _Record, place: syntax.PlaceTerm) -> syntax.Insert:
        return syntax.Insert(record, place, self._at(meta))

    def readmit(
        self,
        meta: Meta,
        may: Token | None,
        selector: syntax.Selector,
        place: syntax.PlaceTerm | None,
        override: Token | None,
    ) -> syntax.Readmit:
        return syntax.Readmit(selector, place, override is not None, may is not None, self._at(meta))

    def move(self, meta: Meta, selector: syntax.Selector, place: syntax.PlaceTerm) -> syntax.Move:
        return syntax.Move(selector, place, self._at(meta))

    def let(self, meta: Meta, name: Token, term: syntax.SetTerm | syntax.Snap | syntax.Expr) -> syntax.Let:
        return syntax.Let(str(name), term, self._at(meta))

    def set_term(
        self, meta: Meta, may: Token | None, archived: Token | None, variable: Token, condition: syntax.Expr
    ) -> syntax.SetTerm:
        return syntax.SetTerm(str(variable), condition, archived is not None, may is not None, self._at(meta))

    def snap(
        self,
        meta: Meta,
        span: Token,
        direction: Token,
        variable: Token,
        condition: syntax.Expr,
        otherwise: syntax.Expr | None,
    ) -> syntax.Snap:
        return syntax.Snap(str(span), cast(Any, str(direction)), str(variable), condition, otherwise, self._at(meta))

    def refuse(self, meta: Meta, condition: syntax.Expr, reason: Token) -> syntax.Refuse:
        return syntax.Refuse(condition, reason[1:-1], self._at(meta))

    def gate(self, meta: Meta, *properties: syntax.Reference) -> syntax.Gate:
        return syntax.Gate(properties, self._at(meta))

    def apply(self, meta: Meta, policy: syntax.Reference) -> syntax.Apply:
        return syntax.Apply(policy, self._at(meta))

    def branch(self, meta: Meta, condition: syntax.Expr, then: _Body, otherwise: _Body | None) -> syntax.Branch:
        return syntax.Branch(condition, then, otherwise, self._at(meta))

    def repeat(self, meta: Meta, times: Token, condition: syntax.Expr | None, body: _Body) -> syntax.Repeat:
        return syntax.Repeat(_number(times), condition, body, self._at(meta))

    def tiers(self, meta: Meta, target: syntax.Expr, *tiers: _Body) -> syntax.Tiers:
        return syntax.Tiers(target, tiers, self._at(meta))

    def fill(
        self,
        meta: Meta,
        order: Token,
        variable: Token,
        condition: syntax.Expr,
        weight: syntax.Expr,
        cap: syntax.Expr,
    ) -> syntax.Fill:
        return syntax.Fill(order == "newest", str(variable), condition, weight, cap, self._at(meta))

    def because(self, meta: Meta, *selectors: syntax.Selector) -> syntax.Because:
        return syntax.Because(selectors, self._at(meta))

    def delete(self, meta: Meta, *spans: Token) -> syntax.Delete:
        return syntax.Delete(_texts(spans), self._at(meta))

    def rewrite(self, meta: Meta, span: Token, record: _Record) -> syntax.Rewrite:
        return syntax.Rewrite(str(span), record, self._at(meta))

    def merge(self, meta: Meta, *parts: object) -> syntax.Merge:
        record, place = parts[-2:]
        return syntax.Merge(_texts(parts), cast(_Record, record), cast(Any, place), self._at(meta))

    def arrive(self, meta: Meta, most: Token | None, variable: Token, condition: syntax.Expr) -> syntax.Arrive:
        number = None if most is None else _number(most)
        return syntax.Arrive(number, str(variable), condition, self._at(meta))

    def selector(self, meta: Meta, name: Token, condition: syntax.Expr | None) -> syntax.Selector:
        return syntax.Selector(str(name), condition, self._at(meta))

    def place_end(self, meta: Meta, which: Token) -> syntax.PlaceAt:
        return syntax.PlaceAt(cast(Any, str(which)), self._at(meta))

    def place_beside(self, meta: Meta, side: Token, span: Token) -> syntax.PlaceBeside:
        return syntax.PlaceBeside(cast(Any, str(side)), str(span), self._at(meta))

    def record(self, meta: Meta, *assignments: syntax.AssignmentTerm | None) -> _Record:
        return _only(syntax.AssignmentTerm, assignments)

    def assign(self, meta: Meta, field: Token, value: syntax.Expr) -> syntax.AssignmentTerm:
        return syntax.AssignmentTerm(str(field), "=", value, self._at(meta))

    def assign_any(self, meta: Meta, field: Token) -> syntax.AssignmentTerm:
        return syntax.AssignmentTerm(str(field), "any", None, self._at(meta))

    def assign_open(self, meta: Meta, field: Token, operator: Token, value: syntax.Expr) -> syntax.AssignmentTerm:
        return syntax.AssignmentTerm(str(field), cast(Any, str(operator)), value, self._at(meta))

    def assign_true(self, meta: Meta, field: Token) -> syntax.AssignmentTerm:
        at = self._at(meta)
        return syntax.AssignmentTerm(str(field), "=", syntax.Truth(True, at), at)

    def assign_false(self, meta: Meta, field: Token) -> syntax.AssignmentTerm:
        at = self._at(meta)
        return syntax.AssignmentTerm(str(field), "=", syntax.Truth(False, at), at)

    # ----- expressions

    def expr(self, meta: Meta, *parts: _Part) -> syntax.Expr:
        seen = False
        for part in parts:
            if isinstance(part, _Head):
                seen = False
            elif isinstance(part, Token) and part.type == "IFF":
                if seen:
                    hint = "put one of them in parentheses: `(a iff b) iff c`"
                    message = "a second `iff` follows the first"
                    self.problems.append(Diagnostic("S012", message, at(self._source, part), hint))
                seen = True
        return _expression(parts)

    def parenthesized(self, meta: Meta, item: syntax.Expr) -> syntax.Expr:
        return replace(item, location=self._at(meta))

    def compare(self, meta: Meta, left: syntax.Expr, operator: Token, right: syntax.Expr) -> syntax.Binary:
        return syntax.Binary(cast(Any, str(operator)), left, right, self._at(meta))

    def in_names(self, meta: Meta, item: syntax.Expr, negated: Token | None, names: tuple[str, ...]) -> syntax.InNames:
        return syntax.InNames(item, names, negated is not None, self._at(meta))

    def in_window(
        self, meta: Meta, item: syntax.Expr, negated: Token | None, container: syntax.Expr
    ) -> syntax.InWindow:
        return syntax.InWindow(item, container, negated is not None, self._at(meta))

    def order(
        self,
        meta: Meta,
        left: syntax.Expr,
        negated: Token | None,
        direction: Token,
        right: syntax.Expr,
        window: syntax.Expr | None,
    ) -> syntax.Order:
        return syntax.Order(left, cast(Any, str(direction)), right, negated is not None, window, self._at(meta))

    def linked(self, meta: Meta, left: syntax.Expr, link: Token, right: syntax.Expr) -> syntax.LinkTest:
        return syntax.LinkTest(left, str(link), right, self._at(meta))

    def reaches(
        self, meta: Meta, left: syntax.Expr, right: syntax.Expr, link: Token, window: syntax.Expr | None
    ) -> syntax.ReachTest:
        return syntax.ReachTest(left, right, str(link), window, self._at(meta))

    def names(self, meta: Meta, *names: Token) -> tuple[str, ...]:
        return _texts(names)

    def sum(self, meta: Meta, *parts: _Part) -> syntax.Expr:
        return _arithmetic(parts)

    def percent(self, meta: Meta, number: Token) -> _Head:
        value = _number(number)
        return _Head(lambda of, at: syntax.Percent(value, of, at), self._at(meta))

    def attribute(self, meta: Meta, base: syntax.Expr, name: Token) -> syntax.Attribute:
        return syntax.Attribute(base, str(name), self._at(meta))

    def index(self, meta: Meta, window: syntax.Expr, span: Token) -> syntax.Index:
        return syntax.Index(window, str(span), self._at(meta))

    def call(self, meta: Meta, function: Token, *arguments: syntax.Expr | None) -> syntax.Call:
        return syntax.Call(str(function), tuple(a for a in arguments if a is not None), self._at(meta))

    def power(self, meta: Meta, policy: Token, exponent: syntax.Expr, window: syntax.Expr) -> syntax.Power:
        return syntax.Power(str(policy), exponent, window, self._at(meta))

    def number(self, meta: Meta, digits: Token) -> syntax.Number:
        return syntax.Number(_number(digits), self._at(meta))

    def negative_number(self, meta: Meta, digits: Token) -> syntax.Number:
        return syntax.Number(-_number(digits), self._at(meta))

    def truth(self, meta: Meta, value: Token) -> syntax.Truth:
        return syntax.Truth(value == "true", self._at(meta))

    def none(self, meta: Meta) -> syntax.Nothing:
        return syntax.Nothing(self._at(meta))

    def name(self, meta: Meta, name: Token) -> syntax.NameRef:
        return syntax.NameRef(str(name), self._at(meta))

    def count(
        self, meta: Meta, variable: Token, domain: syntax.Expr | None, condition: syntax.Expr | None
    ) -> syntax.CountTerm:
        return syntax.CountTerm(str(variable), domain, condition, self._at(meta))

    def count_units(self, meta: Meta, unit: Token, side: Token, span: Token) -> syntax.UnitCount:
        return syntax.UnitCount(str(unit), cast(Any, str(side)), str(span), self._at(meta))

    def total(self, meta: Meta, weight: syntax.Expr, condition: syntax.Expr | None) -> syntax.TotalTerm:
        return syntax.TotalTerm(weight, condition, self._at(meta))

    def quantifier(self, meta: Meta, kind: Token, *binders: syntax.Binder) -> _Head:
        return _Head(lambda body, at: syntax.Quantifier(cast(Any, str(kind)), binders, body, at), self._at(meta))

    def binder(
        self, meta: Meta, name: Token, domain: syntax.Expr | syntax.Range | None, condition: syntax.Expr | None
    ) -> syntax.Binder:
        return syntax.Binder(str(name), domain, condition, self._at(meta))

    def range(self, meta: Meta, low: syntax.Expr, high: syntax.Expr) -> syntax.Range:
        return syntax.Range(low, high, self._at(meta))

    def if_(self, meta: Meta, condition: syntax.Expr, then: syntax.Expr) -> _Head:
        return _Head(lambda otherwise, at: syntax.Conditional(condition, then, otherwise, at), self._at(meta))

    def pick(self, meta: Meta, which: Token, archived: Token | None, variable: Token) -> _Head:
        late, name = archived is not None, str(variable)
        return _Head(lambda body, at: syntax.PickTerm(cast(Any, str(which)), late, name, body, at), self._at(meta))


# ---------- chains of operators


@dataclass(frozen=True, slots=True)
class _Head:
    """What stands before the last part of a quantifier, an `if`, a pick or a percentage; `build` makes the whole."""

    build: Callable[[syntax.Expr, Location], syntax.Expr]
    location: Location


_Part = Token | _Head | syntax.Expr


def _expression(parts: tuple[_Part, ...]) -> syntax.Expr:
    """The tree of a flat chain. What follows a head belongs to it, so heads are read from the last one on."""
    rest = list(parts)
    for place in reversed([n for n, part in enumerate(rest) if isinstance(part, _Head)]):
        head = rest[place]
        assert isinstance(head, _Head)
        body = _operators(rest[place + 1 :])
        rest[place:] = [head.build(body, _spanning(head.location, body.location))]
    return _operators(rest)


def _operators(parts: list[_Part]) -> syntax.Expr:
    """The tree of a chain without heads: operands, `not` before some of them, and the operators between them."""
    operands, operators = _split(parts, lambda item, at: syntax.Not(item, at))
    for operator in ("and", "or"):
        operands, operators = _grouped(operands, operators, frozenset({operator}), _junction)
    for operator in ("implies", "iff"):
        operands, operators = _from_the_right(operator, operands, operators)
    return operands[0]


def _arithmetic(parts: tuple[_Part, ...]) -> syntax.Expr:
    """The tree of a chain of sums and products: operands, signs and percentages before some, operators between."""
    operands, operators = _split(parts, lambda item, at: syntax.Negative(item, at))
    for kinds in (frozenset({"*", "/", "mod"}), frozenset({"+", "-"})):
        operands, operators = _grouped(operands, operators, kinds, _chain)
    return operands[0]


_Whole = Callable[[syntax.Expr, Location], syntax.Expr]


def _split(parts: Iterable[_Part], sign: _Whole) -> tuple[list[syntax.Expr], list[str]]:
    """The operands, each with what stands before it taken in, and the operators between them."""
    operands: list[syntax.Expr] = []
    operators: list[str] = []
    before: list[Token | _Head] = []
    awaited = True  # an operand, with signs before it; else an operator
    for part in parts:
        match part:
            case Token() if not awaited:
                operators.append(str(part))
                awaited = True
            case Token() | _Head():
                before.append(part)
            case operand:
                for head in reversed(before):
                    if isinstance(head, _Head):
                        operand = head.build(operand, _spanning(head.location, operand.location))
                    else:
                        start = at(operand.location.source, head)
                        operand = sign(operand, _spanning(start, operand.location))
                operands.append(operand)
                before = []
                awaited = False
    return operands, operators


def _grouped(
    operands: list[syntax.Expr],
    operators: list[str],
    kinds: frozenset[str],
    build: Callable[[list[syntax.Expr], list[str]], syntax.Expr],
) -> tuple[list[syntax.Expr], list[str]]:
    """Neighbours with an operator of these kinds between them become one."""
    groups: list[tuple[list[syntax.Expr], list[str]]] = [([operands[0]], [])]
    left: list[str] = []
    for between, operand in zip(operators, operands[1:], strict=True):
        if between in kinds:
            groups[-1][0].append(operand)
            groups[-1][1].append(between)
        else:
            left.append(between)
            groups.append(([operand], []))
    return [build(items, between) if between else items[0] for items, between in groups], left


def _junction(items: list[syntax.Expr], operators: list[str]) -> syntax.Junction:
    place = _spanning(items[0].location, items[-1].location)
    return syntax.Junction(cast(Any, operators[0]), tuple(items), place)


def _chain(items: list[syntax.Expr], operators: list[str]) -> syntax.Chain:
    rest = tuple((cast(Any, o), item) for o, item in zip(operators, items[1:], strict=True))
    return syntax.Chain(items[0], rest, _spanning(items[0].location, items[-1].location))


def _from_the_right(
    operator: str, operands: list[syntax.Expr], operators: list[str]
) -> tuple[list[syntax.Expr], list[str]]:
    """Two neighbours with this operator between them become one, the last two first."""
    done, left = [operands[-1]], []
    for between, operand in zip(reversed(operators), reversed(operands[:-1]), strict=True):
        if between == operator:
            right = done.pop()
            at_both = _spanning(operand.location, right.location)
            done.append(syntax.Binary(cast(Any, operator), operand, right, at_both))
        else:
            left.append(between)
            done.append(operand)
    return done[::-1], left[::-1]


def _spanning(first: Location, last: Location) -> Location:
    return replace(first, end_line=last.end_line, end_column=last.end_column)
