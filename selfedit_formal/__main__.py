"""The command `selfedit`, from its first moment: what verifies has its host started before anything else is loaded."""

from __future__ import annotations

import sys

VERIFYING = ("check", "witness", "regress")


def main() -> None:
    """Runs the command with the arguments of the process, and exits."""
    # Where it is installed (`outlines` needs it) Lark would load it and ask it at every start whether terminals of our
    # grammar collide, which the tests ask once.
    sys.modules.setdefault("interegular", None)  # type: ignore[arg-type]
    if sys.argv[1:2] and sys.argv[1] in VERIFYING:
        from selfedit_formal.processes.host import Host

        with Host() as host:  # loads the solver while this process loads the command, and then the files
            from selfedit_formal.cli import main as command

            command(host=host)
    else:
        from selfedit_formal.cli import main as command

        command()


if __name__ == "__main__":
    main()
