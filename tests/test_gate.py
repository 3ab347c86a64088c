"""The gate under the name that agents import it by: all of it, and nothing that an agent does not need beside it."""

from __future__ import annotations

import subprocess
import sys

from selfedit_formal import gate
from selfedit_formal.runtime import gate as home


def test_it_has_what_the_gate_offers_and_nothing_else() -> None:
    assert gate.__all__ == home.__all__ == sorted(gate.__all__, key=lambda n: (n[0].islower(), n))
    assert all(getattr(gate, name) is getattr(home, name) for name in gate.__all__)


def test_it_loads_no_solver_no_parser_and_nothing_else_of_the_package() -> None:
    program = (
        "import sys, selfedit_formal.gate as gate\n"
        "assert len(gate.rules()) > 20\n"
        "assert not {'z3', 'lark', 'click', 'rich'} & sys.modules.keys()\n"
        "ours = {m.removeprefix('selfedit_formal.') for m in sys.modules if m.startswith('selfedit_formal.')}\n"
        "rooms = {m for m in ours if not m.startswith('runtime.gate')}\n"
        "assert rooms == {'gate', 'runtime', 'core', 'core.window', '_frozen'}, rooms\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
