"""How a command says that it was given something wrong: every mistake on standard error, and on standard output what
the format that was asked for has of it. Commands only raise `Rejected`."""

from __future__ import annotations

import re
from collections.abc import Sequence

import click

from selfedit_formal.cli._exits import WRONG
from selfedit_formal.cli._screen import hand_on, tell
from selfedit_formal.core.diagnostics import Diagnostic, render


def say(diagnostics: Sequence[Diagnostic]) -> None:
    """Every mistake once, on standard error."""
    texts = dict.fromkeys(map(render, diagnostics))
    many = f"{len(texts)} mistake{'' if len(texts) == 1 else 's'}"
    more = f"{many}; `selfedit explain {diagnostics[0].code}` says more about the first"
    tell("\n\n".join([*texts, more]), err=True, paint=_coloured)


_PARTS = re.compile(
    r"^(?P<heading>error\[\w+\])|^(?P<margin> *(?:-->|:::)| *\d* \|)(?P<carets> *\^+$)?|^  = (?P<label>note|hint):",
    re.MULTILINE,
)


def _coloured(text: str) -> str:
    """Headings, margins, carets and labels of rendered diagnostics in colour. Excerpts stay plain."""

    def part(found: re.Match[str]) -> str:
        if found["heading"]:
            return click.style(found["heading"], fg="red", bold=True)
        if found["label"]:
            return f"  = {click.style(found['label'], bold=True)}:"
        carets = click.style(found["carets"], fg="red", bold=True) if found["carets"] else ""
        return click.style(found["margin"], fg="blue") + carets

    return _PARTS.sub(part, text)


def reject(diagnostics: Sequence[Diagnostic], shape: str | None) -> int:
    """Says all that is wrong, in this format too if there is one of that name, and is the exit code."""
    from selfedit_formal.reports import formats

    say(diagnostics)
    if shape in formats.names():
        told = formats.named(shape).rejected(tuple(dict.fromkeys(diagnostics)))
        if told:
            hand_on(told)
    return WRONG


def misused(wrong: click.ClickException, shape: str | None) -> int:
    """The same of a command line that click cannot read; `shape` matters to commands that have formats."""
    context = wrong.ctx if isinstance(wrong, click.UsageError) else None
    if isinstance(wrong, getattr(click.exceptions, "NoArgsIsHelpError", ())):
        wrong.show()
        return WRONG
    if context is None:
        return reject([_misuse(wrong)], shape)
    tell(f"{context.get_usage()}\n", err=True)
    shaped = any(p.name == "shape" for p in context.command.params)
    return reject([_misuse(wrong, f"`{context.command_path} --help` says what there is")], shape if shaped else None)


def _misuse(wrong: click.ClickException, hint: str | None = None) -> Diagnostic:
    message = wrong.format_message().strip().rstrip(".")
    return Diagnostic("E006", f"{message[:1].lower()}{message[1:]}", hint=hint)


def shape_in(arguments: Sequence[str]) -> str | None:
    """The `--format` that the command line asks for, however wrong the rest of it is."""
    found = None
    for number, argument in enumerate(arguments):
        if argument == "--format":
            found = next(iter(arguments[number + 1 :]), None)
        elif argument.startswith("--format="):
            found = argument.removeprefix("--format=")
    return found
