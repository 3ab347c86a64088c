"""`python -m selfedit_formal.cli` is the command, too."""

from __future__ import annotations

from selfedit_formal.cli import main

if __name__ == "__main__":
    main()
