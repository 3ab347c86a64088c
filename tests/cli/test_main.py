"""The command from its first moment: the host is started before anything else, and ended whatever the command does."""

from __future__ import annotations

import subprocess
import sys

import pytest

from selfedit_formal import cli
from selfedit_formal.__main__ import verifies

BEFORE = (
    "import sys, selfedit_formal.processes.host as host\n"
    "class Seen(host.Host):\n"
    "    def __init__(self):\n"
    "        print('click' in sys.modules, 'selfedit_formal.cli' in sys.modules)\n"
    "        super().__init__()\n"
    "host.Host = Seen\n"
    "sys.argv = ['selfedit', 'check', 'there-is-none.sef']\n"
    "from selfedit_formal.__main__ import main; main()\n"
)


def test_what_verifies_starts_its_host_before_the_command_is_loaded() -> None:
    done = subprocess.run([sys.executable, "-c", BEFORE], capture_output=True, encoding="utf-8", check=False)
    assert done.stdout == "False False\n"
    assert done.returncode == 2


def test_the_grammar_is_not_checked_again_at_every_start() -> None:
    program = (
        "import sys, runpy; sys.argv = ['selfedit', 'format', '--check', 'there-is-none.sef']\n"
        "try: runpy.run_module('selfedit_formal', run_name='__main__')\n"
        "except SystemExit: pass\n"
        "print('lark' in sys.modules, sys.modules['interegular'])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=False)
    assert done.stdout.splitlines()[-1] == "True None"


def test_the_commands_that_verify_are_those() -> None:
    commands = cli.selfedit.commands.items()
    verifying = {name for name, c in commands if any(p.name == "within" for p in c.params)}
    assert {name for name in cli.selfedit.commands if verifies(name)} == verifying == {"check", "regress", "witness"}


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--version"], 0, "selfedit 0.1.0"),
        (["check", "there-is-none.sef"], 2, "there-is-none.sef"),
        (["check", "--no-such-option"], 2, "no such option"),
        (["check", "--help"], 0, "Usage"),
        ([], 2, "Usage"),
    ],
)
def test_the_module_is_the_command(arguments: list[str], code: int, said: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "selfedit_formal", *arguments], capture_output=True, encoding="utf-8", check=False
    )
    assert said in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert done.returncode == code
