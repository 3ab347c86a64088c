"""The command from its first moment: the host is started before anything else, and ended whatever the command does."""

from __future__ import annotations

import subprocess
import sys

import pytest

BEFORE = (
    "import sys, selfedit_formal.host as host\n"
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


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--version"], 0, "selfedit 0.1.0"),
        (["check", "there-is-none.sef"], 2, "there-is-none.sef"),
        (["check", "--no-such-option"], 2, "No such option"),
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
