"""For programs: a document in the shape of `spec/report.schema.json`, whatever came of the run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from selfedit_formal.core.diagnostics import Diagnostic
from selfedit_formal.core.property import Obligation
from selfedit_formal.core.verdict import Result, RunEnd
from selfedit_formal.reports import solved
from selfedit_formal.reports.formats import Format, Look
from selfedit_formal.reports.json import document, dumped, rejection
from selfedit_formal.verifying.solve_for import Solved, Unsolved


class Json:
    def checked(self, results: Iterable[Result], end: Callable[[], RunEnd], look: Look) -> Iterator[str]:
        found = tuple(results)
        yield dumped(document(found, end()))

    def solved(self, answers: Sequence[tuple[Obligation, Solved | Unsolved]], look: Look) -> str:
        return dumped(solved.document(answers))

    def rejected(self, diagnostics: Sequence[Diagnostic]) -> str:
        return dumped(rejection(diagnostics))


FORMAT: Format = Json()
