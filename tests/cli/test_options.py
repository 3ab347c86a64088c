"""Options that several commands have: which promises, of which policies, and in which format."""

from __future__ import annotations

from collections.abc import Callable

import click
import pytest
from click.testing import CliRunner

from selfedit_formal.cli import _options
from selfedit_formal.reports import formats


def answers(decorate: Callable[[Callable[..., int]], Callable[..., int]], *arguments: str) -> dict[str, object]:
    """What a command with these options is called with."""
    seen: dict[str, object] = {}

    def command(**given: object) -> int:
        seen.update(given)
        return 0

    ran = CliRunner().invoke(click.command()(decorate(command)), arguments)
    assert ran.exit_code == 0, ran.output
    return seen


def test_promises_may_be_named_several_times_and_a_policy_once() -> None:
    assert answers(_options.asking) == {"properties": (), "policy": None}
    assert answers(_options.asking, "--property", "pure", "--policy", "drop", "--property", "within(3)") == {
        "properties": ("pure", "within(3)"),
        "policy": "drop",
    }


def test_the_format_is_one_of_those_there_are() -> None:
    assert answers(_options.reporting) == {"shape": formats.DEFAULT}
    for name in formats.names():
        assert answers(_options.reporting, "--format", name) == {"shape": name}
    ran = CliRunner().invoke(click.command()(_options.reporting(lambda shape: 0)), ["--format", "xml"])
    assert ran.exit_code == 2
    assert "'xml' is not one of" in ran.output


@pytest.mark.parametrize("names", [(), ("--a",), ("--a", "--b", "--c")])
def test_options_are_in_the_order_in_which_they_are_written(names: tuple[str, ...]) -> None:
    made = click.command()(_options.having(lambda **_: 0, *map(click.option, names)))
    assert [p.opts[0] for p in made.params] == list(names)
