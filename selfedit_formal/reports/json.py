"""Results as data for programs, in the shape of `spec/report.schema.json`: what the text says, and cases in full."""

from __future__ import annotations

from collections.abc import Sequence
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selfedit_formal import __version__
from selfedit_formal.core.certificate import Certificate
from selfedit_formal.core.diagnostics import printable
from selfedit_formal.core.expression import Pass
from selfedit_formal.core.policy import statements
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
    word,
)
from selfedit_formal.language.write import write_window
from selfedit_formal.reports.formula import Writer
from selfedit_formal.reports.names import property_title, slug, subject_title, unlike
from selfedit_formal.reports.picture import ActingRule, Gone, lone_run, without_gates
from selfedit_formal.reports.proof import clause, needs
from selfedit_formal.reports.session import at_rest, drawn
from selfedit_formal.reports.why import why
from selfedit_formal.semantics.interpreter import passes
from selfedit_formal.verifying.turns import books

if TYPE_CHECKING:
    from selfedit_formal.core.diagnostics import Diagnostic, Location
    from selfedit_formal.core.expression import Origin
    from selfedit_formal.core.window import Window
    from selfedit_formal.semantics.interpreter import PassRecord

SCHEMA = 1
"""The version of the shape. A field that is added keeps it; one that goes or changes its meaning raises it."""

Json = dict[str, Any]


def dumped(document: object) -> str:
    """The text of a document, of this or another shape."""
    return printable(dumps(document, indent=2, ensure_ascii=False))


def document(results: Sequence[Result], end: RunEnd) -> Json:
    """Every result and the exit code that goes with them, and with how the run ended."""
    taken = set[str]()
    names = [unlike(slug(r.obligation), taken) if isinstance(r.verdict, Refuted) else "" for r in results]
    return {
        **_head(),
        "exit_code": end.code(results),
        "seconds": round(end.seconds, 3),
        "diagnostics": [_diagnostic(d) for d in end.unwritten],
        "checks": [check(r, name) for r, name in zip(results, names, strict=True)],
    }


def rejection(diagnostics: Sequence[Diagnostic]) -> Json:
    """The document of a run in which nothing was checked, because files or the command line are wrong."""
    return {
        **_head(),
        "exit_code": 2,
        "seconds": 0.0,
        "diagnostics": [_diagnostic(d) for d in diagnostics],
        "checks": [],
    }


def check(result: Result, name: str = "") -> Json:
    """One result. `name`: what its window is called, if not as it."""
    obligation = result.obligation
    return {
        **_where(obligation.location),
        "policy": subject_title(obligation),
        "property": property_title(obligation),
        "promise": obligation.promise,
        "formula": obligation.formula,
        "assuming": list(obligation.assuming),
        "about": obligation.doc,
        "verdict": word(result.verdict),
        "expected": obligation.expect,
        "as_expected": as_expected(result),
        "engine": result.engine,
        "seconds": round(result.seconds, 3),
        "notes": list(result.notes),
        **_verdict(result, name),
    }


def _head() -> Json:
    from importlib.metadata import version

    return {"schema": SCHEMA, "tool": {"selfedit_formal": __version__, "z3": version("z3-solver")}}


def _where(location: Location | None) -> Json:
    return {
        "file": None if location is None else location.source.name,
        "line": None if location is None else location.line,
    }


def _verdict(result: Result, name: str) -> Json:
    """What goes with each verdict; `spans` and `turns` are null where it says nothing about a number of them."""
    fields: Json = {"spans": None, "turns": None, "argument": None, "proof": None, "induction": None, "reasons": []}
    fields |= {"smt2": None, "case": None}
    match result.verdict:
        case Proved(argument, certificate, induction):
            proof = None if certificate is None else _proof(result.obligation, certificate)
            steps = None if induction is None else _induction(result.obligation, induction)
            return fields | {"argument": argument, "proof": proof, "induction": steps}
        case Bounded(spans, reason, turns):
            return fields | {"spans": spans, "turns": turns, "reasons": [reason]}
        case Refuted(case, spans, shortest, turns):
            return fields | {"spans": spans, "turns": turns, "case": _case(result.obligation, case, shortest, name)}
        case Vacuous(reasons, spans, turns):
            return fields | {"spans": spans, "turns": turns, "reasons": list(reasons)}
        case Unknown(reason, smt2, spans, turns):
            left = str(smt2) if isinstance(smt2, Path) else None
            return fields | {"spans": spans, "turns": turns, "reasons": [reason], "smt2": left}
        case Failed(message):
            return fields | {"reasons": [message]}


def _proof(obligation: Obligation, certificate: Certificate) -> Json:
    return {
        "rests_on": list(needs(obligation, certificate.needed)),
        "not_on": list(needs(obligation, certificate.unneeded)),
        "invariant": list(certificate.invariant),
        "legend": dict(certificate.legend),
    }


def _induction(obligation: Obligation, induction: Induction) -> Json:
    return {
        "windows": induction.windows,
        "invariant": [{"text": clause(c), "source": c.source} for c in induction.clauses],
        "parts": [{"name": n, "argument": c.argument, **_proof(obligation, c)} for n, c in induction.parts],
    }


def _diagnostic(diagnostic: Diagnostic) -> Json:
    at = diagnostic.location
    return {
        "code": diagnostic.code,
        "message": diagnostic.message,
        **_where(at),
        "column": None if at is None else at.column,
        "hint": diagnostic.hint,
        "notes": [{"message": text, **_where(place), "column": place.column} for text, place in diagnostic.notes],
    }


# ---------- cases


def _case(obligation: Obligation, case: Case, shortest: bool, name: str) -> Json:
    records = passes(obligation, case)
    picture = drawn(obligation, case, records)
    name = name or slug(obligation)
    writer = Writer(obligation.policies[0].name, case.spans, lone=lone_run(records), called=picture.terms)
    session = None if obligation.turns is None else obligation.turns.session
    return {
        "shortest": shortest,
        "windows": {
            n: {**window(w), "text": write_window(w, name if len(case.inputs) == 1 else f"{name}_{n}")}
            for n, given in case.inputs.items()
            for w in (given if session is None else at_rest(given, session),)
        },
        "parameters": dict(case.parameters),
        "spans": dict(case.spans),
        "choices": [
            {"run": k.run, "site": k.site, "span": k.span, "field": k.field, "value": v}
            for k, v in sorted(case.choices.items())
        ],
        "answers": list(picture.choices),
        "passes": [_pass(p, writer, obligation) for p in without_gates(records)],
        "gone": [_gone(g, picture.rules) for g in picture.gone],
        "why": list(why(obligation, case, records, picture)),
        "broken_links": list(picture.broken_links),
    }


def window(value: Window) -> Json:
    """A window: its spans oldest first."""
    return {
        "schema": value.schema.name,
        "spans": [
            {"id": s.id, "archived": s.id in value.archived, "created": s.id in value.fresh, "values": dict(s.values)}
            for s in value.spans
        ],
        "links": [{"link": n, "from": a, "to": b} for n, a, b in sorted(value.links)],
    }


def _gone(gone: Gone, rules: Sequence[ActingRule]) -> Json:
    """What a turn of a session evicted, by which rules, and where a tombstone and a ledger entry of it are."""
    return {
        "turn": gone.turn,
        "span": gone.span,
        "rules": [r.text for r in rules if r.number in gone.rules],
        "tombstone": gone.tombstone,
        "ledger": gone.ledger,
    }


def _pass(record: PassRecord, writer: Writer, obligation: Obligation) -> Json:
    """A pass; of a session, without what it notes for itself."""
    assert isinstance(record.term, Pass)
    events = record.events
    if obligation.turns is not None:
        session, body = obligation.turns.session, statements(obligation.policy(record.term.policy).body)
        noted = {s.site for s in body if books(session, s)}
        events = tuple(e for e in events if e.site not in noted)
    return {
        "term": writer.term(record.term),
        "policy": record.term.policy,
        "before": window(record.before),
        "after": window(record.after),
        "refused": record.refused,
        "events": [{"kind": e.kind, "spans": list(e.spans), "rule": _rule(e.origin)} for e in events],
    }


def _rule(origin: Origin) -> Json:
    return {"text": origin.text, **_where(origin.location)}
