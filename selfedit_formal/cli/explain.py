"""`selfedit explain`: what there is to read about a word of the language, a promise, a verdict, a diagnostic, …"""

from __future__ import annotations

import click

from selfedit_formal.cli._screen import hand_on, tell, width
from selfedit_formal.core.diagnostics import Diagnostic, Rejected

TITLES = 26
"""Columns for a topic's title."""


@click.command()
@click.argument("topic", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Print everything there is to read.")
def explain(topic: tuple[str, ...], everything: bool) -> int:
    """Say what a word of the language, a promise, a verdict, a signal, a rule of the gate or a diagnostic means.

    Without a topic, list them all. Pages as a whole are topics too: tutorial, language, semantics.
    """
    from selfedit_formal.reports import explain as pages

    wanted = " ".join(topic)
    if everything:
        hand_on("\n".join(pages.everything()), end="")
        return 0
    if not wanted:
        _list()
        return 0
    page = pages.explain(wanted.partition("(")[0].strip())
    if page is not None:
        hand_on(page, end="")
        return 0
    close = pages.nearest(wanted)
    hint = f"did you mean {' or '.join(f'`{n}`' for n in close)}?" if close else "`selfedit explain` lists all topics"
    raise Rejected((Diagnostic("E005", f"there is no page for `{wanted}`", hint=hint),))


def _list() -> None:
    """A line on each topic, by kind."""
    from selfedit_formal.reports import explain as pages

    kind = ""
    for of, title, says in pages.summaries():
        if of != kind:
            tell(f"{of}:" if not kind else f"\n{of}:")
            kind = of
        if len(title) > TITLES:  # the sections of several words
            tell(f"  {title}")
            title = ""
        line = f"  {title:<{TITLES}} {says}"
        tell(line if len(line) <= width() else f"{line[: width() - 1].rstrip()}…")


COMMAND = explain
