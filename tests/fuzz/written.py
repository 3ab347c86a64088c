"""Drawn obligations as `.sef` text, for the resolver to read again and for people to reproduce."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from selfedit_formal.core import expression as e
from selfedit_formal.core import policy as p
from selfedit_formal.core.property import Case, Claim, Obligation
from selfedit_formal.core.traverse import nodes
from selfedit_formal.core.window import Field, Link, Schema
from selfedit_formal.language.write import readable
from selfedit_formal.reports.formula import AND, Writer
from selfedit_formal.semantics.interpreter import breaks

EDITS = (p.Evict, p.Set, p.Insert, p.Readmit, p.Move, p.Fill)


class NoText(Exception):
    """The language has no words for this."""


def text(asked: Obligation) -> str:
    """A file with one policy and one check. Raises NoText."""
    if len(asked.policies) != 1 or any(f.history for f in asked.schema.fields):
        raise NoText
    (policy,) = asked.policies
    bound = {b.variable for b in asked.claim.bound}
    named = {getattr(n, "variable", "") or getattr(n, "name", "") for n in nodes((policy.body, policy.gates))}
    if any(name != said for name, said in readable((named | bound) - {""}).items()):
        raise NoText
    for gate in policy.gates:
        _about_windows(gate.condition, asked.spans)
    _about_windows(asked.claim, asked.spans)
    kind = "plan" if asked.spans else "policy"
    parameters = ", ".join((*asked.spans, *(f"{x.name}: int{_bounds(x.low, x.high)}" for x in asked.parameters)))
    writer = Writer(policy.name, {})
    body = _statements(policy.body, writer, "  ")
    gates = [f"property {g.name}({policy.name}: {kind}) = all W: {writer.formula(g.condition)}\n" for g in policy.gates]
    body += [f"  gate {g.name}" for g in policy.gates]
    given = [x.name for x in asked.parameters if e.Parameter(x.name) in set(nodes(asked.claim))]
    if set(given) & bound:
        raise NoText
    head = f"property promised({', '.join((f'{policy.name}: {kind}', *(f'{g}: int' for g in given)))})"
    arguments = f"({', '.join(given)})" if given else ""
    return "\n".join(
        (
            _schema(asked.schema),
            *gates,
            f"{kind} {policy.name}({parameters}) for {asked.schema.name} {{",
            *body,
            "}",
            f"{head} = {_claim(asked.claim, writer)}",
            f"check {policy.name}: promised{arguments}",
            "",
        )
    )


def _about_windows(item: object, spans: tuple[str, ...]) -> None:
    """A property has no name for a plan's spans."""
    if any(name in spans for n in nodes(item) for name in (getattr(n, "span", ""), getattr(n, "first", ""))):
        raise NoText
    if any(getattr(n, "second", "") in spans for n in nodes(item)):
        raise NoText


def _schema(schema: Schema) -> str:
    fields = "".join(f"  {f.name} : {_type(f)}\n" for f in schema.fields)
    return f"window {schema.name} {{\n{fields}{''.join(map(_link, schema.links))}}}\n"


def _type(field: Field) -> str:
    kind = " | ".join(field.names) if field.kind == "enum" else field.kind + _bounds(field.low, field.high)
    return kind + (f" from {field.oracle}" if field.oracle else "")


def _bounds(low: int | None, high: int | None) -> str:
    return ("" if low is None else f" >= {low}") + ("" if high is None else f" <= {high}")


def _link(link: Link) -> str:
    tags = " | ".join(link.from_tags or ()), " | ".join(link.to_tags or ())
    if link.from_tags is None and link.to_tags is None:
        return f"  link {link.name}\n"
    if link.from_tags is None or link.to_tags is None:
        raise NoText
    return f"  link {link.name} : {tags[0]} -> {tags[1]}\n"


def _claim(claim: Claim, writer: Writer) -> str:
    binders = list(claim.inputs)
    for bound in claim.bound:
        binders.append(f"{bound.variable} in {writer.term(bound.window)}")
    supposed = e.conjunction((claim.premise, claim.antecedent))
    said = writer.formula(claim.consequent)
    if supposed != e.TRUE:
        said = f"({writer.formula(supposed)}) implies ({said})"
    return f"all {', '.join(binders)}: {said}"


def _statements(body: tuple[p.Statement, ...], writer: Writer, indent: str) -> list[str]:
    found: list[str] = []
    for number, item in enumerate(body):
        match item:
            case p.Block(_, condition, inner, True):
                if number != len(body) - 1 or any(isinstance(n, EDITS) for n in nodes(body[:number])):
                    raise NoText  # what comes after an edit is no trigger
                found += [f"{indent}when {_said(condition, writer)}", *_statements(inner, writer, indent)]
            case p.Block(_, condition, inner, False):
                inside = _statements(inner, writer, indent + "  ")
                found += [f"{indent}if {_said(condition, writer)} {{", *inside, f"{indent}}}"]
            case _:
                found.append(indent + _statement(item, writer))
    return found


def _said(item: e.Expression, writer: Writer, place: int = 0) -> str:
    """In a policy the current window is called W."""
    return writer.formula(item, place).replace("in the window", "in W")


def _statement(item: p.Statement, writer: Writer) -> str:
    match item:
        case p.LetSet(_, name, variable, condition, archive, may):
            words = ("may " if may else "") + ("archived " if archive else "")
            return f"let {name} = {words}{variable} where {_said(condition, writer)}"
        case p.LetSpan(_, name, term):
            return f"let {name} = {_term(term, writer)}"
        case p.LetValue(_, name, _, value):
            return f"let {name} = {_said(value, writer)}"
        case p.Keep(_, variable, condition):
            return f"keep {variable} where {_said(condition, writer)}"
        case p.Evict(_, variable, condition, logged):
            return f"evict {variable} where {_said(condition, writer)}{' logged' if logged else ''}"
        case p.Set(_, variable, condition, assignments, _, False):
            return f"set {variable} where {_said(condition, writer)} {_record(assignments, writer)}"
        case p.Insert(_, place, assignments, None, _, False, ""):
            return f"insert {_record(assignments, writer)}{_place(place)}"
        case p.Readmit(_, variable, condition, place, override):
            words = _place(place) + (" override" if override else "")
            return f"readmit {variable} where {_said(condition, writer)}{words}"
        case p.Move(_, variable, condition, place):
            return f"move {variable} where {_said(condition, writer)}{_place(place)}"
        case p.Fill(_, variable, newest, condition, weight, cap):
            side = "newest" if newest else "oldest"
            limits = f"by {_said(weight, writer, AND)} up to {_said(cap, writer, AND)}"
            return f"fill {side} {variable} where ({_said(condition, writer)}) {limits}"
        case p.Refuse(_, condition, reason):
            return f'refuse when {_said(condition, writer)} because "{reason}"'
        case _:
            raise NoText


def _term(term: p.SpanTerm, writer: Writer) -> str:
    match term:
        case p.Pick(which, variable, condition, archive):
            return f"{which} {'archived ' if archive else ''}{variable} where {_said(condition, writer)}"
        case p.SpanNamed(span):
            return span
        case p.SpanIf(condition, then, otherwise):
            return f"if {_said(condition, writer)} then ({_term(then, writer)}) else ({_term(otherwise, writer)})"
        case p.NoSpan():
            return "none"


def _place(place: p.Place) -> str:
    match place:
        case p.End(which):
            return f" at {which}"
        case p.Beside(side, span):
            return f" just {side} {span}"
        case p.Original():
            return ""


def _record(assignments: tuple[p.Assignment, ...], writer: Writer) -> str:
    parts: list[str] = []
    for item in assignments:
        match item:
            case p.Assign(name, value):
                parts.append(f"{name} = {_said(value, writer)}")
            case p.Open(name, None, None):
                parts.append(f"{name} = any")
            case p.Open(name, low, high):
                limits = ((">=", low), ("<=", high))
                parts += [f"{name} {sign} {_said(limit, writer)}" for sign, limit in limits if limit is not None]
    return f"{{ {', '.join(parts)} }}"


def breaks_what_was_read(asked: Obligation, case: Case, read: Obligation) -> bool:
    """Whether the case of the one breaks the other, which is the same, read from its text. What both bind in front is
    in the same order; the resolver moves more there."""
    return any(breaks(read, candidate) for candidate in _cases(asked, case, read))


def _cases(asked: Obligation, case: Case, read: Obligation) -> Iterator[Case]:
    inputs = {name: replace(window, schema=read.schema) for name, window in case.inputs.items()}
    known = {name: case.spans[name] for name in asked.spans}
    ids = [s.id for window in inputs.values() for s in window.spans]
    ids += sorted({key.span for key in case.choices} - set(ids))
    count = len(asked.claim.bound)
    known |= {b.variable: case.spans[a.variable] for a, b in zip(asked.claim.bound, read.claim.bound, strict=False)}
    more = [b.variable for b in read.claim.bound[count:]]
    for chosen in product(ids, repeat=len(more)):
        yield replace(case, inputs=inputs, spans={**known, **dict(zip(more, chosen, strict=True))})
