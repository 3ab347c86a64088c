"""A process of its own that starts workers, as its caller sees it: started before the caller loads anything heavy.

NOTE(host): workers are not children of the caller but of a *host*, a fresh interpreter that has loaded the solver and
does nothing but start workers, watch their clocks and pass on what they say. So the caller may have threads and any
main module, a worker starts in milliseconds, and when the caller goes, however it goes, the host sees its standard
input close, ends every worker and goes too.
"""

from __future__ import annotations

import contextlib
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from selfedit_formal.processes.messages import Request, TaskReport

VERIFY = "selfedit_formal.verifying.verify:verify"
"""What a worker does with an obligation, as `module:function`. Called as `verify` is."""


class Host:
    """A started host, see NOTE(host), that loads what workers need for `work` while the caller goes on.

    A context manager: leaving it ends the host and all its workers.
    """

    __slots__ = ("_errors", "_process")

    def __init__(self, work: str = VERIFY) -> None:
        code = (
            "import gc, sys; gc.disable();"  # until all is loaded
            f"sys.path[:] = {sys.path!r}; from selfedit_formal.processes.serve import serve; serve({work!r});"
            "import os; os._exit(0)"  # nothing is left to tidy up, and the caller waits
        )
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (closed in `__exit__`)
        self._process = subprocess.Popen(
            [sys.executable, "-S", "-c", code],  # the path is the caller's, so nothing has to be made of `site`
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            start_new_session=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """A closed standard input is the host's signal to end; it has a few seconds to end its workers."""
        pipes = [pipe for pipe in (self._process.stdin, self._process.stdout) if pipe is not None]
        try:
            for pipe in pipes:
                with contextlib.suppress(OSError):
                    pipe.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(5)
        finally:
            self._process.kill()
            self._process.wait()
            self._errors.close()

    def run(self, request: Request) -> Iterator[TaskReport]:
        """A report of each task, as they come. A host serves one request."""
        from selfedit_formal.processes.messages import HostDied, TaskReport

        said, heard = self._process.stdin, self._process.stdout
        assert said is not None
        assert heard is not None
        waiting = set(range(len(request.tasks)))
        try:
            pickle.dump(request, said, pickle.HIGHEST_PROTOCOL)
            said.flush()
            while waiting:
                report = pickle.load(heard)
                assert isinstance(report, TaskReport)
                waiting.remove(report.task)
                yield report
        except (BrokenPipeError, EOFError, pickle.UnpicklingError):
            self._process.wait()
            self._errors.seek(0)
            lines = self._errors.read().decode(errors="replace").strip().splitlines()
            for task in sorted(waiting):
                yield TaskReport(task, 0.0, HostDied(lines[-1] if lines else ""))
