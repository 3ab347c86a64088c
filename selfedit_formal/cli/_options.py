"""Options that several commands have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from selfedit_formal.reports import formats


def asking(command: Callable[..., int]) -> Callable[..., int]:
    """The options that say which promises of which policies."""
    return having(
        command,
        click.option(
            "--property",
            "properties",
            metavar="NAME(ARGS)",
            multiple=True,
            help="Ask for this promise instead of what the files check. May be repeated.",
        ),
        click.option("--policy", metavar="NAME(ARGS)", help="Only of this policy, plan or session."),
    )


def reporting(command: Callable[..., int]) -> Callable[..., int]:
    """The format of the report, handed on as `shape`."""
    choice = click.Choice(formats.names())
    option = click.option("--format", "shape", type=choice, default=formats.DEFAULT, show_default=True)
    return having(command, option)


def having(command: Callable[..., int], *options: Callable[[Any], Any]) -> Callable[..., int]:
    """The command with these options, in this order."""
    for option in reversed(options):
        command = option(command)
    return command
