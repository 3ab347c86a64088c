"""`spec/simulation.md` runs: its session is simulated, and what the page shows is what is printed."""

from __future__ import annotations

from pathlib import Path

from tests.documents import shows

PATH = Path(__file__).parents[2] / "spec" / "simulation.md"


def test_what_the_page_shows_is_what_is_printed(tmp_path: Path, update_spec: bool) -> None:
    shows(PATH, tmp_path, update_spec)
