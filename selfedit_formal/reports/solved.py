"""Which parameters are safe, as text and as JSON."""

from __future__ import annotations

from collections.abc import Sequence

from selfedit_formal.core.property import Case, Obligation
from selfedit_formal.reports.layout import Line, Piece, indent, paragraph
from selfedit_formal.reports.names import title
from selfedit_formal.reports.text import drawn_case
from selfedit_formal.verifying.solve_for import Solved, Unsolved


def lines(obligation: Obligation, answer: Solved | Unsolved, width: int) -> tuple[Line, ...]:
    """The condition, what proves it, and a window that breaks the promise outside of it; or what is known instead."""
    if isinstance(answer, Unsolved):
        found: list[Line] = [(Piece(f"{title(obligation)}: no condition{_on(answer)} was proved", "red"),)]
        found += indent(paragraph(answer.reason, width - 2), 2)
        return (*found, *_broken(obligation, answer.broken, f"it breaks at {_at(answer)}:", width))
    condition = f"if {answer.condition}" if answer.condition else "for all parameters"
    found = [(Piece(f"{title(obligation)}: holds ", ""), Piece(condition, "bold"))]
    argument = "; ".join(dict.fromkeys(p.argument for p in answer.proofs))
    found += indent(paragraph(f"proved under it, for every window of every length ({argument})", width - 2), 2)
    found += _broken(obligation, answer.outside, "outside of it, this window breaks the promise:", width)
    if answer.condition and answer.outside is None:
        found += indent(paragraph("no window was found that breaks it outside: a weaker one may do", width - 2), 2)
    return tuple(found)


def _on(answer: Unsolved) -> str:
    return f" on {', '.join(f'`{n}`' for n in answer.names)}" if answer.names else ""


def _at(answer: Unsolved) -> str:
    return "" if answer.broken is None else ", ".join(f"{n} = {answer.broken.parameters[n]}" for n in answer.names)


def _broken(obligation: Obligation, case: Case | None, said: str, width: int) -> list[Line]:
    if case is None:
        return []
    return [*indent(paragraph(said, width - 2), 2), (), *indent(drawn_case(obligation, case, width - 4), 4), ()]


def document(answers: Sequence[tuple[Obligation, Solved | Unsolved]]) -> dict[str, object]:
    """The same as JSON values."""
    return {"schema": 1, "solved": [_one(o, a) for o, a in answers]}


def _one(obligation: Obligation, answer: Solved | Unsolved) -> dict[str, object]:
    if isinstance(answer, Unsolved):
        broken = None if answer.broken is None else dict(answer.broken.parameters)
        return {
            "check": title(obligation),
            "condition": None,
            "proved": False,
            "reason": answer.reason,
            "broken_at": broken,
        }
    return {
        "check": title(obligation),
        "condition": answer.condition,
        "proved": True,
        "arguments": [p.argument for p in answer.proofs],
        "broken_outside_at": None if answer.outside is None else dict(answer.outside.parameters),
    }
