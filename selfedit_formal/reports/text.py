"""Results as text for a person: a line per check, and a refuted one drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from selfedit_formal.core.certificate import Certificate
from selfedit_formal.core.property import Case, Obligation
from selfedit_formal.core.verdict import (
    Bounded,
    Failed,
    Induction,
    Proved,
    Refuted,
    Result,
    RunEnd,
    Unknown,
    Vacuous,
    as_expected,
    spans_text,
    turns_text,
    word,
)
from selfedit_formal.language.write import write_window
from selfedit_formal.reports.layout import GLUE, Line, Piece, Style, TableCell, indent, line, paragraph, table
from selfedit_formal.reports.names import property_title, slug, title, unlike
from selfedit_formal.reports.picture import Gone, PassCell, Picture, Row, Table
from selfedit_formal.reports.proof import induction_lines, proof
from selfedit_formal.reports.session import at_rest, drawn
from selfedit_formal.reports.why import why
from selfedit_formal.semantics.interpreter import passes

INDENT = 4
LABEL = 9


def report(results: Sequence[Result], width: int, seconds: float, *, verbose: bool = False) -> tuple[Line, ...]:
    """All results, grouped by file, and a summary. `seconds` is the time of the whole run."""
    return tuple(line for lines in told(results, lambda: RunEnd(seconds), width, verbose=verbose) for line in lines)


def told(
    results: Iterable[Result], end: Callable[[], RunEnd], width: int, *, verbose: bool = False
) -> Iterator[tuple[Line, ...]]:
    """The lines of each result as it comes, those of a file below its name, and a summary once there are no more.

    A refutation that a check expects is drawn only if `verbose`. A note is told once, of the first check that has it.
    """
    every: list[Result] = []
    notes: dict[str, str] = {}
    names: set[str] = set()
    last: Line = ()
    for result in results:
        lines: list[Line] = []
        if not every or _file(result.obligation) != _file(every[-1].obligation):
            lines += [(), line(_file(result.obligation), "bold")] if last else [line(_file(result.obligation), "bold")]
        name = unlike(slug(result.obligation), names) if isinstance(result.verdict, Refuted) else ""
        lines += check(result, width, verbose=verbose, told=notes, name=name)
        notes = {n: title(result.obligation) for n in result.notes} | notes
        every.append(result)
        last = lines[-1]
        yield tuple(lines)
    yield (*(((),) if last else ()), *summary(every, width, end(), verbose=verbose))


def check(
    result: Result, width: int, *, verbose: bool = False, told: Mapping[str, str] = MappingProxyType({}), name: str = ""
) -> tuple[Line, ...]:
    """One check. `told`: the check of which a note was told already; `name`: what its window is called, if not so."""
    met = as_expected(result)
    lines: list[Line] = [_heading(result, met)]
    inner = width - INDENT
    details: list[Line] = []
    match result.verdict:
        case Refuted() if verbose or not met:
            details += [(), *refutation(result, inner, name), ()]
        case Vacuous(reasons):
            details += paragraph("holds for every window, but", inner)
            for reason in reasons:
                details += paragraph(reason, inner, first="- ", rest="  ")
        case Unknown(reason, smt2):
            details += paragraph(reason, inner)
            if isinstance(smt2, Path):
                details += paragraph(f"the query is in {smt2}: another solver may answer it", inner, "dim")
        case Failed(message):
            details += paragraph("two parts of this tool contradict each other; please report this:", inner, "red")
            for text in message.splitlines():
                details += paragraph(text, inner, first="  ", rest="  ")
        case Proved(certificate=Certificate() as certificate) if verbose:
            details += [*proof(result.obligation, certificate, inner), ()]
        case Proved(induction=Induction() as induction):
            details += induction_lines(induction, inner, verbose=verbose)
        case Refuted() | Bounded() | Proved():
            pass
    for note in dict.fromkeys(f"the same as for `{told[n]}`" if n in told else n for n in result.notes):
        details += paragraph(note, inner, "dim", first="note: ", rest="      ")
    return (*lines, *indent(details, INDENT))


def refutation(result: Result, width: int, name: str = "") -> tuple[Line, ...]:
    """The case that breaks a promise, drawn: spans, passes, rules, the reason, the promise, and the window to paste."""
    assert isinstance(result.verdict, Refuted)
    obligation, case = result.obligation, result.verdict.case
    many = spans_text(result.verdict.spans)
    if obligation.fixed is not None:
        head = "The written-out window breaks it."
    elif not result.verdict.spans:
        head = "The empty window breaks it."
    elif result.verdict.shortest:
        head = f"A window of {many} breaks it; no shorter one does."
    else:
        head = f"A window of {many} breaks it; there may be a shorter one."
    if obligation.turns is not None:
        head = _session_head(result.verdict)
    lines: list[Line] = [line(head), (), *drawn_case(obligation, case, width)]
    name = name or slug(obligation)
    for which, window in case.inputs.items():
        lines.append(())
        called = name if len(case.inputs) == 1 else f"{name}_{which}"
        shown = window if obligation.turns is None else at_rest(window, obligation.turns.session)
        lines += [line(text, "cyan") for text in write_window(shown, called).rstrip().split("\n")]
    return tuple(lines)


def _session_head(verdict: Refuted) -> str:
    """How long a session has to be to break it."""
    turns = verdict.turns or 0
    window = f"a window of {spans_text(verdict.spans)}" if verdict.spans else "the empty window"
    if turns == 0:
        return f"{window[0].upper()}{window[1:]}, from which a session may start, breaks it."
    shorter = "" if verdict.shortest or not verdict.spans else "; there may be a shorter window"
    return f"A session of {turns_text(turns)} from {window} breaks it, and none of fewer turns{shorter}."


def drawn_case(obligation: Obligation, case: Case, width: int) -> tuple[Line, ...]:
    """Any case of an obligation drawn, whether it breaks the promise or not, and the promise."""
    records = passes(obligation, case)
    picture = drawn(obligation, case, records)
    return (*drawing(picture, why(obligation, case, records, picture), width), *_promise(obligation, width))


def drawing(picture: Picture, reasons: Sequence[str], width: int) -> tuple[Line, ...]:
    """The picture laid out: tables, then what acted, why the promise is broken, parameters and choices."""
    lines: list[Line] = []
    for one in picture.tables:
        lines += [*_table(one, width), ()]
    for rule in picture.rules:
        who = f"{rule.who}: " if rule.who else ""
        lines += paragraph(f"{who}{rule.text}  [{rule.place}]", width, first=f"rule {rule.number}".ljust(LABEL))
    lines += _labelled("record", [_recorded(g) for g in picture.gone], width)
    lines += _labelled("note", picture.remarks, width)
    lines += _labelled("why", reasons, width, "bold")
    lines += _labelled("links", picture.broken_links, width)
    lines += _labelled("with", (", ".join(picture.parameters),) if picture.parameters else (), width)
    lines += _labelled("model", picture.choices, width)
    return tuple(lines)


def _recorded(gone: Gone) -> str:
    """What an eviction left behind."""
    rules = f"rule{'s' if len(gone.rules) > 1 else ''} {', '.join(map(str, gone.rules))}" if gone.rules else "a pass"
    evicts = f"{gone.turn}: {rules} evict{'' if len(gone.rules) > 1 else 's'} {gone.span} ({', '.join(gone.record)})"
    match gone.tombstone, gone.ledger:
        case None, None:
            left = "no tombstone, no ledger entry"
        case str(tombstone), None:
            left = f"tombstone {tombstone}, no ledger entry"
        case None, str(ledger):
            left = f"no tombstone, ledger entry {ledger}"
        case tombstone, ledger if tombstone == ledger:
            left = f"tombstone and ledger entry {tombstone}"
        case tombstone, ledger:
            left = f"tombstone {tombstone}, ledger entry {ledger}"
    return f"{evicts}: {left}"


def first_paragraph(documentation: str) -> str:
    """On one line, for places with room for no more."""
    return " ".join(documentation.strip().split("\n\n")[0].split())


def _labelled(label: str, texts: Sequence[str], width: int, style: Style = "") -> list[Line]:
    lines: list[Line] = []
    for number, text in enumerate(texts):
        lines += paragraph(text, width, style, first=("" if number else label).ljust(LABEL))
    return lines


def _promise(obligation: Obligation, width: int) -> list[Line]:
    said = first_paragraph(obligation.promise)
    name = property_title(obligation)
    return _labelled("promise", (f"{name}: {said}" if said else name, obligation.formula), width)


# ---------- the table

STYLES: dict[str, Style] = {
    "kept": "dim",
    "evicted": "red",
    "changed": "yellow",
    "inserted": "green",
    "readmitted": "cyan",
    "moved": "magenta",
}


def _table(one: Table, width: int) -> tuple[Line, ...]:
    marked = max((len(_marker(r)) for r in one.rows), default=0)
    rows = [
        [
            TableCell(_marker(r).ljust(marked).replace(" ", GLUE) + _entry(r), hang=marked + 2),
            *(_cell(c) for c in r.cells),
        ]
        for r in one.rows
    ]
    if not rows:
        return (line(f"{one.input} is empty", "dim"),)
    return table((GLUE * marked + one.input, *one.columns), rows, [r.id for r in one.rows], width)


def _marker(row: Row) -> str:
    return f"{', '.join(row.variables)} = " if row.variables else ""


def _cell(cell: PassCell) -> TableCell:
    by = f" (rule{'s' if len(cell.rules) > 1 else ''} {', '.join(map(str, cell.rules))})" if cell.rules else ""
    text = ", ".join(part.replace(" ", GLUE) for part in cell.text.split(", ")) + by.replace(" ", GLUE).replace(
        GLUE, " ", 1
    )
    return TableCell(text, STYLES.get(cell.mark, "dim"))


def _entry(row: Row) -> str:
    """The record; in parentheses if the span is none of the input's."""
    return _glued(row.entry) if row.given else f"({_glued(row.entry)})"


def _glued(entry: str) -> str:
    """The record, to be wrapped between its fields only."""
    parts = entry.split(", ")
    return ", ".join(p.replace(" ", GLUE) if n else _glued_head(p) for n, p in enumerate(parts))


def _glued_head(part: str) -> str:
    name, brace, first = part.partition("{ ")
    return name.rstrip().replace(" ", GLUE) + (
        " " + GLUE.join((brace.strip(), first.replace(" ", GLUE))) if brace else ""
    )


# ---------- the line of a check, and the summary


def _heading(result: Result, met: bool) -> Line:
    """The verdict, how far, how long, what, and whether that was expected."""
    remarks: list[Piece] = []
    if isinstance(result.verdict, Proved):
        remarks.append(Piece(f"  ({result.verdict.argument})", "dim"))
    if not met:
        remarks.append(Piece(f"  expected: {result.obligation.expect or 'holds'}", "red"))
    elif not isinstance(result.verdict, Proved | Bounded):
        remarks.append(Piece("  as expected", "dim"))
    extent = _extent(result)
    return (
        Piece("  "),
        Piece(word(result.verdict).ljust(9), "green" if met else "red"),
        Piece(f"{extent:14} {result.seconds:>{20 - max(14, len(extent))}.2f} s  ", "dim"),
        Piece(title(result.obligation)),
        *remarks,
    )


def _extent(result: Result) -> str:
    match result.verdict:
        case Proved(induction=Induction()):
            return "any session"
        case Proved():
            return "every window" if result.obligation.fixed is None else "its window"
        case Bounded(spans, _, turns):
            return f"up to {spans_text(spans)}" if turns is None else f"{turns_text(turns)}, {spans_text(spans)}"
        case Refuted(spans=spans, turns=turns):
            return f"by {spans_text(spans)}" if turns is None else f"{turns_text(turns)}, {spans_text(spans)}"
        case Vacuous() | Unknown() | Failed():
            return ""


def summary(results: Sequence[Result], width: int, end: RunEnd, *, verbose: bool = False) -> tuple[Line, ...]:
    """Why some have no proof for every length, and how many of each verdict there are."""
    lines: list[Line] = []
    for reason in dict.fromkeys(_boundless(r.verdict) for r in results if isinstance(r.verdict, Bounded)):
        lines += paragraph(f"no proof for {reason}", width, "dim")
    words = [word(r.verdict) for r in results]
    counts = ", ".join(f"{words.count(w)} {w}" for w in dict.fromkeys(sorted(words, key=_rank)))
    unmet = sum(not as_expected(r) for r in results)
    quiet = sum(isinstance(r.verdict, Refuted) and as_expected(r) for r in results)
    if quiet and not verbose:
        lines += paragraph(
            f"{quiet} expected refutation{'s' * (quiet > 1)} not drawn: --verbose draws them", width, "dim"
        )
    many = len(results) + end.left
    total = f"{f'{len(results)} of ' if end.left else ''}{many} check{'' if many == 1 else 's'}: "
    total += ", ".join(filter(None, (counts, "interrupted" if end.left else ""))) or "nothing to check"
    tail = f"{unmet} not as expected" if unmet else "all as expected" if results and not end.left else ""
    lines.append(
        (
            Piece(total + ("; " if tail else "")),
            Piece(tail, "red" if unmet else "green"),
            Piece(f" ({end.seconds:.1f} s)", "dim"),
        )
    )
    return tuple(lines)


def _boundless(verdict: Bounded) -> str:
    """For what there is no proof and why, the same for every bound."""
    what = "every length" if verdict.turns is None else "any number of turns"
    return f"{what}: {verdict.reason.replace(f'up to {spans_text(verdict.spans)}', 'up to N spans')}"


RANKS = ("proved", "bounded", "refuted", "vacuous", "unknown", "failed")


def _rank(found: str) -> int:
    return RANKS.index(found)


def _file(obligation: Obligation) -> str:
    return obligation.location.source.name if obligation.location is not None else "<no file>"
