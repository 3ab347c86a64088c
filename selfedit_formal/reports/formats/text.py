"""For a person: a line per check, and a refuted one drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from selfedit_formal.core.diagnostics import Diagnostic
from selfedit_formal.core.property import Obligation
from selfedit_formal.core.verdict import Result, RunEnd
from selfedit_formal.reports.formats import Format, Look
from selfedit_formal.reports.layout import written
from selfedit_formal.reports.solved import lines
from selfedit_formal.reports.text import told
from selfedit_formal.verifying.solve_for import Solved, Unsolved


class Text:
    def checked(self, results: Iterable[Result], end: Callable[[], RunEnd], look: Look) -> Iterator[str]:
        for found in told(results, end, look.width, verbose=look.verbose):
            yield written(found, look.width, colour=look.colour)

    def solved(self, answers: Sequence[tuple[Obligation, Solved | Unsolved]], look: Look) -> str:
        found = [line for obligation, answer in answers for line in lines(obligation, answer, look.width)]
        return written(found, look.width, colour=look.colour)

    def rejected(self, diagnostics: Sequence[Diagnostic]) -> str:
        return ""


FORMAT: Format = Text()
