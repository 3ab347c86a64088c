"""Which parameters are safe, as text and as JSON."""

from __future__ import annotations

from collections.abc import Sequence

from selfedit_formal.property import Obligation
from selfedit_formal.reports.layout import Line, Piece, indent, paragraph
from selfedit_formal.reports.names import title
from selfedit_formal.reports.text import drawn_case
from selfedit_formal.solve_for import Solved, Unsolved


def lines(obligation: Obligation, answer: Solved | Unsolved, width: int) -> tuple[Line, ...]:
    """The condition, what speaks for it from within, and the window that breaks the promise just outside of it."""
    if isinstance(answer, Unsolved):
        return (
            (Piece(f"{title(obligation)}: no condition found", "red"),),
            *indent(paragraph(answer.reason, width), 2),
        )
    condition = f"if {answer.condition}" if answer.condition else "for all parameters"
    found: list[Line] = [(Piece(f"{title(obligation)}: holds ", ""), Piece(condition, "bold"))]
    if answer.certificate is not None:
        within = f"proved under it, for every window of every length ({answer.certificate.argument})"
    else:
        within = "not proved under it: no window was found that breaks it, and no proof either"
    found += indent(paragraph(within, width - 2), 2)
    if answer.outside is not None:
        found += indent(paragraph("just outside of it, this window breaks the promise:", width - 2), 2)
        found += [(), *indent(drawn_case(obligation, answer.outside, width - 4), 4), ()]
    elif answer.condition:
        found += indent(paragraph("no window was found that breaks it just outside: a weaker one may do", width - 2), 2)
    return tuple(found)


def document(answers: Sequence[tuple[Obligation, Solved | Unsolved]]) -> dict[str, object]:
    """The same as JSON values."""
    return {"schema": 1, "solved": [_one(o, a) for o, a in answers]}


def _one(obligation: Obligation, answer: Solved | Unsolved) -> dict[str, object]:
    if isinstance(answer, Unsolved):
        return {"check": title(obligation), "condition": None, "reason": answer.reason}
    outside = None if answer.outside is None else dict(answer.outside.parameters)
    return {
        "check": title(obligation),
        "condition": answer.condition,
        "proved": answer.certificate is not None,
        "broken_outside_at": outside,
    }
