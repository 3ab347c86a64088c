"""The functions of the public interface that take files: what they promise, and how their sessions might go."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from selfedit_formal.core.diagnostics import Diagnostic, Rejected, each
from selfedit_formal.core.limits import Limits
from selfedit_formal.core.verdict import Result
from selfedit_formal.language.resolve import load as load_module
from selfedit_formal.language.resolve import obligation

if TYPE_CHECKING:
    from selfedit_formal.core.property import Obligation
    from selfedit_formal.language.module import Module
    from selfedit_formal.runtime.session_log import Event

DEFAULT = Limits()
WIDTH = 100
"""Columns of a result that is printed."""


def load(path: str | os.PathLike[str]) -> Module:
    """A `.sef` file with all that it declares and imports.

    Raises `Rejected` with every mistake found.

    >>> from selfedit_formal import load
    >>> list(load("repair.sef").policies)
    ['prune_stale', 'pinned']
    """
    return load_module(Path(path))


def check(
    *paths: str | os.PathLike[str],
    within: int = DEFAULT.within,
    seconds: float | None = DEFAULT.seconds,
    megabytes: int | None = DEFAULT.megabytes,
    jobs: int | None = None,
    vacuity: bool = True,
) -> tuple[Result, ...]:
    """Every `check` of the files, in the order written, each answered in a process of its own.

    `within` is in spans, for checks that do not say it themselves; `seconds` and `megabytes` limit each check (None: no
    limit); `jobs` are at work at a time (None: one a processor); `vacuity` False does not ask whether a promise holds
    for a reason that matters. Raises `Rejected` with the mistakes of all files.

    >>> from selfedit_formal import check
    >>> for result in check("repair.sef"):
    ...     print(result.obligation.name, type(result.verdict).__name__)
    prune_stale: idempotent Refuted
    pinned: justified Proved
    """
    from selfedit_formal.verifying.workers import verify_all

    obligations = [o for m in each(load, paths) for o in m.obligations]
    limits = Limits(within, seconds, megabytes)
    return tuple(map(_shown, verify_all(obligations, limits, jobs, vacuity=vacuity, unanswered=None)))


class Pictured(Result):
    """A result that prints as the report of its check, with the picture; so it does in a notebook."""

    __slots__ = ()

    def __str__(self) -> str:
        from selfedit_formal.reports.layout import written
        from selfedit_formal.reports.text import check as lines

        return written(lines(self, WIDTH, verbose=True), WIDTH, colour=False)

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"

    def _repr_markdown_(self) -> str:
        return f"```text\n{self}\n```"


def _shown(result: Result) -> Pictured:
    return Pictured(result.obligation, result.verdict, result.seconds, result.engine, result.notes)


def check_policy(
    module: Module,
    policy: str,
    promise: str,
    *,
    within: int = DEFAULT.within,
    seconds: float | None = DEFAULT.seconds,
    vacuity: bool = True,
) -> Result:
    """One promise of one policy, plan or session, written as in a `check`, answered in this process.

    Raises `Rejected` if there is no such policy or promise, or its arguments are wrong, and TypeError if the module is
    none (a path, say).

    >>> from selfedit_formal import check_policy, load
    >>> result = check_policy(load("repair.sef"), "prune_stale", "stabilizes(2)")
    >>> [span.id for span in result.verdict.case.inputs["W"].spans]
    ['A']
    """
    from selfedit_formal.language.module import Module
    from selfedit_formal.verifying.verify import verify

    if not isinstance(module, Module):
        raise TypeError(f"`check_policy` takes what `load` returns, not {module!r}: `check_policy(load(path), …)`")
    limits = Limits(within, seconds, None)
    return _shown(verify(asked_of(module, policy, promise), limits, vacuity=vacuity, unanswered=None))


def asked_of(module: Module, name: str, promise: str) -> Obligation:
    """The promise of the policy, plan or session, to be answered; its place is that of what it is asked of.

    Raises `Rejected` if there is no such policy or promise, or its arguments are wrong.
    """
    asked = obligation(module, name, promise)
    subject = asked.policies[0] if asked.turns is None else asked.turns.session
    return replace(asked, location=subject.location)


def simulate(
    path: str | os.PathLike[str],
    session: str | None = None,
    *,
    turns: int = 60,
    seed: int = 0,
    parameters: Mapping[str, int] | None = None,
    start: str | None = None,
) -> tuple[Event, ...]:
    """The log of a session of the file as it might go; the file's only one, if none is named.

    Equal arguments give equal logs, on every machine. `parameters` has a value for each parameter of the session;
    `start` names a window of the file to start from (None: one is drawn). Raises `Rejected` if the file is wrong, the
    session cannot be simulated with these arguments (`E001`), or a turn cannot be drawn (`E002`).

    >>> from selfedit_formal import simulate
    >>> from selfedit_formal.runtime.monitor import monitor
    >>> from selfedit_formal.runtime.session_log import write
    >>> monitor(write(e).encode() for e in simulate("repair.sef", "repair_loop", seed=1)).totals.turns
    60
    """
    from selfedit_formal.verifying.simulation import simulate as simulated

    module = load(path)
    sessions, windows = module.sessions, module.windows
    if session is None and len(sessions) == 1:
        session = next(iter(sessions))
    if session is None or session not in sessions:
        what = f"there is no session `{session}`" if session is not None else "say which session is meant"
        raise _not_simulated(f"{what} of `{module.source.name}`", "session", sessions)
    if start is not None and start not in windows:
        raise _not_simulated(f"there is no window `{start}` in `{module.source.name}`", "window", windows)
    return simulated(sessions[session], turns, seed, parameters, None if start is None else windows[start])


def _not_simulated(message: str, what: str, names: Iterable[str]) -> Rejected:
    known = ", ".join(f"`{n}`" for n in names)
    hint = f"its {what}s are {known}" if known else f"it has no {what}"
    return Rejected((Diagnostic("E001", message, hint=hint),))
