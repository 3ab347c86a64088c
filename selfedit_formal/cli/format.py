"""`selfedit format`: files in the canonical form."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from selfedit_formal.cli._loading import files_in, standard_input
from selfedit_formal.cli._screen import hand_on, tell
from selfedit_formal.cli._writing import written
from selfedit_formal.core.diagnostics import Diagnostic, Rejected, Source, each
from selfedit_formal.core.files import write_whole


@click.command("format")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@click.option("--check", "only_check", is_flag=True, help="Change nothing; exit with 1 if a file would change.")
def format_(paths: tuple[str, ...], only_check: bool) -> int:
    """Rewrite files in the canonical form. `-` reads standard input and writes standard output."""
    from selfedit_formal.language.parse import parse, read
    from selfedit_formal.language.print import print_file

    def formatted(path: Path | None) -> tuple[Source, str]:
        source = standard_input() if path is None else read(path)
        return source, print_file(parse(source))

    files, wrong = files_in([p for p in paths if p != "-"])
    own = [None] if "-" in paths else []
    changed, failed = 0, list[Diagnostic]()
    for source, text in each(formatted, [*own, *files], wrong):
        changes = text != source.text
        changed += changes
        if source.path is None:
            if not only_check:
                hand_on(text, end="")
        elif changes and only_check:
            tell(f"would format {source.name}", err=True)
        elif changes and written(source.path, partial(write_whole, source.path, text), failed):
            tell(f"formatted {source.name}", err=True)
    if failed:
        raise Rejected(tuple(failed))
    return 1 if only_check and changed else 0


COMMAND = format_
