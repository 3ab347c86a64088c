"""The signals of a session's log as text for a person, and as a document for a machine."""

from __future__ import annotations

from dataclasses import asdict

from selfedit_formal.reports.layout import Line, Piece, indent, line, paragraph
from selfedit_formal.runtime.monitor import RECORDS, SIGNALS, Finding, Report, Totals


def report(found: Report, name: str, width: int) -> tuple[Line, ...]:
    """Every finding under its signal, records in order, and what the session comes to."""
    lines: list[Line] = [line(name, "bold")]
    for signal in sorted(SIGNALS, key=lambda s: (RECORDS[s], SIGNALS.index(s))):
        mine = [f for f in found.findings if f.signal == signal]
        if mine:
            lines += [(), (Piece(f"{RECORDS[signal]}  "), Piece(signal, "red"))]
            for finding in mine:
                lines += indent(paragraph(finding.text, width - 4, first=f"{_turns(finding)}: "), 4)
            if signal in found.omitted:
                lines.append(line(f"    and {found.omitted[signal]} more", "dim"))
    if not found.findings:
        lines.append(line("    no signals", "green"))
    lines += [(), *indent(_totals(found.totals, width - 4), 4)]
    return tuple(lines)


def _turns(finding: Finding) -> str:
    turns = finding.turns
    if len(set(turns)) == 1:
        return f"turn {turns[0]}"
    if finding.signal in ("rewrites_without_progress", "no_tombstones", "redundant_calls", "over_cap"):
        return f"turns {turns[0]} to {turns[-1]}"
    return f"turns {', '.join(map(str, turns))}"


def _totals(totals: Totals, width: int) -> tuple[Line, ...]:
    cap = f", cap {totals.cap}" if totals.cap is not None else ""
    parts = [
        f"{_many(totals.turns, 'turn')}, {_many(totals.passes, 'pass', 'es')}, {_many(totals.edits, 'edit')}",
        f"{_many(totals.removals, 'span')} removed, {totals.tombstones} with a record that survives",
        f"{_many(totals.cycles, 'prune and readmit cycle')}, {_many(totals.cycle_tokens, 'token')}",
        f"{_many(totals.refusals, 'refusal')}, {_many(totals.overrides, 'override')}",
        f"{totals.redundant_calls} of {totals.calls} calls made before",
        f"{totals.novel} new tokens arrived, {totals.repeated} repeated",
        f"at most {totals.most_tokens} tokens{cap}",
    ]
    if totals.forgotten:
        lost = _many(totals.forgotten, "key")
        parts.append(f"{lost} forgotten: what goes back to them does not show (`spec/signals.md`, Memory)")
    return tuple(ln for part in parts for ln in paragraph(part, width, "dim"))


def _many(number: int, what: str, more: str = "s") -> str:
    return f"{number} {what}{'' if number == 1 else more}"


def document(found: Report, name: str) -> dict[str, object]:
    """The same as what JSON can say; version 1."""
    return {
        "schema": 1,
        "log": name,
        "findings": [
            {
                "signal": f.signal,
                "record": RECORDS[f.signal],
                "turns": list(f.turns),
                "about": list(f.about),
                "text": f.text,
                "numbers": dict(f.numbers),
            }
            for f in found.findings
        ],
        "omitted": dict(found.omitted),
        "totals": asdict(found.totals),
    }
