"""What the tests of the command stand on: a folder of their own, and a file in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import GOOD


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Each test runs in a folder of its own, 100 columns wide."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    return tmp_path


@pytest.fixture
def good(here: Path) -> Path:
    path = here / "log.sef"
    path.write_text(GOOD, encoding="utf-8")
    return path
