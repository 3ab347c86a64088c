"""The command `selfedit`: a command is a file of this folder, found by being here.

A file whose name has no leading underscore has one click command, `COMMAND`, called as the file is; it is loaded when
it is asked for. The commands below `verifying` are those whose host is started first. All printing is done in this
room; the solver, the parser and rich are loaded when needed.
"""

from __future__ import annotations

import errno
import gc
import os
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING, NoReturn

import click

from selfedit_formal import __version__
from selfedit_formal.cli._exits import BROKE, CLOSED, INTERRUPTED, WRONG
from selfedit_formal.cli._rejecting import misused, reject, say, shape_in
from selfedit_formal.cli._screen import colour, tell
from selfedit_formal.cli._writing import unwritten
from selfedit_formal.core.diagnostics import Diagnostic, Rejected
from selfedit_formal.core.files import why_not
from selfedit_formal.processes.streams import open_standard

if TYPE_CHECKING:
    from selfedit_formal.processes.host import Host


def main(arguments: Sequence[str] | None = None, host: Host | None = None) -> NoReturn:
    """Runs the command and exits. Whatever happens, no traceback reaches the user. `host`: one that was started."""
    open_standard()
    gc.set_threshold(200_000)  # hardly anything that a command loads is ever garbage, nor is it worth a look at the end
    early = signal.getsignal(signal.SIGINT)
    if callable(early) and early is not signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    code = _run(sys.argv[1:] if arguments is None else arguments, host)
    if callable(early):
        signal.signal(signal.SIGINT, early)  # that of `__main__`: nothing is to be said or undone any more
    gc.freeze()
    sys.exit(code)


def _run(arguments: Sequence[str], host: Host | None) -> int:
    try:
        code = _answered(arguments, host)
        sys.stdout.flush()
        return code
    except (click.Abort, KeyboardInterrupt):
        tell("interrupted", err=True)
        return INTERRUPTED
    except (BrokenPipeError, SystemExit):
        # NOTE(closed): click turns a closed pipe into SystemExit(1), and that code says that a promise is broken.
        _write_no_more()
        return CLOSED
    except OSError as problem:
        return _refused(problem)
    except MemoryError:
        return _impossible("there is not enough memory")
    except Exception as error:
        tell(_bug(error), err=True)
        return BROKE


UNTAKEN = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)
"""What the system says of a write. Those of files are said by whoever writes them."""


def _refused(problem: OSError) -> int:
    """The system did not do something: it takes no more on standard output, or whatever."""
    if problem.errno in UNTAKEN and problem.filename is None:
        _write_no_more()
        say([unwritten("standard output", "it is closed" if problem.errno == errno.EBADF else why_not(problem))])
        return WRONG
    where = "" if problem.filename is None else f" (`{problem.filename}`)"
    return _impossible(f"{why_not(problem)}{where}")


def _impossible(reason: str) -> int:
    say([Diagnostic("E009", f"the system does not let the command go on: {reason}")])
    return WRONG


def _write_no_more() -> None:
    """Python flushes standard output once more as it exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _answered(arguments: Sequence[str], host: Host | None) -> int:
    try:
        # Click takes colour out of what is no terminal, which `FORCE_COLOR` may be about.
        code = selfedit.main(arguments, prog_name="selfedit", standalone_mode=False, obj=host, color=colour() or None)
    except Rejected as rejected:
        return reject(rejected.diagnostics, shape_in(arguments))
    except click.ClickException as wrong:
        return misused(wrong, shape_in(arguments))
    return code if isinstance(code, int) else 0


def _bug(error: Exception) -> str:
    """What a person can paste into a report of a bug of ours."""
    import traceback

    frames = traceback.extract_tb(error.__traceback__)
    ours = [f for f in frames if "selfedit_formal" in f.filename][-3:]
    places = [f"  {Path(f.filename).parent.name}/{Path(f.filename).name}:{f.lineno} in {f.name}" for f in ours]
    return "\n".join(
        [
            "error: selfedit broke down; this is a bug of ours, not of your files. Please report it:",
            f"  {type(error).__name__}: {error}",
            *places,
            f"  selfedit_formal {__version__}, {', '.join(_parts())}",
            f"  arguments: {' '.join(sys.argv[1:])}",
        ]
    )


def _parts() -> list[str]:
    """What this runs with, and of which version. Nothing of it is loaded to know it."""
    import platform
    from importlib.metadata import PackageNotFoundError, version

    told = [f"z3-solver {version('z3-solver')}"]
    try:
        told.append(f"cvc5 {version('cvc5')}")
    except PackageNotFoundError:
        told.append("no cvc5")
    return [*told, f"Python {platform.python_version()}"]


def _version(context: click.Context, parameter: click.Parameter, wanted: bool) -> None:
    if wanted:
        tell("\n".join([f"selfedit {__version__}", *_parts()]))
        context.exit()


class Commands(Mapping[str, click.Command]):
    """Every command by its name. To be looked up is what loads it."""

    @cached_property
    def homes(self) -> Mapping[str, str]:
        """The module of each."""
        return dict(_homes(__name__, list(__path__)))

    def __getitem__(self, name: str) -> click.Command:
        command: click.Command = import_module(self.homes[name]).COMMAND
        return command

    def __iter__(self) -> Iterator[str]:
        return iter(self.homes)

    def __len__(self) -> int:
        return len(self.homes)


def _homes(package: str, paths: Sequence[str]) -> Iterator[tuple[str, str]]:
    for module in iter_modules(paths):
        home = f"{package}.{module.name}"
        if module.name.startswith("_"):
            continue
        if module.ispkg:
            yield from _homes(home, [os.path.join(p, module.name) for p in paths])
        else:
            yield module.name, home


@click.group(commands=Commands(), context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    "-V",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_version,
    help="Show the versions of selfedit, the solvers and Python, and exit.",
)
def selfedit() -> None:
    """Proves what a context-pruning policy promises, or shows the smallest window that breaks it.

    Policies, promises and checks are written in .sef files. Exit codes: 0 all as expected, 1 a promise broken, 2 wrong
    files or usage, 3 unknown, 4 vacuous, 5 a bug of selfedit. `selfedit explain` lists what can be explained.
    """
