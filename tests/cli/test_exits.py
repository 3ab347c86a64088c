"""Exit codes beside those of verdicts: they mean what a shell and the help of the command say, and nothing twice."""

from __future__ import annotations

import signal

from selfedit_formal import cli
from selfedit_formal.cli._exits import BROKE, CLOSED, INTERRUPTED, WRONG
from selfedit_formal.core.verdict import Bounded, Failed, Result, Unknown, Vacuous, Verdict, exit_code
from tests.reports import examples

VERDICTS: tuple[Verdict | Failed, ...] = (
    Bounded(8, "the bounded engine looks no further"),
    examples.orphan().verdict,
    Vacuous(("no window satisfies the premise",), 8),
    Unknown("time limit of 60 s"),
)


def test_a_command_that_is_stopped_ends_as_a_shell_says_of_one_that_a_signal_ended() -> None:
    assert (INTERRUPTED, CLOSED) == (128 + signal.SIGINT, 128 + signal.SIGPIPE)


def test_the_help_tells_what_is_wrong_with_the_input_from_what_is_wrong_with_the_tool() -> None:
    told = " ".join((cli.selfedit.help or "").split())
    assert f"{WRONG} wrong files or usage" in told
    assert f"{BROKE} a bug of selfedit" in told


def test_no_code_is_that_of_a_verdict_but_a_bug_is_a_bug_wherever_it_shows() -> None:
    def code(verdict: Verdict | Failed) -> int:
        return exit_code((Result(examples.orphan().obligation, verdict, 0.1, "bounded"),))

    codes = {code(verdict) for verdict in VERDICTS}
    assert codes == {0, 1, 3, 4}
    assert not codes & {WRONG, BROKE, INTERRUPTED, CLOSED}
    assert code(Failed("this and that")) == BROKE
