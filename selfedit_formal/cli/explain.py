"""`selfedit explain`: the pages of codes, promises and verdicts."""

from __future__ import annotations

from collections.abc import Sequence

import click

from selfedit_formal.cli._screen import hand_on, tell, width
from selfedit_formal.core.diagnostics import Diagnostic, Rejected


@click.command()
@click.argument("topic", required=False)
def explain(topic: str | None) -> int:
    """Say what a diagnostic code, a promise or a verdict means; without a topic, list them all."""
    from selfedit_formal.reports import explain as pages

    if topic is None:
        for kind, names in pages.topics().items():
            tell("\n".join(_wrapped(f"{kind}:".ljust(10), names)))
        return 0
    page = pages.explain(topic.partition("(")[0].strip())
    if page is not None:
        hand_on(page, end="")
        return 0
    close = pages.nearest(topic)
    hint = f"did you mean {' or '.join(f'`{n}`' for n in close)}?" if close else "`selfedit explain` lists all pages"
    raise Rejected((Diagnostic("E005", f"there is no page for `{topic}`", hint=hint),))


def _wrapped(label: str, names: Sequence[str]) -> list[str]:
    import textwrap

    return textwrap.wrap(" ".join(names), width(), initial_indent=label, subsequent_indent=" " * len(label))


COMMAND = explain
