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
    for topic in ("proved", "idempotent", "R001", "evict", "tutorial.md", "over_cap", "plan_fits"):
        assert topic in listed.replace(",", " ").split()
    assert "\n  idempotent                 Applying the policy to its own output changes nothing.\n" in listed
    assert all(len(line) <= 100 for line in listed.splitlines())


def test_a_topic_may_be_several_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert selfedit(capsys, "explain", "at", "once").out == selfedit(capsys, "explain", "at once").out


def test_explain_all_prints_all(capsys: pytest.CaptureFixture[str]) -> None:
    printed = selfedit(capsys, "explain", "--all").out
    for part in ("# The language\n", "# Verdicts\n", "# R001: ", "property idempotent(P: policy)"):
        assert part in printed


def test_explain_names_what_comes_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    done = selfedit(capsys, "explain", "idempotnt")
    assert (done.code, done.out) == (2, "")
    assert "did you mean `idempotent`" in done.err
    assert "did you mean `evict`" in selfedit(capsys, "explain", "evct").err
