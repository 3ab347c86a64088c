"""`selfedit explain`: a page, all topics, and what comes nearest."""

from __future__ import annotations

import pytest

from tests.cli.command import selfedit


def test_explain_prints_a_page(capsys: pytest.CaptureFixture[str]) -> None:
    assert selfedit(capsys, "explain", "idempotent").out.startswith("Applying the policy to its own output")
    assert selfedit(capsys, "explain", "preserves(paired)").out.startswith("Closed in, closed out")
    assert selfedit(capsys, "explain", "refuted").code == 0


def test_explain_without_a_topic_lists_them(capsys: pytest.CaptureFixture[str]) -> None:
    listed = selfedit(capsys, "explain").out
    for topic in ("proved", "idempotent", "R001"):
        assert topic in listed.split()


def test_explain_names_what_comes_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    done = selfedit(capsys, "explain", "idempotnt")
    assert (done.code, done.out) == (2, "")
    assert "did you mean `idempotent`" in done.err
