"""The command `selfedit`, from its first moment: what verifies has its host started before anything else is loaded."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from selfedit_formal.processes.host import Host


def main() -> None:
    """Runs the command with the arguments of the process, and exits."""
    # Until there is a command, Ctrl-C ends the process as it stands: Python would show where it is.
    signal.signal(signal.SIGINT, _interrupted)
    sys.unraisablehook = _unraised
    from selfedit_formal.processes.streams import open_standard

    open_standard()
    # Where it is installed (`outlines` needs it) Lark would load it and ask it at every start whether terminals of our
    # grammar collide, which the tests ask once.
    sys.modules.setdefault("interegular", None)  # type: ignore[arg-type]
    with _host() as host:  # loads the solver while this process loads the command, and then the files
        from selfedit_formal.cli import main as command

        command(host=host)


def _interrupted(*_: object) -> NoReturn:
    with suppress(OSError):
        os.write(2, b"interrupted\n")
    os._exit(130)


def _unraised(lost: sys.UnraisableHookArgs) -> None:
    """Ctrl-C that comes while Python tidies up is lost there, and comes again."""
    if issubclass(lost.exc_type, KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
    else:
        sys.__unraisablehook__(lost)


def _host() -> AbstractContextManager[Host | None]:
    if verifies(*sys.argv[1:2]):
        from selfedit_formal.processes.host import Host

        with suppress(OSError):  # the command says what is wrong, once it needs one
            return Host()
    return nullcontext()


def verifies(command: str = "") -> bool:
    """Whether it is a command of the folder of those that verify. Nothing is imported to know it."""
    folder = os.path.join(os.path.dirname(__file__), "cli", "verifying")
    return command.isidentifier() and os.path.isfile(os.path.join(folder, f"{command}.py"))


if __name__ == "__main__":
    main()
