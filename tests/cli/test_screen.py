"""What commands print: how wide and in which colours, and a bar that moves while checks are answered."""

from __future__ import annotations

import io
import os
import re
import sys
from pathlib import Path

import pytest

from selfedit_formal import cli
from selfedit_formal.cli import _screen
from selfedit_formal.reports.formats import Look
from selfedit_formal.reports.layout import Piece
from selfedit_formal.reports.names import title
from tests.cli.command import answering, selfedit
from tests.reports import examples


class Terminal(io.StringIO):
    """Something that is written to and says that it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_there_is_no_colour_but_on_a_terminal_that_wants_it(
    capsys: pytest.CaptureFixture[str], good: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answering(monkeypatch, lambda _: (examples.orphan(),))
    for screen, wish, term, coloured in (
        (Terminal(), "", "xterm", True),
        (Terminal(), "NO_COLOR", "xterm", False),
        (Terminal(), "", "dumb", False),
        (io.StringIO(), "", "xterm", False),
        (io.StringIO(), "FORCE_COLOR", "dumb", True),
    ):
        for stream, arguments in (("stdout", ["check", "log.sef"]), ("stderr", ["check", "gone.sef"])):
            with monkeypatch.context() as patch:
                patch.delenv("NO_COLOR", raising=False)
                patch.delenv("FORCE_COLOR", raising=False)
                patch.setenv(wish or "UNUSED", "1")
                patch.setenv("TERM", term)
                screen.seek(0)
                screen.truncate()
                patch.setattr(sys, stream, screen)
                with pytest.raises(SystemExit):
                    cli.main(arguments)
            assert ("\x1b[" in screen.getvalue()) == coloured


def test_an_excerpt_in_a_coloured_message_is_plain(
    capsys: pytest.CaptureFixture[str], here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "wrong.sef").write_text("window A { tag : a }\npolicy p for B { }\n", encoding="utf-8")
    plain = selfedit(capsys, "check", "wrong.sef").err
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("NO_COLOR", raising=False)
    said = selfedit(capsys, "check", "wrong.sef").err
    assert "\x1b[34m2 |\x1b[0m policy p for B { }\n" in said
    assert "\x1b[31m\x1b[1m              ^\x1b[0m\n" in said
    assert re.sub(r"\x1b\[\d+m", "", said) == plain


@pytest.mark.parametrize(("columns", "width"), [("100", 100), ("72", 72), ("12", 40), ("0", 100)])
def test_no_line_is_written_for_fewer_than_forty_columns(
    monkeypatch: pytest.MonkeyPatch, columns: str, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setattr("os.get_terminal_size", lambda _: os.terminal_size((0, 0)))
    assert _screen.width() == width


def test_a_look_is_of_the_screen_and_of_how_much_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _screen.look() == Look(100, False, False)
    monkeypatch.setattr(sys, "stdout", Terminal())
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert _screen.look(verbose=True) == Look(100, True, True)


def test_lines_are_shown_on_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    _screen.show([(Piece("one"),), (Piece("t"), Piece("wo"))])
    assert capsys.readouterr() == ("one\ntwo\n", "")


@pytest.mark.parametrize(
    ("screen", "total", "term"),
    [(io.StringIO(), 5, "xterm"), (Terminal(), 1, "xterm"), (Terminal(), 5, "dumb")],
    ids=["no terminal", "one check", "a dumb terminal"],
)
def test_where_no_bar_can_move_or_need_to_nothing_is_written(
    monkeypatch: pytest.MonkeyPatch, screen: io.StringIO, total: int, term: str
) -> None:
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", term)
    with _screen.progress(total) as bar:
        bar.advance(examples.orphan())
        with bar.aside():
            pass
    assert screen.getvalue() == ""


def test_the_bar_counts_the_checks_and_names_the_last_and_is_gone_afterwards(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    result = examples.orphan()
    with _screen.progress(2) as bar:
        bar.advance(result)
        bar.advance(result)
    assert "2/2" in screen.getvalue()
    assert title(result.obligation) in screen.getvalue()
    assert "\x1b[2K" in screen.getvalue().rpartition("2/2")[2]
