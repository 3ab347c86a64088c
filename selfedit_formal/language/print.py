"""Syntax nodes to canonical text: `parse(print_file(x)) == x`, and printing what was printed changes nothing.

A comment on a line of its own stays before the same item, a comment behind an item stays behind it, and none is lost.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import zip_longest

from selfedit_formal._frozen import dataclass
from selfedit_formal.core.diagnostics import Location
from selfedit_formal.language import syntax
from selfedit_formal.language.layout import Break, Doc, Group, Nest, flat, joined, lines

WIDTH = 100
INDENT = 2


def print_expression(expression: syntax.Expr) -> str:
    """The expression on one line."""
    return flat(_expression(expression))


def print_promise(promise: syntax.Promise) -> str:
    """What a property says, on one line."""
    return flat(_promise(promise))


def print_reference(reference: syntax.Reference) -> str:
    """`preserves(paired)`."""
    return flat(_reference(reference))


def print_statement(statement: syntax.Stmt) -> str:
    """The statement on one line, blocks too."""
    return flat(_statement(statement))


def print_member(member: syntax.SessionMember) -> str:
    """A part of a session on one line."""
    return flat(_session_member(member).flat())


def print_entry(entry: syntax.WindowEntry) -> str:
    """`A: tool_output { tokens = 900, stale }`."""
    return flat(_entry(entry, 0))


# ---------- expressions
# NOTE(tails) A quantifier, `if` and a pick extend as far right as they can. They stand bare only where nothing follows
# in their chain of operators, which `last` says.

_TAIL, _IFF, _IMPLIES, _OR, _AND, _NOT, _COMPARISON, _SUM, _PRODUCT, _UNARY, _POSTFIX = range(11)


def _level(expression: syntax.Expr) -> int:
    match expression:
        case syntax.Quantifier() | syntax.Conditional() | syntax.PickTerm():
            return _TAIL
        case syntax.Binary(operator="iff"):
            return _IFF
        case syntax.Binary(operator="implies"):
            return _IMPLIES
        case syntax.Junction(operator="or"):
            return _OR
        case syntax.Junction():
            return _AND
        case syntax.Not():
            return _NOT
        case (
            syntax.Binary()
            | syntax.InNames()
            | syntax.InWindow()
            | syntax.Order()
            | syntax.LinkTest()
            | syntax.ReachTest()
        ):
            return _COMPARISON
        case syntax.Chain(rest=rest):
            return _SUM if rest[0][0] in ("+", "-") else _PRODUCT
        case syntax.Percent():
            return _PRODUCT
        case syntax.Negative():
            return _UNARY
        case (
            syntax.Number()
            | syntax.Truth()
            | syntax.Nothing()
            | syntax.NameRef()
            | syntax.Attribute()
            | syntax.Index()
            | syntax.Call()
            | syntax.Power()
            | syntax.CountTerm()
            | syntax.UnitCount()
            | syntax.TotalTerm()
        ):
            return _POSTFIX


def _expression(expression: syntax.Expr, level: int = _TAIL, last: bool = True) -> Doc:
    own = _level(expression)
    if last if own == _TAIL else own >= level:
        return _bare(expression, last)
    return ("(", Nest(1, _bare(expression, True)), ")")


def _operand(expression: syntax.Expr, level: int) -> Doc:
    return _expression(expression, level, last=False)


def _bare(expression: syntax.Expr, last: bool) -> Doc:
    match expression:
        case syntax.Number(value):
            return str(value)
        case syntax.Truth(value):
            return "true" if value else "false"
        case syntax.Nothing():
            return "none"
        case syntax.NameRef(name):
            return name
        case syntax.Attribute(base, name):
            return (_operand(base, _POSTFIX), f".{name}")
        case syntax.Index(window, span):
            return (_operand(window, _POSTFIX), f"[{span}]")
        case syntax.Call(function, arguments):
            return (function, _listed("(", (_expression(a) for a in arguments), ")"))
        case syntax.Power(policy, syntax.Number() | syntax.NameRef() as exponent, window):
            return (f"{policy}^", _expression(exponent), "(", _expression(window), ")")
        case syntax.Power(policy, exponent, window):
            return (f"{policy}^(", _expression(exponent), ")(", _expression(window), ")")
        case syntax.Not(item):
            return ("not ", _expression(item, _NOT, last))
        case syntax.Negative(item):
            return ("-", _operand(item, _UNARY))
        case syntax.Junction(operator, items):
            level = _AND if operator == "or" else _NOT
            docs = [_operand(i, level) for i in items[:-1]] + [_expression(items[-1], level, last)]
            return Group(joined((Break(), f"{operator} "), docs))
        case syntax.Binary(("implies" | "iff") as operator, left, right):
            level = _OR if operator == "implies" else _IMPLIES
            ahead = _expression(right, _IMPLIES, last)
            return Group((_operand(left, level), Nest(INDENT, (Break(), f"{operator} ", ahead))))
        case syntax.Binary(operator, left, right):
            return Group((_operand(left, _SUM), Nest(INDENT, (Break(), f"{operator} ", _operand(right, _SUM)))))
        case syntax.Chain(first, rest):
            level = _PRODUCT if rest[0][0] in ("+", "-") else _UNARY
            more = tuple((Break(), f"{operator} ", _operand(item, level)) for operator, item in rest)
            return Group((_operand(first, level), Nest(INDENT, more)))
        case syntax.Percent(number, of):
            return (f"{number}% of ", _operand(of, _UNARY))
        case syntax.InNames(item, names, negated):
            return (_operand(item, _SUM), " not in " if negated else " in ", _listed("{", names, "}"))
        case syntax.InWindow(item, container, negated):
            return (_operand(item, _SUM), " not in " if negated else " in ", _operand(container, _POSTFIX))
        case syntax.Order(left, direction, right, negated, window):
            test = f" not {direction} " if negated else f" {direction} "
            return (_operand(left, _SUM), test, _operand(right, _SUM), _inside(window))
        case syntax.LinkTest(left, link, right):
            return (_operand(left, _SUM), f" {link} ", _operand(right, _SUM))
        case syntax.ReachTest(left, right, link, window):
            return (_operand(left, _SUM), " reaches ", _operand(right, _SUM), f" along {link}", _inside(window))
        case syntax.Quantifier(kind, binders, body):
            bound = joined(", ", (_binder(b) for b in binders))
            return Group((f"{kind} ", bound, ":", Nest(INDENT, (Break(), _expression(body)))))
        case syntax.Conditional(condition, then, otherwise):
            branches = ((Break(), "then ", _expression(then)), (Break(), "else ", _expression(otherwise)))
            return Group(("if ", _expression(condition), Nest(INDENT, branches)))
        case syntax.PickTerm(which, archived, variable, condition):
            return (f"{which} {_archived(archived)}{variable}", _where(condition))
        case syntax.CountTerm(variable, domain, condition):
            return (f"count({variable}", _inside(domain), _such_that(condition), ")")
        case syntax.UnitCount(unit, side, span):
            return f"count({unit} {side} {span})"
        case syntax.TotalTerm(weight, condition):
            return ("total(", _expression(weight), _such_that(condition), ")")


def _listed(opening: str, items: Iterable[Doc], closing: str) -> Doc:
    return Group((opening, Nest(INDENT, joined((",", Break()), items)), closing))


def _filled(separator: str, items: Iterable[Doc]) -> Doc:
    """As many items on each line as it takes."""
    return joined(Group((separator, Break())), items)


def _inside(window: syntax.Expr | None) -> Doc:
    return "" if window is None else (" in ", _operand(window, _POSTFIX))


def _such_that(condition: syntax.Expr | None) -> Doc:
    return "" if condition is None else Group((":", Nest(INDENT, (Break(), _expression(condition)))))


def _where(condition: syntax.Expr | None) -> Doc:
    return "" if condition is None else (" where ", Nest(2 * INDENT, _expression(condition)))


def _archived(archived: bool) -> str:
    return "archived " if archived else ""


def _binder(binder: syntax.Binder) -> Doc:
    match binder.domain:
        case None:
            domain: Doc = ""
        case syntax.Range(low, high):
            domain = (" in ", _operand(low, _SUM), "..", _operand(high, _SUM))
        case window:
            domain = _inside(window)
    return (binder.name, domain, _where(binder.condition))


def _reference(reference: syntax.Reference) -> Doc:
    if reference.arguments is None:
        return reference.name
    return (reference.name, _listed("(", (_argument(a) for a in reference.arguments), ")"))


def _argument(argument: syntax.Argument) -> Doc:
    return (f"{argument.name} = " if argument.name is not None else "", _expression(argument.value))


# ---------- statements


def _statement(statement: syntax.Stmt) -> Doc:
    """On one line. Blocks are `{ a   b }`."""
    return tuple(part if not isinstance(part, _Block) else part.flat() for part in _statement_parts(statement))


@dataclass(frozen=True, slots=True)
class _Block:
    """The statements between the braces that a statement or declaration has."""

    body: tuple[syntax.Stmt, ...]

    def flat(self) -> Doc:
        if not self.body:
            return "{}"
        return ("{ ", joined(GAP, (_statement(s) for s in self.body)), " }")


GAP = "   "


def _statement_parts(statement: syntax.Stmt) -> tuple[Doc | _Block, ...]:
    match statement:
        case syntax.AtOnce(body):
            return ("at once ", _Block(body))
        case syntax.When(condition):
            return (("when ", _hanging(condition)),)
        case syntax.Keep(selector):
            return (("keep ", _selector(selector)),)
        case syntax.Evict(selector, may, logged):
            return ((_may(may), "evict ", _selector(selector), " logged" if logged else ""),)
        case syntax.Set(selector, record, may):
            return ((_may(may), "set ", _selector(selector), " ", _record(record)),)
        case syntax.Summarize(selector, reading, record, place, may):
            read: Doc = "" if reading is None else (Break(), "reading ", _selector(reading))
            into = (Break(), "into ", _record(record), _place(place))
            return (Group((_may(may), "summarize ", _selector(selector), Nest(2 * INDENT, (read, into)))),)
        case syntax.Insert(record, place):
            return (("insert ", _record(record), _place(place)),)
        case syntax.Readmit(selector, place, override, may):
            return ((_may(may), "readmit ", _selector(selector), _place(place), " override" if override else ""),)
        case syntax.Move(selector, place):
            return (("move ", _selector(selector), _place(place)),)
        case syntax.Let(name, term):
            return (Group((f"let {name} = ", _let_term(term))),)
        case syntax.Refuse(condition, reason):
            because = Nest(2 * INDENT, (Break(), f'because "{reason}"'))
            return (Group(("refuse when ", _hanging(condition), because)),)
        case syntax.Gate(properties):
            return (Group(("gate ", Nest(2 * INDENT, _filled(",", (_reference(p) for p in properties))))),)
        case syntax.Apply(policy):
            return (("apply ", _reference(policy)),)
        case syntax.Branch(condition, then, otherwise):
            alternative = () if otherwise is None else (" else ", _Block(otherwise))
            return (("if ", _hanging(condition), " "), _Block(then), *alternative)
        case syntax.Repeat(times, condition, body):
            limit: Doc = "" if condition is None else ("while ", _hanging(condition), " ")
            return ((f"repeat {times} ", limit), _Block(body))
        case syntax.Tiers(target, tiers):
            more = tuple(part for tier in tiers[1:] for part in (" then ", _Block(tier)))
            return (("until ", _hanging(target), " "), _Block(tiers[0]), *more)
        case syntax.Fill(newest, variable, condition, weight, cap):
            by = Nest(2 * INDENT, (Break(), "by ", _hanging(weight), Break(), "up to ", _hanging(cap)))
            return (Group((f"fill {'newest' if newest else 'oldest'} {variable}", _where(condition), by)),)
        case syntax.Because(selectors):
            return (("because ", joined(", ", (_selector(s) for s in selectors))),)
        case syntax.Delete(spans):
            return (Group(("delete ", Nest(2 * INDENT, joined((",", Break()), spans)))),)
        case syntax.Rewrite(span, record):
            return ((f"rewrite {span} ", _record(record)),)
        case syntax.Merge(spans, record, place):
            made = Nest(2 * INDENT, (Break(), "into ", _record(record), _place(place)))
            return (Group(("merge ", Nest(2 * INDENT, joined(", ", spans)), made)),)
        case syntax.Arrive(most, variable, condition):
            return ((f"arrive {'' if most is None else f'up to {most} '}{variable}", _where(condition)),)


def _let_term(term: syntax.SetTerm | syntax.Snap | syntax.Expr) -> Doc:
    match term:
        case syntax.SetTerm(variable, condition, archived, may):
            return (f"{_may(may)}{_archived(archived)}{variable}", _where(condition))
        case syntax.Snap(span, direction, variable, condition, otherwise):
            fallback = () if otherwise is None else (Nest(2 * INDENT, (Break(), "else ", _expression(otherwise))),)
            return (f"snap {span} {direction} to {variable}", _where(condition), *fallback)
        case _:
            return _hanging(term)


def _hanging(expression: syntax.Expr) -> Doc:
    return Nest(2 * INDENT, _expression(expression))


def _may(may: bool) -> str:
    return "may " if may else ""


def _selector(selector: syntax.Selector) -> Doc:
    return (selector.name, _where(selector.condition))


def _place(place: syntax.PlaceTerm | None) -> Doc:
    match place:
        case None:
            return ""
        case syntax.PlaceAt(which):
            return f" at {which}"
        case syntax.PlaceBeside(side, span):
            return f" just {side} {span}"


def _record(record: tuple[syntax.AssignmentTerm, ...]) -> Doc:
    if not record:
        return "{}"
    return Group(("{ ", Nest(2 * INDENT, joined((",", Break()), (_assignment(a) for a in record))), " }"))


def _assignment(assignment: syntax.AssignmentTerm) -> Doc:
    if assignment.value is None:
        return f"{assignment.field} = any"
    return (f"{assignment.field} {assignment.operator} ", _hanging(assignment.value))


# ---------- declarations


def print_file(file: syntax.File) -> str:
    """The whole file, its comments with it; ends with a line break unless it is empty."""
    docs = {line for d in file.declarations for line in range(d.location.line - len(_doc(d)), d.location.line)}
    comments = [c for c in file.comments if not (c.own_line and c.text.startswith("##") and c.line in docs)]
    printer = _Printer(comments, file.source.text.split("\n"))
    text = printer.items(tuple(_declaration(d) for d in file.declarations), 0, len(printer.source) + 2, [])
    return "".join(f"{line}\n" for line in text)


@dataclass(frozen=True, slots=True)
class _Items:
    """What stands between two brackets, an item a line."""

    items: tuple[_Item, ...]
    opening: str = "{"
    closing: str = "}"


@dataclass(frozen=True, slots=True)
class _Item:
    """Something that begins a line: its text with the bodies in it, and where it was written.

    `alone`: its bodies are always opened. `kind`: neighbours of one kind may stand without a blank line between them.
    """

    parts: tuple[Doc | _Items, ...]
    location: Location
    alone: bool = False
    kind: str | None = None
    doc: tuple[str, ...] = ()

    def flat(self) -> Doc:
        return tuple(part if not isinstance(part, _Items) else _flat_items(part) for part in self.parts)


def _flat_items(body: _Items) -> Doc:
    if not body.items:
        return f"{body.opening}{body.closing}"
    return (f"{body.opening} ", joined(GAP, (item.flat() for item in body.items)), f" {body.closing}")


def _doc(declaration: syntax.Declaration) -> tuple[str, ...]:
    if isinstance(declaration, syntax.Import) or not declaration.doc:
        return ()
    return tuple(f"## {line}".rstrip() for line in declaration.doc.split("\n"))


def _declaration(declaration: syntax.Declaration) -> _Item:
    place, doc = declaration.location, _doc(declaration)
    match declaration:
        case syntax.Import(path, library):
            return _Item((f'import {"library " if library else ""}"{path}"',), place, kind="import")
        case syntax.SchemaDeclaration(name, fields, members):
            width = max((len(f.fields[0]) for f in fields if len(f.fields) == 1), default=0)
            body = tuple(_Item((_field(f, width),), f.location) for f in fields)
            more = tuple(_Item((_member(m),), m.location) for m in members)
            return _Item((f"window {name} ", _Items(body + more)), place, alone=True, doc=doc)
        case syntax.WindowDeclaration(name, schema, items):
            return _Item((f"window {name} of {schema} = ", _Items(_entries(items), "[", "]")), place, True, doc=doc)
        case syntax.PredicateDeclaration(name, parameters, schema, meaning):
            of = f" for {schema}" if schema is not None else ""
            return _Item((_definition(f"predicate {name}", parameters, of, meaning),), place, kind="predicate", doc=doc)
        case syntax.PropertyDeclaration(name, parameters, meaning):
            return _Item((_definition(f"property {name}", parameters, "", meaning),), place, kind="property", doc=doc)
        case syntax.PolicyDeclaration(name, parameters, schema, statements):
            shown = _parameters(parameters) if parameters else ""
            parts = (("policy ", name, shown, f" for {schema} "), _statements(statements))
            return _Item(parts, place, kind="policy", doc=doc)
        case syntax.PlanDeclaration(name, parameters, on, schema, statements):
            shown = _parameters(parameters) if parameters else ""
            where = f" on {on} " if on is not None else f" for {schema} "
            return _Item((("plan ", name, shown, where), _statements(statements)), place, kind="plan", doc=doc)
        case syntax.SessionDeclaration(name, parameters, schema, session_members):
            shown = _parameters(parameters) if parameters else ""
            body = tuple(_session_member(m) for m in session_members)
            parts = (("session ", name, shown, f" of {schema} "), _Items(body))
            return _Item(parts, place, alone=True, doc=doc)
        case syntax.CheckDeclaration(target, properties, assumptions, within, turns, expect):
            promised = Nest(INDENT, _filled(",", (_reference(p) for p in properties)))
            limits = [f"{n} {word}" for n, word in ((within, "spans"), (turns, "turns")) if n is not None]
            assumed = (Break(GAP), "assuming ", Nest(INDENT, joined(", ", (_expression(a) for a in assumptions))))
            tail = (
                assumed if assumptions else "",
                (Break(GAP), f"within {', '.join(limits)}") if limits else "",
                (Break(GAP), f"expect {expect}") if expect is not None else "",
            )
            return _Item(
                (Group(("check ", _reference(target), ": ", promised, Nest(INDENT, tail))),),
                place,
                kind="check",
                doc=doc,
            )


def _definition(head: str, parameters: tuple[syntax.Parameter, ...], of: str, meaning: syntax.Promise) -> Doc:
    return Group((head, _parameters(parameters), of, " =", Nest(INDENT, (Break(), _promise(meaning)))))


def _promise(promise: syntax.Promise) -> Doc:
    match promise:
        case syntax.Always(kind, window, start, condition, before, binders, body):
            earlier = "" if before is None else f"{before} then "
            origin: Doc = "" if start is None else (f" from {start}", _where(condition))
            bound = joined(", ", ((f"{kind} {earlier}{window}", origin), *(_binder(b) for b in binders)))
            return Group((bound, ":", Nest(INDENT, (Break(), _expression(body)))))
        case syntax.AtMostOnce(binder, body):
            return Group(("at most once ", _binder(binder), ":", Nest(INDENT, (Break(), _expression(body)))))
        case expression:
            return _expression(expression)


def _statements(body: tuple[syntax.Stmt, ...]) -> _Items:
    return _Items(tuple(_statement_item(s) for s in body))


def _statement_item(statement: syntax.Stmt) -> _Item:
    parts = tuple(_statements(p.body) if isinstance(p, _Block) else p for p in _statement_parts(statement))
    return _Item(parts, statement.location)


def _field(declared: syntax.FieldDeclaration, width: int) -> Doc:
    limits = "".join(f" {limit.operator} {limit.value}" for limit in declared.limits)
    origin = f" from {declared.oracle}" if declared.oracle is not None else ""
    kind: Doc = f"{declared.kind}{limits}{origin}"
    if declared.kind == "enum":
        kind = Nest(width + 1, _filled(" |", declared.names))
    return (", ".join(declared.fields).ljust(width), " : ", kind)


def _member(member: syntax.Member) -> Doc:
    match member:
        case syntax.LinkDeclaration(name, source, target):
            ends = (
                f" : {' | '.join(source)} -> {' | '.join(target)}" if source is not None and target is not None else ""
            )
            return f"link {name}{ends}"
        case syntax.ControlDeclaration(variable, condition):
            return (f"control {variable}", _where(condition))
        case syntax.AssumeDeclaration(condition):
            return ("assume ", _hanging(condition))
        case syntax.UnitDeclaration(name, variable, condition):
            return (f"unit {name} starts {variable}", _where(condition))


def _session_member(member: syntax.SessionMember) -> _Item:
    place = member.location
    match member:
        case syntax.Start(condition):
            return _Item((("start ", _hanging(condition)),), place)
        case syntax.Turn(body):
            return _Item(("each turn ", _statements(body)), place)
        case syntax.Keeping(of, store, record):
            kept: Doc = (" ", _record(record)) if store == "in_window" else ""
            return _Item(((f"{of} {store}", kept),), place)
        case syntax.Invariant(condition):
            return _Item((("invariant ", _hanging(condition)),), place)


def _entries(items: tuple[syntax.WindowEntry | syntax.LinkFact, ...]) -> tuple[_Item, ...]:
    """An entry a line, and link facts behind the entry on whose line they were written."""
    heads = {_entry_head(i) for i in items if isinstance(i, syntax.WindowEntry) and i.values}
    width = max((len(h) for h in heads), default=0)
    done: list[_Item] = []
    for item in items:
        if isinstance(item, syntax.WindowEntry):
            done.append(_Item((_entry(item, width),), item.location))
            continue
        fact = f"{item.source} {item.link} {item.target}"
        if done and done[-1].location.end_line == item.location.line:
            longer = (*done[-1].parts, GAP, fact)
            if len(flat(_Item(longer, item.location).flat())) <= WIDTH - INDENT:
                done[-1] = _Item(longer, _spanning(done[-1].location, item.location))
                continue
        done.append(_Item((fact,), item.location))
    return tuple(done)


def _spanning(first: Location, last: Location) -> Location:
    return Location(first.source, first.line, first.column, last.end_line, last.end_column)


def _entry_head(entry: syntax.WindowEntry) -> str:
    return f"{_archived(entry.archived)}{'created ' if entry.created else ''}{entry.id}: {entry.tag}"


def _entry(entry: syntax.WindowEntry, width: int) -> Doc:
    if not entry.values:
        return _entry_head(entry)
    values = Nest(2 * INDENT, joined((",", Break()), (_value(v) for v in entry.values)))
    return Group((_entry_head(entry).ljust(width), " { ", values, " }"))


def _value(value: syntax.FieldValue) -> str:
    match value.value:
        case True:
            return value.field
        case False:
            return f"not {value.field}"
        case constant:
            return f"{value.field} = {constant}"


def _parameters(parameters: tuple[syntax.Parameter, ...]) -> Doc:
    return _listed("(", (_parameter(p) for p in parameters), ")")


def _parameter(parameter: syntax.Parameter) -> str:
    limits = "".join(f" {limit.operator} {limit.value}" for limit in parameter.limits)
    return parameter.name if parameter.kind is None else f"{parameter.name}: {parameter.kind}{limits}"


# ---------- lines and comments
# NOTE(comments) Comments are given out in the order written, so each of them is printed once and none passes another.
# One that stands inside an item, where it could have no place, is put before the item and its documentation.


_BRACKETS = re.compile(r'"[^"\n]*"|#[^\n]*|[()\[\]{}\n]')


@dataclass(slots=True)
class _Printer:
    """Gives out the comments in order while items are printed. `source`: the lines that were parsed."""

    comments: list[syntax.Comment]
    source: list[str]
    given: int = 0

    def take(self, line: int) -> list[syntax.Comment]:
        """The comments not yet given out that stand before this line."""
        start = self.given
        while self.given < len(self.comments) and self.comments[self.given].line < line:
            self.given += 1
        return self.comments[start : self.given]

    def items(self, items: tuple[_Item, ...], indent: int, closing: int, lead: list[syntax.Comment]) -> list[str]:
        """A line or more for each item and comment, up to the source line where the closing bracket stands."""
        out: list[str] = []
        margin = " " * indent
        last: _Last | None = None
        for item, follower in zip_longest(items, items[1:]):
            for comment in (*lead, *self.take(item.location.line)):
                out += [*_gap(last, comment.line, indent, comment=True), margin + comment.text]
                last = _Last(comment.line, comment=comment.text)
            lead = []
            moved, text = self.item(item, indent, closing if follower is None else follower.location.line)
            kind = item.kind if not item.doc and (len(text) == 1 or item.kind == "check") else None
            out += _gap(last, item.location.line - len(item.doc), indent, kind=kind)
            out += [margin + comment.text for comment in moved]
            if moved and moved[-1].text.startswith("##") and indent == 0:
                out.append("")
            out += [*item.doc, *text]
            last = _Last(item.location.end_line, kind)
        for comment in (*lead, *self.take(closing)):
            out += [*_gap(last, comment.line, indent, comment=True), margin + comment.text]
            last = _Last(comment.line, comment=comment.text)
        return out

    def item(self, item: _Item, indent: int, following: int) -> tuple[list[syntax.Comment], list[str]]:
        """The comments to put before it, and its lines. `following`: the source line of what comes next."""
        place, margin = item.location, " " * indent
        after = place.end_line if following == place.end_line else place.end_line + 1
        one_line = flat(item.flat())
        fits = place.line == place.end_line and indent + len(one_line) <= WIDTH and not item.alone
        if fits or not any(isinstance(part, _Items) for part in item.parts):
            comments = self.take(after)
            text = [margin + one_line] if fits else lines(item.flat(), indent, WIDTH)
            if comments and not comments[-1].own_line and comments[-1].line == place.end_line:
                text[-1] += f"  {comments.pop().text}"
            return comments, text
        moved: list[syntax.Comment] = []
        out: list[str] = []
        pending: Doc = ""
        closings = iter(self.closings(item))
        for part in item.parts:
            if not isinstance(part, _Items):
                pending = (pending, part)
                continue
            closing = next(closings)
            comments = self.take(part.items[0].location.line if part.items else closing)
            behind = max((n for n, c in enumerate(comments) if not c.own_line), default=-1)
            if out:
                out += [f"{margin}{' ' * INDENT}{comment.text}" for comment in comments[: max(behind, 0)]]
            else:
                moved = comments[: max(behind, 0)]
            if not part.items and not comments:
                pending = (pending, part.opening + part.closing)
                continue
            out += lines((pending, part.opening), indent, WIDTH)
            if behind >= 0:
                out[-1] += f"  {comments[behind].text}"
            out += self.items(part.items, indent + INDENT, closing, comments[behind + 1 :])
            pending = part.closing
        out += lines(pending, indent, WIDTH)
        for comment in self.take(after):
            out[-1] += f"  {comment.text}"
        return moved, out

    def closings(self, item: _Item) -> list[int]:
        """The source line where each of the item's bodies closes."""
        place = item.location
        bodies = sum(isinstance(part, _Items) for part in item.parts)
        if bodies < 2:
            return [place.end_line] * bodies
        depth, line, found = 0, place.line, []
        text = "\n".join(self.source[place.line - 1 : place.end_line])
        for match in _BRACKETS.finditer(text, place.column - 1):
            line += match[0] == "\n"
            depth += (match[0] in "([{") - (match[0] in ")]}")
            if match[0] == "}" and depth == 0:
                found.append(line)
        return found[-bodies:] if len(found) >= bodies else [place.end_line] * bodies  # else: not from a text


@dataclass(frozen=True, slots=True)
class _Last:
    """What was printed last: the source line where it ended, its kind (see `_Item`), the text if it was a comment."""

    line: int
    kind: str | None = None
    comment: str | None = None


def _gap(last: _Last | None, line: int, indent: int, *, kind: str | None = None, comment: bool = False) -> list[str]:
    """A blank line or none between what was printed last and what begins at this source line."""
    if last is None:
        return []
    blank = line - last.line > 1
    if indent == 0 and not blank:
        if last.comment is not None:  # right above a declaration it would be documentation
            blank = not comment and last.comment.startswith("##")
        else:
            blank = last.kind is None or (not comment and last.kind != kind)
    return [""] if blank else []
