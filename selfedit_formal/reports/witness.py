"""Witnesses as text: for each rule, branch, gate and condition the window that shows it, drawn."""

from __future__ import annotations

from collections.abc import Sequence

from selfedit_formal.core.files import shortened, words
from selfedit_formal.core.verdict import spans_text, turns_text
from selfedit_formal.language.write import write_window
from selfedit_formal.reports.layout import Line, Piece, Style, indent, line, paragraph
from selfedit_formal.reports.names import unlike
from selfedit_formal.reports.picture import place
from selfedit_formal.reports.session import at_rest, drawn
from selfedit_formal.reports.text import INDENT, drawing
from selfedit_formal.semantics.interpreter import passes
from selfedit_formal.verifying.witness import Aspect, Inconsistent, NeverShown, NotSettled, Question, Shown, Witnessed

SAID: dict[Aspect, str] = {
    "fires": "acts",
    "holds": "goes on",
    "fails": "stops",
    "refuses": "refuses",
    "applies": "applies",
}


def report(answers: Sequence[Witnessed], width: int) -> tuple[Line, ...]:
    """All answers, grouped by policy or check, and a summary."""
    lines: list[Line] = []
    numbers: dict[str, int] = {}
    taken: set[str] = set()
    for subject in dict.fromkeys(a.question.subject for a in answers):
        lines.append(line(subject, "bold"))
        for answer in answers:
            if answer.question.subject == subject:
                numbers[subject] = numbers.get(subject, 0) + 1
                name = unlike(shortened(words(f"{subject} {answer.question.aspect} {numbers[subject]}")), taken)
                lines += _answer(answer, name, width)
        lines += [()] if lines[-1] else []
    shown = sum(isinstance(a, Shown) for a in answers)
    tail = "all shown" if shown == len(answers) else f"{len(answers) - shown} not shown"
    many = f"{len(answers)} question{'' if len(answers) == 1 else 's'}"
    lines.append((Piece(f"{many}: "), Piece(tail, "green" if shown == len(answers) else "yellow")))
    return tuple(lines)


def _answer(answer: Witnessed, name: str, width: int) -> list[Line]:
    inner = width - INDENT
    match answer:
        case Shown(question, case, spans, shortest, turns):
            obligation = question.obligation
            picture = drawn(obligation, case, passes(obligation, case))
            fewer = "" if shortest else ", maybe fewer will do"
            after = "" if turns is None else f"{turns_text(turns)} from "
            lines = _heading(question, f"{after}{spans_text(spans)}{fewer}", "green", width)
            lines += [(), *indent(drawing(picture, (), inner), INDENT), ()]
            for which, window in case.inputs.items():
                called = name if len(case.inputs) == 1 else f"{name}_{which}"
                shown = window if obligation.turns is None else at_rest(window, obligation.turns.session)
                lines += indent((line(t, "cyan") for t in write_window(shown, called).rstrip().split("\n")), INDENT)
            return [*lines, ()]
        case NeverShown(question, None):
            return _heading(question, "never, on any window", "yellow", width)
        case NeverShown(question, spans, turns):
            many = "" if turns is None else f"{turns_text(turns)} from windows of up to "
            return _heading(question, f"never, up to {many}{spans_text(spans or 0)}", "yellow", width)
        case NotSettled(question, reason):
            return _heading(question, f"unknown: {reason}", "red", width)
        case Inconsistent(question, message):
            text = f"two parts of this tool contradict each other; please report this: {message}"
            return _heading(question, text, "red", width)


def _heading(question: Question, found: str, style: Style, width: int) -> list[Line]:
    where = place(question.origin)
    text = f"{question.origin.text or question.subject}{f'  [{where}]' if where else ''}"
    first = f"  {SAID[question.aspect].ljust(9)}"
    return [*paragraph(text, width, first=first), *paragraph(found, width, style, first=" " * len(first))]
