"""`selfedit format`: files in the canonical form."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from selfedit_formal.cli._loading import files_in
from selfedit_formal.cli._writing import writing
from selfedit_formal.core.diagnostics import Source, each


@click.command("format")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@click.option("--check", "only_check", is_flag=True, help="Change nothing; exit with 1 if a file would change.")
def format_(paths: tuple[str, ...], only_check: bool) -> int:
    """Rewrite files in the canonical form. `-` reads standard input and writes standard output."""
    from selfedit_formal.language.parse import parse, read, read_stream
    from selfedit_formal.language.print import print_file

    def formatted(path: Path | None) -> tuple[Source, str]:
        source = read_stream(sys.stdin.buffer, "<stdin>") if path is None else read(path)
        return source, print_file(parse(source))

    files, wrong = files_in([p for p in paths if p != "-"])
    standard_input = [None] if "-" in paths else []
    changed = 0
    for source, text in each(formatted, [*standard_input, *files], wrong):
        changes = text != source.text
        changed += changes
        if source.path is None:
            if not only_check:
                click.echo(text, nl=False)
        elif changes:
            if not only_check:
                with writing(source.path):
                    _replace(source.path, text)
            click.echo(f"{'would format' if only_check else 'formatted'} {source.name}", err=True)
    return 1 if only_check and changed else 0


def _replace(path: Path, text: str) -> None:
    """Writes the file whole or not at all."""
    import tempfile

    file = tempfile.NamedTemporaryFile("w", encoding="utf-8", newline="", dir=path.parent, delete=False)  # noqa: SIM115
    try:
        with file:
            file.write(text)
        os.chmod(file.name, path.stat().st_mode)
        os.replace(file.name, path)
    except BaseException:
        os.unlink(file.name)
        raise


COMMAND = format_
