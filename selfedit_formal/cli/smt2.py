"""`selfedit smt2`: a check for other solvers."""

from __future__ import annotations

import click

from selfedit_formal.cli._loading import asked, loaded, squeezed
from selfedit_formal.cli._screen import hand_on
from selfedit_formal.core.diagnostics import Diagnostic, Rejected


@click.command()
@click.argument("file", metavar="FILE")
@click.option(
    "--check", "name", required=True, metavar="NAME", help="Which one, as reports name it: `policy: promise`."
)
@click.option(
    "--spans", type=click.IntRange(0), default=4, show_default=True, metavar="N", help="Spans of each window."
)
@click.option(
    "--turns", type=click.IntRange(0), default=2, show_default=True, metavar="K", help="Turns, of a session's check."
)
def smt2(file: str, name: str, spans: int, turns: int) -> int:
    """Print a check of FILE as standard SMT-LIB 2: satisfiable if and only if windows of N spans break it.

    Of a session, if and only if K turns from windows of N spans do.
    """
    from selfedit_formal.semantics.symbolic.encoding import smt2 as query
    from selfedit_formal.verifying.turns import after, least

    own = asked(loaded([file]), (), None)
    found = [o for o in own if squeezed(name) in (squeezed(o.name), squeezed(o.title()))]
    found = [o for o in found if squeezed(o.title()) == squeezed(name)] or found
    found = found or [o for o in own if squeezed(o.title()).startswith(squeezed(name))]
    if len(found) != 1:
        what = f"no check `{name}`" if not found else f"several checks `{name}`"
        hint = f"its checks are {', '.join(f'`{o.title()}`' for o in found or own)}" if own else "it has no checks"
        raise Rejected((Diagnostic("E005", f"{what} in `{file}`", hint=hint),))
    one = found[0]
    if one.turns is not None:
        one = after(one, max(turns, least(one)))
    hand_on(query(one, spans))
    return 0


COMMAND = smt2
